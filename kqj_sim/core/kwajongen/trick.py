"""Kwajongen's trick: four cards, no duty to beat; and the loop that asks a place to accept.

What is the same in KQJ comes from the factories of `core.trick` and `core.dispatch`.
"""

from __future__ import annotations

from functools import partial

from kqj_sim.core import dispatch, rng, trick
from kqj_sim.core.block import (
    CALL,
    CONTRACT,
    KEY,
    OBLIGED_CARDS,
    PENDING,
    PLAYERS,
    STILL_CALLING,
    STRIDE,
    UPCARD,
    pad_lanes,
    policy_of,
)
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.core.dispatch import Asking, AskLoop, check_choice, view_block, view_parameters
from kqj_sim.core.jit import mark_noalias, scalar
from kqj_sim.core.kwajongen.cards import (
    DEALT_FOUR,
    SEATS,
    SUIT_MASK,
    TRUMP_SUIT,
    AcceptView,
    rotate_players,
    to_strength_order,
)
from kqj_sim.core.types import (
    Block,
    Card,
    CardSet,
    Flag,
    Float64Pointer,
    Int64Pointer,
    Lane,
    Place,
    SuitMask,
)

suit_mask_of = trick.make_suit_mask_of(SUIT_MASK)


@scalar
def legal_cards(
    hand: CardSet, led: SuitMask, obliged: CardSet, winning: CardSet, partner_is_master: bool
) -> CardSet:
    """Return the cards that may follow; the last two arguments matter in KQJ only.

    Args:
        hand: cards held.
        led: the suit led.
        obliged: the trumps if a player who is void must play one, else 0.
        winning, partner_is_master: as in `core.trick.legal_cards`.
    """
    following = hand & led
    trumps = hand & obliged
    void = trumps if trumps != 0 else hand
    return following if following != 0 else void


@scalar
def read_upcard(state: Block, lane: Lane) -> Card:
    """Return the dealer's card that was turned up in a lane, by strength."""
    return to_strength_order(state[UPCARD + lane], state[CONTRACT + lane])


@scalar
def find_voids(card: Card, led: SuitMask, obliged: CardSet) -> int:
    """Return the suits that a follower lacks by their card, as bits from the suit led on.

    A player who plays neither the suit led nor a trump, though they must, has no trump either.
    """
    trumps = 8 >> (trailing_zeros(led) >> 4)
    denied = trumps if card & obliged == 0 and obliged != 0 else 0
    return 1 | denied if card & led == 0 else 0


finish_trick = trick.make_finish_trick(
    seats=SEATS,
    duty_row=OBLIGED_CARDS,
    rotate_players=rotate_players,
    find_voids=find_voids,
    has_announcements=False,
)
play_last_trick = trick.make_play_last_trick(seats=SEATS, suit_mask_of=suit_mask_of)
read_trick, read_master = trick.make_trick_readers(SEATS)
lead_view, find_following_cards, follow_view, find_legal_cards = trick.make_card_views(
    seats=SEATS,
    duty_row=OBLIGED_CARDS,
    legal_cards=legal_cards,
    read_upcard=read_upcard,
    read_trick=read_trick,
    read_master=read_master,
)
put_lead, put_card = trick.make_card_putters(suit_mask_of=suit_mask_of)

make_ask_lead = partial(dispatch.make_ask_lead, lead_view=lead_view, put_lead=put_lead)
make_ask_follow = partial(
    dispatch.make_ask_follow, find_following_cards=find_following_cards, follow_view=follow_view
)


def make_ask_accept(asking: Asking) -> AskLoop:
    """Return the loop that asks a place of the calling."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_accept(
        block_pointer: Int64Pointer, lanes: int, place: Place, unused: int, teams: int, rule: Flag,
        number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place whether it plays, where STILL_CALLING: CALL is 1, or 0 for a pass."""
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = pad_lanes(lanes)
        hands = mark_noalias(block_pointer, DEALT_FOUR + place * STRIDE)
        for i in range(n):
            players = state[PLAYERS + i]
            if sole_policy or (
                policy_of(players, place) == number and state[STILL_CALLING + i] != 0
            ):
                trump = state[CONTRACT + i]
                view = AcceptView(
                    to_strength_order(hands[i], trump), to_strength_order(state[UPCARD + i], trump),
                    TRUMP_SUIT, trump, place, state[PENDING + i], players, teams,
                    rng.draw_32(state[KEY + i], rng.CALL + place),
                )  # fmt: skip
                asked = not checked or (i < lanes and state[STILL_CALLING + i] != 0)
                call = choose(view, values, resource) if asked else 0
                if checked:
                    call = check_choice(state, i, call, call == 0 or call == 1, 0)
                state[CALL + i] = 1 if call else 0

    return ask_accept
