"""A model of totals in auctions, to compare with what the policy `points` expects.

A turn is drawn from each auction.  The contract with the highest expected total there is played,
whatever was called; so is the last bid of an opponent, if there is one.  The model tells what bids
and cards are worth on average.  `points` bids by other numbers, found by `kqj-sim tune`: what
scores most against opponents who counter is more cautious.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from kqj_sim.core import rng
from kqj_sim.core.bidding import LOG_BID, LOG_PASS, LOG_SIZE
from kqj_sim.core.block import (
    CALL_COUNT,
    DEALT,
    KEY,
    LANES,
    ORIGINAL_LANE,
    PLAYERS,
    SEATS,
    STRIDE,
    allocate_block,
    team_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import CALL_STAGE, call_stage
from kqj_sim.core.types import Block, Float64Array, Int64Array, Rules, Seating
from kqj_sim.core.views import BidView, replace_last_bid
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.points import count_points, expected_total, summarise_bids
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tools.fit_points.imposed import ImposedRounds, deal_cards

SPEAKING_CALLS = (LOG_PASS, LOG_BID)
"""The calls that are turns to speak."""

_TURN_DRAW: Any = np.int64(77 << 32)
"""Purpose of the draw of a turn (`core.rng`)."""


class AuctionTurns(NamedTuple):
    """A turn of each auction as its player sees it; int64 (n,) or (terms, n).

    Attributes:
        place: place of the player.
        contract: the contract with the player's highest expected total.
        amount: the lowest amount that the player may bid.
        own_count: the count of the player's hand for that contract.
        other_bids: (2, n), the bids of others in it (`policies.points.summarise_bids`).
        bidder: place of the last bidder if that is an opponent, else -1.
        their_contract, their_amount: the last bid.
        their_count: the count of the player's hand for the last bid's contract.
        backed: partners of the bidder whose last bid is in it too.
    """

    place: Int64Array
    contract: Int64Array
    amount: Int64Array
    own_count: Int64Array
    other_bids: Int64Array
    bidder: Int64Array
    their_contract: Int64Array
    their_amount: Int64Array
    their_count: Int64Array
    backed: Int64Array


@kernel
def _fill_turns(
    state: Block, log: Any, deals: Any, seed: int, rules: Rules, seating: Seating, parameters: Any,
    turns: Any,
) -> None:  # fmt: skip
    """Fill the arrays of `AuctionTurns`."""
    for first in range(0, deals.shape[0], LANES):
        lanes = min(LANES, deals.shape[0] - first)
        deal_cards(state, deals, first, lanes, seed, rules, seating)
        call_stage(seating.stages[CALL_STAGE], (state, lanes, rules, seating, log))
        for i in range(lanes):
            spoken = 0
            origin = state[ORIGINAL_LANE + i]
            for call in range(state[CALL_COUNT + i]):
                kind = log[call * STRIDE + origin] & 15
                spoken += 1 if kind in SPEAKING_CALLS else 0
            turn = rng.scale_below(rng.draw(state[KEY + i], _TURN_DRAW), spoken)
            last_bids, bidder, amount, contract = 0, -1, 0, -1
            at, call = 0, 0
            while at < turn:
                said = log[call * STRIDE + origin]
                kind, place, bid = said & 15, (said >> 4) & 15, said >> 8
                if kind == LOG_BID:
                    bidder, amount, contract = place, bid >> 4, (bid >> 1) & 7
                    last_bids = replace_last_bid(last_bids, place, amount // 10, contract)
                at += 1 if kind in SPEAKING_CALLS else 0
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
                total = expected_total(view, each, parameters)
                if total > best:
                    best, choice = total, each
            lane = first + origin
            turns.place[lane] = place
            turns.contract[lane] = choice
            turns.amount[lane] = min(view.lowest_amount, rules.max_amount)
            turns.own_count[lane] = int(count_points(view.hand, choice, parameters))
            summary = summarise_bids(last_bids, players, place, choice)
            for k in range(2):
                turns.other_bids[k, lane] = summary[k]
            turns.bidder[lane] = -1
            if bidder >= 0 and team_of(players, bidder) != team_of(players, place):
                turns.bidder[lane] = bidder
                turns.their_contract[lane] = contract
                turns.their_amount[lane] = amount
                turns.their_count[lane] = int(count_points(view.hand, contract, parameters))
                turns.backed[lane] = summarise_bids(last_bids, players, bidder, contract)[0]


def draw_turns(rules: KqjRules, policy: str, seed: int, deals: Int64Array) -> AuctionTurns:
    """Draw a turn from the auction of each deal, int64 (n,), between six players of a policy.

    The policy is `points` with any parameters; counts and totals are computed with them.
    """
    found = parse_player(policy)
    core, table = encode_rules(rules), encode_seating(rules, [found] * SEATS, None)
    n = len(deals)
    arrays = [
        np.zeros((2, n) if f == "other_bids" else n, dtype=np.int64) for f in AuctionTurns._fields
    ]
    turns = AuctionTurns(*arrays)
    parameters = found.calling.policy.tuple_type(*found.calling.under(rules).numbers)
    log = np.zeros(LOG_SIZE, dtype=np.int64)
    _fill_turns(allocate_block(), log, deals, seed, core, table, parameters, turns)
    return turns


@dataclass(frozen=True)
class BidModel:
    """A fitted model of totals in auctions.

    Attributes:
        parameters: of `points`; without those that hardly ever occurred.
        errors: their standard errors, of those that least squares give.
        r2, r2_opponents: share of the variance explained of the team's total, and of an opponent's
            total above the bid.
    """

    parameters: dict[str, float]
    errors: dict[str, float]
    r2: float
    r2_opponents: float


MIN_OCCURRENCES = 100
"""Turns with a non-zero value that a coefficient needs to be fitted; of few turns a tenth."""


def fit_least_squares(
    names: list[str], columns: list[NDArray[Any]], target: Float64Array
) -> tuple[dict[str, float], dict[str, float], float, Float64Array]:
    """Fit the coefficients of columns; return them, their standard errors, R2 and the expected
    values."""
    least = min(MIN_OCCURRENCES, len(target) // 10)
    seen = [np.count_nonzero(column) >= least for column in columns]
    names = [name for name, often in zip(names, seen, strict=True) if often]
    matrix = np.column_stack(
        [column for column, often in zip(columns, seen, strict=True) if often]
    ).astype(np.float64)
    found = np.linalg.lstsq(matrix, target)[0]
    expected = matrix @ found
    noise = np.mean((target - expected) ** 2)
    errors = np.sqrt(noise * np.diag(np.linalg.inv(matrix.T @ matrix)))
    return (
        dict(zip(names, map(float, found), strict=True)),
        dict(zip(names, map(float, errors), strict=True)),
        float(1 - noise / target.var()),
        expected,
    )


def _fit_capot(expected: Float64Array, capot: Int64Array) -> tuple[float, float]:
    """Fit the expected total at which Capot is as likely as not, and its spread, by likelihood."""

    def negative_log_likelihood(x: Float64Array) -> float:
        z = (expected - x[0]) / np.exp(x[1])
        return -float(np.where(capot, special.log_ndtr(z), special.log_ndtr(-z)).sum())

    best = optimize.minimize(negative_log_likelihood, [300.0, 4.0], method="Nelder-Mead")
    return float(best.x[0]), float(np.exp(best.x[1]))


def fit_bid_model(
    rules: KqjRules, calls: str, plays: str, seed: int, deals: Int64Array
) -> BidModel:
    """Fit the meaning of bids and cards, between players who call like `calls` and play like
    `plays`."""
    turns = draw_turns(rules, calls, seed, deals)
    given = ImposedRounds(rules, plays, seed)
    outcomes = given.play(deals, turns.place, turns.contract, turns.amount)
    found, errors, r2, expected = fit_least_squares(
        ["base_suit", "base_nt", "base_at", "per_count", "named", "their_named"],
        [
            turns.contract < NO_TRUMP,
            turns.contract == NO_TRUMP,
            turns.contract == ALL_TRUMPS,
            turns.own_count,
            *turns.other_bids,
        ],
        outcomes.total.astype(np.float64),
    )
    found["spread"] = float((outcomes.total - expected).std())
    found["capot"], found["capot_spread"] = _fit_capot(expected, outcomes.capot)
    theirs = turns.bidder >= 0
    amounts = turns.their_amount[theirs]
    totals = given.play(
        deals[theirs], turns.bidder[theirs], turns.their_contract[theirs], amounts
    ).total
    more, more_errors, r2_theirs, _ = fit_least_squares(
        ["margin", "margin_falls", "hold", "backed"],
        [
            np.ones(len(amounts)),
            rules.minimum_bid - amounts,
            -turns.their_count[theirs],
            turns.backed[theirs],
        ],
        (totals - amounts).astype(np.float64),
    )
    return BidModel({**found, **more}, {**errors, **more_errors}, r2, r2_theirs)


def format_bidder_spec(values: dict[str, float], plays: str) -> str:
    """Return the specification of a player with parameters of `points` and another policy's
    play."""
    return "points:" + ",".join(f"{name}={value:g}" for name, value in values.items()) + f"+{plays}"
