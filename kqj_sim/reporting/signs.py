"""Plain signs in the place of those that the encoding of stdout does not have."""

from __future__ import annotations

from dataclasses import replace

from kqj_sim.reporting.grid import Cell, Grid

_PLAIN = {
    "♠": "s",
    "♥": "h",
    "♦": "d",
    "♣": "c",
    "±": "+/-",
    "─": "-",
    "━": "=",
    "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "…": "...",
    "\N{MULTIPLICATION SIGN}": "x",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
}


def can_write_all(encoding: str) -> bool:
    """Return whether an encoding has every sign that the output may contain."""
    return not list_missing(encoding)


def list_missing(encoding: str) -> dict[str, str]:
    """Return the plain texts of the signs that an encoding does not have."""
    return {sign: plain for sign, plain in _PLAIN.items() if not _has(encoding, sign)}


def replace_signs(text: str, encoding: str) -> str:
    """Return the text as the encoding can write it: `take h 71.0% +/-0.4` in ASCII."""
    plain = text
    for sign, letters in list_missing(encoding).items():
        plain = plain.replace(sign, letters)
    try:
        return plain.encode(encoding, "replace").decode(encoding)
    except LookupError:
        return plain


def replace_grid_signs(grid: Grid, encoding: str) -> Grid:
    """Return the grid with plain signs, so that its columns are as wide as these need."""
    return replace(
        grid,
        title=replace_signs(grid.title, encoding),
        headings=tuple(replace_signs(each, encoding) for each in grid.headings),
        rows=tuple(
            tuple(Cell(*(replace_signs(part, encoding) for part in cell)) for cell in row)
            for row in grid.rows
        ),
        note=replace_signs(grid.note, encoding),
    )


def _has(encoding: str, sign: str) -> bool:
    try:
        sign.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
