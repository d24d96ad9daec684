"""The take chart: what it gains the opener to take, by class of his hand.

Each deal is played twice by the same players: once the opener takes with the Return's suit, once he
passes and the players go on calling.  What the first gives his side more than the second is the
gain in that deal.  Hands are drawn as dealt, whatever the players themselves would do with them, so
that nothing is chosen by its outcome.  A round counts by its scores: the litigation gratuity that a
tie leaves for the next round is nobody's yet.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.columns import RANK_LABELS
from kqj_sim.core import rng
from kqj_sim.core.block import (
    DEAL_NUMBER,
    FIRST_FIVE,
    KEY,
    LANES,
    UPCARD,
    allocate_block,
    pad_lanes,
)
from kqj_sim.core.cards import EACH_SUIT, popcount, trailing_zeros
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import BEGIN_STAGE, call_stage, start_deals
from kqj_sim.core.rules import Rules
from kqj_sim.core.rules import Seating as CoreTable
from kqj_sim.experiment import Experiment
from kqj_sim.imposed import ImposedFirstCall
from kqj_sim.rows import Rows
from kqj_sim.rules import SEATS
from kqj_sim.simulation import play_same_deals
from kqj_sim.workers import Workers

TOP_TRUMPS = ("none", "7", "8", "8 7", "9", "9 7", "9 8", "9 8 7")
"""The highest three trumps, by those that are held: 9 counts 4, 8 counts 2 and 7 counts 1."""

_TRUMP_COUNTS, _ACE_COUNTS = 7, 4
CLASS_COUNT = len(TOP_TRUMPS) * _TRUMP_COUNTS * _ACE_COUNTS
_SUIT_MASK = (1 << 16) - 1
_SEVEN = RANK_LABELS.index("7")
_ACE = EACH_SUIT << RANK_LABELS.index("A")
_MAX_ACES_NAMED = 2

_NOTE = (
    "Of the opener's five cards and the Return, which is one of his trumps. The same deals, played "
    "by the same players, once after a take and once after a pass; points are those of his side "
    "less the mean of the others."
)


@kernel
def _find_classes(
    state: Any, first: int, count: int, seed: int, rules: Rules, table: CoreTable, classes: Any
) -> None:
    """The class of the opener's hand in the deals from `first` on: int64 (count,)."""
    log = np.empty(0, np.int64)
    for start in range(0, count, LANES):
        lanes = min(LANES, count - start)
        start_deals(state, first + start, lanes)
        for i in range(pad_lanes(lanes)):
            state[KEY + i] = rng.derive_deal_key(seed, state[DEAL_NUMBER + i])
        call_stage(table.stages[BEGIN_STAGE], (state, lanes, rules, table, log))
        for i in range(lanes):
            turned = state[UPCARD + i]
            hand = state[FIRST_FIVE + i] | turned
            lane = trailing_zeros(turned) & ~15
            trumps = (hand >> lane) & _SUIT_MASK
            aces = popcount(hand & _ACE & ~(_SUIT_MASK << lane))
            tops = (trumps >> _SEVEN) & 7
            classes[start + i] = (tops * _TRUMP_COUNTS + popcount(trumps)) * _ACE_COUNTS + aces


def classify_hands(experiment: Experiment, first: int, count: int) -> NDArray[np.int64]:
    """The class of the opener's hand in each deal, int64 (count,), below CLASS_COUNT.

    It is (t * 7 + n) * 4 + a: he holds the highest trumps TOP_TRUMPS[t], n trumps (1 to 6, the
    Return is one) and a aces of other suits (0 to 3).
    """
    rules, table = experiment.compile_seating()
    found = np.zeros(count, np.int64)
    _find_classes(allocate_block(), first, count, experiment.seed, rules, table, found)
    return found


def _compute_side_leads(rows: Rows, teams: int) -> NDArray[np.int64]:
    """Score of the opener's side less the mean of the others', times teams - 1: int64 (n,)."""
    scores = np.stack([rows.column(f"score_{team}") for team in range(teams)]).astype(np.int64)
    of_seat = np.stack([rows.column(f"team_of_seat_{seat}") for seat in range(SEATS)])
    opener = (rows.column("dealer").astype(np.int64) + 1) % SEATS
    team = np.take_along_axis(of_seat, opener[None], axis=0).astype(np.int64)
    own: NDArray[np.int64] = np.take_along_axis(scores, team, axis=0)[0]
    worth: NDArray[np.int64] = teams * own - scores.sum(axis=0)
    return worth


