"""Words that the chapters of KQJ share."""

from __future__ import annotations

from kqj_sim.analysis.tables import SHARE_OF_TAKEN
from kqj_sim.reporting.chapter import Findings

PLACE_NAMES = {0: "opener", 1: "2nd", 2: "3rd", 3: "4th", 4: "5th", 5: "dealer"}
KIND_NAMES = {
    "return": "the Return's suit",
    "other": "another suit",
    "suit": "a suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}


def has_played_deals(found: Findings) -> bool:
    """True if any deal was taken."""
    return found.estimate("contracts", f"made, {SHARE_OF_TAKEN}").observations > 0
