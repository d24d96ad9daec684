"""A simulation that saves its counts as it goes, so that it can be resumed."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from kqj_sim.analysis.tally import Tally
from kqj_sim.block_player import CHUNK_ROWS
from kqj_sim.core.block import LANES
from kqj_sim.experiment import Experiment
from kqj_sim.progress import InterruptHandler, ProgressLine
from kqj_sim.reporting.checkpoint import (
    CheckpointError,
    CountedRun,
    add_counts,
    read_checkpoint,
    write_checkpoint,
)
from kqj_sim.reporting.files import OutputFile
from kqj_sim.simulation import CHUNK_GAMES, reduce_ranges, reduce_rows
from kqj_sim.workers import Workers, count_workers

SPAN_SECONDS = 1.0
"""Approximate time of a span, after which Ctrl-C and the time of the last save are checked."""

SAVE_SECONDS = 2.0
"""Time between two saves, the most that is lost when the process ends."""


class SavedRun:
    """A run whose counts are saved to a file as it goes; it resumes that of an existing file.

    Args:
        path: path of the checkpoint.
        tally: empty counts of the experiment, to which all deals are added.

    Raises:
        CheckpointError: the file holds another run.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: str, tally: Tally) -> None:
        self.path = path
        self.tally = tally
        self.counted = CountedRun.of(tally)
        experiment = tally.experiment
        self.first, self.total = experiment.first, experiment.games or experiment.deals
        self.finished = 0
        self._start_tally = partial(Tally, experiment, tally.by, tally.where)
        if not Path(path).exists():
            self.save()
            return
        with OutputFile(path):
            pass  # Tells before the run if the file cannot be written.
        found = read_checkpoint(path)
        difference = self.counted.difference(found.counted)
        if not difference and found.first != self.first:
            difference = f"first {found.first} and not {self.first}"
        if not difference and found.finished > self.total:
            difference = f"{found.finished:,} {self.counted.unit} and not {self.total:,}"
        if difference:
            raise CheckpointError(
                f"{path} is the checkpoint of another run ({difference}): give the options it was "
                "made with, or another file"
            )
        add_counts(path, found, tally)
        self.finished = found.finished

    def save(self) -> None:
        """Write the checkpoint; raise OSError if that fails."""
        write_checkpoint(self.path, self.counted, self.first, self.finished, self.tally)

    def play(self, threads: Workers, progress: ProgressLine) -> tuple[Tally, bool]:
        """Play the rest; return the counts, and True if Ctrl-C ended it early."""
        progress.resume(self.finished)
        written = time.monotonic()
        with (
            InterruptHandler() as interruption,
            closing(self._play_spans(threads, progress)) as spans,
        ):
            for _ in spans:
                now = time.monotonic()
                if (
                    now - written > SAVE_SECONDS
                    or self.finished == self.total
                    or interruption.stop_requested
                ):
                    self.save()
                    written = now
                if interruption.stop_requested:
                    break
        return self.tally, self.finished < self.total

    def _play_spans(self, threads: Workers, progress: ProgressLine) -> Generator[None]:
        """Play the rest span by span, in order; add the counts of each finished span."""
        if threads is None or isinstance(threads, int):
            yield from self._play_spans_in_threads(count_workers(threads), progress)
        elif self.finished < self.total:
            for part in reduce_ranges(self._make_next_span(), self._start_tally, threads):
                self.tally.add_numbers(part.numbers)
                self.finished += part.count
                progress.advance(part.count)
                yield

    def _play_spans_in_threads(self, threads: int, progress: ProgressLine) -> Generator[None]:
        """Play the rest in threads, with spans of about `SPAN_SECONDS`."""
        in_games = self.counted.unit == "games"
        span = 2 * threads * (LANES if in_games else 4 * LANES)
        largest = CHUNK_GAMES if in_games else CHUNK_ROWS
        while self.finished < self.total:
            experiment = self._make_next_span(span)
            began = time.monotonic()
            chunk = min(largest, max(1, span // (2 * threads)))
            reduced = reduce_rows(experiment, self._start_tally, threads, chunk, progress.advance)
            self.tally.merge(reduced.result)
            self.finished += experiment.games or experiment.deals
            if 2 * (time.monotonic() - began) < SPAN_SECONDS:
                span *= 2
            yield

    def _make_next_span(self, most: int | None = None) -> Experiment:
        """Return the unfinished deals (or games), or at most `most` of them, as an experiment."""
        left = self.total - self.finished
        count = left if most is None else min(most, left)
        in_games = self.counted.unit == "games"
        return replace(
            self.tally.experiment,
            first=self.first + self.finished,
            deals=1 if in_games else count,
            games=count if in_games else None,
        )
