"""Hidden hands of a round of KQJ in progress, drawn or listed, with every legal card played out."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from math import comb, factorial, prod
from typing import NamedTuple

import numpy as np

from kqj_sim.cards import Card
from kqj_sim.core import card_draws, card_odds
from kqj_sim.core.block import PLAYER_BITS, TRICKS, allocate_block
from kqj_sim.core.call_odds import OUTCOME_SIZE, RESULT, TEAM_SCORES
from kqj_sim.core.card_odds import CardTurn, list_layouts, replay_plays
from kqj_sim.core.cards import PACK
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE
from kqj_sim.core.knowledge import EXCLUDED, HAND_SIZES, UNSEEN
from kqj_sim.core.layout_counts import count_layouts
from kqj_sim.core.observed_calls import (
    CALLER_PLACE,
    LISTED,
    LISTED_DEALS,
    OBSERVED_CALL_SIZE,
    SIGNAL_SIZE,
    STOP,
    STOPPED,
)
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.types import CardSet, Float64Array, Int16Array, Int64Array
from kqj_sim.core.weighted_draws import thin_draws
from kqj_sim.errors import InputError
from kqj_sim.places import describe_place
from kqj_sim.policies.card_sets import format_cards, split_cards
from kqj_sim.policies.players import Player
from kqj_sim.positions.auction_state import ObservedCall, order_rarest_first, replay_calls
from kqj_sim.positions.hand_lists import ListedHands, join_hand_lists, list_hands
from kqj_sim.positions.kqj_calls import ILLEGAL_CHOICE_MESSAGE, KqjCallSampler, suggest_players
from kqj_sim.positions.measures import get_kqj_card_measures
from kqj_sim.positions.odds import CardOdds, Playouts
from kqj_sim.positions.plan import EstimatePlan
from kqj_sim.positions.plays import PlayModel, choose_least_weight, find_different
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import ActualHands, CardSampler, GameSamplers, derive_keys
from kqj_sim.positions.search import Search, SearchEnded, explain_rarest_call
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.encode import CONTRACTS, encode_rules, encode_seating
from kqj_sim.stats.moments import NO_LISTS

NO_LAYOUTS_MESSAGE = (
    "no distribution of the hidden cards agrees with the plays: a player played a card that the "
    "rules forbade, or a card is wrong"
)

_FIRST_PILOT_DRAW = 1 << 59
"""The draws from this number on choose which weights are small."""
_PILOT_DRAWS = 1024
_PILOT_CHUNK = 16
"""Draws at a time that show whether lists have a layout: mostly the first one is one."""
_MIN_HANDS_ASKED = 4096
"""Hands asked, at least, before calls are impossible: players may call at random.  Where there are
more, so many are asked twice, to see whether they do."""


@cache
def _get_card_bits(contract: int | None) -> dict[str, CardSet]:
    """Return each card's bit, in natural coding or by strength for a contract."""
    return {format_cards(1 << bit, contract)[0]: 1 << bit for bit in split_cards(PACK)}


def convert_cards_to_bits(cards: Iterable[Card], contract: int | None = None) -> CardSet:
    """Return cards as a set, in natural coding or by strength for a contract (0 to 5)."""
    return sum(_get_card_bits(contract)[str(card)] for card in cards)


