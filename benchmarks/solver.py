"""Measure the solver of rounds with all cards open, by the number of cards left.

    python benchmarks/solver.py --deals 100 --cards 8

The rounds are those of `standard` players, two teams with taking, before the first card of a trick.
Times are of the processor, for one question "is it made?" and for the whole value.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import LEAST_MADE, TABLE_BITS, Solver
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records


def list_endings(deals: int, cards: int) -> list[Position]:
    """Return the round of each deal that was played, with so many cards left."""
    experiment = Experiment(KqjRules(), ("standard",) * SEATS, deals, 5)
    rounds = [read_round(record) for record in play_records(experiment) if record.contract]
    plays = SEATS * (KqjRules.tricks - cards)
    return [replace(position, plays=position.plays[:plays]) for position in rounds]


def measure(solver: Solver, position: Position, ask: Callable[[], object]) -> float:
    """Return the milliseconds that a question takes."""
    solver.load(position)
    start = time.process_time()
    ask()
    return 1e3 * (time.process_time() - start)


def main() -> None:
    """Print a line for each number of cards."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--cards", type=int, nargs="*", default=[*range(2, 9)])
    parser.add_argument("--table-bits", type=int, default=TABLE_BITS)
    chosen = parser.parse_args()
    solver = Solver(chosen.table_bits)
    for position in list_endings(1, 2):  # The first question compiles.
        solver.load(position)
        solver.find_lead()
    for cards in chosen.cards:
        endings = list_endings(chosen.deals, cards)
        values, questions, nodes = [], [], 0
        for position in endings:
            questions.append(measure(solver, position, lambda: solver.reaches(LEAST_MADE[2])))
            values.append(measure(solver, position, solver.find_lead))
            nodes += solver.nodes
        median, rare = np.quantile(values, [0.5, 0.99])
        made, rarely = np.quantile(questions, [0.5, 0.99])
        print(
            f"{cards} cards left, {len(endings)} rounds: value {median:.3f} ms (99%: {rare:.2f}), "
            f"made? {made:.3f} ms (99%: {rarely:.2f}), {nodes / sum(values) / 1e3:.1f} million "
            "tricks begun a second",
            flush=True,
        )


if __name__ == "__main__":
    main()
