"""Checkpoints of neighbouring ranges, put together into the counts of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kqj_sim.analysis import compile_expression
from kqj_sim.encode import Imposed
from kqj_sim.experiment import Experiment
from kqj_sim.reporting.checkpoint import Checkpoint, CheckpointError, Counted, add_counts
from kqj_sim.reporting.gathered import Gathered, Gathering
from kqj_sim.reporting.report import Run
from kqj_sim.rules import rules_of


@dataclass(frozen=True)
class Whole:
    """What the parts come to.

    Attributes:
        counted: what was counted.
        first, finished: the range of deals, or of games.
        gathered: the counts.
        run: the run that would have given them.
    """

    counted: Counted
    first: int
    finished: int
    gathered: Gathered
    run: Run


def merged(parts: Sequence[tuple[str, Checkpoint]], confidence: float) -> Whole:
    """Put checkpoints together.

    Args:
        parts: the name of each file, and what it holds; in any order.
        confidence: of the intervals that will be made.

    Raises:
        CheckpointError: they are of different runs, or their ranges overlap or leave a gap.
    """
    ordered = sorted(parts, key=lambda part: part[1].first)
    name, before = ordered[0]
    counted = before.counted
    for other_name, other in ordered[1:]:
        difference = counted.difference(other.counted)
        if difference:
            raise CheckpointError(f"{other_name} is of another run than {name}: {difference}")
    for (name, before), (other_name, other) in pairwise(ordered):
        end, unit = before.first + before.finished, counted.unit
        if other.first != end:
            what = "begins before" if other.first < end else "leaves a gap to"
            raise CheckpointError(
                f"{other_name} begins with number {other.first:,} and {what} the end of {name}, "
                f"which holds {unit} {before.first:,} to {end - 1:,}: ranges must be neighbours"
            )
    try:
        gathered = _empty(counted)
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointError(f"{ordered[0][0]} is damaged: {error}") from None
    for name, part in ordered:
        add_counts(name, part, gathered)
    first, finished = ordered[0][1].first, sum(part.finished for _, part in ordered)
    return Whole(counted, first, finished, gathered, _run(counted, first, finished, gathered,
                                                           confidence))  # fmt: skip


def _imposed(text: str | None) -> Imposed | None:
    if text is None:
        return None
    place, contract, *amount = text.split(":")
    return Imposed(int(place), contract, int(amount[0]) if amount else None)


def _empty(counted: Counted) -> Gathered:
    """Counts of nothing, of the layout that was counted."""
    games = counted.unit == "games"
    # Counting looks at the rules and not at who plays: policies may be files that are not here.
    experiment = Experiment(
        rules=rules_of(counted.game, counted.rules),
        deals=1,
        seed=counted.seed,
        games=1 if games else None,
        imposed=_imposed(counted.imposed),
    )
    expression = None
    if counted.where is not None:
        expression = compile_expression(counted.where, games=games, game=counted.game)
    for plot in (False, True):
        gathered = Gathering(
            experiment, counted.by, counted.where, expression, plot, counted.control
        ).start()
        if gathered.layout == counted.layout:
            return gathered
    raise CheckpointError("the files count for other tables than this version of kqj-sim makes")


def _run(counted: Counted, first: int, finished: int, gathered: Gathered, confidence: float) -> Run:
    return Run(
        command="simulate",
        rules=rules_of(counted.game, counted.rules),
        policies=counted.policies,
        players=counted.players,
        seed=counted.seed,
        first=first,
        deals=gathered.tally.deals,
        confidence=confidence,
        games=finished if counted.unit == "games" else None,
        imposed=counted.imposed,
        by=counted.by,
        where=counted.where,
        interrupted=False,
    )
