"""The first screen of a simulation: a headline and key figures, for either game."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from kqj_sim.games import find_game
from kqj_sim.games.game import Game
from kqj_sim.messages import capitalize
from kqj_sim.output.chapters import WHOLE_GAMES, Group, KeyFigure, Numbers, choose_charts
from kqj_sim.output.figures import Chart, Drawing, make_dots, make_message
from kqj_sim.output.grid import (
    EMPTY_CELL_TEXT,
    MIN_OBSERVATIONS,
    Cell,
    Grid,
    format_heading,
    format_value,
)
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import load_sentences, say
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.stats.quantiles import chi_square_tail
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally

BLANK = Cell("")
"""A number that has no meaning in its column."""

TEST_LEVEL = 0.05
"""Significance level of the tests behind headlines."""


def make_simulation_screen(run: Run, tables: Sequence[Table]) -> Screen:
    """Return the screen of a simulation with these tables."""
    numbers = Numbers(run, tables)
    game = find_game(run.rules.game)
    figures = game.screen().GROUP_FIGURES
    headline = _write_game_headline(numbers) + _write_team_headline(numbers, game.team_lead)
    remarks: list[str] = []
    grids: list[Grid | None] = [_make_game_grid(numbers)]
    played, outcome = figures[:2]
    count = numbers.count(outcome.table, outcome.quantity)
    if outcome.table not in numbers if run.by else not count:
        matching = numbers.sum_deals(played.table, played.quantity)
        headline.append(say(__name__, "no_rounds", load_sentences(game.sentences), run, matching))
    elif run.by:
        counted = played if played.table in numbers else outcome
        headline.append(_write_group_headline(numbers, say(game.sentences, "key_what"), outcome))
        remarks.append(say(game.sentences, "key_units"))
        grids.append(_make_group_grid(numbers, figures, counted))
    else:
        headline.append(_write_round_headline(numbers, game, count))
        remarks, more = game.screen().make_grids(numbers)
        grids += more
    parts = [grid for grid in grids if grid is not None]
    # Without key figures the headline says everything.
    return Screen(run, tables, headline, parts, shown=None if parts else (), remarks=remarks)


def make_grid(
    heading: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[Cell]]],
    note: str = "",
) -> Grid:
    """Return a grid without a title, whose first heading says what it is about."""
    cells = tuple((Cell(name), *numbers) for name, numbers in rows)
    return Grid("", (heading, *columns), cells, 1, note, narrow=True)


def count_cell(count: int) -> Cell:
    """Return a number of deals."""
    return Cell(f"{count:,}" if count else EMPTY_CELL_TEXT)


def list_rare(counts: Mapping[Any, int]) -> list[Any]:
    """Return the rows with too few observations to be shown."""
    return [name for name, count in counts.items() if count < MIN_OBSERVATIONS]


def list_quartiles(numbers: Numbers, name: str, *group: object) -> list[Cell]:
    """Return mean and quartiles of a distribution, whose table has its name."""
    ends = ("mean", "quantile_25", "median", "quantile_75")
    return [numbers.cell(name, f"{name}_{end}", *group) for end in ends]


def make_score_grid(numbers: Numbers, quantity: str) -> Grid | None:
    """Return the score per deal of each team or seat, None if all have the same player."""
    who, count = numbers.scorers
    table = f"scores_by_{who}"
    if not numbers.players_differ or table not in numbers:
        return None
    scores = [numbers.cell(table, quantity, number, most_decimals=1) for number in range(count)]
    return make_grid("Per deal", _name_scorers(numbers), [("score", scores)])


def _make_game_grid(numbers: Numbers) -> Grid | None:
    table, scorers = f"games_by_{numbers.scorers[0]}", _name_scorers(numbers)
    if table not in numbers:
        return None
    rows = [
        (words, [numbers.cell(table, quantity, at, most_decimals=1) for at in range(len(scorers))])
        for words, quantity in (("won", "won_share"), ("score", "final_score_mean"))
    ]
    return make_grid("Games", scorers, rows)


def _name_scorers(numbers: Numbers) -> list[str]:
    """Return the teams or seats with a score of their own: `team 0`, `team 1`."""
    who, count = numbers.scorers
    return [f"{who} {number}" for number in range(count)]


def _write_game_headline(numbers: Numbers) -> list[str]:
    if "games" not in numbers:
        return []
    who, _ = numbers.scorers
    best, player = None, ""
    if numbers.players_differ:
        shares = {
            group: share
            for group in numbers.list_groups(f"games_by_{who}")
            if (share := numbers.get(f"games_by_{who}", "won_share", *group))
        }
        if _compare_counts(shares.values(), 1 / len(shares)) < TEST_LEVEL:
            (best,) = max(shares, key=lambda group: shares[group].value)
            player = _name_player(numbers, best)
    return [say(__name__, "games", numbers, who, best, player)]


def _write_team_headline(numbers: Numbers, quantity: str) -> list[str]:
    """Return the sentence on which of two teams with different players scores more, if any."""
    lead = numbers.get("scores", quantity)
    if lead is None or not numbers.players_differ or "games" in numbers:
        return []
    teams = [(team, _name_player(numbers, team)) for team in (0, 1)]
    ahead, behind = teams if lead.value >= 0 else reversed(teams)
    points = numbers.text("scores", quantity).lstrip("-")
    return [say(__name__, "teams", ahead, behind, points, _includes_zero(lead))]


def _name_player(numbers: Numbers, number: int) -> str:
    """Return the player of a seat, or of a team whose seats all have the same, else nothing."""
    policies, rules = numbers.run.policies, numbers.run.rules
    if rules.partners == "random":
        return policies[number]
    names = {policies[seat] for seat in range(rules.seats) if rules.fixed_team_of(seat) == number}
    return names.pop() if len(names) == 1 else ""


def _write_round_headline(numbers: Numbers, game: Game, count: int) -> str:
    """Return the most important result of `count` rounds, and the lead in score, in a sentence."""
    place = game.screen().GROUP_FIGURES[-1]
    lead = numbers.get(place.table, place.quantity)
    if lead is not None and count > 1 and lead.is_unbounded:
        lead = None
    points = numbers.text(place.table, place.quantity)
    is_tied = lead is not None and count > 1 and _includes_zero(lead)
    sentences = load_sentences(game.sentences)
    return say(__name__, "rounds", sentences, numbers, count, lead, points, is_tied)


def _includes_zero(lead: Estimate) -> bool:
    return lead.low <= 0 <= lead.high


def _make_group_grid(numbers: Numbers, columns: Sequence[KeyFigure], counted: KeyFigure) -> Grid:
    """Return one row for each group of --by; `counted` has the groups and their deals."""
    keys, game = numbers.run.by, numbers.run.rules.game
    groups = _list_groups(numbers, [counted])
    columns = [column for column in columns if not _says_nothing(numbers, column, groups)]
    counts = {
        (column, group): numbers.count(*column.locate(group))
        for column in columns
        for group in groups
    }
    has_rare = any(0 < count < MIN_OBSERVATIONS for count in counts.values())

    def make_cell(column: KeyFigure, group: Group) -> Cell:
        if has_rare and counts[column, group] < MIN_OBSERVATIONS:
            return Cell(EMPTY_CELL_TEXT)
        return numbers.cell(*column.locate(group))

    rows = tuple(
        (
            *(Cell(format_value(key, at, game)) for key, at in zip(keys, group, strict=True)),
            count_cell(numbers.count(counted.table, counted.quantity, *group)),
            *(make_cell(column, group) for column in columns),
        )
        for group in groups
    )
    headings = (
        *(format_heading(key, game) for key in keys), "deals", *(column.name for column in columns)
    )  # fmt: skip
    note = say(__name__, "rare_groups", EMPTY_CELL_TEXT) if has_rare else ""
    return Grid("", headings, rows, len(keys), note, narrow=True)


def _list_groups(numbers: Numbers, figures: Iterable[KeyFigure]) -> list[Group]:
    """Return the groups of --by that the tables of figures have."""
    return list(
        dict.fromkeys(
            group[: len(numbers.run.by)]
            for figure in figures
            if figure.table in numbers
            for group in numbers.list_groups(figure.table)
        )
    )


def _says_nothing(numbers: Numbers, column: KeyFigure, groups: Sequence[Group]) -> bool:
    """Return whether a share is 0 or 1 in every group, or nowhere known."""
    estimates = [numbers.get(*column.locate(group)) for group in groups]
    values = {estimate.value for estimate in estimates if estimate}
    return not values or (
        column.quantity in ("taken_share", "played_share") and values <= {0.0, 1.0}
    )


def _write_group_headline(numbers: Numbers, what: str, column: KeyFigure) -> str:
    """Return whether the groups of --by differ in a share, in a sentence.

    The groups named are those furthest above and below the others in standard errors, not the
    highest and the lowest share, which are often the groups with the fewest deals.
    """
    game, keys = numbers.run.rules.game, numbers.run.by
    size = len(keys)
    shares = {
        group[:size]: estimate
        for group in numbers.list_groups(column.table)
        if (estimate := numbers.get(column.table, column.quantity, *group[:size]))
        and estimate.observations >= MIN_OBSERVATIONS
    }
    by = [format_heading(key, game) for key in keys]
    if len(shares) < 2:
        return say(__name__, "groups", what, by, None, ())
    overall = sum(share.value * share.observations for share in shares.values()) / sum(
        share.observations for share in shares.values()
    )
    p_value = _compare_counts(shares.values(), overall, len(shares) - 1)
    if p_value >= TEST_LEVEL:
        return say(__name__, "groups", what, by, p_value, ())
    scores = {
        group: (share.value - overall) * math.sqrt(share.observations)
        for group, share in shares.items()
    }
    ends = [
        (
            numbers.text(column.table, column.quantity, *group),
            [format_value(*named, game) for named in zip(keys, group, strict=True)],
        )
        for group in (pick(scores, key=lambda group: scores[group]) for pick in (max, min))
    ]
    return say(__name__, "groups", what, by, p_value, ends)


def _compare_counts(
    shares: Collection[Estimate], expected: float, degrees_of_freedom: int | None = None
) -> float:
    """Return the p-value of the chi-square test that all shares are the expected one.

    Without `degrees_of_freedom` the shares are parts of one whole, which the events fill.
    """
    if not 0 < expected < 1:
        return 1.0
    squares = sum(share.observations * (share.value - expected) ** 2 for share in shares)
    if degrees_of_freedom is None:
        return chi_square_tail(squares / expected, len(shares) - 1)
    return chi_square_tail(squares / (expected * (1 - expected)), degrees_of_freedom)


# The picture: the game's charts of rounds and whole games, or the key figures of --by.

MAX_GROUPS_DRAWN = 40


def make_simulation_drawing(tally: Tally, screen: Screen) -> Drawing:
    """Return the picture of a simulation: of its groups, if there are any to compare."""
    run = screen.run
    numbers = Numbers(run, screen.tables)
    charts, left_out = _list_group_charts(numbers) if run.by else ([], "")
    if not charts:
        numbers = Numbers(run, tally.make_plot_tables(run.confidence or DEFAULT_CONFIDENCE))
        described = find_game(run.rules.game).report()
        drawn = [*WHOLE_GAMES.pictures, *described.PLOTS]
        if numbers.count(*described.PLAYED):
            charts = choose_charts(drawn, numbers, numbered=True)
    lines = [*screen.headline, run.describe(), left_out]
    return Drawing(lines, charts or [make_message("no rounds were played")])


def _list_group_charts(numbers: Numbers) -> tuple[list[Chart], str]:
    """Return a chart for each key figure of the groups of --by, and what they leave out."""
    run, game = numbers.run, find_game(numbers.run.rules.game)
    figures = game.screen().GROUP_FIGURES
    groups = _list_groups(numbers, figures)
    deals = {
        group: max(numbers.count(*figure.locate(group)) for figure in figures) for group in groups
    }
    common = [group for group in groups if deals[group] >= MIN_OBSERVATIONS]
    drawn = {*sorted(common, key=lambda group: -deals[group])[:MAX_GROUPS_DRAWN]}
    names = {
        group: f"{_name_group(group, run)} ({deals[group]:,})" for group in common if group in drawn
    }
    charts = []
    for figure in figures:
        if not _says_nothing(numbers, figure, groups):
            estimates = {
                names[group]: estimate
                for group in names
                if (estimate := numbers.get(*figure.locate(group)))
            }
            quantity = find_quantity(figure.quantity, run.rules.game)
            label = quantity.heading.replace(", share", ", %")
            title = f"{capitalize(figure.name)}, by {' and '.join(run.by)}"
            charts.append(make_dots(figure.name, title, {"": estimates}, label, quantity.unit))
    left_out = say(__name__, "groups_left_out", len(groups) - len(common), len(common), len(names))
    return [chart for chart in charts if chart is not None], left_out


def _name_group(group: Group, run: Run) -> str:
    """Return the name of a group: `1st lap, opener`, `Sender's trumps 4, ♥`."""
    words = []
    for column, value in zip(run.by, group, strict=True):
        text = format_value(column, value, run.rules.game)
        if len(run.by) > 1 and column != "place" and text[:1].isdigit():
            heading = format_heading(column, run.rules.game)
            text = f"{heading} {text}" if text.isdigit() else f"{text} {heading}"
        words.append(text)
    return ", ".join(words)
