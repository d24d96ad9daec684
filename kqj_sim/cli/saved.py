"""A simulation whose counts are saved all the time, so that it survives whatever ends it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from kqj_sim.cli.interrupt import Interruption
from kqj_sim.cli.progress import ProgressLine
from kqj_sim.core.state import LANES
from kqj_sim.crew import Threads, at_once
from kqj_sim.experiment import Experiment
from kqj_sim.reporting.checkpoint import (
    CheckpointError,
    Counted,
    add_counts,
    read_checkpoint,
    write_checkpoint,
)
from kqj_sim.reporting.gathered import Gathered, Gathering
from kqj_sim.simulation import GAMES_CHUNK, fold, folded_parts
from kqj_sim.worker import CHUNK

SPAN_SECONDS = 1.0
"""About so long deals are played between two looks at Ctrl-C and at the time of a checkpoint."""

SAVE_SECONDS = 2.0
"""A checkpoint is written after so long: as much is lost to what ends the program, at most."""


class Saved:
    """A run whose counts are saved all the time."""

    def __init__(self, path: str, counted: Counted, first: int, finished: int, total: int,
                 gathered: Gathered) -> None:  # fmt: skip
        self.path = path
        self.counted = counted
        self.first = first
        self.finished = finished
        self.total = total
        self.gathered = gathered

    @classmethod
    def open(
        cls, path: str, gathering: Gathering, imposed: str | None, gathered: Gathered
    ) -> Saved:
        """A run that goes on from a checkpoint, or makes one.

        Raises CheckpointError for a file that holds something else, OSError if it cannot be
        written.
        """
        experiment = gathering.experiment
        counted = Counted.of(
            experiment, imposed, gathered.tally.by, gathering.where, gathering.control,
            gathered.layout,
        )  # fmt: skip
        total = experiment.games or experiment.deals
        saved = cls(path, counted, experiment.first, 0, total, gathered)
        if not Path(path).exists():
            saved.save()
            return saved
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
        add_counts(path, found, gathered)
        saved.finished = found.finished
        return saved

    def save(self) -> None:
        """Write the checkpoint; raises OSError."""
        write_checkpoint(self.path, self.counted, self.first, self.finished, self.gathered)

    def play(
        self, gathering: Gathering, threads: Threads, progress: ProgressLine
    ) -> tuple[Gathered, bool]:
        """Play what is left; what was gathered, and whether Ctrl-C ended it early."""
        progress.resume(self.finished)
        written = time.monotonic()
        with (
            Interruption() as interruption,
            closing(self._spans(gathering, threads, progress)) as spans,
        ):
            for _ in spans:
                now = time.monotonic()
                if (
                    now - written > SAVE_SECONDS
                    or self.finished == self.total
                    or interruption.asked
                ):
                    self.save()
                    written = now
                if interruption.asked:
                    break
        return self.gathered, self.finished < self.total

    def _spans(
        self, gathering: Gathering, threads: Threads, progress: ProgressLine
    ) -> Generator[None]:
        """Play what is left span by span, in order; each is gathered when it is finished."""
        if threads is None or isinstance(threads, int):
            yield from self._spans_here(gathering, at_once(threads), progress)
        elif self.finished < self.total:
            for part in folded_parts(self._next(gathering), gathering.start, threads):
                self.gathered.add_numbers(part.numbers)
                self.finished += part.count
                progress.advance(part.count)
                yield

    def _spans_here(
        self, gathering: Gathering, threads: int, progress: ProgressLine
    ) -> Generator[None]:
        """The same in threads."""
        in_games = self.counted.unit == "games"
        span = 2 * threads * (LANES if in_games else 4 * LANES)
        largest = GAMES_CHUNK if in_games else CHUNK
        while self.finished < self.total:
            experiment = self._next(gathering, span)
            began = time.monotonic()
            chunk = min(largest, max(1, span // (2 * threads)))
            folded = fold(experiment, gathering.start, threads, chunk, progress.advance)
            self.gathered.merge(folded.result)
            self.finished += experiment.games or experiment.deals
            if 2 * (time.monotonic() - began) < SPAN_SECONDS:
                span *= 2
            yield

    def _next(self, gathering: Gathering, most: int | None = None) -> Experiment:
        """What is not finished, or the first part of it."""
        left = self.total - self.finished
        count = left if most is None else min(most, left)
        in_games = self.counted.unit == "games"
        return replace(
            gathering.experiment,
            first=self.first + self.finished,
            deals=1 if in_games else count,
            games=count if in_games else None,
        )
