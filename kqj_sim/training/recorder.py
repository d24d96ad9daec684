"""Decisions met in play, and what comes of each candidate card when the true deal is played on.

One rollout of each card in the true deal says little of a card, but it is right on average, and it
knows what the hidden hands are likely to be when a game has come so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.asking import FOLLOW, LEAD, MEMBERS, ask
from kqj_sim.core.bits import ALL_TRUMPS, NO_TRUMP, lowest_bit
from kqj_sim.core.branches import branch, put_cards, worth
from kqj_sim.core.compile import int64_at, kernel, scalar
from kqj_sim.core.lanes import back_in_order
from kqj_sim.core.memory import stack_int64
from kqj_sim.core.play import complete_hands, prepare_play, taken_first
from kqj_sim.core.resume import PLAY_ON, resume
from kqj_sim.core.round import call_stage
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Table
from kqj_sim.core.state import (
    AMOUNT,
    AT_TABLE,
    AUCTION_ROWS,
    CAPOT,
    CARDS,
    CONTRACT,
    DEAL,
    DEALER,
    DEALT,
    FIVE,
    ILLEGAL,
    KEY,
    LANES,
    PENDING,
    SEATS,
    SENDER,
    STAKE,
    STRIDE,
    TRICKS,
    TURNED,
    index,
    padded,
    team_of,
)
from kqj_sim.core.trick import after_trick
from kqj_sim.policies.compiled import bind_answer
from kqj_sim.policies.counting import count
from kqj_sim.policies.features import (
    CARD_FEATURES,
    SHARED_FEATURES,
    card_features,
    shared_features,
)
from kqj_sim.policies.points import FITTED, base_total
from kqj_sim.policies.situation import situation
from kqj_sim.training.decisions import CANDIDATES

POINTS = (TRICKS - 1) * SEATS
"""Moments of a round at which a player may have a choice."""

_CHOICE = np.int64(10 << 32)
"""Purpose of the recorder's own draws (`core.rng`)."""

EXPLORE = 0.1
"""Share of the recorded moments after which a random card is played, to see more of the game."""

IMPOSED = 0.35
"""Share of the rounds whose Sender and contract are drawn, to see contracts that nobody calls."""

# A sheet is what the recorder writes of one block: int64, a row for each deal.
_KIND, _SHARED_COUNT, _CARD_COUNT, _CANDIDATES = 0, 1, 2, 3
_SHARED = _CANDIDATES + CANDIDATES
_FEATURES = _SHARED + SHARED_FEATURES
SHEET = _FEATURES + CANDIDATES * CARD_FEATURES


@scalar
def _record(view: Any, parameters: Any, sheet: Any) -> int:
    """Note what may be played and the features of it; `sheet` begins with the number of notes."""
    at = 1 + sheet[0] * SHEET
    sheet[0] += 1
    about = situation(view)
    shared = stack_int64(SHARED_FEATURES)
    features = stack_int64(CARD_FEATURES)
    number = 0
    left = view.legal
    sheet[at + _KIND] = about.kind
    sheet[at + _SHARED_COUNT] = 0
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        sheet[at + _CANDIDATES + number] = card
        number += 1
    sheet[at + _CARD_COUNT] = number
    if number > 1:
        many = shared_features(view, about, shared)
        sheet[at + _SHARED_COUNT] = many
        for k in range(many):
            sheet[at + _SHARED + k] = shared[k]
        for which in range(number):
            card_features(view, about, sheet[at + _CANDIDATES + which], features, 0)
            for k in range(CARD_FEATURES):
                sheet[at + _FEATURES + which * CARD_FEATURES + k] = features[k]
    first_card: int = lowest_bit(view.legal)
    return first_card


def _recorder(member: int) -> Any:
    """A loop that notes decisions."""

    def sheet_of(resources: Any, number: int) -> Any:
        return int64_at(resources[member * SEATS])

    return bind_answer(
        member, _record, scalar(lambda table, number: 0.0), scalar(sheet_of), "recorder",
        everybody=True, checked=False,
    )  # fmt: skip


