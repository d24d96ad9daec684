"""Further tables of KQJ rounds for reports: take rates, contracts by hand, totals in steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS, TOTAL_STEP
from kqj_sim.games.kqj.tables import KIND_LABELS, number_results
from kqj_sim.rules import SEATS, require_kqj_rules
from kqj_sim.stats.tables import ColumnValues, DerivedColumn, Table, TableBuilder, TableRows

if TYPE_CHECKING:
    from kqj_sim.core.types import Int32Array
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.rows import Rows

_SUIT_KINDS = tuple(KIND_LABELS.index(kind) for kind in ("return", "other", "suit"))


def derive_columns(experiment: Experiment) -> list[DerivedColumn]:
    made = [_derive_steps("sender_points_from", "sender_points")]
    if _has_margin(experiment):
        highest = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["contracting_total"]].high
        against = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["amount"]].high
        made.append(
            DerivedColumn(
                "margin_from",
                -against,
                highest,
                ("contracting_total", "defending_total", "amount"),
                lambda rows: _compute_margin(experiment, rows) // TOTAL_STEP * TOTAL_STEP,
            )
        )
    return made


def _derive_steps(name: str, column: str) -> DerivedColumn:
    """Return a column rounded down to steps of `TOTAL_STEP`."""
    known = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS[column]]
    return DerivedColumn(
        name,
        known.low,
        known.high,
        (column,),
        lambda rows: rows.column(column) // TOTAL_STEP * TOTAL_STEP,
    )


def _has_margin(experiment: Experiment) -> bool:
    """Return whether the total needed to make a contract differs between deals."""
    return (
        require_kqj_rules(experiment.rules).bidding == "auction"
        or require_kqj_rules(experiment.rules).teams == 3
    )


def _compute_margin(experiment: Experiment, rows: Rows) -> Int32Array:
    """Return the contracting team's total minus the amount, or minus the best other total."""
    auction = require_kqj_rules(experiment.rules).bidding == "auction"
    total = rows.column("contracting_total")
    if auction and require_kqj_rules(experiment.rules).amount_uses == "rounded":
        total = (total + 5) // 10 * 10
    margin: Int32Array = total - rows.column("amount" if auction else "defending_total")
    return margin


def list_joints(experiment: Experiment) -> list[tuple[str, ...]]:
    needed: list[tuple[str, ...]] = [
        ("taken", "kind", "sender_trumps", "sender_aces", "result"),
        ("taken", "sender_points_from", "result"),
    ]
    if _has_margin(experiment):
        needed.append(("taken", "margin_from", "result"))
    return needed


def make_tables(builder: TableBuilder) -> Iterable[Table]:
    experiment, results = builder.experiment, number_results(builder.experiment)
    if require_kqj_rules(experiment.rules).bidding == "take" and experiment.imposed is None:
        lines = _list_take_rates(builder)
        yield builder.table("take_rate", "Takes", ("lap", "place"), lines)
    for name, title, grouping, columns in (
        ("sender_trumps", "number of the Sender's trumps", ("sender_trumps",), (1,)),
        (
            "sender_trumps_and_aces",
            "number of the Sender's trumps and side aces",
            ("sender_trumps", "sender_aces"),
            (1, 2),
        ),
    ):
        yield builder.table(
            f"contracts_by_{name}",
            f"Contracts made in a suit, by {title}, taken deals",
            grouping,
            builder.split(_count_results_by_trumps(builder, columns), results),
        )
    yield builder.table(
        "contracts_by_sender_points",
        f"Contracts made, by the card points in the Sender's hand in steps of {TOTAL_STEP}, "
        f"taken deals",
        ("sender_points_from",),
        builder.split(builder.group_histograms(("sender_points_from",), "result"), results),
    )
    yield from make_plot_tables(builder)
    if _has_margin(experiment):
        against = (
            "the amount"
            if require_kqj_rules(experiment.rules).bidding == "auction"
            else "the best other total"
        )
        yield builder.table(
            "margins",
            f"Total of the contracting team minus {against} in steps of {TOTAL_STEP}, by result, "
            "taken deals",
            ("margin_from",),
            builder.list_joint_shares("margin_from", "result", results, TOTAL_STEP),
        )


def make_plot_tables(builder: TableBuilder) -> Iterable[Table]:
    yield builder.table(
        "totals",
        f"Total of the contracting team in steps of {TOTAL_STEP}, by result, taken deals",
        ("total_from",),
        builder.list_joint_shares(
            "contracting_total", "result", number_results(builder.experiment), TOTAL_STEP
        ),
    )


def _list_take_rates(builder: TableBuilder) -> TableRows:
    """Yield the share of takes among those asked: the players before whom nobody took."""
    everything = builder.group_histograms((), "taken", taken=False)
    turns = builder.count_groups((), ("lap", "place"))
    for group, counts in everything.items():
        waiting = sum(counts.values())
        for turn in ((lap, place) for lap in (1, 2) for place in range(SEATS)):
            taken = turns.get(group, {}).get(turn, 0)
            yield (*group, *turn), "takes_share", builder.share(taken, waiting)
            waiting -= taken


def _count_results_by_trumps(
    builder: TableBuilder, columns: tuple[int, ...]
) -> dict[ColumnValues, dict[int, int]]:
    """Count the results of contracts in a suit by some of (kind, sender_trumps, sender_aces)."""
    results: dict[ColumnValues, dict[int, int]] = {}
    size = len(builder.by)
    for group, counts in builder.count_groups(
        ("kind", "sender_trumps", "sender_aces"), ("result",)
    ).items():
        if group[size] not in _SUIT_KINDS:
            continue
        key = (*group[:size], *(group[size + column] for column in columns))
        histogram = results.setdefault(key, {})
        for (result,), count in counts.items():
            histogram[result] = histogram.get(result, 0) + count
    return dict(sorted(results.items()))
