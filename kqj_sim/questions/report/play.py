"""A study: all tables that a report shows of one experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kqj_sim.columns import RANK_LABELS
from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core.cards import EACH_SUIT, popcount, trailing_zeros
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import BEGIN_STAGE, call_stage, start_deals
from kqj_sim.core.types import Int64Array, Rules
from kqj_sim.core.types import Seating as CoreTable
from kqj_sim.games import find_game
from kqj_sim.imposed import ImposedFirstCall
from kqj_sim.paired.comparison import Comparison, make_comparison_tables, play_pairs
from kqj_sim.paired.leads import ComparisonPlan, play_until_enough
from kqj_sim.paired.match import compute_side_leads, spread_over_seats
from kqj_sim.policies.players import Player
from kqj_sim.rules import SEATS
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import iterate_row_chunks, play_same_deals, reduce_rows
from kqj_sim.simulation.workers import Workers
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE
from kqj_sim.stats.moments import Moments, count_by_group
from kqj_sim.stats.tables import Table, TableRow
from kqj_sim.stats.tally import Tally

# The take chart: the gain of taking for the opener, by class of hand.
#
# Each deal is played twice by the same players: once the opener takes with the Return's suit, once
# the opener passes and the players go on calling. The gain is the lead of the opener's side in the
# first round minus that in the second. Hands are those dealt, whatever the players themselves
# would call with them, so that the sample does not depend on the outcome. A round counts by its
# scores: the litigation gratuity that a tie leaves for the next round belongs to nobody yet.

TOP_TRUMPS = ("none", "7", "8", "8 7", "9", "9 7", "9 8", "9 8 7")
"""Holdings of the three highest trumps, by the sum of 9 = 4, 8 = 2 and 7 = 1."""

_TRUMP_COUNTS, _ACE_COUNTS = 7, 4
CLASS_COUNT = len(TOP_TRUMPS) * _TRUMP_COUNTS * _ACE_COUNTS
_SUIT_MASK = (1 << 16) - 1
_SEVEN = RANK_LABELS.index("7")
_ACE = EACH_SUIT << RANK_LABELS.index("A")
_MAX_ACES_NAMED = 2

_NOTE = (
    "Of the opener's five cards and the Return, which is a trump. The same players play the same "
    "deals, once after a take and once after a pass. Gain: the score of the opener's side minus "
    "the mean of the others, after a take minus after a pass."
)


@kernel
def _find_classes(
    state: Any, first: int, count: int, seed: int, rules: Rules, table: CoreTable, classes: Any
) -> None:
    """Write the class of the opener's hand in the deals from `first` on, int64 (count,)."""
    log = np.empty(0, np.int64)
    for start in range(0, count, b.LANES):
        lanes = min(b.LANES, count - start)
        start_deals(state, first + start, lanes)
        for i in range(b.pad_lanes(lanes)):
            state[b.KEY + i] = rng.derive_deal_key(seed, state[b.DEAL_NUMBER + i])
        call_stage(table.stages[BEGIN_STAGE], (state, lanes, rules, table, log))
        for i in range(lanes):
            upcard = state[b.UPCARD + i]
            hand = state[b.FIRST_FIVE + i] | upcard
            lane = trailing_zeros(upcard) & ~15
            trumps = (hand >> lane) & _SUIT_MASK
            aces = popcount(hand & _ACE & ~(_SUIT_MASK << lane))
            tops = (trumps >> _SEVEN) & 7
            classes[start + i] = (tops * _TRUMP_COUNTS + popcount(trumps)) * _ACE_COUNTS + aces


def classify_hands(experiment: Experiment, first: int, count: int) -> Int64Array:
    """Return the class of the opener's hand in each deal, int64 (count,), below CLASS_COUNT.

    A hand with the highest trumps TOP_TRUMPS[t], n trumps (1 to 6, the Return included) and a aces
    of other suits (0 to 3) is in class (t * 7 + n) * 4 + a.
    """
    rules, table = experiment.compile_seating()
    classes = np.zeros(count, np.int64)
    _find_classes(b.allocate_block(), first, count, experiment.seed, rules, table, classes)
    return classes


def _compute_opener_leads(rows: Rows, teams: int) -> Int64Array:
    """Return the lead in score of the opener's side, int64 (n,), times teams - 1."""
    scores = np.stack([rows.column(f"score_{team}") for team in range(teams)]).astype(np.int64)
    leads = spread_over_seats(rows, compute_side_leads(scores))
    opener = (rows.column("dealer").astype(np.int64) + 1) % SEATS
    opener_leads: Int64Array = np.take_along_axis(leads, opener[None], axis=0)[0]
    return opener_leads


