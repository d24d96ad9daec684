"""From the calls to the last card: complete hands, prepare the play, play the tricks."""

from __future__ import annotations

from kqj_sim.core.block import (
    CONTRACT,
    DEALT,
    FIRST_FIVE,
    FURTHER_CARDS,
    HAND,
    KEY,
    LEADER,
    MUST_BEAT,
    PLAYED_CARDS,
    PLAYERS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    REPLACEMENT_CARD,
    SCRATCH,
    SEATS,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    TRICK_CARDS,
    TRICKS,
    TRUMPS,
    UPCARD,
    UPPER_PLAYED_EARLIER,
    WON_CARDS,
    cell_index,
    history_offset,
    pad_lanes,
    pair_selected_lanes,
    swap_lanes,
    team_of,
)
from kqj_sim.core.cards import (
    ALL_TRUMPS,
    ALL_TRUMPS_PLANES,
    NO_TRUMP,
    NO_TRUMP_PLANES,
    PACK,
    SUIT_PLANES,
    TOP_SUIT,
    lowest_bit,
    order_by_strength,
    suit_shift,
)
from kqj_sim.core.deal import draw_exchanged_card
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import finish_trick, play_last_trick
from kqj_sim.core.types import Block, Card, CardSet, Flag, Lane, Position

_EXCHANGED = SCRATCH
"""The Return and the card that the Sender gives to the dealer for it; none if the dealer sends."""
_SUIT_SHIFT = SCRATCH
"""`suit_shift` of the contract."""
_HAS_SENDER = SCRATCH + 2 * STRIDE
"""1 where there is a Sender."""


@block_loop
def move_taken_first(state: Block, lanes: int, rows: int) -> int:
    """Exchange `rows` rows of lanes so that those with a Sender come first; return their number."""
    for i in range(lanes):
        state[_HAS_SENDER + i] = 1 if state[SENDER + i] >= 0 else 0
    taken, pairs = pair_selected_lanes(state, lanes, _HAS_SENDER)
    swap_lanes(state, pairs, 0, rows)
    return taken


@scalar
def _select_of_three(cards: CardSet, number: int) -> Card:
    """Return the card with the number 0, 1 or 2 (from the lowest) of three."""
    cards = cards & (cards - 1) if number >= 1 else cards
    cards = cards & (cards - 1) if number >= 2 else cards
    return lowest_bit(cards)


@block_loop
def complete_hands(state: Block, lanes: int, sender_takes_return: Flag) -> None:
    """Deal the remaining cards: eight for each place in DEALT, natural coding.

    With `sender_takes_return` (games without an auction) the Sender takes the Return and, unless
    they are the dealer, gives the dealer one random card of their three further cards in its place.
    In auctions there is no Return: the card is one of the dealer's.
    """
    n = pad_lanes(lanes)
    for i in range(n):
        sender = state[SENDER + i]
        three = (
            (state[FURTHER_CARDS + i] & -(sender == 0))
            | (state[FURTHER_CARDS + STRIDE + i] & -(sender == 1))
            | (state[FURTHER_CARDS + 2 * STRIDE + i] & -(sender == 2))
            | (state[FURTHER_CARDS + 3 * STRIDE + i] & -(sender == 3))
            | (state[FURTHER_CARDS + 4 * STRIDE + i] & -(sender == 4))
        )
        upcard = state[UPCARD + i]
        given = _select_of_three(three, draw_exchanged_card(state[KEY + i]))
        exchanges = (three != 0) & (sender_takes_return != 0)
        state[REPLACEMENT_CARD + i] = given if exchanges else upcard
        state[_EXCHANGED + i] = given | upcard if exchanges else 0
    for place in range(SEATS - 1):
        hand = DEALT + place * STRIDE
        five = FIRST_FIVE + place * STRIDE
        further = FURTHER_CARDS + place * STRIDE
        for i in range(n):
            exchanged = state[_EXCHANGED + i] if state[SENDER + i] == place else 0
            cards = state[cell_index(five, i)] | state[cell_index(further, i)]
            state[cell_index(hand, i)] = cards ^ exchanged
    for i in range(n):
        state[DEALT + (SEATS - 1) * STRIDE + i] = (
            state[FIRST_FIVE + (SEATS - 1) * STRIDE + i]
            | state[FURTHER_CARDS + (SEATS - 1) * STRIDE + i]
            | state[REPLACEMENT_CARD + i]
        )


