"""Turns of auctions between players of `points`: what was heard, and what a contract then brings.

A turn is drawn from each auction.  The contract with the highest expected total there is played,
whatever was said; so is the last bid of an opponent, if there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from kqj_sim.core import rng
from kqj_sim.core.bits import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.calls import LOG_BID, LOG_PASS, LOG_SIZE
from kqj_sim.core.compile import kernel
from kqj_sim.core.round import CALLS, call_stage
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    CALL_COUNT,
    DEALT,
    KEY,
    LANES,
    ORIGIN,
    PLAYERS,
    SEATS,
    STRIDE,
    new_state,
    team_of,
)
from kqj_sim.core.views import BidView
from kqj_sim.encode import core_rules, core_table
from kqj_sim.policies.counting import count
from kqj_sim.policies.points import expected_total, heard
from kqj_sim.policies.specification import player
from kqj_sim.rules import KqjRules
from kqj_sim.training.imposed import Given, Numbers, begin_deals

SPOKEN = (LOG_PASS, LOG_BID)
"""The calls that are turns to speak."""

_TURN_DRAW = np.int64(77 << 32)
"""Purpose of the draw of a turn (`core.rng`)."""


class Turns(NamedTuple):
    """A turn of each auction, seen by who has it; int64 (n,) or (terms, n).

    Attributes:
        place: who has the turn.
        contract: the contract with the highest expected total to him.
        amount: the lowest amount that he may bid.
        own_count: the count of his hand for that contract.
        heard: (2, n), what he has heard about it (`policies.points.Heard`).
        bidder: place of the last bidder if that is an opponent, else -1.
        their_contract, their_amount: the last bid.
        their_count: the count of his hand for the last bid's contract.
        backed: partners of the bidder whose last bid is in it too.
    """

    place: Numbers
    contract: Numbers
    amount: Numbers
    own_count: Numbers
    heard: Numbers
    bidder: Numbers
    their_contract: Numbers
    their_amount: Numbers
    their_count: Numbers
    backed: Numbers


@kernel
def _turns(
    state: Any, log: Any, deals: Any, seed: int, rules: Rules, table: Table, p: Any,
    turns: Any,
) -> None:  # fmt: skip
    """Fill the arrays of `Turns`."""
    for first in range(0, deals.shape[0], LANES):
        lanes = min(LANES, deals.shape[0] - first)
        begin_deals(state, deals, first, lanes, seed, rules, table)
        call_stage(table.stages[CALLS], (state, lanes, rules, table, log))
        for i in range(lanes):
            spoken = 0
            origin = state[ORIGIN + i]
            for call in range(state[CALL_COUNT + i]):
                kind = log[call * STRIDE + origin] & 15
                spoken += 1 if kind in SPOKEN else 0
            turn = rng.below(rng.draw(state[KEY + i], _TURN_DRAW), spoken)
            last_bids, bidder, amount, contract = 0, -1, 0, -1
            at, call = 0, 0
            while at < turn:
                said = log[call * STRIDE + origin]
                kind, place, bid = said & 15, (said >> 4) & 15, said >> 8
                if kind == LOG_BID:
                    bidder, amount, contract = place, bid >> 4, (bid >> 1) & 7
                    entry = (amount // 10) << 3 | (contract + 1)
                    last_bids = last_bids & ~(1023 << 10 * place) | entry << 10 * place
                at += 1 if kind in SPOKEN else 0
                call += 1
            place = turn % SEATS
            players = state[PLAYERS + i]
            view = BidView(
                state[DEALT + place * STRIDE + i], place, turn,
                amount + 10 if amount > 0 else rules.minimum_bid, rules.max_amount,
                0 if rules.all_no_trump == 2 else 1, bidder, amount, contract, last_bids, players,
                rules.teams, 0,
            )  # fmt: skip
            best, choice = -1e9, 0
            for each in range(6 if view.all_no_trump else 4):
                total = expected_total(view, each, p)
                if total > best:
                    best, choice = total, each
            lane = first + origin
            turns.place[lane] = place
            turns.contract[lane] = choice
            turns.amount[lane] = min(view.lowest_amount, rules.max_amount)
            turns.own_count[lane] = int(count(view.hand, choice, p))
            told = heard(last_bids, players, place, choice)
            for k in range(2):
                turns.heard[k, lane] = told[k]
            turns.bidder[lane] = -1
            if bidder >= 0 and team_of(players, bidder) != team_of(players, place):
                turns.bidder[lane] = bidder
                turns.their_contract[lane] = contract
                turns.their_amount[lane] = amount
                turns.their_count[lane] = int(count(view.hand, contract, p))
                turns.backed[lane] = heard(last_bids, players, bidder, contract).named


def turns_of(rules: KqjRules, policy: str, seed: int, deals: Numbers) -> Turns:
    """A turn of the auction of each deal, int64 (n,), between six players of a policy.

    The policy is `points` with any parameters, by which counts and totals are reckoned.
    """
    found = player(policy)
    core, table = core_rules(rules), core_table(rules, [found] * SEATS, None)
    n = len(deals)
    arrays = [np.zeros((2, n) if f == "heard" else n, dtype=np.int64) for f in Turns._fields]
    turns = Turns(*arrays)
    parameters = found.calling.policy.tuple_type(*found.calling.parameters)
    log = np.zeros(LOG_SIZE, dtype=np.int64)
    _turns(new_state(), log, deals, seed, core, table, parameters, turns)
    return turns


@dataclass(frozen=True)
class Hearing:
    """What can be told of totals in auctions.

    Attributes:
        parameters: of `points`, without the prefix of three teams; what was hardly ever heard is
            left out.
        errors: their standard errors, of those that least squares give.
        r2, r2_theirs: share of the variance explained of the own team's total, and of what an
            opponent's total exceeds his bid by.
    """

    parameters: dict[str, float]
    errors: dict[str, float]
    r2: float
    r2_theirs: float


SEEN = 100
"""Turns in which something must be heard for its coefficient to be told."""


def _least_squares(
    names: list[str], columns: list[NDArray[Any]], wanted: NDArray[np.float64]
) -> tuple[dict[str, float], dict[str, float], float, NDArray[np.float64]]:
    """Coefficients of columns; their errors, R2, and what is expected."""
    least = min(SEEN, len(wanted))
    seen = [np.count_nonzero(column) >= least for column in columns]
    names = [name for name, often in zip(names, seen, strict=True) if often]
    matrix = np.column_stack(
        [column for column, often in zip(columns, seen, strict=True) if often]
    ).astype(np.float64)
    found = np.linalg.lstsq(matrix, wanted)[0]
    expected = matrix @ found
    noise = np.mean((wanted - expected) ** 2)
    errors = np.sqrt(noise * np.diag(np.linalg.inv(matrix.T @ matrix)))
    return (
        dict(zip(names, map(float, found), strict=True)),
        dict(zip(names, map(float, errors), strict=True)),
        float(1 - noise / wanted.var()),
        expected,
    )


def _capot(expected: NDArray[np.float64], capot: Numbers) -> tuple[float, float]:
    """Expected total with which Capot is as likely as not, and its spread, by likelihood."""

    def unlikelihood(x: NDArray[np.float64]) -> float:
        z = (expected - x[0]) / np.exp(x[1])
        return -float(np.where(capot, special.log_ndtr(z), special.log_ndtr(-z)).sum())

    best = optimize.minimize(unlikelihood, [300.0, 4.0], method="Nelder-Mead")
    return float(best.x[0]), float(np.exp(best.x[1]))


def hear(rules: KqjRules, calls: str, plays: str, seed: int, deals: Numbers) -> Hearing:
    """Fit what bids and cards tell, between players who call like `calls` and play like `plays`."""
    turns = turns_of(rules, calls, seed, deals)
    given = Given(rules, plays, seed)
    outcomes = given.play(deals, turns.place, turns.contract, turns.amount)
    found, errors, r2, expected = _least_squares(
        ["base_suit", "base_nt", "base_at", "per_count", "named", "their_named"],
        [
            turns.contract < NO_TRUMP,
            turns.contract == NO_TRUMP,
            turns.contract == ALL_TRUMPS,
            turns.own_count,
            *turns.heard,
        ],
        outcomes.total.astype(np.float64),
    )
    found["spread"] = float((outcomes.total - expected).std())
    found["capot"], found["capot_spread"] = _capot(expected, outcomes.capot)
    theirs = turns.bidder >= 0
    amounts = turns.their_amount[theirs]
    totals = given.play(
        deals[theirs], turns.bidder[theirs], turns.their_contract[theirs], amounts
    ).total
    more, more_errors, r2_theirs, _ = _least_squares(
        ["margin", "margin_falls", "hold", "backed"],
        [
            np.ones(len(amounts)),
            rules.minimum_bid - amounts,
            -turns.their_count[theirs],
            turns.backed[theirs],
        ],
        (totals - amounts).astype(np.float64),
    )
    return Hearing({**found, **more}, {**errors, **more_errors}, r2, r2_theirs)
