"""Quantities that are estimated for each call and each card, one table per game and question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.analysis.tables import Unit
from kqj_sim.core import call_odds as kqj
from kqj_sim.core.block import TRICKS
from kqj_sim.core.kwajongen import odds as kwajongen
from kqj_sim.core.kwajongen import scoring as kwajongen_scoring
from kqj_sim.core.kwajongen.cards import TRICKS as KWAJONGEN_TRICKS
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.types import Float64Array, Int16Array

RANKING_MEASURE = "difference"
"""The measure with the greatest mean of the best option; every table has it, and `wins`."""

WON, LOST, DRAWN, NOT_PLAYED = range(4)
"""Endings of a round for the player's side: won, lost, a litigation or tie, passed out."""


class Measure(NamedTuple):
    """A quantity of a round that is estimated for each option.

    Attributes:
        name: its name in results.
        unit: its unit; a "share" has the values 0 and 1.
        label: its name in tables.
        compute: computes it, shape (...), from outcomes with their columns first, (OUTCOME, ...).
    """

    name: str
    unit: Unit
    label: str
    compute: Callable[[Int16Array], Any]

    @property
    def is_share(self) -> bool:
        """Return whether it is the share of rounds with a property."""
        return self.unit == "share"


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
        return np.stack([each.compute(columns).astype(np.float64) for each in self.measures])


def _subtract(left: Int16Array, right: Int16Array) -> Float64Array:
    return left.astype(np.float64) - right


_WINS = Measure(
    "wins", "share", "wins the round", lambda of: of[kqj.OWN_SCORE] > of[kqj.OTHER_SCORE]
)
_DIFFERENCE = Measure(
    "difference",
    "points",
    "score difference",
    lambda of: _subtract(of[kqj.OWN_SCORE], of[kqj.OTHER_SCORE]),
)
_LITIGATION = Measure("litigation", "share", "litigation", lambda of: of[kqj.RESULT] == LITIGATION)
_OWN_SIDE = (
    Measure("total", "points", "own total", lambda of: of[kqj.OWN_TOTAL]),
    Measure("capot", "share", "Capot", lambda of: of[kqj.OWN_TRICKS] == TRICKS),
    Measure("kq", "share", "KQ", lambda of: of[kqj.OWN_KQ] > 0),
    Measure("kqj", "share", "KQJ", lambda of: of[kqj.OWN_KQJ] > 0),
)

KQJ_CALLS = MeasureTable(
    (
        _WINS,
        _DIFFERENCE,
        Measure(
            "makes",
            "share",
            "own contract made",
            lambda of: (of[kqj.OWN_PLAYS] != 0) & (of[kqj.RESULT] == MADE),
        ),
        Measure("plays", "share", "own side plays", lambda of: of[kqj.OWN_PLAYS] != 0),
        _LITIGATION,
        Measure("passed_out", "share", "passed out", lambda of: of[kqj.RESULT] == PASSED_OUT),
        *_OWN_SIDE,
    ),
    "Score difference: the own side's score less that of the best other one.",
    ("litigation", "passed_out"),
)
KQJ_CARDS = MeasureTable(
    (
        _WINS,
        _DIFFERENCE,
        Measure("made", "share", "contract made", lambda of: of[kqj.RESULT] == MADE),
        _LITIGATION,
        *_OWN_SIDE,
    ),
    "Score difference: the own team's score less that of the best other one.",
    ("litigation",),
)


def _lose_points(of: Int16Array) -> Float64Array:
    """Return the opponents' score change minus that of the player's side: low scores are good."""
    return _subtract(of[kwajongen.OTHER_SCORE], of[kwajongen.OWN_SCORE])


_KWAJONGEN_WINS = Measure("wins", "share", "wins the round", lambda of: of[kwajongen.OWN_SCORE] < 0)
_KWAJONGEN_TIE = Measure(
    "tie", "share", "tie", lambda of: of[kwajongen.RESULT] == kwajongen_scoring.TIE
)
_KWAJONGEN_OWN_SIDE = (
    Measure("total", "points", "own card points", lambda of: of[kwajongen.OWN_POINTS]),
    Measure(
        "capot",
        "share",
        "all four tricks",
        lambda of: of[kwajongen.OWN_TRICKS] == KWAJONGEN_TRICKS,
    ),
)

KWAJONGEN_CALLS = MeasureTable(
    (
        _KWAJONGEN_WINS,
        Measure("difference", "points", "worth", _lose_points),
        Measure(
            "makes",
            "share",
            "own side makes it",
            lambda of: (
                (of[kwajongen.OWN_PLAYS] != 0) & (of[kwajongen.RESULT] == kwajongen_scoring.MADE)
            ),
        ),
        Measure("plays", "share", "own side plays", lambda of: of[kwajongen.OWN_PLAYS] != 0),
        _KWAJONGEN_TIE,
        Measure(
            "passed_out",
            "share",
            "passed out",
            lambda of: of[kwajongen.RESULT] == kwajongen_scoring.PASSED_OUT,
        ),
        *_KWAJONGEN_OWN_SIDE,
    ),
    "Worth: by how much the other side's score changes less the own side's, so that more is "
    "better; a round that is passed out counts 0.",
    ("tie", "passed_out"),
)
KWAJONGEN_CARDS = MeasureTable(
    (
        _KWAJONGEN_WINS,
        Measure("difference", "change", "worth", _lose_points),
        Measure(
            "made",
            "share",
            "caller's side makes it",
            lambda of: of[kwajongen.RESULT] == kwajongen_scoring.MADE,
        ),
        _KWAJONGEN_TIE,
        *_KWAJONGEN_OWN_SIDE,
    ),
    "Worth: by how much the other side's score changes less the own side's; more is better.",
    (),
)
