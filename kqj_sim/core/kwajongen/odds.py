"""Deals of Kwajongen that agree with what a player knows, and what comes of his answers in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.calls import no_calls
from kqj_sim.core.compile import kernel, scalar, stage
from kqj_sim.core.deal import random_cards
from kqj_sim.core.kwajongen.bits import PACK
from kqj_sim.core.kwajongen.calls import accepting, name_trumps
from kqj_sim.core.kwajongen.round import finish, seat_players
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.state import HANDS, SEATS, result
from kqj_sim.core.rules import Table
from kqj_sim.core.state import (
    DEALER,
    ILLEGAL,
    KEY,
    LANES,
    OPEN,
    ORIGIN,
    PENDING,
    SENDER,
    STRIDE,
    TURNED,
    index,
    padded,
)

PLACE, HAND, SHOWN, RAISED = range(4)
"""What is known: the own place, the hand and the shown card in natural coding, whether raised."""
KNOWN = 4

RESULT, OWN_SCORE, OTHER_SCORE, OWN_POINTS, OWN_TRICKS, OWN_PLAYS = range(6)
"""What came of an answer: columns of a row; the changes of score are as they are written down."""
OUTCOME = 6

PASS, PLAY = range(2)
"""The answers, in the order of the outcomes."""
ANSWERS = 2

_DEALER = SEATS - 1
_CARDS = 4
_DRAWS = 2
"""Draws for a hand."""

_RESULT = result("result")
_SCORE = result("score_0")
_CARD_POINTS = result("card_points_0")
_TRICKS = result("tricks_0")
_TEAM = result("contracting_team")


@stage
def begin_deals(state: Any, lanes: int, table: Table, known: Any, hands: Any, keys: Any) -> None:
    """A block of the deals, with the dealer in the last seat, so that seats are places."""
    for i in range(padded(lanes)):
        lane = min(i, lanes - 1)
        state[KEY + i] = keys[lane]
        state[DEALER + i] = _DEALER
        state[PENDING + i] = known[RAISED]
        state[ILLEGAL + i] = 0
        state[TURNED + i] = known[SHOWN]
        for place in range(SEATS):
            state[index(HANDS + place * STRIDE, i)] = hands[SEATS * lane + place]
    seat_players(state, lanes, table.seats)
    no_calls(state, lanes)
    name_trumps(state, lanes)


@stage
def chose_wrongly(state: Any, lanes: int) -> bool:
    """Whether a policy chose what is not allowed."""
    wrong = 0
    for i in range(lanes):
        wrong += state[ILLEGAL + i]
    return wrong != 0


@scalar
def note(state: Any, i: int, team: int, row: Any) -> None:
    """Write what came of a finished round for a team, int16 (OUTCOME,)."""
    row[RESULT] = state[_RESULT + i]
    row[OWN_SCORE] = state[index(_SCORE + team * STRIDE, i)]
    row[OTHER_SCORE] = state[index(_SCORE + (1 - team) * STRIDE, i)]
    row[OWN_POINTS] = state[index(_CARD_POINTS + team * STRIDE, i)]
    row[OWN_TRICKS] = state[index(_TRICKS + team * STRIDE, i)]
    row[OWN_PLAYS] = 1 if state[_TEAM + i] == team else 0


@kernel
def sample_deals(
    state: Any, first: int, seed: int, rules: Rules, table: Table, known: Any, heard: int,
    hands: Any, keys: Any,
) -> int:  # fmt: skip
    """Draw the hidden cards of the deals `first` to `first + LANES - 1`; keep those that agree.

    Args:
        state: a block.
        first, seed: the deals.
        rules, table: the players, by place.
        known: int64 (KNOWN,).
        heard: 1 if those before must pass with their cards, 0 if they may hold anything.
        hands: int64 (SEATS * LANES,), filled with the hands of the deals that are kept.
        keys: int64 (LANES,), filled with their keys.

    Returns:
        How many are kept; -1 if a policy chose what is not allowed.
    """
    own, shown = known[PLACE], known[SHOWN]
    for lane in range(LANES):
        key = rng.deal_key(seed, first + lane)
        keys[lane] = key
        left = PACK & ~(known[HAND] | shown)
        for place in range(SEATS):
            hand = known[HAND]
            if place != own:
                given = shown if place == _DEALER else 0
                size = _CARDS - 1 if place == _DEALER else _CARDS
                drawn = random_cards(left, size, key, rng.DEAL + place * _DRAWS)
                left ^= drawn
                hand = drawn | given
            hands[SEATS * lane + place] = hand
    if heard == 0 or own == 0:
        return LANES
    begin_deals(state, LANES, table, known, hands, keys)
    accepting(state, LANES, rules, table, np.empty(0, np.int64), 0, own)
    if chose_wrongly(state, LANES):
        return -1
    kept = 0
    for lane in range(LANES):
        if state[SENDER + lane] < 0:
            keys[kept] = keys[lane]
            for place in range(SEATS):
                hands[SEATS * kept + place] = hands[SEATS * lane + place]
            kept += 1
    return kept


@kernel
def play_answers(
    state: Any, lanes: int, rules: Rules, table: Table, known: Any, hands: Any, keys: Any,
    outcomes: Any,
) -> bool:  # fmt: skip
    """Pass, and play, in each of the deals, and go on from there.

    Args:
        state: a block.
        lanes: deals, as `sample_deals` has left them in `hands` and `keys`.
        rules, table: the players, by place.
        known: int64 (KNOWN,).
        hands, keys: the deals.
        outcomes: int16 (ANSWERS, lanes, OUTCOME), filled.

    Returns:
        False if a policy chose what is not allowed.
    """
    own = known[PLACE]
    team = own % 2
    log = np.empty(0, np.int64)
    for answer in range(ANSWERS):
        begin_deals(state, lanes, table, known, hands, keys)
        for i in range(padded(lanes)):
            if answer == PLAY:
                state[SENDER + i] = own
                state[OPEN + i] = 0
        if answer == PASS:
            accepting(state, lanes, rules, table, log, own + 1, SEATS)
        finish(state, lanes, rules, table, log)
        if chose_wrongly(state, lanes):
            return False
        for i in range(lanes):
            note(state, i, team, outcomes[answer, state[ORIGIN + i]])
    return True
