"""Decisions about a card in play, with the score after each candidate card in the true deal.

One rollout of each card in the true deal says little of a card, but it is right on average, and it
reflects the hidden hands that are likely when a game has come so far.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    AUCTION_ROWS,
    CAPOT,
    CONTRACT,
    DEAL_NUMBER,
    DEALER,
    DEALT,
    FIRST_FIVE,
    ILLEGAL,
    KEY,
    LANES,
    ORIGINAL_LANE,
    PENDING,
    PLAYERS_BY_POSITION,
    REMAINING_CARDS,
    SEATS,
    SENDER,
    STAKE,
    STRIDE,
    TRICK_CARDS,
    TRICKS,
    UPCARD,
    allocate_block,
    cell_index,
    pad_lanes,
    team_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, PACK, lowest_bit
from kqj_sim.core.deal import deal_further_cards
from kqj_sim.core.dispatch import FOLLOW, LEAD, LOOP_ENTRIES, ask
from kqj_sim.core.jit import block_loop, int64_at, kernel, scalar
from kqj_sim.core.playouts import compute_utility, copy_lanes, put_trick_cards
from kqj_sim.core.round import (
    RESUME_PLAY,
    call_resume,
    call_stage,
    complete_hands,
    move_taken_first,
    prepare_play,
)
from kqj_sim.core.trick import finish_trick
from kqj_sim.core.types import (
    MAX_PARAMETERS,
    MAX_POLICIES,
    Block,
    Float32Array,
    Int64Array,
    Position,
    Rules,
    Seating,
)
from kqj_sim.policies.binding import bind_function
from kqj_sim.policies.features import FEATURES, PARTS, find_output, write_features
from kqj_sim.policies.players import Player
from kqj_sim.policies.points import base_total, count_points, get_fitted
from kqj_sim.policies.trick_odds import build_trick_context
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating

KINDS = ("suit", "NT", "AT")
"""Kinds of contracts, each with weights of its own: a suit as trump, No-Trump, All-Trumps."""

MAX_CANDIDATES = 8
"""Most cards to choose from."""

_RECORDER_DRAW: Any = np.int64(10 << 32)
"""Purpose of the recorder's own draws (`core.rng`)."""

EXPLORE_SHARE = 0.1
"""Share of the recorded turns after which a random card is played, to see more of the game."""

LATE_TRICK = 4
"""First trick, from 0, of those of which more turns are recorded."""

EARLY_SHARE, LATE_SHARE = 1 / 6, 1 / 2
"""Shares of the turns before that trick, and from it on, that are recorded.

To play on from a late turn takes little time, and its result depends less on chance.
"""

IMPOSED_SHARE = 0.35
"""Share of the rounds whose Sender and contract are drawn, to see contracts that nobody calls;
three in ten of these are No-Trump, and as many All-Trumps."""

# A sheet is what the recorder writes of one block: int64, a row for each deal.
_KIND, _CARD_COUNT, _CANDIDATES = 0, 1, 2
_OUTPUTS = _CANDIDATES + MAX_CANDIDATES
_FEATURES = _OUTPUTS + MAX_CANDIDATES
SHEET_SIZE = _FEATURES + FEATURES


@scalar
def _record_decision(view: Any, parameters: Any, sheet: Any, lane: Any) -> int:
    """Record the features, the legal cards and their outputs; `sheet` begins with the number of
    decisions in it."""
    at = 1 + sheet[0] * SHEET_SIZE
    sheet[0] += 1
    known = build_trick_context(view)
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        output = find_output(view.position, view.led, view.winning, known.slots, card)
        sheet[at + _CANDIDATES + count] = card
        sheet[at + _OUTPUTS + count] = output
        count += 1
    sheet[at + _KIND], sheet[at + _CARD_COUNT] = known.kind, count
    write_features(view, known, sheet, at + _FEATURES, 1)
    first_card: int = lowest_bit(view.legal)
    return first_card


