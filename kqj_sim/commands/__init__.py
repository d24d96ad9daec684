"""The commands of `kqj-sim`, one module each, and the options they share."""
