"""Odds of cards: a turn to play, hidden hands drawn for it, each legal card played out in them, and
the card that a policy chooses there.

The position is lane 0 of a block, in which the hands of the other players are left open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import hidden_hands as hh
from kqj_sim.core import observed_calls as observed
from kqj_sim.core import playouts, rng
from kqj_sim.core import types as t
from kqj_sim.core.call_odds import OUTCOME_BYTES, RESULT, write_outcome
from kqj_sim.core.cards import PACK, to_natural_order, to_strength_order
from kqj_sim.core.deal import deposit
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import block_loop, int16_at, int64_at, kernel, scalar
from kqj_sim.core.round import prepare_play, record_trick
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
    """int64 (KNOWLEDGE_SIZE,): what is known of hidden hands, by place (`core.hidden_hands`), in
    natural coding."""
    shown: t.Int64Array
    """int64 (6,): known cards of each place, played or in the player's hand; natural coding."""
    observed_calls: t.Int64Array
    """int64 (n * OBSERVED_CALL_SIZE,), those of a caller one after another; empty to ignore
    them."""
    errors: t.Float64Array
    """float64 (n, ERROR_SIZE), see `core.observed_calls.estimate_errors`; (0, ERROR_SIZE) if
    players do not err."""
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
    t.Seating, knowledge: t.Int64Array,
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
        playouts.put_trick_cards(state, 1, position)
        if position == b.SEATS - 1:
            record_trick(state, 1, seating, trick)
            finish_trick(state, 1)
    hh.infer_knowledge(state, 0, plays.shape[0] // b.SEATS, plays.shape[0] % b.SEATS, knowledge)
    knowledge[hh.UNSEEN] = to_natural_order(knowledge[hh.UNSEEN], contract)
    for place in range(b.SEATS):
        knowledge[hh.EXCLUDED + place] = to_natural_order(
            knowledge[hh.EXCLUDED + place] & PACK, contract
        )


@kernel
def list_layouts(knowledge: t.Int64Array, limit: int, layouts: t.Int64Array) -> int:
    """Call `core.hidden_hands.enumerate_layouts` from Python."""
    return int(hh.enumerate_layouts(knowledge, limit, layouts))


@block_loop
def _play_out_waiting(
    turn: CardTurn, queue: playouts.PlayoutQueue, waiting: int, rules: t.Rules, seating: t.Seating,
    outcomes: t.Int16Array,
) -> None:  # fmt: skip
    playouts.play_out_queue(turn.state, queue, waiting, turn.trick, turn.position, rules, seating)
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
    turn: CardTurn, hands: t.Int64Array, keys: t.Int64Array, rules: t.Rules, seating: t.Seating,
    outcomes: t.Int16Array,
) -> None:  # fmt: skip
    """Play every legal card out in some hidden hands.

    Args:
        hands: int64 (n, 6), hidden hands by place, natural coding.
        keys: int64 (n,), keys of the players' own draws.
        rules, seating: the rules and the players, with `resume`.
        outcomes: int16 (cards * n, OUTCOME_SIZE), filled for each card with one row per draw.
    """
    queue = playouts.new_playout_queue()
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
    turn: CardTurn, keys: t.Int64Array, rules: t.Rules, seating: t.Seating, cards: t.Int64Array
) -> bool:
    """Ask the player to move for a card, once for each key; False after an illegal choice.

    Args:
        keys: int64 (n,), n at most LANES.
        cards: int64 (n,), filled with the cards, by strength.
    """
    count = keys.shape[0]
    inner, sources = b.allocate_inner_block(), np.zeros(b.LANES, np.int64)
    playouts.copy_lanes(turn.state, inner, sources, count)
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


# Hidden hands are drawn so that the others would have called as they did.
#
# Each draw is a function of (seed, number of the draw), so draws are independent of each other and
# of threads; those whose numbers divided by LISTED_DEALS are the same have lists of hands in
# common, and by FIRST_HAND_DRAWS the first caller's hand.  Within a draw, the hands tried for a
# caller are those of successive layouts
# (`core.hidden_hands.draw_next_hand`); every caller starts anew.
#
# Observed calls weight the draws as `core.observed_calls` describes.  A caller's hand is that of a
# player in a uniformly drawn distribution of all cards still unassigned.

