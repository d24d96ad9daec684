"""What calls are worth: deals in which the others would have said what they said, played on.

Hands are drawn a player after another, those of players who have spoken from the cards that are
left until one is found with which he says what he said (sequential importance sampling).  A deal
weighs the product of the shares of hands that would do, each estimated from the number of hands
that had to be looked at: with hands drawn until `MATCHES_WANTED` of them agree, (MATCHES_WANTED -
1) / (tries - 1) is the share without bias (J. B. S. Haldane, "On a method of estimating
frequencies", Biometrika 33, 1945), whichever of these hands is dealt: what agrees and how long it
takes to be found are independent.  With no more than `MAX_ATTEMPTS` hands it is the share of them
that agreed, if they were too few (M. A. Girshick, F. Mosteller, L. J. Savage, "Unbiased estimates
for certain binomial sampling problems", Annals of Mathematical Statistics 17, 1946).  So weighted
means are those of the deals in which everybody would have spoken so (random weights: P. Fearnhead,
O. Papaspiliopoulos, G. Roberts, "Particle filters for partially observed diffusions", Journal of
the Royal Statistical Society B 70, 2008).  The first player's share is the same for all deals and
needs no weight.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.block import (
    CALL,
    DEALER,
    DEALT,
    FIRST_FIVE,
    FURTHER_CARDS,
    ILLEGAL,
    KEY,
    LANES,
    MAY_COUNTER,
    MUST_BEAT,
    ORIGINAL_LANE,
    PENDING,
    PLAYERS,
    SEATS,
    SENDER_TEAM,
    STILL_CALLING,
    STRIDE,
    TRICKS,
    UPCARD,
    UPPER_PLAYED_EARLIER,
    cell_index,
    column_offset,
    pad_lanes,
    team_of,
)
from kqj_sim.core.cards import PACK
from kqj_sim.core.deal import draw_cards
from kqj_sim.core.dispatch import TAKE, ask
from kqj_sim.core.jit import block_loop, kernel, scalar
from kqj_sim.core.playouts import PUBLIC_ROWS, resume_calls_and_play
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.scoring import PASSED_OUT, count_announcements

MATCHES_WANTED = 8
"""So many hands that agree are looked for, from the second player who has spoken on."""

STOP, SEARCHING = range(2)
"""A signal between threads: set to 1 to make a search return, and 1 while hands are looked for."""
STOPPED = -2
"""A search that was told to stop: what it found so far is of no use."""

MAX_ATTEMPTS = 4096
"""Hands that are looked at for a player of a deal at most."""

OBSERVER_PLACE, OBSERVER_CARDS, OBSERVED_RETURN, OBSERVED_PLAYERS, OBSERVED_GRATUITY = range(5)
"""What is known: place and cards of who asks, the Return (0 in auctions), the row PLAYERS of every
deal, and the litigation gratuity that waits."""
OBSERVER_SIZE = 5

CALLER_PLACE, CALL_LOOP, CALL_ARGUMENT, CALL_RULE, CALL_MADE = range(5)
"""A question that was answered: whom, and with what numbers, `core.dispatch.ask` asks; the call."""
OBSERVED_CALL_SIZE = 5 + len(PUBLIC_ROWS)
"""Numbers of a question: these, then the rows `PUBLIC_ROWS` of that moment."""

OPTION_TURN, OPTION_PENDING = range(2)
"""Where the calling goes on after a call (`core.resume`)."""
OPTION_SIZE = 2 + len(PUBLIC_ROWS)
"""Numbers of a call that is tried out: these, then the rows `PUBLIC_ROWS` once it was made."""

(
    RESULT, OWN_PLAYS, OWN_TOTAL, OWN_TRICKS, OWN_SCORE, OTHER_SCORE, OWN_KQ, OWN_KQJ,
) = range(8)  # fmt: skip
"""What comes of a call in a deal: the result (`core.scoring`), then of the asking player's team
whether it is the contracting one, its total, tricks and score, the best other team's score, and the
number of KQ and of KQJ."""
OUTCOME_SIZE = 8

_HAND_PARTS = 2 * SEATS
_CALLER_COUNTER, _REST_COUNTER = 1 << 20, 1 << 10
"""Counters of draws, by place: hands of who has spoken, and all other cards."""

_RESULT = column_offset("result")
_TOTAL = column_offset("total_0")
_TRICKS = column_offset("tricks_0")
_SCORE = column_offset("score_0")


@scalar
def _hand_index(which: int, lane: int) -> Any:
    """The index of a place's first (0 to 5) or further cards (6 to 11) of a lane in the hands."""
    return cell_index(which * LANES, lane)


@scalar
def _count_first_cards(observer: Any) -> int:
    """How many cards a player calls with."""
    return TRICKS if observer[OBSERVED_RETURN] == 0 else 5


