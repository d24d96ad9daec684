"""What calls are worth, in words and as a report."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kqj_sim.analysis.intervals import CONFIDENCE, Estimate
from kqj_sim.analysis.odds_tables import odds_tables
from kqj_sim.notation import format_hand
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.report import Report, Run, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.odds_answer import Answer, Odds
    from kqj_sim.analysis.table import Table, Unit

A = TypeVar("A", bound="Answer")

FEW = 100
"""An answer that rests on fewer equally weighted deals is told to be no more than a hint."""


@dataclass(frozen=True)
class CallsRun(Run, ABC, Generic[A]):
    """A run in which calls were tried out; `policies` and `players` are those of the places."""

    odds: A | None = None

    @property
    def _of(self) -> A:
        assert self.odds is not None
        return self.odds

    @abstractmethod
    def _known(self) -> dict[str, Any]:
        """What the player knew beside his cards, as plain values."""

    @abstractmethod
    def _told(self) -> list[str]:
        """The same in words."""

    @abstractmethod
    def _rests_on(self) -> list[str]:
        """What the answer rests on beside the deals, in words."""

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of = self._of
        return {
            **super().to_dict(),
            "hand": [str(card) for card in of.situation.hand],
            **self._known(),
            "ignore_calls": of.ignore_calls,
            "best": of.options[of.best].text,
            "choosing_deals": of.choosing_deals,
            "agreeing_share": of.agreeing,
            "agreeing_interval": bounds_of(self._of_agreeing()),
            "effective_deals": of.effective,
            "intervals": "confidence sequences" if of.sequential else "for this number of deals",
            "ended": of.ended,
            "ended_by": of.stopped or None,
        }

    def _of_agreeing(self) -> Estimate:
        return self._of.agreeing_estimate(self.confidence or CONFIDENCE)

    def _agreeing(self) -> str:
        """In how many of all deals the others would have called as heard."""
        return share_text(self._of_agreeing())

    def summary(self) -> str:
        """The run in a line for people."""
        of = self._of
        ranked = ranking_words("calls", of.choosing_deals)
        parts = [
            describe_rules(self.rules),
            format_hand(of.situation.hand, ranks=self.rules.ranks),
            *self._told(),
            f"players {players_text(self.policies)}",
            f"{self.deals:,} deals{WHY_ENDED[of.ended]}{ranked}, seed {self.seed}",
        ]
        return "; ".join(parts)

    def intervals(self) -> str:
        """What the intervals are, and on how many deals they rest."""
        told = super().intervals()
        if self._of.sequential:
            told = told.replace("intervals", "intervals that hold at every moment")
        return "; ".join([told, *self._rests_on()])


class OddsRun(CallsRun["Odds"]):
    """A run in which calls of KQJ were tried out."""

    def _known(self) -> dict[str, Any]:
        from kqj_sim.analysis.standing import call_text

        of, situation = self._of, self._of.situation
        return {
            "return": None if situation.turned is None else str(situation.turned),
            "place": situation.place,
            "lap": situation.lap,
            "teams": list(situation.teams),
            "question": situation.question,
            "heard": [{"place": call.seat, "call": call_text(call)} for call in situation.calls],
            "pending": of.pending,
        }

    def _told(self) -> list[str]:
        turned = self._of.situation.turned
        return [*([] if turned is None else [f"Return {turned}"]), _where(self._of)]

    def _rests_on(self) -> list[str]:
        if not self._of.asked:
            return []
        return [
            f"others would have called as heard in {self._agreeing()} of deals, those here "
            f"tell as much as {self._of.effective:,.0f} equal ones"
        ]


WHY_ENDED = {
    "deals": "",
    "until": " until enough was known",
    "time": " until the time was over",
    "search": " until the search for agreeing deals ended",
    "interrupted": " until interrupted",
}
"""Why there are not more deals, by `Odds.ended`."""


def bounds_of(estimate: Estimate) -> list[float] | None:
    """The bounds of an interval as plain values; None if there is none."""
    return None if math.isnan(estimate.low) else [estimate.low, estimate.high]


def share_text(estimate: Estimate) -> str:
    """A share with its interval; without one two digits, however small it is."""
    if math.isnan(estimate.low) and estimate.value < 0.001:
        return f"{100 * estimate.value:.2g}%"
    return str(format_number(*estimate[:3], "share"))


def _where(odds: Odds) -> str:
    """The place, and what was heard."""
    from kqj_sim.analysis.standing import call_text

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
        heard = ", ".join(call_text(call) for call in situation.calls)
    if odds.ignore_calls:
        return f"{told}, calls ignored"
    return f"{told}, heard: {heard or 'nothing'}"


def players_text(names: tuple[str, ...]) -> str:
    """Who sits where, by place."""
    if len(set(names)) == 1:
        return names[0]
    places: dict[str, list[str]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(str(place))
    return ", ".join(f"{name} at {' '.join(where)}" for name, where in places.items())


def odds_report(odds: Odds, confidence: float) -> Report:
    """Everything that is shown of odds."""
    return calls_report(OddsRun, odds, odds_tables(odds, confidence), confidence)


def calls_report(
    kind: type[CallsRun[A]], odds: A, tables: Sequence[Table], confidence: float
) -> Report:
    """What was found out about calls, with a game's kind of run and its tables."""
    run = kind(
        command="odds",
        rules=odds.situation.rules,
        policies=tuple(player.name for player in odds.players),
        players=tuple(player.text for player in odds.players),
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=confidence,
        interrupted=odds.ended == "interrupted",
        odds=odds,
    )
    return Report(run, tables, answer(odds, confidence))


def answer(odds: Answer, confidence: float) -> list[str]:
    """Which call is best, and how sure that is."""
    best = odds.best
    chance = format_number(*odds.estimate("wins", best, confidence)[:3], "share")
    points = format_number(*odds.estimate("difference", best, confidence)[:3], "points")
    name = odds.options[best].text
    line = f"Best: {name}, worth {points} points; it wins {chance} of the rounds"
    leads = {
        odds.options[call].text: odds.estimate("difference", best, confidence, less=call)
        for call in odds.ranking
        if call != best
    }
    line += lead_words(leads, "Not told apart from it", "points")
    stopped = [f"Ended early: {odds.stopped}"] if odds.stopped else []
    if odds.effective >= FEW:
        return [line, *stopped]
    return [
        line,
        *stopped,
        f"No more than a hint: it rests on what {odds.effective:,.0f} deals tell, since the "
        "players assumed would hardly call as heard; more --deals, other --players or "
        "--ignore-calls help",
    ]


def lead_words(leads: Mapping[str, Estimate], tied: str, unit: Unit) -> str:
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


def ranking_words(what: str, deals: int) -> str:
    """Say how many other deals ranked the calls, or the cards; nothing if none did."""
    return f" ({what} ranked by {deals:,} others)" if deals else ""