def _sum_gains(experiment: Experiment, taken: Rows, passed: Rows) -> NDArray[np.int64]:
    """Deals, gains, their squares, numbers of gains and of losses, by class: (5, CLASS_COUNT)."""
    teams = experiment.rules.team_count
    gains = _compute_side_leads(taken, teams) - _compute_side_leads(passed, teams)
    found = classify_hands(experiment, int(taken.deal[0]), len(taken))
    counted = (np.ones_like(gains), gains, gains * gains, gains > 0, gains < 0)
    # Sums of a chunk stay far below 2**53: they are exact in float64.
    return np.stack([np.bincount(found, each, CLASS_COUNT).astype(np.int64) for each in counted])


class TakeChart:
    """What taking gained, added up by class of hand."""

    def __init__(self, experiment: Experiment, confidence: float) -> None:
        self.experiment = experiment
        self.confidence = confidence
        self._sums = np.zeros((5, CLASS_COUNT), np.int64)

    def add(self, sums: NDArray[np.int64]) -> int:
        """Add the sums of a chunk, (5, CLASS_COUNT); how many deals they are of."""
        self._sums += sums
        return int(sums[0].sum())

    def tables(self) -> list[Table]:
        """The gain over all hands, by the highest trumps and their number, and by class."""
        cells = self._sums.reshape(5, len(TOP_TRUMPS), _TRUMP_COUNTS, _ACE_COUNTS)
        few = np.concatenate(
            [
                cells[..., :_MAX_ACES_NAMED],
                cells[..., _MAX_ACES_NAMED:].sum(axis=-1, keepdims=True),
            ],
            axis=-1,
        )
        by_trumps, by_class = [], []
        for top in reversed(range(len(TOP_TRUMPS))):
            for trumps in range(_TRUMP_COUNTS):
                by_trumps += self._lines(
                    (TOP_TRUMPS[top], trumps), cells[:, top, trumps].sum(axis=-1)
                )
                for aces, text in enumerate(("0", "1", "2 or 3")):
                    by_class += self._lines(
                        (TOP_TRUMPS[top], trumps, text), few[:, top, trumps, aces]
                    )
        overall = self._lines((), cells.reshape(5, -1).sum(axis=1))
        title = "Taking against passing, the opener"
        groups = ("highest_trumps", "trumps", "side_aces")
        return [
            make_table("take_chart", title, (), overall, _NOTE),
            make_table("take_chart_by_trumps", f"{title}, by trumps", groups[:2], by_trumps, _NOTE),
            make_table(
                "take_chart_by_hand", f"{title}, by trumps and side aces", groups, by_class, _NOTE
            ),
        ]

    def _lines(self, group: tuple[int | str, ...], sums: NDArray[np.int64]) -> list[TableRow]:
        deals, total, squares, better, worse = (int(number) for number in sums)
        if deals == 0:
            return []
        gain = intervals.estimate_mean_from_sums(deals, total, squares, self.confidence)
        gain = gain.scaled(1 / (self.experiment.rules.team_count - 1))
        more = intervals.estimate_share(better, deals, self.confidence)
        less = intervals.estimate_share(worse, deals, self.confidence)
        return [
            (group, "taking gains, mean", "points", gain),
            (group, "taking scores more, share of deals", "share", more),
            (group, "passing scores more, share of deals", "share", less),
        ]


def make_take_chart(
    experiment: Experiment,
    deals: int,
    confidence: float,
    threads: Workers = None,
    progress: Callable[[int], None] | None = None,
) -> TakeChart:
    """The chart of the first `deals` deals of an experiment without auctions.

    Raises:
        ExperimentError: the rules have auctions.
    """
    played = [
        replace(experiment, deals=deals, games=None, imposed=ImposedFirstCall(takes))
        for takes in (True, False)
    ]
    chart = TakeChart(played[0], confidence)

    def of_chunk(rows: tuple[Rows, ...]) -> NDArray[np.int64]:
        return _sum_gains(played[0], *rows)

    for sums in play_same_deals(played, of_chunk, threads, combine=operator.iadd):
        count = chart.add(sums)
        if progress is not None:
            progress(count)
    return chart
