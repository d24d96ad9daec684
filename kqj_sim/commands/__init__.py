"""The commands of `kqj-sim`, and the options and output that they share."""
