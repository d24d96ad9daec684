"""Checkpoints: the counts of a range of deals in a file, to be continued and merged.

A file is a numpy archive (.npz) of the counts, with a JSON text `about` that describes the run.
It appears whole or not at all, so that whatever ends the program leaves the last one.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from kqj_sim import __version__
from kqj_sim.analysis.tally import Tally
from kqj_sim.core.code_cache import hash_sources
from kqj_sim.experiment import Experiment
from kqj_sim.imposed import ImposedContract
from kqj_sim.messages import shorten
from kqj_sim.reporting.files import OutputFile
from kqj_sim.reporting.run import Run
from kqj_sim.rules import make_rules
from kqj_sim.text_files import read_bytes

MAX_UNPACKED = 1 << 30
"""Most bytes of the counts of a checkpoint; those of a million groups take some fifty millions."""


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used; one line that says why and what would be right."""


@dataclass(frozen=True)
class CountedRun:
    """A run whose counts are in a checkpoint, without its range of deals.

    Attributes:
        version, sources: version of the package and hash of its sources, which decide the play.
        game, rules: the game, and the rules as their `to_dict`.
        policies, players: the seats' players by their names, and with all their parameters.
        seed: of the deals.
        unit: `deals` or `games`.
        imposed: the imposed Sender and contract, as the argument of `--impose`.
        by, where: as in `Tally`.
        layout: of the counts (`Tally.layout`).
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
    layout: str

    @classmethod
    def of(cls, tally: Tally) -> CountedRun:
        """Return the run that a tally counts."""
        experiment = tally.experiment
        return cls(
            version=__version__,
            sources=hash_sources(),
            game=experiment.rules.game,
            rules=experiment.rules.to_dict(),
            policies=tuple(player.name for player in experiment.players),
            players=tuple(player.text for player in experiment.players),
            seed=experiment.seed,
            unit="deals" if experiment.games is None else "games",
            imposed=experiment.imposed_text,
            by=tally.by,
            where=tally.where,
            layout=tally.layout,
        )

    def difference(self, other: CountedRun) -> str:
        """Return the first difference to another run, in words; empty if there is none."""
        known = {
            "sources": "it was made by other sources of the package",
            "layout": "it counts for other tables",
            "players": "the players have other parameters",
        }
        for name, mine in vars(self).items():
            others = getattr(other, name)
            if mine == others:
                continue
            if name in known:
                return known[name]
            if isinstance(mine, dict):
                name = next(key for key in mine if mine[key] != others.get(key))
                mine, others = mine[name], others.get(name)
            elif isinstance(mine, tuple):
                mine, others = ", ".join(mine) or "nothing", ", ".join(others) or "nothing"
            return f"{name.replace('_', ' ')} {others} and not {mine}"
        return ""


@dataclass(frozen=True)
class Checkpoint:
    """The counts of `finished` deals (or games) from number `first` on."""

    counted: CountedRun
    first: int
    finished: int
    numbers: dict[str, NDArray[np.int64]]


class _About(msgspec.Struct):
    """The text `about` of a file."""

    counted: CountedRun
    first: Annotated[int, msgspec.Meta(ge=0)]
    finished: Annotated[int, msgspec.Meta(ge=0)]


def write_checkpoint(path: str | Path, counted: CountedRun, first: int, finished: int,
                     tally: Tally) -> None:  # fmt: skip
    """Write a checkpoint, replacing one of that name; raise OSError if that fails."""
    about = {"counted": vars(counted), "first": first, "finished": finished}
    arrays = {
        "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        **tally.numbers(),
    }
    with OutputFile(path) as stream:
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        stream.write(content.getvalue())


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read the checkpoint in a file.

    Raises:
        CheckpointError: it is not a checkpoint.
        OSError: it cannot be read.
    """
    content = io.BytesIO(read_bytes(path, MAX_UNPACKED))
    try:
        with zipfile.ZipFile(content) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_UNPACKED:
            raise ValueError
        with np.load(content, allow_pickle=False) as arrays:
            numbers = {name: arrays[name] for name in arrays.files}
        about = msgspec.json.decode(numbers.pop("about").tobytes(), type=_About)
        if any(array.dtype != np.int64 for array in numbers.values()):
            raise TypeError
    except Exception:
        # A damaged archive makes numpy and zipfile raise any kind; their advice is no help here.
        raise CheckpointError(
            f"{path} is no checkpoint of kqj-sim, or a damaged one: name another file, or delete "
            "this one to begin anew"
        ) from None
    return Checkpoint(about.counted, about.first, about.finished, numbers)


