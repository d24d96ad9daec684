"""What the analysis of KQJ has of its own: the tables of its rounds."""