def bind_recorder(member: int, record: Any) -> Any:
    """Compile a loop that records decisions, by a function (view, parameters, sheet, lane).

    It is not kept on disk, where changes of `tools/` would go unnoticed.
    """

    def sheet_of(resources: Any, number: int) -> Any:
        return int64_at(resources[member * MAX_POLICIES])

    return bind_function(
        member, record, scalar(lambda table, number: 0.0), scalar(sheet_of), None,
        sole_policy=True, checked=False,
    )  # fmt: skip


def make_recorder_seating(
    seating: Seating, sheet: Int64Array, recorders: Mapping[int, Any]
) -> Seating:
    """Return a seating whose players record into `sheet`, which must outlive the seating.

    `recorders` are the loops for leading and following (`bind_recorder`).
    """
    functions = np.zeros(LOOP_ENTRIES, dtype=np.int64)
    resources = np.zeros(LOOP_ENTRIES, dtype=np.int64)
    for member in (LEAD, FOLLOW):
        functions[member * MAX_POLICIES] = recorders[member].address
        resources[member * MAX_POLICIES] = sheet.ctypes.data
    parameters = np.zeros(LOOP_ENTRIES * MAX_PARAMETERS)
    return seating._replace(
        loop_addresses=functions, parameters=parameters, resources=resources, distinct=1
    )


_RECORDERS = {member: bind_recorder(member, _record_decision) for member in (LEAD, FOLLOW)}


class DecisionBuffer(NamedTuple):
    """Room for n decisions, as in `CardDecisions`; flat arrays."""

    kind: Any
    features: Any
    outputs: Any
    card_count: Any
    values: Any


@scalar
def _deal_again(state: Block, lanes: int) -> None:
    """Deal the further cards of all rounds; those that were taken have them already, the same."""
    for i in range(pad_lanes(lanes)):
        rest = PACK ^ state[UPCARD + i]
        for place in range(SEATS):
            rest ^= state[cell_index(FIRST_FIVE + place * STRIDE, i)]
        state[REMAINING_CARDS + i] = rest
    deal_further_cards(state, lanes)