def make_turn(
    partial_round: Position,
    seating: Seating,
    observed_calls: Sequence[ObservedCall],
    max_layouts: int = 0,
) -> CardTurn:
    """Return a round in progress as the kernels take it.

    Args:
        partial_round: the round.
        seating: the players who play on.
        observed_calls: the calls that hidden hands agree with.
        max_layouts: list all hidden hands if they are no more than this.
    """
    final, opener = partial_round.contract, partial_round.opener
    contract = CONTRACTS.index(final.contract)
    own = partial_round.place_of(partial_round.seat)
    shown, players = np.zeros(SEATS, dtype=np.int64), 0
    for place in range(SEATS):
        seat = (opener + place) % SEATS
        policy = (seating.seats >> 4 * seat) & 7
        players |= (partial_round.teams[seat] | policy << 2) << PLAYER_BITS * place
        cards = set(partial_round.played_by(seat))
        cards |= set(partial_round.hand) if place == own else set()
        shown[place] = convert_cards_to_bits(cards)
    upcard = () if partial_round.upcard is None else (partial_round.upcard,)
    called = [
        players, partial_round.dealer, partial_round.pending, convert_cards_to_bits(upcard),
        partial_round.place_of(final.sender), contract, final.amount or 0, int(final.capot),
        final.stake,
    ]  # fmt: skip
    state, known = allocate_block(), np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    plays = [convert_cards_to_bits([card]) for card in partial_round.plays]
    replay_plays(
        state, np.array(called, dtype=np.int64), shown, np.array(plays, dtype=np.int64),
        seating._replace(keeps_history=1), known,
    )  # fmt: skip
    packed = [observed.pack() for observed in observed_calls]
    layouts = np.empty(SEATS * max_layouts, dtype=np.int64)
    listed = max(0, list_layouts(known.copy(), max_layouts, layouts)) if max_layouts else 0
    trick, position = divmod(len(partial_round.plays), SEATS)
    legal = [convert_cards_to_bits([card], contract) for card in partial_round.legal_cards]
    return CardTurn(
        state, trick, position, known, shown, np.array(packed, dtype=np.int64).reshape(-1),
        layouts[: SEATS * listed].copy(), np.array(legal, dtype=np.int64),
    )  # fmt: skip


def list_observed_calls(partial_round: Position) -> list[ObservedCall]:
    """Return what the others answered in the bidding, in the order in which hands are drawn."""
    # The hands with which play begins are not those of the calls.
    unseen = replace(partial_round, hands=((),) * SEATS)
    return order_rarest_first(replay_calls(unseen.rotate_to_places())[0])


def count_ways(
    turn: CardTurn, layouts: Int64Array, seed: int, rules: Rules, seating: Seating
) -> Int64Array:
    """Return in how many ways each layout, (n, 6), agrees with the calls.

    There are none, int64 (0,), if a policy chose what is not allowed.
    """
    ways = np.ones(len(layouts), dtype=np.int64)
    for place in range(SEATS):
        hands = find_different(layouts[:, place])
        found = count_hand_ways(turn, place, hands, seed, rules, seating)
        if len(found) < len(hands):
            return ways[:0]
        ways *= found[np.searchsorted(hands, layouts[:, place])]
    return ways


def count_hand_ways(
    turn: CardTurn, place: int, hands: Int64Array, seed: int, rules: Rules, seating: Seating
) -> Int64Array:
    """Return in how many ways hands of a place agree with its calls; as `count_ways`."""
    ways = np.ones(len(hands), dtype=np.int64)
    counts = np.zeros(2 * len(turn.observed_calls), dtype=np.int64)
    calls = np.flatnonzero(turn.observed_calls[CALLER_PLACE::OBSERVED_CALL_SIZE] == place)
    if len(calls) > 0 and not card_draws.count_first_fives(
        turn, calls[0], calls[-1] + 1, hands, seed, rules, seating, ways, counts
    ):
        return ways[:0]
    return ways


class HandDraws(NamedTuple):
    """Draws of hidden hands that agree with the calls.

    Attributes:
        keys: int64 (n,), keys of the draws.
        weights: float64 (n,), their weights by the calls.
        hands: int64 (n, 6), hidden hands by place, natural coding.
        counts: int64 (questions, 2), as of `Playouts`.
        shares_lists: whether draws share lists of hands.
    """

    keys: Int64Array
    weights: Float64Array
    hands: Int64Array
    counts: Int64Array
    shares_lists: bool


