"""What playing and passing are worth in Kwajongen, in words and as a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.intervals import CONFIDENCE
from kqj_sim.notation import format_hand
from kqj_sim.reporting.odds import WHY_ENDED, answer, bounds_of, players_text, share_text
from kqj_sim.reporting.report import Report, Run, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.kwajongen.odds import KwajongenOdds

_ROLES = ("the dealer's left", "the dealer's partner", "the dealer's right", "the dealer")


@dataclass(frozen=True)
class KwajongenOddsRun(Run):
    """A run in which both answers were tried out; `policies` and `players` are the places'."""

    odds: KwajongenOdds | None = None

    @property
    def _of(self) -> KwajongenOdds:
        assert self.odds is not None
        return self.odds

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of, situation = self._of, self._of.situation
        return {
            **super().to_dict(),
            "hand": [str(card) for card in situation.hand],
            "turned": str(situation.turned),
            "place": situation.place,
            "raised": situation.raised,
            "ignore_calls": of.ignore_calls,
            "best": of.options[of.best].text,
            "agreeing_share": of.agreeing,
            "agreeing_interval": bounds_of(of.agreeing_estimate(self.confidence or CONFIDENCE)),
            "effective_deals": of.effective,
            "intervals": "confidence sequences" if of.sequential else "for this number of deals",
            "ended": of.ended,
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of, situation = self._of, self._of.situation
        heard = ", ".join(["pass"] * situation.place) or "nothing"
        where = f"place {situation.place} ({_ROLES[situation.place]})"
        parts = [
            describe_rules(self.rules),
            format_hand(situation.hand, ranks=situation.rules.ranks),
            f"shown {situation.turned}",
            where + (", calls ignored" if of.ignore_calls else f", heard: {heard}"),
            *(["a raised round"] if situation.raised else []),
            f"players {players_text(self.policies)}",
            f"{self.deals:,} deals{WHY_ENDED[of.ended]}, seed {self.seed}",
        ]
        return "; ".join(parts)

    def intervals(self) -> str:
        """What the intervals are, and on how many deals they rest."""
        of = self._of
        told = super().intervals()
        if of.sequential:
            told = told.replace("intervals", "intervals that hold at every moment")
        if of.situation.place > 0 and not of.ignore_calls:
            share = share_text(of.agreeing_estimate(self.confidence or CONFIDENCE))
            told += f"; those before would have passed in {share} of deals, on which they rest"
        return told


def odds_report(odds: KwajongenOdds, confidence: float) -> Report:
    """Everything that is shown of odds."""
    run = KwajongenOddsRun(
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
    return Report(run, odds.tables(confidence), answer(odds, confidence))
