"""A simulation that saves its counts as it goes, so that it can be resumed."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from kqj_sim.api.progress import InterruptHandler, ProgressLine
from kqj_sim.block_player import CHUNK_ROWS
from kqj_sim.core.block import LANES
from kqj_sim.experiment import Experiment
from kqj_sim.reporting.checkpoint import (
    Aggregation,
    AggregationPlan,
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
    """A run whose counts are saved to a file as it goes.

    Args:
        path: path of the checkpoint.
        counted: description of the run.
        first: number of the first deal (or game).
        finished: number of finished deals (or games).
        total: number of deals (or games) to play.
        aggregation: counts of the finished deals.
    """

    def __init__(self, path: str, counted: CountedRun, first: int, finished: int, total: int,
                 aggregation: Aggregation) -> None:  # fmt: skip
        self.path = path
        self.counted = counted
        self.first = first
        self.finished = finished
        self.total = total
        self.aggregation = aggregation

    @classmethod
    def open(cls, path: str, plan: AggregationPlan, aggregation: Aggregation) -> SavedRun:
        """Resume the run of a checkpoint, or start one if there is no such file.

        Raises:
            CheckpointError: the file holds another run.
            OSError: the file cannot be read or written.
        """
        experiment = plan.experiment
        counted = CountedRun.of(
            experiment, aggregation.tally.by, plan.where, plan.control, aggregation.layout
        )
        total = experiment.games or experiment.deals
        saved = cls(path, counted, experiment.first, 0, total, aggregation)
        if not Path(path).exists():
            saved.save()
            return saved
        with OutputFile(path):
            pass  # Tells before the run if the file cannot be written.
        found = read_checkpoint(path)
        difference = counted.difference(found.counted)
        if not difference and found.first != experiment.first:
            difference = f"first {found.first} and not {experiment.first}"
        if not difference and found.finished > total:
            difference = f"{found.finished:,} {counted.unit} and not {total:,}"
        if difference:
            raise CheckpointError(
                f"{path} is the checkpoint of another run ({difference}): give the options it was "
                "made with, or another file"
            )
        add_counts(path, found, aggregation)
        saved.finished = found.finished
        return saved

    def save(self) -> None:
        """Write the checkpoint; raise OSError if that fails."""
        write_checkpoint(self.path, self.counted, self.first, self.finished, self.aggregation)

    def play(
        self, plan: AggregationPlan, threads: Workers, progress: ProgressLine
    ) -> tuple[Aggregation, bool]:
        """Play the rest; return the counts, and True if Ctrl-C ended it early."""
        progress.resume(self.finished)
        written = time.monotonic()
        with (
            InterruptHandler() as interruption,
            closing(self._play_spans(plan, threads, progress)) as spans,
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
        return self.aggregation, self.finished < self.total

    def _play_spans(
        self, plan: AggregationPlan, threads: Workers, progress: ProgressLine
    ) -> Generator[None]:
        """Play the rest span by span, in order; add the counts of each finished span."""
        if threads is None or isinstance(threads, int):
            yield from self._play_spans_in_threads(plan, count_workers(threads), progress)
        elif self.finished < self.total:
            for part in reduce_ranges(self._make_next_span(plan), plan.start, threads):
                self.aggregation.add_numbers(part.numbers)
                self.finished += part.count
                progress.advance(part.count)
                yield

    def _play_spans_in_threads(
        self, plan: AggregationPlan, threads: int, progress: ProgressLine
    ) -> Generator[None]:
        """Play the rest in threads, with spans of about `SPAN_SECONDS`."""
        in_games = self.counted.unit == "games"
        span = 2 * threads * (LANES if in_games else 4 * LANES)
        largest = CHUNK_GAMES if in_games else CHUNK_ROWS
        while self.finished < self.total:
            experiment = self._make_next_span(plan, span)
            began = time.monotonic()
            chunk = min(largest, max(1, span // (2 * threads)))
            reduced = reduce_rows(experiment, plan.start, threads, chunk, progress.advance)
            self.aggregation.merge(reduced.result)
            self.finished += experiment.games or experiment.deals
            if 2 * (time.monotonic() - began) < SPAN_SECONDS:
                span *= 2
            yield

    def _make_next_span(self, plan: AggregationPlan, most: int | None = None) -> Experiment:
        """Return the unfinished deals (or games), or at most `most` of them, as an experiment."""
        left = self.total - self.finished
        count = left if most is None else min(most, left)
        in_games = self.counted.unit == "games"
        return replace(
            plan.experiment,
            first=self.first + self.finished,
            deals=1 if in_games else count,
            games=count if in_games else None,
        )
