"""What is made of a simulation's rows as they come: counts for tables, and for the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kqj_sim.analysis import Expression, Table, Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kqj_sim.analysis.control import ControlTally
    from kqj_sim.analysis.game_control import GameControlTally
    from kqj_sim.experiment import Experiment
    from kqj_sim.reporting.plot_counts import PlotCounts
    from kqj_sim.rows import GameRows, Rows


@dataclass(frozen=True)
class Gathering:
    """What is to be made of the rows.

    Attributes:
        experiment: what is played.
        by, where: as in `Tally`.
        expression: `where`, compiled.
        plot: whether there is to be a picture.
        control: specification of the control (`ControlTally`, `GameControlTally`), or None.
    """

    experiment: Experiment
    by: tuple[str, ...]
    where: str | None
    expression: Expression | None
    plot: bool
    control: str | None

    def start(self) -> Gathered:
        """Nothing gathered yet; raises what is wrong with `by` and `where`."""
        gathered = Gathered(Tally(self.experiment, self.by, self.where))
        if self.plot:
            from kqj_sim.reporting.plots import plot_counts

            gathered.plot = plot_counts(self.experiment.rules.game, self.expression)
        if self.control is not None:
            from kqj_sim.analysis.control import ControlTally
            from kqj_sim.analysis.game_control import GameControlTally

            kind = ControlTally if self.experiment.games is None else GameControlTally
            gathered.control = kind(self.experiment, self.control)
        return gathered


class Gathered:
    """The tally, the counts of the picture and the sums of the control, if they are asked for.

    Takes part in `fold`.
    """

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.plot: PlotCounts | None = None
        self.control: ControlTally | GameControlTally | None = None

    def _parts(self) -> dict[str, Tally | PlotCounts | ControlTally | GameControlTally]:
        """What there is, by name."""
        parts = {"tally": self.tally, "plot": self.plot, "control": self.control}
        return {name: part for name, part in parts.items() if part is not None}

    def add(self, rows: Rows) -> None:
        """Count a chunk of rows."""
        for part in self._parts().values():
            part.add(rows)

    def add_games(self, games: GameRows) -> None:
        """Count finished games."""
        self.tally.add_games(games)
        if self.control is not None:
            self.control.add_games(games)

    def merge(self, other: Gathered) -> None:
        """Add what another one counted."""
        self.tally.merge(other.tally)
        if self.plot is not None and other.plot is not None:
            self.plot.merge(other.plot)
        if self.control is not None and other.control is not None:
            self.control.add_numbers(other.control.numbers())

    def tables(self, confidence: float) -> list[Table]:
        """The tables of the tally, and that of the control."""
        tables = self.tally.tables(confidence)
        return tables if self.control is None else [*tables, self.control.table(confidence)]

    @property
    def layout(self) -> str:
        """What is counted, in words that are the same only where `numbers` can be added."""
        return " | ".join(f"{name}: {part.layout}" for name, part in self._parts().items())

    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """Everything counted, as arrays by name."""
        return {
            f"{name}.{what}": numbers
            for name, part in self._parts().items()
            for what, numbers in part.numbers().items()
        }

    def add_numbers(self, numbers: dict[str, NDArray[np.int64]]) -> None:
        """Add what `numbers` gave where the `layout` is the same; raises KeyError."""
        for name, part in self._parts().items():
            start = f"{name}."
            part.add_numbers(
                {key.removeprefix(start): n for key, n in numbers.items() if key.startswith(start)}
            )
