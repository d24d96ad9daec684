"""Kwajongen, as the tests of all games see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.referee import CARD_OF_TEXT
from kqj_sim.record import Record
from tests.referee.forgery import UNCONNECTED, as_json, at

VARIANTS = [KwajongenRules(), KwajongenRules(void_rule="free")]
RULINGS: list[KwajongenRules] = []
GOLDEN = sorted(Path(__file__).parent.glob("golden/*.jsonl"))
RESULTS = {"made", "failed", "tie", "passed_out"}
PENDING = (0, 1)
ALWAYS, NEVER = "random:accept=1", "random:accept=0"
OTHER_RULE = {"void_rule": "free"}
DECIDED = [0, 4]


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    """Return True if a record with this new value may obey the rules."""
    key, *rest = path
    if key in UNCONNECTED:
        return True
    if key == "pending_before":
        # Nobody goes down in a tie, and a round passed out is raised no further.
        return new in (0, 1) and record.result in ("tie", "passed_out")
    if record.hands is None:
        # Of a round passed out nobody sees the cards but the one turned up.
        dealt = {card for hand in record.dealt for card in hand}
        if key == "turned":
            return new in record.dealt[record.dealer]
        is_card = key == "dealt" and len(rest) == 2 and at(as_json(record), path) != record.turned
        return is_card and new in CARD_OF_TEXT and new not in dealt
    if key == "turned":
        # Another of the dealer's cards may be of the same suit.
        return new in record.dealt[record.dealer] and new[1] == record.contract
    if key == "sender":
        # Partners may have been imposed alike.
        return record.imposed and new in range(4) and new % 2 == at(as_json(record), path) % 2
    return False
