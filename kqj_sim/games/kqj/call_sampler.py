"""Deals of KQJ that agree with the bidding, each call played out in them, and their estimates."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kqj_sim.columns import MAX_TOTAL
from kqj_sim.core import call_odds as core
from kqj_sim.core import observed_calls
from kqj_sim.core.block import LANES, PLAYER_BITS, SEATS, allocate_block
from kqj_sim.core.cards import PACK
from kqj_sim.core.observed_calls import (
    ERROR_SIZE,
    OBSERVED_CALL_SIZE,
    SHARED,
    STOPPED,
)
from kqj_sim.core.scoring import CAPOT_TOTAL, LITIGATION, PASSED_OUT
from kqj_sim.core.types import (
    Block,
    BoolArray,
    Float64Array,
    Int16Array,
    Int64Array,
    Rules,
    Seating,
)
from kqj_sim.core.weighted_draws import add_shared_squares
from kqj_sim.places import describe_place
from kqj_sim.plan import check_range
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import Player, get_default_player
from kqj_sim.positions import auction_state as auction
from kqj_sim.positions import measures, sampling
from kqj_sim.positions.estimator import MIN_EFFECTIVE_DEALS, ImpossibleBiddingError, search_and_add
from kqj_sim.positions.odds import Odds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan, Sampler
from kqj_sim.positions.search import Deadline, Search, SearchEnded, explain_rarest_call
from kqj_sim.record import Call
from kqj_sim.rules import KqjRules, require_kqj_rules
from kqj_sim.simulation.encode import encode_rules, encode_seating, without_counters
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.stats.moments import NO_LISTS, WeightedMoments

FIRST_PILOT_DEAL = 1 << 59
"""The deals from this number on choose the bids that are tried out; the others value them."""
PILOT_DEALS = 4 * LANES
_MIN_REACH_PROBABILITY = 0.35
"""Amounts that are reached more rarely are not tried out."""
MIN_CAPOT_PROBABILITY = 0.2
"""Capot is not tried out in contracts in which it is rarer."""
_MAX_AMOUNTS = 6
"""Number of amounts of a contract that are tried out, at most."""

_TRIED_REACH_PROBABILITIES = (0.65, 0.5)
"""Of higher bids in a contract `add_choice` adds those that are reached with these chances."""

_FREE_CALLERS = {"take": "random:take=0.3+network", "auction": "random:bid=0.3+network"}
"""By bidding, a player who makes every call."""


MAX_ERROR_LEVEL = 3
"""Levels of errors that are assumed, one after another, until enough hands are found."""


def estimate_errors(
    rate: float, questions: Int64Array, may: Int64Array, shown: Int64Array,
    known: Sequence[int], seed: int, level: int, rules: Rules, seating: Seating,
) -> Float64Array:  # fmt: skip
    """Return how likely observed calls were errors, (n, ERROR_SIZE); (0, ERROR_SIZE) if none is.

    `known` has the rows PLAYERS, UPCARD and SENDER; for the others see
    `core.observed_calls.estimate_errors`.
    """
    count = len(questions) // OBSERVED_CALL_SIZE if rate > 0 else 0
    errors = np.zeros((count, ERROR_SIZE))
    if count:
        observed_calls.estimate_errors(
            rate, questions, may, shown, *known, seed, level, rules, seating, errors
        )
    return errors


def suggest_players(rules: KqjRules, assumed: Sequence[Player]) -> str:
    """Return an example of players to assume in place of others."""
    default = get_default_player()
    return _FREE_CALLERS[rules.bidding] if default.under(rules) in assumed else default.given


@dataclass(eq=False, kw_only=True)
class KqjCallOdds(Odds):
    """Estimates of the calls of KQJ; with auctions the contracts, if they are played, follow.

    Attributes:
        totals: float64 (options, 4, 601), weights by ending (`WON` to `NOT_PLAYED`) and own total.
        squares: float64 (options, 3, 601), squares of the weights by own total; and by least total
            what shared lists add to them (`core.weighted_draws.add_shared_squares`).
        uncountered_best: with auctions the best call in the deals that chose if nobody counters.
    """

    uncountered_best: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.totals = np.zeros((len(self.options), measures.ENDINGS, MAX_TOTAL + 1))
        self.squares = np.zeros((len(self.options), 3, MAX_TOTAL + 1))

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        totals, squares = self.totals[self.kept], self.squares[self.kept]
        add_totals(playouts.outcomes, playouts.weights, playouts.lists, totals, squares)
        self.totals[self.kept], self.squares[self.kept] = totals, squares
        return super().add(playouts, max_deals)

    def list_hopeful(self) -> list[int]:
        hopeful, uncountered = super().list_hopeful(), self._find_best_uncountered()
        return sorted({*hopeful, *([] if uncountered is None else [uncountered])})

    def keep(self, numbers: Sequence[int]) -> Sequence[int]:
        contracts = {self.options[number].contract for number in numbers}
        played = (
            each for each in self.contract_options if self.options[each].contract in contracts
        )
        return super().keep([*numbers, *played])

    def rank_by(self, candidates: Odds) -> None:
        super().rank_by(candidates)
        assert isinstance(candidates, KqjCallOdds)
        self.uncountered_best = candidates._find_best_uncountered()

    def _find_best_uncountered(self) -> int | None:
        """Return the best call if nobody counters; None where nobody can."""
        measure = self.measures.indices.get(measures.UNCOUNTERED_VALUE)
        if measure is None:
            return None
        return self.kept[self.sums.best(self.objective._replace(value=measure))]

    def find_uncountered_best(self) -> tuple[int, Estimate] | None:
        """Return the call that is better than the best if nobody counters the player's side.

        Its lead over the best call, if nobody counters, is with it; None if the best call remains
        the best, or is equal to the other in all deals.
        """
        option = self.uncountered_best
        if option is None or option == self.best:
            return None
        lead = self.estimate(measures.UNCOUNTERED_VALUE, option, self.best)
        return (option, lead) if lead.value > 0 else None

    def estimate_reach_probability(self, option: int, amount: int) -> Estimate:
        """Estimate the chance that the total of the player's side is at least an amount."""
        moments, _ = self.find_moments(option)
        return estimate_reach(
            moments, self.totals[option], self.squares[option], amount, self.confidence,
            self.sequential,
        )  # fmt: skip


