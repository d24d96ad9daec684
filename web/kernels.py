"""Kernels that only the page needs: Python asks the referee instead."""

from __future__ import annotations

from kqj_sim.core import block
from kqj_sim.core.auction import CODE, KIND, PLACE
from kqj_sim.core.bidding import LOG_COUNTER, LOG_OVERCOUNTER
from kqj_sim.core.block import SEATS, STRIDE, TRICKS, cell_index, history_offset
from kqj_sim.core.cards import (
    ALL_TRUMPS,
    EACH_SUIT,
    NO_TRUMP,
    PACK,
    TOP_SUIT,
    TRUMP_KING,
    count_card_points,
    to_natural_order,
    to_strength_order,
)
from kqj_sim.core.dispatch import BID, COUNTER, OVERCOUNTER, TAKE
from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.round import play_block, start_deals
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import (
    find_legal_cards,
    has_partner_as_master,
    read_hand,
    read_master,
    read_trick,
)
from kqj_sim.core.types import Block, Card, CardSet, Int64Array
from kqj_sim.questions.odds import card_reasons

_find_reasons = scalar(card_reasons.find_reasons)


@kernel
def find_playable_cards(state: Block, position: int) -> CardSet:
    """Return the known cards that a position of lane 0 may play, natural coding."""
    return to_natural_order(find_legal_cards(state, 0, position), state[block.CONTRACT])


@kernel
def find_leader(state: Block) -> int:
    """Return the place that leads to the trick of lane 0."""
    return state[block.LEADER] % SEATS


@kernel
def order_by_strength(state: Block, cards: CardSet) -> CardSet:
    """Return cards by strength for the contract of lane 0."""
    return to_strength_order(cards, state[block.CONTRACT])


@scalar
def _count_points(state: Block, card: Card) -> int:
    planes = block.POINT_PLANES
    return count_card_points(
        card, state[planes], state[planes + STRIDE], state[planes + 2 * STRIDE],
        state[planes + 3 * STRIDE], state[planes + 4 * STRIDE],
    )  # fmt: skip


# Code kept on disk would not notice changes of `card_reasons.py`.
@kernel(cache=False)
def compare_cards(
    state: Block, position: int, better: CardSet, other: CardSet, points: Int64Array
) -> int:
    """Return the reasons (`Reason`) of a position of lane 0 for a card rather than another.

    Args:
        state, position: the turn to play.
        better, other: the cards, natural coding.
        points: int64 (1,), filled with the points of `better`, less those of `other`.
    """
    contract = state[block.CONTRACT]
    better, other = to_strength_order(better, contract), to_strength_order(other, contract)
    points[0] = _count_points(state, better) - _count_points(state, other)
    hand, trick = read_hand(state, 0, position), read_trick(state, 0, position)
    trumps = TOP_SUIT if contract < NO_TRUMP else (PACK if contract == ALL_TRUMPS else 0)
    return _find_reasons(
        better,
        other,
        points[0],
        hand,
        PACK & ~(hand | trick | state[block.PLAYED_CARDS]),
        trumps,
        trumps & (EACH_SUIT << TRUMP_KING),
        state[block.TRICK_CARDS] if position > 0 else 0,
        read_master(state, 0) if position > 0 else 0,
        position == SEATS - 1,
        position > 0 and has_partner_as_master(state, 0, position),
    )


@kernel
def play_round(
    state: Block, log: Int64Array, deal: int, rules: Rules, seating: Seating, cards: Int64Array,
    calls: Int64Array, plays: Int64Array,
) -> int:  # fmt: skip
    """Deal, call and play a round of seed 1, and list its cards and calls in natural coding.

    Args:
        state: a block.
        log: int64 (`core.bidding.LOG_SIZE`,).
        deal: its number.
        rules: the rules.
        seating: the players; it keeps the history.
        cards: int64 (13,), filled with the first five cards of each place, the Return, and the
            eight cards of each place; if nobody took these mean nothing.
        calls: int64 (`core.bidding.MAX_CALLS`, `core.auction.CALL_SIZE`), filled.
        plays: int64 (48,), filled with the cards in the order of play, if there is a contract.

    Returns:
        The number of calls.
    """
    start_deals(state, deal, 1)
    play_block(state, 1, 1, rules, seating, log)
    for place in range(SEATS):
        cards[place] = state[cell_index(block.FIRST_FIVE + place * STRIDE, 0)]
    cards[SEATS] = state[block.UPCARD]
    count = state[block.CALL_COUNT]
    for number in range(count):
        entry = log[number * STRIDE]
        kind, code = entry & 15, entry >> 8
        calls[number, PLACE] = (entry >> 4) & 15
        calls[number, KIND] = BID if rules.auction else TAKE
        calls[number, CODE] = code
        if kind in (LOG_COUNTER, LOG_OVERCOUNTER):
            calls[number, KIND] = COUNTER if kind == LOG_COUNTER else OVERCOUNTER
            calls[number, CODE] = 1
    contract = state[block.CONTRACT]
    for place in range(SEATS):
        hand = state[cell_index(block.DEALT + place * STRIDE, 0)]
        # Only play orders them by strength.
        cards[1 + SEATS + place] = hand if contract < 0 else to_natural_order(hand, contract)
    if contract >= 0:
        for number in range(SEATS * TRICKS):
            offset = history_offset(number // SEATS, 1 + number % SEATS)
            plays[number] = to_natural_order(state[cell_index(offset, 0)], contract)
    return int(count)
