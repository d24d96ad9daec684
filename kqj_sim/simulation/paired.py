"""Paired comparison: two players on the same deals, each with the cards of both sides in turn.

The unit of observation is the deal.  It is played in every arrangement of the two sides, and counts
once, by its lead: the mean score of one side minus that of the other.  Leads are whole numbers,
points times `compute_lead_divisor`, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.games import find_game, get_column_numbers
from kqj_sim.rules import GameRules
from kqj_sim.simulation.rows import Rows

Arrangement: TypeAlias = tuple[int, ...]
"""The side, 0 or 1, of each seat."""

T = TypeVar("T")


def list_arrangements(rules: GameRules, single_team: bool = False) -> tuple[Arrangement, ...]:
    """Return the seatings of two sides that give each side the cards of each side of the table.

    With two teams a side is a team.  With three, one side is a team and the other is both others,
    and the reverse.  With random partners a side is every second seat.

    Args:
        rules: the rules of the table.
        single_team: leave out the arrangements in which side 0 has two of three teams, as for one
            team against a field.
    """
    teams = 2 if rules.partners == "random" else rules.team_count
    everybody = range(rules.seats)
    single = [tuple(int(seat % teams != team) for seat in everybody) for team in range(teams)]
    reverse = [] if single_team else [tuple(1 - side for side in seats) for seats in single]
    return tuple(sorted({*single, *reverse}))


def assign_players(arrangement: Arrangement, one: T, other: T) -> tuple[T, ...]:
    """Return the player of each seat: `one` on side 0, `other` on side 1."""
    return tuple((one, other)[side] for side in arrangement)


def compute_lead_divisor(arrangements: Sequence[Arrangement]) -> int:
    """Return the number that turns the sum of `compute_leads` over these into points a round."""
    return len(arrangements) * arrangements[0].count(0) * arrangements[0].count(1)


def compute_side_leads(values: Int64Array) -> Int64Array:
    """Return what each side has more than the mean of the others, times the number of others.

    Values are int64 (sides, n), such as the scores of teams.
    """
    leads: Int64Array = len(values) * values - values.sum(axis=0)
    return leads


def spread_over_seats(rows: Rows, team_values: Int64Array) -> Int64Array:
    """Return a number of each team, int64 (teams, n), as that of its seats, int64 (seats, n)."""
    seats = find_game(rows.game_name).rules.seats
    teams = np.stack([rows.column(f"team_of_seat_{seat}") for seat in range(seats)])
    found: Int64Array = np.take_along_axis(team_values, teams.astype(np.int64), axis=0)
    return found


def compute_side_means(seat_values: Int64Array, arrangement: Arrangement) -> Int64Array:
    """Return the mean of values (seats, n) on each side, times the seats of both sides; (2, n)."""
    sides = np.array(arrangement)
    sums = [seat_values[sides == side].sum(axis=0) for side in (0, 1)]
    means: Int64Array = np.stack([sums[side] * arrangement.count(1 - side) for side in (0, 1)])
    return means


def has_sender(rows: Rows, arrangement: Arrangement, side: int) -> BoolArray:
    """Return where the Sender sits on a side, bool (n,); nobody is Sender of a passed-out round."""
    seats = [seat for seat, of in enumerate(arrangement) if of == side]
    found: BoolArray = np.isin(rows.column("sender"), seats)
    return found


def get_team_scores(rows: Rows) -> Int64Array:
    """Return the score of each team, int64 (teams, n), negated in games where less is better."""
    columns = [name for name in get_column_numbers(rows.game_name) if name.startswith("score_")]
    scores = np.stack([rows.column(name) for name in columns]).astype(np.int64)
    found: Int64Array = find_game(rows.game_name).rules.score_sign * scores
    return found


def compute_leads(rows: Rows, arrangement: Arrangement) -> Int64Array:
    """Return the lead of side 0 over side 1, int64 (n,).

    It is the difference of the mean scores of their seats, times the numbers of seats of both.
    """
    scores = spread_over_seats(rows, get_team_scores(rows))
    leads: Int64Array = compute_side_leads(compute_side_means(scores, arrangement))[0]
    return leads
