"""The tables of rounds of each game: where a game's own are bound to what all games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.kqj import detail_tables as kqj_detail_tables
from kqj_sim.analysis.kqj import tables as kqj_tables
from kqj_sim.analysis.kwajongen import detail_tables as kwajongen_detail_tables
from kqj_sim.analysis.kwajongen import tables as kwajongen_tables
from kqj_sim.analysis.source import Source
from kqj_sim.analysis.table import Table

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment


class DetailTables(Protocol):
    """A module that makes tables of a game's rounds, such as the further ones of a report."""

    def joints(self, experiment: Experiment) -> list[tuple[str, ...]]:
        """The tuples of columns of which the tables need joint counts."""

    def derived(self, experiment: Experiment) -> list[Derived]:
        """Columns that the tables need beside those of the rows."""

    def tables(self, source: Source) -> Iterable[Table]:
        """Every table that the experiment gives a meaning."""


class RoundTables(DetailTables, Protocol):
    """A module that makes the tables of `simulate`."""

    OF_GAMES: tuple[str, ...]
    """Names of the tables that only whole games give, beside those of games themselves."""

    def notes(self, experiment: Experiment) -> tuple[str, ...]:
        """What is told under every table."""


@dataclass(frozen=True)
class OwnTables:
    """The tables of a game's rounds: those of `simulate`, and the further ones of a report."""

    tables: RoundTables
    detail: DetailTables


_OWN: Mapping[str, OwnTables] = {
    "kqj": OwnTables(kqj_tables, kqj_detail_tables),
    "kwajongen": OwnTables(kwajongen_tables, kwajongen_detail_tables),
}


def tables_of(game: str) -> OwnTables:
    """The tables of a game, by its name."""
    return _OWN[game]
