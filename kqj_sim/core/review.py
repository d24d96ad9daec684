"""Recorded rounds of KQJ: the choice of a policy at a turn, and scores with all cards known.

What a policy would do is asked with several keys, so that players who choose at random show it.
"""

from __future__ import annotations

import numpy as np

from kqj_sim.core import block
from kqj_sim.core.block import (
    LANES,
    SEATS,
    STRIDE,
    allocate_inner_block,
    cell_index,
    column_offset,
    history_offset,
    pad_lanes,
)
from kqj_sim.core.call_odds import (
    OBSERVED_PLAYERS,
    OBSERVED_RETURN,
    OBSERVER_PLACE,
    OPTION_PENDING,
    OPTION_TURN,
    fill_block,
    fill_observed_rows,
)
from kqj_sim.core.card_odds import CardTurn
from kqj_sim.core.cards import to_strength_order
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel
from kqj_sim.core.observed_calls import (
    CALL_ARGUMENT,
    CALL_LOOP,
    CALL_ROWS,
    CALL_RULE,
    fill_deal_rows,
    fill_public_rows,
    put_calling_hand,
)
from kqj_sim.core.playouts import (
    copy_lanes,
    new_playout_queue,
    play_out_queue,
    resume_calls_and_play,
)
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.types import CardSet, Int16Array, Int64Array

_SCORE = column_offset("score_0")


@kernel
def choose_cards(
    turn: CardTurn, keys: Int64Array, rules: Rules, seating: Seating, cards: Int64Array
) -> bool:
    """Ask the player to move for a card, once for each key.

    Args:
        turn: the turn to play.
        keys: int64 (n,), n at most LANES.
        rules, seating: the rules and the players.
        cards: int64 (n,), filled with the cards, by strength.

    Returns:
        False if the policy made an illegal choice.
    """
    count = keys.shape[0]
    inner, sources = allocate_inner_block(), np.zeros(LANES, np.int64)
    copy_lanes(turn.state, inner, sources, count)
    for lane in range(pad_lanes(count)):
        inner[block.KEY + lane] = keys[min(lane, count - 1)]
        inner[block.ILLEGAL + lane] = 0
        for finished in range(turn.trick):
            for row in range(1 + SEATS):
                at = history_offset(finished, row)
                inner[cell_index(at, lane)] = turn.state[cell_index(at, 0)]
    loop = LEAD if turn.position == 0 else FOLLOW
    ask(seating, loop, inner, count, turn.trick, turn.position, rules.teams, 0)
    for lane in range(count):
        cards[lane] = inner[cell_index(block.TRICK_CARDS + turn.position * STRIDE, lane)]
        if inner[block.ILLEGAL + lane] != 0:
            return False
    return True


@kernel
def choose_calls(
    observer: Int64Array, hand: CardSet, question: Int64Array, keys: Int64Array, rules: Rules,
    seating: Seating, answers: Int64Array,
) -> bool:  # fmt: skip
    """Ask a player for a call, once for each key.

    Args:
        observer: int64 (`core.call_odds.OBSERVER_SIZE`,), what the player knows.
        hand: the cards they call with, natural coding.
        question: int64 (`core.observed_calls.OBSERVED_CALL_SIZE`,); the call made is ignored.
        keys: int64 (n,), n at most LANES.
        rules, seating: the rules, and the players by place.
        answers: int64 (n,), filled with the calls as policies give them.

    Returns:
        False if the policy made an illegal choice.
    """
    state, place, count = allocate_inner_block(), observer[OBSERVER_PLACE], keys.shape[0]
    fill_deal_rows(state, observer[OBSERVED_PLAYERS], observer[OBSERVED_RETURN])
    fill_public_rows(state, count, question, CALL_ROWS)
    for lane in range(pad_lanes(count)):
        state[block.KEY + lane] = keys[min(lane, count - 1)]
        put_calling_hand(state, lane, place, hand, rules)
        state[block.STILL_CALLING + lane] = 1
        state[block.MAY_COUNTER + lane] = 1
    ask(
        seating, question[CALL_LOOP], state, count, place, question[CALL_ARGUMENT], rules.teams,
        question[CALL_RULE],
    )  # fmt: skip
    for lane in range(count):
        answers[lane] = state[block.CALL + lane]
        if state[block.ILLEGAL + lane] != 0:
            return False
    return True


@kernel
def score_cards(
    turn: CardTurn, hands: Int64Array, keys: Int64Array, rules: Rules, seating: Seating,
    scores: Int16Array,
) -> bool:  # fmt: skip
    """Play every legal card out with all hands known.

    Args:
        turn: the turn to play.
        hands: int64 (n, 6), the cards that each place has left, natural coding.
        keys: int64 (n,), the keys of the policies' draws.
        rules, seating: the rules and the players, with `resume`.
        scores: int16 (cards, n, teams), filled.

    Returns:
        False if a policy made an illegal choice.
    """
    queue, contract = new_playout_queue(), turn.state[block.CONTRACT]
    cards, count = turn.cards.shape[0], keys.shape[0]
    waiting = 0
    for number in range(cards * count):
        which, world = number // count, number % count
        queue.sources[waiting] = 0
        queue.cards[waiting] = turn.cards[which]
        queue.keys[waiting] = keys[world]
        queue.targets[waiting] = number
        for place in range(SEATS):
            hand = to_strength_order(hands[world, place], contract)
            queue.hands[waiting * SEATS + place] = hand
        waiting += 1
        if waiting == LANES or number == cards * count - 1:
            play_out_queue(turn.state, queue, waiting, turn.trick, turn.position, rules, seating)
            for lane in range(waiting):
                if queue.state[block.ILLEGAL + lane] != 0:
                    return False
                target = queue.targets[lane]
                for team in range(rules.teams):
                    score = queue.state[cell_index(_SCORE + team * STRIDE, lane)]
                    scores[target // count, target % count, team] = score
            waiting = 0
    return True


@kernel
def score_calls(
    observer: Int64Array, options: Int64Array, lanes: int, hands: Int64Array, keys: Int64Array,
    rules: Rules, seating: Seating, scores: Int16Array,
) -> bool:  # fmt: skip
    """Make every call with all hands known, go on calling and play.

    Args:
        observer: int64 (`core.call_odds.OBSERVER_SIZE`,), what the player knows.
        options: int64 (m, `core.call_odds.OPTION_SIZE`), the calls.
        lanes: number of deals, at most LANES.
        hands, keys: int64 (12 * LANES,) and (LANES,), the deals, as for `play_out_calls`.
        rules, seating: the rules, and the players by place.
        scores: int16 (m, lanes, teams), filled; 0 where the round is passed out.

    Returns:
        False if a policy made an illegal choice.
    """
    state = allocate_inner_block()
    fill_observed_rows(state, observer)
    for number in range(options.shape[0]):
        option = options[number]
        fill_block(state, lanes, hands, keys, option)
        played = resume_calls_and_play(
            state, lanes, rules, seating, seating, option[OPTION_TURN], option[OPTION_PENDING]
        )
        for lane in range(lanes):
            if state[block.ILLEGAL + lane] != 0:
                return False
            world = state[block.ORIGINAL_LANE + lane]
            for team in range(rules.teams):
                score = state[cell_index(_SCORE + team * STRIDE, lane)] if lane < played else 0
                scores[number, world, team] = score
    return True
