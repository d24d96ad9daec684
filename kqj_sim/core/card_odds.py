"""Odds of cards: hidden hands sampled at a turn to play, and each legal card played out in them;
and the card that a policy chooses there.

The position is lane 0 of a block, in which the hands of the other players are left open.  Each
draw of hidden hands is a function of (seed, number of the draw), so draws are independent of each
other and of threads.  Within a draw, the hands tried for a caller are those of successive layouts
(`core.hidden_hands.draw_next_hand`); every caller starts anew.

Observed calls weight the draws as `core.observed_calls` describes.  A caller's hand is that of a
player in a uniformly drawn distribution of all cards still unassigned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block, rng
from kqj_sim.core.block import (
    LANES,
    SEATS,
    STRIDE,
    allocate_inner_block,
    cell_index,
    history_offset,
    pad_lanes,
)
from kqj_sim.core.call_odds import RESULT, write_outcome
from kqj_sim.core.cards import PACK, to_natural_order, to_strength_order
from kqj_sim.core.deal import deposit
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.hidden_hands import (
    KNOWLEDGE_SIZE,
    draw_first_layout,
    draw_next_hand,
    draw_subset,
    enumerate_layouts,
    read_hidden_hand,
)
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.knowledge import (
    EXCLUDED,
    HAND_SIZES,
    PUBLIC_KNOWLEDGE_SIZE,
    UNSEEN,
    infer_knowledge,
)
from kqj_sim.core.observed_calls import (
    CALLER_PLACE,
    OBSERVED_CALL_SIZE,
    SEARCHING,
    STOP,
    STOPPED,
    CallerSearch,
    fill_deal_rows,
    find_next_caller,
    has_illegal_choice,
    make_caller_search,
    put_calling_hand,
    replay_caller,
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
from kqj_sim.core.types import (
    Block,
    Card,
    CardSet,
    Float64Array,
    Int16Array,
    Int64Array,
    Key,
    Place,
    Position,
)

ILLEGAL_RESULT = -1
"""Result where a policy made an illegal choice."""
NO_LAYOUT, ILLEGAL_CALL = -1, -3
"""Results of `draw_hidden_hands`: none are possible; a policy made an illegal call."""

_PLACE_COUNTER = 1 << 24
_REST_COUNTER = rng.HIDDEN_HAND + 8 * _PLACE_COUNTER
_FIRST_LAYOUT_COUNTER = rng.HIDDEN_HAND + 10 * _PLACE_COUNTER
"""Counters of keys: of the hands tried for a place, of the remaining cards, and of each place's
first layout; between the last two `core.weighted_draws` has one."""
_FIRST_FIVE_COUNTER = 1 << 20
"""Counter of draws, beyond those of `core.hidden_hands`."""

_FIVE_OF_EIGHT = np.array(
    [mask for mask in range(256) if mask.bit_count() == 5],
    dtype=np.int64,
)
"""The subsets of five of eight cards; those of seven come first."""
_FIVE_OF_SEVEN_COUNT = 21
FIRST_FIVE_COUNT = len(_FIVE_OF_EIGHT)


class CardTurn(NamedTuple):
    """A turn to play."""

    state: Block
    """Block whose lane 0 stands at that turn, with the finished tricks kept."""
    trick: int
    """0 to 7."""
    position: Position
    known: Int64Array
    """int64 (KNOWLEDGE_SIZE,): what is known of hidden hands, by place (`core.knowledge`), in
    natural coding."""
    shown: Int64Array
    """int64 (6,): known cards of each place, played or in the player's hand; natural coding."""
    observed_calls: Int64Array
    """int64 (n * OBSERVED_CALL_SIZE,), those of a caller one after another; empty to ignore
    them."""
    layouts: Int64Array
    """int64 (6 * n,): list of hidden hands, natural coding; empty if there is none."""
    cards: Int64Array
    """int64 (m,): the legal cards, by strength."""