def recorder_table(table: Table, sheet: NDArray[np.int64]) -> Table:
    """A table whose players note into a sheet, int64 (1 + LANES * SHEET,), that must outlive it."""
    functions = np.zeros(MEMBERS * SEATS, dtype=np.int64)
    resources = np.zeros(MEMBERS * SEATS, dtype=np.int64)
    for member in (LEAD, FOLLOW):
        functions[member * SEATS] = _RECORDERS[member].address
        resources[member * SEATS] = sheet.ctypes.data
    parameters = np.zeros(MEMBERS * SEATS * MAX_PARAMETERS)
    return table._replace(
        functions=functions, parameters=parameters, resources=resources, distinct=1
    )


_RECORDERS = {member: _recorder(member) for member in (LEAD, FOLLOW)}


class Output(NamedTuple):
    """Room for n decisions, as in `training.decisions.Decisions`; flat arrays."""

    kind: Any
    shared: Any
    shared_count: Any
    cards: Any
    card_count: Any
    values: Any


@scalar
def _vary_contracts(state: Any, lanes: int, rules: Rules) -> None:
    """Give some rounds, and all that were passed out, another Sender and contract.

    The Sender is mostly who counts most for it, and the amount about what can be expected.
    """
    for i in range(lanes):
        key = state[KEY + i]
        if state[SENDER + i] >= 0 and rng.fraction(rng.draw(key, _CHOICE)) >= IMPOSED:
            continue
        kind = rng.below(rng.draw(key, _CHOICE + 1), 10)
        contract = NO_TRUMP if kind < 3 else (ALL_TRUMPS if kind < 6 else kind % 4)
        if contract >= NO_TRUMP and rules.all_no_trump == 2:
            contract = kind % 4
        place = rng.below(rng.draw(key, _CHOICE + 2), SEATS)
        best = -1.0
        searched = rng.below(rng.draw(key, _CHOICE + 3), 10) < 7
        for candidate in range(SEATS):
            hand = state[index(FIVE + candidate * STRIDE, i)] | state[TURNED + i]
            if rules.auction:
                hand = state[index(DEALT + candidate * STRIDE, i)]
            value = count(hand, contract, FITTED)
            if (searched and value > best) or (candidate == place and not searched):
                best, place = value, candidate
        state[SENDER + i] = place
        state[CONTRACT + i] = contract
        state[CAPOT + i] = 0
        state[STAKE + i] = 1
        if rules.auction:
            spare = rng.below(rng.draw(key, _CHOICE + 4), 90) - 10
            amount = 10 * int((base_total(contract, rules.teams, FITTED) + best - spare) // 10.0)
            state[AMOUNT + i] = max(rules.minimum_bid, min(amount, rules.max_amount))


@scalar
def _roll_out(
    state: Any, inner: Any, lanes: int, sheet: Any, values: Any, sources: Any, cards: Any,
    where: Any, trick: int, position: int, rules: Rules, rollouts: Table,
) -> None:  # fmt: skip
    """Fill `values` (lanes * CANDIDATES) with what comes of each candidate."""
    waiting = 0
    for i in range(lanes + 1):
        at = 1 + i * SHEET
        many = sheet[at + _CARD_COUNT] if i < lanes else 0
        if waiting > 0 and (i == lanes or waiting + many > LANES):
            branch(state, inner, sources, waiting)
            for j in range(padded(waiting)):
                inner[index(CARDS + position * STRIDE, j)] = cards[j if j < waiting else 0]
            put_cards(inner, waiting, position)
            resume(rollouts.resume[PLAY_ON], (inner, waiting, rules, rollouts, trick, position + 1))
            for j in range(waiting):
                team = team_of(state[AT_TABLE + sources[j]], position)
                values[where[j]] = worth(inner, j, team, rules.teams)
            waiting = 0
        if many > 1:
            for which in range(many):
                sources[waiting] = i
                cards[waiting] = sheet[at + _CANDIDATES + which]
                where[waiting] = i * CANDIDATES + which
                waiting += 1


@kernel
def record_deals(
    state: Any, inner: Any, sheet: Any, first: int, lanes: int, seed: int, moments: int,
    rules: Rules, table: Table, rollouts: Table, recorders: Table, output: Output, filled: int,
) -> int:  # fmt: skip
    """Play deals of a block and note the decisions of some moments, the same in all deals.

    Args:
        state, inner: blocks.
        sheet: the recorders' sheet.
        first, lanes, seed: the deals.
        moments: how many of the `POINTS` moments are recorded.
        rules: the rules.
        table: who calls and plays.
        rollouts: who plays on after each candidate.
        recorders: `recorder_table`.
        output: where decisions go, from number `filled` on; room for lanes * moments.

    Returns:
        The number of decisions that `output` then holds.
    """
    sources = np.empty(LANES, np.int64)
    cards = np.empty(LANES, np.int64)
    where = np.empty(LANES, np.int64)
    identity = np.arange(LANES)
    values = np.empty(LANES * CANDIDATES)
    for i in range(padded(lanes)):
        state[DEAL + i] = first + i
        state[DEALER + i] = (first + i) % SEATS
        state[PENDING + i] = 0
        state[KEY + i] = rng.deal_key(seed, first + i)
        state[ILLEGAL + i] = 0
    log = np.empty(0, np.int64)
    for which in range(2):
        call_stage(table.stages[which], (state, lanes, rules, table, log))
    # Decisions come in the order of the deals, whatever the calls were.
    back_in_order(state, lanes, AUCTION_ROWS)
    _vary_contracts(state, lanes, rules)
    lanes = taken_first(state, lanes, rules.auction)
    complete_hands(state, lanes, 1 - rules.auction)
    prepare_play(state, lanes)
    key = rng.deal_key(seed, first)
    left = moments
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            member = LEAD if position == 0 else FOLLOW
            point = SEATS * trick + position
            open_points = POINTS - point
            recorded = rng.below(rng.draw(key, _CHOICE + 10 + point), open_points) < left
            if not recorded:
                ask(table, member, state, lanes, trick, position, rules.teams, 0)
                continue
            left -= 1
            branch(state, inner, identity, lanes)
            sheet[0] = 0
            ask(recorders, member, inner, lanes, trick, position, rules.teams, 0)
            _roll_out(
                state, inner, lanes, sheet, values, sources, cards, where, trick, position, rules,
                rollouts,
            )  # fmt: skip
            filled = _put_down(sheet, lanes, values, output, filled)
            branch(state, inner, identity, lanes)
            ask(table, member, inner, lanes, trick, position, rules.teams, 0)
            for i in range(padded(lanes)):
                card = inner[index(CARDS + position * STRIDE, i)]
                draw = rng.draw(state[KEY + i], _CHOICE + 100 + point)
                if i < lanes and rng.fraction(draw) < EXPLORE:
                    at = 1 + i * SHEET
                    number = rng.below(rng.draw(draw, 0), sheet[at + _CARD_COUNT])
                    card = sheet[at + _CANDIDATES + number]
                state[index(CARDS + position * STRIDE, i)] = card
            put_cards(state, lanes, position)
        after_trick(state, lanes)
    return filled


@scalar
def _put_down(sheet: Any, lanes: int, values: Any, output: Output, filled: int) -> int:
    """The decisions of a sheet that leave a choice go to the output."""
    for i in range(lanes):
        at = 1 + i * SHEET
        many = sheet[at + _CARD_COUNT]
        if many < 2:
            continue
        output.kind[filled] = sheet[at + _KIND]
        output.shared_count[filled] = sheet[at + _SHARED_COUNT]
        output.card_count[filled] = many
        for k in range(sheet[at + _SHARED_COUNT]):
            output.shared[filled * SHARED_FEATURES + k] = sheet[at + _SHARED + k]
        for k in range(many * CARD_FEATURES):
            output.cards[filled * CANDIDATES * CARD_FEATURES + k] = sheet[at + _FEATURES + k]
        for which in range(many):
            output.values[filled * CANDIDATES + which] = values[i * CANDIDATES + which]
        filled += 1
    return filled
