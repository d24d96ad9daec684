"""Numbers of a run's tables, and chapters: what a page shows of them, as data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from kqj_sim.output.figures import Chart, make_distribution, make_dots, make_heat_maps
from kqj_sim.output.grid import (
    EMPTY_CELL_TEXT,
    MIN_OBSERVATIONS,
    Cell,
    format_heading,
    format_symmetric,
    format_value,
)
from kqj_sim.output.screen import Run
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import Unit, find_quantity
from kqj_sim.stats.tables import Table

# The numbers of a run's tables, looked up by table, quantity and group.

Group = tuple[Any, ...]
"""The values of group columns."""


class KeyFigure(NamedTuple):
    """A number for people: its name, and its place in the tables."""

    name: str
    table: str
    quantity: str
    group: Group = ()

    def locate(self, group: Group) -> tuple[Any, ...]:
        """Return its place in the tables by a group of --by, as arguments of `Numbers.get`."""
        return self.table, self.quantity, *group, *self.group


@dataclass(frozen=True)
class Numbers:
    """The numbers of a run's tables."""

    run: Run
    tables: Sequence[Table] = field(repr=False)

    @cached_property
    def _numbers(self) -> dict[tuple[str, str, Group], Estimate]:
        return {
            (table.name, quantity, group): estimate
            for table in self.tables
            for group, quantity, estimate in table.lines
        }

    @cached_property
    def tables_by_name(self) -> dict[str, Table]:
        """The tables by name."""
        return {table.name: table for table in self.tables}

    def __contains__(self, table: str) -> bool:
        return table in self.tables_by_name

    def estimate(self, table: str, quantity: str, *group: Any) -> Estimate:
        """Return a number; raise KeyError if it is not there."""
        return self._numbers[table, quantity, group]

    def estimates(self, table: str, quantity: str) -> dict[Group, Estimate]:
        """Return the numbers of a quantity by group, in the order of the table, if there is one."""
        return self.tables_by_name[table].estimates(quantity) if table in self else {}

    def get_unit(self, quantity: str) -> Unit:
        """Return the unit of a quantity."""
        return find_quantity(quantity, self.run.rules.game).unit

    def find_highest(self, table: str, quantity: str) -> tuple[Group, Estimate]:
        """Return the highest number of a quantity, with its group."""
        return max(self.estimates(table, quantity).items(), key=lambda item: item[1].value)

    def find_extremes(self, table: str, quantity: str) -> tuple[Any, Any]:
        """Return the group column's values with the highest and lowest number by `find_extremes`.

        Numbers of too few observations do not count.
        """
        return find_extremes(
            {
                group[0]: estimate
                for group, estimate in self.estimates(table, quantity).items()
                if estimate.observations >= MIN_OBSERVATIONS
            }
        )

    def get(self, table: str, quantity: str, *group: Any) -> Estimate | None:
        """Return a number, None if it is not there or of no observations."""
        estimate = self._numbers.get((table, quantity, group))
        return None if estimate is None or math.isnan(estimate.value) else estimate

    def cell(self, table: str, quantity: str, *group: Any, most_decimals: int = 2) -> Cell:
        """Return a number with its interval; a dash if there is none."""
        estimate = self.get(table, quantity, *group)
        if estimate is None:
            return Cell(EMPTY_CELL_TEXT)
        return format_symmetric(estimate, self.get_unit(quantity), most_decimals)

    def text(self, table: str, quantity: str, *group: Any) -> str:
        """Return a number with its interval for a sentence."""
        return self.cell(table, quantity, *group).words

    def value(self, table: str, quantity: str, *group: Any) -> float:
        """Return the value of a number, 0 if there is none."""
        estimate = self.get(table, quantity, *group)
        return 0.0 if estimate is None else estimate.value

    def count(self, table: str, quantity: str, *group: Any) -> int:
        """Return the number of observations behind a number, 0 if there is none."""
        estimate = self.get(table, quantity, *group)
        return 0 if estimate is None else estimate.observations

    def sum_deals(self, table: str, quantity: str) -> int:
        """Return the number of observations behind a quantity, of all groups together."""
        return sum(
            estimate.observations
            for place, estimate in self._numbers.items()
            if place[:2] == (table, quantity)
        )

    def list_groups(self, table: str) -> list[Group]:
        """Return the groups of a table, in its order."""
        return list(dict.fromkeys(group for group, *_ in self.tables_by_name[table].lines))

    @property
    def players_differ(self) -> bool:
        """True if the seats have different players."""
        return len(set(self.run.policies)) > 1

    @property
    def scorers(self) -> tuple[str, int]:
        """The holders of scores, `team` or `seat`, and their number."""
        rules = self.run.rules
        return ("seat" if rules.partners == "random" else "team"), rules.score_count


