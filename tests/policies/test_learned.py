"""`learned`: features, values and calls against slow namesakes; functions that rule out bids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import block
from kqj_sim.core.dispatch import ASK_SIGNATURE, BID, COUNTER, LOOP_ENTRIES, OVERCOUNTER, call_loop
from kqj_sim.core.jit import compile_cfunc, kernel
from kqj_sim.core.views import PASS, BidView, bid_code
from kqj_sim.policies import call_features, learned, points, weights
from kqj_sim.policies.call_features import FEATURES, LAYOUT, CallTurn, make_bid_turn, order_suits
from kqj_sim.policies.learned import write_values
from kqj_sim.policies.one_layer import HIDDEN_UNITS
from kqj_sim.policies.trick_odds import KIND_COUNT
from kqj_sim.rules import KqjRules
from tests.policies.slow_calls import RANKS, Question, list_features, list_values, questions
from tests.slow import slow_after
from tests.variants import AUCTION_2, AUCTION_3
from tools.leads import measure_lead

LANES = 11
"""Questions that are asked together; a vector has eight."""
LOOPS = {BID: "bid", COUNTER: "counter", OVERCOUNTER: "overcounter"}


@cache
def loop_address(loop: int) -> int:
    function = learned.learned.blocks[LOOPS[loop]]
    return int(compile_cfunc(ASK_SIGNATURE, function, cache=False, name=f"asked_{loop}").address)


@kernel(cache=False)  # type: ignore[untyped-decorator]
def call_at(
    address: int, state: Any, place: int, turn: int, teams: int, rule: int, parameters: Any,
    resources: Any,
) -> None:  # fmt: skip
    call_loop(address, state, LANES, place, turn, teams, rule, 0, parameters, resources)


def ask_learned(
    loop: int, turns: Sequence[CallTurn], number: int, fixed: NDArray[np.int16], limits: int = 0
) -> int:
    """The call in question `number`; every other one of the following ones is asked beside it."""
    state = block.allocate_block()
    asked = turns[number]
    for lane in range(LANES):
        turn = turns[(number + lane) % len(turns)]
        rows = {
            block.DEALT + asked.place * block.STRIDE: turn.hand,
            block.SENDER: turn.bidder,
            block.AMOUNT: turn.amount,
            block.CONTRACT: turn.contract,
            block.CAPOT: turn.capot,
            block.LAST_BIDS: turn.last_bids,
            block.PLAYERS: turn.players,
            block.CALL: -7,
            block.STILL_CALLING: 1 - lane % 2,
            block.MAY_COUNTER: 1 - lane % 2,
        }
        for row, value in rows.items():
            state[block.cell_index(row, lane)] = value
    resources = np.full(LOOP_ENTRIES, fixed.ctypes.data)
    call_at(
        loop_address(loop), state, asked.place, asked.turn, asked.team_count, limits, np.zeros(1),
        resources,
    )  # fmt: skip
    calls = state[block.CALL : block.CALL + LANES]
    assert all((call == -7) == bool(lane % 2) for lane, call in enumerate(calls))
    return int(calls[0])


def draw_weights(seed: int, mean: float = 0) -> NDArray[np.int16]:
    """Random weights in fixed point, with values around a mean."""
    size = (KIND_COUNT, LAYOUT.stored_size)
    drawn = np.random.default_rng(seed).normal(0, 1, size).astype(np.float32)
    drawn[:, LAYOUT.output_bias :] += mean
    return weights.align_for_play("learned", drawn)


def test_features_are_their_slow_namesakes() -> None:
    features = np.empty(FEATURES, np.int64)
    seen: set[int] = set()
    for question, turn in questions(600):
        for number, contract in enumerate(CONTRACTS):
            call_features.write_call_features(turn, order_suits(turn.hand), number, features, 0, 1)
            expected = list_features(question, contract)
            assert sorted(features.tolist()) == sorted(expected), (question, contract)
            seen.update(expected)
    assert len(seen) > 500
    assert len(RANKS) == 12


@pytest.mark.parametrize("seed", [1, 2])
def test_values_are_those_of_whole_numbers_to_the_bit(seed: int) -> None:
    fixed, values = draw_weights(seed), np.empty(16, np.float32)
    for question, turn in questions(20, seed):
        for number, contract in enumerate(CONTRACTS):
            write_values(turn, order_suits(turn.hand), number, fixed.ctypes.data, values)
            expected = list_values(fixed, list_features(question, contract), contract)
            assert values.tolist() == expected


def is_looked_at(question: Question, contract: str) -> bool:
    for place, (_, named) in question.bids.items():
        if named == contract and question.teams[place] == question.teams[question.place]:
            return True
    if contract in ("NT", "AT"):
        wanted = "A" if contract == "NT" else "9"
        return sum(wanted in cards for cards in question.hand.values()) >= 2
    cards = question.hand[contract]
    return len(cards) >= 3 or (len(cards) == 2 and ("9" in cards or "8" in cards))


def find_best_bid(
    question: Question, fixed: NDArray[np.int16], lowest: int, highest: int, all_no_trump: int
) -> int:
    """The bid of the greatest value, the first of equal ones."""
    best, call = np.float32(0), PASS
    for number, contract in enumerate(CONTRACTS):
        if (number >= 4 and not all_no_trump) or not is_looked_at(question, contract):
            continue
        values = list_values(fixed, list_features(question, contract), contract)
        amounts = [lowest + raised for raised in range(0, 121, 10)]
        amounts.append(max(lowest, 400))
        for at, amount in enumerate(amounts):
            if amount <= highest and values[at] > best:
                best, call = values[at], bid_code(amount, number, int(at == 13))
    return call


def test_calls_are_those_of_the_greatest_value() -> None:
    fixed, seen = draw_weights(3, -20), set()
    asked = list(questions(300))
    turns = [turn for _, turn in asked]
    for number, (question, turn) in enumerate(asked):
        if question.kind == 0:
            lowest = turn.amount + 10 if turn.bidder >= 0 else 120
            highest, all_no_trump = 600 if number % 3 else lowest + 20, number % 2
            limits = (120 << 16 | highest) << 1 | all_no_trump
            call = ask_learned(BID, turns, number, fixed, limits)
            assert call == find_best_bid(question, fixed, lowest, highest, all_no_trump)
            seen.add((0, call == PASS))
        else:
            contract = CONTRACTS[turn.contract]
            values = list_values(fixed, list_features(question, contract), contract)
            loop = COUNTER if question.kind == 1 else OVERCOUNTER
            call = ask_learned(loop, turns, number, fixed)
            assert call == int(values[13 + question.kind] > 0)
            seen.add((question.kind, call == 1))
    assert len(seen) == 6


@pytest.mark.parametrize("teams", [2, 3])
def test_packaged_weights_lose_little_in_fixed_point(teams: int) -> None:
    numbers = weights.load("learned", teams, "auction").reshape(KIND_COUNT, -1)
    fixed = weights.load_for_play("learned", teams, "auction")
    values, errors = np.empty(16, np.float32), []
    ends = LAYOUT.bias, LAYOUT.matrix, LAYOUT.output_bias
    for question, turn in questions(100):
        for number, contract in enumerate(CONTRACTS):
            kind = {"NT": 1, "AT": 2}.get(contract, 0)
            rows, bias, matrix, expected = np.split(numbers[kind], ends)
            features = list_features(question, contract)
            added = bias + rows.reshape(-1, HIDDEN_UNITS)[features].sum(axis=0)
            expected = expected + np.maximum(added, 0) @ matrix.reshape(HIDDEN_UNITS, 16)
            write_values(turn, order_suits(turn.hand), number, fixed.ctypes.data, values)
            errors += (values - expected).tolist()
    assert np.std(errors) < 1
    assert np.abs(errors).max() < 10


@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_2, AUCTION_3]), ids=["two", "three"])
def test_learned_scores_more_than_points(rules: KqjRules) -> None:
    lead = measure_lead(rules, "learned+network", "points+network", 3000, seed=8)
    assert lead.mean > 2 * lead.error


# Functions that rule out bids: never the one that is made, nearly all others.


def view_turns(count: int) -> list[BidView]:
    """Turns to bid with random hands and bids before them."""
    return [
        BidView(
            turn.hand, turn.place, turn.turn, turn.amount + 10 if turn.bidder >= 0 else 120,
            600 if number % 3 else turn.amount + 150, number % 2, turn.bidder, turn.amount,
            turn.contract, turn.last_bids, turn.players, turn.team_count, 0,
        )
        for number, (question, turn) in enumerate(questions(count))
        if question.kind == 0
    ]  # fmt: skip


def bid_of_points(view: BidView) -> int:
    return int(points.choose_bid(view, points.get_fitted(view.team_count)))


def bid_of_learned(view: BidView) -> int:
    fixed = weights.load_for_play("learned", view.team_count, "auction")
    least = view.lowest_amount if view.bidder < 0 else 120
    limits = (least << 16 | view.highest_amount) << 1 | view.all_no_trump
    return ask_learned(BID, [make_bid_turn(view)], 0, fixed, limits)


def points_may_bid(view: BidView, bid: int) -> bool:
    return bool(points.may_bid(view, bid, points.get_fitted(view.team_count), 0))


def learned_may_bid(view: BidView, bid: int) -> bool:
    fixed = weights.load_for_play("learned", view.team_count, "auction")
    return bool(learned.may_bid(view, bid, (), fixed.ctypes.data))


@pytest.mark.parametrize(
    ("choose", "may_bid"), [(bid_of_points, points_may_bid), (bid_of_learned, learned_may_bid)]
)
def test_only_bids_that_are_not_made_are_ruled_out(
    choose: Callable[[BidView], int], may_bid: Callable[[BidView, int], bool]
) -> None:
    bids = [(view, choose(view)) for view in view_turns(400)]
    made = [(view, bid) for view, bid in bids if bid != PASS]
    assert len(made) > 20
    assert all(may_bid(view, bid) for view, bid in made)
    others = [may_bid(view, bid) for view, _ in made for _, bid in made]
    assert sum(others) < 0.3 * len(others)
