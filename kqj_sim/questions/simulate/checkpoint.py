"""Checkpoints: a simulation saves its counts to a file as it goes, and resumes from it.

A file is a numpy archive (.npz) of the counts, with a JSON text `about` that describes the run.
It appears whole or not at all, so that whatever ends the program leaves the last one.
"""

from __future__ import annotations

import hashlib
import io
import time
import warnings
import zipfile
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.block import LANES
from kqj_sim.core.code_cache import hash_sources
from kqj_sim.errors import RunError
from kqj_sim.output.files import OutputFile
from kqj_sim.runner import Runner
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import CHUNK_GAMES, reduce_ranges, reduce_rows
from kqj_sim.simulation.workers import count_workers
from kqj_sim.stats.tally import Tally
from kqj_sim.text_files import read_bytes
from kqj_sim.version import __version__

SPAN_SECONDS = 1.0
"""Approximate time of a span, after which Ctrl-C and the time of the last save are checked."""

SAVE_SECONDS = 2.0
"""Time between two saves, the most that is lost when the process ends."""

MAX_UNPACKED = 1 << 30
"""Most bytes of the counts of a checkpoint; those of a million groups take some fifty millions."""


class SavedCounts(msgspec.Struct):
    """The run whose counts a checkpoint holds, and how much of it is finished.

    Attributes:
        version, sources: version of the package and hash of its sources, which decide the play.
        game, rules: the game, and the rules as their `to_dict`.
        policies, players: the seats' players by their names, and with all their parameters.
        unit: `deals` or `games`.
        imposed: the imposed Sender and contract, as the argument `impose`.
        by, where: as in `Tally`.
        finished: the number of deals, or games, that were counted.
        digest: of the counts and their number, which tells those that were changed.
    """

    version: str
    sources: str
    game: str
    rules: dict[str, Any]
    policies: tuple[str, ...]
    players: tuple[str, ...]
    seed: int
    unit: Literal["deals", "games"]
    imposed: str | None
    by: tuple[str, ...]
    where: str | None
    first: Annotated[int, msgspec.Meta(ge=0)]
    finished: Annotated[int, msgspec.Meta(ge=0)] = 0
    digest: str = ""

    def describe_difference(self, other: SavedCounts) -> str:
        """Return the first difference to the counts of another run; empty if there is none."""
        known = {
            "sources": "it was made by other sources of the package",
            "players": "the players have other parameters",
        }
        for name in self.__struct_fields__[:-2]:
            mine, others = getattr(self, name), getattr(other, name)
            if mine == others:
                continue
            if name in known:
                return known[name]
            if isinstance(mine, dict):
                name = next(
                    key
                    for key in {**mine, **others}
                    if (key in mine, mine.get(key)) != (key in others, others.get(key))
                )
                mine, others = mine.get(name, "nothing"), others.get(name, "nothing")
            elif isinstance(mine, tuple):
                mine, others = ", ".join(mine) or "nothing", ", ".join(others) or "nothing"
            return f"{name.replace('_', ' ')} {others} and not {mine}"
        return ""


def _hash_counts(finished: int, numbers: Mapping[str, NDArray[np.int64]]) -> str:
    digest = hashlib.sha256(str(finished).encode())
    for name, array in sorted(numbers.items()):
        digest.update(f" {name} {array.shape} ".encode() + array.tobytes())
    return digest.hexdigest()


def read_checkpoint(path: str | Path) -> tuple[SavedCounts, dict[str, NDArray[np.int64]]]:
    """Read what a checkpoint counts, and the `Tally.numbers`; raise RunError for another file."""
    content = io.BytesIO(read_bytes(path, MAX_UNPACKED))
    try:
        with zipfile.ZipFile(content) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED:
            raise ValueError
        with np.load(content, allow_pickle=False) as arrays:
            numbers = {name: arrays[name] for name in arrays.files}
        saved = msgspec.json.decode(numbers.pop("about").tobytes(), type=SavedCounts)
        if any(array.dtype != np.int64 for array in numbers.values()):
            raise TypeError
    except Exception:
        # A damaged archive makes numpy and zipfile raise any kind; their advice is no help here.
        raise RunError(
            f"{path} is not a checkpoint of kqj-sim, or is damaged: name another file, or delete "
            "this one to begin anew"
        ) from None
    return saved, numbers


