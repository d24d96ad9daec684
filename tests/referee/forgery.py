"""Other values that a forger may write into a record, and what is told of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from kqj_sim.record import Record, RecordError, from_json, to_json
from kqj_sim.referee import check_record
from kqj_sim.referee.kqj.cards import CARD_OF_TEXT

Json = Any
CARDS = list(CARD_OF_TEXT)


def as_json(record: Record) -> Json:
    return json.loads(to_json(record))


def discrepancies(values: Json) -> list[str]:
    """Return the errors found in reading or checking a record given as JSON."""
    try:
        record = from_json(json.dumps(values))
    except RecordError as error:
        return [str(error)]
    found = check_record(record)
    assert all(line and "\n" not in line and len(line) < 600 for line in found), found
    return found


def leaves(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all single values, and of all lists."""
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
        return
    yield path
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))


def at(values: Json, path: tuple[Any, ...]) -> Json:
    for key in path:
        values = values[key]
    return values


def told_of(values: Json, path: tuple[Any, ...], new: Json) -> list[str]:
    """Return the errors found in the record with another value at this path."""
    place = at(values, path[:-1])
    old = place[path[-1]]
    place[path[-1]] = new
    try:
        return discrepancies(values)
    finally:
        place[path[-1]] = old


SOURCES = {
    "game", "dealer", "imposed", "dealt", "turned", "calls", "pending_before", "score_before",
}  # fmt: skip
"""Keys from which others follow: where they are wrong, it is told of these."""


def is_about(path: tuple[Any, ...], told: list[str], imposed: bool) -> bool:
    """Return True if the error of a forged value begins with its key."""
    key, *rest = path
    if key in SOURCES or (imposed and key in ("sender", "contract", "amount")):
        return bool(told)
    trick = key == "tricks" and rest[1:] in (["leader"], ["winner"])
    where = f"tricks[{rest[0]}].{rest[1]}" if trick else key
    lines = [line for line in told if re.match(rf"{re.escape(where)}(?!\w)", line)]
    # One of the keys of a game is missing: all four are named.
    return bool(lines) or (key == "score_after" and "or all four are null" in told[0])


def other_values(value: Json, draw: random.Random, cards: list[str] = CARDS) -> list[Json]:
    """Values of the same kind that a forger may write in place of this one.

    `cards` are those of the game's pack.
    """
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 10, value + 60, -1 - value, 10**6]
    if value is None:
        return [0, 10, 150, "h", "Th", []]
    if value in CARDS:
        return [*draw.sample([card for card in cards if card != value], 2), "10h"]
    if isinstance(value, str):
        contracts = [contract for contract in ("h", "s", "NT", "AT") if contract != value]
        words = {
            "made",
            "failed",
            "litigation",
            "passed_out",
            "kq",
            "kqj",
            "capot",
            "last_trick",
            "pass",
            "take",
            "bid",
            "counter",
            "overcounter",
            "play",
            "tie",
        } - {value}
        return [*contracts, *sorted(words), "x", ""]
    return [value[:-1], [*value, *value[-1:]], [*value, None]] if value else [[0], [[]], ["h"]]
