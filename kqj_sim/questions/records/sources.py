"""The sources of rounds: deals that are played, and files."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

from kqj_sim.arguments import PoliciesLike, parse_imposed, parse_players, reject_both
from kqj_sim.errors import RecordError
from kqj_sim.imposed import ImposedContract
from kqj_sim.messages import visible
from kqj_sim.notation.files import explain_missing, find_round, read_file
from kqj_sim.notation.people import name_people_in
from kqj_sim.record import AnyRecord, Record
from kqj_sim.referee import check_record
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.text_files import open_lines

DEFAULT_RECORDS = 10


def iterate_records(
    deals: int | None,
    games: int | None,
    source: str | os.PathLike[str] | None,
    policy: PoliciesLike | None,
    impose: str | ImposedContract | None,
    seed: int,
    first: int,
    rules: GameRules,
    checks: bool = False,
) -> Iterator[Record]:
    """Return the rounds that the arguments of `records` ask for, played or read one by one.

    With `checks`, a round that is read has to obey the rules, as texts cannot express others.
    """
    if source is not None:
        return _read_records(os.fspath(source), checks)
    reject_both(deals=deals, games=games)
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.recording import play_records

    return play_records(
        Experiment(
            rules, parse_players(policy, rules), deals or DEFAULT_RECORDS, seed, first,
            games, parse_imposed(impose, rules),
        )
    )  # fmt: skip


def watch_rounds(
    rounds: Iterator[Record],
    deals: int | None,
    games: int | None,
    runner: Runner,
    shows_progress: bool = True,
) -> Generator[Record]:
    """Yield the rounds that `iterate_records` plays, up to Ctrl-C, and show the progress."""
    unit, total = ("games", games) if games else ("deals", deals or DEFAULT_RECORDS)
    game: int | None = None
    with runner.start(unit, total):
        for record in rounds:
            if shows_progress and (games is None or record.game_id != game):
                runner.advance(1)
            game = record.game_id
            yield record
            if runner.interrupted:
                break


def _read_records(file: str, checks: bool) -> Iterator[Record]:
    """Yield the records of a file; raise RecordError for a round that is none, or is wrong."""
    is_empty = True
    with open_lines(file) as lines:
        for line, found in read_file(lines):
            if isinstance(found, RecordError):
                raise RecordError(f"{file}:{line}: {found}")
            if not isinstance(found, Record):
                raise RecordError(
                    f"{file}:{line}: this round is not known in full and cannot be a record: "
                    f"{explain_missing(found)}; show, check, odds and review read it as it is"
                )
            for discrepancy in check_record(found) if checks else ():
                raise RecordError(f"{file}:{line}: {name_people_in(discrepancy, found)}")
            yield found
            is_empty = False
    if is_empty:
        raise RecordError(f"{visible(file)} has no records")


def read_round(file: str, line: int) -> tuple[AnyRecord, str]:
    """Return the round on a line of a file, and its title, if it is typed; or raise RecordError."""
    with open_lines(file) as lines:
        found = find_round(lines, line)
    if found is None:
        raise RecordError(f"{file} has no record on line {line}")
    if isinstance(found.record, RecordError):
        raise RecordError(f"{file}:{found.line}: {found.record}")
    return found.record, f"Round on line {found.line}" if found.is_text else ""
