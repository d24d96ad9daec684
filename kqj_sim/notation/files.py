"""Files of rounds: JSON Lines, or the notation, told apart by how they begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

import msgspec

from kqj_sim.errors import RecordError
from kqj_sim.games import make_rules
from kqj_sim.record import PartialRecord, Record, read_records
from kqj_sim.text_files import MAX_RECORD_BYTES, WRONG_ENCODING, is_utf8

ReadRound: TypeAlias = Record | PartialRecord | RecordError
"""A round of a file: its record, what is known of it, or what is wrong with it."""


class FoundRound(NamedTuple):
    """A round of a file: where it begins, the round, and whether it is in the notation."""

    line: int
    record: ReadRound
    is_text: bool


_JSON_STARTS = (b"{", b"[", b'"')


def read_file(lines: Iterable[bytes]) -> Iterator[tuple[int, ReadRound]]:
    """Yield the line, from 1, and the record of each round of the lines of a file, in UTF-8.

    Rounds in the notation of which not all is known are partial records.  A round that cannot be
    read yields its error, with the line that is wrong.
    """
    _, found = _open(lines)
    yield from found


def find_round(lines: Iterable[bytes], line: int) -> FoundRound | None:
    """Return the round on a line, from 1; None if there is none.

    In the notation a round goes on to the next one, and the first one begins with the file.
    """
    is_text, rounds = _open(lines)
    before: FoundRound | None = None
    for number, record in rounds:
        found = FoundRound(number, record, is_text)
        if number == line:
            return found
        if is_text and number > line:
            return before or found
        before = found
    return before if is_text else None


def _open(lines: Iterable[bytes]) -> tuple[bool, Iterator[tuple[int, ReadRound]]]:
    """Return whether a file is in the notation, and its rounds."""
    rest = iter(lines)
    read: list[bytes] = []
    for line in rest:
        read.append(line)
        if line.strip():
            break
    if not read or not is_notation(read[-1]):
        return False, read_records(chain(read, rest))
    return True, _read_text(chain(read, rest))


def is_notation(line: bytes) -> bool:
    """Return True if a file whose first line with text is this one is in the notation."""
    return not line.lstrip().startswith(_JSON_STARTS)


def make_partial(record: Record | PartialRecord) -> PartialRecord:
    """Return a record as a partial one."""
    if isinstance(record, PartialRecord):
        return record
    return msgspec.convert(msgspec.to_builtins(record), PartialRecord)


def explain_missing(record: PartialRecord) -> str:
    """Return what a partial record lacks to be a record, in a clause."""
    if record.calls is None and not record.imposed:
        return "the calls are not known" if record.contract else "the calls are missing"
    rules = make_rules(record.game, record.rules)
    dealt = record.dealt or []
    cards = sum(len(trick.cards) for trick in record.tricks)
    seats = len(dealt)
    if record.contract is not None and cards < seats * rules.tricks:
        return f"the play breaks off after {cards} cards"
    names = [
        (record.players or [])[seat] if record.players else f"seat {seat}"
        for seat, hand in enumerate(dealt)
        if hand is None
    ]
    if names and rules.bidding == "take":
        return f"the five cards dealt to {', '.join(names)} are not known"
    if names:
        return f"the cards of {', '.join(names)} are not known"
    return "the calls are not over"


def _read_text(lines: Iterable[bytes]) -> Iterator[tuple[int, ReadRound]]:
    content = bytearray()
    for number, line in enumerate(lines, start=1):
        if not is_utf8(line):
            yield number, RecordError(WRONG_ENCODING)
            return
        content += line
        if len(content) > MAX_RECORD_BYTES:
            yield (
                number,
                RecordError(
                    f"the rounds up to here have more than {MAX_RECORD_BYTES >> 20} MB: write them "
                    "to several files, or as JSON"
                ),
            )
            return
    # Here, since JSON needs nothing of it.
    from kqj_sim.notation.rounds import read_rounds

    yield from read_rounds(content.decode())