_MATCHES_WANTED = 4
"""Matching hands to find in auctions for each caller but the first: more cost more than they gain.
Takings, whose hands are soon found, have as many as calls."""

NO_LAYOUT, ILLEGAL_CALL = -1, -3
"""Results of `draw_hidden_hands`: none are possible; a policy made an illegal call."""

_PLACE_COUNTER = 1 << 24
_REST_COUNTER = rng.HIDDEN_HAND + 8 * _PLACE_COUNTER
_FIRST_LAYOUT_COUNTER = rng.HIDDEN_HAND + 10 * _PLACE_COUNTER
"""Counters of keys: of the hands tried for a place, of the remaining cards, and of each place's
first layout; between the last two `core.weighted_draws` has one."""
_LIST_COUNTER = rng.HIDDEN_HAND + 11 * _PLACE_COUNTER
_LISTED_HAND_COUNTER = rng.HIDDEN_HAND + 12 * _PLACE_COUNTER
"""Counters of keys, by place: of lists of hands, and of the hand that a draw takes from them."""
_FIRST_FIVE_COUNTER = 1 << 20
"""Counter of draws, beyond those of `core.hidden_hands`."""

_FIVE_OF_EIGHT = np.array([mask for mask in range(256) if mask.bit_count() == 5], dtype=np.int64)
"""The subsets of five of eight cards; those of seven come first."""
_FIVE_OF_SEVEN_COUNT = 21
FIRST_FIVE_COUNT = len(_FIVE_OF_EIGHT)


class _LayoutDraws(NamedTuple):
    knowledge: t.Int64Array
    """int64 (LANES, KNOWLEDGE_SIZE): knowledge once earlier callers have their cards, and the
    latest layout that agrees with it."""
    hidden: t.Int64Array
    """int64 (LANES, 6): hidden hands by place."""


@scalar
def _knowledge_at(address: t.Address, i: int) -> t.Int64Pointer:
    """Return the knowledge of a draw; the address is that of all."""
    return int64_at(address + 8 * hh.KNOWLEDGE_SIZE * i)


@scalar
def _allocate_draws() -> _LayoutDraws:
    return _LayoutDraws(
        np.empty((b.LANES, hh.KNOWLEDGE_SIZE), np.int64),
        np.empty((b.LANES, b.SEATS), np.int64),
    )


@block_loop
def _draw_first_layouts(
    draws: _LayoutDraws, search: observed.CallerSearch, lanes: int, counter: int
) -> bool:
    """Draw hands for all who have none yet, where the draw has a weight; False if impossible."""
    address = draws.knowledge.ctypes.data
    for i in range(lanes):
        if search.weights[i] > 0:
            key = rng.draw(search.keys[i], counter)
            if not hh.draw_first_layout(_knowledge_at(address, i), key):
                return False
    return True


@scalar
def _first_five_candidates(
    place: t.Place, eight: t.CardSet, sender: t.Place, upcard: t.Card
) -> t.CardSet:
    """Return the cards that may be a place's first five; the Sender took the Return later."""
    return eight & ~upcard if place == sender else eight


class _Source(NamedTuple):
    """Source of callers' hands, by address: references to arrays would be counted."""

    knowledge: t.Address
    """`_LayoutDraws.knowledge`."""
    shown: t.Address
    """`CardTurn.shown`."""
    sender: t.Place
    upcard: t.Card


@scalar
def _draw_from_layouts(
    source: _Source, i: int, place: t.Place, key: t.Key, rules: t.Rules
) -> tuple[t.CardSet, t.CardSet]:
    """Draw a caller's hand in a draw (`make_caller_search`); with taking also the first five."""
    hidden = hh.draw_next_hand(_knowledge_at(source.knowledge, i), place, key)
    eight = int64_at(source.shown)[place] | hidden
    if rules.auction:
        return eight, hidden
    candidates = _first_five_candidates(place, eight, source.sender, source.upcard)
    return hh.draw_subset(candidates, 5, key, _FIRST_FIVE_COUNTER), hidden


