"""What calls are worth: deals in which the others would have said what they said, played on.

Hands are drawn a player after another, those of players who have spoken from the cards that are
left until one is found with which he says what he said (sequential importance sampling).  A deal
weighs the product of the shares of hands that would do, each estimated from the number of hands
that had to be looked at: with hands drawn until `AGREEING` of them agree, (AGREEING - 1) /
(tries - 1) is the share without bias (J. B. S. Haldane, "On a method of estimating frequencies",
Biometrika 33, 1945), whichever of these hands is dealt: what agrees and how long it takes to be
found are independent.  With no more than `MOST_TRIES` hands it is the share of them that agreed, if
they were too few (M. A. Girshick, F. Mosteller, L. J. Savage, "Unbiased estimates for certain
binomial sampling problems", Annals of Mathematical Statistics 17, 1946).  So weighted means are
those of the deals in which everybody would have spoken so (random weights: P. Fearnhead, O.
Papaspiliopoulos, G. Roberts, "Particle filters for partially observed diffusions", Journal of the
Royal Statistical Society B 70, 2008).  The first player's share is the same for all deals and needs
no weight.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.asking import TAKE, ask
from kqj_sim.core.bits import PACK
from kqj_sim.core.compile import kernel, scalar, stage
from kqj_sim.core.deal import random_cards
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.scoring import PASSED_OUT, announcements
from kqj_sim.core.state import (
    ASKED,
    BEFORE,
    CALL,
    CLIMBING,
    DEALER,
    DEALT,
    EXTRA,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    OPEN,
    ORIGIN,
    PENDING,
    PLAYERS,
    SEATS,
    SENDER_TEAM,
    STRIDE,
    TRICKS,
    TURNED,
    index,
    padded,
    result,
    team_of,
)
from kqj_sim.core.trial import PUBLIC, call_and_play

AGREEING = 8
"""So many hands that agree are looked for, from the second player who has spoken on."""

STOP, SEARCHING = range(2)
"""A signal between threads: set to 1 to make a search return, and 1 while hands are looked for."""
STOPPED = -2
"""A search that was told to stop: what it found so far is of no use."""

MOST_TRIES = 4096
"""Hands that are looked at for a player of a deal at most."""

OWN_PLACE, OWN_CARDS, RETURN, SEATED, GRATUITY = range(5)
"""What is known: place and cards of who asks, the Return (0 in auctions), the row PLAYERS of every
deal, and the litigation gratuity that waits."""
KNOWN = 5

ASKED_PLACE, MEMBER, SECOND, RULE, ANSWER = range(5)
"""A question that was answered: whom, and with what numbers, `core.asking.ask` asks; the call."""
QUESTION = 5 + len(PUBLIC)
"""Numbers of a question: these, then the rows `PUBLIC` of that moment."""

TURN, SAID = range(2)
"""Where the calling goes on after a call (`core.resume`)."""
OPTION = 2 + len(PUBLIC)
"""Numbers of a call that is tried out: these, then the rows `PUBLIC` once it was made."""

(
    RESULT, OWN_PLAYS, OWN_TOTAL, OWN_TRICKS, OWN_SCORE, OTHER_SCORE, OWN_KQ, OWN_KQJ,
) = range(8)  # fmt: skip
"""What comes of a call in a deal: the result (`core.scoring`), then of the asking player's team
whether it is the contracting one, its total, tricks and score, the best other team's score, and the
number of KQ and of KQJ."""
OUTCOME = 8

_HANDS = 2 * SEATS
_SPOKEN, _REST = 1 << 20, 1 << 10
"""Counters of draws, by place: hands of who has spoken, and all other cards."""

_RESULT = result("result")
_TOTAL = result("total_0")
_TRICKS = result("tricks_0")
_SCORE = result("score_0")


@scalar
def _cell(which: int, lane: int) -> Any:
    """The index of a place's first (0 to 5) or further cards (6 to 11) of a lane in the hands."""
    return index(which * LANES, lane)


