"""The trick: what may be played, who is master, who wins.

Hands are coded by strength, so one formula serves every contract: the cards that would become
master are those of the suit led and the trumps above the master.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import LANE, trailing_zeros
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.state import (
    ABOUT,
    AT_TABLE,
    BEFORE,
    CARDS,
    HAND,
    LEADER,
    LED,
    MASTER,
    MASTER_TEAM,
    PLAYED,
    SEATS,
    STRIDE,
    TRICK,
    TRUMPS,
    WON,
    around,
    filled,
    team_of,
    turned,
)


@scalar
def lane_of(card: int) -> int:
    """All twelve cards of a card's suit."""
    return LANE << (trailing_zeros(card) & 48)


@scalar
def winning_cards(led: int, trumps: int, master: int) -> int:
    """The cards of the pack that would become master in place of `master`."""
    return (led | trumps) & -(2 * master)


@scalar
def legal_cards(hand: int, led: int, climb: int, winning: int, partner_is_master: bool) -> int:
    """The cards that may follow (RULES.md section 5).

    Args:
        hand: cards held.
        led: the lane of the suit led.
        climb: the same if one must beat in it (trump, or any suit at All-Trumps), else 0.
        winning: the cards of the pack that would become master.
        partner_is_master: whether the master is a partner's card.
    """
    following = hand & led
    better = hand & winning
    # Who cannot follow has no card in `climb` either.
    must = better if following == 0 and not partner_is_master else better & climb
    otherwise = following if following != 0 else hand
    return must if must != 0 else otherwise


@stage
def after_trick(state: Any, lanes: int) -> None:
    """Give the trick to its winner and turn the positions so that he is the next leader."""
    n = filled(lanes)
    for i in range(n):
        a = state[CARDS + i]
        b = state[CARDS + STRIDE + i]
        c = state[CARDS + 2 * STRIDE + i]
        d = state[CARDS + 3 * STRIDE + i]
        e = state[CARDS + 4 * STRIDE + i]
        f = state[CARDS + 5 * STRIDE + i]
        master = state[MASTER + i]
        led = state[LED + i]
        winner = 1 if b == master else 0
        winner = 2 if c == master else winner
        winner = 3 if d == master else winner
        winner = 4 if e == master else winner
        winner = 5 if f == master else winner

        cards = state[TRICK + i]
        team = state[MASTER_TEAM + i]
        state[WON + i] |= cards if team == 0 else 0
        state[WON + STRIDE + i] |= cards if team == 1 else 0
        played = state[PLAYED + i] | cards
        state[PLAYED + i] = played
        state[BEFORE + i] |= (played >> 1) & ~played

        void = 1 << (5 + (trailing_zeros(led) >> 4))
        players = state[AT_TABLE + i]
        players |= void << ABOUT if b & led == 0 else 0
        players |= void << 2 * ABOUT if c & led == 0 else 0
        players |= void << 3 * ABOUT if d & led == 0 else 0
        players |= void << 4 * ABOUT if e & led == 0 else 0
        players |= void << 5 * ABOUT if f & led == 0 else 0
        state[AT_TABLE + i] = turned(players, winner)

        state[LEADER + i] = around(state[LEADER + i] + winner, SEATS)

        a ^= state[HAND + i]
        b ^= state[HAND + STRIDE + i]
        c ^= state[HAND + 2 * STRIDE + i]
        d ^= state[HAND + 3 * STRIDE + i]
        e ^= state[HAND + 4 * STRIDE + i]
        f ^= state[HAND + 5 * STRIDE + i]
        odd = winner & 1 != 0
        u = b if odd else a
        v = c if odd else b
        w = d if odd else c
        x = e if odd else d
        y = f if odd else e
        z = a if odd else f
        two = winner & 2 != 0
        four = winner & 4 != 0
        state[HAND + i] = y if four else (w if two else u)
        state[HAND + STRIDE + i] = z if four else (x if two else v)
        state[HAND + 2 * STRIDE + i] = u if four else (y if two else w)
        state[HAND + 3 * STRIDE + i] = v if four else (z if two else x)
        state[HAND + 4 * STRIDE + i] = w if four else (u if two else y)
        state[HAND + 5 * STRIDE + i] = x if four else (v if two else z)


@scalar
def _better(master: int, card: int, led: int, trumps: int) -> int:
    """The master after one more card."""
    return card if card & winning_cards(led, trumps, master) != 0 else master


@stage
def put_last_cards(state: Any, lanes: int) -> None:
    """The cards of the last trick, in which nobody has a choice."""
    n = filled(lanes)
    for i in range(n):
        trumps = state[TRUMPS + i]
        a = state[HAND + i]
        b = state[HAND + STRIDE + i]
        c = state[HAND + 2 * STRIDE + i]
        d = state[HAND + 3 * STRIDE + i]
        e = state[HAND + 4 * STRIDE + i]
        f = state[HAND + 5 * STRIDE + i]
        led = lane_of(a)
        master = _better(a, b, led, trumps)
        master = _better(master, c, led, trumps)
        master = _better(master, d, led, trumps)
        master = _better(master, e, led, trumps)
        master = _better(master, f, led, trumps)
        players = state[AT_TABLE + i]
        team = team_of(players, 0)
        team = team_of(players, 1) if master == b else team
        team = team_of(players, 2) if master == c else team
        team = team_of(players, 3) if master == d else team
        team = team_of(players, 4) if master == e else team
        team = team_of(players, 5) if master == f else team
        state[MASTER + i] = master
        state[MASTER_TEAM + i] = team
        state[LED + i] = led
        state[TRICK + i] = a | b | c | d | e | f
        state[CARDS + i] = a
        state[CARDS + STRIDE + i] = b
        state[CARDS + 2 * STRIDE + i] = c
        state[CARDS + 3 * STRIDE + i] = d
        state[CARDS + 4 * STRIDE + i] = e
        state[CARDS + 5 * STRIDE + i] = f
