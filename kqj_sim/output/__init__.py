"""Answers for people and for other programs: tables, files, plots and rounds as text."""
