"""Kwajongen's trick: what may be played, and who has it.  Four cards, no duty to beat.

Kwajongen's loops that ask a policy: templates as those of `core.asking`, which it shares.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import dispatch, rng, trick
from kqj_sim.core.block import (
    CALL,
    CONTRACT,
    HAND,
    ILLEGAL,
    KEY,
    LEADER,
    LED,
    MASTER,
    MASTER_TEAM,
    PENDING,
    PLAYED_CARDS,
    PLAYER_BITS,
    PLAYERS,
    PLAYERS_BY_POSITION,
    STILL_CALLING,
    STRIDE,
    TRICK_CARDS,
    TRICK_SET,
    TRUMPS,
    UPCARD,
    WON_CARDS,
    pad_lanes,
    policy_of,
    team_of,
)
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.core.dispatch import _view_block, _view_parameters
from kqj_sim.core.jit import block_loop, mark_noalias, rebind_globals, scalar
from kqj_sim.core.kwajongen import cards as bits
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    OBLIGED_CARDS,
    SEATS,
    TRUMP_SUIT,
    AcceptView,
    rotate_players,
    to_strength_order,
)

suit_mask_of = scalar(
    rebind_globals("kwajongen_lane_of", trick.suit_mask_of, SUIT_MASK=bits.SUIT_MASK)
)
"""All six cards of a card's suit."""

_beat_master = trick._beat_master


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
def read_upcard(state: Any, lane: int) -> int:
    """The dealer's card that was shown in a lane, by strength."""
    return bits.to_strength_order(state[UPCARD + lane], state[CONTRACT + lane])


lead_view = scalar(rebind_globals("kwajongen_lead_view", trick.lead_view, read_upcard=read_upcard))
follow_view = scalar(
    rebind_globals(
        "kwajongen_follow_view",
        trick.follow_view,
        SEATS=SEATS,
        MUST_BEAT_LED=OBLIGED_CARDS,
        legal_cards=legal_cards,
        read_upcard=read_upcard,
    )
)
put_lead = scalar(rebind_globals("kwajongen_put_lead", trick.put_lead, suit_mask_of=suit_mask_of))


@scalar
def find_voids(card: int, led: int, obliged: int, void: int) -> int:
    """What a follower's card tells of suits he lacks, as bits of `core.block.PLAYER_BITS`.

    Who plays neither the suit led nor a trump, though he must, has no trump either.
    """
    denied = 8 << 5 if card & obliged == 0 and obliged != 0 else 0
    return void | denied if card & led == 0 else 0


@block_loop
def finish_trick(state: Any, lanes: int) -> None:
    """Give the trick to its winner and turn the positions so that he is the next leader."""
    n = pad_lanes(lanes)
    for i in range(n):
        a = state[TRICK_CARDS + i]
        b = state[TRICK_CARDS + STRIDE + i]
        c = state[TRICK_CARDS + 2 * STRIDE + i]
        d = state[TRICK_CARDS + 3 * STRIDE + i]
        master = state[MASTER + i]
        led = state[LED + i]
        winner = 1 if b == master else 0
        winner = 2 if c == master else winner
        winner = 3 if d == master else winner

        cards = state[TRICK_SET + i]
        team = state[MASTER_TEAM + i]
        state[WON_CARDS + i] |= cards if team == 0 else 0
        state[WON_CARDS + STRIDE + i] |= cards if team == 1 else 0
        state[PLAYED_CARDS + i] |= cards

        void = 1 << (5 + (trailing_zeros(led) >> 4))
        obliged = state[OBLIGED_CARDS + i]
        players = state[PLAYERS_BY_POSITION + i]
        players |= find_voids(b, led, obliged, void) << PLAYER_BITS
        players |= find_voids(c, led, obliged, void) << 2 * PLAYER_BITS
        players |= find_voids(d, led, obliged, void) << 3 * PLAYER_BITS
        state[PLAYERS_BY_POSITION + i] = rotate_players(players, winner)

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


@block_loop
def play_last_trick(state: Any, lanes: int) -> None:
    """The cards of the last trick, in which nobody has a choice."""
    n = pad_lanes(lanes)
    for i in range(n):
        trumps = state[TRUMPS + i]
        a = state[HAND + i]
        b = state[HAND + STRIDE + i]
        c = state[HAND + 2 * STRIDE + i]
        d = state[HAND + 3 * STRIDE + i]
        led = suit_mask_of(a)
        master = _beat_master(a, b, led, trumps)
        master = _beat_master(master, c, led, trumps)
        master = _beat_master(master, d, led, trumps)
        players = state[PLAYERS_BY_POSITION + i]
        team = team_of(players, 0)
        team = team_of(players, 1) if master == b else team
        team = team_of(players, 2) if master == c else team
        team = team_of(players, 3) if master == d else team
        state[MASTER + i] = master
        state[MASTER_TEAM + i] = team
        state[LED + i] = led
        state[TRICK_SET + i] = a | b | c | d
        state[TRICK_CARDS + i] = a
        state[TRICK_CARDS + STRIDE + i] = b
        state[TRICK_CARDS + 2 * STRIDE + i] = c
        state[TRICK_CARDS + 3 * STRIDE + i] = d


# Bound for each policy by `policies.compiled`.
_choose: Any = None
_parameters: Any = None
_weights: Any = None
_SOLE_POLICY: bool = True
_CHECKED: bool = True


def ask_accept(
    block_pointer: Any, lanes: int, place: int, unused: int, teams: int, rule: int, number: int,
    parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place whether it plays, where STILL_CALLING: CALL is 1, or 0 for a pass."""
    state = _view_block(block_pointer)
    values = _parameters(_view_parameters(parameter_table), number)
    weights = _weights(resources, number)
    n = pad_lanes(lanes)
    hands = mark_noalias(block_pointer, DEALT_FOUR + place * STRIDE)
    for i in range(n):
        players = state[PLAYERS + i]
        if _SOLE_POLICY or (policy_of(players, place) == number and state[STILL_CALLING + i] != 0):
            trump = state[CONTRACT + i]
            view = AcceptView(
                to_strength_order(hands[i], trump), to_strength_order(state[UPCARD + i], trump),
                TRUMP_SUIT, trump, place, state[PENDING + i], players, teams,
                rng.draw(state[KEY + i], rng.CALL + place),
            )  # fmt: skip
            asked = not _CHECKED or (i < lanes and state[STILL_CALLING + i] != 0)
            call = _choose(view, values, weights) if asked else 0
            if _CHECKED:
                wrong = call != 0 and call != 1
                call = 0 if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = 1 if call else 0


ask_lead = rebind_globals(
    "kwajongen_ask_lead", dispatch.ask_lead, lead_view=lead_view, put_lead=put_lead
)
ask_follow = rebind_globals("kwajongen_ask_follow", dispatch.ask_follow, follow_view=follow_view)
