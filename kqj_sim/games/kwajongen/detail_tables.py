"""Further tables of Kwajongen rounds, for reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kqj_sim.games.kwajongen.tables import RESULT_NUMBERS, list_result_rows
from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment


def derive_columns(experiment: Experiment) -> list[DerivedColumn]:
    return []


def list_joints(experiment: Experiment) -> list[tuple[str, ...]]:
    return [
        ("taken", "place", "sender_trumps", "result"),
        ("taken", "dealer_trumps", "result"),
        ("taken", "points_difference", "result"),
    ]


def make_tables(builder: TableBuilder) -> Iterable[Table]:
    by_trumps, points = make_plot_tables(builder)
    yield by_trumps
    yield _make_result_table(
        builder,
        "place_and_sender_trumps",
        "place and the caller's number of trumps",
        ("place", "sender_trumps"),
    )
    yield _make_result_table(
        builder, "dealer_trumps", "the dealer's number of trumps", ("dealer_trumps",)
    )
    yield points
    yield _make_distribution(
        builder,
        "margins",
        "Card points of the caller's team minus the others'",
        "points_difference",
    )


def make_plot_tables(builder: TableBuilder) -> list[Table]:
    return [
        _make_result_table(
            builder, "sender_trumps", "the caller's number of trumps", ("sender_trumps",)
        ),
        _make_distribution(
            builder, "points", "Card points of the caller's team", "contracting_card_points"
        ),
    ]


def _make_result_table(
    builder: TableBuilder, name: str, words: str, grouping: tuple[str, ...]
) -> Table:
    return builder.table(
        f"results_by_{name}",
        f"Rounds won by the caller's team and by the others, by {words}, played deals",
        grouping,
        list_result_rows(builder, grouping),
    )


def _make_distribution(builder: TableBuilder, name: str, title: str, column: str) -> Table:
    lines = builder.list_joint_shares(column, "result", RESULT_NUMBERS)
    return builder.table(name, f"{title}, by result, played deals", (column,), lines)