@scalar
def _first_cards(known: Any) -> int:
    """How many cards a player calls with."""
    return TRICKS if known[RETURN] == 0 else 5


@stage
def _seat(state: Any, known: Any) -> None:
    """What is the same in all lanes."""
    for lane in range(LANES):
        state[PLAYERS + lane] = known[SEATED]
        state[TURNED + lane] = known[RETURN]
        state[DEALER + lane] = SEATS - 1
        state[PENDING + lane] = known[GRATUITY]
        state[ILLEGAL + lane] = 0


@stage
def _set_public(state: Any, lanes: int, numbers: Any, start: int) -> None:
    """Fill the rows `PUBLIC` of the lanes."""
    at = start
    for row in PUBLIC:
        number = numbers[at]
        for lane in range(padded(lanes)):
            state[index(row, lane)] = number
        at += 1


@stage
def ask_question(
    state: Any, lanes: int, rules: Rules, table: Table, questions: Any, question: int, agrees: Any
) -> int:
    """Ask about lanes that agree so far; those that still do, which are counted."""
    at = question * QUESTION
    _set_public(state, lanes, questions, at + 5)
    for lane in range(padded(lanes)):
        open_now = agrees[lane] if lane < lanes else 0
        state[OPEN + lane] = open_now
        state[ASKED + lane] = open_now
    member = questions[at + MEMBER]
    place, second, rule = (
        questions[at + ASKED_PLACE], questions[at + SECOND], questions[at + RULE],
    )  # fmt: skip
    ask(table, member, state, lanes, place, second, rules.teams, rule)
    answer = questions[at + ANSWER]
    total = 0
    for lane in range(lanes):
        agrees[lane] &= 1 if state[CALL + lane] == answer else 0
        total += agrees[lane]
    return total


@stage
def ask_player(
    state: Any, lanes: int, first: int, last: int, rules: Rules, table: Table, questions: Any,
    agrees: Any, counts: Any,
) -> None:  # fmt: skip
    """Ask the questions from `first` to before `last`: a player's, about a hand a lane.

    Args:
        state, lanes: a block with the hands.
        first, last: the questions.
        rules, table, questions, counts: as for `sample_deals`.
        agrees: int64 (LANES,), filled with 1 where each answer is as heard, else 0.
    """
    for lane in range(lanes):
        agrees[lane] = 1
    still = lanes
    for question in range(first, last):
        counts[2 * question] += still
        still = ask_question(state, lanes, rules, table, questions, question, agrees)
        counts[2 * question + 1] += still
        if still == 0:
            break


@scalar
def end_of_player(questions: Any, begin: int) -> int:
    """The number of the first question after `begin` that another player answered."""
    count = questions.shape[0] // QUESTION
    end = begin
    while end < count and (
        questions[end * QUESTION + ASKED_PLACE] == questions[begin * QUESTION + ASKED_PLACE]
    ):
        end += 1
    return end


@scalar
def look_on(
    waits: Any, waiting: int, tried: Any, agrees: Any, found: Any, hands: Any, needed: int,
    tries: int, weights: Any,
) -> int:  # fmt: skip
    """Note which hands of a try agree; how many deals still wait for more.

    A deal gets the first hand that agrees, and its weight when `needed` do.

    Args:
        waits: int64 (LANES,), the deals that wait, of which those that still do are left.
        waiting: how many they are.
        tried, agrees: int64 (LANES,), by number in `waits`: the hand, and whether it agrees.
        found: int64 (LANES,), by deal: how many hands have agreed.
        hands: int64 (LANES,), by deal: the hand that it gets.
        needed: so many hands that agree are looked for.
        tries: how many hands have been looked at, with these.
        weights: float64 (LANES,), by deal.
    """
    still = 0
    for number in range(waiting):
        i = waits[number]
        if agrees[number] != 0:
            hands[i] = tried[number] if found[i] == 0 else hands[i]
            found[i] += 1
        if found[i] < needed:
            waits[still] = i
            still += 1
        elif needed > 1:
            weights[i] *= (needed - 1) / (tries - 1)
    return still


