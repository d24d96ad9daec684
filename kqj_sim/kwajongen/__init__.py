"""Kwajongen in the engine: its rounds, hidden hands, solver and policies (RULES.md section 10)."""
