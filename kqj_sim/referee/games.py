"""The referee of each game."""

from __future__ import annotations

from kqj_sim.referee.base import Referee
from kqj_sim.rules import GameRules, KqjRules


def get_referee(rules: GameRules) -> Referee:
    """Return the referee of a round under these rules."""
    # Here, since a check needs the rules of one game only.
    if isinstance(rules, KqjRules):
        from kqj_sim.referee.kqj.referee import KqjReferee

        return KqjReferee(rules)
    from kqj_sim.referee.kwajongen.referee import KwajongenReferee

    return KwajongenReferee(rules)
