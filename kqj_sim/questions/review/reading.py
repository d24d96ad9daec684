"""Rounds to review: read from files or records, or played by a policy."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sized
from dataclasses import fields
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from kqj_sim.arguments import parse_argument, parse_path
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import list_game_options
from kqj_sim.messages import visible
from kqj_sim.notation.files import ReadRound, find_round, is_notation, read_file
from kqj_sim.notation.people import name_people_in
from kqj_sim.questions.records.result import RecordsLike, list_records
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.record import PartialRecord, Record, from_json, partial_record_from_json, to_json
from kqj_sim.referee import check_record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.text_files import open_lines

_FINISHED = re.compile(rb'"(?:result|scores|totals)"\s*:')
"""Keys of a finished round: a text with one of them is a whole record, or a damaged one."""


UnreadRound: TypeAlias = tuple[int, Callable[[], RecordedRound | str]]
"""The line of a round, from 1, and a function that returns it, or one line on what is wrong.

A round takes much longer to read than its line, and there may be more lines than time.
"""


def play_rounds(experiment: Experiment) -> tuple[Iterator[UnreadRound], int | None, str]:
    """Return the rounds of an experiment, their number if known, and the command to record one.

    The command has `{first}` for the number of the deal, or game.
    """
    policies = [player.given for player in experiment.players]
    rounds = (
        (number, partial(RecordedRound, record, number, policies))
        for number, record in enumerate(play_records(experiment), start=1)
    )
    played = "--deals" if experiment.games is None else "--games"
    words = ["kqj-sim", "records", played, "1", "--first", "{first}"]
    if len(set(policies)) == 1:
        words += ["--policy", policies[0]]
    else:
        for seat, policy in enumerate(policies):
            words += ["--policy", f"seat{seat}={policy}"]
    words += ["--seed", str(experiment.seed)]
    if experiment.imposed_text is not None:
        words += ["--impose", experiment.imposed_text]
    rules = experiment.rules
    words += list_game_options(rules.game)
    for rule in fields(rules):
        value = getattr(rules, rule.name)
        if value != rule.default:
            option = f"--{rule.name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    command = " ".join(word if word == "{first}" else shlex.quote(word) for word in words)
    return rounds, experiment.deals if experiment.games is None else None, command


def list_rounds(
    records: RecordsLike, line: int | None
) -> tuple[Iterator[UnreadRound], int | None, str]:
    """Return the rounds, or that of `line`; their number if known; and the name of the file."""
    if isinstance(records, (str, os.PathLike)):
        path = parse_argument("records", parse_path, records)
        return _read_file(path, line), _count_rounds(path, line), path
    rounds = (
        (number, partial(_prepare, record, number))
        for number, record in enumerate(list_records(records), start=1)
    )
    return rounds, len(records) if isinstance(records, Sized) else None, "FILE"


def _count_rounds(path: str | os.PathLike[str], line: int | None) -> int | None:
    """Return the number of rounds of a file of JSON Lines, or 1 for those of a line.

    It is None where it is not known before all is read, as of stdin or of typed rounds.
    """
    if line is not None:
        return 1
    if not os.path.isfile(path):
        return None
    with open_lines(path) as lines:
        texts = (each for each in lines if each.strip())
        first = next(texts, b"")
        return None if is_notation(first) else 1 + sum(1 for _ in texts)


def _read_file(path: str | os.PathLike[str], line: int | None) -> Iterator[UnreadRound]:
    """Yield rounds as they are read; raise RecordError for none, InputError for none on `line`."""
    with open_lines(path) as lines:
        rounds = _read_lines(lines, line)
        first = next(rounds, None)
        if first is None:
            if line is not None:
                raise InputError(f"--line {line}: there is no record on that line")
            raise RecordError(f"{visible(os.fspath(path))} has no records")
        yield first
        yield from rounds


def _read_lines(lines: Iterator[bytes], line: int | None) -> Iterator[UnreadRound]:
    start: list[bytes] = []
    for text in lines:
        start.append(text)
        if text.strip():
            break
    content = chain(start, lines)
    if not is_notation(b"".join(start)):
        for number, text in enumerate(islice(content, line), start=1):
            if text.strip() and line in (None, number):
                yield number, partial(_read_line, text, number)
    elif line is None:
        for number, record in read_file(content):
            yield number, partial(_prepare, record, number)
    else:
        typed = list(content)
        found = find_round(typed, line) if line <= len(typed) else None
        if found is not None:
            yield found.line, partial(_prepare, found.record, found.line)


def _read_line(line: bytes, number: int) -> RecordedRound | str:
    """Return the round of a line, or one line that says what is wrong with it."""
    try:
        record = from_json(line) if _FINISHED.search(line) else partial_record_from_json(line)
    except RecordError as error:
        return str(error)
    return _prepare(record, number)


def _prepare(record: ReadRound, number: int) -> RecordedRound | str:
    if isinstance(record, RecordError):
        return str(record)
    try:
        return prepare_round(record, number)
    except ValueError as error:
        return str(error)


def prepare_round(record: Record | PartialRecord, number: int = 1) -> RecordedRound:
    """Return the round of a record; raise RecordError, or InputError for a round in progress."""
    if isinstance(record, Record):
        discrepancies = check_record(record)
        if discrepancies:
            more = f" (and {len(discrepancies) - 1} more)" if len(discrepancies) > 1 else ""
            raise RecordError(f"{name_people_in(discrepancies[0], record)}{more}")
        # A record made in Python may hold values of any type.
        record = from_json(to_json(record))
    try:
        return RecordedRound(record, number)
    except InputError as error:
        raise InputError(name_people_in(str(error), record)) from None
