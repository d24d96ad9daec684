"""What playing and passing are worth in Kwajongen, in words and as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kqj_sim.reporting.odds import CallsRun, calls_report
from kqj_sim.reporting.report import Report

if TYPE_CHECKING:
    from kqj_sim.analysis.kwajongen.odds import KwajongenOdds

_ROLES = ("the dealer's left", "the dealer's partner", "the dealer's right", "the dealer")


class KwajongenOddsRun(CallsRun["KwajongenOdds"]):
    """A run in which playing and passing were tried out."""

    def _known(self) -> dict[str, Any]:
        situation = self._of.situation
        return {
            "turned": str(situation.turned),
            "place": situation.place,
            "raised": situation.raised,
        }

    def _told(self) -> list[str]:
        of, situation = self._of, self._of.situation
        heard = ", ".join(["pass"] * situation.place) or "nothing"
        where = f"place {situation.place} ({_ROLES[situation.place]})"
        return [
            f"shown {situation.turned}",
            where + (", calls ignored" if of.ignore_calls else f", heard: {heard}"),
            *(["a raised round"] if situation.raised else []),
        ]

    def _rests_on(self) -> list[str]:
        of = self._of
        if of.situation.place == 0 or of.ignore_calls:
            return []
        share = self._agreeing()
        return [f"those before would have passed in {share} of deals, on which they rest"]


def odds_report(odds: KwajongenOdds, confidence: float) -> Report:
    """Everything that is shown of odds."""
    return calls_report(KwajongenOddsRun, odds, odds.tables(confidence), confidence)
