"""What may come of a turn to play: hidden hands drawn, and every legal card played on in each.

How things stand is lane 0 of a block, with the hands of the others left open.  Each draw of hidden
hands is a function of (seed, number of the draw), so draws are independent of each other, and of
threads: also those from a Markov chain (`core.worlds`), which is started anew for each.

Calls that were heard are held against hands as in `core.odds`: players who have spoken get their
cards one after another, each so often until some agree, and a draw weighs the product of the shares
of hands that do (sequential importance sampling; for the estimate of a share and its source see
there).  What is drawn for a player is his hand in a distribution of all cards that are still
hidden, each equally likely.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import (
    CONTRACT,
    DEALT,
    FIRST_FIVE,
    ILLEGAL,
    KEY,
    LANES,
    LEADER,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    TRICK_CARDS,
    UPCARD,
    allocate_inner_block,
    cell_index,
)
from kqj_sim.core.call_odds import (
    CALLER_PLACE,
    MATCHES_WANTED,
    MAX_ATTEMPTS,
    OBSERVED_CALL_SIZE,
    RESULT,
    SEARCHING,
    STOP,
    STOPPED,
    find_next_caller,
    replay_caller,
    update_matches,
    weight_unfinished,
    write_outcome,
)
from kqj_sim.core.cards import PACK, to_natural_order, to_strength_order
from kqj_sim.core.deal import deposit
from kqj_sim.core.hidden_hands import (
    EXCLUDED,
    HAND_SIZES,
    KNOWLEDGE_SIZE,
    UNSEEN,
    draw_subset,
    enumerate_layouts,
    infer_knowledge,
    sample_layouts,
)
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.play import prepare_play, record_trick
from kqj_sim.core.playouts import PlayoutQueue, new_playout_queue, play_out_queue, put_trick_cards
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import finish_trick

ILLEGAL_RESULT = -1
"""The result where a policy chose what is not allowed."""
NO_LAYOUT, ILLEGAL_CALL = -1, -3
"""No hidden hands are possible; a policy made a call that is not allowed."""

SAMPLED, ENUMERATED = range(2)
"""Hidden hands are drawn, or are those of a list, one after another."""

MAX_LATER_ATTEMPTS = 256
"""Hands that are looked at for a player of a draw at most, from the second on: with what the first
ones hold it may be all but impossible that the last would have called so, and looking on would cost
more than other draws."""

_PLACE_COUNTER = 1 << 24
_REST_COUNTER = rng.HIDDEN_HAND + 8 * _PLACE_COUNTER
"""Counters of keys: of the hands that are tried for a place, and of what is left."""
_FIRST_FIVE_COUNTER = 1 << 20
"""Counter of draws, out of the way of those of `core.worlds`."""

_PUBLIC_KNOWLEDGE_SIZE = 13
"""UNSEEN, HAND_SIZES and EXCLUDED of `core.worlds`."""

_FIVE_OF_EIGHT = np.array(
    [mask for mask in range(256) if mask.bit_count() == 5],
    dtype=np.int64,
)
"""The subsets of five of eight cards; those of seven come first."""
_FIVE_OF_SEVEN_COUNT = 21
FIRST_FIVE_COUNT = len(_FIVE_OF_EIGHT)


class CardTurn(NamedTuple):
    """A turn to play.

    state: a block whose lane 0 stands at that turn, the finished tricks kept.
    trick, position: 0 to 7, 0 to 5.
    known: what is known of hidden hands, by place (`core.worlds`), natural coding.
    shown: int64 (6,), the cards of each place that are known: played, or one's own; natural coding.
    questions: int64 (n * OBSERVED_CALL_SIZE,), what the others answered when the calls were made,
        those of a player one after another (`core.odds`); empty if they do not count.
    worlds: int64 (6 * n,), the list of hidden hands, natural coding; empty if there is none.
    cards: int64 (m,), the legal cards, by strength.
    """

    state: Any
    trick: int
    position: int
    known: Any
    shown: Any
    questions: Any
    worlds: Any
    cards: Any


@kernel
def replay_plays(state: Any, plays: Any, seating: Seating, knowledge: Any) -> None:
    """Bring lane 0 from the end of the calls to a turn to play.

    Args:
        state: a block with all rows of the calls, and in DEALT what each place is known to hold or
            have held (natural coding).
        plays: int64 (n,), the cards played, by strength.
        seating: the table, with `memory`.
        knowledge: int64 (KNOWLEDGE_SIZE,), filled with what who is to play knows, natural coding.
    """
    prepare_play(state, 1)
    for number in range(plays.shape[0]):
        trick, position = number // SEATS, number % SEATS
        state[cell_index(TRICK_CARDS + position * STRIDE, 0)] = plays[number]
        put_trick_cards(state, 1, position)
        if position == SEATS - 1:
            record_trick(state, 1, seating, trick)
            finish_trick(state, 1)
    infer_knowledge(state, 0, plays.shape[0] // SEATS, plays.shape[0] % SEATS, knowledge)
    contract = state[CONTRACT]
    knowledge[UNSEEN] = to_natural_order(knowledge[UNSEEN], contract)
    for place in range(SEATS):
        knowledge[EXCLUDED + place] = to_natural_order(knowledge[EXCLUDED + place] & PACK, contract)


@kernel
def list_layouts(knowledge: Any, limit: int, layouts: Any) -> int:
    """`core.hidden_hands.enumerate_layouts` for Python."""
    return int(enumerate_layouts(knowledge, limit, layouts))


@scalar
def _first_five_candidates(turn: CardTurn, place: int, eight: int) -> int:
    """The cards among which a place's first five are: the Sender took the Return later."""
    sender, turned_up = turn.state[SENDER], turn.state[UPCARD]
    return eight & ~turned_up if place == sender else eight


