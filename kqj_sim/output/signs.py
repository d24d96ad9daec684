"""Letters in the place of signs that the encoding of stdout does not have."""

from __future__ import annotations

import codecs
from dataclasses import replace

from kqj_sim.output.grid import Cell, Grid

LETTERS_FOR_SIGNS = "kqj_sim.letters"
"""Error handler of `str.encode` that writes `take h 71.0% +/-0.4` in ASCII."""

_LETTERS = {
    "♠": "s", "♥": "h", "♦": "d", "♣": "c", "±": "+/-", "─": "-", "━": "=", "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-", "…": "...", "\N{MULTIPLICATION SIGN}": "x", "→": "->", "≤": "<=",
    "≥": ">=",
}  # fmt: skip


def _write_letters(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    signs = error.object[error.start : error.end]
    return "".join(_LETTERS.get(sign, "?") for sign in signs), error.end


codecs.register_error(LETTERS_FOR_SIGNS, _write_letters)


def replace_signs(text: str, encoding: str) -> str:
    """Return the text as the encoding can write it."""
    return text.encode(encoding, LETTERS_FOR_SIGNS).decode(encoding)


def replace_grid_signs(grid: Grid, encoding: str) -> Grid:
    """Return the grid with letters for signs, so that its columns are as wide as these need."""
    return replace(
        grid,
        title=replace_signs(grid.title, encoding),
        headings=tuple(replace_signs(heading, encoding) for heading in grid.headings),
        rows=tuple(
            tuple(Cell(*(replace_signs(part, encoding) for part in cell)) for cell in row)
            for row in grid.rows
        ),
        note=replace_signs(grid.note, encoding),
    )
