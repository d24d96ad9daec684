"""Runs of the engine, and screens: the tables of a run with its headline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from kqj_sim.output.grid import Excerpt, Grid, drop_repeated_notes, make_grids, split_grid
from kqj_sim.output.sentences import say
from kqj_sim.rules import GameRules
from kqj_sim.version import __version__

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.tables import Table


RANGE_SIGNS = "± and ranges in brackets"
"""The signs of intervals in tables."""


@dataclass(frozen=True)
class Run:
    """A run of the engine: all that is needed to repeat it, and the number of deals played.

    `policies` are the seats' players as the user wrote them, `players` the same with all their
    parameters.  `deals` counts those that were finished; `games`, `imposed`, `by` and `where` are
    None or empty where they were not asked for, `seed` and `first` None where nothing was drawn.  A
    question may have its own line for people, `description`, its own words on the `intervals`
    (None: the usual ones), and further values of the JSON output, `details`.
    """

    command: str
    rules: GameRules
    policies: tuple[str, ...]
    seed: int | None
    first: int | None
    deals: int
    confidence: float | None = None
    games: int | None = None
    imposed: str | None = None
    by: tuple[str, ...] = ()
    where: str | None = None
    interrupted: bool = False
    players: tuple[str, ...] = ()
    description: str = ""
    intervals: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, command: str, experiment: Experiment, deals: int, **more: Any) -> Run:
        """Return the run of an experiment of which so many deals are finished."""
        return cls(
            command,
            experiment.rules,
            tuple(player.name for player in experiment.players),
            experiment.seed,
            experiment.first,
            deals,
            imposed=experiment.imposed_text,
            players=tuple(player.text for player in experiment.players),
            **more,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, by the keys of the JSON output."""
        return {
            "version": __version__,
            "command": self.command,
            "game": self.rules.game,
            "rules": self.rules.to_dict(),
            "policies": list(self.policies),
            "players": dict(zip(self.policies, self.players, strict=False)),
            "seed": self.seed,
            "first": self.first,
            "deals": self.deals,
            "games": self.games,
            "imposed": self.imposed,
            "by": list(self.by),
            "where": self.where,
            "confidence": self.confidence,
            "interrupted": self.interrupted,
            **self.details,
        }

    def describe(self) -> str:
        """Return the run in a line for people."""
        return self.description or say(__name__, "run", self, group_seats(self.policies))

    def describe_intervals(self) -> str:
        """Describe the intervals for people; empty if there are none."""
        if self.intervals is not None:
            return self.intervals
        if self.confidence is None:
            return ""
        return say(__name__, "intervals", RANGE_SIGNS, self.confidence)


ScreenPart: TypeAlias = Excerpt | str | Grid
"""A part of a screen: an excerpt of a table, the name of a whole one, or a grid."""


@dataclass(frozen=True)
class Screen:
    """The results of a run.

    Attributes:
        headline: the result in sentences, on top.
        parts: what people see unless they ask for tables: excerpts of them, names of whole tables,
            or grids; all tables if there are none.
        shown: names of the tables that people asked for, None if they did not.
        remarks: what the parts leave out, in sentences.
        commands: command lines that show more, each with the sentence before it; those without
            one are not on the screen.
    """

    run: Run
    tables: Sequence[Table]
    headline: Sequence[str] = ()
    parts: Sequence[ScreenPart] = ()
    shown: Collection[str] | None = None
    remarks: Sequence[str] = ()
    commands: Sequence[tuple[str, str]] = ()

    def make_grids(self, width: int | None = None) -> list[Grid]:
        """Return what people see: the parts, or the tables that they asked for."""
        names = [table.name for table in self.tables]
        parts: Sequence[ScreenPart] = self.parts or names
        if self.shown is not None:
            parts = [name for name in names if name in self.shown]
        return drop_repeated_notes(grid for part in parts for grid in self.lay_out(part, width))

    def lay_out(self, part: ScreenPart, width: int | None = None) -> list[Grid]:
        """Return a part as grids of a width."""
        if isinstance(part, Grid):
            return split_grid(part, width)
        tables = {table.name: table for table in self.tables}
        return (
            make_grids(tables[part], width)
            if isinstance(part, str)
            else part.make_grids(tables, width)
        )


def describe_policies(policies: Sequence[str]) -> str:
    """Describe the seats' players: `standard at seats 0 2 4, random at seats 1 3 5`."""
    return say(__name__, "players", group_seats(policies))


def group_seats(policies: Sequence[str]) -> dict[str, list[str]]:
    """Return the seats of each policy, by order of first appearance."""
    seats: dict[str, list[str]] = {}
    for seat, policy in enumerate(policies):
        seats.setdefault(policy, []).append(str(seat))
    return seats
