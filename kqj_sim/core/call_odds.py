"""Odds of calls: deals that match the observed calls, with each possible call played out in them;
and the call that a policy makes there.

The hands of players who have called are drawn as `core.observed_calls` describes, all other cards
at random from those that remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import observed_calls as observed
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import PACK, popcount
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.dispatch import ask
from kqj_sim.core.hidden_hands import BINOMIALS
from kqj_sim.core.jit import block_loop, int16_at, int64_at, kernel, scalar
from kqj_sim.core.playouts import PUBLIC_ROWS, play_called, resume_calls
from kqj_sim.core.scoring import PASSED_OUT, count_announcements

OBSERVER_PLACE, OBSERVER_CARDS, OBSERVED_RETURN, OBSERVED_PLAYERS, OBSERVED_GRATUITY = range(5)
"""Entries of the observer's knowledge: place and cards of the asking player, the Return (0 in
auctions), the row PLAYERS of every deal, and the litigation gratuity carried into the round."""
OBSERVER_SIZE = 5

OPTION_TURN, OPTION_PENDING, OPTION_ROWS = range(3)
"""Entries of an option, a call to try: where calls resume after it (`core.round`), and from which
on it has the rows `PUBLIC_ROWS` after the call."""
OPTION_SIZE = OPTION_ROWS + len(PUBLIC_ROWS)

(
    RESULT, OWN_PLAYS, OWN_TOTAL, OWN_TRICKS, OWN_SCORE, OTHER_SCORE, OWN_KQ, OWN_KQJ,
    OWN_COUNTERED, DOUBLE_LEAD, UNCOUNTERED_DOUBLE_LEAD, TEAM_SCORES,
) = range(12)  # fmt: skip
"""Entries of an outcome: the result (`core.scoring`); 1 if the asking player's team is the
contracting one; its total, tricks and score; the best other score; its number of KQ and of KQJ; 1
if its bid was countered; twice its lead, its score minus the mean of the others'; the same if the
bidding goes on without counters where it was; the scores of up to three teams."""
OUTCOME_SIZE = TEAM_SCORES + 3
OUTCOME_BYTES = 2 * OUTCOME_SIZE

_HAND_PARTS = 2 * b.SEATS
_CALLER_COUNTER, _REST_COUNTER = 1 << 20, 1 << 10
"""Steps of counters, by place: of draws of callers' hands, and of all other cards."""

_LIST_COUNTER = rng.HIDDEN_HAND + 8 * _CALLER_COUNTER
_LISTED_HAND_COUNTER = rng.HIDDEN_HAND + 9 * _CALLER_COUNTER
"""Counters of keys, by place: of lists of hands, and of the hand that a deal takes from them."""

_RESULT = b.column_offset("result")
_TOTAL = b.column_offset("total_0")
_TRICKS = b.column_offset("tricks_0")
_SCORE = b.column_offset("score_0")


@scalar
def _hand_index(part: int, lane: t.Lane) -> np.uint64:
    """Return the index of a place's first (part 0 to 5) or further cards (6 to 11) in `hands`."""
    return b.cell_index(part * b.LANES, lane)


@scalar
def _calling_hand_size(rules: t.Rules) -> int:
    return b.TRICKS if rules.auction else 5


@block_loop
def fill_observed_rows(state: t.Block, observer: t.Int64Array) -> None:
    """Fill the rows that are the same in all lanes."""
    observed.fill_deal_rows(state, observer[OBSERVED_PLAYERS], observer[OBSERVED_RETURN])
    for lane in range(b.LANES):
        state[b.DEALER + lane] = b.SEATS - 1
        state[b.PENDING + lane] = observer[OBSERVED_GRATUITY]


@scalar
def _draw_from_remaining(
    remaining: t.Int64Pointer, deal: int, place: t.Place, key: t.Key, rules: t.Rules
) -> tuple[t.CardSet, t.CardSet]:
    """Draw a caller's hand from the cards that remain in a deal (`make_caller_search`)."""
    hand = draw_cards(remaining[deal], _calling_hand_size(rules), key, rng.HIDDEN_HAND)
    return hand, hand


_draw_caller_hands = observed.make_caller_search(_draw_from_remaining)


