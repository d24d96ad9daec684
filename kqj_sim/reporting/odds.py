"""Reports of the odds of calls and of cards, of both games, and the page of the odds of calls."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kqj_sim import __version__
from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.analysis.odds.tables import make_odds_tables
from kqj_sim.cards import format_contract, format_hand
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import Player, parse_player
from kqj_sim.reporting.grid import format_number, make_grids
from kqj_sim.reporting.page import Page, Part, Picture, Section
from kqj_sim.reporting.run import Report, Run, describe_policies, describe_rules, group_seats
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.analysis.odds.cards import CardOdds
    from kqj_sim.analysis.odds.estimator import CallOdds, Odds
    from kqj_sim.analysis.odds.kqj_calls import KqjCallOdds
    from kqj_sim.analysis.odds.kwajongen import KwajongenCallOdds
    from kqj_sim.analysis.tables import Unit


def make_odds_page(
    report: Report, hand: str, pictures: Mapping[str, Sequence[Picture]], plot_section: Section
) -> Page:
    """Return the page of the odds of calls.

    Args:
        report: the report of the odds.
        hand: the player's cards, as text.
        pictures: pictures by the name of the table that they belong to.
        plot_section: the other pictures, shown after the first table.
    """
    run = report.run
    first, *others = (
        Section(
            table.name,
            table.title,
            (Part(pictures=(*pictures.get(table.name, ()),), grids=(*make_grids(table),)),),
        )
        for table in report.tables
    )
    whole = json.dumps(run.to_dict(), ensure_ascii=False, indent=1)
    return Page(
        title=f"What to call with {hand}",
        lead=(*report.headline, run.describe(), run.describe_intervals()),
        sections=(first, plot_section, *others),
        provenance=(
            ("program", f"kqj-sim {__version__}, {run.command}"),
            ("rules", describe_rules(run.rules)),
            ("players", describe_policies(run.policies)),
            ("deals", f"{run.deals:,}, seed {run.seed}"),
        ),
        listings=(("everything that was assumed", whole),),
    )


A = TypeVar("A", bound="CallOdds")

FEW_EFFECTIVE_DEALS = 100
"""Odds with a smaller effective sample size are called no more than a hint."""


@dataclass(frozen=True)
class CallOddsRun(Run, ABC, Generic[A]):
    """A run that estimates the odds of calls; `policies` and `players` are those of the places."""

    odds: A | None = None

    @property
    def _required_result(self) -> A:
        assert self.odds is not None
        return self.odds

    @abstractmethod
    def _known(self) -> dict[str, Any]:
        """Return what the player knew besides their cards, as plain values."""

    @abstractmethod
    def _describe_known(self) -> list[str]:
        """Describe what the player knew besides their cards."""

    @abstractmethod
    def _describe_assumptions(self) -> list[str]:
        """Describe what the odds rest on besides the deals."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of = self._required_result
        return {
            **super().to_dict(),
            "hand": [str(card) for card in of.situation.hand],
            **self._known(),
            "ignore_calls": of.ignore_calls,
            "best": of.options[of.best].text,
            "choosing_deals": of.choosing_deals,
            "agreeing_share": of.bidding_probability,
            "agreeing_interval": get_bounds(self._estimate_bidding_probability()),
            "effective_deals": of.effective_sample_size,
            "intervals": "confidence sequences" if of.sequential else "for this number of deals",
            "ended": of.stop_reason,
            "ended_by": of.stop_text or None,
        }

    def _estimate_bidding_probability(self) -> Estimate:
        return self._required_result.estimate_bidding_probability(
            self.confidence or DEFAULT_CONFIDENCE
        )

    def _describe_bidding_probability(self) -> str:
        """Return the share of deals in which the others call as observed, as text."""
        return format_share(self._estimate_bidding_probability())

    def describe(self) -> str:
        """Return the run in a line for people."""
        of = self._required_result
        ranked = describe_ranking("calls", of.choosing_deals)
        parts = [
            describe_rules(self.rules),
            format_hand(of.situation.hand, ranks=self.rules.ranks),
            *self._describe_known(),
            f"players {format_players(self.policies)}",
            f"{self.deals:,} deals{STOP_REASONS[of.stop_reason]}{ranked}, seed {self.seed}",
        ]
        return "; ".join(parts)

    def describe_intervals(self) -> str:
        """Describe the intervals, and on how many deals they rest."""
        told = super().describe_intervals()
        if self._required_result.sequential:
            told = told.replace("intervals", "intervals that hold at every moment")
        return "; ".join([told, *self._describe_assumptions()])