@block_loop
def _fill_shared_rows(state: Any, observer: Any) -> None:
    """What is the same in all lanes."""
    for lane in range(LANES):
        state[PLAYERS + lane] = observer[OBSERVED_PLAYERS]
        state[UPCARD + lane] = observer[OBSERVED_RETURN]
        state[DEALER + lane] = SEATS - 1
        state[PENDING + lane] = observer[OBSERVED_GRATUITY]
        state[ILLEGAL + lane] = 0


@block_loop
def _fill_public_rows(state: Any, lanes: int, numbers: Any, start: int) -> None:
    """Fill the rows `PUBLIC_ROWS` of the lanes."""
    at = start
    for row in PUBLIC_ROWS:
        number = numbers[at]
        for lane in range(pad_lanes(lanes)):
            state[cell_index(row, lane)] = number
        at += 1


@block_loop
def replay_call(
    state: Any,
    lanes: int,
    rules: Rules,
    seating: Seating,
    observed_calls: Any,
    call_number: int,
    matches: Any,
) -> int:
    """Ask about lanes that agree so far; those that still do, which are counted."""
    at = call_number * OBSERVED_CALL_SIZE
    _fill_public_rows(state, lanes, observed_calls, at + 5)
    for lane in range(pad_lanes(lanes)):
        open_now = matches[lane] if lane < lanes else 0
        state[STILL_CALLING + lane] = open_now
        state[MAY_COUNTER + lane] = open_now
    member = observed_calls[at + CALL_LOOP]
    place, second, rule = (
        observed_calls[at + CALLER_PLACE],
        observed_calls[at + CALL_ARGUMENT],
        observed_calls[at + CALL_RULE],
    )
    ask(seating, member, state, lanes, place, second, rules.teams, rule)
    answer = observed_calls[at + CALL_MADE]
    total = 0
    for lane in range(lanes):
        matches[lane] &= 1 if state[CALL + lane] == answer else 0
        total += matches[lane]
    return total


@block_loop
def replay_caller(
    state: Any,
    lanes: int,
    first: int,
    last: int,
    rules: Rules,
    seating: Seating,
    observed_calls: Any,
    matches: Any,
    counts: Any,
) -> None:
    """Ask the questions from `first` to before `last`: a player's, about a hand a lane.

    Args:
        state, lanes: a block with the hands.
        first, last: the questions.
        rules, seating, observed_calls, counts: as for `sample_deals`.
        matches: int64 (LANES,), filled with 1 where each answer is as heard, else 0.
    """
    for lane in range(lanes):
        matches[lane] = 1
    still = lanes
    for question in range(first, last):
        counts[2 * question] += still
        still = replay_call(state, lanes, rules, seating, observed_calls, question, matches)
        counts[2 * question + 1] += still
        if still == 0:
            break


@scalar
def find_next_caller(observed_calls: Any, begin: int) -> int:
    """The number of the first question after `begin` that another player answered."""
    count = observed_calls.shape[0] // OBSERVED_CALL_SIZE
    end = begin
    while end < count and (
        observed_calls[end * OBSERVED_CALL_SIZE + CALLER_PLACE]
        == observed_calls[begin * OBSERVED_CALL_SIZE + CALLER_PLACE]
    ):
        end += 1
    return end


@scalar
def update_matches(
    unfinished: Any,
    unfinished_count: int,
    candidates: Any,
    matches: Any,
    found: Any,
    hands: Any,
    matches_needed: int,
    attempts: int,
    weights: Any,
) -> int:
    """Note which hands of a try agree; how many deals still wait for more.

    A deal gets the first hand that agrees, and its weight when `matches_needed` do.

    Args:
        unfinished: int64 (LANES,), the deals that wait, of which those that still do are left.
        unfinished_count: how many they are.
        candidates, matches: int64 (LANES,), by number in `unfinished`: the hand, and whether it
            agrees.
        found: int64 (LANES,), by deal: how many hands have agreed.
        hands: int64 (LANES,), by deal: the hand that it gets.
        matches_needed: so many hands that agree are looked for.
        attempts: how many hands have been looked at, with these.
        weights: float64 (LANES,), by deal.
    """
    still = 0
    for number in range(unfinished_count):
        i = unfinished[number]
        if matches[number] != 0:
            hands[i] = candidates[number] if found[i] == 0 else hands[i]
            found[i] += 1
        if found[i] < matches_needed:
            unfinished[still] = i
            still += 1
        elif matches_needed > 1:
            weights[i] *= (matches_needed - 1) / (attempts - 1)
    return still


