"""The result of `simulate`: its tables with the key figures, and its rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.arguments import parse_argument, split_items
from kqj_sim.columns import SENDER_HAND
from kqj_sim.core.types import BoolArray
from kqj_sim.errors import InputError
from kqj_sim.games import describe_listing, get_columns
from kqj_sim.messages import quote, suggest
from kqj_sim.output.screen import Run
from kqj_sim.plain import to_plain
from kqj_sim.questions.simulate.screen import make_simulation_drawing, make_simulation_screen
from kqj_sim.results import Result, write_rows
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows, list_row_columns
from kqj_sim.simulation.run import iterate_row_chunks
from kqj_sim.stats.tally import Tally

if TYPE_CHECKING:
    import pandas as pd


def choose_columns(columns: str | Sequence[str] | None, experiment: Experiment) -> list[str]:
    """Return names of columns of rows, by default all but `sender_hand`; or raise InputError."""
    game, known = experiment.rules.game, list_row_columns(experiment)
    names = known if columns is None else [*dict.fromkeys(split_items(columns))]
    if not names:
        raise InputError("no column is named: write names such as deal,contract")
    every = [*known, SENDER_HAND]
    needed = {column.name: column.rule for column in get_columns(game) if column.rule}
    needed |= dict.fromkeys(("game", "round"), ("games", 1000))
    for name in names:
        if name not in every:
            hint = suggest(name, every) or describe_listing(game)
            if name in needed:
                hint = "it needs `{}={!r}`".format(*needed[name])
            raise InputError(f"there is no column {quote(name)}: {hint}")
    return names


class SimulationResult(Result):
    """The result of `simulate`: tables of counts with intervals, and the rows on request.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.simulate(deals=300, policy="standard")
        >>> result.deals, len(result.frame(["contract"]))
        (300, 300)
    """

    kind: ClassVar[str] = "simulate"

    def __init__(
        self,
        tally: Tally,
        confidence: float,
        interrupted: bool,
        runner: Runner,
        can_resume: bool = False,
    ) -> None:
        run = Run.of(
            self.kind, tally.experiment, tally.deals, confidence=confidence,
            games=tally.experiment.games, by=tally.by, where=tally.where, interrupted=interrupted,
        )  # fmt: skip
        screen = make_simulation_screen(run, tally.tables(confidence))
        super().__init__(screen, partial(make_simulation_drawing, tally))
        self._tally = tally
        self._runner = runner
        self._can_resume = can_resume

    def frame(self, columns: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return one row per deal for which `where` holds.

        The deals are played again, with the same seed and so with the same results; memory is that
        of the rows and columns asked for.  Labels and places are categories, flags bool, numbers
        int32, or Int32 where they may be null (`deal`, `game` and `round` int64).

        Args:
            columns: names of columns, "deal,contract" or a list, as `kqj-sim columns` lists them;
                None for all but `sender_hand`.

        Raises:
            InputError: there is no such column.
        """
        import pandas as pd

        experiment, expression = self._tally.experiment, self._tally.expression
        if columns is not None:
            columns = parse_argument("columns", split_items, to_plain(columns))
        names = choose_columns(columns, experiment)
        filled = frozenset(names).union(() if expression is None else expression.columns)
        parts: list[pd.DataFrame] = []
        with self._runner:
            for rows in iterate_row_chunks(experiment, self._runner.workers, columns=filled):
                part = rows.frame(names)
                parts.append(part if expression is None else part[expression.mask(rows)])
        return pd.concat(parts, ignore_index=True)

    def describe_interruption(self) -> str:
        """Say how much was finished."""
        unit, total = self._tally.size
        wanted = f"{total:,} deals" if unit == "deals" else f"the deals of {total:,} games"
        hint = "; the same command goes on" if self._can_resume else ""
        return f"the tables hold {self.deals:,} of {wanted}{hint}"


# A simulation that writes its rows as they are played.


def play_and_write(
    path: str,
    columns: str | Sequence[str] | None,
    tally: Tally,
    confidence: float,
    runner: Runner,
) -> SimulationResult:
    """Play an experiment in order of deal; write its rows and count them.

    Raises:
        InputError: its suffix stands for no format; there is no such column.
        OSError: the file cannot be written; nothing was played.
        UnwrittenFileError: the rows could not be written, which ended the run; its result has the
            tables up to then.
    """
    names, expression = choose_columns(columns, tally.experiment), tally.expression
    filled = tally.columns.union(names)

    def play() -> Generator[tuple[Rows, BoolArray | None]]:
        with runner.start(*tally.size):
            for rows in iterate_row_chunks(tally.experiment, runner.workers, columns=filled):
                games = rows.finished_games
                tally.add(rows)
                if games is not None:
                    tally.add_games(games)
                yield rows, None if expression is None else expression.mask(rows)
                runner.advance(len(rows if games is None else games))
                if runner.interrupted:
                    return

    def make_result() -> SimulationResult:
        return SimulationResult(tally, confidence, runner.interrupted, runner)

    return write_rows(path, names, play(), make_result, runner.tell)
