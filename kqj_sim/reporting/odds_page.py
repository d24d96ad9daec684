"""What calls are worth, as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from kqj_sim import __version__
from kqj_sim.reporting.grid import table_grids
from kqj_sim.reporting.page import Page, Part, Picture, Section
from kqj_sim.reporting.report import Report, describe_policies, describe_rules


def odds_page(
    report: Report, hand: str, pictures: Mapping[str, Sequence[Picture]], drawn: Section
) -> Page:
    """The page of an answer.

    Args:
        report: the answer and its tables.
        hand: the cards of who asks.
        pictures: those that belong to a table, by its name.
        drawn: pictures that belong to none; they follow the first table.
    """
    run = report.run
    first, *others = (
        Section(
            table.name,
            table.title,
            (Part(pictures=(*pictures.get(table.name, ()),), grids=(*table_grids(table),)),),
        )
        for table in report.tables
    )
    whole = json.dumps(run.to_dict(), ensure_ascii=False, indent=1)
    return Page(
        title=f"What to call with {hand}",
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