@scalar
def weight_unfinished(
    unfinished: Any, unfinished_count: int, found: Any, attempts: int, weights: Any
) -> None:
    """Weigh the deals that still wait after the last try; arguments as of `update_matches`."""
    for number in range(unfinished_count):
        weights[unfinished[number]] *= found[unfinished[number]] / attempts


@block_loop
def _draw_caller_hand(
    state: Any,
    lanes: int,
    rules: Rules,
    seating: Seating,
    observer: Any,
    observed_calls: Any,
    first: int,
    last: int,
    matches_needed: int,
    hands: Any,
    left: Any,
    keys: Any,
    weights: Any,
    counts: Any,
    work: Any,
    signal: Any,
) -> None:
    """Draw the hands of a player who answered the questions from `first` to before `last`.

    `work` is int64 (4 * LANES,): the lanes that wait, how often each agreed, the cards in hand,
    whether they agree.
    """
    place = observed_calls[first * OBSERVED_CALL_SIZE + CALLER_PLACE]
    size = _count_first_cards(observer)
    row = (
        FIRST_FIVE if observed_calls[first * OBSERVED_CALL_SIZE + CALL_LOOP] == TAKE else DEALT
    ) + place * STRIDE
    waits, found = work[:LANES], work[LANES:]
    tried, agrees = work[2 * LANES :], work[3 * LANES :]
    own = hands[place * LANES :]
    waiting = 0
    for i in range(lanes):
        if weights[i] > 0:
            waits[waiting] = i
            found[i] = 0
            waiting += 1
    tries = 0
    while waiting > 0 and tries < MAX_ATTEMPTS and signal[STOP] == 0:
        counter = rng.HIDDEN_HAND + (place + 1) * _CALLER_COUNTER + tries
        for lane in range(waiting):
            i = waits[lane]
            key = rng.draw(keys[i], counter)
            cards = draw_cards(left[i], size, key, rng.HIDDEN_HAND)
            tried[lane] = cards
            state[cell_index(row, lane)] = cards
            state[KEY + lane] = key
        tries += 1
        replay_caller(state, waiting, first, last, rules, seating, observed_calls, agrees, counts)
        waiting = update_matches(
            waits, waiting, tried, agrees, found, own, matches_needed, tries, weights
        )
    if signal[STOP] == 0:
        weight_unfinished(waits, waiting, found, tries, weights)
    for i in range(lanes):
        left[i] &= ~own[i]


@kernel
def sample_deals(
    state: Any, first: int, lanes: int, seed: int, rules: Rules, seating: Seating, observer: Any,
    observed_calls: Any, hands: Any, keys: Any, weights: Any, counts: Any, work: Any,
    signal: Any,
) -> int:  # fmt: skip
    """Deals that agree with what was heard.

    Args:
        state: a block.
        first, lanes: the numbers of the deals, at most LANES.
        seed: seed of the draws; a deal is a function of it and its number.
        rules, seating: the rules, and who sits at the places.
        observer: int64 (OBSERVER_SIZE,).
        observed_calls: int64 (n * OBSERVED_CALL_SIZE,), those of a player one after another.
        hands: int64 (12 * LANES,), filled: the first cards of each place, then the further ones.
        keys: int64 (LANES,), filled with the keys of the deals.
        weights: float64 (LANES,), filled with the weights.
        counts: int64 (2 * n,): to it are added for each question how many hands were asked, and how
            many of them answered as heard.
        work: int64 (5 * LANES,), for the kernel's own use.
        signal: int64 (2,), see STOP and SEARCHING.

    Returns:
        How many deals have a weight, -1 if a policy chose what is not allowed, or STOPPED.  They
        come first in `hands`, `keys` and `weights`.
    """
    _fill_shared_rows(state, observer)
    place, own, turned = (
        observer[OBSERVER_PLACE],
        observer[OBSERVER_CARDS],
        observer[OBSERVED_RETURN],
    )
    left = work[4 * LANES :]
    for which in range(_HAND_PARTS):
        for i in range(lanes):
            hands[_hand_index(which, i)] = own if which == place else 0
    for i in range(lanes):
        keys[i] = rng.derive_deal_key(seed, first + i)
        weights[i] = 1.0
        left[i] = PACK & ~(own | turned)
    signal[SEARCHING] = 1
    count = observed_calls.shape[0] // OBSERVED_CALL_SIZE
    begin, spoken = 0, 0
    while begin < count:
        end = find_next_caller(observed_calls, begin)
        needed = 1 if begin == 0 else MATCHES_WANTED
        _draw_caller_hand(
            state,
            lanes,
            rules,
            seating,
            observer,
            observed_calls,
            begin,
            end,
            needed,
            hands,
            left,
            keys,
            weights,
            counts,
            work,
            signal,
        )
        spoken |= 1 << observed_calls[begin * OBSERVED_CALL_SIZE + CALLER_PLACE]
        begin = end
    signal[SEARCHING] = 0
    for i in range(lanes):
        remaining = left[i]
        for which in range(_HAND_PARTS):
            each = which % SEATS
            size = _count_first_cards(observer)
            if which >= SEATS:
                size = TRICKS - size
                size -= 1 if size > 0 and each == SEATS - 1 else 0
            elif each == place or (spoken >> each) & 1 != 0:
                continue
            cards = draw_cards(remaining, size, keys[i], rng.HIDDEN_HAND + which * _REST_COUNTER)
            hands[_hand_index(which, i)] = cards
            remaining ^= cards
    for lane in range(LANES):
        if state[ILLEGAL + lane] != 0:
            return -1
    if signal[STOP] != 0:
        return STOPPED
    return _move_weighted_first(lanes, hands, keys, weights)


