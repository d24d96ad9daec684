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
from kqj_sim.core.bits import PACK, by_strength, natural
from kqj_sim.core.branches import Branches, new_branches, play_branches, put_cards
from kqj_sim.core.compile import kernel, scalar, stage
from kqj_sim.core.deal import deposit
from kqj_sim.core.knowledge import know
from kqj_sim.core.odds import (
    AGREEING,
    ASKED_PLACE,
    MOST_TRIES,
    QUESTION,
    RESULT,
    SEARCHING,
    STOP,
    STOPPED,
    ask_player,
    end_of_player,
    give_up,
    look_on,
    note,
)
from kqj_sim.core.play import prepare_play, remember
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    CARDS,
    CONTRACT,
    DEALT,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    LEADER,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    TURNED,
    index,
    new_block,
)
from kqj_sim.core.trick import after_trick
from kqj_sim.core.worlds import (
    COUNTS,
    KNOWN,
    LACKS,
    UNSEEN,
    all_worlds,
    random_subset,
    sample_worlds,
)

WRONG = -1
"""The result where a policy chose what is not allowed."""
NO_HANDS, WRONG_CALL = -1, -3
"""No hidden hands are possible; a policy made a call that is not allowed."""

DRAWN, LISTED = range(2)
"""Hidden hands are drawn, or are those of a list, one after another."""

MOST_LATER_TRIES = 256
"""Hands that are looked at for a player of a draw at most, from the second on: with what the first
ones hold it may be all but impossible that the last would have called so, and looking on would cost
more than other draws."""

_OF_PLACE = 1 << 24
_REST = rng.WORLD + 8 * _OF_PLACE
"""Counters of keys: of the hands that are tried for a place, and of what is left."""
_FIRST_FIVE = 1 << 20
"""Counter of draws, out of the way of those of `core.worlds`."""

_PUBLIC_KNOWLEDGE = 13
"""UNSEEN, COUNTS and LACKS of `core.worlds`."""

_FIVE_OF_EIGHT = np.array(
    [mask for mask in range(256) if mask.bit_count() == 5],
    dtype=np.int64,
)
"""The subsets of five of eight cards; those of seven come first."""
_FIVE_OF_SEVEN = 21
WAYS = len(_FIVE_OF_EIGHT)


class Turn(NamedTuple):
    """A turn to play.

    state: a block whose lane 0 stands at that turn, the finished tricks kept.
    trick, position: 0 to 7, 0 to 5.
    known: what is known of hidden hands, by place (`core.worlds`), natural coding.
    shown: int64 (6,), the cards of each place that are known: played, or one's own; natural coding.
    questions: int64 (n * QUESTION,), what the others answered when the calls were made, those of a
        player one after another (`core.odds`); empty if they do not count.
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
def stand(state: Any, plays: Any, table: Table, known: Any) -> None:
    """Bring lane 0 from the end of the calls to a turn to play.

    Args:
        state: a block with all rows of the calls, and in DEALT what each place is known to hold or
            have held (natural coding).
        plays: int64 (n,), the cards played, by strength.
        table: the table, with `memory`.
        known: int64 (KNOWN,), filled with what who is to play knows, natural coding.
    """
    prepare_play(state, 1)
    for number in range(plays.shape[0]):
        trick, position = number // SEATS, number % SEATS
        state[index(CARDS + position * STRIDE, 0)] = plays[number]
        put_cards(state, 1, position)
        if position == SEATS - 1:
            remember(state, 1, table, trick)
            after_trick(state, 1)
    know(state, 0, plays.shape[0] // SEATS, plays.shape[0] % SEATS, known)
    contract = state[CONTRACT]
    known[UNSEEN] = natural(known[UNSEEN], contract)
    for place in range(SEATS):
        known[LACKS + place] = natural(known[LACKS + place] & PACK, contract)


@kernel
def list_worlds(known: Any, limit: int, worlds: Any) -> int:
    """`core.worlds.all_worlds` for Python."""
    return int(all_worlds(known, limit, worlds))


@scalar
def _dealt_first(turn: Turn, place: int, eight: int) -> int:
    """The cards among which a place's first five are: the Sender took the Return later."""
    sender, turned_up = turn.state[SENDER], turn.state[TURNED]
    return eight & ~turned_up if place == sender else eight


@scalar
def _seat(block: Any, lane: int, turn: Turn, key: int) -> None:
    """Everything but hands that a question about calls needs."""
    block[KEY + lane] = key
    block[PLAYERS + lane] = turn.state[PLAYERS]
    block[TURNED + lane] = turn.state[TURNED]


