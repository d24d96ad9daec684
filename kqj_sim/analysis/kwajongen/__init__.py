"""Tables of Kwajongen rounds."""
