"""A study: all tables that a report shows of one experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kqj_sim.games import find_game
from kqj_sim.policies.players import Player
from kqj_sim.questions.compare.compare_tables import make_comparison_tables
from kqj_sim.questions.compare.pairs import Comparison, play_pairs
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.questions.report.take_chart import make_take_chart
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import iterate_row_chunks, reduce_rows
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE
from kqj_sim.stats.tables import Table
from kqj_sim.stats.tally import Tally


@dataclass(frozen=True)
class StudyPlan:
    """The experiment of single rounds to study, and the extent of each part.

    Attributes:
        experiment: the deals.
        games: number of whole games played besides, 0 for none.
        chart_deals: number of deals of the take chart, at most those of the experiment.
        compared_policies: policies to compare under the same rules: two or more, or none.
        compared_deals: number of deals of each pair of them, from the first on.
        confidence: of the intervals.
    """

    experiment: Experiment
    games: int
    chart_deals: int
    compared_policies: tuple[Player, ...] = ()
    compared_deals: int = 0
    confidence: float = DEFAULT_CONFIDENCE

    @property
    def take_chart_deals(self) -> int:
        """Number of deals that the take chart plays: 0 if nobody takes under these rules."""
        if self.experiment.rules.bidding != "take" or self.experiment.imposed is not None:
            return 0
        return min(self.chart_deals, self.experiment.deals)


@dataclass(frozen=True)
class Study:
    """The results of a study.

    Attributes:
        plan: the plan.
        deals: number of deals finished.
        tables: the tables by name.  Those named `games...` and the game's `game_only_tables` are of
            the whole games, `take_chart...` of the pairs of rounds of the take chart, and
            `compared_...` of the deals of the comparison.
        interrupted: True if Ctrl-C stopped it early.
        comparison: the comparison of policies, if there is one.
    """

    plan: StudyPlan
    deals: int
    tables: dict[str, Table]
    interrupted: bool
    comparison: Comparison | None = None


def run_study(
    plan: StudyPlan, runner: Runner, save_rows: Callable[[Rows], None] | None = None
) -> Study:
    """Carry out a plan, in memory that does not grow with the number of deals.

    Args:
        plan: the plan.
        runner: carries out the run.
        save_rows: called with the rows of the deals in their order, in this thread.

    Raises:
        InputError: as `kqj_sim.simulation.run.reduce_rows`; too few or too many policies to
            compare.
    """
    experiment = plan.experiment
    tally, interrupted = _tally_experiment(experiment, "deals", runner, save_rows)
    made = tally.tables(plan.confidence)
    if plan.games and not interrupted:
        whole = replace(experiment, games=plan.games)
        tally_of_games, interrupted = _tally_experiment(whole, "games", runner, None)
        wanted = find_game(experiment.rules.game).part("analysis").game_only_tables
        tables = tally_of_games.tables(plan.confidence)
        made += [t for t in tables if t.name.startswith("games") or t.name in wanted]
    comparison = None
    try:
        if plan.take_chart_deals and not interrupted:
            count = plan.take_chart_deals
            with runner.start("deals of the take chart", count, polls=False):
                chart = make_take_chart(
                    experiment, count, plan.confidence, runner.workers, runner.advance
                )
            made += chart.tables()
        if plan.compared_policies and not interrupted:
            found = _compare_policies(plan, runner)
            interrupted = found.interrupted
            comparison = None if interrupted else found
            for table in () if comparison is None else make_comparison_tables(comparison):
                made.append(replace(table, name=f"compared_{table.name}"))
    except KeyboardInterrupt:
        interrupted = True
    named = {table.name: table for table in made if table.lines}
    return Study(plan, tally.deals, named, interrupted, comparison)


def _compare_policies(plan: StudyPlan, runner: Runner) -> Comparison:
    """Compare the policies of a plan."""
    experiment = plan.experiment
    compared = ComparisonPlan.make(
        experiment.rules, deals=plan.compared_deals, confidence=plan.confidence,
        seed=experiment.seed, first=experiment.first,
    )  # fmt: skip
    return play_pairs(plan.compared_policies, experiment.rules, compared, runner)


def _tally_experiment(
    experiment: Experiment,
    unit: str,
    runner: Runner,
    save_rows: Callable[[Rows], None] | None,
) -> tuple[Tally, bool]:
    """Return the tally of an experiment, and whether Ctrl-C stopped it early."""
    with runner.start(unit, experiment.games or experiment.deals, polls=False):
        if save_rows is None:
            folded = reduce_rows(
                experiment,
                lambda: Tally(experiment, detail=True),
                runner.workers,
                progress=runner.advance,
            )
            return folded.result, folded.interrupted
        tally = Tally(experiment, detail=True)
        try:
            for rows in iterate_row_chunks(experiment, runner.workers):
                tally.add(rows)
                save_rows(rows)
                runner.advance(len(rows))
        except KeyboardInterrupt:
            return tally, True
    return tally, False
