"""The key figures of odds on a screen: the best options, and with auctions the contracts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kqj_sim.games import find_game
from kqj_sim.output.grid import EMPTY_CELL_TEXT, Cell, Grid, format_bound, format_number
from kqj_sim.positions.measures import RANKING_MEASURE, UNCOUNTERED_VALUE
from kqj_sim.questions.odds.tables import LEAD
from kqj_sim.questions.odds.words import describe_option
from kqj_sim.stats.quantities import find_quantity

if TYPE_CHECKING:
    from kqj_sim.positions.odds import Odds
    from kqj_sim.stats.intervals import Estimate
    from kqj_sim.stats.quantities import Unit

_MAX_ROWS, _MAX_AUCTION_ROWS = 8, 5
"""Options shown, at most; with auctions the contracts need room, too."""

_AUCTION_COLUMNS = ("win_share", "own_countered_share", UNCOUNTERED_VALUE)
_COLUMNS = (
    "win_share",
    "own_made_share",
    "contract_made_share",
    "own_total_mean",
    "own_points_mean",
    "own_capot_share",
    "own_all_tricks_share",
)
_ROUGH = 0.0195
"""Half the width of an interval from which on decimals of a share say nothing."""

_CARD_MEASURES = ("own_total_mean", "own_points_mean")
"""Columns of cards only: calls have none to spare."""


def make_key_grids(odds: Odds, names_option: bool = True) -> list[Grid]:
    """Return the grids that people see unless they ask for tables.

    With `names_option` the note says which option of the command line shows the rest.
    """
    grids = [_make_option_grid(odds, names_option)]
    if odds.kind == "call":
        grids += find_game(odds.rules.game).part("answers").list_grids(odds)
    return grids


def _make_option_grid(odds: Odds, names_option: bool) -> Grid:
    """Return the best options with their key figures, and a line on those left out."""
    # To counter or not is a question about the bid as it is: no columns on further counters.
    is_auction = bool(odds.contract_options)
    most = _MAX_AUCTION_ROWS if is_auction else _MAX_ROWS
    ranking, leads = odds.ranking, odds.estimate_leads()
    # A line that stands for one row saves nothing.
    shown = ranking if len(ranking) <= most + 1 else ranking[:most]
    columns = [
        name
        for name in (_AUCTION_COLUMNS if is_auction else _COLUMNS)
        if name in odds.measures.indices and (odds.kind == "card" or name not in _CARD_MEASURES)
    ]
    rows = []
    for option in shown:
        cells = [
            _format_cell(odds.estimate(name, option), odds.get_unit(name))
            for name in (RANKING_MEASURE, *columns)
        ]
        behind = Cell(EMPTY_CELL_TEXT)
        if option in leads:
            behind = _format_cell(leads[option], odds.get_unit(RANKING_MEASURE))
        rows.append((Cell(describe_option(odds, option).name), cells[0], behind, *cells[1:]))
    what = odds.kind
    names = (RANKING_MEASURE, LEAD, *columns)
    headings = (what, *(find_quantity(name, odds.rules.game).heading for name in names))
    notes = [odds.measures.note]
    rest = ranking[len(shown) :]
    if rest:
        least = min(leads[option].value for option in rest)
        end = f": --tables {what}s shows them." if names_option else "."
        notes.insert(0, f"{len(rest)} more {what}s are at least {least:,.0f} points worse{end}")
    return Grid("", headings, tuple(rows), 1, "\n".join(notes))


def _format_cell(estimate: Estimate, unit: Unit) -> Cell:
    """Return a number with its interval; a share with a decimal unless it is known roughly."""
    if unit != "share" or math.isnan(estimate.low):
        return format_number(*estimate[:3], unit)
    half = max(estimate.high - estimate.value, estimate.value - estimate.low)
    if half > min(estimate.value, 1 - estimate.value):
        return format_bound(estimate)
    digits = 0 if half > _ROUGH else 1
    # No interval is shown as nothing.
    return Cell(f"{100 * estimate.value:.{digits}f}%", f"±{max(100 * half, 0.1):.{digits}f}")
