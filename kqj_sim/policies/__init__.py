"""Policies: how to call and how to play.

    from kqj_sim import lowest, policy

    @policy("cautious")
    def choose_card(view):
        return lowest(view.legal)

A policy is a pure function of what its player may know (`core.views`).  `tools` has functions to
write policies with, `registry` defines and finds policies, `user_code` compiles users' functions
and finds their mistakes, `players` parses the specifications of players, and `binding` compiles
policies into the kernels' loops.
"""

from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.card_sets import (
    ACES,
    CLUBS,
    DIAMONDS,
    EIGHTS,
    FIVES,
    FOURS,
    HEARTS,
    HEROES,
    JACKS,
    KINGS,
    NINES,
    QUEENS,
    SEVENS,
    SIXES,
    SPADES,
    TENS,
    cards_text,
    count,
    hand,
    has,
    in_view,
    suit,
)
from kqj_sim.policies.parameters import flag, named, number, whole
from kqj_sim.policies.players import Player, parse_player
from kqj_sim.policies.registry import describe, policy
from kqj_sim.policies.tools import cheapest, dearest, highest, lowest, random_card
from kqj_sim.policies.tools import points as card_points

__all__ = [
    "ACES", "CLUBS", "DIAMONDS", "EIGHTS", "FIVES", "FOURS", "HEARTS", "HEROES", "JACKS", "KINGS",
    "NINES", "PASS", "QUEENS", "SEVENS", "SIXES", "SPADES", "TENS", "Player", "bid_code",
    "card_points", "cards_text", "cheapest", "count", "dearest", "describe", "flag", "hand", "has",
    "highest", "in_view", "lowest", "named", "number", "parse_player", "policy", "random_card",
    "suit", "whole",
]  # fmt: skip
