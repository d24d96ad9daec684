"""The chapters of a report: each game's own, put together.

Every number comes from a study's tables, the ones that are written as CSV.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kqj_sim.reporting.chapter import Chapter, KeyFigure
from kqj_sim.reporting.findings import Findings
from kqj_sim.reporting.grid import NOTHING, Cell, Grid
from kqj_sim.reporting.kqj import chapters as kqj
from kqj_sim.reporting.kwajongen import chapters as kwajongen
from kqj_sim.reporting.page import Part, Section


@dataclass(frozen=True)
class _Own:
    """What a report tells of a game."""

    chapters: tuple[Chapter, ...]
    key_figures: tuple[KeyFigure, ...]


_OWN: Mapping[str, _Own] = {
    "kqj": _Own(kqj.CHAPTERS, kqj.KEY_FIGURES),
    "kwajongen": _Own(kwajongen.CHAPTERS, kwajongen.KEY_FIGURES),
}


def _game(found: Findings) -> str:
    return found.study.plan.experiment.rules.game


def _games(findings: Sequence[Findings]) -> list[str]:
    """The games of a report, in order."""
    return list(dict.fromkeys(map(_game, findings)))


def key_figures(findings: Sequence[Findings]) -> Grid:
    """The figures that tell most, a column an experiment."""
    rows = []
    figures = [figure for game in _games(findings) for figure in _OWN[game].key_figures]
    for name, table, quantity, group in dict.fromkeys(figures):
        cells = []
        for found in findings:
            there = table in found.tables and group in found.tables[table].estimates(quantity)
            cells.append(found.cell(table, quantity, *group) if there else Cell(NOTHING))
        if any(cell.text != NOTHING for cell in cells):
            rows.append((Cell(name), *cells))
    names = [found.study.plan.name for found in findings]
    headings = ("figure", *(names if len(findings) > 1 else ["value"]))
    return Grid("Key figures", headings, tuple(rows), 1)


def sections(findings: Sequence[Findings]) -> tuple[Section, ...]:
    """The report's sections: the figures that tell most, then a section a subject.

    A subject that several games have is told of all of them in one.
    """
    several = len(findings) > 1
    made = [Section("short", "In short", (Part(grids=(key_figures(findings),)),))]
    chapters = [chapter for game in _games(findings) for chapter in _OWN[game].chapters]
    for chapter in dict.fromkeys(chapters):
        parts = []
        for found in findings:
            if chapter not in _OWN[_game(found)].chapters:
                continue
            part = chapter.tell(found)
            if part is not None:
                heading = found.study.plan.name if several else ""
                parts.append(Part(**{**vars(part), "heading": heading}))
        if parts:
            made.append(Section(chapter.name, chapter.title, tuple(parts), chapter.note))
    return tuple(made)
