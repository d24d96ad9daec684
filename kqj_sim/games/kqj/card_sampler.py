"""Hidden hands of a round of KQJ in progress, drawn or listed, with every legal card played out."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations
from math import comb, factorial, fsum, prod
from typing import NamedTuple

import numpy as np

from kqj_sim.cards import CONTRACTS, Card
from kqj_sim.core import card_odds, weighted_layouts
from kqj_sim.core import hidden_hands as hh
from kqj_sim.core import observed_calls as oc
from kqj_sim.core.block import (
    LEADER,
    PLAYER_BITS,
    PLAYERS,
    SEATS,
    SENDER,
    TRICKS,
    UPCARD,
    allocate_block,
)  # fmt: skip
from kqj_sim.core.call_odds import OUTCOME_SIZE, RESULT
from kqj_sim.core.cards import PACK
from kqj_sim.core.types import (
    BoolArray,
    CardSet,
    Float64Array,
    Int16Array,
    Int64Array,
    Rules,
    Seating,
)
from kqj_sim.core.weighted_draws import thin_draws
from kqj_sim.errors import InputError
from kqj_sim.games.kqj.call_sampler import MAX_ERROR_LEVEL, estimate_errors, suggest_players
from kqj_sim.places import describe_place
from kqj_sim.policies.card_sets import format_cards, split_cards
from kqj_sim.policies.particles import OpponentModel, weigh_card_errors, weigh_hands_by_cards
from kqj_sim.policies.players import Player, parse_player
from kqj_sim.positions import sampling
from kqj_sim.positions.auction_state import ObservedCall, order_rarest_first, replay_calls
from kqj_sim.positions.measures import get_kqj_card_measures, score_teams
from kqj_sim.positions.odds import CardOdds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan
from kqj_sim.positions.search import Search, SearchEnded, explain_rarest_call
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from kqj_sim.stats.moments import NO_LISTS

# Hidden hands of KQJ weighed by the chance of the cards that the others played.
#
# The chance of a card whose value lacks d to that of the best one is proportional to 1 / (1 + d /
# patience)**2, with the values of `network` (`policies.particles`). A layout weighs the product of
# these chances over all plays of the others, to a power below 1: players err alike where they err,
# so their cards tell less than as many independent choices would. Patience and power are those
# with which hidden cards are predicted best (docs/odds.md, "Do the plays tell anything?").

VALUES = "network"
"""The policy whose values of cards say how likely a play is."""
PATIENCE = 2.0
"""Points that a card is worth less and a quarter as likely."""
POWER = 0.75
"""Power of the chances that counts."""

_MIN_KEPT_SHARE = 1 / 16
"""Share of draws, at least, that are played out."""


class PlayModel:
    """The assumed chances of the others' plays; `power` is a multiple of a quarter."""

    def __init__(
        self,
        rules: KqjRules,
        patience: float = PATIENCE,
        power: float = POWER,
        error_rate: float = 0.0,
    ) -> None:
        """Prepare a model by the values of `VALUES`; a card is an error with a chance."""
        seating = encode_seating(rules, [parse_player(VALUES)] * SEATS, None, "rollouts")
        self.power = power
        self.model = OpponentModel(seating, patience, encode_rules(rules), error_rate)

    def weigh(self, turn: card_odds.CardTurn, layouts: Int64Array) -> Float64Array:
        """Return the weights of layouts (n, 6), natural coding, by the cards played before a turn.

        Weights are comparable between layouts of one turn.  Each is a function of its layout alone.
        """
        return weigh_layouts(turn, layouts, self.model, round(4 * self.power))

    def weigh_hands(
        self, turn: card_odds.CardTurn, hands: Sequence[Int64Array]
    ) -> list[Float64Array]:
        """Return the weights of each place's hands, (n,); those of the player to move weigh 1."""
        own, quarters = (int(turn.state[LEADER]) + turn.position) % SEATS, round(4 * self.power)
        return [
            np.ones(len(listed))
            if place == own
            else weigh_hands(turn, place, listed, self.model, quarters)
            for place, listed in enumerate(hands)
        ]


