"""What reports of KQJ have of their own: chapters and pictures."""