@scalar
def _vary_contracts(state: Block, lanes: int, rules: Rules, imposed: float) -> None:
    """Give some rounds, and all that were passed out, another Sender and contract.

    The Sender is mostly the player with the highest count for it, and the amount about the expected
    total.
    """
    for i in range(lanes):
        key = state[KEY + i]
        if state[SENDER + i] >= 0 and rng.to_fraction(rng.draw(key, _RECORDER_DRAW)) >= imposed:
            continue
        kind = rng.scale_below(rng.draw(key, _RECORDER_DRAW + 1), 10)
        contract = NO_TRUMP if kind < 3 else (ALL_TRUMPS if kind < 6 else kind % 4)
        if contract >= NO_TRUMP and rules.all_no_trump == 2:
            contract = kind % 4
        place = rng.scale_below(rng.draw(key, _RECORDER_DRAW + 2), SEATS)
        best = -1.0
        searched = rng.scale_below(rng.draw(key, _RECORDER_DRAW + 3), 10) < 7
        for candidate in range(SEATS):
            hand = state[cell_index(FIRST_FIVE + candidate * STRIDE, i)] | state[UPCARD + i]
            if rules.auction:
                hand = state[cell_index(DEALT + candidate * STRIDE, i)]
            value = count_points(hand, contract, get_fitted(rules.teams))
            if (searched and value > best) or (candidate == place and not searched):
                best, place = value, candidate
        state[SENDER + i] = place
        state[CONTRACT + i] = contract
        state[CAPOT + i] = 0
        state[STAKE + i] = 1
        if rules.auction:
            spare = rng.scale_below(rng.draw(key, _RECORDER_DRAW + 4), 90) - 10
            base = base_total(contract, get_fitted(rules.teams))
            amount = 10 * int((base + best - spare) // 10.0)
            state[AMOUNT + i] = max(rules.minimum_bid, min(amount, rules.max_amount))


@scalar
def _roll_out(
    state: Block, inner: Block, lanes: int, sheet: Any, values: Any, sources: Any, cards: Any,
    where: Any, trick: int, position: Position, rules: Rules, rollouts: Seating,
) -> None:  # fmt: skip
    """Fill `values` (lanes * MAX_CANDIDATES) with the utility of each candidate."""
    waiting = 0
    for i in range(lanes + 1):
        at = 1 + i * SHEET_SIZE
        many = sheet[at + _CARD_COUNT] if i < lanes else 0
        if waiting > 0 and (i == lanes or waiting + many > LANES):
            copy_lanes(state, inner, sources, waiting)
            for j in range(pad_lanes(waiting)):
                inner[cell_index(TRICK_CARDS + position * STRIDE, j)] = cards[
                    j if j < waiting else 0
                ]
            put_trick_cards(inner, waiting, position)
            call_resume(
                rollouts.resume[RESUME_PLAY], (inner, waiting, rules, rollouts, trick, position + 1)
            )
            for j in range(waiting):
                team = team_of(state[PLAYERS_BY_POSITION + sources[j]], position)
                values[where[j]] = compute_utility(inner, j, team, rules.teams)
            waiting = 0
        if many > 1:
            for which in range(many):
                sources[waiting] = i
                cards[waiting] = sheet[at + _CANDIDATES + which]
                where[waiting] = i * MAX_CANDIDATES + which
                waiting += 1


@block_loop
def restore_lane_order(state: Block, lanes: int, rows: int) -> None:
    """Move each lane back to ORIGINAL_LANE, in the first `rows` rows."""
    for lane in range(lanes):
        origin = state[ORIGINAL_LANE + lane]
        while origin != lane:
            for row in range(rows):
                here = cell_index(row * STRIDE, lane)
                there = cell_index(row * STRIDE, origin)
                state[here], state[there] = state[there], state[here]
            origin = state[ORIGINAL_LANE + lane]


@scalar
def start_play(
    state: Block, first: int, lanes: int, seed: int, rules: Rules, seating: Seating, imposed: float
) -> int:
    """Deal, call and vary the contracts of a block; return the number of deals to play."""
    for i in range(pad_lanes(lanes)):
        state[DEAL_NUMBER + i] = first + i
        state[DEALER + i] = (first + i) % SEATS
        state[PENDING + i] = 0
        state[KEY + i] = rng.derive_deal_key(seed, first + i)
        state[ILLEGAL + i] = 0
    log = np.empty(0, np.int64)
    for which in range(2):
        call_stage(seating.stages[which], (state, lanes, rules, seating, log))
    # Decisions come in the order of the deals, whatever the calls were.
    restore_lane_order(state, lanes, AUCTION_ROWS)
    if not rules.auction:
        _deal_again(state, lanes)
    _vary_contracts(state, lanes, rules, imposed)
    lanes = move_taken_first(state, lanes, AUCTION_ROWS)
    complete_hands(state, lanes, 1 - rules.auction)
    prepare_play(state, lanes)
    return lanes


@kernel
def record_deals(
    state: Block, inner: Block, sheet: Any, first: int, lanes: int, seed: int, moments: int,
    rules: Rules, seating: Seating, rollouts: Seating, recorders: Seating, output: DecisionBuffer,
    filled: int,
) -> int:  # fmt: skip
    """Play deals of a block and record the decisions at some turns, the same in all deals.

    Args:
        state, inner: blocks.
        sheet: the recorders' sheet.
        first, lanes, seed: the deals.
        moments: the most turns to record.
        rules: the rules.
        seating: the players.
        rollouts: the players that play on after each candidate.
        recorders: `make_recorder_seating`.
        output: room for lanes * moments decisions from number `filled` on.

    Returns:
        The number of decisions that `output` then holds.
    """
    sources = np.empty(LANES, np.int64)
    cards = np.empty(LANES, np.int64)
    where = np.empty(LANES, np.int64)
    identity = np.arange(LANES)
    values = np.empty(LANES * MAX_CANDIDATES)
    lanes = start_play(state, first, lanes, seed, rules, seating, IMPOSED_SHARE)
    key = rng.derive_deal_key(seed, first)
    left = moments
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            member = LEAD if position == 0 else FOLLOW
            point = SEATS * trick + position
            share = LATE_SHARE if trick >= LATE_TRICK else EARLY_SHARE
            drawn = rng.to_fraction(rng.draw(key, _RECORDER_DRAW + 10 + point))
            recorded = left > 0 and drawn < share
            if not recorded:
                ask(seating, member, state, lanes, trick, position, rules.teams, 0)
                continue
            left -= 1
            copy_lanes(state, inner, identity, lanes)
            sheet[0] = 0
            ask(recorders, member, inner, lanes, trick, position, rules.teams, 0)
            _roll_out(
                state, inner, lanes, sheet, values, sources, cards, where, trick, position, rules,
                rollouts,
            )  # fmt: skip
            filled = _write_decisions(sheet, lanes, values, output, filled)
            copy_lanes(state, inner, identity, lanes)
            ask(seating, member, inner, lanes, trick, position, rules.teams, 0)
            for i in range(pad_lanes(lanes)):
                card = inner[cell_index(TRICK_CARDS + position * STRIDE, i)]
                draw = rng.draw(state[KEY + i], _RECORDER_DRAW + 100 + point)
                if i < lanes and rng.to_fraction(draw) < EXPLORE_SHARE:
                    at = 1 + i * SHEET_SIZE
                    number = rng.scale_below(rng.draw(draw, 0), sheet[at + _CARD_COUNT])
                    card = sheet[at + _CANDIDATES + number]
                state[cell_index(TRICK_CARDS + position * STRIDE, i)] = card
            put_trick_cards(state, lanes, position)
        finish_trick(state, lanes)
    return filled


@scalar
def _write_decisions(
    sheet: Any, lanes: int, values: Any, output: DecisionBuffer, filled: int
) -> int:
    """Write the decisions of a sheet that leave a choice to the output; return their new number."""
    for i in range(lanes):
        at = 1 + i * SHEET_SIZE
        many = sheet[at + _CARD_COUNT]
        if many < 2:
            continue
        output.kind[filled] = sheet[at + _KIND]
        output.card_count[filled] = many
        for k in range(FEATURES):
            output.features[filled * FEATURES + k] = sheet[at + _FEATURES + k]
        for which in range(many):
            output.outputs[filled * MAX_CANDIDATES + which] = sheet[at + _OUTPUTS + which]
            output.values[filled * MAX_CANDIDATES + which] = values[i * MAX_CANDIDATES + which]
        filled += 1
    return filled


MOMENTS_PER_DEAL = 20
"""Most turns of each deal that are recorded (`EARLY_SHARE`, `LATE_SHARE`)."""

PART_DEALS = 1024
"""Deals that a thread plays at a time."""

MAX_BARREN_DEALS = 8 * PART_DEALS
"""Deals without any decision after which recording gives up."""


class CardDecisions(NamedTuple):
    """Decisions about a card to play, n of them.

    Attributes:
        kind: int8 (n,), an index of KINDS.
        features: uint16 (n, FEATURES).
        outputs: uint8 (n, MAX_CANDIDATES); those from `card_count` on mean nothing.
        card_count: int64 (n,), 2 to MAX_CANDIDATES.
        values: float32 (n, MAX_CANDIDATES), the lead of the player's team in the round after each
            card, in points.
    """

    kind: NDArray[np.int8]
    features: NDArray[np.uint16]
    outputs: NDArray[np.uint8]
    card_count: Int64Array
    values: Float32Array


_TRICK = list(PARTS).index("trick_0")
_TRICK_START = sum(rows for rows, _ in list(PARTS.values())[:_TRICK])


def find_tricks(features: NDArray[np.uint16]) -> Int64Array:
    """Return the numbers of the tricks, from 0, of decisions with features (n, FEATURES)."""
    return (features[:, _TRICK].astype(np.int64) - _TRICK_START) // SEATS


def record_decisions(
    rules: KqjRules, player: Player, seed: int, first: int, deals: int
) -> CardDecisions:
    """Return the decisions recorded in the deals `first` to `first + deals - 1`, in order.

    The player sits at all seats, and also plays on after each candidate card.

    Raises:
        kqj_sim.errors.InputError: a policy cannot be used.
    """
    players, encoded_rules = [player] * SEATS, encode_rules(rules)
    seating = encode_seating(rules, players, None)
    rollouts = encode_seating(rules, players, None, "rollouts")
    sheet = np.zeros(1 + LANES * SHEET_SIZE, dtype=np.int64)
    recorders = make_recorder_seating(seating, sheet, _RECORDERS)
    room = deals * MOMENTS_PER_DEAL
    output = DecisionBuffer(
        kind=np.zeros(room, dtype=np.int8),
        features=np.zeros(room * FEATURES, dtype=np.uint16),
        outputs=np.zeros(room * MAX_CANDIDATES, dtype=np.uint8),
        card_count=np.zeros(room, dtype=np.int64),
        values=np.zeros(room * MAX_CANDIDATES, dtype=np.float32),
    )
    state, inner = allocate_block(), allocate_block()
    filled = 0
    for start in range(first, first + deals, LANES):
        lanes = min(LANES, first + deals - start)
        filled = record_deals(
            state, inner, sheet, start, lanes, seed, MOMENTS_PER_DEAL, encoded_rules, seating,
            rollouts, recorders, output, filled,
        )  # fmt: skip
    return CardDecisions(
        kind=output.kind[:filled].copy(),
        features=output.features.reshape(room, FEATURES)[:filled].copy(),
        outputs=output.outputs.reshape(room, MAX_CANDIDATES)[:filled].copy(),
        card_count=output.card_count[:filled].copy(),
        values=output.values.reshape(room, MAX_CANDIDATES)[:filled].copy(),
    )


def iterate_decisions(
    rules: KqjRules, player: Player, seed: int, first: int, threads: int
) -> Generator[CardDecisions, None, None]:
    """Yield the decisions of part after part of the deals from `first` on, without end.

    Each part has PART_DEALS deals; `threads` parts are played ahead.

    Raises:
        ValueError: the first MAX_BARREN_DEALS deals have not a single decision.
    """
    starts = itertools.count(first, PART_DEALS)
    found = False
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(
            pool.submit(record_decisions, rules, player, seed, next(starts), PART_DEALS)
            for _ in range(threads)
        )
        try:
            for start in starts:
                decisions = waiting.popleft().result()
                waiting.append(
                    pool.submit(record_decisions, rules, player, seed, start, PART_DEALS)
                )
                found |= len(decisions.kind) > 0
                if not found and start - first >= MAX_BARREN_DEALS:
                    raise ValueError(f"no decisions in {MAX_BARREN_DEALS:,} deals: nobody takes")
                yield decisions
        finally:
            pool.shutdown(cancel_futures=True)


def collect_decisions(parts: Generator[CardDecisions, None, None], count: int) -> CardDecisions:
    """Return the next decisions, at least `count`, of `iterate_decisions`."""
    found: list[CardDecisions] = []
    while sum(len(part.kind) for part in found) < count:
        found.append(next(parts))
    return CardDecisions._make(np.concatenate(arrays) for arrays in zip(*found, strict=True))