def find_extremes(numbers: Mapping[Any, Estimate]) -> tuple[Any, Any]:
    """Return the keys of the highest and of the lowest number, None where it is not shown.

    Its interval has to lie beyond those of all others.
    """
    if len(numbers) < 2:
        return None, None
    top = max(numbers, key=lambda key: numbers[key].low)
    bottom = min(numbers, key=lambda key: numbers[key].high)
    highest = max(estimate.high for key, estimate in numbers.items() if key != top)
    lowest = min(estimate.low for key, estimate in numbers.items() if key != bottom)
    return (
        top if numbers[top].low > highest else None,
        bottom if numbers[bottom].high < lowest else None,
    )


QUANTITY = "quantity"
"""Names the quantities of a picture where they are its rows or its series."""


@dataclass(frozen=True)
class Dots:
    """Dots with intervals: a row for each group, a series for each value of `series`.

    Attributes:
        name: of its file.
        label: of the axis of numbers.
        quantities: the quantities, by what they are called.
        series: the group column, or QUANTITY, whose values are the series; empty for one series.
        rows: how a row is called by its group, such as "team {}", or QUANTITY; empty for the value
            of the last group column besides that of the series.
        logarithmic: for numbers far apart.
        middle: a value to mark.
        is_split: the numbers are shares of a whole: marks them if all were equal.
        min_observations: numbers of fewer observations are not drawn.
        needs: a table without which it is left out, besides its own.
    """

    name: str
    caption: str
    label: str
    table: str
    quantities: Mapping[str, str]
    series: str = ""
    rows: str = ""
    logarithmic: bool = False
    middle: float | None = None
    is_split: bool = False
    min_observations: int = MIN_OBSERVATIONS
    needs: str = ""

    def make_chart(self, numbers: Numbers, numbered: bool = False) -> Chart | None:
        """Return the chart, with `numbered` dots; None if there are no two numbers to compare."""
        groups, game = numbers.tables_by_name[self.table].groups, numbers.run.rules.game
        row = self.rows or next(column for column in groups[::-1] if column != self.series)
        series: dict[str, dict[str, Estimate]] = {}
        rare: dict[str, None] = {}
        for words, quantity in self.quantities.items():
            for group, estimate in numbers.estimates(self.table, quantity).items():
                named = {QUANTITY: words, **_name_values(groups, group, numbers)}
                name = named.get(self.series, "")
                if name[:1].isdigit():
                    # A number does not say what it is of.
                    name += f" {format_heading(self.series, game)}"
                key = named.get(row) or row.format(*group)
                if estimate.observations >= self.min_observations:
                    series.setdefault(name, {})[key] = estimate
                elif estimate.observations:
                    rare[key] = None
        caption = self.caption
        if numbered and rare:
            caption += f" Fewer than {self.min_observations} deals: {', '.join(rare)}."
        middle = self.middle
        if self.is_split:
            middle = 1 / max(1, sum(map(len, series.values())))
        keys = {key for numbers in series.values() for key in numbers}
        are_numbers = row in groups and all(key[0].isdigit() for key in keys)
        return make_dots(
            self.name, caption, series, self.label, numbers.get_unit(quantity),
            logarithmic=self.logarithmic, middle=middle,
            rows=format_heading(row, game) if are_numbers else "", numbered=numbered,
        )  # fmt: skip


