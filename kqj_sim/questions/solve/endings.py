"""Endings of many deals: their exact values, beside what was played."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import SUITS
from kqj_sim.core.block import LANES
from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import say
from kqj_sim.policies.card_sets import RANK_ORDER
from kqj_sim.positions.solver import Solver
from kqj_sim.questions.solve.result import SolveResult
from kqj_sim.results import write_rows
from kqj_sim.rules import KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.blocks import BlockPlayer, report_illegal_choices
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows, copy_rows, list_row_columns
from kqj_sim.simulation.workers import Workers, count_workers, map_in_threads
from kqj_sim.stats.intervals import estimate_mean, estimate_share
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    import pandas as pd


ENDING_COLUMNS = ("leader", "contracting_leads", "best", "value", "played")

_TEXTS = np.array([rank + suit for suit in SUITS for rank in RANK_ORDER.ljust(16)])
"""The texts of cards, by the numbers of their bits in natural coding."""


@dataclass(frozen=True, kw_only=True)
class Endings(Rows):
    """Rows of deals that were also solved, but for those passed out, before their last tricks.

    `leader` is the seat to lead, `best` the text of its first best card, and `contracting_leads`
    True if it belongs to the contracting side, whose lead is `value` with the best play of all from
    there on, and `played` as played.
    """

    array_names: ClassVar = (*Rows.array_names, *ENDING_COLUMNS)

    leader: Int64Array
    contracting_leads: BoolArray
    best: NDArray[np.str_]
    value: Float64Array
    played: Float64Array


def play_endings(experiment: Experiment, cards: int, workers: Workers) -> Generator[Endings]:
    """Yield chunks of deals, solved where each player has so many cards left, 1 to 8."""
    rules, seating = cast(KqjRules, experiment.rules), experiment.compile_seating()

    def make_worker() -> Callable[[int, int], Endings]:
        player, solver = BlockPlayer(experiment, seating, LANES, with_fingerprints=True), Solver()

        def play(first: int, count: int) -> Endings:
            (rows,) = player.play(first, count)
            lanes = int(rows.column("taken").sum())
            value, place, best = solver.value_endings(player.state, lanes, rules, cards)
            leader = (rows.column("dealer") + 1 + place[:count]) % rules.seats
            teams = np.array([rows.column(f"team_of_seat_{seat}") for seat in range(rules.seats)])
            others = rows.column("defending_score") / (rules.team_count - 1)
            endings = Endings(
                **vars(rows), leader=leader, best=_TEXTS[best[:count]], value=value[:count] / 2,
                contracting_leads=teams[leader, range(count)] == rows.column("contracting_team"),
                played=rows.column("contracting_score") - others,
            )  # fmt: skip
            return cast(Endings, copy_rows(endings))

        return play

    # To solve what is left of 256 deals takes milliseconds with four cards, a minute with eight.
    size, end = LANES >> max(0, 2 * cards - 8), experiment.first + experiment.deals
    with report_illegal_choices():
        functions = [make_worker() for _ in range(count_workers(workers))]
        yield from map_in_threads(functions, experiment.first, end, size)


class EndingsResult(SolveResult):
    """The result of `solve` with `deals`: means and shares, and a row for each ending."""

    def __init__(self, screen: Screen, experiment: Experiment, cards: int, runner: Runner) -> None:
        super().__init__(screen)
        self._experiment, self._cards, self._runner = experiment, cards, runner

    def frame(self) -> pd.DataFrame:
        """Return one row per ending; the deals are played again."""
        import pandas as pd

        names = [*list_row_columns(self._experiment), *ENDING_COLUMNS]
        with self._runner as runner:
            chunks = play_endings(self._experiment, self._cards, runner.workers)
            parts = [rows.frame(names)[rows.column("taken")] for rows in chunks]
        return pd.concat(parts).sort_values("deal", ignore_index=True)


def solve_endings(
    experiment: Experiment, cards: int, path: str | os.PathLike[str] | None, confidence: float,
    runner: Runner,
) -> EndingsResult:  # fmt: skip
    """Play deals and solve the ending of each; write the rows to a file if there is a path.

    Raises:
        InputError: its suffix stands for no format.
        OSError: it cannot be written; nothing was played.
        UnwrittenFileError: the rows could not be written, which ended the run.
    """
    # Twice what the Sender's side gained, and its size; contracts that could be made, and were.
    gains, sizes, counts = Counter[int](), Counter[int](), Counter[str]()

    def play() -> Generator[tuple[Rows, BoolArray]]:
        with runner.start("deals", experiment.deals):
            for rows in play_endings(experiment, cards, runner.workers):
                taken = rows.column("taken")
                value, played = rows.value[taken], rows.played[taken]
                gained = (2 * (played - value)).astype(int)
                gains.update(gained.tolist())
                sizes.update(abs(gained).tolist())
                counts.update(deals=len(rows), could=sum(value > 0), made=sum(played > 0))
                yield rows, taken
                runner.advance(len(rows))
                if runner.interrupted:
                    return

    def make_result() -> EndingsResult:
        run = Run.of(
            SolveResult.kind, experiment, counts["deals"], confidence=confidence,
            interrupted=runner.interrupted, details={"cards": cards},
        )  # fmt: skip
        count = gains.total()
        numbers = {
            "net_gain_mean": estimate_mean(gains, confidence) * 0.5,
            "distance_mean": estimate_mean(sizes, confidence) * 0.5,
            "off_best_share": estimate_share(count - gains[0], count, confidence),
        }
        # With three teams a contract may be made with less than the mean of the others.
        if experiment.rules.team_count == 2:
            numbers["makeable_share"] = estimate_share(counts["could"], count, confidence)
            numbers["made_share"] = estimate_share(counts["made"], count, confidence)
        lines: list[TableRow] = [((), *number) for number in numbers.items()]
        title = "What was played, and the best play"
        table = Table("endings", title, (), lines, game=experiment.rules.game)
        headline = say(SolveResult.__module__, "endings", cards, numbers)
        return EndingsResult(Screen(run, [table], [headline], shown=()), experiment, cards, runner)

    names = [*list_row_columns(experiment), *ENDING_COLUMNS]
    written = None if path is None else os.fspath(path)
    return write_rows(written, names, play(), make_result, runner.tell)
