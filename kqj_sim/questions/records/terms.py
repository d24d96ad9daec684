"""The words and columns in which the rounds of a game are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RoundTerms:
    """The words and columns in which a game's rounds are shown.

    Attributes:
        side: name of their team.
        upcard: name of the card turned up.
        shown: the clause on it during the play; empty if it says nothing then.
        plays: verb of the sentence on the contract.
        nobody: the reason for which hands are shown as dealt.
        pending: sentences on what is pending before a round, and after it.
        imposed: the text in place of calls if the contract was imposed.
        laps: True if calls may have several laps.
        has_total: True if a team's total may differ from its card points.
        score: heading of a team's score.
        results: names of results that differ from those of the record.
    """

    side: str
    upcard: str
    shown: str
    plays: str
    nobody: str
    pending: tuple[str, str]
    imposed: str
    laps: bool
    has_total: bool
    score: str
    results: Mapping[str, str]


KQJ_TERMS = RoundTerms(
    side="contracting",
    upcard="Return",
    shown="",
    plays="plays",
    nobody="Nobody took: these are the cards as dealt.",
    pending=("A litigation gratuity of {} is pending.",) * 2,
    imposed="None: the contract was imposed.",
    laps=True,
    has_total=True,
    score="score",
    results={"litigation": "litigation (equal totals)"},
)
