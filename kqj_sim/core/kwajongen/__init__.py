"""Kwajongen's own: dealing, calls, legality, scoring, games and rows (RULES.md section 10)."""
