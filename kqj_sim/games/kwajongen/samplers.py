"""Hidden cards of Kwajongen, with both calls or every legal card played out in them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kqj_sim.cards import SUITS, Card
from kqj_sim.core.block import LANES
from kqj_sim.core.types import BoolArray, Float64Array, Int16Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.games.kwajongen import odds as core
from kqj_sim.games.kwajongen.cards import SEATS, TRICKS, to_strength_order
from kqj_sim.games.kwajongen.engine import MADE, PASSED_OUT, TIE
from kqj_sim.policies.card_sets import encode_cards, format_cards
from kqj_sim.policies.players import Player
from kqj_sim.positions import sampling
from kqj_sim.positions.measures import DRAWN, LOST, NOT_PLAYED, WON, Measure, MeasureTable
from kqj_sim.positions.odds import CardOdds, Odds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import DEALS_PER_SEARCH, MAX_HANDS, Search, explain_rare_calls
from kqj_sim.simulation.encode import encode_rules, encode_seating
from kqj_sim.stats.intervals import Estimate

# Quantities that are estimated for each call and each card of Kwajongen.


def _lose_points(of: Int16Array) -> Float64Array:
    """Return the opponents' score change minus that of the player's side: low scores are good."""
    return 1.0 * of[core.OTHER_SCORE] - of[core.OWN_SCORE]


_MEASURES: Mapping[str, Measure] = {
    "win_share": lambda of: of[core.OWN_SCORE] < 0,
    "value": _lose_points,
    "own_made_share": lambda of: (of[core.OWN_PLAYS] != 0) & (of[core.RESULT] == MADE),
    "own_contract_share": lambda of: of[core.OWN_PLAYS] != 0,
    "contract_made_share": lambda of: of[core.RESULT] == MADE,
    "tied_share": lambda of: of[core.RESULT] == TIE,
    "passed_share": lambda of: of[core.RESULT] == PASSED_OUT,
    "own_points_mean": lambda of: of[core.OWN_POINTS],
    "own_all_tricks_share": lambda of: of[core.OWN_TRICKS] == TRICKS,
}


def _make_table(left_out: Sequence[str], rare: tuple[str, ...]) -> MeasureTable:
    functions = {name: measure for name, measure in _MEASURES.items() if name not in left_out}
    return MeasureTable(functions, "Value: points gained on the opponents, on average.", rare)


CALL_MEASURES = _make_table(["contract_made_share"], ("tied_share", "passed_share"))
CARD_MEASURES = _make_table(["own_made_share", "own_contract_share", "passed_share"], ())

_MAX_EMPTY_DEALS = 64 * LANES
"""Deals after which players who never passed in them are taken never to pass."""

_MAX_LAYOUTS = 1 << 20
"""Distributions that are tried before the first one agrees with the calls, at most."""


CALL_OPTIONS = ("pass", "play")
"""The calls, in the order of `games.kwajongen.odds.play_out_calls`."""


def _order_by_team(outcomes: Int16Array, team: int) -> tuple[Float64Array, BoolArray]:
    """Return the scores by team of outcomes, (..., OUTCOME), of a team's view; nothing waits."""
    own, other = outcomes[..., core.OWN_SCORE], outcomes[..., core.OTHER_SCORE]
    scores = np.stack((own, other) if team == 0 else (other, own), axis=-1)
    return scores.astype(np.float64), np.zeros(own.shape, np.bool_)


@dataclass(eq=False, kw_only=True)
class KwajongenCallOdds(Odds):
    """Estimates of playing and of passing.

    Attributes:
        point_weights: float64 (calls, 4, 9), weights by ending (`WON` to `NOT_PLAYED`) and by what
            the round is worth to the player's side, from -4 to 4.
        point_squares: float64 (calls, 9), their squares by the latter.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = (len(self.options), 4, 2 * self.max_points + 1)
        self.point_weights = np.zeros(shape)
        self.point_squares = np.zeros((shape[0], shape[2]))

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        outcomes, weights = playouts.outcomes, playouts.weights
        own, other = outcomes[:, :, core.OWN_SCORE], outcomes[:, :, core.OTHER_SCORE]
        drawn = np.where(outcomes[:, :, core.RESULT] == PASSED_OUT, NOT_PLAYED, DRAWN)
        ending = np.where(own < 0, WON, np.where(other < 0, LOST, drawn))
        points = other.astype(np.int64) - own + self.max_points
        size = self.point_squares.shape[1]
        for option in range(len(outcomes)):
            cells = np.bincount(ending[option] * size + points[option], weights, 4 * size)
            self.point_weights[option] += cells.reshape(4, size)
            self.point_squares[option] += np.bincount(points[option], weights**2, size)
        return super().add(playouts, max_deals)

    def estimate_points_share(self, option: int, points: int) -> Estimate:
        """Estimate the chance that the round is worth so many points to the player's side."""
        column = points + self.max_points
        weight = float(self.point_weights[option, :, column].sum())
        square = float(self.point_squares[option, column])
        return self.sums.estimate_share(weight, square, square, self.confidence, self.sequential)