def weigh_layouts(
    turn: card_odds.CardTurn, layouts: Int64Array, model: OpponentModel, quarters: int
) -> Float64Array:
    """Return the weights of layouts, as `PlayModel.weigh`; the power is `quarters` / 4."""
    own = (turn.state[LEADER] + turn.position) % SEATS
    weights, sizes = np.ones(len(layouts)), turn.known[hh.HAND_SIZES : hh.HAND_SIZES + SEATS]
    hidden_cards = sizes.sum()
    for place in range(SEATS):
        if place == own:
            continue
        hands = layouts[:, place].copy()
        if hh.BINOMIALS[hidden_cards, sizes[place]] > len(hands):
            weights *= weigh_hands(turn, place, hands, model, quarters)
            continue
        # What others hold does not change the chance of a play: each hand is weighed once.
        different = find_different(hands)
        counted = weigh_hands(turn, place, different, model, quarters)
        weights *= counted[np.searchsorted(different, hands)]
    return weights


def weigh_hands(
    turn: card_odds.CardTurn, place: int, hands: Int64Array, model: OpponentModel, quarters: int
) -> Float64Array:
    """Return the weights of hands of a place, int64 (n,), by its plays."""
    chances, counted = np.ones(len(hands)), np.ones(len(hands))
    weigh_hands_by_cards(turn.state, turn.trick, turn.position, model, place, hands, chances)
    # Unlike other powers, square roots are the same numbers on every processor.
    root = np.sqrt(np.sqrt(chances))
    for _ in range(quarters):
        counted *= root
    return counted


def weigh_errors(
    turn: card_odds.CardTurn, layouts: Int64Array, weights: Float64Array, model: OpponentModel
) -> Float64Array:
    """Return, for each card played, the weight of the layouts in which it was an error."""
    own = (turn.state[LEADER] + turn.position) % SEATS
    sums = np.zeros(SEATS * turn.trick + turn.position)
    for place in range(SEATS):
        if place != own:
            hands = layouts[:, place].copy()
            different = find_different(hands)
            by_hand = np.bincount(np.searchsorted(different, hands), weights)
            weigh_card_errors(
                turn.state, turn.trick, turn.position, model, place, different, by_hand, sums
            )
    return sums


