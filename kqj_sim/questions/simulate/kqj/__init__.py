"""Chapters and pictures for reports of KQJ."""
