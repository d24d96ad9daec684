"""Rounds that users give: files of JSON Lines or of the notation, and records made in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from typing import NamedTuple, Protocol, TypeAlias

from kqj_sim.arguments import parse_argument, parse_path
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import make_rules
from kqj_sim.record import AnyRecord, PartialRecord, Record, check_types, from_json
from kqj_sim.text_files import (
    MAX_RECORD_BYTES,
    WRONG_ENCODING,
    convert_to_utf8,
    is_utf8,
    open_lines,
)


class HasRecord(Protocol):
    """A result with a record, such as the `Round` of `show`."""

    @property
    def record(self) -> AnyRecord:
        """The record."""


RecordsLike: TypeAlias = (
    "Record | HasRecord | Iterable[Record | HasRecord] | str | os.PathLike[str]"
)
"""A record, a `Round`, several of them, or a file."""

ReadRound: TypeAlias = AnyRecord | RecordError
"""A round of a file: its record, what is known of it, or what is wrong with it."""

Parse: TypeAlias = Callable[[bytes], AnyRecord]
"""A function of `kqj_sim.record` that parses a line of JSON."""


class FoundRound(NamedTuple):
    """A round of a file: where it begins, the round, and whether it is in the notation."""

    line: int
    record: ReadRound
    is_text: bool


_JSON_STARTS = (b"{", b"[", b'"')


def get_record(source: object) -> AnyRecord:
    """Return a record made in Python, or that of a `Round`.

    Raises:
        InputError: it is none.
        RecordError: a value in it has the wrong type.
    """
    record = getattr(source, "record", source)
    if not isinstance(record, AnyRecord):
        raise InputError(
            f"{type(record).__name__} is not a record: give records, as of kqj.records(), or the "
            "path of a file"
        )
    return check_types(record)


@contextmanager
def open_rounds(records: RecordsLike) -> Iterator[Iterator[tuple[int, ReadRound]]]:
    """Give the number, or line, and the round of each of several records, or of a file."""
    if isinstance(records, str | os.PathLike):
        with open_lines(parse_argument("records", parse_path, records)) as lines:
            yield read_file(lines)
    else:
        yield list_records(records)


def list_records(records: object) -> Iterator[tuple[int, ReadRound]]:
    """Yield the number, from 1, of each record made in Python; raise InputError for another."""
    if isinstance(records, Mapping | bytes) or not isinstance(records, Iterable):
        records = [records]
    for number, record in enumerate(records, start=1):
        try:
            yield number, get_record(record)
        except RecordError as error:
            yield number, error


def read_file(lines: Iterable[bytes], parse: Parse = from_json) -> Iterator[tuple[int, ReadRound]]:
    """Yield the line, from 1, and the record of each round of the lines of a file, in UTF-8.

    Rounds in the notation of which not all is known are partial records.  A round that cannot be
    read yields its error, with the line that is wrong.
    """
    is_text, lines = recognise(lines)
    if is_text:
        yield from _read_text(lines)
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _read_line(line, parse)


def _read_line(line: bytes, parse: Parse) -> ReadRound:
    try:
        return parse(line)
    except RecordError as error:
        return error


def find_round(lines: Iterable[bytes], line: int, parse: Parse = from_json) -> FoundRound | None:
    """Return the round on a line, from 1; None if there is none.

    In the notation a round goes on to the next one, and the first one begins with the file.
    """
    is_text, lines = recognise(lines)
    if not is_text:
        text = next(islice(lines, line - 1, None), b"")
        return FoundRound(line, _read_line(text, parse), False) if text.strip() else None
    content = list(lines)
    found_round = None
    for number, record in _read_text(content) if line <= len(content) else ():
        if found_round is None or number <= line:
            found_round = FoundRound(number, record, True)
    return found_round


def require_round(lines: Iterable[bytes], line: int, parse: Parse) -> FoundRound:
    """Return the round on a line as `find_round`; raise InputError if there is none."""
    found_round = find_round(lines, line, parse)
    if found_round is None:
        raise InputError(f"`line` {line}: there is no record on that line")
    return found_round


def recognise(lines: Iterable[bytes]) -> tuple[bool, Iterator[bytes]]:
    """Return whether a file is in the notation, by its first line with text, and its lines."""
    rest = iter(lines)
    read: list[bytes] = []
    for line in rest:
        read.append(line)
        if line.strip():
            break
    is_text = bool(read and read[-1].strip()) and not read[-1].lstrip().startswith(_JSON_STARTS)
    return is_text, chain(read, rest)


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
    from kqj_sim.notation.reader import read_rounds

    yield from read_rounds(content.decode())


def read_round_on(file: str | bytes, line: int) -> tuple[AnyRecord, str]:
    """Return the round on a line of a file, and its title, if it is typed; or raise RecordError.

    Bytes are the content of a file.
    """
    name = "record" if isinstance(file, bytes) else file
    if isinstance(file, bytes):
        there = find_round(convert_to_utf8(file).splitlines(keepends=True), line)
    else:
        with open_lines(file) as lines:
            there = find_round(lines, line)
    if there is None:
        raise RecordError(f"{name} has no record on line {line}")
    start, record, is_text = there
    if isinstance(record, RecordError):
        raise RecordError(f"{name}:{start}: {record}")
    return record, f"Round on line {start}" if is_text else ""
