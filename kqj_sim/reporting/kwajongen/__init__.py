"""What reports of Kwajongen have of their own: chapters and pictures."""
