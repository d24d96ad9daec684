"""The command `check`: records against the referee, and against a replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import click

from kqj_sim.commands.command import Command
from kqj_sim.commands.options import announce_compiling, quiet_option
from kqj_sim.messages import visible
from kqj_sim.record import Record, RecordError, read_records
from kqj_sim.referee import check_records

BATCH = 1 << 12
"""Records that are kept in memory and replayed together: some 20 MB."""

_REASONS = 5
"""Most reasons why rounds were not replayed that the summary lists."""


class RecordCheck:
    """A check of files of records, and its counts.

    Args:
        replay: also play the rounds again.
        quiet: print no note that the engine is being compiled.

    Attributes:
        discrepancy_count: number of discrepancies so far.
    """

    def __init__(self, replay: bool, quiet: bool) -> None:
        self._replay = replay
        self._quiet = quiet
        self._records = 0
        self._replayed = 0
        self._differing = 0
        self._reasons: Counter[str] = Counter()
        self.discrepancy_count = 0

    def check_file(self, lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        """Yield the line number and text of each discrepancy of a file, in ascending order."""
        records = read_records(lines)
        before: Record | None = None
        # Without --replay a discrepancy is reported as soon as its line is read.
        while batch := list(islice(records, BATCH if self._replay else 1)):
            found = list(check_records(batch, before))
            if self._replay:
                found = sorted([*found, *self._replay_batch(batch)], key=lambda each: each[0])
            self._records += len(batch)
            self.discrepancy_count += len(found)
            yield from found
            last = batch[-1][1]
            before = last if isinstance(last, Record) else None

    def _replay_batch(
        self, batch: list[tuple[int, Record | RecordError]]
    ) -> Iterator[tuple[int, str]]:
        """Yield the line number and text of each difference from the rounds played again."""
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

    def summarise(self) -> Iterator[str]:
        """Yield the lines of the summary of all files."""
        outcome = (
            f"discrepancies: {self.discrepancy_count:,}"
            if self.discrepancy_count
            else "no discrepancies"
        )
        yield f"Records checked: {self._records:,}; {outcome}"
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


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim check rounds.jsonl
  kqj-sim records --deals 1000 | kqj-sim check -
  kqj-sim check --replay rounds.jsonl
""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--replay",
    is_flag=True,
    help="Play each round again, too, and compare; runs the policy files that the records name.",
)
@quiet_option
def check(files: tuple[str, ...], replay: bool, quiet: bool) -> None:
    """Check recorded rounds against an independent referee.

    Prints each discrepancy with its file and line; the exit status is 1 if there are any.  The
    referee finds whatever the rules do not allow; --replay also finds a changed seed, deal or
    player.
    """
    checked = RecordCheck(replay, quiet)
    for file in files:
        name = "stdin" if file == "-" else visible(file)
        with click.open_file(file, "rb") as stream:
            for line, discrepancy in checked.check_file(stream):
                click.echo(f"{name}:{line}: {discrepancy}")
    if not quiet:
        for line_of_summary in checked.summarise():
            click.echo(line_of_summary, err=True)
    if checked.discrepancy_count:
        click.get_current_context().exit(1)
