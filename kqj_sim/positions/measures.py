"""Quantities that are estimated for each call and each card, one table per game and question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import call_odds as kqj
from kqj_sim.core.block import TRICKS
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.types import Float64Array, Int16Array
from kqj_sim.rules import KqjRules

RANKING_MEASURE = "value"
"""The measure with the greatest mean of the best option; every table has it, and `win_share`."""

ENDINGS = 4
WON, LOST, DRAWN, NOT_PLAYED = range(ENDINGS)
"""Endings of a round for the player's side: won, lost, a litigation or tie, passed out."""


class Measure(NamedTuple):
    """A quantity of a round that is estimated for each option.

    Attributes:
        name: the identifier of the quantity; of a share of rounds the values are 0 and 1.
        compute: computes it, shape (...), from outcomes with their columns first, (OUTCOME, ...).
    """

    name: str
    compute: Callable[[Int16Array], Any]


@dataclass(frozen=True)
class MeasureTable:
    """The measures of a question of a game.

    Attributes:
        measures: the measures, in the order of the tables.
        note: text under the table of options.
        rare: names of measures that tables leave out where all options have 0.
    """

    measures: tuple[Measure, ...]
    note: str
    rare: tuple[str, ...]

    @cached_property
    def indices(self) -> dict[str, int]:
        """The index of each measure by its name."""
        return {measure.name: index for index, measure in enumerate(self.measures)}

    def __getitem__(self, name: str) -> Measure:
        """Return a measure by its name."""
        return self.measures[self.indices[name]]

    def compute(self, outcomes: Int16Array) -> Float64Array:
        """Return the measures, (measures, options, n), of outcomes, (options, n, OUTCOME)."""
        columns = np.moveaxis(outcomes, -1, 0)
        return np.stack([measure.compute(columns).astype(np.float64) for measure in self.measures])


UNCOUNTERED_VALUE = "value_if_not_countered"
"""With auctions the value in the same deals if nobody counters the player's side."""

_WINS = Measure("win_share", lambda of: of[kqj.OWN_SCORE] > of[kqj.OTHER_SCORE])
_VALUE = Measure("value", lambda of: 0.5 * of[kqj.DOUBLE_LEAD])
_LITIGATED = Measure("litigated_share", lambda of: of[kqj.RESULT] == LITIGATION)
_PASSED = Measure("passed_share", lambda of: of[kqj.RESULT] == PASSED_OUT)
_OWN_SIDE = (
    Measure("own_total_mean", lambda of: of[kqj.OWN_TOTAL]),
    Measure("own_capot_share", lambda of: of[kqj.OWN_TRICKS] == TRICKS),
    Measure("own_kq_share", lambda of: of[kqj.OWN_KQ] > 0),
    Measure("own_kqj_share", lambda of: of[kqj.OWN_KQJ] > 0),
)
_OWN_CONTRACT = (
    Measure("own_made_share", lambda of: (of[kqj.OWN_PLAYS] != 0) & (of[kqj.RESULT] == MADE)),
    Measure("own_contract_share", lambda of: of[kqj.OWN_PLAYS] != 0),
)
_COUNTERS = (
    Measure("own_countered_share", lambda of: of[kqj.OWN_COUNTERED] != 0),
    Measure(
        UNCOUNTERED_VALUE,
        lambda of: 0.5 * of[kqj.UNCOUNTERED_DOUBLE_LEAD],
    ),
)
_KQJ_NOTE = "Value: your side's score minus {}, on average."
_OTHERS = {2: "the opponents'", 3: "the mean of the two others'"}


def get_kqj_call_measures(rules: KqjRules) -> MeasureTable:
    """Return the measures of calls of KQJ."""
    counters = _COUNTERS if rules.bidding == "auction" else ()
    return MeasureTable(
        (_WINS, _VALUE, *counters, *_OWN_CONTRACT, _LITIGATED, _PASSED, *_OWN_SIDE),
        _KQJ_NOTE.format(_OTHERS[rules.teams]),
        ("litigated_share", "passed_share"),
    )


def get_kqj_card_measures(rules: KqjRules) -> MeasureTable:
    """Return the measures of cards of KQJ."""
    is_made = Measure("contract_made_share", lambda columns: columns[kqj.RESULT] == MADE)
    return MeasureTable(
        (_WINS, _VALUE, is_made, _LITIGATED, *_OWN_SIDE),
        _KQJ_NOTE.format(_OTHERS[rules.teams]),
        ("litigated_share",),
    )
