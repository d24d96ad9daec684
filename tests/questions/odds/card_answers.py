"""Estimates of cards, in tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kqj_sim.policies.players import PlayerLike, parse_recorded_player
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.positions.odds import CardOdds
from kqj_sim.positions.position import Position


def estimate_cards(
    so_far: Position, policies: Sequence[PlayerLike] | PlayerLike | None = None, **settings: Any
) -> CardOdds:
    """Return the estimates of the legal cards, by default by the players of the round."""
    if policies is None:
        policies = [parse_recorded_player(each, so_far.rules.game) for each in so_far.players or ()]
    odds = estimate_position(so_far, policies, **settings)
    assert isinstance(odds, CardOdds)
    return odds
