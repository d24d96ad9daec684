"""The chapters of a report, in order, and the figures that tell most.

Every number comes from a study's tables, the ones that are written as CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kqj_sim.analysis.source import OF_DEALS, OF_TAKEN
from kqj_sim.reporting import chapters_on_calls as calls
from kqj_sim.reporting import chapters_on_play as play
from kqj_sim.reporting.findings import Findings
from kqj_sim.reporting.grid import NOTHING, Cell, Grid
from kqj_sim.reporting.page import Part, Section


@dataclass(frozen=True)
class _Chapter:
    name: str
    title: str
    tell: Callable[[Findings], Part | None]
    note: str = ""


_CHAPTERS = (
    _Chapter(
        "taking",
        "Who takes, when, with what",
        calls.taking,
        "Places count from the opener, 0, to the dealer, 5.",
    ),
    _Chapter(
        "auctions",
        "The bidding",
        calls.auctions,
        "A deal is taken if somebody bid; its contract is the last bid's.",
    ),
    _Chapter("contracts", "What is made", play.contracts),
    _Chapter(
        "hands",
        "How strong the Sender's hand is",
        play.hands,
        "By the eight cards with which he plays, of which he knew fewer when he took.",
    ),
    _Chapter("totals", "The contracting team's total", play.totals),
    _Chapter(
        "take_chart",
        "When to take",
        calls.take_chart,
        "In each deal the opener takes with the Return's suit, and in the same deal he passes and "
        "the players go on calling; the same players play both. The numbers are points of his side "
        "less the mean of the others'. They hold against these players and for that first call.",
    ),
    _Chapter("bonuses", "Bonuses", play.bonuses),
    _Chapter("litigation", "Litigation", play.litigation),
    _Chapter("gratuities", "Gratuities of three teams", play.gratuities),
    _Chapter("scores", "Scores of a round", play.scores),
    _Chapter(
        "games",
        "Whole games",
        play.games,
        "Played besides, by the same players from the same seed; the first dealer is drawn.",
    ),
    _Chapter(
        "compared",
        "Policies compared",
        play.compared,
        "They play each other, every deal in all arrangements of the sides, so that each holds the "
        "cards of each; the intervals hold for all pairs together.",
    ),
)


_KEY_FIGURES = (
    ("deals taken", "taking", f"taken, {OF_DEALS}"),
    ("contracts made", "contracts", f"made, {OF_TAKEN}"),
    ("litigation", "contracts", f"litigation, {OF_TAKEN}"),
    ("total of the contracting team, mean", "contracting_total", "mean"),
    ("final amount, mean", "auctions", "final amount, mean"),
    ("contracts countered", "auctions", f"countered, {OF_TAKEN}"),
    ("score of the contracting team, mean", "scores", "contracting team, mean a taken deal"),
    ("score of the defending team, mean", "scores", "defending team, mean a taken deal"),
    ("score of each defending team, mean", "scores", "each defending team, mean a taken deal"),
    ("the opener's taking gains against passing", "take_chart", "taking gains, mean"),
    ("rounds in a game, mean", "games", "rounds, mean"),
)


def key_figures(findings: Sequence[Findings]) -> Grid:
    """The figures that tell most, a column an experiment."""
    rows = []
    for name, table, quantity in _KEY_FIGURES:
        cells = []
        for found in findings:
            there = table in found.tables and () in found.tables[table].estimates(quantity)
            cells.append(found.cell(table, quantity) if there else Cell(NOTHING))
        if any(cell.text != NOTHING for cell in cells):
            rows.append((Cell(name), *cells))
    names = [found.study.plan.name for found in findings]
    headings = ("figure", *(names if len(findings) > 1 else ["value"]))
    return Grid("Key figures", headings, tuple(rows), 1)


def sections(findings: Sequence[Findings]) -> tuple[Section, ...]:
    """The report's sections: the figures that tell most, then a section a subject."""
    several = len(findings) > 1
    made = [Section("short", "In short", (Part(grids=(key_figures(findings),)),))]
    for chapter in _CHAPTERS:
        parts = []
        for found in findings:
            part = chapter.tell(found)
            if part is not None:
                heading = found.study.plan.name if several else ""
                parts.append(Part(**{**vars(part), "heading": heading}))
        if parts:
            made.append(Section(chapter.name, chapter.title, tuple(parts), chapter.note))
    return tuple(made)
