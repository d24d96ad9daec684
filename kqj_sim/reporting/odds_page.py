"""What calls are worth, as a page."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kqj_sim import __version__
from kqj_sim.notation import format_hand
from kqj_sim.reporting.grid import table_grids
from kqj_sim.reporting.odds import OddsRun
from kqj_sim.reporting.page import Page, Part, Picture, Section
from kqj_sim.reporting.report import Report, describe_policies, describe_rules


def odds_page(report: Report, totals: Sequence[Picture], chances: Sequence[Picture]) -> Page:
    """The page of an answer.

    Args:
        report: the answer and its tables.
        totals: how the own side's total is distributed, in any number of pictures.
        chances: with auctions, the chance to reach each amount.
    """
    run = report.run
    assert isinstance(run, OddsRun)
    pictures = {"contracts": (*chances,)}
    first, *others = (
        Section(
            table.name,
            table.title,
            (Part(pictures=pictures.get(table.name, ()), grids=tuple(table_grids(table))),),
        )
        for table in report.tables
    )
    drawn = Section(
        "totals", "How the own side's total is distributed", (Part(pictures=(*totals,)),)
    )
    whole = json.dumps(run.to_dict(), ensure_ascii=False, indent=1)
    return Page(
        title=f"What to call with {format_hand(run.hand)}",
        lead=(*report.answer, run.summary(), run.intervals()),
        sections=(first, drawn, *others),
        made=(
            ("program", f"kqj-sim {__version__}, {run.command}"),
            ("rules", describe_rules(run.rules)),
            ("players", describe_policies(run.policies)),
            ("deals", f"{run.deals:,}, seed {run.seed}"),
        ),
        listings=(("everything that was assumed", whole),),
    )
