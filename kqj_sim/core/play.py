"""From the calls to the last card: complete hands, prepare the play, play the tricks."""

from __future__ import annotations

from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core.deal import draw_exchanged_card
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import finish_trick, play_last_trick
from kqj_sim.core.types import Block, Card, CardSet, Flag, Lane, Position

_EXCHANGED = b.SCRATCH
"""The Return and the card that the Sender gives to the dealer for it; none if the dealer sends."""
_SUIT_SHIFT = b.SCRATCH
_HAS_SENDER = b.SCRATCH + 2 * b.STRIDE
"""1 where there is a Sender."""


@block_loop
def move_taken_first(state: Block, lanes: int, rows: int) -> int:
    """Exchange `rows` rows of lanes so that those with a Sender come first; return their number."""
    for i in range(lanes):
        state[_HAS_SENDER + i] = 1 if state[b.SENDER + i] >= 0 else 0
    taken, pairs = b.pair_selected_lanes(state, lanes, _HAS_SENDER)
    b.swap_lanes(state, pairs, 0, rows)
    return taken


@scalar
def _select_of_three(cards: CardSet, number: int) -> Card:
    """Return the card with the number 0, 1 or 2 (from the lowest) of three."""
    cards = cards & (cards - 1) if number >= 1 else cards
    cards = cards & (cards - 1) if number >= 2 else cards
    return c.lowest_bit(cards)


@block_loop
def complete_hands(state: Block, lanes: int, sender_takes_return: Flag) -> None:
    """Deal the remaining cards: eight for each place in DEALT, natural coding.

    With `sender_takes_return` (games without an auction) the Sender takes the Return and, unless
    they are the dealer, gives the dealer one random card of their three further cards in its place.
    In auctions there is no Return: the card is one of the dealer's.
    """
    n = b.pad_lanes(lanes)
    for i in range(n):
        sender = state[b.SENDER + i]
        three = (
            (state[b.FURTHER_CARDS + i] & -(sender == 0))
            | (state[b.FURTHER_CARDS + b.STRIDE + i] & -(sender == 1))
            | (state[b.FURTHER_CARDS + 2 * b.STRIDE + i] & -(sender == 2))
            | (state[b.FURTHER_CARDS + 3 * b.STRIDE + i] & -(sender == 3))
            | (state[b.FURTHER_CARDS + 4 * b.STRIDE + i] & -(sender == 4))
        )
        upcard = state[b.UPCARD + i]
        given = _select_of_three(three, draw_exchanged_card(state[b.KEY + i]))
        exchanges = (three != 0) & (sender_takes_return != 0)
        state[b.REPLACEMENT_CARD + i] = given if exchanges else upcard
        state[_EXCHANGED + i] = given | upcard if exchanges else 0
    for place in range(b.SEATS - 1):
        hand = b.DEALT + place * b.STRIDE
        five = b.FIRST_FIVE + place * b.STRIDE
        further = b.FURTHER_CARDS + place * b.STRIDE
        for i in range(n):
            exchanged = state[_EXCHANGED + i] if state[b.SENDER + i] == place else 0
            cards = state[b.cell_index(five, i)] | state[b.cell_index(further, i)]
            state[b.cell_index(hand, i)] = cards ^ exchanged
    for i in range(n):
        state[b.DEALT + (b.SEATS - 1) * b.STRIDE + i] = (
            state[b.FIRST_FIVE + (b.SEATS - 1) * b.STRIDE + i]
            | state[b.FURTHER_CARDS + (b.SEATS - 1) * b.STRIDE + i]
            | state[b.REPLACEMENT_CARD + i]
        )


@scalar
def seat_at_first_trick(state: Block, lane: Lane) -> None:
    """Let the opener lead, with nothing played or won, and note the Sender's team."""
    state[b.PLAYED_CARDS + lane] = 0
    state[b.WON_CARDS + lane] = 0
    state[b.WON_CARDS + b.STRIDE + lane] = 0
    state[b.LEADER + lane] = 0
    players = state[b.PLAYERS + lane]
    sender = state[b.SENDER + lane]
    state[b.PLAYERS_BY_POSITION + lane] = players
    state[b.SENDER_TEAM + lane] = b.team_of(players, sender if sender >= 0 else 0)


@block_loop
def prepare_play(state: Block, lanes: int) -> None:
    """Fill the rows that the first trick needs, from DEALT, SENDER and CONTRACT."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        contract = state[b.CONTRACT + i]
        all_trumps = contract == c.ALL_TRUMPS
        no_trump = contract == c.NO_TRUMP
        state[b.TRUMPS + i] = 0 if all_trumps or no_trump else c.TOP_SUIT
        state[b.MUST_BEAT + i] = c.PACK if all_trumps else (0 if no_trump else c.TOP_SUIT)
        state[_SUIT_SHIFT + i] = c.suit_shift(contract if contract >= 0 else 0)
        state[b.UPPER_PLAYED_EARLIER + i] = 0
        seat_at_first_trick(state, i)
    for plane in range(5):
        suit, no_trump_plane = c.SUIT_PLANES[plane], c.NO_TRUMP_PLANES[plane]
        all_trumps_plane = c.ALL_TRUMPS_PLANES[plane]
        points = b.POINT_PLANES + plane * b.STRIDE
        for i in range(n):
            contract = state[b.CONTRACT + i]
            without_suit = all_trumps_plane if contract == c.ALL_TRUMPS else no_trump_plane
            state[b.cell_index(points, i)] = without_suit if contract >= c.NO_TRUMP else suit
    for place in range(b.SEATS):
        dealt = b.DEALT + place * b.STRIDE
        held = b.HAND + place * b.STRIDE
        for i in range(n):
            natural = state[b.cell_index(dealt, i)]
            hand = c.order_by_strength(natural, state[_SUIT_SHIFT + i], state[b.MUST_BEAT + i])
            state[b.cell_index(dealt, i)] = hand
            state[b.cell_index(held, i)] = hand


@scalar
def record_trick(state: Block, lanes: int, seating: Seating, trick: int) -> None:
    """Write the leader and the cards of a trick to the history, if it is kept."""
    if seating.keeps_history != 0:
        for i in range(lanes):
            state[b.cell_index(b.history_offset(trick, 0), i)] = state[b.LEADER + i]
        for position in range(b.SEATS):
            for i in range(lanes):
                card = state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, i)]
                state[b.cell_index(b.history_offset(trick, 1 + position), i)] = card


@block_loop
def play_tricks(
    state: Block, lanes: int, rules: Rules, seating: Seating, first_trick: int,
    first_position: Position,
) -> None:  # fmt: skip
    """Play the tricks from a position of one on; the last is forced and always played whole."""
    position = first_position
    for trick in range(first_trick, b.TRICKS - 1):
        while position < b.SEATS:
            loop = LEAD if position == 0 else FOLLOW
            ask(seating, loop, state, lanes, trick, position, rules.teams, 0)
            position += 1
        position = 0
        record_trick(state, lanes, seating, trick)
        finish_trick(state, lanes)
    play_last_trick(state, lanes)
    record_trick(state, lanes, seating, b.TRICKS - 1)
    finish_trick(state, lanes)
