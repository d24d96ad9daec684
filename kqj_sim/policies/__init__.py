"""Policies: how to call and how to play.

    from kqj_sim import lowest, policy

    @policy("cautious")
    def choose_card(view):
        return lowest(view.legal)

A policy is a pure function of what its player may know (`core.views`).  `tools` has the functions
to write one with, `registry` says how one is defined and named, `compiled` how it becomes fast.
"""

from kqj_sim.core.calls import bid_code
from kqj_sim.core.views import PASS
from kqj_sim.policies.registry import Player, PolicyError, describe, player, policy
from kqj_sim.policies.tools import cheapest, dearest, highest, lowest, points, random_card

__all__ = [
    "PASS",
    "Player",
    "PolicyError",
    "bid_code",
    "cheapest",
    "dearest",
    "describe",
    "highest",
    "lowest",
    "player",
    "points",
    "policy",
    "random_card",
]
