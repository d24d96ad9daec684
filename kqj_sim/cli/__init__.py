"""The command `kqj-sim`: parse, call one function, hand the result to a writer."""

from kqj_sim.cli.program import main

__all__ = ["main"]
