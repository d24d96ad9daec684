"""Rounds that are played or read from files, and the check of them against the referee."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from operator import itemgetter

from kqj_sim.arguments import PoliciesLike, parse_imposed, parse_players, reject_both
from kqj_sim.errors import InputError, RecordError
from kqj_sim.imposed import ImposedContract
from kqj_sim.messages import quote, suggest_file, visible
from kqj_sim.notation.files import ReadRound, explain_missing, read_file
from kqj_sim.notation.sections import name_people_in
from kqj_sim.record import PartialRecord, Record
from kqj_sim.referee import check_record, check_records
from kqj_sim.rules import GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner
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
    with runner.start(unit, total, is_shown=shows_progress):
        for record in rounds:
            if games is None or record.game_id != game:
                runner.advance(1)
            game = record.game_id
            yield record
            if runner.interrupted:
                break


def _read_records(file: str, checks: bool) -> Iterator[Record]:
    """Yield the records of a file; raise RecordError for a round that is none, or is wrong."""
    is_empty = True
    with open_lines(file) as lines:
        for line, record in read_file(lines):
            if isinstance(record, RecordError):
                raise RecordError(f"{file}:{line}: {record}")
            if not isinstance(record, Record):
                raise RecordError(
                    f"{file}:{line}: this round is not known in full and cannot be a record: "
                    f"{explain_missing(record)}; show, check, odds and review read it as it is"
                )
            for discrepancy in check_record(record) if checks else ():
                raise RecordError(f"{file}:{line}: {name_people_in(discrepancy, record)}")
            yield record
            is_empty = False
    if is_empty:
        raise RecordError(f"{visible(file)} has no records")


# The check of recorded rounds against the referee, and against a replay.

BATCH = 1 << 12
"""Records that are kept in memory and replayed together: some 20 MB."""

_REASONS = 5
"""Most reasons why rounds were not replayed that the summary lists."""


class RecordCheck:
    """A check of files of records, and its counts.

    Args:
        allow: the files of policies, and names of packages' policies, that records may have run.
        runner: tells that the engine is compiled.
    """

    def __init__(
        self, replay: bool, allow: Iterable[str] = (), runner: Runner = DEFAULT_RUNNER
    ) -> None:
        self._replay = replay
        self._allowed = {os.path.abspath(path): path for path in allow}
        for path in self._allowed.values():
            if not replay:
                raise InputError("`allow` is for `replay`: only that runs policies")
            if path.endswith((".py", ".toml")) and not os.path.isfile(path):
                raise InputError(f"`allow`: {quote(path)}: no such file{suggest_file(path)}")
        self._runner = runner
        self._records = 0
        self._partial = 0
        self._replayed = 0
        self._differing = 0
        self._reasons: Counter[str] = Counter()
        self.discrepancy_count = 0

    def check_rounds(self, rounds: Iterator[tuple[int, ReadRound]]) -> Iterator[tuple[int, str]]:
        """Yield the line number and text of each discrepancy of rounds, in ascending order."""
        before: Record | None = None
        # Without --replay a discrepancy is reported as soon as its line is read.
        while batch := list(islice(rounds, BATCH if self._replay else 1)):
            discrepancies = list(check_records(batch, before))
            if self._replay:
                discrepancies += self._replay_batch(batch)
            self._records += len(batch)
            self._partial += sum(isinstance(record, PartialRecord) for _, record in batch)
            self.discrepancy_count += len(discrepancies)
            records_by_line = dict(batch)
            for line, text in sorted(discrepancies, key=itemgetter(0)):
                record = records_by_line.get(line)
                if isinstance(record, Record | PartialRecord):
                    text = name_people_in(text, record)
                yield line, text
            last = batch[-1][1]
            before = last if isinstance(last, Record) else None

    def _replay_batch(self, batch: list[tuple[int, ReadRound]]) -> Iterator[tuple[int, str]]:
        from kqj_sim.simulation.recording import replay_records

        records = {line: record for line, record in batch if isinstance(record, Record)}
        with self._runner:
            replays = replay_records([*records.values()], self._allowed)
        partial = sum(isinstance(record, PartialRecord) for _, record in batch)
        if partial:
            self._reasons["not all of the round is known"] += partial
        if len(records) + partial < len(batch):
            self._reasons["the line is not a record"] += len(batch) - len(records) - partial
        for line, replay in zip(records, replays, strict=True):
            if replay.reason:
                self._reasons[replay.reason] += 1
                continue
            self._replayed += 1
            if replay.discrepancy:
                self._differing += 1
                yield line, replay.discrepancy

    def summarise(self) -> Iterator[str]:
        """Yield the lines of the summary of all files; raise RecordError for no records."""
        if not self._records:
            raise RecordError("there are no records to check")
        outcome = (
            f"discrepancies: {self.discrepancy_count:,}"
            if self.discrepancy_count
            else "no discrepancies"
        )
        yield f"Records checked: {self._records:,}; {outcome}"
        if self._partial:
            yield f"Rounds not known in full: {self._partial:,}; what is written was checked"
        if not self._replay:
            return
        differ = f"{self._differing:,} differ" if self._differing else "all agree"
        yield f"Played again: {self._replayed:,}" + (f"; {differ}" if self._replayed else "")
        for reason, count in self._reasons.most_common(_REASONS):
            yield f"Not played again: {count:,}: {' '.join(reason.split())}"
        others = self._reasons.most_common()[_REASONS:]
        if others:
            left = sum(count for _, count in others)
            yield f"Not played again: {left:,} for {len(others):,} other reasons"