@kernel
def choose_calls(
    observer: t.Int64Array, question: t.Int64Array, keys: t.Int64Array, rules: t.Rules, seating:
    t.Seating, answers: t.Int64Array,
) -> bool:  # fmt: skip
    """Ask a player for a call, once for each key; False after an illegal choice.

    Args:
        observer: int64 (OBSERVER_SIZE,), what the player knows.
        question: int64 (OBSERVED_CALL_SIZE,); the call made is ignored.
        keys: int64 (n,), n at most LANES.
        answers: int64 (n,), filled with the calls as policies give them.
    """
    state, place, count = b.allocate_inner_block(), observer[OBSERVER_PLACE], keys.shape[0]
    observed.fill_deal_rows(state, observer[OBSERVED_PLAYERS], observer[OBSERVED_RETURN])
    observed.fill_public_rows(state, count, question, observed.CALL_ROWS)
    for lane in range(b.pad_lanes(count)):
        state[b.KEY + lane] = keys[min(lane, count - 1)]
        observed.put_calling_hand(state, lane, place, observer[OBSERVER_CARDS], rules)
        state[b.STILL_CALLING + lane] = 1
        state[b.MAY_COUNTER + lane] = 1
    ask(
        seating, question[observed.CALL_LOOP], state, count, place,
        question[observed.CALL_ARGUMENT], rules.teams, question[observed.CALL_RULE],
    )  # fmt: skip
    for lane in range(count):
        answers[lane] = state[b.CALL + lane]
        if state[b.ILLEGAL + lane] != 0:
            return False
    return True


@kernel
def begin_deals(
    state: t.Block, first: int, lanes: int, seed: int, observer: t.Int64Array, hands: t.Int64Array,
    keys: t.Int64Array, weights: t.Float64Array, remaining: t.Int64Array,
) -> None:  # fmt: skip
    """Begin to draw deals: `draw_callers` and `deal_remaining` complete them.

    Args:
        first, lanes: number of the first deal, and how many, at most LANES.
        seed: seed of the draws; a deal is a function of it and its number.
        observer: int64 (OBSERVER_SIZE,).
        hands: int64 (12 * LANES,), filled with those known: first cards of each place, then
            further cards.
        keys: int64 (LANES,), filled with the keys of the deals.
        weights: float64 (LANES,), filled with 1.
        remaining: int64 (LANES,), filled with the cards that nobody has.
    """
    fill_observed_rows(state, observer)
    own_place, own = observer[OBSERVER_PLACE], observer[OBSERVER_CARDS]
    for part in range(_HAND_PARTS):
        for i in range(lanes):
            hands[_hand_index(part, i)] = own if part == own_place else 0
    for i in range(lanes):
        keys[i] = rng.derive_deal_key(seed, first + i)
        weights[i] = 1.0
        remaining[i] = PACK & ~(own | observer[OBSERVED_RETURN])