class SavedRun:
    """A run whose counts are saved to a file as it goes; it resumes that of an existing file.

    Args:
        tally: empty counts of the experiment, to which all deals are added.

    Attributes:
        is_saved: False once the file could not be written, until it can.

    Raises:
        RunError: the file holds another run.
        OSError: the file cannot be read or written.
    """

    def __init__(self, path: str, tally: Tally) -> None:
        self.path = path
        self.is_saved = True
        self.tally = tally
        self._start_tally = partial(Tally, tally.experiment, tally.by, tally.where)
        experiment = tally.experiment
        unit, self.total = tally.size
        self.saved = SavedCounts(
            version=__version__,
            sources=hash_sources(),
            game=experiment.rules.game,
            rules=experiment.rules.to_dict(),
            policies=tuple(player.name for player in experiment.players),
            players=tuple(player.text for player in experiment.players),
            seed=experiment.seed,
            unit=unit,
            imposed=experiment.imposed_text,
            by=tally.by,
            where=tally.where,
            first=experiment.first,
        )
        if not Path(path).exists():
            self.save()
            return
        with OutputFile(path):
            pass  # Tells before the run if the file cannot be written.
        saved, numbers = read_checkpoint(path)
        difference = self.saved.describe_difference(saved)
        if not difference and saved.finished > self.total:
            difference = f"{saved.finished:,} {unit} and not {self.total:,}"
        if difference:
            raise RunError(
                f"{path} is the checkpoint of another run ({difference}): give the options it was "
                "made with, or another file"
            )
        if saved.digest != _hash_counts(saved.finished, numbers):
            raise RunError(
                f"{path} is damaged: its counts were changed; name another file, or delete this "
                "one to begin anew"
            )
        self.tally.add_numbers(numbers)
        self.saved.finished = saved.finished

    def save(self) -> None:
        """Write the checkpoint, replacing one of that name; raise OSError if that fails."""
        numbers = self.tally.numbers()
        self.saved.digest = _hash_counts(self.saved.finished, numbers)
        about = np.frombuffer(msgspec.json.encode(self.saved), dtype=np.uint8)
        content = io.BytesIO()
        arrays: dict[str, Any] = {"about": about, **numbers}
        with OutputFile(self.path) as stream:
            np.savez_compressed(content, **arrays)
            stream.write(content.getvalue())

    def play(self, runner: Runner) -> bool:
        """Play the rest; return False if Ctrl-C ended it early."""
        with runner.start(*self.tally.size), closing(self._play_spans(runner)) as spans:
            runner.resume(self.saved.finished)
            written = time.monotonic()
            for _ in spans:
                now = time.monotonic()
                if now - written > SAVE_SECONDS or self._is_finished or runner.interrupted:
                    self._save_or_warn()
                    written = now
                if runner.interrupted:
                    break
        return self._is_finished

    def _save_or_warn(self) -> None:
        """Save the run; if that fails, say so once: the run goes on, and tries again."""
        try:
            self.save()
        except OSError as error:
            if self.is_saved:
                message = f"{self.path} {error.strerror}; the run goes on, and tries again"
                warnings.warn(message, RuntimeWarning, stacklevel=4)
            self.is_saved = False
        else:
            self.is_saved = True

    @property
    def _is_finished(self) -> bool:
        return self.saved.finished >= self.total

    def _play_spans(self, runner: Runner) -> Generator[None]:
        """Play the rest span by span, in order; add the counts of each finished span."""
        workers = runner.workers
        if workers is None or isinstance(workers, int):
            yield from self._play_spans_in_threads(count_workers(workers), runner)
        elif not self._is_finished:
            ranges = reduce_ranges(self._make_next_span(), self._start_tally, workers)
            for count, _, numbers in ranges:
                self.tally.add_numbers(numbers)
                self.saved.finished += count
                runner.advance(count)
                yield

    def _play_spans_in_threads(self, threads: int, runner: Runner) -> Generator[None]:
        in_games = self.saved.unit == "games"
        span = 2 * threads * (LANES if in_games else 4 * LANES)
        largest = CHUNK_GAMES if in_games else CHUNK_ROWS
        while not self._is_finished:
            experiment = self._make_next_span(span)
            began = time.monotonic()
            chunk = min(largest, max(1, span // (2 * threads)))
            reduced = reduce_rows(experiment, self._start_tally, threads, chunk, runner.advance)
            if reduced.interrupted:  # A second Ctrl-C: the span is not complete.
                raise KeyboardInterrupt
            self.tally.merge(reduced.result)
            self.saved.finished += experiment.games or experiment.deals
            if 2 * (time.monotonic() - began) < SPAN_SECONDS:
                span *= 2
            yield

    def _make_next_span(self, most: int | None = None) -> Experiment:
        """Return the unfinished deals (or games), or at most `most` of them, as an experiment."""
        left = self.total - self.saved.finished
        count = left if most is None else min(most, left)
        in_games = self.saved.unit == "games"
        return replace(
            self.tally.experiment,
            first=self.saved.first + self.saved.finished,
            deals=1 if in_games else count,
            games=count if in_games else None,
        )
