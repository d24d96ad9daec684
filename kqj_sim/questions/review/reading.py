"""Rounds to review: read from files or records, or played by a policy."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sized
from dataclasses import fields
from functools import partial
from typing import TypeAlias

from kqj_sim.arguments import parse_argument, parse_path
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import list_game_options
from kqj_sim.messages import one_line, visible
from kqj_sim.notation.files import (
    ReadRound,
    RecordsLike,
    list_records,
    read_file,
    recognise,
    require_round,
)
from kqj_sim.notation.sections import name_people_in
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.record import Record, any_record_from_json
from kqj_sim.referee import check_record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.text_files import open_lines

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
        (number, partial(_prepare, record, number)) for number, record in list_records(records)
    )
    return rounds, len(records) if isinstance(records, Sized) else None, "FILE"


def _count_rounds(path: str, line: int | None) -> int | None:
    """Return the number of rounds of a file of JSON Lines, or 1 for those of a line.

    It is None where it is not known before all is read, as of stdin or of typed rounds.
    """
    if line is not None:
        return 1
    if not os.path.isfile(path):
        return None
    with open_lines(path) as lines:
        is_text, lines = recognise(lines)
        return None if is_text else sum(1 for text in lines if text.strip())


def _read_file(path: str, line: int | None) -> Iterator[UnreadRound]:
    """Yield rounds as they are read; raise RecordError for none, InputError for none on `line`."""
    is_empty = True
    with open_lines(path) as lines:
        if line is not None:
            found = require_round(lines, line, any_record_from_json)
            yield found.line, partial(_prepare, found.record, found.line)
            return
        for number, record in read_file(lines, any_record_from_json):
            yield number, partial(_prepare, record, number)
            is_empty = False
    if is_empty:
        raise RecordError(f"{visible(path)} has no records")


def _prepare(record: ReadRound, number: int) -> RecordedRound | str:
    """Return the round of a record, or one line that says what is wrong with it."""
    if isinstance(record, RecordError):
        return str(record)
    discrepancies = check_record(record) if isinstance(record, Record) else []
    if discrepancies:
        more = f" (and {len(discrepancies) - 1} more)" if len(discrepancies) > 1 else ""
        return one_line(f"{name_people_in(discrepancies[0], record)}{more}")
    try:
        return RecordedRound(record, number)
    except InputError as error:
        return name_people_in(str(error), record)
