"""What each card is worth that may be played in a round of Kwajongen; as `analysis.odds_play`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE
from kqj_sim.analysis.odds.calls import OddsError
from kqj_sim.analysis.odds.cards import (
    MAX_LISTED_LAYOUTS,
    CardMeasures,
    CardOdds,
    CardOddsRequest,
    Measure,
    estimate_with_sampler,
)
from kqj_sim.analysis.odds.kwajongen_position import KwajongenPartialRound
from kqj_sim.analysis.odds.playouts import (
    ILLEGAL_CHOICE_MESSAGE,
    NO_LAYOUTS_MESSAGE,
    CardPlayouts,
    CardSampler,
    Int64Array,
    OutcomeArray,
)
from kqj_sim.analysis.odds.search import Search
from kqj_sim.cards import SUITS, Card
from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.card_odds import ENUMERATED
from kqj_sim.core.kwajongen import odds as core
from kqj_sim.core.kwajongen.cards import SEATS, TRICKS, KwajongenCoreRules, to_strength_order
from kqj_sim.core.kwajongen.odds import (
    KwajongenCardTurn,
    draw_hidden_hands,
    fill_keys,
    list_hidden_hands,
    play_out_cards,
    replay_calls,
)
from kqj_sim.core.kwajongen.scoring import MADE, TIE
from kqj_sim.core.rules import Seating
from kqj_sim.encode import encode_cards, encode_rules, encode_seating
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.workers import count_processors

KWAJONGEN_MEASURES = (
    Measure("wins", "share", "wins the round", "the own team has more card points"),
    Measure("difference", "change", "worth", "other team's change of score less own team's"),
    Measure("made", "share", "caller's side makes it", "the caller's team has more card points"),
    Measure("tie", "share", "tie", "both have as many"),
    Measure("total", "points", "own card points", "the own team's card points"),
    Measure("capot", "share", "all four tricks", "the own team wins all four tricks"),
)


_MOST_DEALS = 1 << 20
"""Distributions that are tried at most before the first one agrees with the calls."""


def compute_kwajongen_measures(outcomes: OutcomeArray) -> Int64Array:
    """The measures, int64 (..., len(KWAJONGEN_MEASURES)), of outcomes, int16 (..., OUTCOME)."""
    each = np.moveaxis(outcomes.astype(np.int64), -1, 0)
    own, result = each[core.OWN_SCORE], each[core.RESULT]
    values = {
        "wins": own < 0,
        "difference": each[core.OTHER_SCORE] - own,
        "made": result == MADE,
        "tie": result == TIE,
        "total": each[core.OWN_POINTS],
        "capot": each[core.OWN_TRICKS] == TRICKS,
    }
    return np.stack([values[each.name].astype(np.int64) for each in KWAJONGEN_MEASURES], axis=-1)


KWAJONGEN_CARD_MEASURES = CardMeasures(
    KWAJONGEN_MEASURES,
    compute_kwajongen_measures,
    "Worth: by how much the other side's score changes less the own side's; more is better.",
)


def make_kwajongen_turn(
    partial_round: KwajongenPartialRound, observe_calls: bool = True
) -> KwajongenCardTurn:
    """A round so far as the kernels take it; players by place."""
    trump = SUITS.index(partial_round.turned.suit)

    def bits(cards: Sequence[Card]) -> Int64Array:
        return np.array(
            [to_strength_order(encode_cards([card], "kwajongen"), trump) for card in cards],
            dtype=np.int64,
        )

    own = partial_round.place_of(partial_round.seat)
    known = np.zeros(core.OBSERVER_SIZE, dtype=np.int64)
    known[core.OBSERVER_PLACE] = own
    known[core.OBSERVER_HAND] = encode_cards(partial_round.hand, "kwajongen")
    known[core.OBSERVED_UPCARD] = encode_cards([partial_round.turned], "kwajongen")
    known[core.OBSERVED_RAISED] = partial_round.pending
    dealt = np.zeros(SEATS, dtype=np.int64)
    for place in range(SEATS):
        cards = set(partial_round.played_by((partial_round.opener + place) % SEATS))
        cards |= partial_round.hand if place == own else set()
        cards |= {partial_round.turned} if place == SEATS - 1 else set()
        dealt[place] = encode_cards(cards, "kwajongen")
    return KwajongenCardTurn(
        known,
        dealt,
        partial_round.place_of(partial_round.final_contract.sender),
        int(observe_calls and partial_round.calls is not None),
        bits(partial_round.plays),
        bits(partial_round.legal),
    )


@dataclass(frozen=True)
class KwajongenCardSampler(CardSampler):
    """Draws for a turn, in threads; `hands` are the listed distributions, int64 (n, 4) by place."""

    step = LANES

    turn: KwajongenCardTurn
    rules: KwajongenCoreRules
    table: Seating
    threads: int
    hands: Int64Array

    @property
    def layout_count(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        return len(self.hands)

    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """As `CardSampler.new_search`; it counts distributions, and those that agree with the
        calls."""
        return Search(self.turn.heard, seconds, progress, _MOST_DEALS)

    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> CardPlayouts:
        """As `CardSampler.chunk`; where they are drawn, a whole block of them."""
        hands, keys = np.zeros((LANES, SEATS), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        if mode == ENUMERATED:
            listed = self.hands[first : first + count]
            fill_keys(first, seed, keys)
            return self._play(listed, keys, search.new_run().counts)
        flat = hands.reshape(-1)
        if not draw_hidden_hands(self.turn, first, seed, self.rules, self.table, flat, keys):
            raise OddsError(NO_LAYOUTS_MESSAGE)
        if not self.turn.heard:
            return self._play(hands, keys, search.new_run().counts)
        counts = search.new_run().counts
        agrees = self._match_calls(hands, keys) == 1
        counts[0] = LANES, agrees.sum()
        return self._play(hands[agrees], keys[agrees], counts)

    def _match_calls(self, hands: Int64Array, keys: Int64Array) -> Int64Array:
        """For each of a block of distributions 1 if the others would have called so, else 0."""
        agrees = np.zeros(len(hands), dtype=np.int64)
        if not replay_calls(
            allocate_block(),
            len(hands),
            self.turn,
            self.rules,
            self.table,
            hands.reshape(-1),
            keys,
            agrees,
        ):
            raise PolicyError(ILLEGAL_CHOICE_MESSAGE)
        return agrees

    def _play(self, hands: Int64Array, keys: Int64Array, counts: Int64Array) -> CardPlayouts:
        """What comes of each card in distributions, no more than a block of them."""
        outcomes = np.zeros((len(hands), self.cards, core.OUTCOME_SIZE), dtype=np.int16)
        if len(hands) and not play_out_cards(
            allocate_block(), len(hands), self.turn, self.rules, self.table,
            np.ascontiguousarray(hands).reshape(-1), np.ascontiguousarray(keys), outcomes,
        ):  # fmt: skip
            raise PolicyError(ILLEGAL_CHOICE_MESSAGE)
        return CardPlayouts(np.ones(len(hands)), outcomes, hands, counts)

    def count_ways(self, seed: int) -> Int64Array:
        """1 for each listed distribution in which the others would have called so, else 0."""
        if not self.turn.heard:
            return np.ones(self.layout_count, dtype=np.int64)
        found = []
        for first in range(0, self.layout_count, LANES):
            hands = self.hands[first : first + LANES]
            keys = np.zeros(len(hands), dtype=np.int64)
            fill_keys(first, seed, keys)
            found.append(self._match_calls(hands, keys))
        return np.concatenate(found)

    def count_max_ways(self) -> int:
        """In how many ways a distribution can have come about."""
        return 1


def estimate_kwajongen_cards(
    partial_round: KwajongenPartialRound,
    players: Sequence[str] | None = None,
    deals: int = 10_000,
    seed: int = 1,
    *,
    until: float | None = None,
    seconds: float | None = None,
    ignore_calls: bool = False,
    threads: int | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    max_layouts: int = MAX_LISTED_LAYOUTS,
    progress: Callable[[CardOdds], None] | None = None,
    searching: Callable[[int], None] | None = None,
) -> CardOdds:
    """What each card is worth that may be played now; as `analysis.odds.cards.estimate_cards`.

    Raises:
        OddsError: no hidden hands agree with the plays, or with the calls.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    names = tuple(players or partial_round.players or (DEFAULT_PLAYERS["kwajongen"],) * SEATS)
    seated = [parse_player(name, "kwajongen") for name in names]
    by_place = [seated[(partial_round.opener + place) % SEATS] for place in range(SEATS)]
    rules, table = (
        encode_rules(partial_round.rules),
        encode_seating(partial_round.rules, by_place, None),
    )
    turn = make_kwajongen_turn(partial_round, not ignore_calls)
    room = np.zeros((max_layouts, SEATS), dtype=np.int64)
    found = list_hidden_hands(turn, max_layouts, rules, table, room.reshape(-1))
    number = count_processors() if threads is None else threads
    trial = KwajongenCardSampler(turn, rules, table, number, room[: max(found, 0)])

    def never_said(counts: Int64Array, seconds: float | None) -> str:
        said = ", ".join(call.call for call in partial_round.calls or ())
        tried, agreed = counts[0].tolist()
        line = (
            f"the calls {said!r} occur in {f'{agreed:,}' if agreed else 'none'} of {tried:,} deals "
            f"of the assumed players {', '.join(dict.fromkeys(each.text for each in seated))}"
        )
        if seconds is not None:
            line += f" that were tried in {seconds:g} s; allow more with --time"
        return (
            f"{line}; choose other players with --players, such as random, or give --ignore-calls"
        )

    asking = CardOddsRequest(
        partial_round, tuple(each.text for each in seated), seed, until, seconds, confidence, deals,
        progress, searching, turn.heard == 1, KWAJONGEN_CARD_MEASURES, never_said,
    )  # fmt: skip
    return estimate_with_sampler(trial, asking, table)