def find_different(numbers: Int64Array) -> Int64Array:
    """Return the different numbers, rising."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def choose_least_weight(weights: Float64Array, playout_cost: float) -> float:
    """Return the weight below which draws are thinned out (`core.weighted_draws.thin_draws`).

    By the weights of a pilot sample it gives the greatest effective sample size for the time; 0
    keeps all draws.  `playout_cost` is the time to play a draw out, relative to that of drawing and
    weighing it.
    """
    best, most = 0.0, 0.0
    if len(weights) == 0:
        return best
    candidates = np.zeros(40)
    candidates[1:] = np.quantile(weights, np.linspace(0.05, 1, 39))
    for least in candidates:
        kept = np.minimum(1.0, weights / least) if least > 0 else np.ones(len(weights))
        # The effective sample size of a draw is (E w)^2 / E w^2 once those left out have gone.
        size = weights.sum() ** 2 / (weights * np.maximum(weights, least)).sum()
        time = len(weights) + playout_cost * kept.sum()
        if kept.mean() >= _MIN_KEPT_SHARE and size / time > most:
            best, most = float(least), size / time
    return best


# Lists of the hands that each player of KQJ may hold late in a round, with their factors.
#
# A hand's factor is the number of ways in which it agrees with its holder's calls, times the
# chance of the cards that they played. Where the lists are short, hidden hands are drawn from
# them: nothing has to be searched, and few draws are of little weight.

MAX_LISTED_HANDS = comb(25, 5)
"""The most hands of a player that are listed: those of trick 4."""
MAX_WAYS = comb(20, 4) * comb(8, 5)
"""The most ways to have got the hands of a player that are listed: those of trick 5 with taking,
where each hand may have come from many first five cards."""


class ListedHands(NamedTuple):
    """The hands that players may hold.

    Attributes:
        lists: the lists, those with the fewest likely hands first.
        places: int64 (m,), the players with hidden cards, in the order of the lists.
    """

    lists: weighted_layouts.FactorLists
    places: Int64Array
    unseen: int

    def draw(self, keys: Int64Array) -> tuple[Int64Array, Float64Array]:
        """Return hidden hands by place, int64 (n, 6), and their weights, 0 where they do not fit.

        Each draw is a function of its key.
        """
        layouts, weights = np.zeros((len(keys), SEATS), dtype=np.int64), np.zeros(len(keys))
        weighted_layouts.draw_from_hand_lists(*self, keys, layouts, weights)
        return layouts, weights


_get_ranks = lru_cache(weighted_layouts.list_ranks)


@lru_cache
def _list_combinations(count: int, size: int) -> Int64Array:
    """Return the subsets of a size as numbers, int64 (n, size)."""
    subsets = [*combinations(range(count), size)]
    return np.array(subsets, dtype=np.int64).reshape(len(subsets), size)


def list_hands(turn: card_odds.CardTurn, ways: int) -> list[Int64Array] | None:
    """Return the hands that each place may hold, in ascending order; None if a list is too long.

    `ways` is the most ways to have got a hand.
    """
    if int(turn.known[hh.UNSEEN]).bit_count() > weighted_layouts.MAX_RANKED_CARDS:
        return None
    most = min(MAX_LISTED_HANDS, MAX_WAYS // ways)
    sizes = turn.known[hh.HAND_SIZES : hh.HAND_SIZES + SEATS].tolist()
    may = [
        int(turn.known[hh.UNSEEN]) & ~int(turn.known[hh.EXCLUDED + place]) for place in range(SEATS)
    ]
    hands = []
    for place, size in enumerate(sizes):
        if comb(may[place].bit_count(), size) > most:
            return None
        bits = np.array([1 << bit for bit in split_cards(may[place])], dtype=np.int64)
        hands.append(np.sort(bits[_list_combinations(len(bits), size)].sum(axis=1)))
    return hands


def join_hand_lists(
    turn: card_odds.CardTurn, hands: list[Int64Array], factors: list[Float64Array]
) -> ListedHands:
    """Return lists of the hands with a factor above zero."""
    sizes = turn.known[hh.HAND_SIZES : hh.HAND_SIZES + SEATS]
    kept = [numbers > 0 for numbers in factors]
    likely = [fsum(numbers) ** 2 / max(fsum(numbers * numbers), 1e-300) for numbers in factors]
    places = sorted(np.flatnonzero(sizes).tolist(), key=lambda place: (likely[place], place))
    counts = [int(kept[place].sum()) for place in places]
    unseen = int(turn.known[hh.UNSEEN])
    return ListedHands(
        make_factor_lists(
            unseen,
            np.cumsum([0, *counts], dtype=np.int64),
            np.concatenate([hands[place][kept[place]] for place in places]),
            np.concatenate([factors[place][kept[place]] for place in places]),
        ),
        np.array(places, dtype=np.int64),
        unseen,
    )


def make_factor_lists(
    unseen: int, starts: Int64Array, hands: Int64Array, factors: Float64Array
) -> weighted_layouts.FactorLists:
    """Return lists of hands, natural coding; `starts` and `factors` as of `FactorLists`."""
    cards = [*split_cards(unseen)]
    sets = np.zeros_like(hands)
    for number, bit in enumerate(cards):
        sets |= (hands >> bit & 1) << number
    one_of_each = hands[starts[:-1][np.diff(starts) > 0]].tolist()
    most = max((comb(len(cards), hand.bit_count()) for hand in one_of_each), default=1)
    tables = np.zeros((len(starts) - 1, most))
    lists = weighted_layouts.FactorLists(starts, sets, factors, tables, _get_ranks())
    weighted_layouts.fill_tables(lists)
    return lists


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
    return {format_cards(1 << bit, contract)[0]: 1 << bit for bit in split_cards(PACK)}


def convert_cards_to_bits(cards: Iterable[Card], contract: int | None = None) -> CardSet:
    """Return cards as a set, in natural coding or by strength for a contract (0 to 5)."""
    return sum(_get_card_bits(contract)[str(card)] for card in cards)


def make_turn(
    partial_round: Position,
    seating: Seating,
    observed_calls: Sequence[ObservedCall],
    max_layouts: int = 0,
) -> card_odds.CardTurn:
    """Return a round in progress as the kernels take it, with the players who play on.

    Hidden hands agree with `observed_calls`, and are listed if they are at most `max_layouts`.
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
    state, known = allocate_block(), np.zeros(hh.KNOWLEDGE_SIZE, dtype=np.int64)
    plays = [convert_cards_to_bits([card]) for card in partial_round.plays]
    card_odds.replay_plays(
        state, np.array(called, dtype=np.int64), shown, np.array(plays, dtype=np.int64),
        seating._replace(keeps_history=1), known,
    )  # fmt: skip
    packed = [each.pack() for each in observed_calls]
    layouts = np.empty(SEATS * max_layouts, dtype=np.int64)
    listed = (
        max(0, card_odds.list_layouts(known.copy(), max_layouts, layouts)) if max_layouts else 0
    )
    trick, position = divmod(len(partial_round.plays), SEATS)
    legal = [convert_cards_to_bits([card], contract) for card in partial_round.legal_cards]
    return card_odds.CardTurn(
        state, trick, position, known, shown, np.array(packed, dtype=np.int64).reshape(-1),
        np.zeros((0, oc.ERROR_SIZE)), layouts[: SEATS * listed].copy(),
        np.array(legal, dtype=np.int64),
    )  # fmt: skip


