"""Tricks and the score of a round, in the form that every game has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kqj_sim.cards import Card
from kqj_sim.record import Bonus


class RoundScore(NamedTuple):
    """The score of a round under the names of a record's keys; lists are per team."""

    card_points: list[int]
    trick_counts: list[int]
    bonuses: list[Bonus]
    totals: list[int]
    result: str
    gratuities: list[int]
    pending_after: int
    scores: list[int]


class PlayedTrick(NamedTuple):
    """A trick: the leader's seat, the cards in the order played, and the winner's seat."""

    leader: int
    cards: tuple[Card, ...]
    winner: int


def find_master_index(
    trick: Sequence[Card], contract: str, beats_master: Callable[[Card, Card, str], bool]
) -> int:
    """Return the position in the trick, from 0 for the lead, of the card that is master so far.

    `beats_master(card, master, contract)` returns True if a later card takes the trick.
    """
    master = 0
    for later in range(1, len(trick)):
        if beats_master(trick[later], trick[master], contract):
            master = later
    return master


def sum_tricks_by_team(
    tricks: Sequence[PlayedTrick],
    teams: Sequence[int],
    team_count: int,
    points: Callable[[Card], int],
) -> tuple[list[int], list[int]]:
    """Return the card points and the number of tricks of each team."""
    card_points = [0] * team_count
    trick_counts = [0] * team_count
    for trick in tricks:
        card_points[teams[trick.winner]] += sum(points(card) for card in trick.cards)
        trick_counts[teams[trick.winner]] += 1
    return card_points, trick_counts
