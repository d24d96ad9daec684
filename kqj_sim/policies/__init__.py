"""Policies: how to call and how to play.

    from kqj_sim import lowest, policy

    @policy("cautious")
    def choose_card(view):
        return lowest(view.legal)

A policy is a pure function of what its player may know (`core.views`).  `tools` has functions to
write policies with, `registry` defines and finds policies, `spec` parses the specifications of
players, and `binding` compiles policies into the kernels' loops.
"""

from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.registry import describe, flag, named, number, policy, whole
from kqj_sim.policies.spec import Player, parse_player
from kqj_sim.policies.tools import cheapest, dearest, highest, lowest, random_card
from kqj_sim.policies.tools import points as card_points

__all__ = [
    "PASS",
    "Player",
    "PolicyError",
    "bid_code",
    "card_points",
    "cheapest",
    "dearest",
    "describe",
    "flag",
    "highest",
    "lowest",
    "named",
    "number",
    "parse_player",
    "policy",
    "random_card",
    "whole",
]
