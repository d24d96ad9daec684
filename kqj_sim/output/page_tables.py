"""Tables as pages show them: titles that repeat nothing, and the room that columns need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kqj_sim.messages import capitalize
from kqj_sim.output.grid import Grid

PHONE_WIDTH = 42
"""Characters of a table that fit on a phone, 390 pixels wide, in digits of a wide font."""

HALF_WIDTH = 52
"""Characters that fit into half a page, on a desk and on paper."""

_LITTLE_WORDS = {"a", "of", "s", "the"}


class PageTable(NamedTuple):
    """A table of a chapter.

    Attributes:
        grid: the table.
        title: its title without the words that the chapter or the table before has.
        unit: what its numbers are of, such as `share of taken deals`; may be empty.
    """

    grid: Grid
    title: str
    unit: str

    @property
    def heading(self) -> str:
        """The title with the unit, as above a table."""
        if self.title and self.unit:
            return f"{self.title} ({self.unit})"
        return self.title or capitalize(self.unit)

    @property
    def caption(self) -> str:
        """The unit alone, for a table whose title is the line that opens it."""
        return capitalize(self.unit) if self.title else ""

    @property
    def is_stacked(self) -> bool:
        """True if a phone shows each row as lines, as the columns do not fit side by side."""
        return measure_columns(self.grid) > PHONE_WIDTH


def make_page_tables(chapter: str, grids: Sequence[Grid]) -> list[PageTable]:
    """Return the tables of a chapter."""
    split = [_split_title(grid.title) for grid in grids]
    titles = shorten_titles(chapter, [title for title, _ in split])
    return [
        PageTable(grid, "" if _list_words(title) == _list_words(chapter) else title, unit)
        for grid, title, (_, unit) in zip(grids, titles, split, strict=True)
    ]


def shorten_titles(chapter: str, titles: Iterable[str]) -> list[str]:
    """Return titles without first words that the chapter's title or the one before has, too.

    In the chapter "Contracts made" the title `Contracts made, by kind` becomes `By kind`.
    """
    short = []
    said = {_list_words(chapter)}
    for title in titles:
        parts = re.split(r"(, | (?=in |minus ))", title)
        begin = 0
        while begin + 2 < len(parts) and _list_words(parts[begin]) in said:
            begin += 2
        short.append(capitalize("".join(parts[begin:])))
        said = {_list_words(each) for each in (chapter, *parts[::2])}
    return short


def _split_title(title: str) -> tuple[str, str]:
    """Return a title without what its numbers are of, and that."""
    words, _, unit = title.removesuffix(")").partition(" (")
    match = re.fullmatch(r"(.+), ((?:taken|played) deals)", words)
    if match is None:
        return words, unit
    words, deals = match.groups()
    return words, unit if deals in unit else ", ".join(filter(None, (deals, unit)))


def _list_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower())) - _LITTLE_WORDS


def measure_columns(grid: Grid) -> int:
    """Return how many characters wide a table is if its keys and headings are broken into lines."""
    width = 0
    for place, heading in enumerate(grid.headings):
        cells = [str(row[place]) for row in grid.rows]
        if place < grid.keys:
            cells = [word for cell in cells for word in _break_key(cell)]
        words = heading.replace("_", " ").split()
        width += 2 + max(map(len, (*words, *cells)), default=0)
    return width


def _break_key(text: str) -> Sequence[str]:
    """Return the parts of a key that stay on a line, as in the template of pages."""
    return [text] if len(text) < 12 else re.split(r"\s|(?<=[:,+=/])(?=\w)", text)
