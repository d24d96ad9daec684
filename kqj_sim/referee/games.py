"""The referee of each game."""

from __future__ import annotations

from kqj_sim.referee.base import Referee
from kqj_sim.referee.kqj.referee import KqjReferee
from kqj_sim.referee.kwajongen.referee import KwajongenReferee
from kqj_sim.rules import GameRules, KqjRules


def get_referee(rules: GameRules) -> Referee:
    """Return the referee of a round under these rules."""
    return KqjReferee(rules) if isinstance(rules, KqjRules) else KwajongenReferee(rules)
