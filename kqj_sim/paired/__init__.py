"""Paired comparisons: players on the same deals, their leads, and what is said of them."""
