"""Checkpoints: the counts of a range of deals in a file, to go on from and to be merged.

A file is numpy's archive (.npz) of the counts, with a JSON text `about` that says what was counted.
It appears whole or not at all, so that whatever ends the program leaves the last one.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from kqj_sim import __version__
from kqj_sim.core.compile import sources_hash
from kqj_sim.messages import shorten
from kqj_sim.reporting.files import OutputFile

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.reporting.gathered import Gathered


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used here; one line that says why and what would be right."""


@dataclass(frozen=True)
class Counted:
    """What was counted, but for how far.

    Attributes:
        version, sources: of the package; other sources may play other cards.
        game, rules: the game, and the rules as their `to_dict`.
        policies, players: the seats' players by their names, and with all their parameters.
        seed: of the deals.
        unit: `deals` or `games`.
        imposed: the Sender and contract that are given, as `--impose` says them.
        by, where: as in `Tally`.
        control: the policy of the control variate, as it is written.
        layout: of the counts (`Gathered.layout`).
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
    control: str | None
    layout: str

    @classmethod
    def of(
        cls, experiment: Experiment, imposed: str | None, by: tuple[str, ...], where: str | None,
        control: str | None, layout: str,
    ) -> Counted:  # fmt: skip
        """What an experiment counts."""
        return cls(
            version=__version__,
            sources=sources_hash(),
            game=experiment.rules.game,
            rules=experiment.rules.to_dict(),
            policies=tuple(player.name for player in experiment.players),
            players=tuple(player.text for player in experiment.players),
            seed=experiment.seed,
            unit="deals" if experiment.games is None else "games",
            imposed=imposed,
            by=by,
            where=where,
            control=control,
            layout=layout,
        )

    def difference(self, other: Counted) -> str:
        """The first thing in which another one differs, in words; empty if there is none."""
        known = {
            "sources": "it was made by other sources of the package",
            "layout": "it counts for other tables, or for another picture",
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
    """Counts of `finished` deals (or games) from the number `first` on."""

    counted: Counted
    first: int
    finished: int
    numbers: dict[str, NDArray[np.int64]]


class _About(msgspec.Struct):
    """What a file says of its counts."""

    counted: Counted
    first: Annotated[int, msgspec.Meta(ge=0)]
    finished: Annotated[int, msgspec.Meta(ge=0)]


def write_checkpoint(path: str | Path, counted: Counted, first: int, finished: int,
                     gathered: Gathered) -> None:  # fmt: skip
    """Write a checkpoint, in place of one that is there; raises OSError."""
    about = {"counted": vars(counted), "first": first, "finished": finished}
    arrays = {
        "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        **gathered.numbers(),
    }
    with OutputFile(path) as stream:
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        stream.write(content.getvalue())


def read_checkpoint(path: str | Path) -> Checkpoint:
    """The checkpoint in a file.

    Raises:
        CheckpointError: it is none.
        OSError: it cannot be read.
    """
    content = Path(path).read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            numbers = {name: archive[name] for name in archive.files}
        about = msgspec.json.decode(numbers.pop("about").tobytes(), type=_About)
    except Exception as error:  # A damaged archive makes numpy and zipfile raise any kind.
        reason = shorten(" ".join(str(error).split()) or type(error).__name__, 120)
        raise CheckpointError(f"{path} is no checkpoint of kqj-sim: {reason}") from None
    return Checkpoint(about.counted, about.first, about.finished, numbers)


def add_counts(name: str, checkpoint: Checkpoint, gathered: Gathered) -> None:
    """Add the counts of a checkpoint, which errors call by its name.

    Raises:
        CheckpointError: they are not those of its layout.
    """
    try:
        gathered.add_numbers(checkpoint.numbers)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = shorten(" ".join(str(error).split()), 120)
        raise CheckpointError(f"{name} is damaged: its counts do not fit ({reason})") from None
