"""The referee of each game."""

from __future__ import annotations

from kqj_sim.games import find_game
from kqj_sim.referee.base import Referee
from kqj_sim.rules import GameRules


def get_referee(rules: GameRules) -> Referee:
    """Return the referee of a round under these rules."""
    referee: Referee = find_game(rules.game).part("referee")(rules)
    return referee