_draw_caller_hands = observed.make_caller_search(_draw_from_layouts)


@scalar
def _count_listed_callers(turn: CardTurn, most: int, rules: t.Rules) -> int:
    """Return for how many callers, from the second on, hands are listed, at most so many.

    There are none unless the layouts that the plays allow can then be counted.
    """
    listed = observed.count_listed_callers(turn.observed_calls, most) if rules.auction else 0
    if listed == 0:
        return 0
    others, call = turn.known.copy(), 0
    for _ in range(listed + 1):
        others[
            hh.HAND_SIZES
            + turn.observed_calls[call * observed.OBSERVED_CALL_SIZE + observed.CALLER_PLACE]
        ] = 0
        call = observed.find_next_caller(turn.observed_calls, call)
    return listed if hh.count_restricted(others) <= 2 else 0


@block_loop
def _forget_others_plays(turn: CardTurn, draws: _LayoutDraws, lanes: int, place: t.Place) -> None:
    """Leave out what the plays tell of others than a place: then it holds any hand that it may."""
    for i in range(lanes):
        for other in range(b.SEATS):
            if other != place and turn.known[hh.HAND_SIZES + other] > 0:
                draws.knowledge[i, hh.EXCLUDED + other] = 0


@block_loop
def _weigh_others_plays(
    turn: CardTurn, search: observed.CallerSearch, draws: _LayoutDraws, lanes: int
) -> None:
    """Enter what the plays tell of those without hands, and weigh each draw by its layouts."""
    address = draws.knowledge.ctypes.data
    for i in range(lanes):
        for other in range(b.SEATS):
            if draws.knowledge[i, hh.HAND_SIZES + other] > 0:
                draws.knowledge[i, hh.EXCLUDED + other] = turn.known[hh.EXCLUDED + other]
        search.weights[i] *= hh.compute_allowed_share(_knowledge_at(address, i))


