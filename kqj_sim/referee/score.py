"""What a round comes to, in any game: the keys of the record that scoring fills."""

from __future__ import annotations

from typing import NamedTuple

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
