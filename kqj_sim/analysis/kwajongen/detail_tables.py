"""The further tables of a report of Kwajongen: results by trumps held, card points by result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.kwajongen.tables import OF_PLAYED, RESULTS, result_lines
from kqj_sim.analysis.source import Source, labels
from kqj_sim.analysis.table import Lines, Table

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment

_LABELS = labels("result", "kwajongen")


def derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows: none."""
    return []


def joints(experiment: Experiment) -> list[tuple[str, ...]]:
    """The tuples of columns of which the tables need joint counts."""
    return [
        ("taken", "sender_trumps", "result"),
        ("taken", "place", "sender_trumps", "result"),
        ("taken", "dealer_trumps", "result"),
        ("taken", "contracting_card_points", "result"),
        ("taken", "points_difference", "result"),
    ]


def tables(source: Source) -> Iterable[Table]:
    """Every further table."""
    for name, title, own in (
        ("sender_trumps", "the caller's number of trumps", ("sender_trumps",)),
        (
            "place_and_sender_trumps",
            "place and the caller's number of trumps",
            ("place", "sender_trumps"),
        ),
        ("dealer_trumps", "the dealer's number of trumps", ("dealer_trumps",)),
    ):
        yield source.table(
            f"results_by_{name}",
            f"Rounds won by the caller's team and by the others, by {title}, played deals",
            own,
            result_lines(source, own),
        )
    for name, title, column in (
        ("points", "Card points of the caller's team", "contracting_card_points"),
        ("margins", "Card points of the caller's team less the others'", "points_difference"),
    ):
        yield source.table(
            name, f"{title}, by result, played deals", (column,), _distribution(source, column)
        )


def _distribution(source: Source, column: str) -> Lines:
    """The share of the played deals with each number and each result."""
    for group, counts in source.split((), (column, "result")).items():
        deals = sum(counts.values())
        for number in sorted({number for number, _ in counts}):
            for result, words in RESULTS.items():
                count = counts.get((number, _LABELS.index(result)), 0)
                yield (*group, number), f"{words}, {OF_PLAYED}", "share", source.share(count, deals)
