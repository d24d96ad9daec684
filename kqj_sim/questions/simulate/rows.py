"""A simulation that writes its rows as they are played."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from kqj_sim.output.rows import RowsFile
from kqj_sim.questions.simulate.result import SimulationResult, choose_columns
from kqj_sim.results import UnwrittenFileError
from kqj_sim.runner import Runner
from kqj_sim.simulation.run import iterate_row_chunks
from kqj_sim.stats.tally import Tally


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
    failure = None
    names = choose_columns(columns, tally.experiment)
    file, expression = RowsFile(path, names), tally.expression
    filled = tally.columns.union(names)
    with ExitStack() as stack:
        stack.enter_context(file)
        with runner.start(*tally.size):
            for rows in iterate_row_chunks(tally.experiment, runner.workers, columns=filled):
                tally.add(rows)
                if rows.finished_games is not None:
                    tally.add_games(rows.finished_games)
                try:
                    file.write(rows, None if expression is None else expression.mask(rows))
                except OSError as error:
                    failure = error
                    break
                runner.advance(len(rows if rows.finished_games is None else rows.finished_games))
                if runner.interrupted:
                    break
        result = SimulationResult(tally, confidence, runner.interrupted, runner)
        try:
            if failure is not None:
                raise failure
            file.finish(result.screen.run)
            stack.close()
        except OSError as error:
            note = f"The rows were not written: the tables hold {result.deals:,} deals"
            raise UnwrittenFileError(path, error, result, note) from None
    if file.sidecar is not None:
        runner.tell(f"Rules, players and seed: {file.sidecar}")
    return result
