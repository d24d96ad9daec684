"""Kwajongen's play: four tricks of what was dealt, by the loops of `core.play`."""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import play
from kqj_sim.core.compile import scalar, stage, variant
from kqj_sim.core.kwajongen import bits
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.state import HANDS, OBLIGED, SEATS, TRICKS
from kqj_sim.core.kwajongen.trick import after_trick, put_last_cards
from kqj_sim.core.points import planes_of
from kqj_sim.core.state import (
    AT_TABLE,
    CLIMBING,
    CONTRACT,
    DEALT,
    HAND,
    LEADER,
    PLAYED,
    PLAYERS,
    POINTS,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    TRUMPS,
    WON,
    index,
    padded,
    team_of,
)

POINTS_OF_RANK = (0, 0, 1, 2, 3, 4)
"""By bit of a lane, 9 T J Q K A, in every suit."""
PLANES = planes_of(*[POINTS_OF_RANK] * 4)
_NUMBER_OF_PLANES = np.shape(PLANES)[0]


@stage
def prepare_play(state: Any, lanes: int, rules: Rules) -> None:
    """Everything that the first trick needs, from HANDS, SENDER and CONTRACT."""
    n = padded(lanes)
    for i in range(n):
        state[TRUMPS + i] = bits.TRUMPS
        state[OBLIGED + i] = bits.TRUMPS if rules.must_trump else 0
        state[CLIMBING + i] = 0
        state[PLAYED + i] = 0
        state[WON + i] = 0
        state[WON + STRIDE + i] = 0
        state[LEADER + i] = 0
        players = state[PLAYERS + i]
        sender = state[SENDER + i]
        state[AT_TABLE + i] = players
        state[SENDER_TEAM + i] = team_of(players, sender if sender >= 0 else 0)
    for plane in range(_NUMBER_OF_PLANES):
        cards = PLANES[plane]
        for i in range(n):
            state[index(POINTS + plane * STRIDE, i)] = cards
    for place in range(SEATS):
        held = HANDS + place * STRIDE
        dealt = DEALT + place * STRIDE
        hand = HAND + place * STRIDE
        for i in range(n):
            cards = bits.by_strength(state[index(held, i)], state[CONTRACT + i])
            state[index(dealt, i)] = cards
            state[index(hand, i)] = cards


remember = scalar(variant("kwajongen_remember", play.remember, SEATS=SEATS))
play_tricks = stage(
    variant(
        "kwajongen_play_tricks",
        play.play_tricks,
        SEATS=SEATS,
        TRICKS=TRICKS,
        remember=remember,
        after_trick=after_trick,
        put_last_cards=put_last_cards,
    )
)