class KqjCardSampler(CardSampler):
    """Hidden hands of a round of KQJ in progress; players by seat.

    Attributes:
        turn: the turn, as the kernels take it.
        layouts: int64 (n, 6), the listed distributions, natural coding.
        play_model: the assumed chances of the others' plays; None to leave them out.
        hand_lists: the lists that hands are drawn from; None if they are searched.
    """

    chunk_size = 1024
    min_chunk_size = 64
    # Trying a hand takes a tenth of a microsecond.
    max_hands = 1 << 25

    def __init__(
        self,
        partial_round: Position,
        players: Sequence[Player],
        plan: EstimatePlan,
        max_layouts: int = 0,
    ) -> None:
        """Prepare a sampler; distributions are listed if they are no more than `max_layouts`."""
        rules = partial_round.rules
        assert isinstance(rules, KqjRules)
        self.position, self.players = partial_round, tuple(players)
        self.seed, self.ignore_calls = plan.seed, plan.ignore_calls
        self.options = partial_round.legal_cards
        self.observed_calls = [] if plan.ignore_calls else list_observed_calls(partial_round)
        self.question_count = len(self.observed_calls)
        self.measures = get_kqj_card_measures(rules)
        self._rules = encode_rules(rules)
        self._seating = encode_seating(rules, players, None, "rollouts")
        self.turn = make_turn(partial_round, self._seating, self.observed_calls, max_layouts)
        self.layouts: Int64Array = self.turn.layouts.reshape(-1, SEATS)
        self.layout_count = len(self.layouts)
        self.keeps_history = bool(self._seating.keeps_history)
        self.hand_lists: ListedHands | None = None
        # Both are shared with samplers of some of the cards.
        self._pilot_weights: list[Float64Array] = []
        self._list_scales: dict[int, float] = {}
        self.play_model = None
        if not plan.ignore_plays and partial_round.others_have_played:
            self.play_model = PlayModel(rules)
        self.uses_plays = self.play_model is not None
        sender = partial_round.place_of(partial_round.contract.sender)
        if rules.bidding == "take":
            places = set(self.turn.observed_calls[CALLER_PLACE::OBSERVED_CALL_SIZE].tolist())
            # First fives among the eight cards; the Sender's without the Return.
            self.max_ways = prod(comb(7 if place == sender else 8, 5) for place in places)

    def make_odds(self, plan: EstimatePlan) -> CardOdds:
        """Return estimates of the cards without deals."""
        return self._fill_odds(
            CardOdds, plan, observed_calls=self.observed_calls, layout_count=self.layout_count,
            max_ways=self.max_ways, uses_plays=self.uses_plays,
        )  # fmt: skip

    def with_numbers(self, numbers: Sequence[int]) -> KqjCardSampler:
        """Return the same sampler of some of the cards; as of `Sampler`."""
        sampler = copy.copy(self)
        sampler.options = tuple(self.options[number] for number in numbers)
        sampler.turn = self.turn._replace(cards=self.turn.cards[list(numbers)].copy())
        return sampler

    def with_hand_lists(self) -> KqjCardSampler:
        """Return the same sampler, which draws from short lists of hands; as of `Sampler`."""
        if self.layout_count and not self.keeps_history:
            return self  # All distributions are played out.
        if not self.question_count and self.play_model is None:
            return self  # All distributions are equally likely.
        hands = list_hands(self.turn, comb(8, 5) if self.max_ways > 1 else 1)
        if hands is None or sum(len(each) > 1 for each in hands) < 2:
            return self
        factors = [np.ones(len(each)) for each in hands]
        for place in range(SEATS):
            ways = self._count_hand_ways(place, hands[place], 0)
            every = slice(None, None, max(1, len(ways) // _MIN_HANDS_ASKED))
            again = self._count_hand_ways(place, hands[place][every], 1)
            if not np.array_equal(ways[every], again):
                return self  # Players who call at random are asked anew for each draw.
            if not ways.any() and self._never_agrees(place, hands[place]):
                raise SearchEnded(by_time=False)
            hands[place], factors[place] = hands[place][ways > 0], ways[ways > 0].astype(float)
        if self.play_model is not None:
            by_plays = self.play_model.weigh_hands(self.turn, hands)
            factors = [one * other for one, other in zip(factors, by_plays, strict=True)]
        lists = join_hand_lists(self.turn, hands, factors)
        if not any(
            lists.draw(derive_keys(self.seed, first, _PILOT_CHUNK))[1].any()
            for first in range(_FIRST_PILOT_DRAW, _FIRST_PILOT_DRAW + _PILOT_DRAWS, _PILOT_CHUNK)
        ):
            return self
        sampler = copy.copy(self)
        sampler.hand_lists = lists
        return sampler

    def _never_agrees(self, place: int, hands: Int64Array) -> bool:
        """Return whether none of a place's hands agrees with its calls, however often asked."""
        times = max(1, _MIN_HANDS_ASKED // len(hands))
        return not any(self._count_hand_ways(place, hands, seed).any() for seed in range(times))

    def ask(self, keys: Int64Array) -> list[str]:
        """Return the card that the player chooses with each key; as of `Sampler`."""
        cards = np.zeros(len(keys), dtype=np.int64)
        if not card_odds.choose_cards(self.turn, keys, self._rules, self._seating, cards):
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        contract = CONTRACTS.index(self.position.contract.contract)
        return [format_cards(int(card), contract)[0] for card in cards]

    def score(self, actual: ActualHands) -> Float64Array:
        """Return the scores of each card in known hands; as of `Sampler`."""
        assert actual.hands is not None
        left = actual.hands & ~convert_cards_to_bits(self.position.plays)
        outcomes, teams = self.play_out(left, actual.keys), self.position.rules.team_count
        return outcomes[:, :, TEAM_SCORES : TEAM_SCORES + teams].astype(np.float64)

    def draw_hands(self, search: Search, first: int, count: int) -> HandDraws:
        """Draw hidden hands that agree with the calls; raises as `play_chunk`."""
        counts, signal = search.start_chunk()
        keys, weights = np.zeros(count, dtype=np.int64), np.zeros(count)
        hands = np.zeros((count, SEATS), dtype=np.int64)
        kept = card_draws.draw_hidden_hands(
            self.turn, first, count, self.seed, self._rules, self._seating, keys, weights, hands,
            counts.reshape(-1), signal,
        )  # fmt: skip
        # A search that was told to stop before it began has found nothing.
        if kept == STOPPED or (kept == card_draws.NO_LAYOUT and signal[STOP]):
            raise SearchEnded(by_time=False)
        if kept == card_draws.NO_LAYOUT:
            raise InputError(NO_LAYOUTS_MESSAGE)
        if kept == card_draws.ILLEGAL_CALL:
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        listed = int(signal[LISTED])
        weights = weights[:kept] * (self._compute_list_scale(listed) if listed else 1.0)
        return HandDraws(keys[:kept], weights, hands[:kept], counts, listed > 0)

    def _compute_list_scale(self, listed: int) -> float:
        """Return the share of layouts that agree with a draw of so much weight as lists give one.

        The first caller and those whose hands are listed get any hands that their own plays allow,
        which are weighed by the layouts left to the others.
        """
        if listed not in self._list_scales:
            known, ways = self.turn.known, 1 / count_layouts(self.turn.known)
            sizes = known[HAND_SIZES : HAND_SIZES + SEATS].tolist()
            callers = list(dict.fromkeys(call.place for call in self.observed_calls))
            for place in callers[: 1 + listed]:
                may = int(known[UNSEEN] & ~known[EXCLUDED + place])
                ways *= comb(may.bit_count(), sizes[place])
                sizes[place] = 0
            ways *= factorial(sum(sizes)) / prod(factorial(size) for size in sizes)
            self._list_scales[listed] = ways
        return self._list_scales[listed]

    def _number_lists(self, first: int, count: int, keys: Int64Array) -> Int64Array:
        """Return the number of the lists of each draw of a range, by the keys of those left."""
        drawn = np.isin(derive_keys(self.seed, first, count), keys)
        return (first + np.flatnonzero(drawn)) // LISTED_DEALS

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        """Play out every legal card in `count` draws; as of `Sampler`."""
        if self.hand_lists is not None:
            keys = derive_keys(self.seed, first, count)
            hands, weights = self.hand_lists.draw(keys)
            live = weights > 0
            keys, hands, weights = keys[live], hands[live], weights[live]
            counts = np.full((self.question_count, 2), (count, len(weights)), dtype=np.int64)
            outcomes = self.play_out(hands, keys)
            return Playouts(len(weights), weights, outcomes, hands.T, counts)
        keys, weights, hands, counts, shares_lists = self.draw_hands(search, first, count)
        call_weights: Float64Array | None = None
        lists, list_count = NO_LISTS, 0
        if shares_lists:
            numbers = self._number_lists(first, count, keys) - first // LISTED_DEALS
            list_count = (first + count - 1) // LISTED_DEALS + 1 - first // LISTED_DEALS
            call_weights = np.bincount(numbers, weights, list_count).astype(np.float64)
        elif self.play_model is not None:
            call_weights = weights.copy()
        if self.play_model is not None:
            by_plays = self.play_model.weigh(self.turn, hands)
            kept = thin_draws(self._least_play_weight, by_plays, keys, weights, hands)
            keys, weights, hands = keys[:kept], weights[:kept], hands[:kept]
        if shares_lists:
            lists = self._number_lists(first, count, keys)
        outcomes = self.play_out(hands, keys)
        return Playouts(
            len(weights), weights, outcomes, hands.T, counts, call_weights, lists, list_count
        )

    @cached_property
    def _least_play_weight(self) -> float:
        """The weight by the plays below which draws are thinned out, from draws of its own.

        These do not have to agree with the calls: the weight changes the cost of an answer, not
        what it estimates.
        """
        if self.question_count and self.position.rules.bidding == "auction":
            return 0.0  # To find hands that agree with bids takes longer than to play them out.
        plays_left = SEATS * (TRICKS - self.turn.trick) - self.turn.position
        playout_cost = len(self.options) * plays_left / (SEATS * TRICKS - plays_left)
        if not self._pilot_weights:
            self._pilot_weights.append(self._draw_pilot_weights())
        return choose_least_weight(self._pilot_weights[0], playout_cost)

    def _draw_pilot_weights(self) -> Float64Array:
        """Return the weights by the plays of some draws."""
        assert self.play_model is not None
        turn = self.turn._replace(observed_calls=np.zeros(0, dtype=np.int64))
        hands = np.zeros((_PILOT_DRAWS, SEATS), dtype=np.int64)
        kept = card_draws.draw_hidden_hands(
            turn, _FIRST_PILOT_DRAW, _PILOT_DRAWS, self.seed, self._rules, self._seating,
            np.zeros(_PILOT_DRAWS, dtype=np.int64), np.zeros(_PILOT_DRAWS), hands,
            np.zeros(0, dtype=np.int64), np.zeros(SIGNAL_SIZE, dtype=np.int64),
        )  # fmt: skip
        return self.play_model.weigh(turn, hands[: max(kept, 0)])

    def play_listed(self, seed: int, first: int, count: int) -> Int16Array:
        """Play out every card in some listed distributions; as of `CardSampler`."""
        keys = derive_keys(seed, first, count)
        return self.play_out(self.layouts[first : first + count], keys)

    def play_out(self, hands: Int64Array, keys: Int64Array) -> Int16Array:
        """Return outcomes, int16 (cards, n, OUTCOME_SIZE), of hidden hands, int64 (n, 6)."""
        outcomes = np.zeros((len(self.options) * len(hands), OUTCOME_SIZE), dtype=np.int16)
        card_odds.play_out_cards(self.turn, hands, keys, self._rules, self._seating, outcomes)
        if (outcomes[:, RESULT] == card_odds.ILLEGAL_RESULT).any():
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return outcomes.reshape(len(self.options), len(hands), OUTCOME_SIZE)

    def weigh_listed_by_plays(self) -> Float64Array:
        """Return the weights of the listed distributions by the plays; as of `CardSampler`."""
        if self.play_model is None:
            return super().weigh_listed_by_plays()
        return self.play_model.weigh(self.turn, self.layouts)

    def count_ways(self, seed: int) -> Int64Array:
        """Return in how many ways each of the listed distributions agrees with the calls."""
        ways = count_ways(self.turn, self.layouts, seed, self._rules, self._seating)
        return self._check_ways(ways, self.layout_count)

    def _count_hand_ways(self, place: int, hands: Int64Array, seed: int) -> Int64Array:
        """Return in how many ways hands of a place agree with its calls."""
        ways = count_hand_ways(self.turn, place, hands, seed, self._rules, self._seating)
        return self._check_ways(ways, len(hands))

    def _check_ways(self, ways: Int64Array, expected: int) -> Int64Array:
        """Return numbers of ways; raise InputError if there are none for an illegal choice."""
        if len(ways) < expected:
            raise InputError(ILLEGAL_CHOICE_MESSAGE)
        return ways

    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        """Return a line that names the least plausible call."""

        def describe(place: int) -> tuple[str, str]:
            seat = (self.position.opener + place) % SEATS
            return describe_place(place, SEATS), self.players[seat].name

        rules = self.position.rules
        assert isinstance(rules, KqjRules)
        other = suggest_players(rules, self.players)
        return explain_rarest_call(self.observed_calls, counts, describe, seconds, other)


SAMPLERS = GameSamplers(KqjCallSampler, KqjCardSampler, PlayModel)
