"""Quantities that are estimated for each call and each card, one table per game and question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from kqj_sim.core import call_odds as kqj
from kqj_sim.core.block import TRICKS
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.types import BoolArray, Float64Array, Int16Array
from kqj_sim.rules import KqjRules
from kqj_sim.stats.equity import Equity

RANKING_MEASURE = "value"
"""The measure with the greatest mean of the best option; every table has it, and `win_share`."""

GAME_MEASURE = "game_share"
"""The chance to win the game after the round, which takes its place if the scores are known."""

ENDINGS = 4
WON, LOST, DRAWN, NOT_PLAYED = range(ENDINGS)
"""Endings of a round for the player's side: won, lost, a litigation or tie, passed out."""


Measure: TypeAlias = Callable[[Int16Array], Any]
"""A function that computes a quantity of rounds, shape (...), from outcomes with their columns
first, (OUTCOME, ...); of a share of rounds the values are 0 and 1."""


@dataclass(frozen=True)
class MeasureTable:
    """The measures of a question of a game.

    Attributes:
        functions: the measures by name, in the order of the tables.
        note: text under the table of options.
        rare: names of measures that tables leave out where all options have 0.
    """

    functions: Mapping[str, Measure]
    note: str
    rare: tuple[str, ...]

    @cached_property
    def indices(self) -> dict[str, int]:
        """The index of each measure by its name."""
        return {name: index for index, name in enumerate(self.functions)}

    @property
    def game(self) -> GameMeasure | None:
        """The chance to win the game, if the scores are known."""
        measure = self.functions.get(GAME_MEASURE)
        return measure if isinstance(measure, GameMeasure) else None

    @property
    def ranking_measure(self) -> str:
        """The measure with the greatest mean of the best option."""
        return GAME_MEASURE if self.game else RANKING_MEASURE

    def compute(self, outcomes: Int16Array) -> Float64Array:
        """Return the measures, (measures, options, n), of outcomes, (options, n, OUTCOME)."""
        columns = np.moveaxis(outcomes, -1, 0)
        values = [measure(columns).astype(np.float64) for measure in self.functions.values()]
        return np.stack(values)


UNCOUNTERED_VALUE = "value_if_not_countered"
"""With auctions the value in the same deals if nobody counters the player's side."""

_KQJ_MEASURES: Mapping[str, Measure] = {
    "win_share": lambda of: of[kqj.OWN_SCORE] > of[kqj.OTHER_SCORE],
    "value": lambda of: 0.5 * of[kqj.DOUBLE_LEAD],
    "own_countered_share": lambda of: of[kqj.OWN_COUNTERED] != 0,
    UNCOUNTERED_VALUE: lambda of: 0.5 * of[kqj.UNCOUNTERED_DOUBLE_LEAD],
    "own_made_share": lambda of: (of[kqj.OWN_PLAYS] != 0) & (of[kqj.RESULT] == MADE),
    "own_contract_share": lambda of: of[kqj.OWN_PLAYS] != 0,
    "contract_made_share": lambda of: of[kqj.RESULT] == MADE,
    "litigated_share": lambda of: of[kqj.RESULT] == LITIGATION,
    "passed_share": lambda of: of[kqj.RESULT] == PASSED_OUT,
    "own_total_mean": lambda of: of[kqj.OWN_TOTAL],
    "own_capot_share": lambda of: of[kqj.OWN_TRICKS] == TRICKS,
    "own_kq_share": lambda of: of[kqj.OWN_KQ] > 0,
    "own_kqj_share": lambda of: of[kqj.OWN_KQJ] > 0,
}


def score_teams(outcomes: Int16Array, teams: int, pending: int) -> tuple[Float64Array, BoolArray]:
    """Return the scores of KQJ by team, (..., teams), and whether a gratuity waits afterwards.

    Args:
        outcomes: int16 (..., OUTCOME), of rounds with this gratuity `pending` before.
    """
    scores, result = outcomes[..., kqj.TEAM_SCORES :][..., :teams], outcomes[..., kqj.RESULT]
    return scores.astype(np.float64), (result == LITIGATION) | (
        (result == PASSED_OUT) & (pending > 0)
    )


_COUNTERS = ("own_countered_share", UNCOUNTERED_VALUE)
_OTHERS = {2: "the opponents'", 3: "the mean of the two others'"}


def get_kqj_call_measures(rules: KqjRules) -> MeasureTable:
    """Return the measures of calls of KQJ."""
    left_out = () if rules.bidding == "auction" else _COUNTERS
    return _make_kqj_table(rules, ("contract_made_share", *left_out))


def get_kqj_card_measures(rules: KqjRules) -> MeasureTable:
    """Return the measures of cards of KQJ."""
    calls_only = ("own_made_share", "own_contract_share", "passed_share")
    return _make_kqj_table(rules, (*_COUNTERS, *calls_only))


def _make_kqj_table(rules: KqjRules, left_out: tuple[str, ...]) -> MeasureTable:
    functions = {name: measure for name, measure in _KQJ_MEASURES.items() if name not in left_out}
    note = f"Value: your side's score minus {_OTHERS[rules.teams]}, on average."
    return MeasureTable(functions, note, ("litigated_share", "passed_share"))


class GameMeasure:
    """The chance of the player's side to win the game, after rounds of KQJ.

    Attributes:
        equity: the chances of that side.
        scores: the scores before the round, by team.
        own_scores: the same from the player's side on.
        before: the chance before the round.
    """

    def __init__(self, equity: Equity, scores: Sequence[int], dealer: int) -> None:
        self.equity, self.scores, self._next_dealer = equity, tuple(scores), dealer + 1
        start, is_pending = np.array([scores], np.int64), np.array([equity.pending > 0])
        self.before = float(equity.look_up(start, dealer, is_pending)[0])
        self.own_scores = [*self.scores[equity.team :], *self.scores[: equity.team]]

    def __call__(self, of: Int16Array) -> Float64Array:
        """Return the chances after rounds with these outcomes; see `Measure`."""
        outcomes = np.moveaxis(of, 0, -1)
        return self.look_up(*score_teams(outcomes, len(self.scores), self.equity.pending))

    def look_up(self, points: Float64Array, waits: BoolArray) -> Float64Array:
        """Return the chances after rounds with these scores; arguments as of `score_teams`."""
        scores = points.astype(np.int64).reshape(-1, len(self.scores)) + self.scores
        chances = self.equity.look_up(scores, self._next_dealer, waits.reshape(-1))
        return chances.reshape(waits.shape)