@scalar
def _fill_shared_rows(block: Any, lane: int, turn: CardTurn, key: int) -> None:
    """Everything but hands that a question about calls needs."""
    block[KEY + lane] = key
    block[PLAYERS + lane] = turn.state[PLAYERS]
    block[UPCARD + lane] = turn.state[UPCARD]


@scalar
def _draw_calling_hand(
    turn: CardTurn, block: Any, lane: int, rules: Rules, place: int, hidden: int, key: int
) -> None:
    """The hand with which a place called; with taking five of his eight cards, drawn."""
    _fill_shared_rows(block, lane, turn, key)
    eight = turn.shown[place] | hidden
    if rules.auction:
        block[cell_index(DEALT + place * STRIDE, lane)] = eight
    else:
        five = draw_subset(_first_five_candidates(turn, place, eight), 5, key, _FIRST_FIVE_COUNTER)
        block[cell_index(FIRST_FIVE + place * STRIDE, lane)] = five


class _LayoutDraws(NamedTuple):
    """Draws of hidden hands, side by side.

    known: int64 (LANES, 13), what is known once the players who were dealt with have their cards.
    keys: int64 (LANES,), their keys.
    weights: float64 (LANES,), their weights.
    hidden: int64 (LANES, 6), the hidden hands by place.
    """

    known: Any
    keys: Any
    weights: Any
    hidden: Any


@scalar
def _allocate_draws() -> _LayoutDraws:
    """Room for a block of draws."""
    return _LayoutDraws(
        np.empty((LANES, _PUBLIC_KNOWLEDGE_SIZE), np.int64),
        np.empty(LANES, np.int64),
        np.empty(LANES),
        np.empty((LANES, SEATS), np.int64),
    )


@scalar
def _complete_layout(draws: _LayoutDraws, i: int, key: int, knowledge: Any, layout: Any) -> int:
    """Hands for all who have none yet in a draw; 0 if none are possible."""
    for number in range(_PUBLIC_KNOWLEDGE_SIZE):
        knowledge[number] = draws.known[i, number]
    return sample_layouts(knowledge, 1, key, layout)


