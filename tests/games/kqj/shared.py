"""KQJ, as the tests of all games see it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from kqj_sim.record import Record
from kqj_sim.rules import KqjRules, require_kqj_rules
from kqj_sim.simulation.experiment import Experiment
from tests.core.slow_rows import slow_row
from tests.referee.forgery import CARDS, UNCONNECTED
from tests.stats import by_pandas
from tests.stats.by_pandas import Sample
from tests.variants import LIVELY, impositions, tables

VARIANTS = [
    KqjRules.from_dict({"teams": teams, "partners": partners, "bidding": bidding})
    for teams, partners, bidding in product((2, 3), ("fixed", "random"), ("take", "auction"))
]
RULINGS = [
    KqjRules(all_no_trump="both_laps"),
    KqjRules(all_no_trump="never"),
    KqjRules(teams=3, bidding="auction", all_no_trump="never", max_amount=150),
    KqjRules(bidding="auction", counter_timing="turn"),
    KqjRules(teams=3, bidding="auction", counter_timing="turn", amount_uses="rounded"),
    KqjRules(bidding="auction", must_outscore=True),
    KqjRules(teams=3, bidding="auction", must_outscore=True, amount_uses="rounded"),
]
GOLDEN = sorted(Path(__file__).parents[2].glob("golden/*.jsonl"))
RESULTS = {"made", "failed"}
"""The results of rounds under any rules."""
PENDING = (0, 10, 20)
ALWAYS, NEVER = "random:take=1,bid=1", "random:take=0,bid=0"
"""Players who do anything but pass, and who always pass."""
HAND = ("9h 8h Ah Ks 4d", "--return", "7h")
CARDS_PLAYED = ("7h Ks 4d Qd 9s 8c Tc Jc", "--return", "9h", "--heard", "take", "--played", "As")
"""A hand before the calls, and one during play, as options of `odds`."""
BEST, ENDINGS = ("take h", "Take ♥"), ("wins", "loses")
"""The better call with that hand, and how rounds after it end."""
CALLER = "points:take=45,lap2=38+greedy"
OPENED = (
    "Return: 9h\nCalls: take\nHands:\n  Ann: 8h Ah Kh 5d 6c + 9h Qh Ac\n"
    "Tricks:\n  8h 7h Jh 4h 5h Th\n"
)
"""A round in progress in notation of which one hand is known, that of Ann, who opens."""
WORDS = (
    ("contract", "h", "♥"), ("contract", "NT", "NT"), ("contract", "none", "passed out"),
    ("place", 0, "opener"), ("place", 5, "dealer"), ("place", -1, "passed out"), ("lap", 2, "2nd"),
    ("lap", 0, "passed out"), ("sender_trumps", 4, "4"), ("sender_trumps", -1, "passed out"),
    ("stake", 2, "countered"), ("result", "litigation", "litigation"),
    ("kind", "return", "Return's suit"), ("policy", "standard", "standard"), ("take", 30.0, "30"),
)  # fmt: skip
"""Columns, values, and how people read them."""
HEADING = "Sender's trumps"
WRONG_USAGE: dict[str, str] = {}
WRONG_CALLS: dict[str, str] = {}
"""Wrong command lines and calls of functions; those of KQJ are in `tests/test_wrong_input.py`."""
PAIR, FIELD = (f"{LIVELY}+greedy", f"{LIVELY}+random"), "random:take=0.2"
"""Two players whose rounds differ, and others against whom they play."""
OTHER_RULE = {"target": 2000}
describe_row = slow_row
MORE_ROUNDS = 1
"""The rounds held against the referee, in multiples of those of KQJ."""
DECIDED = [1000, 0]
"""Scores with which a game is over."""


def list_tables(rules: KqjRules) -> list[tuple[str, ...]]:
    # Who bids Capot only, since few announced ones are made by chance.
    capot = ("random:bid=0.5,capot=1,counter=0.2",) * rules.seats
    return [*tables().values(), *([capot] if rules.bidding == "auction" else [])]


list_impositions = impositions


def wait(lane: int) -> int:
    """Return the gratuity that waits before the round of a lane."""
    return 10 * (lane % 40)


def list_events() -> set[str]:
    contracts = ("s", "h", "d", "c", "NT", "AT", None)
    results = ("made", "failed", "litigation", "passed_out")
    return {
        *(f"{bidding}: {result}" for bidding in ("take", "bid") for result in results),
        *(f"{bidding}: contract {c}" for bidding in ("take", "bid") for c in contracts),
        *(f"bid: stake {stake}" for stake in (1, 2, 4)),
        *(f"bid: {call}" for call in ("pass", "bid", "counter", "overcounter")),
        *(f"take: {call}" for call in ("pass", "take")),
        *(f"bonus {bonus}" for bonus in ("last_trick", "capot", "kq", "kqj")),
        *(f"take, pending: {result}" for result in results),
        "capot announced: made",
        "capot announced: failed",
        "three-team gratuity",
    }


def list_numbers(name: str, frame: pd.DataFrame, experiment: Experiment) -> Iterator[Sample]:
    """The numbers of the table `name` for these rows: group, quantity, number."""
    rules = require_kqj_rules(experiment.rules)
    return by_pandas.numbers(name, frame, rules, experiment.games is not None)


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    """Return True if a record with this new value may obey the rules."""
    key, *rest = path
    if key in (*UNCONNECTED, "rules"):
        return True
    if key == "pending_before":
        return record.result == "litigation" and new in range(0, 10_000, 10)
    if record.hands is None or record.sender is None:
        # Of a round passed out nobody sees the cards.
        return new in CARDS and (key == "turned" or (key == "dealt" and len(rest) == 2))
    if key == "dealt" and len(rest) == 2:
        return new in record.hands[rest[0]]  # another of the cards that the player went on to play
    if key == "turned":
        return new in record.hands[record.sender]
    if key == "sender":
        # Partners may have been imposed the same amount; taking: the Sender has the Return.
        return bool(record.imposed and record.amount) and new in range(6) and _is_with(record, new)
    if key == "calls" and len(rest) == 2:
        call = record.calls[rest[0]]
        if call.call in ("counter", "overcounter") and rest[1] == "seat":
            return new in range(6) and _is_with(record, new) == (call.call == "overcounter")
        # A bid that was outbid may have been another.
        outbid = call.call == "bid" and call.amount != record.amount
        return outbid and path[-1] in ("amount", "contract", "capot")
    return False


def _is_with(record: Record, seat: int) -> bool:
    assert record.sender is not None
    return record.teams[seat] == record.teams[record.sender]
