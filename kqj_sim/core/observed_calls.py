"""Hands with which the other players would have made the calls observed.

Hands are drawn one caller after another, from cards still unassigned, until some are found with
which the caller makes the observed calls (sequential importance sampling).  A deal weighs the
product of the shares of hands that match, each estimated from the number of hands tried.

Hands are drawn until `MATCHES_WANTED` of them match: (MATCHES_WANTED - 1) / (attempts - 1) then
estimates the share without bias (J. B. S. Haldane, "On a method of estimating frequencies",
Biometrika 33, 1945), whichever of the matching hands is dealt, as a match and the attempts it takes
are independent.  The last of all other players gets the cards left: of the hands of the player
before, one with which the last one's calls are as observed, too, is dealt, and the share of such
hands counts (`draw_last_hands`).  If the limit of attempts is reached first, the estimate is the
share of attempts that matched (M. A. Girshick, F. Mosteller, L. J. Savage, "Unbiased estimates for
certain binomial sampling problems", Annals of Mathematical Statistics 17, 1946).  Weighted means
are therefore those of the deals in which every caller makes the observed calls (random weights: P.
Fearnhead, O. Papaspiliopoulos, G. Roberts, "Particle filters for partially observed diffusions",
Journal of the Royal Statistical Society B 70, 2008).  The first caller's share is the same for all
deals and needs no weight; in auctions draws of a card's odds share its hand by `FIRST_HAND_DRAWS`
if that caller spoke, as one is hard to find.

Bids are rare, so where two or more players have bid, hands of the second and the third bidder are
tried once for a few deals and not in each of them.  A deal gets one of those that match and are
left to it; the share of these in the hands tried, over that of all hands left to it, is its weight.
The hands of different callers are tried independently, so weighted means are the same as before
(the estimate is a U-statistic with several samples: E. L. Lehmann, "Consistency and unbiasedness of
certain nonparametric tests", Annals of Mathematical Statistics 22, 1951).  Deals that share lists
depend on each other: to errors they count as one observation (`core.weighted_draws.add_weighted`).

Players err: a call is the assumed player's with the chance 1 - e, and else one of the others, which
tells nothing of the hand.  Each deal assumes that each call was an error or not, by a chance near
the one that it was (`estimate_errors`), and weighs the chance of what it assumes over the chance of
assuming it; hands agree with the other calls.  So a call that the player would hardly ever make
counts as an error by itself, and a usual one as information.  For the first caller each hand that
is tried assumes errors anew, so that no share is needed there, either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core import types as t
from kqj_sim.core.cards import popcount
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.dispatch import (
    BID,
    COUNTER,
    RULE_OUT_BID,
    PolicyTable,
    ask,
    view_table,
)
from kqj_sim.core.hidden_hands import draw_subset
from kqj_sim.core.jit import block_loop, int64_at, kernel, scalar
from kqj_sim.core.playouts import PUBLIC_ROWS
from kqj_sim.core.views import PASS

MATCHES_WANTED = 8
"""Matching hands to find for each caller but the first, at most."""
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
FIRST_HAND_DRAWS = 8
"""Draws of a card's odds in auctions with the first caller's hand in common, by their numbers, if
that caller spoke; a divisor of LISTED_DEALS."""

STOP, SEARCHING, LISTED, SHARED = range(4)
"""Entries of a signal between threads: set STOP to 1 to end a search; SEARCHING is 1 during it.
LISTED is the most callers whose hands are listed, LISTED_CALLERS or 0, and then their number.
SHARED is then how many deals, by their numbers, have hands in common; 1 if none have."""
SIGNAL_SIZE = 4
STOPPED = -2
"""Result of a search that was told to stop; what it found is of no use."""

CALLER_PLACE, CALL_LOOP, CALL_ARGUMENT, CALL_RULE, CALL_MADE = range(5)
"""Entries of an observed call: the arguments of `core.dispatch.ask` that ask for it, and the call
made; the rows `PUBLIC_ROWS` of that moment follow."""
CALL_ROWS = 5
OBSERVED_CALL_SIZE = CALL_ROWS + len(PUBLIC_ROWS)


ERROR_CHANCE, ASSUMED_CHANCE, ERROR_WEIGHT, MEANT_WEIGHT = range(4)
"""Of each observed call: the chance that it was an error; the chance with which a deal, or of the
first caller a hand, assumes that; the weights of those that do, and that do not."""
ERROR_SIZE = 4
ERROR_TRIES = 1 << 12
"""Hands of a caller with which these are estimated."""
_MAX_ERROR_CHANCE = 0.98
"""Some deals search for a hand even for a call that none of these hands makes."""
_FASTER, _MOST_ASSUMED = 10, 0.5
"""Factor of the chance to assume an error, and that chance at most, where the first caller hardly
ever calls so: else as many hands would be tried as it takes for an error by chance."""
_SPOKEN_FACTOR, _LEVEL_FACTOR = 10.0, 2.0
"""Level 1 takes what was bid, taken or countered for an error so many times as likely; levels after
it any call, and rare calls more so.  Which of them finds hands depends on the calls."""
_CHANCES_OF_ERRORS = (1 / 2, 1 / 12, 1 / 100)
"""Chances that an error is this call: to pass or not to counter, to take or to counter, to bid."""
_ERROR_COUNTER = rng.HIDDEN_HAND + (13 << 24)
_ERROR_HAND_COUNTER = rng.HIDDEN_HAND + (14 << 24)
"""Counters of keys, beyond those of `core.card_odds`: of what is assumed to be an error, by call;
of hands that estimate how often, by place."""


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
    errors: t.Float64Array
    """float64 (n, ERROR_SIZE), see ERROR_CHANCE; (0, ERROR_SIZE) if players do not err."""
    assumed_errors: t.Int64Array
    """int64 (LANES,): the calls that each deal assumes to be errors, one bit each."""
    match_counts: t.Int64Array
    """int64 (LANES,): how many hands of the caller searched last match."""
    matches: t.Int64Array
    """int64 (LANES, MATCHES_WANTED): the cards of these."""


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
    state: t.Int64Pointer, lanes: int, row: int, call: int, errors: t.Int64Array, bit: int,
    matching: t.Int64Array,
) -> int:  # fmt: skip
    """Move the lanes with a call, or for which it is an error, to the front; return their number.

    `row` has their hands.
    """
    kept = 0
    for lane in range(lanes):
        if state[b.CALL + lane] == call or (errors[matching[lane]] >> bit) & 1 != 0:
            matching[kept] = matching[lane]
            state[b.KEY + kept] = state[b.KEY + lane]
            state[b.cell_index(row, kept)] = state[b.cell_index(row, lane)]
            kept += 1
    return kept


@scalar
def _replay_call(
    questions: Questions, lanes: int, rules: t.Rules, call_number: int, errors: t.Int64Array,
    matching: t.Int64Array,
) -> int:  # fmt: skip
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
        lanes = _keep_matching(state, lanes, row, call, errors, call_number, matching)
        if lanes == 0:
            return 0
    for lane in range(b.pad_lanes(lanes)):
        open_now = 1 if lane < lanes else 0
        state[b.STILL_CALLING + lane] = open_now
        state[b.MAY_COUNTER + lane] = open_now
    ask(table, loop, state, lanes, place, argument, rules.teams, rule)
    return _keep_matching(state, lanes, row, call, errors, call_number, matching)


@block_loop
def replay_caller(
    questions: Questions, lanes: int, first: int, last: int, rules: t.Rules, errors: t.Int64Array,
    matching: t.Int64Array,
) -> int:  # fmt: skip
    """Ask for the observed calls from `first` to before `last`, those of one caller.

    Most hands fail the first call, which is the rarest, so the others are asked about few.

    Args:
        questions: their block has the hands, which are moved.
        errors: int64 (LANES,), the calls that are errors in each lane, which match with any hand.
        matching: int64 (LANES,), filled with the numbers of the hands with which all calls are as
            observed, in ascending order; how many they are is returned.
    """
    for lane in range(lanes):
        matching[lane] = lane
    left = lanes
    for call in range(first, last):
        questions.counts[2 * call] += left
        left = _replay_call(questions, left, rules, call, errors, matching)
        questions.counts[2 * call + 1] += left
        if left == 0:
            break
    return left


@scalar
def is_silent_call(observed_calls: t.Int64Array, call: int) -> bool:
    """Return whether a call is a pass, or that nobody countered."""
    at = call * OBSERVED_CALL_SIZE
    silence = 0 if observed_calls[at + CALL_LOOP] >= COUNTER else PASS
    return bool(observed_calls[at + CALL_MADE] == silence)


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


@block_loop
def compute_call_chances(
    search: CallerSearch, first: int, last: int, lanes: int, hands: t.Int64Array, rules: t.Rules,
    seating: t.Seating, chances: t.Float64Array,
) -> None:  # fmt: skip
    """Compute the chances of a caller's calls, from `first` to before `last`, with known hands.

    Args:
        search: its keys are those of the hands; its block and its counts are used.
        hands: int64 (LANES,), the cards that the caller calls with.
        chances: float64 (LANES,), filled: 1 or 0 if players do not err.
    """
    questions = view_questions(search, seating)
    place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    none, matching = np.zeros(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    has_errors = search.errors.shape[0] > 0
    chances[:lanes] = 1.0
    # Without errors a hand that fails a call is not asked again.
    step = 1 if has_errors else last - first
    for call in range(first, last, step):
        for lane in range(lanes):
            put_calling_hand(search.state, lane, place, hands[lane], rules)
            search.state[b.KEY + lane] = search.keys[lane]
        matches = replay_caller(questions, lanes, call, call + step, rules, none, matching)
        as_error, meant, at = 0.0, 1.0, 0
        if has_errors:
            chance = search.errors[call, ASSUMED_CHANCE]
            as_error = chance * search.errors[call, ERROR_WEIGHT]
            meant = (1.0 - chance) * search.errors[call, MEANT_WEIGHT]
        for lane in range(lanes):
            is_made = at < matches and matching[at] == lane
            at += 1 if is_made else 0
            chances[lane] *= as_error + meant if is_made else as_error


@kernel
def estimate_errors(
    rate: float, observed_calls: t.Int64Array, may: t.Int64Array, shown: t.Int64Array, players:
    t.PackedPlayers, upcard: t.Card, sender: t.Place, seed: int, level: int, rules: t.Rules,
    seating: t.Seating, errors: t.Float64Array,
) -> None:  # fmt: skip
    """Estimate for each observed call how likely it was an error, by hands drawn at random.

    What others hold is left out: the chances only say what most deals try.

    Args:
        rate: the chance e that a player errs, above 0.
        may, shown: int64 (6,), by place: the hidden cards that the player may hold, and the known
            ones.
        sender: who took the Return later; -1 if nobody has.
        level: with 1 or more, errors are assumed more often than they are likely: with the others'
            cards and calls a call may be all but impossible.
        errors: float64 (calls, ERROR_SIZE), filled.
    """
    calls = observed_calls.shape[0] // OBSERVED_CALL_SIZE
    search = CallerSearch(
        b.allocate_inner_block(), observed_calls, np.empty(b.LANES, np.int64), np.empty(0),
        np.zeros(2 * calls, np.int64), np.zeros(SIGNAL_SIZE, np.int64), errors[:0],
        np.zeros(b.LANES, np.int64), np.zeros(0, np.int64), np.zeros((0, 0), np.int64),
    )  # fmt: skip
    fill_deal_rows(search.state, players, upcard)
    hands, made = np.empty(b.LANES, np.int64), np.empty(b.LANES)
    # Of each hand, the chance of the earlier calls of the caller.
    chances = np.ones(ERROR_TRIES)
    for call in range(calls):
        at = call * OBSERVED_CALL_SIZE
        place, loop = observed_calls[at + CALLER_PLACE], observed_calls[at + CALL_LOOP]
        if call == 0 or place != observed_calls[at - OBSERVED_CALL_SIZE + CALLER_PLACE]:
            chances[:] = 1.0
        is_silent = is_silent_call(observed_calls, call)
        kind = 0 if is_silent else 2 if loop == BID else 1
        as_error = rate * _CHANCES_OF_ERRORS[kind]
        total, made_total = chances.sum(), 0.0
        for start in range(0, ERROR_TRIES, b.LANES):
            for lane in range(b.LANES):
                key = rng.draw(rng.derive_deal_key(seed, start + lane), _ERROR_HAND_COUNTER + place)
                size = b.TRICKS - popcount(shown[place])
                hand = shown[place] | draw_cards(may[place], size, key, rng.HIDDEN_HAND)
                if not rules.auction:
                    candidates = hand & ~upcard if place == sender else hand
                    hand = draw_subset(candidates, 5, key, b.TRICKS)
                hands[lane], search.keys[lane] = hand, key
            compute_call_chances(search, call, call + 1, b.LANES, hands, rules, seating, made)
            for lane in range(b.LANES):
                made_total += chances[start + lane] * made[lane]
                chances[start + lane] *= as_error + (1.0 - rate) * made[lane]
        share = made_total / total + 0.5 / ERROR_TRIES
        meant = (1.0 - rate) * share
        chance = min(as_error / (as_error + meant), _MAX_ERROR_CHANCE)
        meant /= _SPOKEN_FACTOR if level == 1 and not is_silent else 1.0
        for _ in range(level - 1):
            meant *= share / _LEVEL_FACTOR
        assumed = min(as_error / (as_error + meant), _MAX_ERROR_CHANCE)
        if level == 0 and place == observed_calls[CALLER_PLACE]:
            # With this chance all hands that match weigh the same.
            assumed = as_error / (as_error + 1.0 - rate)
            assumed = min(_FASTER * assumed, _MOST_ASSUMED) if chance > 0.5 else assumed
        errors[call, ERROR_CHANCE] = chance
        errors[call, ASSUMED_CHANCE] = assumed
        errors[call, ERROR_WEIGHT] = as_error / assumed
        errors[call, MEANT_WEIGHT] = (1.0 - rate) / (1.0 - assumed)


@scalar
def _draw_errors(search: CallerSearch, first: int, last: int, key: t.Key) -> int:
    """Draw which calls, from `first` to before `last`, are assumed to be errors: one bit each."""
    errors = 0
    for call in range(first, min(last, search.errors.shape[0])):
        fraction = rng.to_fraction(rng.draw(key, _ERROR_COUNTER + call))
        errors |= 1 << call if fraction < search.errors[call, ASSUMED_CHANCE] else 0
    return errors


@scalar
def _weigh_errors(search: CallerSearch, first: int, last: int, errors: int) -> float:
    """Return the weight of a deal with these assumed errors among some calls."""
    weight = 1.0
    for call in range(first, min(last, search.errors.shape[0])):
        weight *= search.errors[call, ERROR_WEIGHT if errors >> call & 1 else MEANT_WEIGHT]
    return weight


@scalar
def assume_errors(search: CallerSearch, first: int, last: int, i: int, key: t.Key) -> None:
    """Assume which calls, from `first` to before `last`, were errors; weigh the deal by that."""
    errors = _draw_errors(search, first, last, key)
    search.assumed_errors[i] |= errors
    search.weights[i] *= _weigh_errors(search, first, last, errors)


@scalar
def _update_matches(
    search: CallerSearch, unfinished: t.Int64Array, unfinished_count: int, candidates: t.Int64Array,
    matching: t.Int64Array, matching_count: int, matches_needed: int, attempts: int,
) -> int:  # fmt: skip
    """Note which candidates match, and the weight of a deal after the last.

    Deals still searched stay in `unfinished`; their number is returned.  `candidates` and
    `matching`, ascending, go by index in it.  `attempts` are the hands tried so far in each deal.
    """
    still = 0
    at = 0
    for index in range(unfinished_count):
        i = unfinished[index]
        if at < matching_count and matching[at] == index:
            at += 1
            search.matches[i, search.match_counts[i]] = candidates[index]
            search.match_counts[i] += 1
        if search.match_counts[i] < matches_needed:
            unfinished[still] = i
            still += 1
        elif matches_needed > 1:
            search.weights[i] *= (matches_needed - 1) / (attempts - 1)
    return still


@scalar
def count_listed_callers(observed_calls: t.Int64Array, most: int) -> int:
    """Return for how many callers, from the second on, hands are listed, at most so many.

    These are the first who have bid.
    """
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
    errors: int, rules: t.Rules, seating: t.Seating, listed: t.Int64Array,
) -> int:  # fmt: skip
    """List the hands of a caller that match, of `LISTED_TRIES` drawn at random.

    Args:
        search: its block and its counts are used.
        first, last: the caller's calls, from `first` to before `last`.
        cards: the hidden cards that the caller may hold.
        shown: the known cards of the caller.
        errors: the calls that the deals assume to be errors, one bit each.
        listed: int64 (LISTED_TRIES,), gets the hidden cards of the hands; their number is returned.
    """
    questions = view_questions(search, seating)
    state, size = search.state, b.TRICKS - popcount(shown)
    place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    tried, matching = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    assumed = np.full(b.LANES, errors)
    count = 0
    for start in range(0, LISTED_TRIES, b.LANES):
        if search.signal[STOP] != 0:
            break
        for lane in range(b.LANES):
            state[b.KEY + lane] = rng.draw(key, rng.HIDDEN_HAND + start + lane)
            tried[lane] = draw_cards(cards, size, state[b.KEY + lane], rng.HIDDEN_HAND)
            put_calling_hand(state, lane, place, shown | tried[lane], rules)
        matches = replay_caller(questions, b.LANES, first, last, rules, assumed, matching)
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


@block_loop
def draw_last_hands(
    search: CallerSearch, lanes: int, first: int, last: int, counter: int, shown: t.CardSet,
    rules: t.Rules, seating: t.Seating, left: t.Int64Array, previous: t.Int64Array,
    hands: t.Int64Array,
) -> None:  # fmt: skip
    """Give the last of all other players the cards left, and weigh the deals by the calls.

    The player before gets the first of the hands that matched with which the last one matches, too;
    the share of such hands is the weight.

    Args:
        search: its matches are those of the player before.
        first, last: the last player's calls, from `first` to before `last`.
        counter: of the keys of the hands.
        shown: the known cards of the last player.
        left, previous, hands: int64 (LANES,), by deal: the cards left and the hands of the player
            before, both of which change, and of the last player, which are filled.
    """
    questions, state = view_questions(search, seating), search.state
    place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    asked, matching = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
    assumed, agreeing = np.empty(b.LANES, np.int64), np.zeros(b.LANES, np.int64)
    chosen = np.zeros(b.LANES, np.int64)
    for number in range(MATCHES_WANTED):
        count = 0
        for i in range(lanes):
            if search.weights[i] > 0 and number < search.match_counts[i]:
                hand = shown | ((left[i] | previous[i]) & ~search.matches[i, number])
                put_calling_hand(state, count, place, hand, rules)
                state[b.KEY + count] = rng.draw(search.keys[i], counter + number)
                assumed[count], asked[count] = search.assumed_errors[i], i
                count += 1
        if count == 0:
            break
        matches = replay_caller(questions, count, first, last, rules, assumed, matching)
        for k in range(matches):
            i = asked[matching[k]]
            chosen[i] = number if agreeing[i] == 0 else chosen[i]
            agreeing[i] += 1
    for i in range(lanes):
        if search.weights[i] > 0:
            search.weights[i] *= agreeing[i] / search.match_counts[i]
            both = left[i] | previous[i]
            previous[i] = search.matches[i, chosen[i]]
            left[i] = both & ~previous[i]
        hands[i] = left[i]


def make_caller_search(draw_candidate: t.Kernel) -> t.Kernel:
    """Return a function for kernels that draws the hands of one caller in each deal of a search.

    `draw_candidate`, a `scalar` function (source, deal, place, key, rules), draws a hand to ask
    about and the cards to deal.

    Returns:
        A function of:

        search: the deals, a `CallerSearch`.
        source: the unassigned cards, as `draw_candidate` takes them.
        caller: number of the caller, 0 for the first.
        wanted: matching hands to find for a later caller, 2 to MATCHES_WANTED.
        first, last: the caller's calls, from `first` to before `last`.
        counter_step: distance between the counters of the draws of different places.
        hands: int64 (LANES,), filled with the cards by deal.
    """

    @block_loop
    def draw_caller_hands(
        search: CallerSearch, source: object, lanes: int, caller: int, wanted: int, first: int,
        last: int, counter_step: int, rules: t.Rules, seating: t.Seating, hands: t.Int64Array,
    ) -> None:  # fmt: skip
        matches_needed = 1 if caller == 0 else wanted
        max_attempts = MAX_ATTEMPTS if caller == 0 else MAX_LATER_ATTEMPTS
        place = search.observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
        unfinished, candidates = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
        matching, assumed = np.empty(b.LANES, np.int64), np.empty(b.LANES, np.int64)
        keys, weights, state = search.keys, search.weights, search.state
        questions = view_questions(search, seating)
        count = 0
        for i in range(lanes):
            search.match_counts[i] = 0
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
                assumed[lane] = search.assumed_errors[i]
                if caller == 0:
                    assumed[lane] = _draw_errors(search, first, last, key)
                put_calling_hand(state, lane, place, calling, rules)
                state[b.KEY + lane] = key
            attempts += 1
            matches = replay_caller(questions, count, first, last, rules, assumed, matching)
            for k in range(matches if caller == 0 else 0):
                errors = assumed[matching[k]]
                weights[unfinished[matching[k]]] *= _weigh_errors(search, first, last, errors)
            count = _update_matches(
                search, unfinished, count, candidates, matching, matches, matches_needed, attempts
            )
        if search.signal[STOP] == 0:
            for index in range(count):
                weights[unfinished[index]] *= search.match_counts[unfinished[index]] / attempts
        for i in range(lanes):
            hands[i] = search.matches[i, 0] if search.match_counts[i] > 0 else hands[i]

    return draw_caller_hands


@scalar
def has_illegal_choice(state: t.Block) -> bool:
    """Return True if a policy has made an illegal choice in any lane."""
    illegal = 0
    for lane in range(b.LANES):
        illegal |= state[b.ILLEGAL + lane]
    return illegal != 0
