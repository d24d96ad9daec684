"""What calls are worth, as a page."""

from __future__ import annotations

import shlex

from kqj_sim.reporting.formats import run_json
from kqj_sim.reporting.grid import table_grids
from kqj_sim.reporting.page import Page, Part, Picture, Section
from kqj_sim.reporting.report import Report


def odds_page(report: Report, picture: bytes) -> Page:
    """The page of an answer.

    Args:
        report: the answer and its tables.
        picture: of how the totals are distributed, in SVG.
    """
    run = report.run
    words = "How the own side's total is distributed after each call, and who wins the round"
    drawn = Part(pictures=(Picture("totals", words, picture.decode()),))
    tables = (
        Section(table.name, table.title, (Part(grids=tuple(table_grids(table))),))
        for table in report.tables
    )
    first, *others = tables
    return Page(
        title="What each call is worth",
        lead=(*report.answer, run.summary(), run.intervals()),
        sections=(first, Section("totals", "The own total", (drawn,)), *others),
        made=(("program", f"kqj-sim {run.command}"), ("players", shlex.join(run.policies)),
              ("deals", f"{run.deals:,}"), ("seed", str(run.seed))),
        listings=(("everything that was assumed", run_json(run)),),
    )  # fmt: skip
