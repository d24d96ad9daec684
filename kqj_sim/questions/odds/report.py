"""Reports of the odds of calls and of cards, of both games."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from kqj_sim.cards import format_card, format_contract, format_hand
from kqj_sim.games import find_game
from kqj_sim.output.grid import format_number
from kqj_sim.output.run import Report, Run, describe_rules, group_seats
from kqj_sim.places import describe_place, name_places
from kqj_sim.policies.players import Player
from kqj_sim.positions.odds import CardOdds
from kqj_sim.questions.odds.summary import make_key_grids
from kqj_sim.questions.odds.tables import make_odds_tables
from kqj_sim.questions.odds.words import (
    write_headline,
)
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.cards import Card
    from kqj_sim.output.grid import Grid
    from kqj_sim.positions.odds import Odds
    from kqj_sim.questions.odds.plots import Panel
    from kqj_sim.questions.records.terms import RoundTerms
    from kqj_sim.stats.tables import Table

A = TypeVar("A", bound="Odds")

_STOP_REASONS = {
    "deals": "",
    "until": " (as precise as asked for)",
    "time": " (the time was up)",
    "search": " (no more were found that agree with the calls)",
    "interrupted": " (interrupted)",
}
"""Why no more deals were played, by `Odds.stop_reason`."""


_NEARLY_ALL = 0.995
"""Calls that occur in at least this share of the deals say nothing about the hidden cards."""


@dataclass(frozen=True, kw_only=True)
class OddsRun(Run, ABC, Generic[A]):
    """A run that estimates odds."""

    odds: A

    @abstractmethod
    def describe_situation(self) -> str:
        """Return what the player knows in a sentence."""

    @abstractmethod
    def _describe_deals(self) -> str:
        """Return how many deals were played."""

    @abstractmethod
    def _describe_bidding(self) -> str:
        """Return how likely the bidding is; empty if nobody else called."""

    @abstractmethod
    def _list_players_by_place(self) -> Sequence[str]:
        """Return the specification of the player at each place."""

    def describe(self) -> str:
        """Return the situation in a line for people, and the run in another."""
        parts = [
            describe_rules(self.rules),
            describe_players_by_place(self._list_players_by_place()),
            self._describe_deals(),
        ]
        if not self._is_exact:
            parts[-1] += f", seed {self.seed}"
        situation, people = self.describe_situation(), self.odds.people
        if people is not None:
            situation = people.name_in(situation)
        return f"{situation}\n{'; '.join(parts)}"

    @property
    def _is_exact(self) -> bool:
        return self.confidence is None

    def describe_intervals(self) -> str:
        """Describe the intervals, and how likely the bidding is."""
        told = "Exact: no intervals" if self._is_exact else super().describe_intervals()
        if self.odds.sequential:
            told = told.replace("intervals", "intervals that hold at every moment")
        return ". ".join(part for part in (told, self._describe_bidding()) if part)

    def _describe_sample(self) -> str:
        """Return the number of deals, and why it is not the one asked for."""
        reason = _STOP_REASONS[self.odds.stop_reason]
        return f"{self.deals:,} deal{'s' * (self.deals != 1)}{reason}"

    def _describe_share_of_deals(self) -> str:
        """Return a sentence on the share of deals with the observed bidding; empty if it is all."""
        found = self.odds.estimate_bidding_probability()
        if found.value >= _NEARLY_ALL:
            return ""
        share = format_share(found)
        size = self.odds.effective_sample_size
        return f"This bidding occurs in {share} of random deals (effective sample: {size:,.0f})"


def describe_players_by_place(names: Sequence[str]) -> str:
    """Describe the players: `random at every place`, or `standard: opener, 3rd; random: 2nd`."""
    places = name_places(len(names))
    groups = group_seats(names)
    if len(groups) == 1:
        return f"{names[0]} at every place"
    return ", ".join(
        f"{name}: {' '.join(places[int(place)] for place in where)}"
        for name, where in groups.items()
    )


def describe_passes(count: int) -> str:
    """Describe a bidding of passes only."""
    return ("nobody has called", "the opener passed", "all passed")[min(count, 2)]


def get_bounds(estimate: Estimate) -> list[float] | None:
    """Return the bounds of an interval as plain values; None if there is none."""
    return [estimate.low, estimate.high] if math.isfinite(estimate.low) else None


def format_share(estimate: Estimate) -> str:
    """Return a share with its interval; without one with two digits, however small it is."""
    if math.isnan(estimate.low) and estimate.value < 0.001:
        return f"{100 * estimate.value:.2g}%"
    return str(format_number(*estimate[:3], "share"))


class CallOddsRun(OddsRun[A]):
    """A run that estimates the odds of calls; `policies` and `players` are those of the places."""

    @abstractmethod
    def _known(self) -> dict[str, Any]:
        """Return what the player knew besides their cards, as plain values."""

    def _describe_deals(self) -> str:
        return self._describe_sample()

    def _list_players_by_place(self) -> Sequence[str]:
        return self.policies

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of: Any = self.odds
        return {
            **super().to_dict(),
            "hand": [str(card) for card in of.position.hand],
            **self._known(),
            "ignore_calls": of.ignore_calls,
            "best": of.get_text(of.best),
            "choosing_deals": of.choosing_deals,
            "agreeing_share": of.bidding_probability,
            "agreeing_interval": get_bounds(self.odds.estimate_bidding_probability()),
            "effective_deals": of.effective_sample_size,
            "intervals": "confidence sequences" if of.sequential else "for this number of deals",
            "ended": of.stop_reason,
            "ended_by": of.stop_text or None,
        }

    def _describe_hand(self) -> str:
        """Return the cards and the place of the player, as the beginning of a sentence."""
        of: Any = self.odds
        hand = format_hand(of.position.hand, ranks=self.rules.ranks)
        return f"You hold {hand} as {describe_place(of.position.place, self.rules.seats)}"


class GameAnswers(NamedTuple):
    """Tables and pictures that `odds` shows of a game's calls.

    Attributes:
        call_run: the run of them.
        list_panels: the pictures besides their values and chances to win.
        list_tables: the tables besides that of the options.
        list_grids: the key figures besides those of the options.
        explain_best: sentences on what makes the best call the best.
    """

    call_run: type[CallOddsRun[Any]]
    list_panels: Callable[[Any], list[Panel]]
    list_tables: Callable[[Any], list[Table]]
    list_grids: Callable[[Any], list[Grid]]
    explain_best: Callable[[Any], list[str]]


class CardOddsRun(OddsRun[CardOdds]):
    """A run that estimates the odds of cards; `policies` and `players` are those of the seats."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of, so_far = self.odds, self.odds.position
        called, upcard_key = so_far.contract, find_game(self.rules.game).upcard_key
        return {
            **super().to_dict(),
            "hand": [str(card) for card in sorted(so_far.hand)],
            so_far.seat_term: so_far.seat,
            "dealer": so_far.dealer,
            "teams": list(so_far.teams),
            upcard_key: None if so_far.upcard is None else str(so_far.upcard),
            "sender": called.sender,
            "contract": called.contract,
            "amount": called.amount,
            "capot": called.capot,
            "stake": called.stake,
            "tricks": [
                {"leader": leader, "cards": [str(card) for card in cards]}
                for leader, cards in so_far.tricks
            ],
            "pending": so_far.pending,
            "calls_count": of.uses_calls,
            "plays_count": of.uses_plays,
            "plays_effective": of.effective_number if of.uses_plays else None,
            "best": of.get_text(of.best),
            "choosing_deals": of.choosing_deals,
            "exact": of.is_exact,
            "distributions": of.layout_count or None,
            "agreeing_share": of.bidding_probability,
            "agreeing_interval": get_bounds(of.estimate_bidding_probability()),
            "effective_deals": of.effective_sample_size,
            "ended_by": of.stop_text or None,
            "intervals": "confidence sequences" if of.sequential else "for this number of deals",
        }

    def describe_situation(self) -> str:
        """Return what the player knows in a sentence."""
        so_far, rules = self.odds.position, self.rules
        seats, own = rules.seats, so_far.place_of(so_far.seat)
        told = [
            f"You hold {format_hand(so_far.hand, ranks=rules.ranks)} as "
            f"{describe_place(own, seats)}",
            self._describe_contract(),
        ]
        terms: RoundTerms = find_game(rules.game).part("round_terms")
        if so_far.upcard is not None and terms.shown:
            told.append(terms.shown.format(format_card(so_far.upcard)))
        if so_far.pending:
            pending = terms.pending[0].format(so_far.pending)
            told.append(f"{pending[0].lower()}{pending[1:-1]}")
        number, (_, cards) = len(so_far.tricks), so_far.tricks[-1]
        lying = f"trick {number}: {_format_cards(cards)}"
        told.append(lying if cards else f"you lead trick {number}")
        return f"{'; '.join(told)}."

    def _describe_contract(self) -> str:
        """Return who plays which contract: `the opener, your partner, plays 120 ♥ Capot`."""
        so_far = self.odds.position
        called = so_far.contract
        contract = format_contract(called.contract)
        if called.amount is not None:
            contract = f"{called.amount} {contract}{' Capot' if called.capot else ''}"
        contract += {1: "", 2: ", countered", 4: ", overcountered"}[called.stake]
        if called.sender == so_far.seat:
            return f"you play {contract}"
        name = describe_place(so_far.place_of(called.sender), self.rules.seats)
        partner = so_far.teams[called.sender] == so_far.teams[so_far.seat]
        return f"{name}{', your partner,' if partner else ''} plays {contract}"

    def _describe_deals(self) -> str:
        of = self.odds
        if of.is_exact:
            return f"all {of.layout_count:,} layouts" if of.layout_count > 1 else "the only layout"
        return self._describe_sample().replace("deals", "sampled layouts", 1)

    def _list_players_by_place(self) -> Sequence[str]:
        opener, seats = self.odds.position.opener, self.rules.seats
        return [self.policies[(opener + place) % seats] for place in range(seats)]

    def _describe_bidding(self) -> str:
        of = self.odds
        if not of.uses_calls:
            return "Layouts agree with the plays, whatever was called"
        found = of.estimate_bidding_probability()
        if found.value >= _NEARLY_ALL:
            return ""
        share = format_share(found)
        told = f"This bidding occurs in {share} of the layouts that agree with the plays"
        if not of.is_exact and not of.uses_plays and of.effective_sample_size < of.deals - 1:
            told += f" (effective sample: {of.effective_sample_size:,.0f})"
        return told

    def _describe_plays(self) -> str:
        """Describe the effective sample of deals weighed by the plays; empty if none are."""
        of = self.odds
        if not of.uses_plays or of.layout_count == 1:
            return ""
        sample = f"{of.deals:,} {'layouts' if of.is_exact else 'deals'}"
        effective = f"{of.effective_number:,.0f} effective of {sample}"
        return f"Hidden hands weighed by the cards played: {effective}"

    def describe_intervals(self) -> str:
        """Describe the intervals, how likely the bidding is, and the weights."""
        parts = (super().describe_intervals(), self._describe_plays())
        return ". ".join(part for part in parts if part)


def _format_cards(cards: Sequence[Card]) -> str:
    return " ".join(format_card(card) for card in cards)


def _shorten_name(player: Player, rules: GameRules) -> str:
    """Return a player's name as it was given; without defaults if it has all parameters."""
    return player.shorten(rules) if player.name == player.text else player.name


def make_odds_report(odds: Odds) -> Report:
    """Return the report of odds."""
    is_of_cards = isinstance(odds, CardOdds)
    kind: Any = CardOddsRun if is_of_cards else find_game(odds.rules.game).part("answers").call_run
    run: OddsRun[Any] = kind(
        command="odds",
        rules=odds.rules,
        policies=tuple(_shorten_name(player, odds.rules) for player in odds.players),
        players=tuple(player.text for player in odds.players),
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=None if isinstance(odds, CardOdds) and odds.is_exact else odds.confidence,
        interrupted=odds.stop_reason == "interrupted",
        odds=odds,
    )
    return Report(
        run,
        make_odds_tables(odds),
        write_headline(odds),
        key_grids=make_key_grids(odds),
    )
