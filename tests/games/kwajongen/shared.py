"""Kwajongen, as the tests of all games see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from kqj_sim.cards import parse_card
from kqj_sim.games.kwajongen import KWAJONGEN_COLUMNS, KwajongenRules
from kqj_sim.games.kwajongen.referee import CARD_OF_TEXT
from kqj_sim.imposed import ImposedContract
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from tests.games.kwajongen import by_pandas
from tests.referee.forgery import UNCONNECTED, as_json, at
from tests.stats.by_pandas import Sample

VARIANTS = [KwajongenRules(), KwajongenRules(void_rule="free")]
RULINGS: list[KwajongenRules] = []
GOLDEN = sorted(Path(__file__).parent.glob("golden/*.jsonl"))
RESULTS = {"made", "failed", "tie", "passed_out"}
PENDING = (0, 1)
ALWAYS, NEVER = "random:accept=1", "random:accept=0"
HAND = ("Ah Kh 9s Ts", "--return", "Jh")
CARDS_PLAYED = ("Js As Qd Kd", "--return", "Jc", "--heard", "pass play", "--played", "Ts Kc")
WORDS = (
    ("trump", "s", "♠"),
    ("place", 3, "dealer"),
    ("contracting_score", -1, "-1"),
    ("raised", 1, "yes"),
)
HEADING = "caller's trumps"
PAIR, FIELD = ("random:accept=0.7", "random:accept=0.2"), "random:accept=0.4"
OTHER_RULE = {"void_rule": "free"}
GROUPINGS = (("dealer", "raised"), (), ("turned_rank",))
WHERE = "taken == 1 and place != 3 and trump in ('h', 's')"
"""Groups and a condition of rows."""
MORE_ROUNDS = 20
DECIDED = [0, 4]


def list_tables(rules: KwajongenRules) -> list[tuple[str, ...]]:
    """The players of rounds that are held against the referee."""
    mixed = ("random:accept=0.6", "standard", "random:accept=0.1+standard", "random")
    return [("random",) * 4, ("standard",) * 4, mixed]


def list_impositions(rules: KwajongenRules) -> list[ImposedContract]:
    """None: the caller alone can be imposed, and only in records."""
    return []


def wait(lane: int) -> int:
    """Every round is raised."""
    return 1


def list_events() -> set[str]:
    """Return the events that should occur in the rounds held against the referee."""
    results = ("made", "failed", "tie", "passed_out")
    return {
        *(f"accept: {result}" for result in results),
        *(f"accept, pending: {result}" for result in results),
        *(f"accept: contract {suit}" for suit in ("s", "h", "d", "c", None)),
        *(f"accept: dealer {seat}" for seat in range(4)),
        "accept: all tricks",
    }


def list_numbers(name: str, frame: pd.DataFrame, experiment: Experiment) -> Iterator[Sample]:
    """The numbers of the table `name` for these rows: group, quantity, number."""
    return by_pandas.numbers(name, frame)


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


def describe_row(record: Record) -> dict[str, int]:
    """The row of a round, from its record."""
    assert record.turned is not None
    card = parse_card(record.turned)
    trumps = [sum(text[1] == card.suit for text in hand) for hand in record.dealt]
    taken = record.sender is not None
    row: dict[str, int | str] = {
        "dealer": record.dealer,
        "taken": int(taken),
        "place": -1,
        "sender": -1,
        "contracting_team": -1,
        "trump": card.suit,
        "turned_rank": card.rank,
        "result": record.result,
        "raised": record.pending_before,
        "pending_after": record.pending_after,
        "sender_trumps": -1,
        "dealer_trumps": trumps[record.dealer],
        "contracting_card_points": 0,
        "defending_card_points": 0,
        "contracting_tricks": 0,
        "capot_contracting": 0,
        "capot_defending": 0,
        "contracting_score": 0,
        "defending_score": 0,
    }
    for team in range(2):
        row[f"card_points_{team}"] = record.card_points[team]
        row[f"tricks_{team}"] = record.trick_counts[team]
        row[f"score_{team}"] = record.scores[team]
    for seat in range(4):
        row[f"team_of_seat_{seat}"] = record.teams[seat]
    if record.sender is not None:
        team = record.teams[record.sender]
        row |= {
            "place": (record.sender - record.dealer - 1) % 4,
            "sender": record.sender,
            "contracting_team": team,
            "sender_trumps": trumps[record.sender],
            "contracting_card_points": record.card_points[team],
            "defending_card_points": record.card_points[1 - team],
            "contracting_tricks": record.trick_counts[team],
            "capot_contracting": int(record.trick_counts[team] == 4),
            "capot_defending": int(record.trick_counts[1 - team] == 4),
            "contracting_score": record.scores[team],
            "defending_score": record.scores[1 - team],
        }
    labels = {column.name: column.labels for column in KWAJONGEN_COLUMNS}
    return {
        name: labels[name].index(value) if isinstance(value, str) else value
        for name, value in row.items()
    }
