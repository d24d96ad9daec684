"""What each card is worth that may be played in a round of Kwajongen; as `analysis.odds_play`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kqj_sim.analysis.intervals import CONFIDENCE
from kqj_sim.analysis.kwajongen.round_so_far import KwajongenSoFar
from kqj_sim.analysis.odds import OddsError
from kqj_sim.analysis.odds_play import MOST_LISTED, Asking, Measure, PlayOdds, Telling, find
from kqj_sim.analysis.search import Search
from kqj_sim.analysis.tries import NO_HANDS, NOT_ALLOWED, Chunk, Numbers, Outcomes, Tries
from kqj_sim.core.kwajongen import odds as core
from kqj_sim.core.kwajongen.bits import by_strength
from kqj_sim.core.kwajongen.odds_play import (
    Turn,
    draw_hands,
    list_hands,
    name_keys,
    play_cards,
    would_call,
)
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.scoring import MADE, TIE
from kqj_sim.core.kwajongen.state import SEATS, TRICKS
from kqj_sim.core.outlook import LISTED
from kqj_sim.core.rules import Table
from kqj_sim.core.state import LANES, new_state
from kqj_sim.crew import default_threads
from kqj_sim.encode import card_bits, core_rules, core_table
from kqj_sim.notation import SUITS, Card
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYERS, player

MEASURES = (
    Measure("wins", "share", "wins the round", "the own team has more card points"),
    Measure("difference", "change", "worth", "other team's change of score less own team's"),
    Measure("made", "share", "caller's side makes it", "the caller's team has more card points"),
    Measure("tie", "share", "tie", "both have as many"),
    Measure("total", "points", "own card points", "the own team's card points"),
    Measure("capot", "share", "all four tricks", "the own team wins all four tricks"),
)


_MOST_DEALS = 1 << 20
"""Distributions that are tried at most before the first one agrees with the calls."""


def measured(outcomes: Outcomes) -> Numbers:
    """The measures, int64 (..., len(MEASURES)), of outcomes, int16 (..., OUTCOME)."""
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
    return np.stack([values[each.name].astype(np.int64) for each in MEASURES], axis=-1)


TELLING = Telling(
    MEASURES,
    measured,
    "Worth: by how much the other side's score changes less the own side's; more is better.",
)


def standing(so_far: KwajongenSoFar, heard: bool = True) -> Turn:
    """A round so far as the kernels take it; players by place."""
    trump = SUITS.index(so_far.turned.suit)

    def bits(cards: Sequence[Card]) -> Numbers:
        return np.array(
            [by_strength(card_bits([card], "kwajongen"), trump) for card in cards], dtype=np.int64
        )

    own = so_far.place_of(so_far.seat)
    known = np.zeros(core.KNOWN, dtype=np.int64)
    known[core.PLACE] = own
    known[core.HAND] = card_bits(so_far.hand, "kwajongen")
    known[core.SHOWN] = card_bits([so_far.turned], "kwajongen")
    known[core.RAISED] = so_far.pending
    dealt = np.zeros(SEATS, dtype=np.int64)
    for place in range(SEATS):
        cards = set(so_far.played_by((so_far.opener + place) % SEATS))
        cards |= so_far.hand if place == own else set()
        cards |= {so_far.turned} if place == SEATS - 1 else set()
        dealt[place] = card_bits(cards, "kwajongen")
    return Turn(
        known, dealt, so_far.place_of(so_far.called.sender),
        int(heard and so_far.calls is not None), bits(so_far.plays), bits(so_far.legal),
    )  # fmt: skip


@dataclass(frozen=True)
class KwajongenTrial(Tries):
    """Draws for a turn, in threads; `hands` are the listed distributions, int64 (n, 4) by place."""

    step = LANES

    turn: Turn
    rules: Rules
    table: Table
    threads: int
    hands: Numbers

    @property
    def listed(self) -> int:
        """How many distributions are listed: all that agree with the plays, or 0."""
        return len(self.hands)

    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """As `Tries.new_search`; it counts distributions, and those that agree with the calls."""
        return Search(self.turn.heard, seconds, progress, _MOST_DEALS)

    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> Chunk:
        """As `Tries.chunk`; where they are drawn, a whole block of them."""
        hands, keys = np.zeros((LANES, SEATS), dtype=np.int64), np.zeros(LANES, dtype=np.int64)
        if mode == LISTED:
            listed = self.hands[first : first + count]
            name_keys(first, seed, keys)
            return self._play(listed, keys, search.new_run().counts)
        flat = hands.reshape(-1)
        if not draw_hands(self.turn, first, seed, self.rules, self.table, flat, keys):
            raise OddsError(NO_HANDS)
        if not self.turn.heard:
            return self._play(hands, keys, search.new_run().counts)
        counts = search.new_run().counts
        agrees = self._would_call(hands, keys) == 1
        counts[0] = LANES, agrees.sum()
        return self._play(hands[agrees], keys[agrees], counts)

    def _would_call(self, hands: Numbers, keys: Numbers) -> Numbers:
        """For each of a block of distributions 1 if the others would have called so, else 0."""
        agrees = np.zeros(len(hands), dtype=np.int64)
        if not would_call(
            new_state(), len(hands), self.turn, self.rules, self.table, hands.reshape(-1), keys,
            agrees,
        ):  # fmt: skip
            raise PolicyError(NOT_ALLOWED)
        return agrees

    def _play(self, hands: Numbers, keys: Numbers, counts: Numbers) -> Chunk:
        """What comes of each card in distributions, no more than a block of them."""
        outcomes = np.zeros((len(hands), self.cards, core.OUTCOME), dtype=np.int16)
        if len(hands) and not play_cards(
            new_state(), len(hands), self.turn, self.rules, self.table,
            np.ascontiguousarray(hands).reshape(-1), np.ascontiguousarray(keys), outcomes,
        ):  # fmt: skip
            raise PolicyError(NOT_ALLOWED)
        return Chunk(np.ones(len(hands)), outcomes, hands, counts)

    def ways(self, seed: int) -> Numbers:
        """1 for each listed distribution in which the others would have called so, else 0."""
        if not self.turn.heard:
            return np.ones(self.listed, dtype=np.int64)
        found = []
        for first in range(0, self.listed, LANES):
            hands = self.hands[first : first + LANES]
            keys = np.zeros(len(hands), dtype=np.int64)
            name_keys(first, seed, keys)
            found.append(self._would_call(hands, keys))
        return np.concatenate(found)

    def most_ways(self) -> int:
        """In how many ways a distribution can have come about."""
        return 1


def odds_of_cards(
    so_far: KwajongenSoFar,
    players: Sequence[str] | None = None,
    deals: int = 10_000,
    seed: int = 1,
    *,
    until: float | None = None,
    seconds: float | None = None,
    ignore_calls: bool = False,
    threads: int | None = None,
    confidence: float = CONFIDENCE,
    most_listed: int = MOST_LISTED,
    progress: Callable[[PlayOdds], None] | None = None,
    searching: Callable[[int], None] | None = None,
) -> PlayOdds:
    """What each card is worth that may be played now; as `analysis.odds_play.odds_of_cards`.

    Raises:
        OddsError: no hidden hands agree with the plays, or with the calls.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    names = tuple(players or so_far.players or (DEFAULT_PLAYERS["kwajongen"],) * SEATS)
    seated = [player(name, "kwajongen") for name in names]
    by_place = [seated[(so_far.opener + place) % SEATS] for place in range(SEATS)]
    rules, table = core_rules(so_far.rules), core_table(so_far.rules, by_place, None)
    turn = standing(so_far, not ignore_calls)
    room = np.zeros((most_listed, SEATS), dtype=np.int64)
    found = list_hands(turn, most_listed, rules, table, room.reshape(-1))
    number = default_threads() if threads is None else threads
    trial = KwajongenTrial(turn, rules, table, number, room[: max(found, 0)])

    def never_said(counts: Numbers, seconds: float | None) -> str:
        said = ", ".join(call.call for call in so_far.calls or ())
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

    asking = Asking(
        so_far, tuple(each.text for each in seated), seed, until, seconds, confidence, deals,
        progress, searching, turn.heard == 1, TELLING, never_said,
    )  # fmt: skip
    return find(trial, asking, table)