@scalar
def _move_weighted_first(lanes: int, hands: Any, keys: Any, weights: Any) -> int:
    """Move the deals with a weight to the front; how many they are."""
    live = 0
    for i in range(lanes):
        if weights[i] > 0:
            weights[live] = weights[i]
            keys[live] = keys[i]
            for which in range(_HAND_PARTS):
                hands[_hand_index(which, live)] = hands[_hand_index(which, i)]
            live += 1
    return live


@scalar
def _fill_block(state: Any, lanes: int, hands: Any, keys: Any, option: Any) -> None:
    """Put the deals into the block, with a call made."""
    for each in range(SEATS):
        for i in range(lanes):
            state[cell_index(FIRST_FIVE + each * STRIDE, i)] = hands[_hand_index(each, i)]
            state[cell_index(FURTHER_CARDS + each * STRIDE, i)] = hands[
                _hand_index(SEATS + each, i)
            ]
    for i in range(lanes):
        state[KEY + i] = keys[i]
    _fill_public_rows(state, lanes, option, 2)


@scalar
def write_outcome(state: Any, lane: int, own_place: int, rules: Rules, outcome: Any) -> None:
    """Write the outcome of a lane that was played, int16 (OUTCOME_SIZE,), for the team of a
    place."""
    own_team = team_of(state[PLAYERS + lane], own_place)
    own = own_team * STRIDE
    outcome[RESULT] = state[_RESULT + lane]
    outcome[OWN_PLAYS] = 1 if state[SENDER_TEAM + lane] == own_team else 0
    outcome[OWN_TOTAL] = state[cell_index(_TOTAL + own, lane)]
    outcome[OWN_TRICKS] = state[cell_index(_TRICKS + own, lane)]
    outcome[OWN_SCORE] = state[cell_index(_SCORE + own, lane)]
    others = -1
    for team in range(rules.teams):
        score = state[cell_index(_SCORE + team * STRIDE, lane)]
        others = max(others, score) if team != own_team else others
    outcome[OTHER_SCORE] = others
    kq_count, kqj_count = 0, 0
    for each in range(SEATS):
        if team_of(state[PLAYERS + lane], each) == own_team:
            kq, kqj = count_announcements(
                state[cell_index(DEALT + each * STRIDE, lane)], state[UPPER_PLAYED_EARLIER + lane],
                state[MUST_BEAT + lane],
            )  # fmt: skip
            kq_count += kq
            kqj_count += kqj
    outcome[OWN_KQ] = kq_count
    outcome[OWN_KQJ] = kqj_count


@kernel
def play_out_calls(
    state: Any, lanes: int, rules: Rules, seating: Seating, observer: Any, options: Any, hands: Any,
    keys: Any, outcomes: Any,
) -> bool:  # fmt: skip
    """Make each call in the same deals, go on calling and play.

    Args:
        state: a block.
        lanes: deals that `sample_deals` left in `hands` and `keys`.
        rules, seating, observer: as for `sample_deals`; everybody calls on and plays.
        options: int64 (n, OPTION_SIZE), the calls.
        hands, keys: the deals.
        outcomes: int16 (n, LANES, OUTCOME_SIZE), filled.

    Returns:
        False if a policy chose what is not allowed.
    """
    _fill_shared_rows(state, observer)
    for number in range(options.shape[0]):
        option = options[number]
        _fill_block(state, lanes, hands, keys, option)
        played = resume_calls_and_play(
            state, lanes, rules, seating, seating, option[OPTION_TURN], option[OPTION_PENDING]
        )
        for lane in range(lanes):
            outcome = outcomes[number, state[ORIGINAL_LANE + lane]]
            if state[ILLEGAL + lane] != 0:
                return False
            if lane < played:
                write_outcome(state, lane, observer[OBSERVER_PLACE], rules, outcome)
            else:
                outcome[:] = 0
                outcome[RESULT] = PASSED_OUT
    return True
