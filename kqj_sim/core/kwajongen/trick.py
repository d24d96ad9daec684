"""Kwajongen's trick: what may be played, and who has it.  Four cards, no duty to beat."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import trick, turn
from kqj_sim.core.bits import trailing_zeros
from kqj_sim.core.compile import scalar, stage, variant
from kqj_sim.core.kwajongen import bits
from kqj_sim.core.kwajongen.state import OBLIGED, SEATS, turned
from kqj_sim.core.state import (
    ABOUT,
    AT_TABLE,
    CARDS,
    CONTRACT,
    HAND,
    LEADER,
    LED,
    MASTER,
    MASTER_TEAM,
    PLAYED,
    STRIDE,
    TRICK,
    TRUMPS,
    TURNED,
    WON,
    padded,
    team_of,
)

lane_of = scalar(variant("kwajongen_lane_of", trick.lane_of, LANE=bits.LANE))
"""All six cards of a card's suit."""

_better = trick._better


@scalar
def legal_cards(hand: int, led: int, obliged: int, winning: int, partner_is_master: bool) -> int:
    """The cards that may follow; the last two arguments are KQJ's, and do not matter here.

    Args:
        hand: cards held.
        led: the lane of the suit led.
        obliged: the trumps where who is void must play one, else 0.
        winning, partner_is_master: as in `core.trick.legal_cards`.
    """
    following = hand & led
    trumps = hand & obliged
    void = trumps if trumps != 0 else hand
    return following if following != 0 else void


@scalar
def turned_up(state: Any, i: int) -> int:
    """The dealer's card that was shown in a lane, by strength."""
    return bits.by_strength(state[TURNED + i], state[CONTRACT + i])


lead_view = scalar(variant("kwajongen_lead_view", turn.lead_view, turned_up=turned_up))
follow_view = scalar(
    variant(
        "kwajongen_follow_view",
        turn.follow_view,
        SEATS=SEATS,
        CLIMB_LED=OBLIGED,
        legal_cards=legal_cards,
        turned_up=turned_up,
    )
)
put_lead = scalar(variant("kwajongen_put_lead", turn.put_lead, lane_of=lane_of))


@scalar
def lacking(card: int, led: int, obliged: int, void: int) -> int:
    """What a follower's card tells of suits he lacks, as bits of `core.state.ABOUT`.

    Who plays neither the suit led nor a trump, though he must, has no trump either.
    """
    denied = 8 << 5 if card & obliged == 0 and obliged != 0 else 0
    return void | denied if card & led == 0 else 0


@stage
def after_trick(state: Any, lanes: int) -> None:
    """Give the trick to its winner and turn the positions so that he is the next leader."""
    n = padded(lanes)
    for i in range(n):
        a = state[CARDS + i]
        b = state[CARDS + STRIDE + i]
        c = state[CARDS + 2 * STRIDE + i]
        d = state[CARDS + 3 * STRIDE + i]
        master = state[MASTER + i]
        led = state[LED + i]
        winner = 1 if b == master else 0
        winner = 2 if c == master else winner
        winner = 3 if d == master else winner

        cards = state[TRICK + i]
        team = state[MASTER_TEAM + i]
        state[WON + i] |= cards if team == 0 else 0
        state[WON + STRIDE + i] |= cards if team == 1 else 0
        state[PLAYED + i] |= cards

        void = 1 << (5 + (trailing_zeros(led) >> 4))
        obliged = state[OBLIGED + i]
        players = state[AT_TABLE + i]
        players |= lacking(b, led, obliged, void) << ABOUT
        players |= lacking(c, led, obliged, void) << 2 * ABOUT
        players |= lacking(d, led, obliged, void) << 3 * ABOUT
        state[AT_TABLE + i] = turned(players, winner)

        leader = state[LEADER + i] + winner
        state[LEADER + i] = leader - SEATS if leader >= SEATS else leader

        a ^= state[HAND + i]
        b ^= state[HAND + STRIDE + i]
        c ^= state[HAND + 2 * STRIDE + i]
        d ^= state[HAND + 3 * STRIDE + i]
        odd = winner & 1 != 0
        u = b if odd else a
        v = c if odd else b
        w = d if odd else c
        x = a if odd else d
        two = winner & 2 != 0
        state[HAND + i] = w if two else u
        state[HAND + STRIDE + i] = x if two else v
        state[HAND + 2 * STRIDE + i] = u if two else w
        state[HAND + 3 * STRIDE + i] = v if two else x


@stage
def put_last_cards(state: Any, lanes: int) -> None:
    """The cards of the last trick, in which nobody has a choice."""
    n = padded(lanes)
    for i in range(n):
        trumps = state[TRUMPS + i]
        a = state[HAND + i]
        b = state[HAND + STRIDE + i]
        c = state[HAND + 2 * STRIDE + i]
        d = state[HAND + 3 * STRIDE + i]
        led = lane_of(a)
        master = _better(a, b, led, trumps)
        master = _better(master, c, led, trumps)
        master = _better(master, d, led, trumps)
        players = state[AT_TABLE + i]
        team = team_of(players, 0)
        team = team_of(players, 1) if master == b else team
        team = team_of(players, 2) if master == c else team
        team = team_of(players, 3) if master == d else team
        state[MASTER + i] = master
        state[MASTER_TEAM + i] = team
        state[LED + i] = led
        state[TRICK + i] = a | b | c | d
        state[CARDS + i] = a
        state[CARDS + STRIDE + i] = b
        state[CARDS + 2 * STRIDE + i] = c
        state[CARDS + 3 * STRIDE + i] = d
