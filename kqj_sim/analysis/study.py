"""A study: everything that a report tells of one experiment, in tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from kqj_sim.analysis.compare import Comparison, compare
from kqj_sim.analysis.compare_tables import make_comparison_tables
from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE
from kqj_sim.analysis.round_tables import get_game_tables
from kqj_sim.analysis.tables import Table
from kqj_sim.analysis.take_chart import make_take_chart
from kqj_sim.analysis.tally import Tally
from kqj_sim.experiment import Experiment
from kqj_sim.rows import Rows
from kqj_sim.rules import KqjRules
from kqj_sim.simulation import iterate_row_chunks, reduce_rows
from kqj_sim.workers import Workers


class ProgressDisplay(Protocol):
    """What is told how far a part of the work has come."""

    def advance(self, count: int) -> None:
        """Say that so many more are finished."""


ProgressFactory = Callable[[str, int], AbstractContextManager[ProgressDisplay]]
"""Opens the progress of a part of the work: what is counted, and how many there will be."""


@dataclass(frozen=True)
class StudyPlan:
    """What is to be found out, of an experiment of single rounds.

    Attributes:
        name: what the experiment is called among several; may be empty.
        experiment: the deals.
        games: whole games that are played besides, 0 for none.
        chart_deals: deals of the take chart, at most those of the experiment; 0 for none.
        compared_policies: policies that are compared under the same rules, two or more, or none.
        compared_deals: deals of each pair of them, from the first on.
        confidence: of the intervals.
    """

    name: str
    experiment: Experiment
    games: int
    chart_deals: int
    compared_policies: tuple[str, ...] = ()
    compared_deals: int = 0
    confidence: float = DEFAULT_CONFIDENCE

    @property
    def take_chart_deals(self) -> int:
        """Deals that the take chart plays: none where nobody takes."""
        rules = self.experiment.rules
        if not isinstance(rules, KqjRules) or rules.bidding == "auction":
            return 0
        if self.experiment.imposed is not None:
            return 0
        return min(self.chart_deals, self.experiment.deals)


@dataclass(frozen=True)
class Study:
    """What was found out.

    Attributes:
        plan: what was asked.
        deals: deals that were finished.
        tables: the tables by name; those of games, `games...` and `OF_GAMES` of the game's own
            tables, are of the games played besides, those of the chart, `make_take_chart...`, of
            its own pairs of rounds; those of the policies compared, `compared_...`, of the deals
            that these played.
        interrupted: True if Ctrl-C ended it early.
        comparison: the policies compared, if there are any.
    """

    plan: StudyPlan
    deals: int
    tables: dict[str, Table]
    interrupted: bool
    comparison: Comparison | None = None


def run_study(
    plan: StudyPlan,
    progress: ProgressFactory,
    threads: Workers = None,
    save_rows: Callable[[Rows], None] | None = None,
) -> Study:
    """Carry out a plan; rows are counted as they come, so that memory does not grow.

    Args:
        plan: what is asked.
        progress: opens a display for each part of the work.
        threads: as for `kqj_sim.simulation.reduce_rows`.
        save_rows: is given the rows of the deals as they come, in order, in this thread.

    Raises:
        PolicyError, GameError: as `kqj_sim.simulation.reduce_rows`.
        ComparisonError: one policy alone is to be compared.
    """
    experiment = plan.experiment
    tally, interrupted = _tally_experiment(experiment, "deals", progress, threads, save_rows)
    made = tally.tables(plan.confidence)
    if plan.games and not interrupted:
        whole = replace(experiment, games=plan.games)
        tally_of_games, interrupted = _tally_experiment(whole, "games", progress, threads, None)
        wanted = get_game_tables(experiment.rules.game).game_only
        tables = tally_of_games.tables(plan.confidence)
        made += [t for t in tables if t.name.startswith("games") or t.name in wanted]
    comparison = None
    try:
        if plan.take_chart_deals and not interrupted:
            with progress("deals of the take chart", plan.take_chart_deals) as display:
                chart = make_take_chart(
                    experiment, plan.take_chart_deals, plan.confidence, threads, display.advance
                )
            made += chart.tables()
        if plan.compared_policies and not interrupted:
            comparison = _compare_policies(plan, progress, threads)
            for table in make_comparison_tables(comparison):
                made.append(replace(table, name=f"compared_{table.name}"))
    except KeyboardInterrupt:
        interrupted = True
    named = {table.name: table for table in made if table.lines}
    return Study(plan, tally.deals, named, interrupted, comparison)


def _compare_policies(plan: StudyPlan, progress: ProgressFactory, threads: Workers) -> Comparison:
    experiment = plan.experiment
    pairs = len(plan.compared_policies) * (len(plan.compared_policies) - 1) // 2
    with progress("deals of policies compared", pairs * plan.compared_deals) as display:
        return compare(
            *plan.compared_policies,
            rules=experiment.rules,
            deals=plan.compared_deals,
            confidence=plan.confidence,
            seed=experiment.seed,
            first=experiment.first,
            threads=threads,
            progress=display.advance,
        )


def _tally_experiment(
    experiment: Experiment,
    unit: str,
    progress: ProgressFactory,
    threads: Workers,
    save_rows: Callable[[Rows], None] | None,
) -> tuple[Tally, bool]:
    """The tally of an experiment, and whether Ctrl-C ended it early."""
    with progress(unit, experiment.games or experiment.deals) as display:
        if save_rows is None:
            folded = reduce_rows(
                experiment,
                lambda: Tally(experiment, detail=True),
                threads,
                progress=display.advance,
            )
            return folded.result, folded.interrupted
        tally = Tally(experiment, detail=True)
        try:
            for rows in iterate_row_chunks(experiment, threads):
                tally.add(rows)
                save_rows(rows)
                display.advance(len(rows))
        except KeyboardInterrupt:
            return tally, True
    return tally, False
