"""Decisions of KQJ as the kernels take them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kqj_sim.core import call_odds, review
from kqj_sim.core.block import LANES
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.core.views import PASS
from kqj_sim.errors import InputError
from kqj_sim.policies.card_sets import encode_cards, format_cards
from kqj_sim.positions.auction_state import (
    CallOption,
    find_lowest_amount,
    format_call,
    make_bid_option,
    make_contract_option,
    make_question,
)
from kqj_sim.positions.estimator import EstimatePlan
from kqj_sim.positions.kqj_calls import KqjCallSampler
from kqj_sim.positions.kqj_cards import (
    ILLEGAL_CHOICE_MESSAGE,
    KqjCardSampler,
    convert_cards_to_bits,
)
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import Deadline
from kqj_sim.questions.review.turns import ActualHands, ReviewedSampler, Turn, derive_keys
from kqj_sim.record import Call
from kqj_sim.rules import SEATS, require_kqj_rules
from kqj_sim.simulation.encode import CONTRACTS

if TYPE_CHECKING:
    from kqj_sim.policies.players import Player

_REACHED = (0.65, 0.5)
"""Of higher bids in a contract those are tried whose amount is reached with these chances."""


class ReviewedKqjCalls(KqjCallSampler, ReviewedSampler):
    """A sampler of calls that also asks the player, and scores calls in known hands."""

    def ask(self, keys: Int64Array) -> list[str]:
        """Return the call that the player chooses with each key, as text."""
        situation, found = self.situation, np.zeros(len(keys), dtype=np.int64)
        hand = encode_cards(situation.hand)
        texts = []
        for question in make_question(situation, self.auction_state):
            packed = np.array(question.pack(), dtype=np.int64)
            if not review.choose_calls(
                self._observer, hand, packed, keys, self._rules, self._seating, found
            ):
                raise InputError(ILLEGAL_CHOICE_MESSAGE)
            texts.append([_format_answer(situation, question.text, int(each)) for each in found])
        if len(texts) == 1:
            return texts[0]
        counters, bids = texts
        return [
            one if one == "counter" else other for one, other in zip(counters, bids, strict=True)
        ]

    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each option in known hands: (options, keys, teams)."""
        count = len(actual.keys)
        scores = np.zeros(
            (len(self.options), count, self.situation.rules.team_count), dtype=np.int16
        )
        hands, keys = np.zeros((2 * SEATS, LANES), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        hands[:SEATS, :count], hands[SEATS:, :count] = actual.first.T, actual.further.T
        keys[:count] = actual.keys
        if not review.score_calls(
            self._observer, self._packed_options, count, hands.reshape(-1), keys, self._rules,
            self._seating, scores,
        ):  # fmt: skip
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return scores.astype(np.float64)

    def with_numbers(self, numbers: Sequence[int]) -> KqjCallSampler:
        """Return the same sampler of some of the calls."""
        return self.with_options([self.options[number] for number in numbers])

    def find_higher_bids(self, seed: int, deadline: Deadline) -> list[CallOption]:
        """Return bids above the lowest that a contract may be worth, by a few deals.

        Raises:
            SearchEnded: no hands that agree with the calls were found before the deadline.
        """
        situation, rules = self.situation, require_kqj_rules(self.situation.rules)
        lowest = find_lowest_amount(situation)
        if situation.question != "bid" or lowest + 10 > rules.max_amount:
            return []
        contracts = [
            make_contract_option(situation, self.auction_state, each, lowest)
            for each in rules.contracts
        ]
        sampler = self.with_options(contracts)
        search = deadline.limit(sampler.start_search(None, None))
        playouts = sampler.play_chunk(search, seed % (1 << 40), LANES)
        deadline.release(search)
        bids = []
        for option, outcome in zip(contracts, playouts.outcomes, strict=True):
            totals = outcome[:, call_odds.OWN_TOTAL]
            if len(totals) == 0:
                continue
            for share in _REACHED:
                amount = int(np.quantile(totals, 1 - share)) // 10 * 10
                if lowest < amount <= rules.max_amount:
                    call = Call(situation.place, "bid", amount, option.contract, False)
                    bids.append(make_bid_option(situation, self.auction_state, call))
        return bids


def _format_answer(situation: Position, question: str, answer: int) -> str:
    """Return a policy's answer to a question as a call."""
    if question in ("counter", "overcounter"):
        return question if answer else f"no {question}"
    if answer == PASS:
        return "pass"
    if question == "take":
        return f"take {CONTRACTS[answer]}"
    call = Call(situation.place, "bid", answer >> 4, CONTRACTS[(answer >> 1) & 7], bool(answer & 1))
    return format_call(call)


def make_kqj_call_turn(
    situation: Position, choice: str, reference: Player, plan: EstimatePlan,
    deadline: Deadline,
) -> Turn:  # fmt: skip
    """Return the turn to call in KQJ, with the choice and some higher bids among its options."""
    sampler = ReviewedKqjCalls(situation, [reference] * SEATS, plan)
    calls = {option.text: option for option in sampler.options}
    rules = require_kqj_rules(situation.rules)
    if situation.question == "bid" and rules.counter_timing == "any":
        # That was asked before the turn: it is a decision of its own.
        calls.pop("counter", None)
    chosen = sampler.ask(derive_keys(plan.seed, 1))
    extra = sampler.find_higher_bids(plan.seed, deadline)
    for text in (choice, *dict.fromkeys(chosen)):
        if text not in calls:
            extra.append(make_bid_option(situation, sampler.auction_state, _parse_bid(text)))
    calls |= {option.text: option for option in extra}
    listed = sampler.with_options(list(calls.values()))
    assert isinstance(listed, ReviewedKqjCalls)
    return Turn(list(calls), listed)


def _parse_bid(text: str) -> Call:
    """Return the bid of a text such as `150 h` or `400 AT capot`."""
    amount, contract, *capot = text.split()
    return Call(0, "bid", int(amount), contract, bool(capot))


class ReviewedKqjCards(KqjCardSampler, ReviewedSampler):
    """A sampler of cards that also asks the player, and scores cards in known hands."""

    def with_numbers(self, numbers: Sequence[int]) -> ReviewedKqjCards:
        """Return the same sampler of some of the legal cards."""
        sampler = copy.copy(self)
        sampler.turn = self.turn._replace(cards=self.turn.cards[list(numbers)].copy())
        sampler.card_count = len(numbers)
        return sampler

    def ask(self, keys: Int64Array) -> list[str]:
        """Return the card that the player chooses with each key, as text."""
        cards = np.zeros(len(keys), dtype=np.int64)
        if not review.choose_cards(self.turn, keys, self._rules, self._seating, cards):
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        contract = CONTRACTS.index(self.partial_round.contract.contract)
        return [format_cards(int(card), contract)[0] for card in cards]

    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each card in known hands: (cards, keys, teams)."""
        assert actual.hands is not None
        count, rules = len(actual.keys), self.partial_round.rules
        scores = np.zeros((self.card_count, count, rules.team_count), dtype=np.int16)
        left = actual.hands & ~convert_cards_to_bits(self.partial_round.plays)
        if not review.score_cards(self.turn, left, actual.keys, self._rules, self._seating, scores):
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return scores.astype(np.float64)
