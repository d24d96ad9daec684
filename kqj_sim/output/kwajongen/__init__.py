"""Chapters and pictures for reports of Kwajongen."""
