"""Records to review, read from lines of a file: whole rounds, or what one player knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from kqj_sim.analysis.odds.position import RoundError
from kqj_sim.analysis.odds.situation import SituationError
from kqj_sim.analysis.people import name_people_in
from kqj_sim.analysis.review.decisions import RecordedRound
from kqj_sim.cards import NotationError
from kqj_sim.record import (
    PartialRecord,
    Record,
    RecordError,
    from_json,
    partial_record_from_json,
    to_json,
)
from kqj_sim.referee import check_record
from kqj_sim.rules import RULES_BY_GAME

_FINISHED = re.compile(rb'"(?:result|scores|totals)"\s*:')
"""Keys of a finished round: a text with one of them is a whole record, or a damaged one."""


UnreadRound: TypeAlias = tuple[int, Callable[[], RecordedRound | str]]
"""The line of a round, from 1, and a function that returns it, or one line on what is wrong.

A round takes much longer to read than its line, and there may be more lines than time.
"""


def list_rounds(lines: Iterable[bytes]) -> Iterator[UnreadRound]:
    """Yield the round of each line; blank lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, partial(read_round, line, number)


def read_round(line: bytes, number: int = 1) -> RecordedRound | str:
    """Return the round of a line, or one line that says what is wrong with it."""
    try:
        if _FINISHED.search(line):
            return prepare_round(from_json(line), number)
        return prepare_round(partial_record_from_json(line), number)
    except (RecordError, RoundError) as error:
        return str(error)


def prepare_round(record: Record | PartialRecord, number: int = 1) -> RecordedRound:
    """Return the round of a record.

    Raises:
        RecordError: the record is against the rules.
        RoundError: the round in progress cannot have come about so.
    """
    if isinstance(record, Record):
        discrepancies = check_record(record)
        if discrepancies:
            more = f" (and {len(discrepancies) - 1} more)" if len(discrepancies) > 1 else ""
            raise RecordError(f"{name_people_in(discrepancies[0], record)}{more}")
        # A record made in Python may hold values of any type.
        record = from_json(to_json(record))
    else:
        _check_lengths(record)
    try:
        return RecordedRound(record, number)
    except (NotationError, SituationError) as error:
        raise RoundError(name_people_in(str(error), record)) from None


def _check_lengths(record: PartialRecord) -> None:
    """Raise RoundError if a list of a round in progress has another length than there are seats."""
    seats = RULES_BY_GAME[record.game].seats
    for name in ("players", "teams", "dealt", "hands"):
        found = getattr(record, name)
        if found is not None and len(found) != seats:
            raise RoundError(f"{name}: {len(found)} entries, there should be {seats}")
    for number, call in enumerate(record.calls or ()):
        if not 0 <= call.seat < seats:
            raise RoundError(f"calls[{number}].seat: {call.seat} is not 0 to {seats - 1}")
    for number, trick in enumerate(record.tricks):
        if trick.leader is not None and not 0 <= trick.leader < seats:
            raise RoundError(f"tricks[{number}].leader: {trick.leader} is not 0 to {seats - 1}")
    if record.sender is not None and not 0 <= record.sender < seats:
        raise RoundError(f"sender: {record.sender} is not 0 to {seats - 1}")
