"""What `kqj-sim check` finds in files of records, and its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from kqj_sim.commands.options import announce_compiling
from kqj_sim.record import Record, RecordError, read_records

BATCH = 1 << 12
"""Records that are held and played again together: some 20 MB."""

_REASONS = 5
"""Reasons why rounds were not played again that are told."""


class CheckedFiles:
    """The discrepancies of files of records.

    Args:
        replay: also play the rounds again.
        quiet: do not tell that the engine has to be compiled first.

    Attributes:
        found: the number of discrepancies so far.
    """

    def __init__(self, replay: bool, quiet: bool) -> None:
        self._replay = replay
        self._quiet = quiet
        self._records = 0
        self._replayed = 0
        self._differing = 0
        self._reasons: Counter[str] = Counter()
        self.found = 0

    def discrepancies(self, lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        """Yield the discrepancies of a file, with their line numbers in ascending order."""
        from kqj_sim.referee import check_records

        records = read_records(lines)
        before: Record | None = None
        # Without --replay a discrepancy is told as soon as its line is read.
        while batch := list(islice(records, BATCH if self._replay else 1)):
            found = list(check_records(batch, before))
            if self._replay:
                found = sorted([*found, *self._play_again(batch)], key=lambda each: each[0])
            self._records += len(batch)
            self.found += len(found)
            yield from found
            last = batch[-1][1]
            before = last if isinstance(last, Record) else None

    def _play_again(
        self, batch: list[tuple[int, Record | RecordError]]
    ) -> Iterator[tuple[int, str]]:
        """Yield what differs from the rounds played again, with the line numbers."""
        if not self._quiet and self._records == 0:
            announce_compiling()
        from kqj_sim.replay import replay_records

        lines = [line for line, record in batch if isinstance(record, Record)]
        replayed = replay_records(record for _, record in batch if isinstance(record, Record))
        if len(lines) < len(batch):
            self._reasons["the line is not a record"] += len(batch) - len(lines)
        for line, each in zip(lines, replayed, strict=True):
            if each.reason:
                self._reasons[each.reason] += 1
                continue
            self._replayed += 1
            if each.discrepancy:
                self._differing += 1
                yield line, each.discrepancy

    def summary(self) -> Iterator[str]:
        """Yield the lines that sum up all files."""
        many = f"discrepancies: {self.found:,}" if self.found else "no discrepancies"
        yield f"Records checked: {self._records:,}; {many}"
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
