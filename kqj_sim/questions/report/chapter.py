"""Chapters of a report, and those that every game has: whole games, policies compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kqj_sim.output.grid import (
    EMPTY_CELL_TEXT,
    MIN_OBSERVATIONS,
    Cell,
    Grid,
    format_number,
    make_grids,
)
from kqj_sim.output.numbers import KeyFigure
from kqj_sim.output.page import Part
from kqj_sim.output.page_charts import make_distribution, make_dots
from kqj_sim.questions.compare.compare_report import list_remarks, write_headline
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table

if TYPE_CHECKING:
    from kqj_sim.questions.report.study import Study
    from kqj_sim.stats.quantities import Unit


@dataclass(frozen=True)
class Findings:
    """A study as the chapters of a report read it: its numbers and tables."""

    study: Study

    @property
    def tables(self) -> Mapping[str, Table]:
        """The study's tables by name."""
        return self.study.tables

    @property
    def rules(self) -> GameRules:
        """The rules of the study's experiment."""
        return self.study.plan.experiment.rules

    def estimate(self, table: str, quantity: str, *group: int | str) -> Estimate:
        """Return a number of a table; raise KeyError if it is not there."""
        return self.tables[table].estimates(quantity)[group]

    def get_estimates(self, table: str, quantity: str) -> dict[Any, Estimate]:
        """Return the numbers of a table with a single group column, by its values."""
        found = self.tables[table].estimates(quantity)
        return {group[0]: each for group, each in found.items()}

    def format_cell(self, table: str, quantity: str, *group: int | str) -> Cell:
        """Return a number with its interval, as the tables on the page write it."""
        estimate = self.estimate(table, quantity, *group)
        return format_estimate(estimate, self.get_unit(quantity))

    def get_unit(self, quantity: str) -> Unit:
        """Return the unit of a quantity."""
        return find_quantity(quantity, self.rules.game).unit

    def format_text(self, table: str, quantity: str, *group: int | str) -> str:
        """Return a number with its interval as text, for a sentence."""
        return str(self.format_cell(table, quantity, *group))

    def make_grids(self, *names: str) -> tuple[Grid, ...]:
        """Return the tables of these names that there are, as grids without empty rows."""
        found = (self.tables[name] for name in names if name in self.tables)
        return tuple(_drop_empty_rows(grid) for table in found for grid in make_grids(table))


def _drop_empty_rows(grid: Grid) -> Grid:
    """Return the grid without rows that rest on no observations."""
    rows = tuple(
        row
        for row in grid.rows
        if {cell.text for cell in row[grid.keys :]} - {EMPTY_CELL_TEXT, "0"}
    )
    return replace(grid, rows=rows)


def format_estimate(estimate: Estimate, unit: str) -> Cell:
    """Return a number with its interval as tables write it."""
    return format_number(estimate.value, estimate.low, estimate.high, unit)


def describe_lead(subject: str, other: str, lead: Estimate, unit: str, verb: str = "scores") -> str:
    """Return a sentence on who scores more: `The contracting team scores 12.0 ±1.0 points more`.

    `unit` is that of the lead, `verb` stands before its number.
    """
    if not (lead.low > 0 or lead.high < 0):
        return f"{subject} and {other} are statistically tied in score {unit}."
    more = "more" if lead.value > 0 else "fewer"
    size = sorted((abs(lead.low), abs(lead.high)))
    cell = format_number(abs(lead.value), size[0], size[1], "points")
    return f"{subject} {verb} {cell} points {more} than {other} {unit}."


def select_reliable(numbers: Mapping[Any, Estimate]) -> dict[Any, Estimate]:
    """Return the numbers that rest on enough observations to be named in a sentence."""
    return {key: each for key, each in numbers.items() if each.observations >= MIN_OBSERVATIONS}


def find_extremes(numbers: Mapping[Any, Estimate]) -> tuple[Any, Any]:
    """Return the keys of the highest and of the lowest number, None where it is not shown.

    Its interval has to lie beyond those of all others.
    """
    if len(numbers) < 2:
        return None, None
    top = max(numbers, key=lambda key: numbers[key].low)
    bottom = min(numbers, key=lambda key: numbers[key].high)
    highest = max(each.high for key, each in numbers.items() if key != top)
    lowest = min(each.low for key, each in numbers.items() if key != bottom)
    return (
        top if numbers[top].low > highest else None,
        bottom if numbers[bottom].high < lowest else None,
    )