def add_counts(name: str, checkpoint: Checkpoint, tally: Tally) -> None:
    """Add the counts of a checkpoint.

    Args:
        name: what errors call it.
        checkpoint: the checkpoint.
        tally: counts of the same layout, which grow.

    Raises:
        CheckpointError: the file is damaged: its counts do not have its layout.
    """
    before = tally.deals
    try:
        tally.add_numbers(checkpoint.numbers)
        deals, unit = tally.deals - before, checkpoint.counted.unit
        if deals > checkpoint.finished and unit == "deals":
            raise ValueError(f"{deals:,} deals of {checkpoint.finished:,}")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = shorten(" ".join(str(error).split()), 120)
        raise CheckpointError(f"{name} is damaged: its counts do not fit ({reason})") from None


@dataclass(frozen=True)
class MergedRun:
    """Neighbouring checkpoints put together.

    Attributes:
        counted: the run that was counted.
        first, finished: first number and number of deals, or of games.
        tally: the counts.
        run: the run, as a report shows it.
    """

    counted: CountedRun
    first: int
    finished: int
    tally: Tally
    run: Run


def merge_checkpoints(
    checkpoints: Sequence[tuple[str, Checkpoint]], confidence: float
) -> MergedRun:
    """Put checkpoints together.

    Args:
        checkpoints: the name of each file and its checkpoint, in any order.
        confidence: confidence level of the intervals of the tables.

    Raises:
        CheckpointError: they are of different runs, or their ranges overlap or leave a gap.
    """
    ordered = sorted(checkpoints, key=lambda part: part[1].first)
    name, before = ordered[0]
    counted = before.counted
    for other_name, other in ordered[1:]:
        difference = counted.difference(other.counted)
        if difference:
            raise CheckpointError(f"{other_name} is of another run than {name}: {difference}")
    for (name, before), (other_name, other) in pairwise(ordered):
        end, unit = before.first + before.finished, counted.unit
        if other.first != end:
            what = "begins before" if other.first < end else "leaves a gap to"
            raise CheckpointError(
                f"{other_name} begins with number {other.first:,} and {what} the end of {name}, "
                f"which holds {unit} {before.first:,} to {end - 1:,}: ranges must be neighbours"
            )
    try:
        tally = _make_empty_tally(counted)
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointError(f"{ordered[0][0]} is damaged: {error}") from None
    for name, part in ordered:
        add_counts(name, part, tally)
    first, finished = ordered[0][1].first, sum(part.finished for _, part in ordered)
    run = _make_run(counted, first, finished, tally, confidence)
    return MergedRun(counted, first, finished, tally, run)


def _make_empty_tally(counted: CountedRun) -> Tally:
    """Return empty counts of the layout of a run."""
    games = counted.unit == "games"
    # Counting looks at the rules and not at who plays: policies may be files that are not here.
    experiment = Experiment(
        rules=make_rules(counted.game, counted.rules),
        deals=1,
        seed=counted.seed,
        games=1 if games else None,
        imposed=ImposedContract.from_text(counted.imposed) if counted.imposed else None,
    )
    tally = Tally(experiment, counted.by, counted.where)
    if tally.layout == counted.layout:
        return tally
    raise CheckpointError("the files count for other tables than this version of kqj-sim makes")


def _make_run(
    counted: CountedRun, first: int, finished: int, tally: Tally, confidence: float
) -> Run:
    return Run(
        command="simulate",
        rules=make_rules(counted.game, counted.rules),
        policies=counted.policies,
        players=counted.players,
        seed=counted.seed,
        first=first,
        deals=tally.deals,
        confidence=confidence,
        games=finished if counted.unit == "games" else None,
        imposed=counted.imposed,
        by=counted.by,
        where=counted.where,
        interrupted=False,
    )