@dataclass(frozen=True)
class HeatMap:
    """Numbers by two group columns, the rows and the columns; a panel for each value of a third.

    Attributes:
        title: above it; if there are panels, above each is the value of the third column.
        upward: whether rows are numbers that grow upwards.
        diverging: use colours that part at 0.
        least: rows without a number as large are left out.
    """

    name: str
    caption: str
    title: str
    table: str
    quantity: str
    upward: bool = False
    diverging: bool = False
    min_observations: int = MIN_OBSERVATIONS
    least: float = -math.inf
    needs: str = ""

    def make_chart(self, numbers: Numbers, numbered: bool = False) -> Chart | None:
        """Return the chart, whose cells always have numbers; None if there is a single cell."""
        groups = numbers.tables_by_name[self.table].groups
        estimates = numbers.estimates(self.table, self.quantity)
        large = {row for (row, *_), share in estimates.items() if share.value >= self.least}
        estimates = {group: share for group, share in estimates.items() if group[0] in large}
        panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
        axes: tuple[dict[str, Any], dict[str, Any]] = {}, {}
        for group, estimate in sorted(estimates.items()) if self.upward else estimates.items():
            named = [*_name_values(groups, group, numbers).values()]
            title = self.title
            if len(groups) == 3:
                title = f"{format_heading(groups[2], numbers.run.rules.game)}: {named[2]}"
            panels.setdefault(title, {})[named[0], named[1]] = estimate
            for axis, text, value in zip(axes, named, group, strict=False):
                axis[text] = value
        down, across = axes
        headings = [format_heading(column, numbers.run.rules.game) for column in groups]
        return make_heat_maps(
            self.name, self.caption, dict(sorted(panels.items())),
            (headings[0], [*down][:: -1 if self.upward else 1]),
            (headings[1], sorted(across, key=across.__getitem__)),
            numbers.get_unit(self.quantity),
            diverging=self.diverging, min_observations=self.min_observations,
        )  # fmt: skip


@dataclass(frozen=True)
class Distribution:
    """A distribution of a number, stacked by quantity.

    Attributes:
        label: what the number is.
        counted: what the shares are of.
        quantities: the shares, by what they are called, from below.
        threshold: a number to mark, and its words.
    """

    name: str
    caption: str
    label: str
    counted: str
    table: str
    quantities: Mapping[str, str]
    step: int = 1
    threshold: tuple[float, str] | None = None
    needs: str = ""

    def make_chart(self, numbers: Numbers, numbered: bool = False) -> Chart:
        """Return the chart, without numbers."""
        stacks: dict[str, dict[int, Estimate]] = {}
        for words, quantity in self.quantities.items():
            shares = {at: share for (at,), share in numbers.estimates(self.table, quantity).items()}
            if any(share.value for share in shares.values()):
                stacks[words] = shares
        return make_distribution(
            self.name, self.caption, stacks, self.label, self.counted,
            step=self.step, threshold=self.threshold,
        )  # fmt: skip


def _name_values(groups: Sequence[str], group: Sequence[Any], numbers: Numbers) -> dict[str, str]:
    game = numbers.run.rules.game
    return {
        column: format_value(column, value, game)
        for column, value in zip(groups, group, strict=True)
    }


def choose_charts(
    specifications: Iterable[Drawn], numbers: Numbers, numbered: bool = False
) -> list[Chart]:
    """Return charts of those tables that there are, of each name the first that can be made."""
    chosen: dict[str, Drawn] = {}
    for drawn in specifications:
        if drawn.table in numbers and (not drawn.needs or drawn.needs in numbers):
            chosen.setdefault(drawn.name, drawn)
    charts = (drawn.make_chart(numbers, numbered) for drawn in chosen.values())
    # Charts of a single point would show nothing.
    return [chart for chart in charts if chart is not None]


Drawn: TypeAlias = Dots | HeatMap | Distribution
"""A picture of the numbers of a table."""


@dataclass(frozen=True)
class Chapter:
    """A part of a page, made of some tables; those that there are not are left out.

    Attributes:
        name: for links and, if there are no others, of its sentence.
        tables: names of the tables shown.
        folded: names of the tables shown on demand.
        note: how to read it.
        sentences: macros of the game's template, each a paragraph.
        needs: a table without which it is left out.
        needs_play: whether it is left out if every deal was passed out.
        sample: what its numbers are of: "deals", "games", "take_chart" or "compared".
    """

    name: str
    title: str
    pictures: tuple[Drawn, ...] = ()
    tables: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    note: str = ""
    sentences: tuple[str, ...] = ()
    needs: str = ""
    needs_play: bool = True
    sample: str = "deals"


WHOLE_GAMES = Chapter(
    "games",
    "Whole games",
    (
        Distribution(
            "games",
            "Distribution of the number of rounds in a game.",
            "rounds in a game",
            "% of games",
            "games_by_rounds",
            {"games": "share_of_games"},
        ),
        *(
            Dots(
                "winners",
                f"Games won, by {who}.",
                "games won, %",
                f"games_by_{who}",
                {"won": "won_share"},
                rows=f"{who} {{}}",
                is_split=True,
                min_observations=1,
            )
            for who in ("team", "seat")
        ),
    ),
    ("games_by_team", "games_by_seat"),
    ("games", "games_by_rounds"),
    "Played separately, from the same seed; the first dealer is drawn.",
    needs="games",
    needs_play=False,
    sample="games",
)
"""Whole games, of every game."""
