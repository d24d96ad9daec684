"""Duplicate: two players on the same deals, each holding the cards of each side of the table.

The unit is the deal.  It is played in every arrangement of the two sides and counts once, with what
one side scores more than the other.  Nothing is rounded: what a deal is worth is a whole number,
points times `scale`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import column_numbers
from kqj_sim.experiment import Experiment
from kqj_sim.rows import Rows
from kqj_sim.rules import RULES_OF, GameRules
from kqj_sim.simulation import play_together

Arrangement = tuple[int, ...]
"""The side, 0 or 1, of each seat."""


def arrangements(rules: GameRules, alone: bool = False) -> tuple[Arrangement, ...]:
    """How two sides are seated, so that each holds the cards of each side of the table.

    With two teams a side is a team; with three, one side is a team and the other is both others,
    and the reverse; with random partners a side is every second seat.

    Args:
        rules: the rules of the table.
        alone: leave out those in which side 0 has two teams of three: how one team is seated
            against a field.
    """
    teams = 2 if rules.partners == "random" else rules.team_count
    everybody = range(rules.seats)
    single = [tuple(int(seat % teams != team) for seat in everybody) for team in range(teams)]
    reverse = [] if alone else [tuple(1 - side for side in seats) for seats in single]
    return tuple(sorted({*single, *reverse}))


def seated(seats: Arrangement, one: str, other: str) -> tuple[str, ...]:
    """The player of each seat."""
    return tuple((one, other)[side] for side in seats)


def scale(seatings: Sequence[Arrangement]) -> int:
    """What the sum of `leads` over these arrangements is to be divided by, to be points a round."""
    return len(seatings) * seatings[0].count(0) * seatings[0].count(1)


def mean_scores(by_team: NDArray[np.int64], rows: Rows, seats: Arrangement) -> NDArray[np.int64]:
    """What the seats of each side have of a number a team, int64 (2, n), in whole numbers.

    It is the mean over a side's seats, times the numbers of both sides' seats.

    Args:
        by_team: int64 (teams, n), such as the scores.
        rows: the rows they belong to, which tell the teams.
        seats: the sides.
    """
    found = np.zeros((2, len(rows)), dtype=np.int64)
    for seat, side in enumerate(seats):
        team = rows.column(f"team_of_seat_{seat}")[None]
        found[side] += np.take_along_axis(by_team, team.astype(np.int64), axis=0)[0]
    found *= np.array([[seats.count(1)], [seats.count(0)]])
    return found


def sends(rows: Rows, seats: Arrangement, side: int) -> NDArray[np.bool_]:
    """Whether the Sender sits on a side, (n,); nobody does if the round was passed out."""
    own = [seat for seat, of in enumerate(seats) if of == side]
    found: NDArray[np.bool_] = np.isin(rows.column("sender"), own)
    return found


def scores(rows: Rows) -> NDArray[np.int64]:
    """What each team scores, int64 (teams, n): more is better, where scores go down too."""
    columns = [name for name in column_numbers(rows.of_game) if name.startswith("score_")]
    sign = RULES_OF[rows.of_game].score_sign
    found: NDArray[np.int64] = sign * np.stack([rows.column(name) for name in columns]).astype(
        np.int64
    )
    return found


def leads(rows: Rows, seats: Arrangement) -> NDArray[np.int64]:
    """What side 0 scores more than side 1, int64 (n,), in whole numbers.

    It is the difference of the mean scores of their seats, times the numbers of both's seats.
    """
    found = mean_scores(scores(rows), rows, seats)
    difference: NDArray[np.int64] = found[0] - found[1]
    return difference


def lead_chunks(
    rules: GameRules,
    one: str,
    other: str,
    deals: int,
    seed: int,
    first: int = 0,
    alone: bool = False,
    threads: int | None = None,
    chunk: int | None = None,
) -> Iterator[NDArray[np.int64]]:
    """What each deal is worth to a player, in order of deal, a chunk at a time.

    Whole numbers, int64: points a round by which `one` leads `other`, times
    `scale(arrangements(rules, alone))`.

    Args:
        rules: the rules of the table.
        one, other: specifications of players.
        deals, seed, first: which deals.
        alone: as for `arrangements`.
        threads, chunk: as for `kqj_sim.simulation.fold`, whose errors it raises.
    """
    seatings = arrangements(rules, alone)

    def total(played: tuple[Rows, ...]) -> NDArray[np.int64]:
        found = np.zeros(len(played[0]), dtype=np.int64)
        for rows, seats in zip(played, seatings, strict=True):
            found += leads(rows, seats)
        return found

    experiments = [
        Experiment(rules, seated(seats, one, other), deals, seed, first) for seats in seatings
    ]
    yield from play_together(experiments, total, threads, chunk)


class Lead(NamedTuple):
    """By how many points a round one player scores more than another; the unit is the deal.

    Attributes:
        mean: own score less that of the other team, or the mean of the two others'.
        error: its standard error.
    """

    mean: float
    error: float


def duplicate(
    rules: GameRules,
    one: str,
    other: str,
    deals: int,
    seed: int,
    first: int = 0,
    alone: bool = False,
    threads: int | None = None,
) -> Lead:
    """One player against another, in all arrangements of each deal; arguments as `lead_chunks`."""
    total = squares = 0
    for worth in lead_chunks(rules, one, other, deals, seed, first, alone, threads):
        total += int(worth.sum())
        squares += int((worth * worth).sum())
    points = scale(arrangements(rules, alone))
    variance = (squares - total * total / deals) / max(deals - 1, 1)
    return Lead(total / deals / points, math.sqrt(variance / deals) / points)