class KqjCallOddsRun(CallOddsRun["KqjCallOdds"]):
    """A run that estimates the odds of calls of KQJ."""

    def _known(self) -> dict[str, Any]:
        from kqj_sim.analysis.odds.auction_state import format_call

        situation = self._required_result.situation
        return {
            "return": None if situation.upcard is None else str(situation.upcard),
            "place": situation.place,
            "lap": situation.lap,
            "teams": list(situation.teams),
            "question": situation.question,
            "heard": [{"place": call.seat, "call": format_call(call)} for call in situation.calls],
            "pending": situation.pending,
        }

    def _describe_known(self) -> list[str]:
        upcard = self._required_result.situation.upcard
        return [
            *([] if upcard is None else [f"Return {upcard}"]),
            _describe_place(self._required_result),
        ]

    def _describe_assumptions(self) -> list[str]:
        of = self._required_result
        if not of.question_count:
            return []
        share, size = self._describe_bidding_probability(), of.effective_sample_size
        return [
            f"others would have called as heard in {share} of deals, those here tell as much as "
            f"{size:,.0f} equal ones"
        ]


STOP_REASONS = {
    "deals": "",
    "until": " until enough was known",
    "time": " until the time was over",
    "search": " until the search for agreeing deals ended",
    "interrupted": " until interrupted",
}
"""Reasons for which no more deals were played, by `Odds.stop_reason`."""


def get_bounds(estimate: Estimate) -> list[float] | None:
    """Return the bounds of an interval as plain values; None if there is none."""
    return None if math.isnan(estimate.low) else [estimate.low, estimate.high]


def format_share(estimate: Estimate) -> str:
    """Return a share with its interval; without one with two digits, however small it is."""
    if math.isnan(estimate.low) and estimate.value < 0.001:
        return f"{100 * estimate.value:.2g}%"
    return str(format_number(*estimate[:3], "share"))


def _describe_place(odds: KqjCallOdds) -> str:
    """Describe the place, and the calls before it."""
    from kqj_sim.analysis.odds.auction_state import format_call

    situation = odds.situation
    roles = {0: "0 (the opener)", 5: "5 (the dealer)"}
    told = f"place {roles.get(situation.place, situation.place)}"
    if situation.rules.partners == "random":
        own = situation.teams[situation.place]
        mates = (place for place, team in enumerate(situation.teams) if team == own)
        told += f" with {' '.join(str(place) for place in mates if place != situation.place)}"
    if situation.question == "take":
        told += f", lap {situation.lap}"
        heard = "all passed" if situation.calls else ""
    else:
        heard = ", ".join(format_call(call) for call in situation.calls)
    if odds.ignore_calls:
        return f"{told}, calls ignored"
    return f"{told}, heard: {heard or 'nothing'}"


def format_players(names: tuple[str, ...]) -> str:
    """Describe the players by place: `random`, or `standard at 0 2, random at 1 3`."""
    places = group_seats(names)
    if len(places) == 1:
        return names[0]
    return ", ".join(f"{name} at {' '.join(where)}" for name, where in places.items())


def make_kqj_call_report(odds: KqjCallOdds, confidence: float) -> Report:
    """Return the report of the odds of calls."""
    return make_call_report(KqjCallOddsRun, odds, confidence)


def make_call_report(run_class: type[CallOddsRun[A]], odds: A, confidence: float) -> Report:
    """Return the report of the odds of calls, given a game's class of run."""
    run = run_class(
        command="odds",
        rules=odds.rules,
        policies=tuple(player.name for player in odds.players),
        players=tuple(player.text for player in odds.players),
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=confidence,
        interrupted=odds.stop_reason == "interrupted",
        odds=odds,
    )
    tables = make_odds_tables(odds, confidence)
    return Report(run, tables, write_call_headline(odds, confidence))


