"""Other values that a forger may write into a record, and what is told of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from kqj_sim.record import Record, RecordError, from_json, to_json
from kqj_sim.referee import check_record
from kqj_sim.referee.cards import CARD_OF_TEXT

Json = Any
CARDS = list(CARD_OF_TEXT)

# From these nothing else in the record follows, so that another right value is no discrepancy.
FREE = {"seed", "deal", "players", "game_id", "round", "rules"}


def as_json(record: Record) -> Json:
    return json.loads(to_json(record))


def discrepancies(values: Json) -> list[str]:
    """What is told of a record given as JSON, whether in reading or in checking it."""
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
    """What is told of the record with another value at this path."""
    place = at(values, path[:-1])
    old = place[path[-1]]
    place[path[-1]] = new
    try:
        return discrepancies(values)
    finally:
        place[path[-1]] = old


def other_values(value: Json, draw: random.Random) -> list[Json]:
    """Values of the same kind that a forger may write in place of this one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 10, value + 60, -1 - value, 10**6]
    if value is None:
        return [0, 10, 150, "h", "Th", []]
    if value in CARDS:
        return [*draw.sample([card for card in CARDS if card != value], 2), "10h"]
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


def is_free(record: Record, path: tuple[Any, ...], new: Any) -> bool:
    """Whether a record with this new value may well obey the rules."""
    key, *rest = path
    if key in FREE:
        return True
    if key == "pending_before":
        return record.result == "litigation" and new in range(0, 10_000, 10)
    if record.hands is None or record.sender is None:
        # Of a round passed out nobody sees the cards.
        return new in CARDS and (key == "turned" or (key == "dealt" and len(rest) == 2))
    if key == "dealt" and len(rest) == 2:
        return new in record.hands[rest[0]]  # another of the cards that he went on to play
    if key == "turned":
        return new in record.hands[record.sender]
    if key == "sender":
        # Partners may have been imposed the same amount; with taking, only he has the Return.
        return bool(record.imposed and record.amount) and new in range(6) and same_team(record, new)
    if key == "calls" and len(rest) == 2:
        call = record.calls[rest[0]]
        if call.call in ("counter", "overcounter") and rest[1] == "seat":
            return new in range(6) and same_team(record, new) == (call.call == "overcounter")
        # A bid that was outbid may have been another.
        outbid = call.call == "bid" and call.amount != record.amount
        return outbid and path[-1] in ("amount", "contract", "capot")
    return False


def same_team(record: Record, seat: int) -> bool:
    assert record.sender is not None
    return record.teams[seat] == record.teams[record.sender]
