"""What the rows of an experiment are reduced to."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kqj_sim.rows import GameRows, Rows


class Summary(Protocol):
    """What rows are reduced to; merging must not depend on the order."""

    @property
    def columns(self) -> frozenset[str] | None:
        """The columns of the rows that it looks at, the others are not made; None: all."""

    def add(self, rows: Rows) -> None:
        """Take in the rows of a chunk, in a worker's thread."""

    def add_games(self, games: GameRows) -> None:
        """Take in finished games, in a worker's thread."""

    def merge(self, other: Any) -> None:
        """Take in what another summary took in."""


@runtime_checkable
class Sendable(Protocol):
    """A summary whose counts can be sent, and kept."""

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""

    def add_numbers(self, numbers: dict[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` of such a summary gave."""


S = TypeVar("S", bound=Summary)


@dataclass(frozen=True)
class Folded(Generic[S]):
    """A reduced experiment.

    Attributes:
        result: what the rows were reduced to.
        deals: finished rounds that it holds.
        interrupted: True if Ctrl-C ended it early.
    """

    result: S
    deals: int
    interrupted: bool


@dataclass(frozen=True)
class Part:
    """What came of a range of deals (or games) that was played elsewhere.

    Attributes:
        count: how many they are.
        deals: rounds that were played.
        numbers: what the summary counted.
    """

    count: int
    deals: int
    numbers: dict[str, NDArray[np.int64]]


class Received(Generic[S]):
    """What a crew has played, added up."""

    def __init__(self, summary: S) -> None:
        self.summary = summary
        self.deals = 0

    def take(self, parts: Iterable[Part]) -> Generator[int]:
        """Add up parts; the numbers of deals, or games."""
        # Ctrl-C, which reaches the main thread, must not end an addition half-way.
        with ThreadPoolExecutor(1) as pool:
            for part in parts:
                yield pool.submit(self._add, part).result()

    def _add(self, part: Part) -> int:
        assert isinstance(self.summary, Sendable)
        self.summary.add_numbers(part.numbers)
        self.deals += part.deals
        return part.count
