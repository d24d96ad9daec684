"""Kwajongen, a second game, of 24 cards: all that is its own."""
