"""Words that chapters of KQJ share, and whether there is anything to tell."""

from __future__ import annotations

from kqj_sim.analysis.source import OF_TAKEN
from kqj_sim.reporting.findings import Findings

PLACES = {0: "opener", 1: "2nd", 2: "3rd", 3: "4th", 4: "5th", 5: "dealer"}
KINDS = {
    "return": "the Return's suit",
    "other": "another suit",
    "suit": "a suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}


def played(found: Findings) -> bool:
    """True if any deal was taken."""
    return found.estimate("contracts", f"made, {OF_TAKEN}").observations > 0