@scalar
def give_up(waits: Any, waiting: int, found: Any, tries: int, weights: Any) -> None:
    """Weigh the deals that still wait after the last try; arguments as of `look_on`."""
    for number in range(waiting):
        weights[waits[number]] *= found[waits[number]] / tries


@stage
def _draw_speaker(
    state: Any, lanes: int, rules: Rules, table: Table, known: Any, questions: Any, first: int,
    last: int, needed: int, hands: Any, left: Any, keys: Any, weights: Any, counts: Any, work: Any,
    signal: Any,
) -> None:  # fmt: skip
    """Draw the hands of a player who answered the questions from `first` to before `last`.

    `work` is int64 (4 * LANES,): the lanes that wait, how often each agreed, the cards in hand,
    whether they agree.
    """
    place = questions[first * QUESTION + ASKED_PLACE]
    size = _first_cards(known)
    row = (FIVE if questions[first * QUESTION + MEMBER] == TAKE else DEALT) + place * STRIDE
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
    while waiting > 0 and tries < MOST_TRIES and signal[STOP] == 0:
        counter = rng.WORLD + (place + 1) * _SPOKEN + tries
        for lane in range(waiting):
            i = waits[lane]
            key = rng.draw(keys[i], counter)
            cards = random_cards(left[i], size, key, rng.WORLD)
            tried[lane] = cards
            state[index(row, lane)] = cards
            state[KEY + lane] = key
        tries += 1
        ask_player(state, waiting, first, last, rules, table, questions, agrees, counts)
        waiting = look_on(waits, waiting, tried, agrees, found, own, needed, tries, weights)
    if signal[STOP] == 0:
        give_up(waits, waiting, found, tries, weights)
    for i in range(lanes):
        left[i] &= ~own[i]


