"""The further tables of a report: who takes when asked, contracts by hand, totals in steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.kqj.score_tables import has_litigation
from kqj_sim.analysis.kqj.tables import KINDS, LABELS
from kqj_sim.analysis.source import OF_TAKEN, Source, Values
from kqj_sim.analysis.table import Lines, Table
from kqj_sim.columns import COLUMN_NUMBER, COLUMNS
from kqj_sim.rules import SEATS, kqj_of

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import Rows

STEP = 10
"""Points in a step of totals and of the Sender's cards."""

_SUITS = tuple(KINDS.index(kind) for kind in ("return", "other", "suit"))


def derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows."""
    made = [
        _in_steps("sender_points_from", "sender_points"),
        _in_steps("total_from", "contracting_total"),
    ]
    if _has_margin(experiment):
        highest = COLUMNS[COLUMN_NUMBER["contracting_total"]].high
        against = COLUMNS[COLUMN_NUMBER["amount"]].high
        made.append(
            Derived(
                "margin_from",
                -against,
                highest,
                ("contracting_total", "defending_total", "amount"),
                lambda rows: _margin(experiment, rows) // STEP * STEP,
            )
        )
    return made


def _in_steps(name: str, column: str) -> Derived:
    known = COLUMNS[COLUMN_NUMBER[column]]
    return Derived(
        name, known.low, known.high, (column,), lambda rows: rows.column(column) // STEP * STEP
    )


def _has_margin(experiment: Experiment) -> bool:
    """True if it takes different totals in different deals to make a contract."""
    return kqj_of(experiment.rules).bidding == "auction" or kqj_of(experiment.rules).teams == 3


def _margin(experiment: Experiment, rows: Rows) -> NDArray[np.int32]:
    """The contracting team's total less the amount, or less the best other total."""
    auction = kqj_of(experiment.rules).bidding == "auction"
    total = rows.column("contracting_total")
    if auction and kqj_of(experiment.rules).amount_uses == "rounded":
        total = (total + 5) // 10 * 10
    margin: NDArray[np.int32] = total - rows.column("amount" if auction else "defending_total")
    return margin


def joints(experiment: Experiment) -> list[tuple[str, ...]]:
    """The tuples of columns of which the tables need joint counts."""
    needed: list[tuple[str, ...]] = [
        ("taken", "kind", "sender_trumps", "sender_aces", "result"),
        ("taken", "sender_points_from", "result"),
        ("taken", "total_from", "result"),
    ]
    if _has_margin(experiment):
        needed.append(("taken", "margin_from", "result"))
    return needed


def tables(source: Source) -> Iterable[Table]:
    """Every further table that the experiment gives a meaning."""
    experiment = source.experiment
    if kqj_of(experiment.rules).bidding == "take" and experiment.imposed is None:
        yield source.table(
            "take_rate", "Who takes when it is his turn", ("lap", "place"), _take_rate(source)
        )
    for name, title, own, columns in (
        ("sender_trumps", "number of the Sender's trumps", ("sender_trumps",), (1,)),
        (
            "sender_trumps_and_aces",
            "number of the Sender's trumps and side aces",
            ("sender_trumps", "sender_aces"),
            (1, 2),
        ),
    ):
        yield source.table(
            f"contracts_by_{name}",
            f"Contracts made in a suit, by {title}, taken deals",
            own,
            _by_trumps(source, columns),
        )
    yield source.table(
        "contracts_by_sender_points",
        f"Contracts made, by the card points in the Sender's hand in steps of {STEP}, taken deals",
        ("sender_points_from",),
        _results(source, source.histograms(("sender_points_from",), "result")),
    )
    yield source.table(
        "totals",
        f"Total of the contracting team in steps of {STEP}, by result, taken deals",
        ("total_from",),
        _distribution(source, "total_from"),
    )
    if _has_margin(experiment):
        against = (
            "the amount"
            if kqj_of(experiment.rules).bidding == "auction"
            else "the best other total"
        )
        yield source.table(
            "margins",
            f"Total of the contracting team less {against} in steps of {STEP}, by result, "
            "taken deals",
            ("margin_from",),
            _distribution(source, "margin_from"),
        )


def _take_rate(source: Source) -> Lines:
    """Of those who are asked, who takes: a turn comes to whom nobody took before."""
    everything = source.histograms((), "taken", taken=False)
    turns = source.split((), ("lap", "place"))
    for group, counts in everything.items():
        waiting = sum(counts.values())
        for turn in ((lap, place) for lap in (1, 2) for place in range(SEATS)):
            taken = turns.get(group, {}).get(turn, 0)
            yield (
                (*group, *turn),
                "takes, share of those asked",
                "share",
                source.share(taken, waiting),
            )
            waiting -= taken


def _by_trumps(source: Source, columns: tuple[int, ...]) -> Lines:
    """Results of contracts in a suit by some of (kind, sender_trumps, sender_aces)."""
    found: dict[Values, dict[int, int]] = {}
    size = len(source.by)
    for group, counts in source.split(
        ("kind", "sender_trumps", "sender_aces"), ("result",)
    ).items():
        if group[size] not in _SUITS:
            continue
        key = (*group[:size], *(group[size + column] for column in columns))
        histogram = found.setdefault(key, {})
        for (result,), count in counts.items():
            histogram[result] = histogram.get(result, 0) + count
    return _results(source, dict(sorted(found.items())))


def _results(source: Source, histograms: dict[Values, dict[int, int]]) -> Lines:
    """The share of each result in each group."""
    for group, counts in histograms.items():
        for result in _result_names(source):
            count = counts.get(LABELS.index(result), 0)
            estimate = source.share(count, sum(counts.values()))
            yield group, f"{result}, {OF_TAKEN}", "share", estimate


def _distribution(source: Source, column: str) -> Lines:
    """The share of the taken deals in each step with each result."""
    for group, counts in source.split((), (column, "result")).items():
        deals = sum(counts.values())
        for step in sorted({step for step, _ in counts}):
            for result in _result_names(source):
                count = counts.get((step, LABELS.index(result)), 0)
                estimate = source.share(count, deals)
                yield (*group, step), f"{result}, {OF_TAKEN}", "share", estimate


def _result_names(source: Source) -> tuple[str, ...]:
    return LABELS[: 3 if has_litigation(source.experiment) else 2]
