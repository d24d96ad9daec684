"""Key figures of simulated rounds: the parts that both games share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kqj_sim.messages import capitalize
from kqj_sim.output.grid import (
    EMPTY_CELL_TEXT,
    MIN_OBSERVATIONS,
    Cell,
    Grid,
)
from kqj_sim.output.group_words import format_heading, format_value
from kqj_sim.output.numbers import Group, KeyFigure, Numbers
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantiles import chi_square_tail

BLANK = Cell("")
"""A number that has no meaning in its column."""

TEST_LEVEL = 0.05
"""Significance level of the tests behind headlines."""


@dataclass(frozen=True)
class KeyFigures:
    """The first screen of a run.

    Attributes:
        headline: the answer in a sentence, for whole games two.
        remarks: what the grids leave out, in sentences.
        grids: the key figures.
    """

    headline: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()


@dataclass(frozen=True)
class GameFigures:
    """The key figures and words of a game.

    Attributes:
        columns: the key figures of groups: the share of deals that are played, the share of these
            with the main result, others, and last the lead in score.
        rounds: the rounds with the main result: `Contracts made`.
        groups_remark: units of `columns`, in sentences.
        nobody_played: why every deal was passed out: `nobody took`.
        team_lead: the lead of team 0 over team 1 in the table `scores`.
        describe_results: returns how many of a number of rounds have the main result.
        tied: returns the sides whose scores are tied.
        describe_lead: returns the end of that sentence, by whether the lead is positive, and size.
        make_grids: returns remarks, and the grids of single rounds, None for one left out.
    """

    columns: tuple[KeyFigure, ...]
    rounds: str
    groups_remark: str
    nobody_played: str
    team_lead: str
    describe_results: Callable[[Numbers, int], str]
    tied: Callable[[Numbers], str]
    describe_lead: Callable[[Numbers, bool, str], str]
    make_grids: Callable[[Numbers], tuple[list[str], list[Grid | None]]]


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


def name_scorers(results: Numbers) -> list[str]:
    """Return the teams or seats with a score of their own: `team 0`, `team 1`."""
    who, count = results.scorers
    return [f"{who} {number}" for number in range(count)]


def make_score_grid(results: Numbers, quantity: str) -> Grid | None:
    """Return the score per deal of each team or seat, None if all have the same player."""
    who, count = results.scorers
    table = f"scores_by_{who}"
    if not results.players_differ or table not in results:
        return None
    scores = [results.cell(table, quantity, number, most_decimals=1) for number in range(count)]
    return make_grid("Per deal", name_scorers(results), [("score", scores)])


def make_game_grid(results: Numbers) -> Grid | None:
    """Return games won and final scores of each team or seat; None without games."""
    who, count = results.scorers
    table = f"games_by_{who}"
    if table not in results:
        return None
    rows = [
        (words, [results.cell(table, quantity, at, most_decimals=1) for at in range(count)])
        for words, quantity in (("won", "won_share"), ("score", "final_score_mean"))
    ]
    return make_grid("Games", name_scorers(results), rows)


def write_game_headline(results: Numbers) -> tuple[str, ...]:
    """Return the sentence on whole games; none without games."""
    if "games" not in results:
        return ()
    rules = results.run.rules
    aim = f"to {rules.target:,}" if rules.score_sign > 0 else f"from {rules.start_score} points"
    rounds = results.text("games", "rounds_mean")
    who, _ = results.scorers
    if results.players_differ:
        table = f"games_by_{who}"
        shares = {
            group: found
            for group in results.list_groups(table)
            if (found := results.get(table, "won_share", *group))
        }
        if _compare_counts(shares.values(), 1 / len(shares)) >= TEST_LEVEL:
            return (
                f"A game {aim} takes {rounds} rounds on average; no {who} is shown to win more "
                "games than another.",
            )
        best = max(shares, key=lambda group: shares[group].value)
        winner = f"{who} {best[0]}{_name_player(results, best[0])}"
        won = results.text(table, "won_share", *best)
    else:
        winner = "the first dealer" if who == "seat" else "the first dealer's team"
        won = results.text("games", "first_dealer_won_share")
    won_by = f"{winner} wins {won} of the games"
    return (f"A game {aim} takes {rounds} rounds on average; {won_by}.",)


def write_team_headline(results: Numbers, quantity: str) -> tuple[str, ...]:
    """Return the sentence on which of two teams with different players scores more, if any.

    Args:
        results: the results.
        quantity: the lead of team 0 over team 1 in the table `scores`.
    """
    lead = results.get("scores", quantity)
    if lead is None or not results.players_differ or "games" in results:
        return ()
    points = results.text("scores", quantity).lstrip("-")
    more, less = (0, 1) if lead.value >= 0 else (1, 0)
    ahead, behind = (f"eam {team}{_name_player(results, team)}" for team in (more, less))
    if lead.low <= 0 <= lead.high:
        return (f"T{ahead} and t{behind} are statistically tied: {points} points per deal.",)
    return (f"T{ahead} scores {points} points more per deal than t{behind}.",)


def _name_player(results: Numbers, number: int) -> str:
    """Return the player of a seat, or of a team whose seats all have the same, in brackets."""
    policies = results.run.policies
    rules = results.run.rules
    seats = (
        [number]
        if rules.partners == "random"
        else [seat for seat in range(rules.seats) if rules.fixed_team_of(seat) == number]
    )
    names = {policies[seat] for seat in seats}
    return f" ({names.pop()})" if len(names) == 1 else ""


def make_group_grid(results: Numbers, columns: Sequence[KeyFigure], counted: KeyFigure) -> Grid:
    """Return one row for each group of --by, with these key figures.

    Args:
        results: the results.
        columns: the key figures; those that say nothing are left out.
        counted: the key figure whose groups and numbers of deals are shown.
    """
    table, quantity = counted.table, counted.quantity
    keys = results.run.by
    groups = list(dict.fromkeys(group[: len(keys)] for group in results.list_groups(table)))
    shown = [column for column in columns if not _says_nothing(results, column, groups)]
    game = results.run.rules.game
    rare = _has_rare_groups(results, shown, groups)

    def show(column: KeyFigure, group: Group) -> Cell:
        place = column.table, column.quantity, *group, *column.group
        if rare and results.count(*place) < MIN_OBSERVATIONS:
            return Cell(EMPTY_CELL_TEXT)
        return results.cell(*place)

    rows = tuple(
        (
            *(Cell(format_value(key, at, game)) for key, at in zip(keys, group, strict=True)),
            count_cell(results.count(table, quantity, *group)),
            *(show(each, group) for each in shown),
        )
        for group in groups
    )
    headings = tuple(format_heading(key, game) for key in keys)
    note = f"{EMPTY_CELL_TEXT}: fewer than {MIN_OBSERVATIONS} deals, not shown." if rare else ""
    columns_shown = (*headings, "deals", *(each.name for each in shown))
    return Grid("", columns_shown, rows, len(keys), note, narrow=True)


def _has_rare_groups(
    results: Numbers, columns: Sequence[KeyFigure], groups: Sequence[Group]
) -> bool:
    """Return whether some numbers have too few observations to be shown."""
    return any(
        0 < results.count(column.table, column.quantity, *group, *column.group) < MIN_OBSERVATIONS
        for column in columns
        for group in groups
    )


def _says_nothing(results: Numbers, column: KeyFigure, groups: Sequence[Group]) -> bool:
    """Return whether a share is 0 or 1 in every group, or nowhere known."""
    values = [
        found.value
        for group in groups
        if (found := results.get(column.table, column.quantity, *group, *column.group))
    ]
    return not values or (
        column.quantity in ("taken_share", "played_share") and {*values} <= {0.0, 1.0}
    )


def write_group_headline(results: Numbers, what: str, column: KeyFigure) -> str:
    """Return whether the groups of --by differ in a share, in a sentence.

    The groups named are those furthest above and below the others in standard errors, not the
    highest and the lowest share, which are often the groups with the fewest deals.
    """
    game, keys = results.run.rules.game, results.run.by
    size = len(keys)
    found = {
        group[:size]: estimate
        for group in results.list_groups(column.table)
        if (estimate := results.get(column.table, column.quantity, *group[:size]))
        and estimate.observations >= MIN_OBSERVATIONS
    }
    by = " and ".join(format_heading(key, game) for key in keys)
    if len(found) < 2:
        return f"{what}, by {by}: fewer than two groups have {MIN_OBSERVATIONS} of them."
    overall = sum(each.value * each.observations for each in found.values()) / sum(
        each.observations for each in found.values()
    )
    chance = _compare_counts(found.values(), overall, len(found) - 1)
    if chance >= TEST_LEVEL:
        return f"{what} are not shown to differ by {by} (chi-square p = {chance:.2f})."
    scores = {
        group: (each.value - overall) * math.sqrt(each.observations)
        for group, each in found.items()
    }
    ends = [
        f"{results.text(column.table, column.quantity, *group)} "
        f"({', '.join(format_value(*each, game) for each in zip(keys, group, strict=True))})"
        for group in (pick(scores, key=lambda group: scores[group]) for pick in (max, min))
    ]
    shown = "p < 0.001" if chance < 0.001 else f"p = {chance:.3f}"
    return f"{what} differ by {by} (chi-square {shown}): most clearly {ends[0]} and {ends[1]}."


def _compare_counts(
    shares: Collection[Estimate], expected: float, degrees_of_freedom: int | None = None
) -> float:
    """Return the p-value of the chi-square test that all shares are the expected one.

    Without `degrees_of_freedom` the shares are parts of one whole, which the events fill.
    """
    if not 0 < expected < 1:
        return 1.0
    squares = sum(each.observations * (each.value - expected) ** 2 for each in shares)
    if degrees_of_freedom is None:
        return chi_square_tail(squares / expected, len(shares) - 1)
    return chi_square_tail(squares / (expected * (1 - expected)), degrees_of_freedom)


def list_rare(counts: Mapping[str, int]) -> list[str]:
    """Return the rows with too few observations to be shown."""
    return [name for name, count in counts.items() if count < MIN_OBSERVATIONS]


def describe_where(results: Numbers) -> str:
    """Return the beginning of a sentence on the deals that --where selects."""
    return f"Where {results.run.where}, " if results.run.where else ""


def make_key_figures(results: Numbers, game: GameFigures) -> KeyFigures:
    """Return the key figures of a run."""
    games = make_game_grid(results)
    first = () if games is None else (games,)
    headline = write_game_headline(results) + write_team_headline(results, game.team_lead)
    played, outcome = game.columns[:2]
    count = results.count(outcome.table, outcome.quantity)
    if outcome.table not in results if results.run.by else not count:
        return KeyFigures((*headline, _describe_nothing_played(results, game)), grids=first)
    if results.run.by:
        counted = played if played.table in results else outcome
        grid = make_group_grid(results, game.columns, counted)
        sentence = write_group_headline(results, game.rounds, outcome)
        return KeyFigures((*headline, sentence), (game.groups_remark,), (*first, grid))
    remarks, grids = game.make_grids(results)
    return KeyFigures(
        (*headline, _write_round_headline(results, game, count)),
        tuple(remarks),
        (*first, *(grid for grid in grids if grid is not None)),
    )


def _describe_nothing_played(results: Numbers, game: GameFigures) -> str:
    """Return the sentence on a run in which no deal was played."""
    if not results.run.deals:
        return "No deal was played."
    if not results.sum_deals(game.columns[0].table, game.columns[0].quantity):
        return f"No deal matches {results.run.where}." if results.run.where else "No deals."
    return capitalize(f"{describe_where(results)}every deal was passed out: {game.nobody_played}.")


def _write_round_headline(results: Numbers, game: GameFigures, count: int) -> str:
    """Return the most important result of `count` rounds, and the lead in score, in a sentence."""
    part = capitalize(f"{describe_where(results)}{game.describe_results(results, count)}")
    scores = game.columns[-1]
    lead = results.get(scores.table, scores.quantity)
    if lead is None or (count > 1 and math.isinf(lead.low)):
        return f"{part}."
    points = results.text(scores.table, scores.quantity)
    if count > 1 and lead.low <= 0 <= lead.high:
        tied = game.tied(results)
        return f"{part}; {tied} are statistically tied in score ({points} points)."
    points = f"{abs(lead.value):,g}" if count == 1 else points.lstrip("-")
    end = game.describe_lead(results, lead.value >= 0, points)
    return f"{part}{end}{' on average' if count > 1 else ''}."
