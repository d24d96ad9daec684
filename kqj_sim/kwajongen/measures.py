"""Quantities that are estimated for each call and each card of Kwajongen."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.types import Float64Array, Int16Array
from kqj_sim.kwajongen import odds
from kqj_sim.kwajongen.cards import TRICKS
from kqj_sim.kwajongen.engine import MADE, PASSED_OUT, TIE
from kqj_sim.positions.measures import Measure, MeasureTable


def _lose_points(of: Int16Array) -> Float64Array:
    """Return the opponents' score change minus that of the player's side: low scores are good."""
    return 1.0 * of[odds.OTHER_SCORE] - of[odds.OWN_SCORE]


def _makes(of: Int16Array) -> Any:
    return of[odds.RESULT] == MADE


_NOTE = "Value: points gained on the opponents, on average."
_WINS = Measure("win_share", lambda of: of[odds.OWN_SCORE] < 0)
_VALUE = Measure("value", _lose_points)
_TIED = Measure("tied_share", lambda of: of[odds.RESULT] == TIE)
_OWN_SIDE = (
    Measure("own_points_mean", lambda of: of[odds.OWN_POINTS]),
    Measure("own_all_tricks_share", lambda of: of[odds.OWN_TRICKS] == TRICKS),
)

CALL_MEASURES = MeasureTable(
    (
        _WINS,
        _VALUE,
        Measure("own_made_share", lambda of: (of[odds.OWN_PLAYS] != 0) & _makes(of)),
        Measure("own_contract_share", lambda of: of[odds.OWN_PLAYS] != 0),
        _TIED,
        Measure("passed_share", lambda of: of[odds.RESULT] == PASSED_OUT),
        *_OWN_SIDE,
    ),
    _NOTE,
    ("tied_share", "passed_share"),
)
CARD_MEASURES = MeasureTable(
    (
        _WINS,
        _VALUE,
        Measure("contract_made_share", _makes),
        _TIED,
        *_OWN_SIDE,
    ),
    _NOTE,
    (),
)
