"""What a player of Kwajongen knows of the others' hands, for `core.worlds`.

The cards that stay out are a further player's there, who may hold anything.  Players are counted by
position in the trick.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import trailing_zeros
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.kwajongen.bits import LANE, PACK, by_strength
from kqj_sim.core.kwajongen.state import HANDS, OBLIGED, SEATS, TRICKS
from kqj_sim.core.kwajongen.trick import lacking, turned_up
from kqj_sim.core.state import (
    AT_TABLE,
    CARDS,
    CONTRACT,
    HAND,
    LEADER,
    LED,
    PLAYED,
    STRIDE,
    TRICK,
    index,
    voids_of,
)
from kqj_sim.core.worlds import COUNTS, LACKS, UNSEEN

PLAYERS = 6
"""Players that `core.worlds` counts."""
OUT = SEATS
"""The number of the cards that stay out."""
DEALER = SEATS - 1
"""The place of the dealer."""
_OUT_CARDS = 24 - SEATS * TRICKS


@scalar
def suits(voids: int) -> int:
    """All cards of some suits, bit l for lane l."""
    spread = (voids & 1) | (voids & 2) << 15 | (voids & 4) << 30 | (voids & 8) << 45
    return spread * LANE


@stage
def know_hand(state: Any, i: int, place: int, known: Any) -> None:
    """Fill what a place knows before the play, by place, but for the shown card: no secret.

    In a world it is to be added to the dealer's hand.
    """
    hand = by_strength(state[index(HANDS + place * STRIDE, i)], state[CONTRACT + i])
    known[UNSEEN] = PACK & ~(hand | turned_up(state, i))
    for player in range(PLAYERS):
        known[COUNTS + player] = TRICKS if player < SEATS else 0
        known[LACKS + player] = 0
    known[COUNTS + OUT] = _OUT_CARDS
    known[COUNTS + DEALER] = TRICKS - 1
    known[COUNTS + place] = 0
    known[LACKS + place] = -1


@stage
def know_cards(state: Any, i: int, trick: int, position: int, known: Any) -> int:
    """Fill what a position knows when it is to play, but for the shown card, which is no secret.

    Returns:
        The shown card if the dealer still has it in a hand that the position does not see, else 0.
    """
    hand = state[index(HAND + position * STRIDE, i)]
    on_table = state[TRICK + i] if position > 0 else 0
    shown = turned_up(state, i)
    unseen = PACK & ~(hand | state[PLAYED + i] | on_table)
    known[UNSEEN] = unseen & ~shown
    led = state[LED + i]
    void = 1 << (5 + (trailing_zeros(led) >> 4)) if position > 0 else 0
    for player in range(PLAYERS):
        known[COUNTS + player] = 0
        known[LACKS + player] = 0
    for player in range(SEATS):
        if player == position:
            known[LACKS + player] = -1
            continue
        known[COUNTS + player] = TRICKS - trick - (player < position)
        voids = voids_of(state[AT_TABLE + i], player)
        if 0 < player < position:
            card = state[index(CARDS + player * STRIDE, i)]
            voids |= lacking(card, led, state[OBLIGED + i], void) >> 5
        known[LACKS + player] = suits(voids)
    known[COUNTS + OUT] = _OUT_CARDS
    shown &= unseen
    if shown != 0:
        known[COUNTS + dealer_position(state, i)] -= 1
    return shown


@scalar
def dealer_position(state: Any, i: int) -> int:
    """The position of the dealer in the trick of a lane."""
    return (DEALER - state[LEADER + i]) % SEATS