def describe_share(share: Estimate, what: str, verb: str) -> str:
    """Return which share of something has a property, in words if it is all, none or almost all.

    `what` is what is counted and `verb` what happens, both in the plural: `66% ±1 of the deals are
    taken`, `All but 1 of 10,000 deals are taken`.
    """
    missing = round((1 - share.value) * share.observations)
    if share.value == 0:
        return f"None of the {what} {verb}"
    if missing == 0:
        return f"All {what} {verb}"
    if missing < MIN_OBSERVATIONS <= share.observations / 10:
        return f"All but {missing:,} of {share.observations:,} {what} {verb}"
    return f"{format_estimate(share, 'share')} of the {what} {verb}"


def name_share(share: Estimate) -> str:
    """Return a share for `... of the deals`: `all`, `none`, `66.1% ±0.3`."""
    words = {0.0: "none", 1.0: "all"}
    return words.get(share.value) or str(format_estimate(share, "share"))


@dataclass(frozen=True)
class Chapter:
    """A chapter of a report.

    Attributes:
        name: for links and files.
        title: its heading.
        describe: returns what it says of a study.
        note: how to read it.
        table: a table without which it is left out; empty for none.
        needs_play: whether it is left out if every deal was passed out.
    """

    name: str
    title: str
    describe: Callable[[Findings], Part]
    note: str = ""
    table: str = ""
    needs_play: bool = True


@dataclass(frozen=True)
class GameChapters:
    """The parts of a game's reports; `has_play`: whether any deal was not passed out."""

    chapters: tuple[Chapter, ...]
    key_figures: tuple[KeyFigure, ...]
    write_headlines: Callable[[Findings], tuple[str, ...]]
    has_play: Callable[[Findings], bool]


def describe_games(found: Findings) -> Part:
    """Describe the length of whole games and their winners."""
    rules = found.rules
    aim = f"to {rules.target:,}" if rules.score_sign > 0 else f"from {rules.start_score} down"
    player = "seat" if rules.partners == "random" else "team"
    dealer = "first dealer" if player == "seat" else "first dealer's team"
    rounds, low, high = (
        found.format_text("games", f"rounds_{quantity}")
        for quantity in ("mean", "quantile_05", "quantile_95")
    )
    winners = found.get_estimates(f"games_by_{player}", "won_share")
    games = found.estimate("games", "games_count")
    ends = [found.estimate("games", f"rounds_quantile_{level}") for level in ("05", "95")]
    most = f", nine of ten between {low} and {high}"
    if any(math.isinf(end.high - end.low) for end in ends):
        most = ""  # So few games say nothing of their extremes.
    return Part(
        text=(
            f"The {games.observations:,} games {aim} take {rounds} rounds on average{most}. "
            f"The {dealer} wins {found.format_text('games', 'first_dealer_won_share')}.",
        ),
        pictures=(
            make_distribution(
                "games",
                "Distribution of the number of rounds in a game.",
                {"games": found.get_estimates("games_by_rounds", "share_of_games")},
                "rounds in a game",
                "% of games",
            ),
            make_dots(
                "winners",
                f"Games won, by {player}.",
                {"won": winners},
                "games won, %",
                names={number: f"{player} {number}" for number in winners},
                middle=1 / len(winners),
            ),
        ),
        grids=found.make_grids(f"games_by_{player}"),
        folded=found.make_grids("games", "games_by_rounds"),
    )


def describe_compared_policies(found: Findings) -> Part:
    """Describe the comparison of several policies."""
    comparison = found.study.comparison
    assert comparison is not None
    pairs = found.tables["compared_pairs"].estimates("lead_per_round")
    leads = {f"{one} over {other}": each for (one, other, _), each in pairs.items()}
    caption = "Lead of the first over the second, in points a round."
    if "compared_ranking" in found.tables:
        ranking = found.tables["compared_ranking"].estimates("mean_lead_per_round")
        leads = {name: each for (_, name), each in ranking.items()}
        caption = "Mean lead over the others, in points a round."
    return Part(
        text=(*write_headline(comparison), *list_remarks(comparison)),
        pictures=(
            make_dots("compared", caption, {"lead": leads}, "points a round", "points", middle=0),
        ),
        grids=found.make_grids("compared_ranking", "compared_pairs"),
        folded=found.make_grids(
            "compared_matrix", "compared_why", "compared_where", "compared_largest"
        ),
    )


GAMES = Chapter(
    "games",
    "Whole games",
    describe_games,
    "Played separately, by the same players from the same seed; the first dealer is drawn.",
    table="games",
    needs_play=False,
)
COMPARED = Chapter(
    "compared",
    "Comparison of policies",
    describe_compared_policies,
    "Each pair plays every deal in all arrangements of the sides, so that both hold the same "
    "cards. The intervals hold for all pairs jointly.",
    table="compared_pairs",
    needs_play=False,
)