@block_loop
def _draw_caller_hand(
    turn: CardTurn,
    block: Any,
    lanes: int,
    first: int,
    last: int,
    matches_needed: int,
    rules: Rules,
    seating: Seating,
    draws: _LayoutDraws,
    counts: Any,
    signal: Any,
) -> bool:
    """Draw the hands of a player who answered the questions from `first` to before `last`.

    False if no hidden hands are possible.
    """
    place = turn.questions[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    waits, found = np.empty(LANES, np.int64), np.zeros(LANES, np.int64)
    tried, agrees = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    hands = draws.hidden[:, place]
    known, world = np.empty(KNOWLEDGE_SIZE, np.int64), np.empty(SEATS, np.int64)
    most = MAX_ATTEMPTS if matches_needed == 1 else MAX_LATER_ATTEMPTS
    waiting = 0
    for i in range(lanes):
        if draws.weights[i] > 0:
            waits[waiting] = i
            waiting += 1
    tries = 0
    while waiting > 0 and tries < most and signal[STOP] == 0:
        for lane in range(waiting):
            i = waits[lane]
            key = rng.draw(draws.keys[i], rng.HIDDEN_HAND + _PLACE_COUNTER * (place + 1) + tries)
            if _complete_layout(draws, i, key, known, world) == 0:
                return False
            tried[lane] = world[place]
            _draw_calling_hand(turn, block, lane, rules, place, world[place], key)
        tries += 1
        replay_caller(block, waiting, first, last, rules, seating, turn.questions, agrees, counts)
        waiting = update_matches(
            waits, waiting, tried, agrees, found, hands, matches_needed, tries, draws.weights
        )  # fmt: skip
    if signal[STOP] == 0:
        weight_unfinished(waits, waiting, found, tries, draws.weights)
    for i in range(lanes):
        draws.known[i, UNSEEN] &= ~hands[i]
        draws.known[i, HAND_SIZES + place] = 0
        draws.known[i, EXCLUDED + place] = -1
    return True


@block_loop
def _draw_layouts(
    turn: CardTurn, block: Any, first: int, lanes: int, seed: int, rules: Rules, seating: Seating,
    draws: _LayoutDraws, counts: Any, signal: Any,
) -> bool:  # fmt: skip
    """Draw hidden hands that agree with the calls; False if none are possible."""
    for i in range(lanes):
        draws.keys[i] = rng.derive_deal_key(seed, first + i)
        draws.weights[i] = 1.0
        for place in range(SEATS):
            draws.hidden[i, place] = 0
        for number in range(_PUBLIC_KNOWLEDGE_SIZE):
            draws.known[i, number] = turn.known[number]
    count = turn.questions.shape[0] // OBSERVED_CALL_SIZE
    begin = 0
    while begin < count:
        end = find_next_caller(turn.questions, begin)
        # The first player's share is the same for all draws, and no weight.
        needed = 1 if begin == 0 else MATCHES_WANTED
        if not _draw_caller_hand(
            turn, block, lanes, begin, end, needed, rules, seating, draws, counts, signal
        ):
            return False
        begin = end
    known, world = np.empty(KNOWLEDGE_SIZE, np.int64), np.empty(SEATS, np.int64)
    for i in range(lanes):
        if draws.weights[i] > 0:
            if (
                _complete_layout(draws, i, rng.draw(draws.keys[i], _REST_COUNTER), known, world)
                == 0
            ):
                return False
            for place in range(SEATS):
                draws.hidden[i, place] |= world[place]
    return True


@scalar
def _has_illegal_call(block: Any) -> bool:
    """Whether a policy has made a call that is not allowed."""
    wrong = 0
    for i in range(LANES):
        wrong |= block[ILLEGAL + i]
    return wrong != 0


@block_loop
def _play_out_waiting(
    turn: CardTurn,
    branches: PlayoutQueue,
    waiting: int,
    rules: Rules,
    seating: Seating,
    outcomes: Any,
) -> None:
    """Play the waiting lanes on and note what comes of them."""
    play_out_queue(turn.state, branches, waiting, turn.trick, turn.position, rules, seating)
    own_place = (turn.state[LEADER] + turn.position) % SEATS
    for lane in range(waiting):
        outcome = outcomes[branches.where[lane]]
        write_outcome(branches.state, lane, own_place, rules, outcome)
        if branches.state[ILLEGAL + lane] != 0:
            outcome[RESULT] = ILLEGAL_RESULT


@kernel
def play_out_cards(
    turn: CardTurn, mode: int, first: int, count: int, seed: int, rules: Rules, seating: Seating,
    outcomes: Any, weights: Any, hands: Any, counts: Any, signal: Any,
) -> int:  # fmt: skip
    """Draw hidden hands that agree with the calls, and play every legal card on in each.

    Args:
        turn: how things stand.
        mode: SAMPLED or ENUMERATED; with the latter the calls are not looked at.
        first, count: numbers of the draws.
        seed: seed of the draws.
        rules, seating: the table; with `resume`.
        outcomes: int16 (count * cards, OUTCOME), filled for each draw with a weight a row a card.
        weights: float64 (count,), their weights.
        hands: int64 (count, 6), their hidden hands by place, natural coding.
        counts: int64 (2 * questions,): to it are added for each question how many hands were asked,
            and how many of them answered as heard.
        signal: int64 (2,), see STOP and SEARCHING of `core.odds`.

    Returns:
        How many draws have a weight; NO_LAYOUT, ILLEGAL_CALL or STOPPED.
    """
    block, branches, draws = allocate_inner_block(), new_playout_queue(), _allocate_draws()
    contract = turn.state[CONTRACT]
    cards = turn.cards.shape[0]
    kept = waiting = 0
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        begin = first + start
        if mode == SAMPLED:
            signal[SEARCHING] = 1
            if not _draw_layouts(
                turn, block, begin, lanes, seed, rules, seating, draws, counts, signal
            ):
                return NO_LAYOUT
            signal[SEARCHING] = 0
            if signal[STOP] != 0:
                return STOPPED
        else:
            for i in range(lanes):
                draws.keys[i] = rng.derive_deal_key(seed, begin + i)
                draws.weights[i] = 1.0
                for place in range(SEATS):
                    draws.hidden[i, place] = turn.worlds[(begin + i) * SEATS + place]
        if _has_illegal_call(block):
            return ILLEGAL_CALL
        for i in range(lanes):
            if draws.weights[i] == 0:
                continue
            weights[kept] = draws.weights[i]
            for place in range(SEATS):
                hands[kept, place] = draws.hidden[i, place]
            for which in range(cards):
                branches.sources[waiting] = 0
                branches.cards[waiting] = turn.cards[which]
                branches.keys[waiting] = draws.keys[i]
                branches.where[waiting] = kept * cards + which
                for place in range(SEATS):
                    hand = to_strength_order(draws.hidden[i, place], contract)
                    branches.hands[waiting * SEATS + place] = hand
                waiting += 1
                if waiting == LANES:
                    _play_out_waiting(turn, branches, waiting, rules, seating, outcomes)
                    waiting = 0
            kept += 1
    if waiting > 0:
        _play_out_waiting(turn, branches, waiting, rules, seating, outcomes)
    return kept


@kernel
def count_first_fives(
    turn: CardTurn, first: int, last: int, hands: Any, seed: int, rules: Rules, seating: Seating,
    ways: Any, counts: Any,
) -> bool:  # fmt: skip
    """With how many of the ways to hold his first five cards a player would have called so.

    Args:
        turn: how things stand.
        first, last: the player's questions, from `first` to before `last`.
        hands: int64 (n,), what he may hold now, natural coding.
        seed: seed of the draws of policies.
        rules, seating: the table.
        ways: int64 (n,), filled: 0 to 56, for the Sender 0 to 21; with auctions 0 or 1.
        counts: int64 (2 * questions,): to it are added for each question how many hands were asked,
            and how many of them answered as heard.

    Returns:
        False if a policy made a call that is not allowed.
    """
    block = allocate_inner_block()
    place = turn.questions[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    number_of_ways = 1
    if not rules.auction:
        number_of_ways = _FIVE_OF_SEVEN_COUNT if place == turn.state[SENDER] else FIRST_FIVE_COUNT
    agrees, of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for i in range(hands.shape[0]):
        ways[i] = 0
    lanes = 0
    end = hands.shape[0] * number_of_ways - 1
    for number in range(end + 1):
        i, way = number // number_of_ways, number % number_of_ways
        eight = turn.shown[place] | hands[i]
        _fill_shared_rows(block, lanes, turn, rng.derive_deal_key(seed, number))
        if rules.auction:
            block[cell_index(DEALT + place * STRIDE, lanes)] = eight
        else:
            five = deposit(_FIVE_OF_EIGHT[way], _first_five_candidates(turn, place, eight))
            block[cell_index(FIRST_FIVE + place * STRIDE, lanes)] = five
        of[lanes] = i
        lanes += 1
        if lanes == LANES or number == end:
            replay_caller(block, lanes, first, last, rules, seating, turn.questions, agrees, counts)
            for lane in range(lanes):
                ways[of[lane]] += agrees[lane]
            lanes = 0
    return not _has_illegal_call(block)
