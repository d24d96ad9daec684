"""Hands with which the other players would have made the calls observed.

Hands are drawn one caller after another, from cards still unassigned, until some are found with
which the caller makes the observed calls (sequential importance sampling).  A deal weighs the
product of the shares of hands that match, each estimated from the number of hands tried.

Hands are drawn until `MATCHES_WANTED` of them match: (MATCHES_WANTED - 1) / (attempts - 1) then
estimates the share without bias (J. B. S. Haldane, "On a method of estimating frequencies",
Biometrika 33, 1945), whichever of the matching hands is dealt, as a match and the attempts it takes
are independent.  If the limit of attempts is reached first, the estimate is the share of attempts
that matched (M. A. Girshick, F. Mosteller, L. J. Savage, "Unbiased estimates for certain binomial
sampling problems", Annals of Mathematical Statistics 17, 1946).  Weighted means are therefore those
of the deals in which every caller makes the observed calls (random weights: P. Fearnhead,
O. Papaspiliopoulos, G. Roberts, "Particle filters for partially observed diffusions", Journal of
the Royal Statistical Society B 70, 2008).  The first caller's share is the same for all deals and
needs no weight.

Bids are rare, so where two or more players have bid, hands of the second and the third bidder are
tried once for a few deals and not in each of them.  A deal gets one of those that match and are
left to it; the share of these in the hands tried, over that of all hands left to it, is its weight.
The hands of different callers are tried independently, so weighted means are the same as before
(the estimate is a U-statistic with several samples: E. L. Lehmann, "Consistency and unbiasedness of
certain nonparametric tests", Annals of Mathematical Statistics 22, 1951).  Deals that share lists
depend on each other: to errors they count as one observation (`core.weighted_draws.add_weighted`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import popcount
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.dispatch import BID, RULE_OUT_BID, PolicyTable, ask, view_table
from kqj_sim.core.jit import block_loop, int64_at, scalar
from kqj_sim.core.playouts import PUBLIC_ROWS
from kqj_sim.core.views import PASS

MATCHES_WANTED = 8
"""Matching hands to find for each caller but the first."""
MAX_ATTEMPTS = 4096
"""The most hands tried for the first caller of a deal."""
MAX_LATER_ATTEMPTS = 256
"""The most hands tried for a later caller.  With what the first ones hold, the calls of the last
may be all but impossible, and more deals are cheaper than a longer search: with 4,096 hands as many
effective deals of an auction take four times as long."""

LISTED_CALLERS = 2
"""The most callers whose matching hands are listed."""
LISTED_DEALS = 64
"""Deals with lists in common, by their numbers: a power of two, at most LANES.  With more, few
deals have too few independent lists for an interval; with fewer, lists are short."""
LISTED_TRIES = 1 << 12
"""Hands tried for a list; with twice as many a review takes as long."""

STOP, SEARCHING, LISTED = range(3)
"""Entries of a signal between threads: set STOP to 1 to end a search; SEARCHING is 1 during it.
LISTED is the most callers whose hands are listed, LISTED_CALLERS or 0, and then their number."""
SIGNAL_SIZE = 3
STOPPED = -2
"""Result of a search that was told to stop; what it found is of no use."""

CALLER_PLACE, CALL_LOOP, CALL_ARGUMENT, CALL_RULE, CALL_MADE = range(5)
"""Entries of an observed call: the arguments of `core.dispatch.ask` that ask for it, and the call
made; the rows `PUBLIC_ROWS` of that moment follow."""
CALL_ROWS = 5
OBSERVED_CALL_SIZE = CALL_ROWS + len(PUBLIC_ROWS)


class CallerSearch(NamedTuple):
    """Deals for which hands that match the observed calls are searched, up to LANES at once."""

    state: t.Block
    """Block with a hand to ask about in each lane."""
    observed_calls: t.Int64Array
    """int64 (n * OBSERVED_CALL_SIZE,), those of a caller one after another, the rarest first."""
    keys: t.Int64Array
    """int64 (LANES,): keys of the deals."""
    weights: t.Float64Array
    """float64 (LANES,): weights of the deals; those of weight 0 are left out."""
    counts: t.Int64Array
    """int64 (2 * n,): for each call the number of hands asked, and of those that made it."""
    signal: t.Int64Array
    """int64 (SIGNAL_SIZE,), see STOP."""


class Questions(NamedTuple):
    """Questions to callers, by address: references to arrays would be counted."""

    state: t.Int64Pointer
    observed_calls: t.Int64Pointer
    counts: t.Int64Pointer
    table: PolicyTable


@scalar
def view_questions(search: CallerSearch, seating: t.Seating) -> Questions:
    """Return what the callers of a search are asked with; both must outlive the result."""
    return Questions(
        int64_at(search.state.ctypes.data),
        int64_at(search.observed_calls.ctypes.data),
        int64_at(search.counts.ctypes.data),
        view_table(seating),
    )


@scalar
def fill_deal_rows(state: t.Block, players: t.PackedPlayers, upcard: t.Card) -> None:
    """Fill the rows that are the same in all lanes of a search."""
    for lane in range(b.LANES):
        state[b.PLAYERS + lane] = players
        state[b.UPCARD + lane] = upcard
        state[b.ILLEGAL + lane] = 0


@scalar
def _calling_hand_row(place: t.Place, rules: t.Rules) -> int:
    return (b.DEALT if rules.auction else b.FIRST_FIVE) + place * b.STRIDE


@scalar
def put_calling_hand(
    state: t.Block, lane: t.Lane, place: t.Place, hand: t.CardSet, rules: t.Rules
) -> None:
    """Give a place the hand that it called with: eight cards in auctions, else five."""
    state[b.cell_index(_calling_hand_row(place, rules), lane)] = hand


@block_loop
def fill_public_rows(
    state: t.Block | t.Int64Pointer, lanes: int, numbers: t.Int64Array | t.Int64Pointer, start: int
) -> None:
    """Fill `PUBLIC_ROWS` of the lanes from consecutive numbers."""
    at = start
    for row in PUBLIC_ROWS:
        number = numbers[at]
        for lane in range(b.pad_lanes(lanes)):
            state[b.cell_index(row, lane)] = number
        at += 1


@scalar
def _keep_matching(
    state: t.Int64Pointer, lanes: int, row: int, call: int, matching: t.Int64Array
) -> int:
    """Move the lanes with a call to the front and return their number; `row` has their hands."""
    kept = 0
    for lane in range(lanes):
        if state[b.CALL + lane] == call:
            matching[kept] = matching[lane]
            state[b.KEY + kept] = state[b.KEY + lane]
            state[b.cell_index(row, kept)] = state[b.cell_index(row, lane)]
            kept += 1
    return kept


@scalar
def _replay_call(
    questions: Questions, lanes: int, rules: t.Rules, call_number: int, matching: t.Int64Array
) -> int:
    """Ask for a call, move the lanes that match to the front and return their number.

    `matching`, int64 (LANES,), has the former numbers of the lanes, which are moved, too.
    """
    state, observed_calls, _, table = questions
    at = call_number * OBSERVED_CALL_SIZE
    place, loop = observed_calls[at + CALLER_PLACE], observed_calls[at + CALL_LOOP]
    argument, rule = observed_calls[at + CALL_ARGUMENT], observed_calls[at + CALL_RULE]
    call, row = observed_calls[at + CALL_MADE], _calling_hand_row(place, rules)
    fill_public_rows(state, lanes, observed_calls, at + CALL_ROWS)
    if loop == BID and call != PASS:
        for lane in range(lanes):
            state[b.CALL + lane] = call
        ask(table, RULE_OUT_BID, state, lanes, place, argument, rules.teams, rule)
        lanes = _keep_matching(state, lanes, row, call, matching)
        if lanes == 0:
            return 0
    for lane in range(b.pad_lanes(lanes)):
        open_now = 1 if lane < lanes else 0
        state[b.STILL_CALLING + lane] = open_now
        state[b.MAY_COUNTER + lane] = open_now
    ask(table, loop, state, lanes, place, argument, rules.teams, rule)
    return _keep_matching(state, lanes, row, call, matching)


@block_loop
def replay_caller(
    questions: Questions, lanes: int, first: int, last: int, rules: t.Rules, matching: t.Int64Array
) -> int:
    """Ask for the observed calls from `first` to before `last`, those of one caller.

    Most hands fail the first call, which is the rarest, so the others are asked about few.

    Args:
        questions: their block has the hands, which are moved.
        matching: int64 (LANES,), filled with the numbers of the hands with which all calls are as
            observed, in ascending order; how many they are is returned.
    """
    for lane in range(lanes):
        matching[lane] = lane
    left = lanes
    for call in range(first, last):
        questions.counts[2 * call] += left
        left = _replay_call(questions, left, rules, call, matching)
        questions.counts[2 * call + 1] += left
        if left == 0:
            break
    return left


@scalar
def find_next_caller(observed_calls: t.Int64Array, first: int) -> int:
    """Return the number of the first call after `first` that another player made."""
    count = observed_calls.shape[0] // OBSERVED_CALL_SIZE
    last = first
    while last < count and (
        observed_calls[last * OBSERVED_CALL_SIZE + CALLER_PLACE]
        == observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    ):
        last += 1
    return last


@scalar
def _update_matches(
    unfinished: t.Int64Array, unfinished_count: int, candidates: t.Int64Array, matching:
    t.Int64Array, matching_count: int, match_counts: t.Int64Array, hands: t.Int64Array,
    matches_needed:
    int, attempts: int, weights: t.Float64Array,
) -> int:  # fmt: skip
    """Note which candidates match; give a deal its first match, and its weight after the last.

    Deals still searched stay in `unfinished`; their number is returned.  `candidates` and
    `matching`, ascending, go by index in it; `match_counts`, `hands` and
    `weights` by deal.  `attempts` are the hands tried so far in each deal.
    """
    still = 0
    at = 0
    for index in range(unfinished_count):
        i = unfinished[index]
        if at < matching_count and matching[at] == index:
            at += 1
            hands[i] = candidates[index] if match_counts[i] == 0 else hands[i]
            match_counts[i] += 1
        if match_counts[i] < matches_needed:
            unfinished[still] = i
            still += 1
        elif matches_needed > 1:
            weights[i] *= (matches_needed - 1) / (attempts - 1)
    return still


@scalar
def count_listed_callers(observed_calls: t.Int64Array, most: int) -> int:
    """Return for how many callers, from the second on, hands are listed: those who have bid."""
    count, call = 0, find_next_caller(observed_calls, 0)
    while count < most and call < observed_calls.shape[0] // OBSERVED_CALL_SIZE:
        next_call = find_next_caller(observed_calls, call)
        bids = 0
        for at in range(
            call * OBSERVED_CALL_SIZE, next_call * OBSERVED_CALL_SIZE, OBSERVED_CALL_SIZE
        ):
            loop, made = observed_calls[at + CALL_LOOP], observed_calls[at + CALL_MADE]
            bids += 1 if loop == BID and made != PASS else 0
        if bids == 0:
            break
        count += 1
        call = next_call
    return count


@block_loop
def list_matching_hands(
    search: CallerSearch, first: int, last: int, cards: t.CardSet, shown: t.CardSet, key: int,
    rules: t.Rules, seating: t.Seating, listed: t.Int64Array,
) -> int:  # fmt: skip
    """List the hands of a caller that match, of `LISTED_TRIES` drawn at random.

    Args:
        search: its block and its counts are used.
        first, last: the caller's calls, from `first` to before `last`.
        cards: the hidden cards that the caller may hold.
        shown: the known cards of the caller.
        listed: int64 (LISTED_TRIES,), gets the hidden cards of the hands; their number is returned.
    """
    questions = view_questions(search, seating)
    state, size = search.state, b.TRICKS - popcount(shown)
    place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    tried, matching = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    count = 0
    for start in range(0, LISTED_TRIES, b.LANES):
        if search.signal[STOP] != 0:
            break
        for lane in range(b.LANES):
            state[b.KEY + lane] = rng.draw(key, rng.HIDDEN_HAND + start + lane)
            tried[lane] = draw_cards(cards, size, state[b.KEY + lane], rng.HIDDEN_HAND)
            put_calling_hand(state, lane, place, shown | tried[lane], rules)
        matches = replay_caller(questions, b.LANES, first, last, rules, matching)
        for k in range(matches):
            listed[count] = tried[matching[k]]
            count += 1
    return count


@scalar
def draw_listed_hand(
    listed: t.Int64Array, count: int, left: t.CardSet, key: int, hands: t.Int64Array, i: int
) -> float:
    """Draw one of the first hands of a list that consist of the cards left, into `hands[i]`.

    Return the share of such hands in the hands tried.
    """
    fitting = 0
    for k in range(count):
        fitting += 1 if listed[k] & ~left == 0 else 0
    number, at = rng.scale_below(rng.draw(key, rng.HIDDEN_HAND), max(fitting, 1)), 0
    hands[i] = 0
    while at < count and number >= 0:
        hands[i] = listed[at]
        number -= 1 if listed[at] & ~left == 0 else 0
        at += 1
    return fitting / LISTED_TRIES


def make_caller_search(draw_candidate: t.Kernel) -> t.Kernel:
    """Return a function for kernels that draws the hands of one caller in each deal of a search.

    `draw_candidate`, a `scalar` function (source, deal, place, key, rules), draws a hand to ask
    about and the cards to deal.

    Returns:
        A function of:

        search: the deals, a `CallerSearch`.
        source: the unassigned cards, as `draw_candidate` takes them.
        caller: number of the caller, 0 for the first.
        first, last: the caller's calls, from `first` to before `last`.
        counter_step: distance between the counters of the draws of different places.
        hands: int64 (LANES,), filled with the cards by deal.
    """

    @block_loop
    def draw_caller_hands(
        search: CallerSearch, source: object, lanes: int, caller: int, first: int, last: int,
        counter_step: int, rules: t.Rules, seating: t.Seating, hands: t.Int64Array,
    ) -> None:  # fmt: skip
        matches_needed = 1 if caller == 0 else MATCHES_WANTED
        max_attempts = MAX_ATTEMPTS if caller == 0 else MAX_LATER_ATTEMPTS
        if rules.auction and caller == b.SEATS - 2:
            # The last of all other players gets the cards that are left.
            matches_needed, max_attempts = 1, 1
        place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
        unfinished, match_counts = np.empty(b.LANES, np.int64), np.zeros(b.LANES, np.int64)
        candidates, matching = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
        keys, weights, state = search.keys, search.weights, search.state
        questions = view_questions(search, seating)
        count = 0
        for i in range(lanes):
            if weights[i] > 0:
                unfinished[count] = i
                count += 1
        attempts = 0
        while count > 0 and attempts < max_attempts and search.signal[STOP] == 0:
            counter = rng.HIDDEN_HAND + (place + 1) * counter_step + attempts
            for lane in range(count):
                i = unfinished[lane]
                key = rng.draw(keys[i], counter)
                calling, cards = draw_candidate(source, i, place, key, rules)
                candidates[lane] = cards
                put_calling_hand(state, lane, place, calling, rules)
                state[b.KEY + lane] = key
            attempts += 1
            matches = replay_caller(questions, count, first, last, rules, matching)
            count = _update_matches(
                unfinished, count, candidates, matching, matches, match_counts, hands,
                matches_needed, attempts, weights,
            )  # fmt: skip
        if search.signal[STOP] == 0:
            for index in range(count):
                weights[unfinished[index]] *= match_counts[unfinished[index]] / attempts

    return draw_caller_hands


@scalar
def has_illegal_choice(state: t.Block) -> bool:
    """Return True if a policy has made an illegal choice in any lane."""
    illegal = 0
    for lane in range(b.LANES):
        illegal |= state[b.ILLEGAL + lane]
    return illegal != 0
