"""The tables of each game's rounds, bound to what all games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.analysis.joint_counts import DerivedColumn
from kqj_sim.analysis.kqj import detail_tables as kqj_detail_tables
from kqj_sim.analysis.kqj import tables as kqj_tables
from kqj_sim.analysis.kwajongen import tables as kwajongen_tables
from kqj_sim.analysis.tables import Table, TableBuilder

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment


@dataclass(frozen=True)
class TableSet:
    """Tables of a game's rounds.

    Attributes:
        list_joints: returns the tuples of columns of which the tables need joint counts.
        derive_columns: returns the columns that the tables need beside those of the rows.
        make_tables: makes every table that means something for the experiment.
    """

    list_joints: Callable[[Experiment], list[tuple[str, ...]]]
    derive_columns: Callable[[Experiment], list[DerivedColumn]]
    make_tables: Callable[[TableBuilder], Iterable[Table]]


@dataclass(frozen=True)
class GameTables:
    """The tables of a game.

    Attributes:
        main: the tables of `simulate`.
        detail: the further tables of a report.
        list_notes: returns the notes under every table.
        game_only: names of the tables that only whole games give, beside those of games themselves.
    """

    main: TableSet
    detail: TableSet
    list_notes: Callable[[Experiment], tuple[str, ...]]
    game_only: tuple[str, ...]


_TABLES_BY_GAME: Mapping[str, GameTables] = {
    "kqj": GameTables(
        TableSet(kqj_tables.list_joints, kqj_tables.derive_columns, kqj_tables.make_tables),
        TableSet(
            kqj_detail_tables.list_detail_joints,
            kqj_detail_tables.derive_detail_columns,
            kqj_detail_tables.make_detail_tables,
        ),
        kqj_tables.list_notes,
        kqj_tables.GAME_ONLY_TABLES,
    ),
    "kwajongen": GameTables(
        TableSet(
            kwajongen_tables.list_joints,
            kwajongen_tables.derive_columns,
            kwajongen_tables.make_tables,
        ),
        TableSet(
            kwajongen_tables.list_detail_joints,
            kwajongen_tables.derive_detail_columns,
            kwajongen_tables.make_detail_tables,
        ),
        kwajongen_tables.list_notes,
        kwajongen_tables.GAME_ONLY_TABLES,
    ),
}


def get_game_tables(game: str) -> GameTables:
    """Return the tables of a game, by its name."""
    return _TABLES_BY_GAME[game]
