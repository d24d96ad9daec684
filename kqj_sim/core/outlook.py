"""What may come of a turn to play: hidden hands drawn, and every legal card played on in each.

How things stand is lane 0 of a block, with the hands of the others left open.  Each draw of hidden
hands is a function of (seed, number of the draw), so draws are independent of each other, and of
threads: also those from a Markov chain (`core.worlds`), which is started anew for each.  Draws in
which the players would not have called as they did are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.bits import EACH_LANE, TRUMP_JACK, TRUMP_QUEEN, by_strength, popcount
from kqj_sim.core.branches import Branches, new_branches, play_branches, put_cards
from kqj_sim.core.compile import kernel, scalar, stage
from kqj_sim.core.deal import deposit
from kqj_sim.core.hearing import hear
from kqj_sim.core.knowledge import know
from kqj_sim.core.play import prepare_play, remember
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    BEFORE,
    CARDS,
    CLIMBING,
    CONTRACT,
    DEALT,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    LEADER,
    PLAYERS,
    ROWS,
    SEATS,
    SENDER,
    STRIDE,
    TURNED,
    index,
    padded,
    result,
    team_of,
)
from kqj_sim.core.trick import after_trick
from kqj_sim.core.worlds import all_worlds, random_subset, sample_worlds

(
    PLACE, CONTRACT_PLAYED, RESULT, OWN_TOTAL, OWN_TRICKS, OWN_SCORE, OTHER_SCORE, OWN_KQ, OWN_KQJ,
) = range(9)  # fmt: skip
OUTCOME = 9

WRONG = -1
"""The result where a policy chose what is not allowed."""
NO_HANDS, WRONG_CALL = -1, -2
"""No hidden hands are possible; a policy made a call that is not allowed."""

_RESULT = result("result")
_TOTAL = result("total_0")
_TRICKS = result("tricks_0")
_SCORE = result("score_0")

DRAWN, PICKED, LISTED = range(3)
"""Hidden hands come from `sample_worlds`, one of a list at random, or one after another of it."""

_FIRST_FIVE = 1 << 20
_PICK = 1 << 21
"""Counters of draws, out of the way of those of `core.worlds`."""

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
    questions: int64, the calls of the others (`core.hearing`); empty if they do not count.
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
        known: int64 (KNOWN,), filled with what who is to play knows, by strength.
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


@kernel
def list_worlds(known: Any, limit: int, worlds: Any) -> int:
    """`core.worlds.all_worlds` for Python."""
    return int(all_worlds(known, limit, worlds))


@scalar
def _new_block() -> Any:
    """An empty block."""
    numbers = np.zeros(ROWS * STRIDE + 8, np.int64)
    start = -numbers.ctypes.data % 64 // 8
    return numbers[start : start + ROWS * STRIDE]


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


@stage
def _hidden_hands(
    turn: Turn, known: Any, mode: int, number: int, key: int, worlds: Any, at: int
) -> bool:
    """Hidden hands of a draw, six numbers in `worlds`; False if none are possible."""
    if mode == DRAWN:
        one = np.empty(SEATS, np.int64)
        if sample_worlds(known, 1, key, one) == 0:
            return False
        for place in range(SEATS):
            worlds[at + place] = one[place]
        return True
    which = number
    if mode == PICKED:
        which = rng.below(rng.draw(key, rng.WORLD + _PICK), turn.worlds.shape[0] // SEATS)
    for place in range(SEATS):
        worlds[at + place] = turn.worlds[which * SEATS + place]
    return True


@stage
def _call_hands(turn: Turn, block: Any, lane: int, rules: Rules, key: int, hidden: Any) -> None:
    """The hands with which the calls were made; with taking five of the eight cards, drawn."""
    _seat(block, lane, turn, key)
    for place in range(SEATS):
        eight = turn.shown[place] | hidden[lane * SEATS + place]
        if rules.auction:
            block[index(DEALT + place * STRIDE, lane)] = eight
        else:
            cards = _dealt_first(turn, place, eight)
            five = random_subset(cards, 5, key, _FIRST_FIVE + 8 * place)
            block[index(FIVE + place * STRIDE, lane)] = five


@scalar
def announcements(hand: int, before: int, climbing: int) -> tuple[int, int]:
    """Numbers of KQ and of KQJ of a player."""
    later = hand & before
    kq = later & (hand >> 1) & climbing & (EACH_LANE << TRUMP_QUEEN)
    kqj = popcount(kq & ((later & (EACH_LANE << TRUMP_JACK)) << 1))
    return popcount(kq) - kqj, kqj


@scalar
def note(state: Any, lane: int, own_place: int, rules: Rules, outcome: Any) -> None:
    """Write the outcome of a lane that was played, int16 (OUTCOME,)."""
    own_team = team_of(state[PLAYERS + lane], own_place)
    own = own_team * STRIDE
    outcome[PLACE] = state[SENDER + lane]
    outcome[CONTRACT_PLAYED] = state[CONTRACT + lane]
    outcome[RESULT] = state[_RESULT + lane]
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
    outcomes: Any, numbers: Any, agreed: Any,
) -> int:  # fmt: skip
    """Draw hidden hands, and play every legal card on where they agree with the calls.

    Args:
        turn: how things stand.
        mode: DRAWN, PICKED or LISTED; with the last the calls are not looked at.
        first, count: numbers of the draws.
        seed: seed of the draws.
        rules, table: the table, with `resume`.
        outcomes: int16 (count * cards, OUTCOME), filled for each draw that agrees a row a card.
        numbers: int64 (count,), the number of each draw that agrees.
        agreed: int64 (questions,), how many draws agree with each call is added.

    Returns:
        How many draws agree; NO_HANDS or WRONG_CALL.
    """
    block, branches = _new_block(), new_branches()
    hidden = np.empty(SEATS * LANES, np.int64)
    keys, agrees = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    known = turn.known.copy()
    contract = turn.state[CONTRACT]
    cards = turn.cards.shape[0]
    kept = waiting = 0
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        for lane in range(lanes):
            number = first + start + lane
            keys[lane] = rng.deal_key(seed, number)
            if not _hidden_hands(turn, known, mode, number, keys[lane], hidden, SEATS * lane):
                return NO_HANDS
            agrees[lane] = 1
        if mode != LISTED and turn.questions.shape[0] > 0:
            for lane in range(lanes, padded(lanes)):
                keys[lane] = keys[0]
                for place in range(SEATS):
                    hidden[lane * SEATS + place] = hidden[place]
            for lane in range(padded(lanes)):
                _call_hands(turn, block, lane, rules, keys[lane], hidden)
            hear(block, lanes, rules, table, turn.questions, -1, agrees, agreed)
        for lane in range(lanes):
            if block[ILLEGAL + lane] != 0:
                return WRONG_CALL
            if agrees[lane] == 0:
                continue
            numbers[kept] = first + start + lane
            for which in range(cards):
                branches.sources[waiting] = 0
                branches.cards[waiting] = turn.cards[which]
                branches.keys[waiting] = keys[lane]
                branches.where[waiting] = kept * cards + which
                for place in range(SEATS):
                    hand = by_strength(hidden[lane * SEATS + place], contract)
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
    turn: Turn, place: int, hands: Any, seed: int, rules: Rules, table: Table, agreed: Any,
    counts: Any,
) -> None:  # fmt: skip
    """With how many of the ways to hold its first five cards a place would have called so.

    Args:
        turn: how things stand.
        place: whose calls.
        hands: int64 (n,), what he may hold now, natural coding.
        seed: seed of the draws of policies.
        rules, table: the table.
        agreed: int64 (questions,), as `try_cards`.
        counts: int64 (n,), filled: 0 to 56, for the Sender 0 to 21; with auctions 0 or 1.
    """
    block = _new_block()
    ways = 1
    if not rules.auction:
        ways = _FIVE_OF_SEVEN if place == turn.state[SENDER] else WAYS
    agrees, of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for i in range(hands.shape[0]):
        counts[i] = 0
    lanes = 0
    last = hands.shape[0] * ways - 1
    for number in range(last + 1):
        i, way = number // ways, number % ways
        eight = turn.shown[place] | hands[i]
        _seat(block, lanes, turn, rng.deal_key(seed, number))
        if rules.auction:
            block[index(DEALT + place * STRIDE, lanes)] = eight
        else:
            five = deposit(_FIVE_OF_EIGHT[way], _dealt_first(turn, place, eight))
            block[index(FIVE + place * STRIDE, lanes)] = five
        agrees[lanes], of[lanes] = 1, i
        lanes += 1
        if lanes == LANES or number == last:
            hear(block, lanes, rules, table, turn.questions, place, agrees, agreed)
            for lane in range(lanes):
                counts[of[lane]] += agrees[lane]
            lanes = 0
