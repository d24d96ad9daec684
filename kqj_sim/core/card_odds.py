"""Odds of cards: a turn to play, each legal card played out in some hidden hands, and the card that
a policy chooses there.

The position is lane 0 of a block, in which the hands of the other players are left open.  They are
drawn by `core.card_draws`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import types as t
from kqj_sim.core.call_odds import OUTCOME_BYTES, RESULT, write_outcome
from kqj_sim.core.cards import PACK, to_natural_order, to_strength_order
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.hidden_hands import (
    enumerate_layouts,
)
from kqj_sim.core.jit import block_loop, int16_at, kernel
from kqj_sim.core.knowledge import (
    EXCLUDED,
    UNSEEN,
    infer_knowledge,
)
from kqj_sim.core.play import prepare_play, record_trick
from kqj_sim.core.playouts import (
    PlayoutQueue,
    copy_lanes,
    new_playout_queue,
    play_out_queue,
    put_trick_cards,
)
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import finish_trick

ILLEGAL_RESULT = -1
"""Result where a policy made an illegal choice."""


class CardTurn(NamedTuple):
    """A turn to play."""

    state: t.Block
    """Block whose lane 0 stands at that turn, with the finished tricks kept."""
    trick: int
    """0 to 7."""
    position: t.Position
    known: t.Int64Array
    """int64 (KNOWLEDGE_SIZE,): what is known of hidden hands, by place (`core.knowledge`), in
    natural coding."""
    shown: t.Int64Array
    """int64 (6,): known cards of each place, played or in the player's hand; natural coding."""
    observed_calls: t.Int64Array
    """int64 (n * OBSERVED_CALL_SIZE,), those of a caller one after another; empty to ignore
    them."""
    layouts: t.Int64Array
    """int64 (6 * n,): list of hidden hands, natural coding; empty if there is none."""
    cards: t.Int64Array
    """int64 (m,): the legal cards, by strength."""


CALLED_ROWS = (
    b.PLAYERS, b.DEALER, b.PENDING, b.UPCARD, b.SENDER, b.CONTRACT,
    b.AMOUNT, b.CAPOT, b.STAKE,
)  # fmt: skip
"""Rows that describe a round when its calls are over; LAP is 1."""


@kernel
def replay_plays(
    state: t.Block, called: t.Int64Array, shown: t.Int64Array, plays: t.Int64Array, seating:
    Seating, knowledge: t.Int64Array,
) -> None:  # fmt: skip
    """Bring lane 0 from the end of the calls to a turn to play.

    Args:
        state: a block of zeros.
        called: int64 (n,), the rows `CALLED_ROWS`.
        shown: int64 (6,), the cards each place is known to hold or have held, natural coding.
        plays: int64 (n,), the cards played, natural coding.
        seating: the players, with `keeps_history`.
        knowledge: int64 (KNOWLEDGE_SIZE,), filled with what the player to play knows, in natural
            coding.
    """
    for at, row in enumerate(CALLED_ROWS):
        state[row] = called[at]
    state[b.LAP] = 1
    for place in range(b.SEATS):
        state[b.cell_index(b.DEALT + place * b.STRIDE, 0)] = shown[place]
    contract = state[b.CONTRACT]
    prepare_play(state, 1)
    for number in range(plays.shape[0]):
        trick, position = number // b.SEATS, number % b.SEATS
        card = to_strength_order(plays[number], contract)
        state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, 0)] = card
        put_trick_cards(state, 1, position)
        if position == b.SEATS - 1:
            record_trick(state, 1, seating, trick)
            finish_trick(state, 1)
    infer_knowledge(state, 0, plays.shape[0] // b.SEATS, plays.shape[0] % b.SEATS, knowledge)
    knowledge[UNSEEN] = to_natural_order(knowledge[UNSEEN], contract)
    for place in range(b.SEATS):
        knowledge[EXCLUDED + place] = to_natural_order(knowledge[EXCLUDED + place] & PACK, contract)


@kernel
def list_layouts(knowledge: t.Int64Array, limit: int, layouts: t.Int64Array) -> int:
    """Call `core.hidden_hands.enumerate_layouts` from Python."""
    return int(enumerate_layouts(knowledge, limit, layouts))


@block_loop
def _play_out_waiting(
    turn: CardTurn, queue: PlayoutQueue, waiting: int, rules: Rules, seating: Seating,
    outcomes: t.Int16Array,
) -> None:  # fmt: skip
    play_out_queue(turn.state, queue, waiting, turn.trick, turn.position, rules, seating)
    own_place = (turn.state[b.LEADER] + turn.position) % b.SEATS
    # Outcomes are filled by address, as references to arrays would be counted.
    state, targets, filled = queue.state, queue.targets, outcomes.ctypes.data
    for lane in range(waiting):
        outcome = int16_at(filled + OUTCOME_BYTES * targets[lane])
        write_outcome(state, lane, own_place, rules, outcome)
        if state[b.ILLEGAL + lane] != 0:
            outcome[RESULT] = ILLEGAL_RESULT


@kernel
def play_out_cards(
    turn: CardTurn, hands: t.Int64Array, keys: t.Int64Array, rules: Rules, seating: Seating,
    outcomes: t.Int16Array,
) -> None:  # fmt: skip
    """Play every legal card out in some hidden hands.

    Args:
        hands: int64 (n, 6), hidden hands by place, natural coding.
        keys: int64 (n,), keys of the players' own draws.
        rules, seating: the rules and the players, with `resume`.
        outcomes: int16 (cards * n, OUTCOME_SIZE), filled for each card with one row per draw.
    """
    queue = new_playout_queue()
    contract = turn.state[b.CONTRACT]
    cards, count = turn.cards.shape[0], hands.shape[0]
    waiting = 0
    for i in range(count):
        for which in range(cards):
            queue.sources[waiting] = 0
            queue.cards[waiting] = turn.cards[which]
            queue.keys[waiting] = keys[i]
            queue.targets[waiting] = which * count + i
            for place in range(b.SEATS):
                hand = to_strength_order(hands[i, place], contract)
                queue.hands[waiting * b.SEATS + place] = hand
            waiting += 1
            if waiting == b.LANES:
                _play_out_waiting(turn, queue, waiting, rules, seating, outcomes)
                waiting = 0
    if waiting > 0:
        _play_out_waiting(turn, queue, waiting, rules, seating, outcomes)


@kernel
def choose_cards(
    turn: CardTurn, keys: t.Int64Array, rules: Rules, seating: Seating, cards: t.Int64Array
) -> bool:
    """Ask the player to move for a card, once for each key; False after an illegal choice.

    Args:
        keys: int64 (n,), n at most LANES.
        cards: int64 (n,), filled with the cards, by strength.
    """
    count = keys.shape[0]
    inner, sources = b.allocate_inner_block(), np.zeros(b.LANES, np.int64)
    copy_lanes(turn.state, inner, sources, count)
    for lane in range(b.pad_lanes(count)):
        inner[b.KEY + lane] = keys[min(lane, count - 1)]
        inner[b.ILLEGAL + lane] = 0
        for finished in range(turn.trick):
            for row in range(1 + b.SEATS):
                at = b.history_offset(finished, row)
                inner[b.cell_index(at, lane)] = turn.state[b.cell_index(at, 0)]
    loop = LEAD if turn.position == 0 else FOLLOW
    ask(seating, loop, inner, count, turn.trick, turn.position, rules.teams, 0)
    for lane in range(count):
        cards[lane] = inner[b.cell_index(b.TRICK_CARDS + turn.position * b.STRIDE, lane)]
        if inner[b.ILLEGAL + lane] != 0:
            return False
    return True
