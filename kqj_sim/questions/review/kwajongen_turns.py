"""Decisions of Kwajongen as the kernels take them."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from kqj_sim.cards import SUITS
from kqj_sim.core.block import allocate_block
from kqj_sim.core.types import Float64Array, Int16Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.kwajongen import odds as core
from kqj_sim.kwajongen.cards import SEATS
from kqj_sim.policies.card_sets import encode_cards, format_cards
from kqj_sim.positions.kqj_cards import ILLEGAL_CHOICE_MESSAGE
from kqj_sim.positions.kwajongen import (
    CALL_OPTIONS,
    KwajongenCallSampler,
    KwajongenCardSampler,
)
from kqj_sim.positions.sampling import Playouts, Search
from kqj_sim.questions.review.turns import ActualHands, ReviewedSampler


def _order_by_team(outcomes: Int16Array, team: int) -> Float64Array:
    """Return the scores by team of outcomes, (..., OUTCOME), of a team's view."""
    own, other = outcomes[..., core.OWN_SCORE], outcomes[..., core.OTHER_SCORE]
    return np.stack((own, other) if team == 0 else (other, own), axis=-1).astype(np.float64)


class ReviewedKwajongenCalls(KwajongenCallSampler, ReviewedSampler):
    """A sampler of calls that also asks the player, and scores calls in known hands.

    Attributes:
        numbers: the calls played out, by their numbers.
    """

    numbers: tuple[int, ...] = (0, 1)

    def with_numbers(self, numbers: Sequence[int]) -> ReviewedKwajongenCalls:
        """Return the same sampler of some of the calls."""
        sampler = copy.copy(self)
        sampler.numbers = tuple(numbers)
        return sampler

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        """Play the calls out; as of `Sampler`."""
        played = super().play_chunk(search, first, count)
        return played._replace(outcomes=played.outcomes[list(self.numbers)])

    def ask(self, keys: Int64Array) -> list[str]:
        """Return the call that the player chooses with each key, as text."""
        answers = np.zeros(len(keys), dtype=np.int64)
        hands = np.zeros((len(keys), SEATS), dtype=np.int64)
        hands[:, self.situation.place] = encode_cards(self.situation.hand, "kwajongen")
        if not core.choose_calls(
            self._observer, hands.reshape(-1), keys, self._rules, self._seating, answers
        ):
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return [CALL_OPTIONS[answer].text for answer in answers]

    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each call in known hands: (calls, keys, teams)."""
        count = len(actual.keys)
        outcomes = np.zeros((core.OPTION_COUNT, count, core.OUTCOME_SIZE), dtype=np.int16)
        if not core.play_out_calls(
            allocate_block(), count, self._rules, self._seating, self._observer,
            actual.first.reshape(-1), actual.keys, outcomes,
        ):  # fmt: skip
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return _order_by_team(outcomes, self.situation.place % 2)


class ReviewedKwajongenCards(KwajongenCardSampler, ReviewedSampler):
    """A sampler of cards that also asks the player, and scores cards in known hands."""

    def with_numbers(self, numbers: Sequence[int]) -> ReviewedKwajongenCards:
        """Return the same sampler of some of the legal cards."""
        sampler = copy.copy(self)
        sampler.turn = self.turn._replace(cards=self.turn.cards[list(numbers)].copy())
        sampler.card_count = len(numbers)
        return sampler

    def ask(self, keys: Int64Array) -> list[str]:
        """Return the card that the player chooses with each key, as text."""
        cards = np.zeros(len(keys), dtype=np.int64)
        hands = np.tile(self.turn.dealt, len(keys))
        if not core.choose_cards(self.turn, hands, keys, self._rules, self._seating, cards):
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        assert self.partial_round.upcard is not None
        trump = SUITS.index(self.partial_round.upcard.suit)
        return [format_cards(int(card), trump, "kwajongen")[0] for card in cards]

    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each card in known hands: (cards, keys, teams)."""
        count = len(actual.keys)
        outcomes = np.zeros((count, self.card_count, core.OUTCOME_SIZE), dtype=np.int16)
        if not core.play_out_cards(
            allocate_block(), count, self.turn, self._rules, self._seating,
            actual.first.reshape(-1), actual.keys, outcomes,
        ):  # fmt: skip
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        own = self.partial_round.place_of(self.partial_round.seat) % 2
        return _order_by_team(outcomes.swapaxes(0, 1), own)
