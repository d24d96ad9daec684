"""Results as a fragment of HTML for notebooks: the headline and the key tables.

The colours are those of the notebook's text, so that it suits light and dark themes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kqj_sim.output.grid import Cell, Grid

_STYLE = """<style>
.kqj-result { line-height: 1.4; overflow-x: auto; }
.kqj-result p { margin: 0.2em 0; max-width: 60em; }
.kqj-result .kqj-quiet { opacity: 0.7; font-size: 90%; }
.kqj-result table { border-collapse: collapse; margin: 0.6em 0; color: inherit; }
.kqj-result caption { text-align: left; font-weight: bold; padding: 0.3em 0; color: inherit; }
.kqj-result th, .kqj-result td { padding: 0.2em 0.8em 0.2em 0; text-align: right; border: 0;
  background: transparent; color: inherit; font-variant-numeric: tabular-nums; }
.kqj-result th { border-bottom: 1px solid currentColor; vertical-align: bottom; max-width: 11em; }
.kqj-result .kqj-key { text-align: left; }
.kqj-result td { white-space: nowrap; }
.kqj-result pre { background: transparent; color: inherit; line-height: 1.25; }
</style>"""


def to_html_fragment(
    headline: Sequence[str],
    described: Iterable[str] = (),
    grids: Iterable[Grid] = (),
    text: str = "",
) -> str:
    """Return results as HTML that can stand anywhere on a page.

    Args:
        headline: sentences on top, in bold.
        described: lines in a quieter colour.
        grids: tables.
        text: preformatted text at the end.
    """
    parts = [_STYLE, '<div class="kqj-result">']
    parts += [f"<p><b>{escape(line)}</b></p>" for line in headline]
    parts += [f'<p class="kqj-quiet">{escape(line)}</p>' for line in described if line]
    parts += [_render_grid(grid) for grid in grids]
    parts += [f"<pre>{escape(text)}</pre>"] if text else []
    return "\n".join([*parts, "</div>"])


def _render_grid(grid: Grid) -> str:
    """Return a grid as a table."""
    title = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    heads = "".join(
        f'<th{_mark_key(place, grid)} scope="col">{escape(heading)}</th>'
        for place, heading in enumerate(grid.headings)
    )
    rows = "".join(f"<tr>{_render_row(row, grid)}</tr>\n" for row in grid.rows)
    note = f'<p class="kqj-quiet">{escape(grid.note)}</p>' if grid.note else ""
    return f"<table>{title}<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table>{note}"


def _render_row(row: Sequence[Cell], grid: Grid) -> str:
    return "".join(
        f"<td{_mark_key(place, grid)}>{_render_cell(cell)}</td>" for place, cell in enumerate(row)
    )


def _mark_key(place: int, grid: Grid) -> str:
    return ' class="kqj-key"' if place < grid.keys else ""


def _render_cell(cell: Cell) -> str:
    interval = f' <span class="kqj-quiet">{escape(cell.interval)}</span>' if cell.interval else ""
    return escape(cell.text) + interval