class TakeChart:
    """The moments of gains by class of hand, and their tables; they are `SameDeals`."""

    rounds = 2

    def __init__(self, experiment: Experiment, confidence: float) -> None:
        self.experiment = experiment
        self.confidence = confidence
        self._moments = Moments.zeros((3,), (CLASS_COUNT,), kind=int)

    @property
    def deals(self) -> int:
        """Number of deals."""
        return int(self._moments.count.sum())

    def play(self, done: int, count: int, workers: Workers, chunk: int) -> Iterator[int]:
        """Play and add deals as `SameDeals.play`, each after a take and after a pass."""
        played = [
            replace(
                self.experiment, deals=count, first=self.experiment.first + done, games=None,
                imposed=ImposedFirstCall(takes),
            )
            for takes in (True, False)
        ]  # fmt: skip
        for part in play_same_deals(played, self._measure, workers, chunk, combine=Moments.add):
            self._moments.add(part)
            yield int(part.count.sum())

    def look(self) -> bool:
        """Return False: the number of deals is given."""
        return False

    def _measure(self, played: tuple[Rows, ...]) -> Moments[int]:
        """Return the moments of gain, gain above 0 and gain below 0, by class, of a chunk."""
        teams = self.experiment.rules.team_count
        taken, passed = (_compute_opener_leads(rows, teams) for rows in played)
        gains = taken - passed
        classes = classify_hands(self.experiment, int(played[0].deal[0]), len(gains))
        return count_by_group(classes, np.stack([gains, gains > 0, gains < 0]), CLASS_COUNT)

    def tables(self) -> list[Table]:
        """Return the gain over all hands, by the highest trumps and their number, and by class."""
        shape = (len(TOP_TRUMPS), _TRUMP_COUNTS, _ACE_COUNTS)
        cells = self._moments.regroup(shape)
        many_aces = slice(_MAX_ACES_NAMED, None)
        by_trumps, by_class = [], []
        for top in reversed(range(len(TOP_TRUMPS))):
            for trumps in range(_TRUMP_COUNTS):
                group = (TOP_TRUMPS[top], trumps)
                by_trumps += self._list_rows(group, cells[top, trumps])
                for aces, text in ((0, "0"), (1, "1"), (many_aces, "2 or 3")):
                    by_class += self._list_rows((*group, text), cells[top, trumps, aces])
        overall = self._list_rows((), cells)
        title = "Taking against passing, the opener"
        groups = ("highest_trumps", "trumps", "side_aces")
        return [
            Table(name, words, columns, rows, _NOTE, game=self.experiment.rules.game)
            for name, words, columns, rows in (
                ("take_chart", title, (), overall),
                ("take_chart_by_trumps", f"{title}, by trumps", groups[:2], by_trumps),
                ("take_chart_by_hand", f"{title}, by trumps and side aces", groups, by_class),
            )
        ]

    def _list_rows(self, group: tuple[int | str, ...], cells: Moments[int]) -> list[TableRow]:
        """Return the rows of some classes together; none without deals."""
        moments = cells.pool()
        deals, total, squares = moments.summarize(0)
        if deals == 0:
            return []
        gain = intervals.estimate_mean_from_sums(deals, total, squares, self.confidence)
        more, less = (
            intervals.estimate_share(moments.total(variable), deals, self.confidence)
            for variable in (1, 2)
        )
        divisor = self.experiment.rules.team_count - 1
        return [
            (group, "gain_mean", gain * (1 / divisor)),
            (group, "taking_better_share", more),
            (group, "passing_better_share", less),
        ]


def play_take_chart(
    experiment: Experiment, deals: int, confidence: float, runner: Runner
) -> TakeChart:
    """Play the first `deals` deals of an experiment without auctions and return their chart.

    Raises:
        InputError: the rules have auctions.
        KeyboardInterrupt: the run was interrupted.
    """
    chart = TakeChart(experiment, confidence)
    with runner.start("deals of the take chart", deals):
        if not play_until_enough(chart, [deals], runner, runner.advance):
            raise KeyboardInterrupt
    return chart


@dataclass(frozen=True)
class StudyPlan:
    """The experiment of single rounds to study, and the extent of each part.

    Attributes:
        games: number of whole games played besides, 0 for none.
        chart_deals: number of deals of the take chart, at most those of the experiment.
        compared_policies: policies to compare under the same rules: two or more, or none.
        compared_deals: number of deals of each pair of them, from the first on.
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
        tables: the tables by name.  Those named `games...` and the game's `whole_game_tables` are
            of the whole games, `take_chart...` of the pairs of rounds of the take chart, and
            `compared_...` of the deals of the comparison.
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
        save_rows: called with the rows of the deals in their order, in this thread.

    Raises:
        InputError: as `kqj_sim.simulation.run.reduce_rows`; too few or too many policies to
            compare.
    """
    experiment, rules = plan.experiment, plan.experiment.rules
    tally, interrupted = _tally_experiment(experiment, "deals", runner, save_rows)
    tables = tally.tables(plan.confidence)
    comparison = None
    if plan.games and not interrupted:
        whole = replace(experiment, games=plan.games)
        games, interrupted = _tally_experiment(whole, "games", runner, None)
        wanted = find_game(rules.game).whole_game_tables
        tables += [
            table
            for table in games.tables(plan.confidence)
            if table.name.startswith("games") or table.name in wanted
        ]
    try:
        if plan.take_chart_deals and not interrupted:
            chart = play_take_chart(experiment, plan.take_chart_deals, plan.confidence, runner)
            tables += chart.tables()
        if plan.compared_policies and not interrupted:
            compared = ComparisonPlan.make(
                rules, deals=plan.compared_deals, confidence=plan.confidence,
                seed=experiment.seed, first=experiment.first,
            )  # fmt: skip
            comparison = play_pairs(plan.compared_policies, rules, compared, runner)
            if comparison.interrupted:
                raise KeyboardInterrupt
            tables += [
                replace(table, name=f"compared_{table.name}")
                for table in make_comparison_tables(comparison)
            ]
    except KeyboardInterrupt:
        interrupted, comparison = True, None
    named = {table.name: table for table in tables if table.lines}
    return Study(plan, tally.deals, named, interrupted, comparison)


def _tally_experiment(
    experiment: Experiment,
    unit: str,
    runner: Runner,
    save_rows: Callable[[Rows], None] | None,
) -> tuple[Tally, bool]:
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
