"""Other values that a forger may write into a record, and the discrepancies that they make."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

import kqj_sim as kqj
from kqj_sim.errors import RecordError
from kqj_sim.record import Record, from_json, to_json
from kqj_sim.referee import check_record, check_records, get_referee
from kqj_sim.referee.kqj import CARD_OF_TEXT

Json = Any
CARDS = list(CARD_OF_TEXT)
WORDS = [
    "bid", "capot", "counter", "failed", "kq", "kqj", "last_trick", "litigation", "made",
    "overcounter", "pass", "passed_out", "play", "take", "tie",
]  # fmt: skip
ODD: list[Json] = [None, True, -1, 3, 10**18, 10**40, 1.5, "", "x\ny", "h" * 9999, "\u2028", [],
                   [[]], [None], {}, {"seat": 0}, [{}], ["As"] * 100, [[0] * 9]]  # fmt: skip
"""Values that are in no record."""
UNCONNECTED = {"seed", "deal", "players", "game_id", "round"}
"""Keys from which nothing else follows, so that another right value is no discrepancy."""


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


def told_of_game(rounds: list[Record]) -> list[tuple[int, str]]:
    """Return the errors found in the rounds of a game, with their numbers from 1."""
    return list(check_records(enumerate(rounds, start=1)))


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
        return [*contracts, *(word for word in WORDS if word != value), "x", ""]
    return [value[:-1], [*value, *value[-1:]], [*value, None]] if value else [[0], [[]], ["h"]]


def assert_forgeries_are_discrepancies(
    record: Record,
    is_free: Callable[[Record, tuple[Any, ...], Any], bool],
    cards: list[str] = CARDS,
) -> None:
    """Assert that each other value is a discrepancy of its key, but those that `is_free` allows."""
    values = as_json(record)
    assert discrepancies(values) == []
    draw = random.Random(1)
    for path in leaves(values):
        for new in other_values(at(values, path), draw, cards):
            if not is_free(record, path, new):
                told = told_of(values, path, new)
                assert told and is_about(path, told, bool(record.imposed)), (
                    f"{path}: {at(values, path)!r} -> {new!r}: {told} in {json.dumps(values)}"
                )


def count_illegal_cards(record: Record) -> int:
    """Count the illegal cards of a round; assert that each is a discrepancy with the legal ones.

    Wherever a player held a card that was not legal, they play it in place of a legal one, which
    they play later in its place.
    """
    assert record.hands is not None and record.contract is not None
    seats = len(record.hands)
    referee = get_referee(record.game_rules())
    card_of = referee.card_by_text
    held = [{card_of[text] for text in hand} for hand in record.hands]
    forgeries = 0
    for number, trick in enumerate(record.tricks):
        cards = [card_of[text] for text in trick.cards]
        for place, card in enumerate(cards):
            seat = (trick.leader + place) % seats
            legal = referee.list_legal_cards(
                held[seat], cards[:place], trick.leader, record.teams, record.contract
            )
            for illegal in held[seat] - legal:
                values = as_json(record)
                for later in values["tricks"]:
                    if str(illegal) in later["cards"]:
                        later["cards"][later["cards"].index(str(illegal))] = str(card)
                values["tricks"][number]["cards"][place] = str(illegal)
                right = " ".join(sorted(map(str, legal)))
                line = f"tricks[{number}].cards: seat {seat} may play {right}, not {illegal}"
                assert line in discrepancies(values), json.dumps(values)
                forgeries += 1
            held[seat].remove(card)
    return forgeries


def assert_odd_values_raise_nothing(records: list[Record]) -> None:
    """Assert that records with odd values at some places are checked, whatever is in them."""
    draw = random.Random(3)
    for record in records:
        values = as_json(record)
        paths = list(leaves(values))
        for _ in range(400):
            forged = copy.deepcopy(values)
            for path in draw.sample(paths, draw.choice((1, 1, 2, 4))):
                # An earlier change may have taken the place away.
                with suppress(TypeError, IndexError, KeyError):
                    at(forged, path[:-1])[path[-1]] = copy.deepcopy(draw.choice(ODD))
            discrepancies(forged)
    loop: list[Any] = []
    loop.append(loop)
    python = [object(), {1, 2}, b"x", 10**9999, float("nan"), "\ud800", lambda: 0, loop]
    for key in Record.__struct_fields__:
        for odd in [*ODD, *python]:
            kqj.check(msgspec.structs.replace(records[0], **{key: odd}))
