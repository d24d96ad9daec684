"""Fits of the package's numbers: weights of networks, the count of `points`, Kwajongen's calls."""

SEED_OFFSET = 10**9
"""Added to the seed of a fit: its deals are none of those with which strength is measured."""

HELD_OUT_START = 1 << 59
"""First deal of those that are held out to measure a fit."""