def list_observed_calls(partial_round: Position) -> list[ObservedCall]:
    """Return what the others answered in the bidding, in the order in which hands are drawn."""
    # The hands with which play begins are not those of the calls.
    unseen = replace(partial_round, hands=((),) * SEATS)
    return order_rarest_first(replay_calls(unseen.rotate_to_places())[0])


def count_ways(
    turn: card_odds.CardTurn, layouts: Int64Array, seed: int, rules: Rules, seating: Seating
) -> Float64Array:
    """Return in how many ways layouts (n, 6) agree with the calls; (0,) after an illegal choice."""
    ways = np.ones(len(layouts))
    for place in range(SEATS):
        hands = find_different(layouts[:, place])
        hand_ways = count_hand_ways(turn, place, hands, seed, rules, seating)
        if len(hand_ways) < len(hands):
            return ways[:0]
        ways *= hand_ways[np.searchsorted(hands, layouts[:, place])]
    return ways


def count_hand_ways(
    turn: card_odds.CardTurn,
    place: int,
    hands: Int64Array,
    seed: int,
    rules: Rules,
    seating: Seating,
) -> Float64Array:
    """Return in how many ways hands of a place agree with its calls; as `count_ways`."""
    ways = np.ones(len(hands))
    counts = np.zeros(2 * len(turn.observed_calls), dtype=np.int64)
    calls = np.flatnonzero(turn.observed_calls[oc.CALLER_PLACE :: oc.OBSERVED_CALL_SIZE] == place)
    if len(calls) > 0 and not card_odds.count_first_fives(
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
        shared: how many draws, by their numbers, have hands in common; 1 if none have.
    """

    keys: Int64Array
    weights: Float64Array
    hands: Int64Array
    counts: Int64Array
    shared: int


class KqjCardSampler(sampling.CardSampler):
    """Hidden hands of a round of KQJ in progress; players by seat.

    Attributes:
        layouts: int64 (n, 6), the listed distributions, natural coding.
        play_model: the assumed chances of the others' plays; None to leave them out.
        hand_lists: the lists that hands are drawn from; None if they are searched.
    """

    turn: card_odds.CardTurn
    chunk_size = 1024
    min_chunk_size = 64
    # Trying a hand takes a tenth of a microsecond.
    max_hands = 1 << 25
    max_error_level = MAX_ERROR_LEVEL

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
        super().__init__(partial_round, players, plan)
        self.options = partial_round.legal_cards
        self.observed_calls = [] if plan.ignore_calls else list_observed_calls(partial_round)
        self.question_count = len(self.observed_calls)
        self.measures = get_kqj_card_measures(rules)
        self._rules = encode_rules(rules)
        self._seating = encode_seating(rules, players, None, "rollouts")
        self.turn = make_turn(partial_round, self._seating, self.observed_calls, max_layouts)
        self.estimate_errors()
        self.layouts: Int64Array = self.turn.layouts.reshape(-1, SEATS)
        self.layout_count = len(self.layouts)
        self.keeps_history = bool(self._seating.keeps_history)
        self.hand_lists: ListedHands | None = None
        # Both are shared with samplers of some of the cards.
        self._pilot_weights: list[Float64Array] = []
        self._list_scales: dict[int, float] = {}
        self.play_model = None
        if not plan.ignore_plays and partial_round.others_have_played:
            self.play_model = PlayModel(rules, error_rate=plan.error_rate)
        self.uses_plays = self.play_model is not None
        sender = partial_round.place_of(partial_round.contract.sender)
        if rules.bidding == "take":
            places = set(
                self.turn.observed_calls[oc.CALLER_PLACE :: oc.OBSERVED_CALL_SIZE].tolist()
            )
            # First fives among the eight cards; the Sender's without the Return.
            self.max_ways = prod(comb(7 if place == sender else 8, 5) for place in places)

    def estimate_errors(self) -> None:
        turn = self.turn
        may = turn.known[hh.UNSEEN] & ~turn.known[hh.EXCLUDED : hh.EXCLUDED + SEATS]
        known = [int(turn.state[row]) for row in (PLAYERS, UPCARD, SENDER)]
        errors = estimate_errors(
            self.error_rate, turn.observed_calls, may, turn.shown, known, self.seed,
            self.error_level, self._rules, self._seating,
        )  # fmt: skip
        self.turn = turn._replace(errors=errors)

    def make_odds(self, plan: EstimatePlan) -> CardOdds:
        errors = None
        if self.play_model is not None and self.error_rate:
            errors = partial(weigh_errors, self.turn, model=self.play_model.model)
        return self._fill_odds(
            CardOdds, plan, observed_calls=self.observed_calls, layout_count=self.layout_count,
            error_chances=self.turn.errors, max_ways=self.max_ways, uses_plays=self.uses_plays,
            weigh_errors=errors,
        )  # fmt: skip

    def with_hand_lists(self) -> KqjCardSampler:
        if self.layout_count and not self.keeps_history:
            return self  # All distributions are played out.
        if not self.question_count and self.play_model is None:
            return self  # All distributions are equally likely.
        hands = list_hands(self.turn, comb(8, 5) if self.max_ways > 1 else 1)
        if hands is None or sum(len(numbers) > 1 for numbers in hands) < 2:
            return self
        factors = [np.ones(len(numbers)) for numbers in hands]
        for place in range(SEATS):
            ways = self._count_hand_ways(place, hands[place], 0)
            every = slice(None, None, max(1, len(ways) // _MIN_HANDS_ASKED))
            again = self._count_hand_ways(place, hands[place][every], 1)
            if not np.array_equal(ways[every], again):
                return self  # Players who call at random are asked anew for each draw.
            if not ways.any() and self._never_agrees(place, hands[place]):
                raise SearchEnded(by_time=False)
            hands[place], factors[place] = hands[place][ways > 0], ways[ways > 0]
        if self.play_model is not None:
            by_plays = self.play_model.weigh_hands(self.turn, hands)
            factors = [one * other for one, other in zip(factors, by_plays, strict=True)]
        lists = join_hand_lists(self.turn, hands, factors)
        if not any(
            lists.draw(sampling.derive_keys(self.seed, first, _PILOT_CHUNK))[1].any()
            for first in range(_FIRST_PILOT_DRAW, _FIRST_PILOT_DRAW + _PILOT_DRAWS, _PILOT_CHUNK)
        ):
            return self
        sampler = copy.copy(self)
        sampler.hand_lists = lists
        return sampler

    def _never_agrees(self, place: int, hands: Int64Array) -> bool:
        times = max(1, _MIN_HANDS_ASKED // len(hands))
        return not any(self._count_hand_ways(place, hands, seed).any() for seed in range(times))

    def ask(self, keys: Int64Array) -> list[str]:
        cards = np.zeros(len(keys), dtype=np.int64)
        sampling.require_legal(
            card_odds.choose_cards(self.turn, keys, self._rules, self._seating, cards)
        )
        contract = CONTRACTS.index(self.position.contract.contract)
        return [format_cards(int(card), contract)[0] for card in cards]

    def score(self, actual: sampling.ActualHands) -> tuple[Float64Array, BoolArray]:
        assert actual.hands is not None
        left = actual.hands & ~convert_cards_to_bits(self.position.plays)
        outcomes, teams = self.play_out(left, actual.keys), self.position.rules.team_count
        return score_teams(outcomes, teams, self.position.pending)

    def draw_hands(self, search: Search, first: int, count: int) -> HandDraws:
        """Draw hidden hands that agree with the calls; raises as `play_chunk`."""
        counts, signal = search.start_chunk()
        keys, weights = np.zeros(count, dtype=np.int64), np.zeros(count)
        hands = np.zeros((count, SEATS), dtype=np.int64)
        kept = card_odds.draw_hidden_hands(
            self.turn, first, count, self.seed, self._rules, self._seating, keys, weights, hands,
            counts.reshape(-1), signal,
        )  # fmt: skip
        # A search that was told to stop before it began has found nothing.
        if kept == oc.STOPPED or (kept == card_odds.NO_LAYOUT and signal[oc.STOP]):
            raise SearchEnded(by_time=False)
        if kept == card_odds.NO_LAYOUT:
            raise InputError(sampling.NO_LAYOUTS_MESSAGE)
        sampling.require_legal(kept != card_odds.ILLEGAL_CALL)
        listed = int(signal[oc.LISTED])
        weights = weights[:kept] * (self._compute_list_scale(listed) if listed else 1.0)
        return HandDraws(keys[:kept], weights, hands[:kept], counts, int(signal[oc.SHARED]))

    def _compute_list_scale(self, listed: int) -> float:
        """Return the share of layouts that agree with a draw of so much weight as lists give one.

        The first caller and those whose hands are listed get any hands that their own plays allow,
        which are weighed by the layouts left to the others.
        """
        if listed not in self._list_scales:
            known, ways = self.turn.known, 1 / hh.count_layouts(self.turn.known)
            sizes = known[hh.HAND_SIZES : hh.HAND_SIZES + SEATS].tolist()
            callers = list(dict.fromkeys(call.place for call in self.observed_calls))
            for place in callers[: listed + 1]:
                may = int(known[hh.UNSEEN] & ~known[hh.EXCLUDED + place])
                ways *= comb(may.bit_count(), sizes[place])
                sizes[place] = 0
            ways *= factorial(sum(sizes)) / prod(factorial(size) for size in sizes)
            self._list_scales[listed] = ways
        return self._list_scales[listed]

    def _number_lists(self, first: int, count: int, keys: Int64Array, shared: int) -> Int64Array:
        """Return the number of the lists of each draw of a range, by the keys of those left."""
        drawn = np.isin(sampling.derive_keys(self.seed, first, count), keys)
        return (first + np.flatnonzero(drawn)) // shared

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        if self.hand_lists is not None:
            keys = sampling.derive_keys(self.seed, first, count)
            hands, weights = self.hand_lists.draw(keys)
            live = weights > 0
            keys, hands, weights = keys[live], hands[live], weights[live]
            counts = np.full((self.question_count, 2), (count, len(weights)), dtype=np.int64)
            outcomes = self.play_out(hands, keys)
            return Playouts(len(weights), weights, outcomes, hands.T, counts)
        keys, weights, hands, counts, shared = self.draw_hands(search, first, count)
        call_weights: Float64Array | None = None
        lists, list_count = NO_LISTS, 0
        if shared > 1:
            numbers = self._number_lists(first, count, keys, shared) - first // shared
            list_count = (first + count - 1) // shared + 1 - first // shared
            call_weights = np.bincount(numbers, weights, list_count).astype(np.float64)
        elif self.play_model is not None:
            call_weights = weights.copy()
        if self.play_model is not None:
            by_plays = self.play_model.weigh(self.turn, hands)
            kept = thin_draws(self._least_play_weight, by_plays, keys, weights, hands)
            keys, weights, hands = keys[:kept], weights[:kept], hands[:kept]
        if shared > 1:
            lists = self._number_lists(first, count, keys, shared)
        outcomes = self.play_out(hands, keys)
        return Playouts(
            len(weights), weights, outcomes, hands.T, counts, call_weights, lists, list_count
        )  # fmt: skip

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
        assert self.play_model is not None
        turn = self.turn._replace(
            observed_calls=np.zeros(0, dtype=np.int64), errors=self.turn.errors[:0]
        )
        hands = np.zeros((_PILOT_DRAWS, SEATS), dtype=np.int64)
        kept = card_odds.draw_hidden_hands(
            turn, _FIRST_PILOT_DRAW, _PILOT_DRAWS, self.seed, self._rules, self._seating,
            np.zeros(_PILOT_DRAWS, dtype=np.int64), np.zeros(_PILOT_DRAWS), hands,
            np.zeros(0, dtype=np.int64), np.zeros(oc.SIGNAL_SIZE, dtype=np.int64),
        )  # fmt: skip
        return self.play_model.weigh(turn, hands[: max(kept, 0)])

    def play_listed(self, seed: int, first: int, count: int) -> Int16Array:
        keys = sampling.derive_keys(seed, first, count)
        return self.play_out(self.layouts[first : first + count], keys)

    def play_out(self, hands: Int64Array, keys: Int64Array) -> Int16Array:
        """Return outcomes, int16 (cards, n, OUTCOME_SIZE), of hidden hands, int64 (n, 6)."""
        outcomes = np.zeros((len(self.options) * len(hands), OUTCOME_SIZE), dtype=np.int16)
        card_odds.play_out_cards(self.turn, hands, keys, self._rules, self._seating, outcomes)
        sampling.require_legal(not (outcomes[:, RESULT] == card_odds.ILLEGAL_RESULT).any())
        return outcomes.reshape(len(self.options), len(hands), OUTCOME_SIZE)

    def weigh_listed_by_plays(self) -> Float64Array:
        if self.play_model is None:
            return super().weigh_listed_by_plays()
        return self.play_model.weigh(self.turn, self.layouts)

    def count_ways(self, seed: int) -> Float64Array:
        ways = count_ways(self.turn, self.layouts, seed, self._rules, self._seating)
        sampling.require_legal(len(ways) == self.layout_count)
        return ways

    def _count_hand_ways(self, place: int, hands: Int64Array, seed: int) -> Float64Array:
        ways = count_hand_ways(self.turn, place, hands, seed, self._rules, self._seating)
        sampling.require_legal(len(ways) == len(hands))
        return ways

    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:

        def describe(place: int) -> tuple[str, str]:
            seat = (self.position.opener + place) % SEATS
            return describe_place(place, SEATS), self.players[seat].name

        rules = self.position.rules
        assert isinstance(rules, KqjRules)
        other = suggest_players(rules, self.players)
        return explain_rarest_call(self.observed_calls, counts, describe, seconds, other)