@kernel
def sample_deals(
    state: Any, first: int, lanes: int, seed: int, rules: Rules, table: Table, known: Any,
    questions: Any, hands: Any, keys: Any, weights: Any, counts: Any, work: Any,
    signal: Any,
) -> int:  # fmt: skip
    """Deals that agree with what was heard.

    Args:
        state: a block.
        first, lanes: the numbers of the deals, at most LANES.
        seed: seed of the draws; a deal is a function of it and its number.
        rules, table: the rules, and who sits at the places.
        known: int64 (KNOWN,).
        questions: int64 (n * QUESTION,), those of a player one after another.
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
    _seat(state, known)
    place, own, turned = known[OWN_PLACE], known[OWN_CARDS], known[RETURN]
    left = work[4 * LANES :]
    for which in range(_HANDS):
        for i in range(lanes):
            hands[_cell(which, i)] = own if which == place else 0
    for i in range(lanes):
        keys[i] = rng.deal_key(seed, first + i)
        weights[i] = 1.0
        left[i] = PACK & ~(own | turned)
    signal[SEARCHING] = 1
    count = questions.shape[0] // QUESTION
    begin, spoken = 0, 0
    while begin < count:
        end = end_of_player(questions, begin)
        needed = 1 if begin == 0 else AGREEING
        _draw_speaker(
            state, lanes, rules, table, known, questions, begin, end, needed, hands, left, keys,
            weights, counts, work, signal,
        )  # fmt: skip
        spoken |= 1 << questions[begin * QUESTION + ASKED_PLACE]
        begin = end
    signal[SEARCHING] = 0
    for i in range(lanes):
        remaining = left[i]
        for which in range(_HANDS):
            each = which % SEATS
            size = _first_cards(known)
            if which >= SEATS:
                size = TRICKS - size
                size -= 1 if size > 0 and each == SEATS - 1 else 0
            elif each == place or (spoken >> each) & 1 != 0:
                continue
            cards = random_cards(remaining, size, keys[i], rng.WORLD + which * _REST)
            hands[_cell(which, i)] = cards
            remaining ^= cards
    for lane in range(LANES):
        if state[ILLEGAL + lane] != 0:
            return -1
    if signal[STOP] != 0:
        return STOPPED
    return _live_first(lanes, hands, keys, weights)


@scalar
def _live_first(lanes: int, hands: Any, keys: Any, weights: Any) -> int:
    """Move the deals with a weight to the front; how many they are."""
    live = 0
    for i in range(lanes):
        if weights[i] > 0:
            weights[live] = weights[i]
            keys[live] = keys[i]
            for which in range(_HANDS):
                hands[_cell(which, live)] = hands[_cell(which, i)]
            live += 1
    return live


@scalar
def _fill(state: Any, lanes: int, hands: Any, keys: Any, option: Any) -> None:
    """Put the deals into the block, with a call made."""
    for each in range(SEATS):
        for i in range(lanes):
            state[index(FIVE + each * STRIDE, i)] = hands[_cell(each, i)]
            state[index(EXTRA + each * STRIDE, i)] = hands[_cell(SEATS + each, i)]
    for i in range(lanes):
        state[KEY + i] = keys[i]
    _set_public(state, lanes, option, 2)


@scalar
def note(state: Any, lane: int, own_place: int, rules: Rules, outcome: Any) -> None:
    """Write the outcome of a lane that was played, int16 (OUTCOME,), for the team of a place."""
    own_team = team_of(state[PLAYERS + lane], own_place)
    own = own_team * STRIDE
    outcome[RESULT] = state[_RESULT + lane]
    outcome[OWN_PLAYS] = 1 if state[SENDER_TEAM + lane] == own_team else 0
    outcome[OWN_TOTAL] = state[index(_TOTAL + own, lane)]
    outcome[OWN_TRICKS] = state[index(_TRICKS + own, lane)]
    outcome[OWN_SCORE] = state[index(_SCORE + own, lane)]
    others = -1
    for team in range(rules.teams):
        score = state[index(_SCORE + team * STRIDE, lane)]
        others = max(others, score) if team != own_team else others
    outcome[OTHER_SCORE] = others
    kq_count, kqj_count = 0, 0
    for each in range(SEATS):
        if team_of(state[PLAYERS + lane], each) == own_team:
            kq, kqj = announcements(
                state[index(DEALT + each * STRIDE, lane)], state[BEFORE + lane],
                state[CLIMBING + lane],
            )  # fmt: skip
            kq_count += kq
            kqj_count += kqj
    outcome[OWN_KQ] = kq_count
    outcome[OWN_KQJ] = kqj_count


@kernel
def play_calls(
    state: Any, lanes: int, rules: Rules, table: Table, known: Any, options: Any, hands: Any,
    keys: Any, outcomes: Any,
) -> bool:  # fmt: skip
    """Make each call in the same deals, go on calling and play.

    Args:
        state: a block.
        lanes: deals that `sample_deals` left in `hands` and `keys`.
        rules, table, known: as for `sample_deals`; everybody calls on and plays.
        options: int64 (n, OPTION), the calls.
        hands, keys: the deals.
        outcomes: int16 (n, LANES, OUTCOME), filled.

    Returns:
        False if a policy chose what is not allowed.
    """
    _seat(state, known)
    for number in range(options.shape[0]):
        option = options[number]
        _fill(state, lanes, hands, keys, option)
        played = call_and_play(state, lanes, rules, table, table, option[TURN], option[SAID])
        for lane in range(lanes):
            outcome = outcomes[number, state[ORIGIN + lane]]
            if state[ILLEGAL + lane] != 0:
                return False
            if lane < played:
                note(state, lane, known[OWN_PLACE], rules, outcome)
            else:
                outcome[:] = 0
                outcome[RESULT] = PASSED_OUT
    return True
