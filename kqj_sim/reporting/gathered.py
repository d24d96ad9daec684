"""What is made of a simulation's rows as they come: counts for tables, and for the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.analysis import Expression, Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kqj_sim.reporting.plots import PlotCounts
    from kqj_sim.simulation import Experiment, GameRows, Rows


@dataclass(frozen=True)
class Gathering:
    """What is to be made of the rows.

    Attributes:
        experiment: what is played.
        by, where: as in `Tally`.
        expression: `where`, compiled.
        plot: whether there is to be a picture.
    """

    experiment: Experiment
    by: tuple[str, ...]
    where: str | None
    expression: Expression | None
    plot: bool

    def start(self) -> Gathered:
        """Nothing gathered yet; raises what is wrong with `by` and `where`."""
        tally = Tally(self.experiment, self.by, self.where)
        if not self.plot:
            return Gathered(tally, None)
        from kqj_sim.reporting.plots import PlotCounts

        return Gathered(tally, PlotCounts(self.expression))


class Gathered:
    """The tally, and the counts of the picture if there is to be one; takes part in `fold`."""

    def __init__(self, tally: Tally, plot: PlotCounts | None) -> None:
        self.tally = tally
        self.plot = plot

    def add(self, rows: Rows) -> None:
        """Count a chunk of rows."""
        self.tally.add(rows)
        if self.plot is not None:
            self.plot.add(rows)

    def add_games(self, games: GameRows) -> None:
        """Count finished games."""
        self.tally.add_games(games)

    def merge(self, other: Gathered) -> None:
        """Add what another one counted."""
        self.tally.merge(other.tally)
        if self.plot is not None and other.plot is not None:
            self.plot.merge(other.plot)

    @property
    def layout(self) -> str:
        """What is counted, in words that are the same only where `numbers` can be added."""
        plot = "" if self.plot is None else f" | {self.plot.layout}"
        return self.tally.layout + plot

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""
        parts = {"tally": self.tally.numbers()}
        if self.plot is not None:
            parts["plot"] = self.plot.numbers()
        return {f"{part}.{name}": each for part in parts for name, each in parts[part].items()}

    def add_numbers(self, numbers: dict[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` gave where the `layout` is the same; raises KeyError."""
        parts: dict[str, dict[str, NDArray[np.int64]]] = {"tally": {}, "plot": {}}
        for key, array in numbers.items():
            part, _, name = key.partition(".")
            parts[part][name] = array
        self.tally.add_numbers(parts["tally"])
        if self.plot is not None:
            self.plot.add_numbers(parts["plot"])