def write_call_headline(odds: CallOdds, confidence: float) -> list[str]:
    """Return the best call and its lead over the others, in lines."""
    best = odds.best
    chance = format_number(*odds.estimate("wins", best, confidence)[:3], "share")
    points = format_number(*odds.estimate("difference", best, confidence)[:3], "points")
    name = odds.options[best].text
    line = f"Best: {name}, worth {points} points; it wins {chance} of the rounds"
    line += describe_lead(_get_leads(odds, confidence), "Not told apart from it", "points")
    stopped = [f"Ended early: {odds.stop_text}"] if odds.stop_text else []
    if odds.effective_sample_size >= FEW_EFFECTIVE_DEALS:
        return [line, *stopped]
    return [
        line,
        *stopped,
        f"No more than a hint: it rests on what {odds.effective_sample_size:,.0f} deals tell, "
        "since the players assumed would hardly call as heard; more --deals, other --policy or "
        "--ignore-calls help",
    ]


def _get_leads(odds: Odds, confidence: float | None = None) -> dict[str, Estimate]:
    """Return by how much the best option leads each of the others, by its text."""
    return {odds.get_text(option): lead for option, lead in odds.estimate_leads(confidence).items()}


def describe_lead(leads: Mapping[str, Estimate], tied: str, unit: Unit) -> str:
    """Say how far the best is ahead, as the end of a sentence; nothing if there is no other.

    Args:
        leads: of the best over each of the others by its name, the next one first.
        tied: what is said of those that are not behind.
        unit: of a lead.
    """
    # The deals that value may show what those that chose did not see.
    better = [text for text, lead in leads.items() if lead.high < 0]
    # A lead that is the same in all deals has no interval.
    near = [
        text
        for text, lead in leads.items()
        if text not in better and (lead.value <= 0 or lead.low <= 0)
    ]
    words = ""
    if better:
        words += f". Better in these deals: {', '.join(better)}; more --deals tell which is best"
    if near:
        words += f". {tied}: {', '.join(near)}"
    if words or not leads:
        return words
    text, lead = next(iter(leads.items()))
    return f". The next, {text}, is worth {format_number(*lead[:3], unit)} less"


def describe_ranking(what: str, deals: int) -> str:
    """Say how many other deals ranked the calls, or the cards; nothing if none did."""
    return f" ({what} ranked by {deals:,} others)" if deals else ""


PLAYS_NOT_CHECKED = "that they would also have played so is not asked"


