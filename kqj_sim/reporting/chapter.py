"""A chapter of a report, and those that are the same for every game: whole games, policies.

What was found in an experiment, as the chapters of a report read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.tables import Table
from kqj_sim.reporting.compare import write_headline
from kqj_sim.reporting.grid import Cell, Grid, format_number, make_grids
from kqj_sim.reporting.page import Part, Picture
from kqj_sim.reporting.page_charts import render_distribution, render_dots
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.analysis.study import Study


MIN_OBSERVATIONS = 30
"""With fewer deals a number is neither drawn nor named in a sentence."""


@dataclass(frozen=True)
class Findings:
    """A study with what is needed to tell of it.

    `slug` sets its files apart from others' if there are several, and is empty if not; then its
    pictures have the scale that suits them alone.
    """

    study: Study
    slug: str = ""

    @property
    def tables(self) -> Mapping[str, Table]:
        """The study's tables by name."""
        return self.study.tables

    def estimate(self, table: str, quantity: str, *group: int | str) -> Estimate:
        """A number of a table; raises KeyError if it is not there."""
        return self.tables[table].estimates(quantity)[group]

    def format_cell(self, table: str, quantity: str, *group: int | str) -> Cell:
        """A number with its interval, as the tables on the page write it."""
        lines = self.tables[table].lines
        unit = next(unit for _, name, unit, _ in lines if name == quantity)
        return format_estimate(self.estimate(table, quantity, *group), unit)

    def show(self, table: str, quantity: str, *group: int | str) -> str:
        """The same as text, for a sentence."""
        return str(self.format_cell(table, quantity, *group))

    def by(self, table: str, quantity: str) -> dict[Any, Estimate]:
        """The numbers of a table with a single group column, by its values."""
        found = self.tables[table].estimates(quantity)
        return {group[0]: each for group, each in found.items()}

    def picture(self, name: str, alt: str, svg: str) -> Picture:
        """A picture of this study."""
        return Picture(f"{self.slug}-{name}" if self.slug else name, alt, svg)

    def grids(self, *names: str) -> tuple[Grid, ...]:
        """Those of these tables that there are, for the page."""
        found = (self.tables[name] for name in names if name in self.tables)
        return tuple(grid for table in found for grid in make_grids(table))


def format_estimate(estimate: Estimate, unit: str) -> Cell:
    """A number with its interval as tables write it."""
    return format_number(estimate.value, estimate.low, estimate.high, unit)


def select_reliable(numbers: Mapping[Any, Estimate]) -> dict[Any, Estimate]:
    """Those that stand on enough observations to be named in a sentence."""
    return {key: each for key, each in numbers.items() if each.observations >= MIN_OBSERVATIONS}


def collect_tables(findings: Iterable[Findings]) -> dict[str, Table]:
    """Every table by the name of its file, without suffix."""
    return {
        f"{found.slug}/{name}" if found.slug else name: table
        for found in findings
        for name, table in found.tables.items()
    }


@dataclass(frozen=True)
class Chapter:
    """A chapter.

    Attributes:
        name: for links and files.
        title: its heading.
        tell: what it says of a study; None if there is nothing to say.
        note: how to read it.
    """

    name: str
    title: str
    tell: Callable[[Findings], Part | None]
    note: str = ""


class KeyFigure(NamedTuple):
    """A number that tells much: its name, and where it stands in the tables."""

    name: str
    table: str
    quantity: str
    group: tuple[int | str, ...] = ()


def describe_games(found: Findings) -> Part | None:
    """How long whole games last, and who wins them."""
    if "games" not in found.tables:
        return None
    rules = found.study.plan.experiment.rules
    aim = (
        f"to {rules.target:,}" if isinstance(rules, KqjRules) else f"from {rules.start_score} down"
    )
    dealer = "first dealer" if rules.partners == "random" else "first dealer's team"
    rounds, low, high = (
        found.show("games", f"rounds, {quantity}")
        for quantity in ("mean", "quantile 5%", "quantile 95%")
    )
    player = "seat" if rules.partners == "random" else "team"
    winners = found.by(f"games_by_{player}", "won, share of games")
    games = found.estimate("games", "games")
    return Part(
        text=(
            f"{games.observations:,} games {aim} last {rounds} rounds on average; "
            f"nine of ten last from {low} to {high}. The {dealer} wins "
            f"{found.show('games', f'won by the {dealer}, share of games')}.",
        ),
        pictures=(
            found.picture(
                "games",
                "Distribution of the number of rounds in a game.",
                render_distribution(
                    {"games": found.by("games_by_rounds", "share of games")},
                    "rounds in a game",
                    "% of games",
                ),
            ),
            found.picture(
                "winners",
                f"Share of the games won, by {player}, with intervals.",
                render_dots(
                    {"won": winners},
                    "games won, %",
                    "share",
                    names={number: f"{player} {number}" for number in winners},
                    middle=1 / len(winners),
                ),
            ),
        ),
        grids=found.grids(f"games_by_{player}"),
        folded=found.grids("games", "games_by_rounds"),
    )


def describe_compared_policies(found: Findings) -> Part | None:
    """Which of several policies scores more."""
    comparison = found.study.comparison
    if comparison is None:
        return None
    pairs = found.tables["compared_pairs"].estimates("lead")
    leads = {f"{one} over {other}": each for (one, other, _), each in pairs.items()}
    words = "Lead of the first over the second, in points a round, with intervals."
    if "compared_ranking" in found.tables:
        ranking = found.tables["compared_ranking"].estimates("mean lead over the others")
        leads = {name: each for (_, name), each in ranking.items()}
        words = "Mean lead over the others, in points a round, with intervals."
    return Part(
        text=tuple(f"{line}." for line in write_headline(comparison)),
        pictures=(
            found.picture(
                "compared",
                words,
                render_dots({"lead": leads}, "points a round", "points", middle=0),
            ),
        ),
        grids=found.grids("compared_ranking", "compared_pairs"),
        folded=found.grids("compared_matrix", "compared_why", "compared_where", "compared_largest"),
    )


GAMES = Chapter(
    "games",
    "Whole games",
    describe_games,
    "Played besides, by the same players from the same seed; the first dealer is drawn.",
)
COMPARED = Chapter(
    "compared",
    "Policies compared",
    describe_compared_policies,
    "They play each other, every deal in all arrangements of the sides, so that each holds the "
    "cards of each; the intervals hold for all pairs together.",
)