CALLED_ROWS = (
    block.PLAYERS, block.DEALER, block.PENDING, block.UPCARD, block.SENDER, block.CONTRACT,
    block.AMOUNT, block.CAPOT, block.STAKE,
)  # fmt: skip
"""Rows that describe a round when its calls are over; LAP is 1."""


@kernel
def replay_plays(
    state: Block, called: Int64Array, shown: Int64Array, plays: Int64Array, seating: Seating,
    knowledge: Int64Array,
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
    state[block.LAP] = 1
    for place in range(SEATS):
        state[cell_index(block.DEALT + place * STRIDE, 0)] = shown[place]
    contract = state[block.CONTRACT]
    prepare_play(state, 1)
    for number in range(plays.shape[0]):
        trick, position = number // SEATS, number % SEATS
        card = to_strength_order(plays[number], contract)
        state[cell_index(block.TRICK_CARDS + position * STRIDE, 0)] = card
        put_trick_cards(state, 1, position)
        if position == SEATS - 1:
            record_trick(state, 1, seating, trick)
            finish_trick(state, 1)
    infer_knowledge(state, 0, plays.shape[0] // SEATS, plays.shape[0] % SEATS, knowledge)
    knowledge[UNSEEN] = to_natural_order(knowledge[UNSEEN], contract)
    for place in range(SEATS):
        knowledge[EXCLUDED + place] = to_natural_order(knowledge[EXCLUDED + place] & PACK, contract)


@kernel
def list_layouts(knowledge: Int64Array, limit: int, layouts: Int64Array) -> int:
    """Call `core.hidden_hands.enumerate_layouts` from Python."""
    return int(enumerate_layouts(knowledge, limit, layouts))


class _LayoutDraws(NamedTuple):
    """Draws of hidden hands, side by side."""

    knowledge: Int64Array
    """int64 (LANES, KNOWLEDGE_SIZE): knowledge once earlier callers have their cards, and the
    latest layout that agrees with it."""
    hidden: Int64Array
    """int64 (LANES, 6): hidden hands by place."""
    shown: Int64Array
    """`CardTurn.shown`."""
    sender: Place
    upcard: Card


@scalar
def _allocate_draws(turn: CardTurn) -> _LayoutDraws:
    """Return space for a block of draws."""
    return _LayoutDraws(
        np.empty((LANES, KNOWLEDGE_SIZE), np.int64),
        np.empty((LANES, SEATS), np.int64),
        turn.shown,
        turn.state[block.SENDER],
        turn.state[block.UPCARD],
    )


@block_loop
def _draw_first_layouts(
    draws: _LayoutDraws, search: CallerSearch, lanes: int, counter: int
) -> bool:
    """Draw hands for all who have none yet, where the draw has a weight; False if impossible."""
    for i in range(lanes):
        if search.weights[i] > 0:
            key = rng.draw(search.keys[i], counter)
            if not draw_first_layout(draws.knowledge[i], key):
                return False
    return True


@scalar
def _first_five_candidates(place: Place, eight: CardSet, sender: Place, upcard: Card) -> CardSet:
    """Return the cards that may be a place's first five; the Sender took the Return later."""
    return eight & ~upcard if place == sender else eight


@scalar
def _draw_from_layouts(
    draws: _LayoutDraws, i: int, place: Place, key: Key, rules: Rules
) -> tuple[CardSet, CardSet]:
    """Draw a caller's hand in a draw (`make_caller_search`); with taking also the first five."""
    hidden = draw_next_hand(draws.knowledge[i], place, key)
    eight = draws.shown[place] | hidden
    if rules.auction:
        return eight, hidden
    candidates = _first_five_candidates(place, eight, draws.sender, draws.upcard)
    return draw_subset(candidates, 5, key, _FIRST_FIVE_COUNTER), hidden


_draw_caller_hands = make_caller_search(_draw_from_layouts)


@block_loop
def _draw_layouts(
    turn: CardTurn, search: CallerSearch, first: int, lanes: int, seed: int, rules: Rules,
    seating: Seating, draws: _LayoutDraws,
) -> bool:  # fmt: skip
    """Draw hidden hands that match the observed calls; return False if none are possible."""
    for i in range(lanes):
        search.keys[i] = rng.derive_deal_key(seed, first + i)
        search.weights[i] = 1.0
        for place in range(SEATS):
            draws.hidden[i, place] = 0
        for number in range(PUBLIC_KNOWLEDGE_SIZE):
            draws.knowledge[i, number] = turn.known[number]
    call = 0
    while call < turn.observed_calls.shape[0] // OBSERVED_CALL_SIZE:
        next_call = find_next_caller(turn.observed_calls, call)
        place = turn.observed_calls[call * OBSERVED_CALL_SIZE + CALLER_PLACE]
        hands = draws.hidden[:, place]
        if not _draw_first_layouts(draws, search, lanes, _FIRST_LAYOUT_COUNTER + place):
            return False
        _draw_caller_hands(
            search, draws, lanes, call, next_call, _PLACE_COUNTER, rules, seating, hands,
        )  # fmt: skip
        for i in range(lanes):
            draws.knowledge[i, UNSEEN] &= ~hands[i]
            draws.knowledge[i, HAND_SIZES + place] = 0
            draws.knowledge[i, EXCLUDED + place] = -1
        call = next_call
    if not _draw_first_layouts(draws, search, lanes, _REST_COUNTER):
        return False
    for i in range(lanes):
        for place in range(SEATS):
            if search.weights[i] > 0:
                draws.hidden[i, place] |= read_hidden_hand(draws.knowledge[i], place)
    return True


@block_loop
def _play_out_waiting(
    turn: CardTurn, queue: PlayoutQueue, waiting: int, rules: Rules, seating: Seating,
    outcomes: Int16Array,
) -> None:  # fmt: skip
    """Play the waiting lanes out and write their outcomes."""
    play_out_queue(turn.state, queue, waiting, turn.trick, turn.position, rules, seating)
    own_place = (turn.state[block.LEADER] + turn.position) % SEATS
    for lane in range(waiting):
        outcome = outcomes[queue.targets[lane]]
        write_outcome(queue.state, lane, own_place, rules, outcome)
        if queue.state[block.ILLEGAL + lane] != 0:
            outcome[RESULT] = ILLEGAL_RESULT


@scalar
def _new_search(turn: CardTurn, counts: Int64Array, signal: Int64Array) -> CallerSearch:
    """Return an empty search for the callers of a turn."""
    search = CallerSearch(
        allocate_inner_block(), turn.observed_calls, np.empty(LANES, np.int64), np.empty(LANES),
        counts, signal,
    )  # fmt: skip
    fill_deal_rows(search.state, turn.state[block.PLAYERS], turn.state[block.UPCARD])
    return search


@kernel
def draw_hidden_hands(
    turn: CardTurn, first: int, count: int, seed: int, rules: Rules, seating: Seating,
    keys: Int64Array, weights: Float64Array, hands: Int64Array, counts: Int64Array,
    signal: Int64Array,
) -> int:  # fmt: skip
    """Draw hidden hands that match the observed calls.

    Args:
        turn: the turn to play.
        first, count: number of the first draw, and how many.
        seed: seed of the draws.
        rules, seating: the rules and the players.
        keys: int64 (count,), filled with the keys of the draws that have a weight.
        weights: float64 (count,), filled with their weights.
        hands: int64 (count, 6), filled with their hidden hands by place, natural coding.
        counts: int64 (2 * n,); for each call the number of hands asked, and of those that made it,
            are added.
        signal: int64 (2,), see `core.observed_calls.STOP`.

    Returns:
        Number of draws with a weight; NO_LAYOUT, ILLEGAL_CALL or STOPPED.
    """
    search, draws = _new_search(turn, counts, signal), _allocate_draws(turn)
    kept = 0
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        begin = first + start
        signal[SEARCHING] = 1
        if not _draw_layouts(turn, search, begin, lanes, seed, rules, seating, draws):
            return NO_LAYOUT
        signal[SEARCHING] = 0
        if signal[STOP] != 0:
            return STOPPED
        if has_illegal_choice(search.state):
            return ILLEGAL_CALL
        for i in range(lanes):
            if search.weights[i] > 0:
                keys[kept] = search.keys[i]
                weights[kept] = search.weights[i]
                for place in range(SEATS):
                    hands[kept, place] = draws.hidden[i, place]
                kept += 1
    return kept


@kernel
def play_out_cards(
    turn: CardTurn, hands: Int64Array, keys: Int64Array, rules: Rules, seating: Seating,
    outcomes: Int16Array,
) -> None:  # fmt: skip
    """Play every legal card out in some hidden hands.

    Args:
        turn: the turn to play.
        hands: int64 (n, 6), hidden hands by place, natural coding.
        keys: int64 (n,), keys of the players' own draws.
        rules, seating: the rules and the players, with `resume`.
        outcomes: int16 (cards * n, OUTCOME_SIZE), filled for each card with one row per draw.
    """
    queue = new_playout_queue()
    contract = turn.state[block.CONTRACT]
    cards, count = turn.cards.shape[0], hands.shape[0]
    waiting = 0
    for i in range(count):
        for which in range(cards):
            queue.sources[waiting] = 0
            queue.cards[waiting] = turn.cards[which]
            queue.keys[waiting] = keys[i]
            queue.targets[waiting] = which * count + i
            for place in range(SEATS):
                hand = to_strength_order(hands[i, place], contract)
                queue.hands[waiting * SEATS + place] = hand
            waiting += 1
            if waiting == LANES:
                _play_out_waiting(turn, queue, waiting, rules, seating, outcomes)
                waiting = 0
    if waiting > 0:
        _play_out_waiting(turn, queue, waiting, rules, seating, outcomes)


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
def count_first_fives(
    turn: CardTurn, first: int, last: int, hands: Int64Array, seed: int, rules: Rules,
    seating: Seating, ways: Int64Array, counts: Int64Array,
) -> bool:  # fmt: skip
    """Count the ways to hold the first five cards with which a player makes the observed calls.

    Args:
        turn: the turn to play.
        first, last: the player's calls, from `first` to before `last`.
        hands: int64 (n,), hands that the player may hold now, natural coding.
        seed: seed of the policies' draws.
        rules, seating: the rules and the players.
        ways: int64 (n,), filled: 0 to 56, for the Sender 0 to 21; with auctions 0 or 1.
        counts: int64 (2 * calls,); for each call the number of hands asked, and of those that made
            it, are added.

    Returns:
        False if a policy made an illegal call.
    """
    search = _new_search(turn, counts, np.zeros(2, np.int64))
    place = turn.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    sender, upcard = turn.state[block.SENDER], turn.state[block.UPCARD]
    way_count = 1
    if not rules.auction:
        way_count = _FIVE_OF_SEVEN_COUNT if place == sender else FIRST_FIVE_COUNT
    matching, sources = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for i in range(hands.shape[0]):
        ways[i] = 0
    lanes = 0
    end = hands.shape[0] * way_count - 1
    for number in range(end + 1):
        i, way = number // way_count, number % way_count
        calling = turn.shown[place] | hands[i]
        if not rules.auction:
            candidates = _first_five_candidates(place, calling, sender, upcard)
            calling = deposit(_FIVE_OF_EIGHT[way], candidates)
        put_calling_hand(search.state, lanes, place, calling, rules)
        search.state[block.KEY + lanes] = rng.derive_deal_key(seed, number)
        sources[lanes] = i
        lanes += 1
        if lanes == LANES or number == end:
            for k in range(replay_caller(search, lanes, first, last, rules, seating, matching)):
                ways[sources[matching[k]]] += 1
            lanes = 0
    return not has_illegal_choice(search.state)