@kernel
def draw_callers(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, observed_calls: t.Int64Array,
    hands: t.Int64Array, keys: t.Int64Array, weights: t.Float64Array, counts: t.Int64Array,
    signal: t.Int64Array, errors: t.Float64Array, remaining: t.Int64Array, shares: t.Float64Array,
) -> None:  # fmt: skip
    """Draw the hands of those who called, so that they would have called as observed.

    Not compiled unless there are such calls.

    Args:
        state, lanes, hands, keys, weights, remaining: the deals of `begin_deals`; hands and
            weights are filled, and remaining cards taken out.
        observed_calls: int64 (n * OBSERVED_CALL_SIZE,), those of a caller one after another.
        counts: int64 (2 * n,); for each call the number of hands asked, and of those that made it,
            are added.
        signal: int64 (SIGNAL_SIZE,), see `core.observed_calls.STOP`.
        errors: float64 (n, ERROR_SIZE) of `core.observed_calls.estimate_errors`, or (0, ERROR_SIZE)
            if players do not err.
        shares: float64 (n, LANES), filled by caller with the weights once the caller has a hand.
    """
    search = observed.CallerSearch(
        state, observed_calls, keys, weights, counts, signal, errors, np.zeros(b.LANES, np.int64),
        np.zeros(b.LANES, np.int64), np.zeros((b.LANES, observed.MATCHES_WANTED), np.int64),
    )  # fmt: skip
    signal[observed.SEARCHING] = 1
    listed_callers = 0
    if rules.auction:
        listed_callers = observed.count_listed_callers(observed_calls, signal[observed.LISTED])
    signal[observed.LISTED] = listed_callers
    signal[observed.SHARED] = observed.LISTED_DEALS if listed_callers > 0 else 1
    listed = np.empty(observed.LISTED_TRIES if listed_callers > 0 else 0, np.int64)
    unseen, previous_hands = remaining[0], hands
    call, caller = 0, 0
    while call < observed_calls.shape[0] // observed.OBSERVED_CALL_SIZE:
        next_call = observed.find_next_caller(observed_calls, call)
        place = observed_calls[call * observed.OBSERVED_CALL_SIZE + observed.CALLER_PLACE]
        caller_hands = hands[place * b.LANES :]
        is_listed = 1 <= caller <= listed_callers
        for i in range(lanes if caller > 0 else 0):
            key = keys[i & -observed.LISTED_DEALS if is_listed else i]
            observed.assume_errors(search, call, next_call, i, key)
        if is_listed:
            count, all_hands = 0, BINOMIALS[popcount(unseen), b.TRICKS]
            for i in range(lanes):
                if i % observed.LISTED_DEALS == 0:
                    key = rng.draw(keys[i], _LIST_COUNTER + place)
                    count = observed.list_matching_hands(
                        search, call, next_call, unseen, 0, key, search.assumed_errors[i],
                        rules, seating, listed,
                    )  # fmt: skip
                key = rng.draw(keys[i], _LISTED_HAND_COUNTER + place)
                weights[i] *= all_hands / BINOMIALS[popcount(remaining[i]), b.TRICKS]
                weights[i] *= observed.draw_listed_hand(
                    listed, count, remaining[i], key, caller_hands, i
                )
        elif rules.auction and caller == b.SEATS - 2:
            observed.draw_last_hands(
                search, lanes, call, next_call, rng.HIDDEN_HAND + (place + 1) * _CALLER_COUNTER, 0,
                rules, seating, remaining, previous_hands, caller_hands,
            )  # fmt: skip
        else:
            _draw_caller_hands(
                search, int64_at(remaining.ctypes.data), lanes, caller, observed.MATCHES_WANTED,
                call, next_call, _CALLER_COUNTER, rules, seating, caller_hands,
            )  # fmt: skip
        for i in range(lanes):
            remaining[i] &= ~caller_hands[i]
            shares[caller, i] = weights[i]
        call, caller, previous_hands = next_call, caller + 1, caller_hands
    signal[observed.SEARCHING] = 0