class KwajongenCallSampler(sampling.Sampler):
    """Deals in which those before the player pass, with both calls played out; players by place."""

    chunk_size = min_chunk_size = LANES
    chunks_per_check = 8
    counts_rejected = True
    max_hands = _MAX_EMPTY_DEALS
    hands_per_deal = MAX_HANDS // DEALS_PER_SEARCH
    measures = CALL_MEASURES

    def __init__(self, situation: Position, players: Sequence[Player], plan: EstimatePlan) -> None:
        assert situation.upcard is not None
        super().__init__(situation, players, plan)
        self.options: tuple[str, ...] = CALL_OPTIONS
        self.question_count = int(situation.place > 0 and not self.ignore_calls)
        self._rules = encode_rules(situation.rules)
        self._seating = encode_seating(situation.rules, players, None)
        self._observer = _encode_observer(
            situation.place, situation.hand, situation.upcard, situation.pending
        )

    def make_odds(self, plan: EstimatePlan) -> KwajongenCallOdds:
        return self._fill_odds(KwajongenCallOdds, plan)

    def with_numbers(self, numbers: Sequence[int]) -> KwajongenCallSampler:
        sampler = copy.copy(self)
        sampler.options = tuple(self.options[number] for number in numbers)
        return sampler

    def ask(self, keys: Int64Array) -> list[str]:
        answers = np.zeros(len(keys), dtype=np.int64)
        hands = np.zeros((len(keys), SEATS), dtype=np.int64)
        hands[:, self.position.place] = encode_cards(self.position.hand, "kwajongen")
        flat = hands.reshape(-1)
        sampling.require_legal(
            core.choose_calls(self._observer, flat, keys, self._rules, self._seating, answers)
        )
        return [CALL_OPTIONS[answer] for answer in answers]

    def score(self, actual: sampling.ActualHands) -> tuple[Float64Array, BoolArray]:
        outcomes = self._play_out(actual.first.reshape(-1), actual.keys)
        return _order_by_team(outcomes, self.position.teams[self.position.seat])

    def _play_out(
        self, hands: Int64Array, keys: Int64Array, where: str = sampling.PLAYED_ON
    ) -> Int16Array:
        """Return the outcomes of each call in some deals; `where` as of `require_legal`."""
        outcomes = np.zeros((core.OPTION_COUNT, len(keys), core.OUTCOME_SIZE), dtype=np.int16)
        is_legal = core.play_out_calls(
            self._rules, self._seating, self._observer, hands, keys, outcomes
        )
        sampling.require_legal(is_legal, where)
        return outcomes[[CALL_OPTIONS.index(option) for option in self.options]]

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        hands, keys = np.zeros((LANES, SEATS), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        weights = np.zeros(LANES)
        live = core.sample_deals(
            first, self.seed, self._rules, self._seating, self._observer, self.question_count,
            self.error_rate, hands.reshape(-1), keys, weights,
        )  # fmt: skip
        where = f"in the deals from {first} of seed {self.seed}"
        sampling.require_legal(live >= 0, where)
        outcomes = self._play_out(hands[:live].reshape(-1), keys[:live], where)
        counts, _ = search.start_chunk()
        counts[:] = LANES, live
        return Playouts(LANES, weights[:live], outcomes, hands[:live].T, counts)

    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        """Return a line that names the players who never pass."""
        names = " and ".join(dict.fromkeys(player.name for player in self.players))
        return (
            f"{names} would never pass {self.position.place} times there; seat others with "
            "`policy`, such as standard, or give `ignore_calls`"
        )


def _encode_observer(place: int, hand: Sequence[Card], upcard: Card, raised: int) -> Int64Array:
    """Return what the player knows, (`games.kwajongen.odds.OBSERVER_SIZE`,)."""
    observer = np.zeros(core.OBSERVER_SIZE, dtype=np.int64)
    observer[core.OBSERVER_PLACE] = place
    observer[core.OBSERVER_HAND] = encode_cards(hand, "kwajongen")
    observer[core.OBSERVED_UPCARD] = encode_cards([upcard], "kwajongen")
    observer[core.OBSERVED_RAISED] = raised
    return observer


def make_kwajongen_turn(
    partial_round: Position, ignore_calls: bool = False
) -> core.KwajongenCardTurn:
    """Return a round in progress as the kernels take it; players by place."""
    upcard, own = partial_round.upcard, partial_round.place_of(partial_round.seat)
    assert upcard is not None
    trump = SUITS.index(upcard.suit)

    def encode_by_strength(cards: Sequence[Card]) -> Int64Array:
        bits = [to_strength_order(encode_cards([card], "kwajongen"), trump) for card in cards]
        return np.array(bits, dtype=np.int64)

    dealt = np.zeros(SEATS, dtype=np.int64)
    for place in range(SEATS):
        cards = set(partial_round.played_by((partial_round.opener + place) % SEATS))
        cards |= set(partial_round.hand) if place == own else set()
        cards |= {upcard} if place == SEATS - 1 else set()
        dealt[place] = encode_cards(cards, "kwajongen")
    return core.KwajongenCardTurn(
        _encode_observer(own, list(partial_round.hand), upcard, partial_round.pending),
        dealt,
        partial_round.place_of(partial_round.contract.sender),
        int(not ignore_calls and partial_round.calls is not None),
        encode_by_strength(partial_round.plays),
        encode_by_strength(partial_round.legal_cards),
    )


class KwajongenCardSampler(sampling.CardSampler):
    """Hidden hands of a round of Kwajongen in progress; players by place.

    Attributes:
        layouts: int64 (n, 4), the listed distributions by place.
    """

    # The kernel draws a whole block.
    chunk_size = min_chunk_size = LANES
    max_hands = _MAX_LAYOUTS
    measures = CARD_MEASURES

    def __init__(
        self,
        partial_round: Position,
        players: Sequence[Player],
        plan: EstimatePlan,
        max_layouts: int = 0,
    ) -> None:
        """Prepare a sampler; distributions are listed if they are no more than `max_layouts`."""
        super().__init__(partial_round, players, plan)
        self.options = partial_round.legal_cards
        rules, opener = partial_round.rules, partial_round.opener
        by_place = [players[(opener + place) % SEATS] for place in range(SEATS)]
        self._rules, self._seating = encode_rules(rules), encode_seating(rules, by_place, None)
        self.turn = make_kwajongen_turn(partial_round, plan.ignore_calls)
        self.question_count = self.turn.must_match_calls
        self.keeps_history = bool(self._seating.keeps_history)
        room = np.zeros((max_layouts, SEATS), dtype=np.int64)
        self.layout_count = max(
            0,
            core.list_hidden_hands(
                self.turn, max_layouts, self._rules, self._seating, room.reshape(-1)
            ),
        )
        self.layouts = room[: self.layout_count]

    def make_odds(self, plan: EstimatePlan) -> CardOdds:
        return self._fill_odds(CardOdds, plan, layout_count=self.layout_count)

    def ask(self, keys: Int64Array) -> list[str]:
        cards = np.zeros(len(keys), dtype=np.int64)
        hands = np.tile(self.turn.dealt, len(keys))
        sampling.require_legal(
            core.choose_cards(self.turn, hands, keys, self._rules, self._seating, cards)
        )
        trump = SUITS.index(self.position.contract.contract)
        return [format_cards(int(card), trump, "kwajongen")[0] for card in cards]

    def score(self, actual: sampling.ActualHands) -> tuple[Float64Array, BoolArray]:
        own = self.position.teams[self.position.seat]
        return _order_by_team(self._play(actual.first, actual.keys), own)

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        hands, keys = np.zeros((LANES, SEATS), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        if not core.draw_hidden_hands(
            self.turn, first, self.seed, self._rules, self._seating, hands.reshape(-1), keys
        ):
            raise InputError(sampling.NO_LAYOUTS_MESSAGE)
        counts, _ = search.start_chunk()
        weights = np.ones(LANES)
        if self.question_count:
            weights = self._compute_call_chances(hands, keys)
            agrees = weights > 0
            hands, keys, weights = hands[agrees], keys[agrees], weights[agrees]
            counts[:] = LANES, len(hands)
        return Playouts(len(hands), weights, self._play(hands, keys), hands.T, counts)

    def play_listed(self, seed: int, first: int, count: int) -> Int16Array:
        return self._play(*self._get_listed(seed, first, count))

    def count_ways(self, seed: int) -> Float64Array:
        """Return the chance of the calls with each listed distribution."""
        if not self.question_count:
            return np.ones(self.layout_count)
        blocks = range(0, self.layout_count, LANES)
        return np.concatenate(
            [self._compute_call_chances(*self._get_listed(seed, first, LANES)) for first in blocks]
        )

    def _get_listed(self, seed: int, first: int, count: int) -> tuple[Int64Array, Int64Array]:
        """Return listed distributions, at most a block, and the keys of their deals."""
        hands = self.layouts[first : first + count]
        return hands, sampling.derive_keys(seed, first, len(hands))

    def _compute_call_chances(self, hands: Int64Array, keys: Int64Array) -> Float64Array:
        """Return the chance of the calls with each of a block of distributions."""
        chances, flat, rate = np.zeros(len(hands)), hands.reshape(-1), self.error_rate
        sampling.require_legal(
            core.replay_calls(self.turn, self._rules, self._seating, rate, flat, keys, chances)
        )
        return chances

    def _play(self, hands: Int64Array, keys: Int64Array) -> Int16Array:
        """Return the outcomes of each card in at most a block of distributions."""
        outcomes = np.zeros((len(hands), len(self.options), core.OUTCOME_SIZE), dtype=np.int16)
        flat, keys = np.ascontiguousarray(hands).reshape(-1), np.ascontiguousarray(keys)
        sampling.require_legal(
            core.play_out_cards(self.turn, self._rules, self._seating, flat, keys, outcomes)
        )
        return outcomes.swapaxes(0, 1)

    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        calls = ", ".join(call.call for call in self.position.calls or ())
        names = ", ".join(dict.fromkeys(player.text for player in self.players))
        what = f"the assumed players {names} call {calls!r} in"
        return explain_rare_calls(what, counts[0].tolist(), "deals", seconds, "random")
