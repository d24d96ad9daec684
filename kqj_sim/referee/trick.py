"""Tricks, the same in every game: who is master, and what the teams won.

What a round comes to, in any game: the keys of the record that scoring fills.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kqj_sim.cards import Card
from kqj_sim.record import Bonus


class RoundScore(NamedTuple):
    """What a round came to; lists are per team, the names are the record's."""

    card_points: list[int]
    trick_counts: list[int]
    bonuses: list[Bonus]
    totals: list[int]
    result: str
    gratuities: list[int]
    pending_after: int
    scores: list[int]


class PlayedTrick(NamedTuple):
    """A trick, in the order played from the leader on."""

    leader: int
    cards: tuple[Card, ...]
    winner: int


def find_master_index(
    trick: Sequence[Card], contract: str, beats_master: Callable[[Card, Card, str], bool]
) -> int:
    """Which card of the trick, counted from 0 for the lead, is master so far.

    `beats_master` says whether a card takes the trick from the one that is master.
    """
    place = 0
    for later in range(1, len(trick)):
        if beats_master(trick[later], trick[place], contract):
            place = later
    return place


def sum_tricks_by_team(
    tricks: Sequence[PlayedTrick],
    teams: Sequence[int],
    team_count: int,
    points: Callable[[Card], int],
) -> tuple[list[int], list[int]]:
    """The card points and the number of tricks of each team; `teams` are those of the seats."""
    card_points = [0] * team_count
    trick_counts = [0] * team_count
    for trick in tricks:
        card_points[teams[trick.winner]] += sum(points(card) for card in trick.cards)
        trick_counts[teams[trick.winner]] += 1
    return card_points, trick_counts
