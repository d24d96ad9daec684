"""The picture of a simulation, drawn from the counts of its tables, of either game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kqj_sim.cards import format_contract
from kqj_sim.games import find_game
from kqj_sim.output.figures import BLUE, Drawing, draw_dots, draw_message, draw_title_lines
from kqj_sim.output.grid import MIN_OBSERVATIONS, format_number
from kqj_sim.output.numbers import Group, KeyFigure
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.stats.quantities import find_quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kqj_sim.output.run import Run
    from kqj_sim.stats.tables import Table
    from kqj_sim.stats.tally import Tally

# Pictures of the groups of a simulation, by key figure, and of its whole games.

MAX_GROUPS_DRAWN = 40


def list_groups(tables: Mapping[str, Table], by: Sequence[str]) -> list[Group]:
    """Return the groups of a simulation in the order of its tables."""
    if not by:
        return []
    found = (group for table in tables.values() if table.groups == tuple(by)
             for group, *_ in table.lines)  # fmt: skip
    return sorted(dict.fromkeys(found), key=_order_group)


def draw_groups(
    figure: SubFigure, tables: Mapping[str, Table], tally: Tally, groups: Sequence[Group],
    key_figures: Sequence[KeyFigure],
) -> str:  # fmt: skip
    """Draw the key figures of groups side by side; return what is left out, in sentences."""
    rules = tally.experiment.rules
    measured = _measure_groups(tables, key_figures, groups)
    deals = {
        group: max((each[group].observations for each in measured.values() if group in each),
                   default=0)
        for group in groups
    }  # fmt: skip
    common = [group for group in groups if deals[group] >= MIN_OBSERVATIONS]
    largest = {*sorted(common, key=lambda group: -deals[group])[:MAX_GROUPS_DRAWN]}
    kept = [group for group in common if group in largest]
    panels: list[tuple[KeyFigure, dict[Group, Estimate]]] = []
    always, same = "", {}
    for key_figure, numbers in measured.items():
        some = {group: numbers[group] for group in kept if group in numbers}
        values = {each.value for each in some.values()}
        if len(values) > 1 and len(some) > 1:
            panels.append((key_figure, some))
        elif values == {1.0} and key_figure.quantity in ("taken_share", "played_share"):
            always = key_figure.quantity.removesuffix("_share")
        elif len(values) == 1:
            unit = find_quantity(key_figure.quantity, rules.game).unit
            exact = Estimate(values.pop(), math.nan, math.nan, 0)
            same[key_figure.name.partition(",")[0]] = format_number(exact, unit)
    rare = len(groups) - len(common)
    left_out = say(__name__, "groups_left_out", rare, len(common), len(kept), always, same)
    if not panels:
        draw_message(figure.subplots(), "no group has enough deals to be drawn")
        return left_out
    names = {
        group: f"{_name_group(group, tally.by, rules.seats)} ({deals[group]:,})" for group in kept
    }
    every: Any = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (key_figure, numbers) in zip(every, panels, strict=True):
        # All panels have the rows of all groups.
        whole = {group: numbers.get(group, _NOTHING) for group in kept}
        unit = find_quantity(key_figure.quantity, rules.game).unit
        draw_dots(axes, {key_figure.name: whole}, unit, names=names)
        axes.set_xlabel("\n".join(_break_words(key_figure.name)))
        axes.margins(x=0.12)
    every[0].set_title(f"By {' and '.join(tally.by)} (number of deals)")
    return left_out


def _measure_groups(
    tables: Mapping[str, Table], key_figures: Sequence[KeyFigure], groups: Sequence[Group]
) -> dict[KeyFigure, dict[Group, Estimate]]:
    measured = {}
    for key_figure in key_figures:
        if key_figure.table in tables:
            numbers = tables[key_figure.table].estimates(key_figure.quantity)
            measured[key_figure] = {
                group: numbers[(*group, *key_figure.group)]
                for group in groups
                if (*group, *key_figure.group) in numbers
            }
    return measured


def draw_first_measure(
    axes: Axes, tables: Mapping[str, Table], tally: Tally, groups: Sequence[Group],
    key_figures: Sequence[KeyFigure],
) -> None:  # fmt: skip
    """Draw the first key figure that differs between the groups on axes."""
    rules = tally.experiment.rules
    for key_figure, numbers in _measure_groups(tables, key_figures, groups).items():
        kept = {group: each for group, each in numbers.items()
                if each.observations >= MIN_OBSERVATIONS}  # fmt: skip
        if len({each.value for each in kept.values()}) > 1:
            names = {group: _name_group(group, tally.by, rules.seats) for group in kept}
            largest = sorted(kept, key=lambda group: -kept[group].observations)[:MAX_GROUPS_DRAWN]
            shown = {group: each for group, each in kept.items() if group in largest}
            unit = find_quantity(key_figure.quantity, rules.game).unit
            draw_dots(axes, {key_figure.name: shown}, unit, names=names)
            axes.set_xlabel(key_figure.name)
            axes.set_title(f"By {' and '.join(tally.by)}")
            return
    draw_message(axes, "no group has enough deals to be drawn")


_NOTHING = Estimate(float("nan"), float("nan"), float("nan"), 0)


def draw_games(figure: SubFigure, tables: Mapping[str, Table], lengths: Table) -> None:
    """Draw who wins the games, and their rounds."""
    player = "seat" if "games_by_seat" in tables else "team"
    won = {
        group[0]: each
        for group, each in tables[f"games_by_{player}"].estimates("won_share").items()
    }
    rounds = {group[0]: each for group, each in lengths.estimates("share_of_games").items()}
    games = next(iter(won.values())).observations
    wins, histogram = figure.subplots(1, 2)
    wins.set_title(f"Games won, by {player} ({games:,} games)")
    draw_dots(
        wins, {"won": won}, "share", names={key: f"{player} {key}" for key in won},
        middle=1 / len(won), write=lambda each: str(format_number(each, "share")),
    )  # fmt: skip
    wins.set_xlabel(f"% of games; dashed: {100 / len(won):.3g}%")
    _draw_lengths(histogram, rounds, float(tables["games"].estimates("rounds_mean")[()].value))


def _draw_lengths(axes: Axes, rounds: Mapping[int, Estimate], mean: float) -> None:
    axes.set_title("Rounds in a game")
    axes.bar(list(rounds), [100 * each.value for each in rounds.values()], 0.85, color=BLUE)
    axes.set_xlim(min(rounds) - 1.5, max(rounds) + 1.5)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel(f"rounds; mean {mean:.1f}")
    axes.set_ylabel("% of games")
    axes.grid(axis="y")


def _name_group(group: Group, by: Sequence[str], seats: int) -> str:
    """Return the name of a group: `lap 1, opener, ♥`."""
    words = []
    for column, value in zip(by, group, strict=True):
        if column == "place" and isinstance(value, int):
            words.append(name_places(seats)[value] if value >= 0 else "nobody")
        elif isinstance(value, str):
            text = format_contract(value)
            words.append(text if column in ("contract", "trump", "kind") else f"{column} {text}")
        else:
            words.append(f"{column} {value}" if len(by) > 1 else f"{value}")
    return ", ".join(words)


def _order_group(group: Group) -> tuple[Any, ...]:
    """Return a key that sorts numbers by size and leaves texts where they are."""
    return tuple(value if isinstance(value, int | float) else 0 for value in group)


def _break_words(words: str) -> list[str]:
    """Return words in two lines, parted at their comma."""
    first, comma, rest = words.partition(", ")
    return [f"{first}{comma}".rstrip(), rest] if comma else [first]


_WIDTH, _ROUNDS_HEIGHT, _GAMES_HEIGHT = 13.0, 9.0, 3.4
"""Inches."""


def make_simulation_drawing(tally: Tally, run: Run) -> Drawing:
    """Return the picture of a simulation.

    The groups are drawn if the run has any to compare, else its games, if it has any, above its
    rounds.
    """
    confidence = run.confidence or DEFAULT_CONFIDENCE
    pictures = find_game(run.rules.game).plots()
    tables = {table.name: table for table in tally.tables(confidence)}
    groups = list_groups(tables, tally.by)
    has_groups, has_games = len(groups) > 1, "games" in tables

    def draw(figure: Figure) -> None:
        heights = [_GAMES_HEIGHT] * has_games
        heights.append(_compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT)
        parts = list(figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])
        if has_games:
            draw_games(parts.pop(0), tables, tally.make_length_table(confidence))
        if has_groups:
            left_out = draw_groups(parts[0], tables, tally, groups, pictures.GROUP_FIGURES)
        else:
            left_out = pictures.draw_rounds(parts[0], tally, confidence)
        draw_title_lines(figure, [run.describe(), *([left_out] if left_out else [])], 150)

    rounds = _compute_groups_height(len(groups)) if has_groups else _ROUNDS_HEIGHT

    def draw_main(axes: Axes) -> None:
        if has_groups:
            draw_first_measure(axes, tables, tally, groups, pictures.GROUP_FIGURES)
        else:
            pictures.draw_points(axes, tally)

    return Drawing(draw, draw_main, (_WIDTH, 0.4 + rounds + _GAMES_HEIGHT * has_games))


def _compute_groups_height(groups: int) -> float:
    return 1.4 + 0.36 * min(groups, 40)