@scalar
def _call_hand(
    turn: Turn, block: Any, lane: int, rules: Rules, place: int, hidden: int, key: int
) -> None:
    """The hand with which a place called; with taking five of his eight cards, drawn."""
    _seat(block, lane, turn, key)
    eight = turn.shown[place] | hidden
    if rules.auction:
        block[index(DEALT + place * STRIDE, lane)] = eight
    else:
        five = random_subset(_dealt_first(turn, place, eight), 5, key, _FIRST_FIVE)
        block[index(FIVE + place * STRIDE, lane)] = five


class _Draws(NamedTuple):
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
def _new_draws() -> _Draws:
    """Room for a block of draws."""
    return _Draws(
        np.empty((LANES, _PUBLIC_KNOWLEDGE), np.int64),
        np.empty(LANES, np.int64),
        np.empty(LANES),
        np.empty((LANES, SEATS), np.int64),
    )


@scalar
def _one_world(draws: _Draws, i: int, key: int, known: Any, world: Any) -> int:
    """Hands for all who have none yet in a draw; 0 if none are possible."""
    for number in range(_PUBLIC_KNOWLEDGE):
        known[number] = draws.known[i, number]
    return sample_worlds(known, 1, key, world)


@stage
def _draw_speaker(
    turn: Turn, block: Any, lanes: int, first: int, last: int, needed: int, rules: Rules,
    table: Table, draws: _Draws, counts: Any, signal: Any,
) -> bool:  # fmt: skip
    """Draw the hands of a player who answered the questions from `first` to before `last`.

    False if no hidden hands are possible.
    """
    place = turn.questions[first * QUESTION + ASKED_PLACE]
    waits, found = np.empty(LANES, np.int64), np.zeros(LANES, np.int64)
    tried, agrees = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    hands = draws.hidden[:, place]
    known, world = np.empty(KNOWN, np.int64), np.empty(SEATS, np.int64)
    most = MOST_TRIES if needed == 1 else MOST_LATER_TRIES
    waiting = 0
    for i in range(lanes):
        if draws.weights[i] > 0:
            waits[waiting] = i
            waiting += 1
    tries = 0
    while waiting > 0 and tries < most and signal[STOP] == 0:
        for lane in range(waiting):
            i = waits[lane]
            key = rng.draw(draws.keys[i], rng.WORLD + _OF_PLACE * (place + 1) + tries)
            if _one_world(draws, i, key, known, world) == 0:
                return False
            tried[lane] = world[place]
            _call_hand(turn, block, lane, rules, place, world[place], key)
        tries += 1
        ask_player(block, waiting, first, last, rules, table, turn.questions, agrees, counts)
        waiting = look_on(
            waits, waiting, tried, agrees, found, hands, needed, tries, draws.weights
        )  # fmt: skip
    if signal[STOP] == 0:
        give_up(waits, waiting, found, tries, draws.weights)
    for i in range(lanes):
        draws.known[i, UNSEEN] &= ~hands[i]
        draws.known[i, COUNTS + place] = 0
        draws.known[i, LACKS + place] = -1
    return True


@stage
def _draw(
    turn: Turn, block: Any, first: int, lanes: int, seed: int, rules: Rules, table: Table,
    draws: _Draws, counts: Any, signal: Any,
) -> bool:  # fmt: skip
    """Draw hidden hands that agree with the calls; False if none are possible."""
    for i in range(lanes):
        draws.keys[i] = rng.deal_key(seed, first + i)
        draws.weights[i] = 1.0
        for place in range(SEATS):
            draws.hidden[i, place] = 0
        for number in range(_PUBLIC_KNOWLEDGE):
            draws.known[i, number] = turn.known[number]
    count = turn.questions.shape[0] // QUESTION
    begin = 0
    while begin < count:
        end = end_of_player(turn.questions, begin)
        # The first player's share is the same for all draws, and no weight.
        needed = 1 if begin == 0 else AGREEING
        if not _draw_speaker(
            turn, block, lanes, begin, end, needed, rules, table, draws, counts, signal
        ):
            return False
        begin = end
    known, world = np.empty(KNOWN, np.int64), np.empty(SEATS, np.int64)
    for i in range(lanes):
        if draws.weights[i] > 0:
            if _one_world(draws, i, rng.draw(draws.keys[i], _REST), known, world) == 0:
                return False
            for place in range(SEATS):
                draws.hidden[i, place] |= world[place]
    return True


@scalar
def _wrong_call(block: Any) -> bool:
    """Whether a policy has made a call that is not allowed."""
    wrong = 0
    for i in range(LANES):
        wrong |= block[ILLEGAL + i]
    return wrong != 0


