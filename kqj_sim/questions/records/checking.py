"""The check of recorded rounds against the referee, and against a replay."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from kqj_sim.errors import InputError, RecordError
from kqj_sim.messages import quote, suggest_file
from kqj_sim.notation.files import ReadRound
from kqj_sim.record import PartialRecord, Record
from kqj_sim.referee import check_records
from kqj_sim.runner import DEFAULT_RUNNER, Runner

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
        self._allowed = {os.path.abspath(each): each for each in allow}
        for path in self._allowed.values():
            if not replay:
                raise InputError("--allow is for --replay: only that runs policies")
            if path.endswith((".py", ".toml")) and not os.path.isfile(path):
                raise InputError(f"--allow: {quote(path)}: no such file{suggest_file(path)}")
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
            found = list(check_records(batch, before))
            if self._replay:
                found = sorted([*found, *self._replay_batch(batch)], key=lambda each: each[0])
            self._records += len(batch)
            self._partial += sum(isinstance(each, PartialRecord) for _, each in batch)
            self.discrepancy_count += len(found)
            records_by_line = dict(batch)
            for line, text in found:
                yield line, _name_people(text, records_by_line.get(line))
            last = batch[-1][1]
            before = last if isinstance(last, Record) else None

    def _replay_batch(self, batch: list[tuple[int, ReadRound]]) -> Iterator[tuple[int, str]]:
        from kqj_sim.simulation.recording import replay_records

        lines = [line for line, record in batch if isinstance(record, Record)]
        with self._runner:
            records = [record for _, record in batch if isinstance(record, Record)]
            replayed = replay_records(records, self._allowed)
        partial = sum(isinstance(record, PartialRecord) for _, record in batch)
        if partial:
            self._reasons["not all of the round is known"] += partial
        if len(lines) + partial < len(batch):
            self._reasons["the line is not a record"] += len(batch) - len(lines) - partial
        for line, each in zip(lines, replayed, strict=True):
            if each.reason:
                self._reasons[each.reason] += 1
                continue
            self._replayed += 1
            if each.discrepancy:
                self._differing += 1
                yield line, each.discrepancy

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
            count = sum(each for _, each in others)
            yield f"Not played again: {count:,} for {len(others):,} other reasons"


def _name_people(text: str, record: ReadRound | None) -> str:
    """Return a discrepancy with the names of the record's people for their seats."""
    if record is None or isinstance(record, RecordError):
        return text
    from kqj_sim.notation.people import name_people_in

    return name_people_in(text, record)
