"""Duplicate: two players on the same deals, each holding the cards of each side of the table.

The unit is the deal.  It is played in every arrangement of the two sides and counts once, with what
one side scores more than the other.  Nothing is rounded: what a deal is worth is a whole number,
points times `compute_lead_divisor`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import get_column_numbers
from kqj_sim.experiment import Experiment
from kqj_sim.rows import Rows
from kqj_sim.rules import RULES_BY_GAME, GameRules
from kqj_sim.simulation import play_same_deals

Arrangement = tuple[int, ...]
"""The side, 0 or 1, of each seat."""


def list_arrangements(rules: GameRules, single_team: bool = False) -> tuple[Arrangement, ...]:
    """How two sides are seated, so that each holds the cards of each side of the table.

    With two teams a side is a team; with three, one side is a team and the other is both others,
    and the reverse; with random partners a side is every second seat.

    Args:
        rules: the rules of the table.
        single_team: leave out those in which side 0 has two teams of three: how one team is seated
            against a field.
    """
    teams = 2 if rules.partners == "random" else rules.team_count
    everybody = range(rules.seats)
    single = [tuple(int(seat % teams != team) for seat in everybody) for team in range(teams)]
    reverse = [] if single_team else [tuple(1 - side for side in seats) for seats in single]
    return tuple(sorted({*single, *reverse}))


def assign_players(arrangement: Arrangement, one: str, other: str) -> tuple[str, ...]:
    """The player of each seat."""
    return tuple((one, other)[side] for side in arrangement)


def compute_lead_divisor(arrangements: Sequence[Arrangement]) -> int:
    """What the sum of `compute_leads` over these arrangements is to be divided by, to be points
    a round."""
    return len(arrangements) * arrangements[0].count(0) * arrangements[0].count(1)


def compute_side_means(
    team_values: NDArray[np.int64], rows: Rows, arrangement: Arrangement
) -> NDArray[np.int64]:
    """What the seats of each side have of a number a team, int64 (2, n), in whole numbers.

    It is the mean over a side's seats, times the numbers of both sides' seats.

    Args:
        team_values: int64 (teams, n), such as the scores.
        rows: the rows they belong to, which tell the teams.
        arrangement: the sides.
    """
    found = np.zeros((2, len(rows)), dtype=np.int64)
    for seat, side in enumerate(arrangement):
        team = rows.column(f"team_of_seat_{seat}")[None]
        found[side] += np.take_along_axis(team_values, team.astype(np.int64), axis=0)[0]
    found *= np.array([[arrangement.count(1)], [arrangement.count(0)]])
    return found


def has_sender(rows: Rows, arrangement: Arrangement, side: int) -> NDArray[np.bool_]:
    """Whether the Sender sits on a side, (n,); nobody does if the round was passed out."""
    own = [seat for seat, of in enumerate(arrangement) if of == side]
    found: NDArray[np.bool_] = np.isin(rows.column("sender"), own)
    return found


def get_team_scores(rows: Rows) -> NDArray[np.int64]:
    """What each team scores, int64 (teams, n): more is better, where scores go down too."""
    columns = [name for name in get_column_numbers(rows.game_name) if name.startswith("score_")]
    sign = RULES_BY_GAME[rows.game_name].score_sign
    found: NDArray[np.int64] = sign * np.stack([rows.column(name) for name in columns]).astype(
        np.int64
    )
    return found


def compute_leads(rows: Rows, arrangement: Arrangement) -> NDArray[np.int64]:
    """What side 0 scores more than side 1, int64 (n,), in whole numbers.

    It is the difference of the mean scores of their seats, times the numbers of both's seats.
    """
    found = compute_side_means(get_team_scores(rows), rows, arrangement)
    difference: NDArray[np.int64] = found[0] - found[1]
    return difference


def iterate_lead_chunks(
    rules: GameRules,
    one: str,
    other: str,
    deals: int,
    seed: int,
    first: int = 0,
    single_team: bool = False,
    threads: int | None = None,
    chunk: int | None = None,
) -> Iterator[NDArray[np.int64]]:
    """What each deal is worth to a player, in order of deal, a chunk at a time.

    Whole numbers, int64: points a round by which `one` leads `other`, times
    `compute_lead_divisor(list_arrangements(rules, single_team))`.

    Args:
        rules: the rules of the table.
        one, other: specifications of players.
        deals, seed, first: which deals.
        single_team: as for `list_arrangements`.
        threads, chunk: as for `kqj_sim.simulation.reduce_rows`, whose errors it raises.
    """
    seatings = list_arrangements(rules, single_team)

    def total(played: tuple[Rows, ...]) -> NDArray[np.int64]:
        found = np.zeros(len(played[0]), dtype=np.int64)
        for rows, seats in zip(played, seatings, strict=True):
            found += compute_leads(rows, seats)
        return found

    experiments = [
        Experiment(rules, assign_players(seats, one, other), deals, seed, first)
        for seats in seatings
    ]
    yield from play_same_deals(experiments, total, threads, chunk)


class Lead(NamedTuple):
    """By how many points a round one player scores more than another; the unit is the deal.

    Attributes:
        mean: own score less that of the other team, or the mean of the two others'.
        error: its standard error.
    """

    mean: float
    error: float


def measure_lead(
    rules: GameRules,
    one: str,
    other: str,
    deals: int,
    seed: int,
    first: int = 0,
    single_team: bool = False,
    threads: int | None = None,
) -> Lead:
    """One player against another, in all arrangements of each deal; arguments as
    `iterate_lead_chunks`."""
    total = squares = 0
    for worth in iterate_lead_chunks(rules, one, other, deals, seed, first, single_team, threads):
        total += int(worth.sum())
        squares += int((worth * worth).sum())
    points = compute_lead_divisor(list_arrangements(rules, single_team))
    variance = (squares - total * total / deals) / max(deals - 1, 1)
    return Lead(total / deals / points, math.sqrt(variance / deals) / points)