@stage
def _finish(
    turn: Turn, branches: Branches, waiting: int, rules: Rules, table: Table, outcomes: Any
) -> None:
    """Play the waiting lanes on and note what comes of them."""
    play_branches(turn.state, branches, waiting, turn.trick, turn.position, rules, table)
    own_place = (turn.state[LEADER] + turn.position) % SEATS
    for lane in range(waiting):
        outcome = outcomes[branches.where[lane]]
        note(branches.state, lane, own_place, rules, outcome)
        if branches.state[ILLEGAL + lane] != 0:
            outcome[RESULT] = WRONG


@kernel
def try_cards(
    turn: Turn, mode: int, first: int, count: int, seed: int, rules: Rules, table: Table,
    outcomes: Any, weights: Any, hands: Any, counts: Any, signal: Any,
) -> int:  # fmt: skip
    """Draw hidden hands that agree with the calls, and play every legal card on in each.

    Args:
        turn: how things stand.
        mode: DRAWN or LISTED; with the latter the calls are not looked at.
        first, count: numbers of the draws.
        seed: seed of the draws.
        rules, table: the table; with `resume`.
        outcomes: int16 (count * cards, OUTCOME), filled for each draw with a weight a row a card.
        weights: float64 (count,), their weights.
        hands: int64 (count, 6), their hidden hands by place, natural coding.
        counts: int64 (2 * questions,): to it are added for each question how many hands were asked,
            and how many of them answered as heard.
        signal: int64 (2,), see STOP and SEARCHING of `core.odds`.

    Returns:
        How many draws have a weight; NO_HANDS, WRONG_CALL or STOPPED.
    """
    block, branches, draws = new_block(), new_branches(), _new_draws()
    contract = turn.state[CONTRACT]
    cards = turn.cards.shape[0]
    kept = waiting = 0
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        begin = first + start
        if mode == DRAWN:
            signal[SEARCHING] = 1
            if not _draw(turn, block, begin, lanes, seed, rules, table, draws, counts, signal):
                return NO_HANDS
            signal[SEARCHING] = 0
            if signal[STOP] != 0:
                return STOPPED
        else:
            for i in range(lanes):
                draws.keys[i] = rng.deal_key(seed, begin + i)
                draws.weights[i] = 1.0
                for place in range(SEATS):
                    draws.hidden[i, place] = turn.worlds[(begin + i) * SEATS + place]
        if _wrong_call(block):
            return WRONG_CALL
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
                    hand = by_strength(draws.hidden[i, place], contract)
                    branches.hands[waiting * SEATS + place] = hand
                waiting += 1
                if waiting == LANES:
                    _finish(turn, branches, waiting, rules, table, outcomes)
                    waiting = 0
            kept += 1
    if waiting > 0:
        _finish(turn, branches, waiting, rules, table, outcomes)
    return kept


@kernel
def count_ways(
    turn: Turn, first: int, last: int, hands: Any, seed: int, rules: Rules, table: Table,
    ways: Any, counts: Any,
) -> bool:  # fmt: skip
    """With how many of the ways to hold his first five cards a player would have called so.

    Args:
        turn: how things stand.
        first, last: the player's questions, from `first` to before `last`.
        hands: int64 (n,), what he may hold now, natural coding.
        seed: seed of the draws of policies.
        rules, table: the table.
        ways: int64 (n,), filled: 0 to 56, for the Sender 0 to 21; with auctions 0 or 1.
        counts: int64 (2 * questions,): to it are added for each question how many hands were asked,
            and how many of them answered as heard.

    Returns:
        False if a policy made a call that is not allowed.
    """
    block = new_block()
    place = turn.questions[first * QUESTION + ASKED_PLACE]
    number_of_ways = 1
    if not rules.auction:
        number_of_ways = _FIVE_OF_SEVEN if place == turn.state[SENDER] else WAYS
    agrees, of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for i in range(hands.shape[0]):
        ways[i] = 0
    lanes = 0
    end = hands.shape[0] * number_of_ways - 1
    for number in range(end + 1):
        i, way = number // number_of_ways, number % number_of_ways
        eight = turn.shown[place] | hands[i]
        _seat(block, lanes, turn, rng.deal_key(seed, number))
        if rules.auction:
            block[index(DEALT + place * STRIDE, lanes)] = eight
        else:
            five = deposit(_FIVE_OF_EIGHT[way], _dealt_first(turn, place, eight))
            block[index(FIVE + place * STRIDE, lanes)] = five
        of[lanes] = i
        lanes += 1
        if lanes == LANES or number == end:
            ask_player(block, lanes, first, last, rules, table, turn.questions, agrees, counts)
            for lane in range(lanes):
                ways[of[lane]] += agrees[lane]
            lanes = 0
    return not _wrong_call(block)