@dataclass(frozen=True)
class CardOddsRun(Run):
    """A run that estimates the odds of cards; `policies` and `players` are those of the seats."""

    odds: CardOdds | None = None

    @property
    def _required_result(self) -> CardOdds:
        assert self.odds is not None
        return self.odds

    @property
    def _upcard_key(self) -> str:
        """The key of the card turned up."""
        return "return" if isinstance(self.rules, KqjRules) else "turned"

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of, so_far = self._required_result, self._required_result.partial_round
        called = so_far.final_contract
        return {
            **super().to_dict(),
            "hand": [str(card) for card in sorted(so_far.hand)],
            so_far.seat_term: so_far.seat,
            "dealer": so_far.dealer,
            "teams": list(so_far.teams),
            self._upcard_key: None if so_far.upcard is None else str(so_far.upcard),
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

    def describe(self) -> str:
        """Return the run in a line for people."""
        of, so_far = self._required_result, self._required_result.partial_round
        called, who = so_far.final_contract, so_far.seat_term
        contract = format_contract(called.contract, symbols=True)
        if called.amount is not None:
            contract = f"{called.amount} {contract}{' capot' if called.capot else ''}"
        contract += {1: "", 2: " countered", 4: " overcountered"}[called.stake]
        number, on_table = len(so_far.tricks), so_far.tricks[-1][1]
        trick = f"trick {number}, {' '.join(map(str, on_table)) or 'to lead'}"
        kwajongen = not isinstance(self.rules, KqjRules)
        return "; ".join(
            [
                describe_rules(self.rules),
                f"{who} {called.sender} plays {contract}",
                *([f"{who} {so_far.dealer} has shown {so_far.upcard}"] if kwajongen else []),
                *(["a raised round"] if kwajongen and so_far.pending else []),
                f"{who} {so_far.seat} has {format_hand(so_far.hand, ranks=self.rules.ranks)}",
                trick,
                describe_policies(self.policies).replace("seat", who),
                of.method_text
                if of.is_exact
                else f"{of.method_text}{describe_ranking('cards', of.choosing_deals)}, "
                f"seed {self.seed}",
            ]
        )

    def describe_intervals(self) -> str:
        """Describe the intervals, and the use made of the calls."""
        of = self._required_result
        told = "" if of.is_exact else super().describe_intervals()
        if of.sequential:
            told = told.replace("intervals", "intervals that hold at every moment")
        if not of.uses_calls:
            calls = "any hidden hands that agree with the plays, whatever was called"
        else:
            share = format_share(of.estimate_bidding_probability())
            calls = f"others would have called as heard in {share} of what agrees with the plays"
            if not of.is_exact and of.effective_sample_size < of.deals - 1:
                calls += (
                    f", what was drawn tells as much as {of.effective_sample_size:,.0f} equal ones"
                )
        return "; ".join(part for part in (told, calls, PLAYS_NOT_CHECKED) if part)


def make_card_report(odds: CardOdds) -> Report:
    """Return the report of the odds of cards."""
    run = CardOddsRun(
        command="odds",
        rules=odds.rules,
        policies=tuple(_shorten_player(each, odds.rules.game) for each in odds.players),
        players=tuple(player.text for player in odds.players),
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=None if odds.is_exact else odds.confidence,
        interrupted=odds.stop_reason == "interrupted",
        odds=odds,
    )
    stopped = [f"Ended early: {odds.stop_text}"] if odds.stop_text else []
    return Report(run, make_odds_tables(odds), [write_card_headline(odds), *stopped])


def _shorten_player(player: Player, game: str) -> str:
    """Return a player's name, without parameters if they have their default values."""
    called, played = player.calling.policy.name, player.playing.policy.name
    short = called if called == played else f"{called}+{played}"
    try:
        return short if parse_player(short, game).text == player.text else player.name
    except PolicyError:
        return player.name


def write_card_headline(odds: CardOdds) -> str:
    """Return the best card and its lead over the others, in a line."""
    unit = odds.measures["difference"].unit
    points = format_number(*odds.estimate("difference", odds.best)[:3], unit)
    chance = format_number(*odds.estimate("wins", odds.best)[:3], "share")
    line = f"Best: {odds.get_text(odds.best)}, by {points} points; it wins {chance} of the rounds"
    leads = _get_leads(odds)
    if not leads:
        return f"{line}. No other card may be played"
    return line + describe_lead(
        leads, "Just as good" if odds.is_exact else "Not told apart from it", unit
    )


_PLACE_ROLES = ("the dealer's left", "the dealer's partner", "the dealer's right", "the dealer")


class KwajongenCallOddsRun(CallOddsRun["KwajongenCallOdds"]):
    """A run that estimates the odds of playing and passing in Kwajongen."""

    def _known(self) -> dict[str, Any]:
        situation = self._required_result.situation
        return {
            "turned": str(situation.upcard),
            "place": situation.place,
            "raised": situation.raised,
        }

    def _describe_known(self) -> list[str]:
        of, situation = self._required_result, self._required_result.situation
        heard = ", ".join(["pass"] * situation.place) or "nothing"
        where = f"place {situation.place} ({_PLACE_ROLES[situation.place]})"
        return [
            f"shown {situation.upcard}",
            where + (", calls ignored" if of.ignore_calls else f", heard: {heard}"),
            *(["a raised round"] if situation.raised else []),
        ]

    def _describe_assumptions(self) -> list[str]:
        of = self._required_result
        if of.situation.place == 0 or of.ignore_calls:
            return []
        share = self._describe_bidding_probability()
        return [f"those before would have passed in {share} of deals, on which they rest"]


def make_kwajongen_call_report(odds: KwajongenCallOdds, confidence: float) -> Report:
    """Return the report of the odds of calls."""
    return make_call_report(KwajongenCallOddsRun, odds, confidence)
