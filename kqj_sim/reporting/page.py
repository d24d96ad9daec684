"""A report as a page: one file that needs nothing else, for the screen, a phone, and paper."""

from __future__ import annotations

from pathlib import Path

from kqj_sim.analysis.odds_tables import BEST
from kqj_sim.reporting.formats import run_json
from kqj_sim.reporting.grid import table_grids
from kqj_sim.reporting.report import Report


def render_page(report: Report, picture: bytes) -> bytes:
    """The page of a report with a picture in SVG."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=False)
    template = environment.from_string(
        Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    )
    drawing = picture.decode()
    page = template.render(
        title=f"kqj-sim {report.run.command}",
        answer=report.answer,
        summary=report.run.summary(),
        intervals=report.run.intervals(),
        grids=[grid for table in report.tables for grid in table_grids(table)],
        best=BEST,
        # What stands before <svg> belongs to a file of its own.
        picture=drawing[drawing.index("<svg") :],
        run=run_json(report.run).replace("<", "\\u003c"),
    )
    return page.encode()