def add_totals(
    outcomes: Int16Array, weights: Float64Array, lists: Int64Array, totals: Float64Array,
    squares: Float64Array,
) -> None:  # fmt: skip
    """Add outcomes (options, n, OUTCOME) to `KqjCallOdds.totals` and `squares`."""
    for option in range(len(outcomes)):
        outcome = outcomes[option]
        total = outcome[:, core.OWN_TOTAL].astype(np.int64)
        cell = _classify_endings(outcome) * (MAX_TOTAL + 1) + total
        flat, square = totals[option].reshape(-1), squares[option, 0]
        flat += np.bincount(cell, weights, flat.size)
        square += np.bincount(total, weights**2, MAX_TOTAL + 1)
        if len(lists) > 0:
            add_shared_squares(total, weights, lists, squares[option, 1:])


def estimate_reach(
    sums: WeightedMoments, totals: Float64Array, squares: Float64Array, amount: int,
    confidence: float, sequential: bool = False,
) -> Estimate:  # fmt: skip
    """Estimate the chance that the total of the player's side is at least an amount.

    `totals` and `squares` are those of an option, as of `KqjCallOdds`.
    """
    above = float(totals[:, amount:].sum())
    alone = float(squares[0, amount:].sum())
    crossed, product = alone + float(squares[1, amount]), alone + float(squares[2, amount])
    return sums.estimate_share(above, crossed, product, confidence, sequential)


def choose_amounts(
    sums: WeightedMoments, totals: Float64Array, squares: Float64Array, lowest: int, highest: int
) -> Int64Array:
    """Return the amounts above the lowest at which a contract is tried out, rising.

    `sums`, `totals` and `squares` are a contract's in a pilot run, as of `estimate_reach`.
    """
    reached = 0
    for amount in range(lowest + 10, highest + 1, 10):
        chance = estimate_reach(sums, totals, squares, amount, DEFAULT_CONFIDENCE).value
        if chance >= _MIN_REACH_PROBABILITY:
            reached += 1
    step = max(1, math.ceil(reached / _MAX_AMOUNTS))
    # A higher amount is reached more rarely.
    return lowest + 10 * np.arange(reached, 0, -step)[::-1]


