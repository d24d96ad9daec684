"""Tricks, the same in every game: who is master, and what the teams won."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kqj_sim.notation import Card


class PlayedTrick(NamedTuple):
    """A trick, in the order played from the leader on."""

    leader: int
    cards: tuple[Card, ...]
    winner: int


def find_master(
    trick: Sequence[Card], contract: str, becomes_master: Callable[[Card, Card, str], bool]
) -> int:
    """Which card of the trick, counted from 0 for the lead, is master so far.

    `becomes_master` says whether a card takes the trick from the one that is master.
    """
    place = 0
    for later in range(1, len(trick)):
        if becomes_master(trick[later], trick[place], contract):
            place = later
    return place


def won(
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
