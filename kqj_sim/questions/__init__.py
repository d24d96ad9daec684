"""The questions that people ask, a folder for each kind."""