@scalar
def seat_at_first_trick(state: Block, lane: Lane) -> None:
    """Let the opener lead, with nothing played or won, and note the Sender's team."""
    state[PLAYED_CARDS + lane] = 0
    state[WON_CARDS + lane] = 0
    state[WON_CARDS + STRIDE + lane] = 0
    state[LEADER + lane] = 0
    players = state[PLAYERS + lane]
    sender = state[SENDER + lane]
    state[PLAYERS_BY_POSITION + lane] = players
    state[SENDER_TEAM + lane] = team_of(players, sender if sender >= 0 else 0)


@block_loop
def prepare_play(state: Block, lanes: int) -> None:
    """Fill the rows that the first trick needs, from DEALT, SENDER and CONTRACT."""
    n = pad_lanes(lanes)
    for i in range(n):
        contract = state[CONTRACT + i]
        all_trumps = contract == ALL_TRUMPS
        no_trump = contract == NO_TRUMP
        state[TRUMPS + i] = 0 if all_trumps or no_trump else TOP_SUIT
        state[MUST_BEAT + i] = PACK if all_trumps else (0 if no_trump else TOP_SUIT)
        state[_SUIT_SHIFT + i] = suit_shift(contract if contract >= 0 else 0)
        state[UPPER_PLAYED_EARLIER + i] = 0
        seat_at_first_trick(state, i)
    for plane in range(5):
        suit, no_trump_plane = SUIT_PLANES[plane], NO_TRUMP_PLANES[plane]
        all_trumps_plane = ALL_TRUMPS_PLANES[plane]
        points = POINT_PLANES + plane * STRIDE
        for i in range(n):
            contract = state[CONTRACT + i]
            without_suit = all_trumps_plane if contract == ALL_TRUMPS else no_trump_plane
            state[cell_index(points, i)] = without_suit if contract >= NO_TRUMP else suit
    for place in range(SEATS):
        dealt = DEALT + place * STRIDE
        held = HAND + place * STRIDE
        for i in range(n):
            natural = state[cell_index(dealt, i)]
            hand = order_by_strength(natural, state[_SUIT_SHIFT + i], state[MUST_BEAT + i])
            state[cell_index(dealt, i)] = hand
            state[cell_index(held, i)] = hand


@scalar
def record_trick(state: Block, lanes: int, seating: Seating, trick: int) -> None:
    """Write the leader and the cards of a trick to the history, if it is kept."""
    if seating.keeps_history != 0:
        for i in range(lanes):
            state[cell_index(history_offset(trick, 0), i)] = state[LEADER + i]
        for position in range(SEATS):
            for i in range(lanes):
                card = state[cell_index(TRICK_CARDS + position * STRIDE, i)]
                state[cell_index(history_offset(trick, 1 + position), i)] = card


@block_loop
def play_tricks(
    state: Block, lanes: int, rules: Rules, seating: Seating, first_trick: int,
    first_position: Position,
) -> None:  # fmt: skip
    """Play the tricks from a position of one on; the last is forced and always played whole."""
    position = first_position
    for trick in range(first_trick, TRICKS - 1):
        while position < SEATS:
            loop = LEAD if position == 0 else FOLLOW
            ask(seating, loop, state, lanes, trick, position, rules.teams, 0)
            position += 1
        position = 0
        record_trick(state, lanes, seating, trick)
        finish_trick(state, lanes)
    play_last_trick(state, lanes)
    record_trick(state, lanes, seating, TRICKS - 1)
    finish_trick(state, lanes)
