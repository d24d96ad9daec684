"""What the analysis of Kwajongen has of its own: the tables of its rounds."""
