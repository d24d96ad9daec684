"""Checkpoints: the counts of a range of deals in a file, from which a run is resumed.

A file is a numpy archive (.npz) of the counts, with a JSON text `about` that describes the run.
It appears whole or not at all, so that whatever ends the program leaves the last one.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from kqj_sim import __version__
from kqj_sim.analysis.tally import Tally
from kqj_sim.core.code_cache import hash_sources
from kqj_sim.messages import shorten
from kqj_sim.reporting.files import OutputFile
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
        )

    def difference(self, other: CountedRun) -> str:
        """Return the first difference to another run, in words; empty if there is none."""
        known = {
            "sources": "it was made by other sources of the package",
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
        tally: counts of the same run, which grow.

    Raises:
        CheckpointError: the file is damaged: its counts do not fit the run.
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
