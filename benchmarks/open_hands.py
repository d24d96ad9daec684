"""Shares of contracts that can be made with all cards open, and that the players make.

    python benchmarks/open_hands.py --variant auction

The default players call and play each deal, and the solver says whether their contract could be
made from the first card on.  There are two teams: with three the search takes minutes a deal.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import Solver
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.stats.intervals import Estimate, estimate_share

CONFIDENCE = 0.95
LEAST_LEAD = 1.0
"""With two teams a contract is made if the lead is above 0."""


def show(estimate: Estimate, scale: float = 1.0, digits: int = 1) -> str:
    """Return an estimate with half of its interval."""
    half = (estimate.high - estimate.low) / 2
    return f"{scale * estimate.value:.{digits}f} ±{scale * half:.{digits}f}"


def tell_contracts(counts: Counter[tuple[bool, bool]]) -> None:
    """Print how many contracts could be made, and were; keys are both."""
    deals = counts.total()

    def say(what: str, event: int, of: int) -> None:
        print(f"{what}: {show(estimate_share(event, of, CONFIDENCE), 100)}% of {of}")

    could, were = (sum(counts[key] for key in counts if key[at]) for at in (0, 1))
    say("could be made", could, deals)
    say("were made", were, deals)
    say("of those that could be made, not made", counts[True, False], could)
    say("of those that could not, made", counts[False, True], deals - could)


@click.command()
@click.option("--variant", type=click.Choice(["take", "auction"]), default="take")
@click.option("--policy", default="learned+network", help="Who plays.")
@click.option("--deals", default=3000, help="Deals that are played.")
@click.option("--seed", default=1)
def main(variant: Literal["take", "auction"], policy: str, deals: int, seed: int) -> None:
    """Print how many contracts could be made with all cards open, and how many players made."""
    rules, solver = KqjRules(bidding=variant), Solver()
    counts: Counter[tuple[bool, bool]] = Counter()
    for record in play_records(Experiment(rules, policy, deals, seed)):
        if record.contract is not None:
            solver.load(replace(read_round(record), plays=()))
            counts[solver.reaches(LEAST_LEAD), record.result == "made"] += 1
    print(f"{variant}, {policy}, seed {seed}")
    tell_contracts(counts)


if __name__ == "__main__":
    main()