@kernel
def deal_remaining(
    state: t.Block, lanes: int, rules: t.Rules, observer: t.Int64Array, observed_calls:
    t.Int64Array, hands: t.Int64Array, keys: t.Int64Array, weights: t.Float64Array, signal:
    t.Int64Array, remaining: t.Int64Array,
) -> int:  # fmt: skip
    """Deal the cards that nobody has; arguments as of `draw_callers`, or of `begin_deals`.

    Return the number of deals with a weight, which come first in `hands`, `keys` and `weights`; -1
    if a policy made an illegal choice; or STOPPED.
    """
    known = 1 << observer[OBSERVER_PLACE]
    for call in range(observed_calls.shape[0] // observed.OBSERVED_CALL_SIZE):
        known |= 1 << observed_calls[call * observed.OBSERVED_CALL_SIZE + observed.CALLER_PLACE]
    for i in range(lanes):
        left = remaining[i]
        for part in range(_HAND_PARTS):
            place = part % b.SEATS
            size = _calling_hand_size(rules)
            if part >= b.SEATS:
                size = b.TRICKS - size
                size -= 1 if size > 0 and place == b.SEATS - 1 else 0
            elif (known >> place) & 1 != 0:
                continue
            cards = draw_cards(left, size, keys[i], rng.HIDDEN_HAND + part * _REST_COUNTER)
            hands[_hand_index(part, i)] = cards
            left ^= cards
    if observed.has_illegal_choice(state):
        return -1
    if signal[observed.STOP] != 0:
        return observed.STOPPED
    return _move_weighted_first(lanes, hands, keys, weights)


@scalar
def _move_weighted_first(
    lanes: int, hands: t.Int64Array, keys: t.Int64Array, weights: t.Float64Array
) -> int:
    live = 0
    for i in range(lanes):
        if weights[i] > 0:
            weights[live] = weights[i]
            keys[live] = keys[i]
            for part in range(_HAND_PARTS):
                hands[_hand_index(part, live)] = hands[_hand_index(part, i)]
            live += 1
    return live


@scalar
def fill_block(
    state: t.Block, lanes: int, hands: t.Int64Array, keys: t.Int64Array, option: t.Int64Array
) -> None:
    """Put the deals into the block, with a call made."""
    for place in range(b.SEATS):
        offset = place * b.STRIDE
        for i in range(lanes):
            first, further = hands[_hand_index(place, i)], hands[_hand_index(b.SEATS + place, i)]
            state[b.cell_index(b.FIRST_FIVE + offset, i)] = first
            state[b.cell_index(b.FURTHER_CARDS + offset, i)] = further
    for i in range(lanes):
        state[b.KEY + i] = keys[i]
    observed.fill_public_rows(state, lanes, option, OPTION_ROWS)


@scalar
def write_outcome(
    state: t.Block, lane: t.Lane, own_place: t.Place, rules: t.Rules, outcome: t.Int16Array
) -> None:
    """Write the outcome of a played lane, int16 (OUTCOME_SIZE,), for the team of a place."""
    own_team = b.team_of(state[b.PLAYERS + lane], own_place)
    own = own_team * b.STRIDE
    outcome[RESULT] = state[_RESULT + lane]
    outcome[OWN_PLAYS] = 1 if state[b.SENDER_TEAM + lane] == own_team else 0
    outcome[OWN_TOTAL] = state[b.cell_index(_TOTAL + own, lane)]
    outcome[OWN_TRICKS] = state[b.cell_index(_TRICKS + own, lane)]
    outcome[OWN_SCORE] = state[b.cell_index(_SCORE + own, lane)]
    best_other, others = -1, 0
    for team in range(rules.teams):
        score = state[b.cell_index(_SCORE + team * b.STRIDE, lane)]
        outcome[TEAM_SCORES + team] = score
        best_other = max(best_other, score) if team != own_team else best_other
        others += score if team != own_team else 0
    outcome[OTHER_SCORE] = best_other
    outcome[DOUBLE_LEAD] = 2 * outcome[OWN_SCORE] - 2 * others // (rules.teams - 1)
    kq_count, kqj_count = 0, 0
    for other in range(b.SEATS):
        if b.team_of(state[b.PLAYERS + lane], other) == own_team:
            kq, kqj = count_announcements(
                state[b.cell_index(b.DEALT + other * b.STRIDE, lane)],
                state[b.UPPER_PLAYED_EARLIER + lane],
                state[b.MUST_BEAT + lane],
            )
            kq_count += kq
            kqj_count += kqj
    outcome[OWN_KQ] = kq_count
    outcome[OWN_KQJ] = kqj_count
    outcome[OWN_COUNTERED] = 1 if outcome[OWN_PLAYS] != 0 and state[b.STAKE + lane] > 1 else 0
    outcome[UNCOUNTERED_DOUBLE_LEAD] = outcome[DOUBLE_LEAD]


class _PlayedCalls(NamedTuple):
    """The contracts and outcomes of the calls made so far in the deals of a block."""

    contracts: t.Int64Array
    """int64 (calls, LANES): what each deal was played for (`_pack_contract`)."""
    outcomes: t.Int16Array
    """int16 (calls, LANES, OUTCOME_SIZE)."""


_NOT_TAKEN = -1
_CONTRACT_BITS, _AMOUNT_BITS, _STAKE_BITS = 3, 10, 3


@scalar
def _pack_contract(state: t.Block, lane: t.Lane) -> int:
    """Return all of the calls that the view of a card shows, as one number; or _NOT_TAKEN."""
    sender = state[b.SENDER + lane]
    packed = (sender << _CONTRACT_BITS) | state[b.CONTRACT + lane]
    packed = (packed << _AMOUNT_BITS) | state[b.AMOUNT + lane]
    packed = (packed << 1) | state[b.CAPOT + lane]
    packed = (packed << _STAKE_BITS) | state[b.STAKE + lane]
    return packed if sender >= 0 else _NOT_TAKEN


@block_loop
def _skip_played(
    state: t.Block,
    lanes: int,
    deals: t.Int64Array,
    played: _PlayedCalls,
    call: int,
    looks_back: t.Flag,
) -> None:
    """Note the contracts of a call, and take the Sender from deals that need not be played.

    A deal that ends in the same contract as after an earlier call is played in the same way, since
    players see nothing else of the calls (unless a policy `looks_back`): it has the same outcome.
    """
    for lane in range(lanes):
        deal = deals[state[b.ORIGINAL_LANE + lane]]
        contract = _pack_contract(state, lane)
        played.contracts[call, deal] = contract
        earlier = 0 if contract != _NOT_TAKEN and looks_back == 0 else call
        while earlier < call and played.contracts[earlier, deal] != contract:
            earlier += 1
        for entry in range(OUTCOME_SIZE):
            known = played.outcomes[earlier, deal, entry] if earlier < call else 0
            played.outcomes[call, deal, entry] = known
        if earlier < call:
            state[b.SENDER + lane] = -1
        else:
            played.outcomes[call, deal, RESULT] = PASSED_OUT


@block_loop
def _select_deals(
    outcomes: t.Int16Array, number: int, countered: t.Flag, lanes: int, hands: t.Int64Array,
    keys: t.Int64Array, deals: t.Int64Array, chosen_hands: t.Int64Array, chosen_keys: t.Int64Array,
) -> int:  # fmt: skip
    """Copy all deals, or with `countered` those in which call `number` was, to the first lanes.

    Return how many; `deals` gets their numbers, `chosen_hands` and `chosen_keys` the deals.
    """
    chosen = 0
    for deal in range(lanes):
        if countered == 0 or outcomes[number, deal, OWN_COUNTERED] != 0:
            deals[chosen] = deal
            chosen_keys[chosen] = keys[deal]
            for part in range(_HAND_PARTS):
                chosen_hands[_hand_index(part, chosen)] = hands[_hand_index(part, deal)]
            chosen += 1
    return chosen


@kernel
def play_out_calls(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, uncountered_seating: t.Seating,
    observer: t.Int64Array, options: t.Int64Array, hands: t.Int64Array, keys: t.Int64Array,
    outcomes: t.Int16Array,
) -> bool:  # fmt: skip
    """Make each call in the same deals, go on calling and play; False after an illegal choice.

    Deals in which the asking player's team is countered are played once more, without counters; in
    all others nobody countered its bids, so that they would go on as they did.

    Args:
        lanes: number of deals that `deal_remaining` left in `hands` and `keys`.
        observer: int64 (OBSERVER_SIZE,).
        uncountered_seating: the same players, but none of them counters.
        options: int64 (n, OPTION_SIZE), the calls.
        outcomes: int16 (n, lanes, OUTCOME_SIZE), filled.
    """
    fill_observed_rows(state, observer)
    own_place = observer[OBSERVER_PLACE]
    # Calls with an even number are made, those with an odd one made again without counters.
    calls = 2 * options.shape[0]
    played = _PlayedCalls(
        np.empty((calls, b.LANES), np.int64), np.empty((calls, b.LANES, OUTCOME_SIZE), np.int16)
    )
    for call in range(calls):
        for deal in range(b.LANES):
            played.contracts[call, deal] = _NOT_TAKEN
    known, filled = played.outcomes.ctypes.data, outcomes.ctypes.data
    deals, chosen_keys = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    chosen_hands = np.empty(_HAND_PARTS * b.LANES, np.int64)
    for call in range(calls):
        number, again = call >> 1, call & 1
        option = options[number]
        chosen = _select_deals(
            outcomes, number, again, lanes, hands, keys, deals, chosen_hands, chosen_keys
        )
        if chosen == 0:
            continue
        players = seating if again == 0 else uncountered_seating
        fill_block(state, chosen, chosen_hands, chosen_keys, option)
        resume_calls(state, chosen, rules, players, option[OPTION_TURN], option[OPTION_PENDING])
        _skip_played(state, chosen, deals, played, call, players.keeps_history)
        taken = play_called(state, chosen, rules, players)
        for lane in range(chosen):
            if state[b.ILLEGAL + lane] != 0:
                return False
            deal = deals[state[b.ORIGINAL_LANE + lane]]
            # By address, as references to arrays would be counted.
            found = int16_at(known + OUTCOME_BYTES * (call * b.LANES + deal))
            wanted = int16_at(filled + OUTCOME_BYTES * (number * lanes + deal))
            if lane < taken:
                write_outcome(state, lane, own_place, rules, found)
            if again == 0:
                for entry in range(OUTCOME_SIZE):
                    wanted[entry] = found[entry]
            else:
                wanted[UNCOUNTERED_DOUBLE_LEAD] = found[DOUBLE_LEAD]
    return True