@block_loop
def _draw_layouts(
    turn: CardTurn, search: observed.CallerSearch, first: int, lanes: int, seed: int, shared:
    int, rules: t.Rules, seating: t.Seating, draws: _LayoutDraws,
) -> bool:  # fmt: skip
    """Draw hidden hands that match the observed calls; return False if none are possible.

    The hand of the first caller is shared by so many draws.
    """
    for i in range(lanes):
        search.keys[i] = rng.derive_deal_key(seed, first + i)
        search.weights[i] = 1.0
        search.assumed_errors[i] = 0
        for place in range(b.SEATS):
            draws.hidden[i, place] = 0
        for number in range(hh.PUBLIC_KNOWLEDGE_SIZE):
            draws.knowledge[i, number] = turn.known[number]
    listed_callers = _count_listed_callers(turn, search.signal[observed.LISTED], rules)
    search.signal[observed.LISTED] = listed_callers
    listed = np.empty(observed.LISTED_TRIES if listed_callers > 0 else 0, np.int64)
    search.signal[observed.SHARED] = observed.LISTED_DEALS if listed_callers > 0 else shared
    source = _Source(
        draws.knowledge.ctypes.data, turn.shown.ctypes.data, turn.state[b.SENDER],
        turn.state[b.UPCARD],
    )  # fmt: skip
    wanted = _MATCHES_WANTED if rules.auction else observed.MATCHES_WANTED
    call, caller, previous_hands = 0, 0, draws.hidden[:, 0]
    while call < turn.observed_calls.shape[0] // observed.OBSERVED_CALL_SIZE:
        next_call = observed.find_next_caller(turn.observed_calls, call)
        place = turn.observed_calls[call * observed.OBSERVED_CALL_SIZE + observed.CALLER_PLACE]
        hands = draws.hidden[:, place]
        is_listed = 1 <= caller <= listed_callers
        for i in range(lanes if caller > 0 else 0):
            key = search.keys[i]
            if is_listed:
                key = rng.derive_deal_key(seed, (first + i) & -observed.LISTED_DEALS)
            observed.assume_errors(search, call, next_call, i, key)
        if is_listed:
            may = turn.known[hh.UNSEEN] & ~turn.known[hh.EXCLUDED + place]
            count = 0
            for i in range(lanes):
                if i == 0 or (first + i) % observed.LISTED_DEALS == 0:
                    key = rng.derive_deal_key(seed, (first + i) & -observed.LISTED_DEALS)
                    key = rng.draw(key, _LIST_COUNTER + place)
                    count = observed.list_matching_hands(
                        search, call, next_call, may, turn.shown[place], key,
                        search.assumed_errors[i], rules, seating, listed,
                    )  # fmt: skip
                left = draws.knowledge[i, hh.UNSEEN]
                key = rng.draw(search.keys[i], _LISTED_HAND_COUNTER + place)
                search.weights[i] *= observed.draw_listed_hand(listed, count, left, key, hands, i)
        elif rules.auction and caller == b.SEATS - 2:
            observed.draw_last_hands(
                search, lanes, call, next_call, rng.HIDDEN_HAND + (place + 1) * _PLACE_COUNTER,
                turn.shown[place], rules, seating, draws.knowledge[:, hh.UNSEEN], previous_hands,
                hands,
            )  # fmt: skip
        else:
            if caller == 0 and listed_callers > 0:
                if not hh.draw_first_layout(_knowledge_at(source.knowledge, 0), search.keys[0]):
                    return False
                _forget_others_plays(turn, draws, lanes, place)
            for i in range(lanes if caller == 0 else 0):
                is_first = i == 0 or (first + i) % shared == 0
                search.keys[i] = rng.derive_deal_key(seed, (first + i) & -shared)
                # Draws weigh as much together as the one hand that is tried for them.
                search.weights[i] = 1.0 / shared if is_first else 0.0
            if not _draw_first_layouts(draws, search, lanes, _FIRST_LAYOUT_COUNTER + place):
                return False
            _draw_caller_hands(
                search, source, lanes, caller, wanted, call, next_call, _PLACE_COUNTER, rules,
                seating, hands,
            )  # fmt: skip
            for i in range(lanes if caller == 0 else 0):
                search.keys[i] = rng.derive_deal_key(seed, first + i)
                if i > 0 and (first + i) % shared > 0:
                    search.weights[i], hands[i] = search.weights[i - 1], hands[i - 1]
        for i in range(lanes):
            draws.knowledge[i, hh.UNSEEN] &= ~hands[i]
            draws.knowledge[i, hh.HAND_SIZES + place] = 0
            draws.knowledge[i, hh.EXCLUDED + place] = -1
        if caller == listed_callers > 0:
            _weigh_others_plays(turn, search, draws, lanes)
        call, caller, previous_hands = next_call, caller + 1, hands
    if not _draw_first_layouts(draws, search, lanes, _REST_COUNTER):
        return False
    for i in range(lanes):
        for place in range(b.SEATS):
            if search.weights[i] > 0:
                left = hh.read_hidden_hand(_knowledge_at(source.knowledge, i), place)
                draws.hidden[i, place] |= left
    return True


@scalar
def _new_search(
    turn: CardTurn, counts: t.Int64Array, signal: t.Int64Array
) -> observed.CallerSearch:
    search = observed.CallerSearch(
        b.allocate_inner_block(), turn.observed_calls, np.empty(b.LANES, np.int64),
        np.empty(b.LANES), counts, signal, turn.errors, np.zeros(b.LANES, np.int64),
        np.zeros(b.LANES, np.int64), np.zeros((b.LANES, observed.MATCHES_WANTED), np.int64),
    )  # fmt: skip
    observed.fill_deal_rows(search.state, turn.state[b.PLAYERS], turn.state[b.UPCARD])
    return search


