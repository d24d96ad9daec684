"""The page of the odds of calls or of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kqj_sim import __version__
from kqj_sim.games import describe_rules
from kqj_sim.messages import format_json
from kqj_sim.output.grid import make_grids
from kqj_sim.output.page import Page, Section
from kqj_sim.questions.odds.plots import make_pictures
from kqj_sim.questions.odds.summary import list_key_views
from kqj_sim.questions.odds.words import write_headline

if TYPE_CHECKING:
    from kqj_sim.output.run import Report
    from kqj_sim.positions.odds import Odds


def make_odds_page(odds: Odds, report: Report) -> Page:
    """Return the page: the decision, key figures, pictures, and all tables on demand."""
    run = report.run
    is_card = odds.kind == "card"
    views = list_key_views(odds, names_option=False)
    key_grids = tuple(grid for view in views for grid in report.lay_out(view))
    of = ("layouts", f"all {run.deals:,}") if odds.is_exact else None
    pictures = tuple(make_pictures(odds))
    sections = [
        Section("key-figures", "Key figures", grids=key_grids),
        *([Section("pictures", "Pictures", pictures=pictures)] if pictures else []),
        Section(
            "tables",
            "All figures",
            folded=tuple(grid for table in report.tables for grid in make_grids(table)),
        ),
    ]
    situation, *described = run.describe().split("\n")
    return Page(
        title=f"Which {'card' if is_card else 'call'}?",
        lead=(*write_headline(odds), situation, *described, run.describe_intervals()),
        sections=tuple(sections),
        provenance=(
            ("program", f"kqj-sim {__version__}, {run.command}"),
            ("rules", describe_rules(run.rules)),
            of or ("deals", f"{run.deals:,}, seed {run.seed}"),
        ),
        listings=(("all assumptions", format_json(run.to_dict(), 1)),),
    )