def _classify_endings(outcome: Int16Array) -> Int64Array:
    """Return how rounds (n, OUTCOME) ended for the player's side."""
    result = outcome[:, core.RESULT]
    endings = np.full(len(outcome), measures.LOST)
    endings[outcome[:, core.OWN_SCORE] > outcome[:, core.OTHER_SCORE]] = measures.WON
    endings[result == LITIGATION] = measures.DRAWN
    endings[result == PASSED_OUT] = measures.NOT_PLAYED
    return endings


class KqjCallSampler(Sampler):
    """Deals that agree with what a player knows, with every call played out.

    Players are by place, the asking one included.  The options are calls, then contracts; at first
    the calls alone.

    Attributes:
        observed_calls: the calls that deals agree with, in the order in which hands are drawn.
    """

    chunk_size = min_chunk_size = LANES
    chunks_per_check = 8
    counts_rejected = True
    max_error_level = MAX_ERROR_LEVEL

    def __init__(self, situation: Position, players: Sequence[Player], plan: EstimatePlan) -> None:
        check_range("pending", situation.pending, 0, MAX_TOTAL)
        super().__init__(situation, players, plan)
        self.rules = require_kqj_rules(situation.rules)
        heard, self.auction_state = auction.replay_calls(situation)
        self.observed_calls = [] if self.ignore_calls else auction.order_rarest_first(heard)
        self.question_count = len(self.observed_calls)
        packed = [observed.pack() for observed in self.observed_calls]
        self._questions = np.array(packed, dtype=np.int64).reshape(-1)
        self.measures = measures.get_kqj_call_measures(self.rules)
        self._rules = encode_rules(situation.rules)
        self._seating = encode_seating(situation.rules, players, None, "calls")
        self._uncountered_seating = without_counters(situation.rules, self._seating)
        self._observer = _encode_observer(situation, self.players)
        self.estimate_errors()
        self._set_options(list(auction.list_call_options(situation, self.auction_state)))

    def estimate_errors(self) -> None:
        known, upcard = (
            int(self._observer[at]) for at in (core.OBSERVER_CARDS, core.OBSERVED_RETURN)
        )
        self._errors = estimate_errors(
            self.error_rate, self._questions, np.full(SEATS, PACK & ~(known | upcard)),
            np.zeros(SEATS, np.int64), (int(self._observer[core.OBSERVED_PLAYERS]), upcard, -1),
            self.seed, self.error_level, self._rules, self._seating,
        )  # fmt: skip

    def _set_options(
        self, calls: list[auction.CallOption], contracts: Sequence[auction.CallOption] = ()
    ) -> None:
        self.options, self._call_count = [*calls, *contracts], len(calls)
        self._packed_options = np.array([each.pack() for each in self.options], dtype=np.int64)

    @property
    def option_count(self) -> int:
        return self._call_count

    def with_options(
        self, calls: list[auction.CallOption], contracts: Sequence[auction.CallOption] = ()
    ) -> KqjCallSampler:
        """Return the same sampler of other calls, and of contracts."""
        sampler = copy.copy(self)
        sampler._set_options(calls, contracts)
        return sampler

    def make_odds(self, plan: EstimatePlan) -> KqjCallOdds:
        return self._fill_odds(
            KqjCallOdds, plan, observed_calls=self.observed_calls, error_chances=self._errors
        )

    def choose_options(self, plan: EstimatePlan) -> tuple[KqjCallSampler, KqjCallSampler]:
        """Return samplers of the calls and contracts to play out, and of these calls alone.

        Of the bids in a contract these are the lowest, the best of some higher ones by a pilot
        run, and Capot where it is likely.
        """
        situation, state, rules = self.position, self.auction_state, self.rules
        calls = list(self.options)
        amount = auction.find_lowest_amount(situation) if situation.question == "bid" else 0
        if amount == 0 or amount > rules.max_amount:
            return self, self
        played = [
            auction.make_contract_option(situation, state, each, amount) for each in rules.contracts
        ]
        pilot = self._run_pilot(played, FIRST_PILOT_DEAL, plan)
        higher: dict[str | None, list[auction.CallOption]] = {
            option.contract: [
                auction.make_bid_option(
                    situation, state, Call(situation.place, "bid", each, option.contract, capot)
                )
                for each, capot in _list_higher_bids(pilot, number, amount, rules)
            ]
            for number, option in enumerate(played)
        }
        tried = [*calls, *(bid for bids in higher.values() for bid in bids)]
        pilot = self._run_pilot(tried, FIRST_PILOT_DEAL + PILOT_DEALS, plan)
        values = {
            str(option): pilot.estimate("value", number).value
            for number, option in enumerate(tried)
        }
        kept = []
        for option in calls:
            kept.append(option)
            for capot in (False, True):
                bids = [bid for bid in higher.get(option.contract, []) if bid.capot == capot]
                if bids:
                    kept.append(max(bids, key=lambda bid: values[str(bid)]))
        return self.with_options(kept, played), self.with_options(kept)

    def _run_pilot(
        self, options: list[auction.CallOption], first: int, plan: EstimatePlan
    ) -> KqjCallOdds:
        sampler = self.with_options(options)
        pilot = sampler.make_odds(EstimatePlan())
        quiet = EstimatePlan(time=plan.time, threads=plan.threads, searching=plan.searching)
        try:
            search_and_add(sampler, pilot, first, sampling.Limits(PILOT_DEALS), quiet)
        except ImpossibleBiddingError:
            if not pilot.has_effective(MIN_EFFECTIVE_DEALS):
                raise
        return pilot

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        state, keys = allocate_block(), np.zeros(LANES, dtype=np.int64)
        hands, weights = np.zeros(2 * SEATS * LANES, dtype=np.int64), np.zeros(LANES)
        counts, signal = search.start_chunk()
        remaining, by_caller = np.zeros(LANES, dtype=np.int64), None
        core.begin_deals(
            state, first, LANES, self.seed, self._observer, hands, keys, weights, remaining
        )
        lists, list_count, call_weights = NO_LISTS, 0, None
        if self.question_count:
            by_caller = np.zeros((len({call.place for call in self.observed_calls}), LANES))
            core.draw_callers(
                state, LANES, self._rules, self._seating, self._questions, hands, keys, weights,
                counts.reshape(-1), signal, self._errors, remaining, by_caller,
            )  # fmt: skip
            shared = int(signal[SHARED])
            if shared > 1:
                lists = (first + np.flatnonzero(weights > 0)) // shared
                list_count = LANES // shared
                by_caller = by_caller.reshape(-1, list_count, shared).sum(axis=2)
                call_weights = by_caller[-1]
        live = core.deal_remaining(
            state, LANES, self._rules, self._observer, self._questions, hands, keys, weights,
            signal, remaining,
        )  # fmt: skip
        if live == STOPPED:
            raise SearchEnded(by_time=False)
        where = f"in the deals from {first} of seed {self.seed}"
        sampling.require_legal(live >= 0, where)
        outcomes = self._play_out(state, live, hands, keys, where)
        # First and further cards of each place.
        by_place = hands.reshape(2 * SEATS, LANES)[:, :live]
        return Playouts(
            LANES, weights[:live], outcomes, by_place, counts, call_weights, lists, list_count,
            by_caller,
        )  # fmt: skip

    def with_numbers(self, numbers: Sequence[int]) -> KqjCallSampler:
        return self.with_options([self.options[number] for number in numbers])

    def ask(self, keys: Int64Array) -> list[str]:
        codes = np.zeros(len(keys), dtype=np.int64)
        texts = []
        for question in auction.make_question(self.position, self.auction_state):
            packed = np.array(question.pack(), dtype=np.int64)
            sampling.require_legal(
                core.choose_calls(self._observer, packed, keys, self._rules, self._seating, codes)
            )
            texts.append([auction.format_answer(question.member, int(code)) for code in codes])
        if len(texts) == 1:
            return texts[0]
        counters, bids = texts
        return [
            one if one == "counter" else other for one, other in zip(counters, bids, strict=True)
        ]

    def score(self, actual: sampling.ActualHands) -> tuple[Float64Array, BoolArray]:
        count = len(actual.keys)
        hands, keys = np.zeros((2 * SEATS, LANES), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        hands[:SEATS, :count], hands[SEATS:, :count] = actual.first.T, actual.further.T
        keys[:count] = actual.keys
        outcomes = self._play_out(allocate_block(), count, hands.reshape(-1), keys)
        return measures.score_teams(outcomes, self.position.rules.team_count, self.position.pending)

    def _play_out(
        self, state: Block, live: int, hands: Int64Array, keys: Int64Array,
        where: str = sampling.PLAYED_ON,
    ) -> Int16Array:  # fmt: skip
        """Return the outcomes of each call in some deals; `where` as of `require_legal`."""
        outcomes = np.zeros((len(self.options), live, core.OUTCOME_SIZE), dtype=np.int16)
        is_legal = core.play_out_calls(
            state, live, self._rules, self._seating, self._uncountered_seating, self._observer,
            self._packed_options, hands, keys, outcomes,
        )  # fmt: skip
        sampling.require_legal(is_legal, where)
        return outcomes

    def add_choice(self, choice: str, deadline: Deadline) -> KqjCallSampler:
        """Return the same sampler with some higher bids among its calls; as of `Sampler`.

        Those are the choice, the player's own, and bids that a contract may be worth by a few
        deals.
        """
        calls = {str(option): option for option in self.options}
        if self.position.question == "bid" and self.rules.counter_timing == "any":
            # That was asked before the turn: it is a decision of its own.
            calls.pop("counter", None)
        chosen = self.ask(sampling.derive_keys(self.seed, 0, 1))
        extra = self._find_higher_bids(deadline)
        for text in (choice, *chosen):
            if text not in calls:
                extra.append(
                    auction.make_bid_option(self.position, self.auction_state, _parse_bid(text))
                )
        calls |= {str(option): option for option in extra}
        return self.with_options(list(calls.values()))

    def _find_higher_bids(self, deadline: Deadline) -> list[auction.CallOption]:
        """Return bids above the lowest that a contract may be worth; raises as `add_choice`."""
        situation, rules = self.position, self.rules
        lowest = auction.find_lowest_amount(situation)
        if situation.question != "bid" or lowest + 10 > rules.max_amount:
            return []
        contracts = [
            auction.make_contract_option(situation, self.auction_state, each, lowest)
            for each in rules.contracts
        ]
        search = deadline.limit(self.start_search(None, None))
        first = self.seed % (1 << 40)
        playouts = self.with_options(contracts).play_chunk(search, first, LANES)
        deadline.release(search)
        bids = []
        for option, outcome in zip(contracts, playouts.outcomes, strict=True):
            totals = outcome[:, core.OWN_TOTAL]
            if len(totals) == 0:
                continue
            for share in _TRIED_REACH_PROBABILITIES:
                amount = int(np.quantile(totals, 1 - share)) // 10 * 10
                if lowest < amount <= rules.max_amount:
                    call = Call(situation.place, "bid", amount, option.contract, False)
                    bids.append(auction.make_bid_option(situation, self.auction_state, call))
        return bids

    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        return explain_rarest_call(
            self.observed_calls,
            counts,
            lambda place: (describe_place(place, SEATS), self.players[place].name),
            seconds,
            suggest_players(self.rules, self.players),
        )


def _parse_bid(text: str) -> Call:
    """Return the bid of a text such as `150 h` or `400 AT capot`."""
    amount, contract, *capot = text.split()
    return Call(0, "bid", int(amount), contract, bool(capot))


def _encode_observer(situation: Position, players: tuple[Player, ...]) -> Int64Array:
    """Return what the player knows, (`core.call_odds.OBSERVER_SIZE`,)."""
    distinct = list(dict.fromkeys(players))
    packed_players = sum(
        (team | distinct.index(player) << 2) << PLAYER_BITS * place
        for place, (team, player) in enumerate(zip(situation.teams, players, strict=True))
    )
    upcards = () if situation.upcard is None else (situation.upcard,)
    return np.array(
        [
            situation.place,
            encode_cards(situation.hand),
            encode_cards(upcards),
            packed_players,
            situation.pending,
        ],
        dtype=np.int64,
    )


def _list_higher_bids(
    pilot: KqjCallOdds, number: int, lowest: int, rules: KqjRules
) -> list[tuple[int, bool]]:
    """Return amounts above the lowest that a contract may reach, each with or without Capot."""
    totals, squares = pilot.totals[number], pilot.squares[number]
    amounts = choose_amounts(pilot.sums, totals, squares, lowest, rules.max_amount)
    bids = [(amount, False) for amount in amounts.tolist()]
    if pilot.estimate("own_capot_share", number).value >= MIN_CAPOT_PROBABILITY:
        bids.append((max(lowest, min(rules.max_amount, CAPOT_TOTAL)), True))
    return bids