@kernel
def draw_hidden_hands(
    turn: CardTurn, first: int, count: int, seed: int, rules: t.Rules, seating: t.Seating,
    keys: t.Int64Array, weights: t.Float64Array, hands: t.Int64Array, counts: t.Int64Array,
    signal: t.Int64Array,
) -> int:  # fmt: skip
    """Draw hidden hands that match the observed calls.

    Args:
        first, count: number of the first draw, and how many.
        keys: int64 (count,), filled with the keys of the draws that have a weight.
        weights: float64 (count,), filled with their weights.
        hands: int64 (count, 6), filled with their hidden hands by place, natural coding.
        counts: int64 (2 * n,); for each call the number of hands asked, and of those that made it,
            are added.
        signal: int64 (SIGNAL_SIZE,), see `core.observed_calls.STOP`.

    Returns:
        Number of draws with a weight; NO_LAYOUT, ILLEGAL_CALL or STOPPED.
    """
    search, draws = _new_search(turn, counts, signal), _allocate_draws()
    kept, shared = 0, 1
    # To find a hand with which the first caller bids takes most of the time.
    if rules.auction and signal[observed.LISTED] > 0 and len(turn.observed_calls) > 0:
        is_silent = observed.is_silent_call(turn.observed_calls, 0)
        shared = 1 if is_silent else observed.FIRST_HAND_DRAWS
    begin, end = first, first + count
    while begin < end:
        lanes = min(b.LANES, end - begin)
        signal[observed.SEARCHING] = 1
        if not _draw_layouts(turn, search, begin, lanes, seed, shared, rules, seating, draws):
            return NO_LAYOUT
        signal[observed.SEARCHING] = 0
        if signal[observed.STOP] != 0:
            return observed.STOPPED
        if observed.has_illegal_choice(search.state):
            return ILLEGAL_CALL
        for i in range(lanes):
            if search.weights[i] > 0:
                keys[kept] = search.keys[i]
                weights[kept] = search.weights[i]
                for place in range(b.SEATS):
                    hands[kept, place] = draws.hidden[i, place]
                kept += 1
        begin += lanes
    return kept


@kernel
def count_first_fives(
    turn: CardTurn, first: int, last: int, hands: t.Int64Array, seed: int, rules: t.Rules,
    seating: t.Seating, ways: t.Float64Array, counts: t.Int64Array,
) -> bool:  # fmt: skip
    """Count the ways to hold first cards that make the observed calls; False after an illegal one.

    If players err, each way counts the chance of the calls.

    Args:
        first, last: the player's calls, from `first` to before `last`.
        hands: int64 (n,), hands that the player may hold now, natural coding.
        ways: float64 (n,), filled: 0 to 56, for the Sender 0 to 21; with auctions 0 to 1.
        counts: int64 (2 * calls,); for each call the number of hands asked, and of those that made
            it, are added.
    """
    search = _new_search(turn, counts, np.zeros(observed.SIGNAL_SIZE, np.int64))
    place = turn.observed_calls[first * observed.OBSERVED_CALL_SIZE + observed.CALLER_PLACE]
    sender, upcard = turn.state[b.SENDER], turn.state[b.UPCARD]
    way_count = 1
    if not rules.auction:
        way_count = _FIVE_OF_SEVEN_COUNT if place == sender else FIRST_FIVE_COUNT
    calling, sources = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    chances = np.empty(b.LANES)
    for i in range(hands.shape[0]):
        ways[i] = 0
    lanes = 0
    end = hands.shape[0] * way_count - 1
    for number in range(end + 1):
        i, way = number // way_count, number % way_count
        calling[lanes] = turn.shown[place] | hands[i]
        if not rules.auction:
            candidates = _first_five_candidates(place, calling[lanes], sender, upcard)
            calling[lanes] = deposit(_FIVE_OF_EIGHT[way], candidates)
        search.keys[lanes] = rng.derive_deal_key(seed, number)
        sources[lanes] = i
        lanes += 1
        if lanes == b.LANES or number == end:
            observed.compute_call_chances(
                search, first, last, lanes, calling, rules, seating, chances
            )
            for lane in range(lanes):
                ways[sources[lane]] += chances[lane]
            lanes = 0
    return not observed.has_illegal_choice(search.state)
