"""Views that the reports of every game have, and how a view becomes a section of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kqj_sim.output.grid import EMPTY_CELL_TEXT, Grid, drop_repeated_notes, make_grids
from kqj_sim.output.page import Section
from kqj_sim.output.views import Dots, View, choose_charts

if TYPE_CHECKING:
    from kqj_sim.output.numbers import Numbers


COMPARED = View(
    "compared",
    "Comparison of policies",
    (
        Dots(
            "compared",
            "Mean lead over the others, in points a round.",
            "points a round",
            "compared_ranking",
            {"lead": "mean_lead_per_round"},
            rows="{1}",
            middle=0,
        ),
        Dots(
            "compared",
            "Lead of the first over the second, in points a round.",
            "points a round",
            "compared_pairs",
            {"lead": "lead_per_round"},
            rows="{0} over {1}",
            middle=0,
        ),
    ),
    ("compared_ranking", "compared_pairs"),
    ("compared_matrix", "compared_why", "compared_where", "compared_largest"),
    "Each pair plays every deal in all arrangements of the sides, so that both hold the same "
    "cards. The intervals hold for all pairs jointly.",
    needs="compared_pairs",
    needs_play=False,
)


def make_section(view: View, found: Numbers, sentences: Sequence[str], notes: list[str]) -> Section:
    """Return a view as a section.

    Args:
        sentences: what it says, a paragraph each.
        notes: notes under earlier tables, which are not repeated; gets those of its tables.
    """
    shown, folded = (
        drop_repeated_notes(
            (
                _drop_empty_rows(grid)
                for name in names
                if name in found
                for grid in make_grids(found.tables_by_name[name])
            ),
            notes,
        )
        for names in (view.tables, view.folded)
    )
    return Section(
        view.name,
        view.title,
        tuple(sentences),
        tuple(chart.make_picture() for chart in choose_charts(view.pictures, found)),
        tuple(shown),
        tuple(folded),
        view.note,
    )


def _drop_empty_rows(grid: Grid) -> Grid:
    rows = tuple(
        row
        for row in grid.rows
        if {cell.text for cell in row[grid.keys :]} - {EMPTY_CELL_TEXT, "0"}
    )
    return replace(grid, rows=rows)
