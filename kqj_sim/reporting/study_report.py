"""A report of studies: the files of its folder, all made from the same tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim import __version__
from kqj_sim.reporting.chapters import sections
from kqj_sim.reporting.choices import slug
from kqj_sim.reporting.findings import Findings, all_tables
from kqj_sim.reporting.formats import table_values
from kqj_sim.reporting.page import Page, page_to_markdown, to_html
from kqj_sim.reporting.report import Run, describe_policies, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.study import Study

_INTERVALS = (
    "shares: Wilson's score interval, with fewer than 40 events (or non-events) Clopper and "
    "Pearson's; means: Student's t, with few events as for shares; standard deviations, from 1,000 "
    "observations on: Student's t for the squares, with Hall's transformation for their skewness; "
    "quantiles: by order statistics. Deals are independent of each other; what is compared on the "
    "same deals is compared deal by deal"
)


@dataclass(frozen=True)
class Making:
    """How a report was made.

    Attributes:
        title: its heading.
        command: the command that makes it again.
        time: when, and in which time: the one thing that differs then.
        config: name and text of the file of options, if there was one.
    """

    title: str
    command: str
    time: str
    config: tuple[str, str] | None = None


def run_of(study: Study) -> Run:
    """What is needed to repeat a study."""
    experiment = study.plan.experiment
    return Run(
        command="report",
        rules=experiment.rules,
        policies=tuple(player.name for player in experiment.players),
        players=tuple(player.text for player in experiment.players),
        seed=experiment.seed,
        first=experiment.first,
        deals=study.deals,
        confidence=study.plan.confidence,
        imposed=imposed_text(study),
        interrupted=study.interrupted,
    )


def imposed_text(study: Study) -> str | None:
    """An imposed contract as on the command line."""
    imposed: Any = study.plan.experiment.imposed
    if imposed is None:
        return None
    amount = "" if imposed.amount is None else f":{imposed.amount}"
    return f"{imposed.place}:{imposed.contract}{amount}"


def files(studies: Sequence[Study], making: Making) -> Iterator[tuple[str, bytes]]:
    """The names and contents of a report's files, but for rows."""
    several = len(studies) > 1
    findings = [Findings(study, slug(study.plan.name) if several else "") for study in studies]
    page = _page(findings, making)
    yield "report.html", to_html(page)
    yield "report.md", page_to_markdown(page)
    yield "report.json", _json(findings, page, making)
    for picture in page.pictures():
        yield f"pictures/{picture.name}.svg", picture.alone()
    for name, table in all_tables(findings).items():
        text = table.frame.to_csv(index=False, lineterminator="\n")
        yield f"tables/{name}.csv", text.encode()


def _page(findings: Sequence[Findings], making: Making) -> Page:
    confidence = findings[0].study.plan.confidence
    lead = [_summary(found) for found in findings]
    if any(found.study.interrupted for found in findings):
        lead.append("The run was interrupted: this is what was finished.")
    lead.append(f"Numbers behind ±, and ranges in brackets, are {100 * confidence:g}% intervals.")
    made = [("program", f"kqj-sim {__version__}"), ("command", making.command)]
    listings = []
    for found in findings:
        name = f"{found.study.plan.name}: " if len(findings) > 1 else ""
        run = run_of(found.study)
        plan = found.study.plan
        made += [
            (f"{name}rules", describe_rules(run.rules)),
            (f"{name}players", describe_policies(run.policies)),
            (f"{name}deals", _deals(found.study)),
        ]
        rules = json.dumps(run.rules.to_dict(), indent=1)
        players = "\n".join(f"seat {seat}: {text}" for seat, text in enumerate(run.players))
        if len({*run.players}) == 1:
            players = f"every seat: {run.players[0]}"
        listings += [
            (f"{name}all rules and rulings", rules),
            (f"{name}players with all parameters", players),
        ]
        if found.study.comparison is not None:
            names = zip(plan.compared, found.study.comparison.players, strict=True)
            told = "\n".join(f"{one}: {whole}" for one, whole in names)
            listings.append((f"{name}policies compared, as they were played", told))
        if plan.experiment.imposed is not None:
            made.append((f"{name}imposed", str(run.imposed)))
    made.append(("intervals", f"{100 * confidence:g}%; {_INTERVALS}"))
    if making.config is not None:
        listings.append(making.config)
    return Page(
        making.title, tuple(lead), sections(findings), tuple(made), tuple(listings), making.time
    )


def _summary(found: Findings) -> str:
    name = f"{found.study.plan.name}: " if found.slug else ""
    return f"{name}{run_of(found.study).summary()}."


def _deals(study: Study) -> str:
    plan = study.plan
    text = f"{study.deals:,} from {plan.experiment.first:,}, seed {plan.experiment.seed}"
    text += f"; {plan.games:,} games" if "games" in study.tables else ""
    if "take_chart" in study.tables:
        text += f"; take chart from the first {plan.charted:,}, each played twice"
    if study.comparison is not None:
        text += f"; {plan.compared_deals:,} for each pair of policies compared"
    return text


def _json(findings: Sequence[Findings], page: Page, making: Making) -> bytes:
    found = {
        "version": __version__,
        "title": making.title,
        "command": making.command,
        "made": making.time,
        "experiments": [
            {
                "name": each.study.plan.name,
                **run_of(each.study).to_dict(),
                "games": each.study.plan.games,
                "chart_deals": each.study.plan.charted,
                "tables": [table_values(table) for table in each.tables.values()],
            }
            for each in findings
        ],
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "note": section.note,
                "parts": [
                    {
                        "heading": part.heading,
                        "text": list(part.text),
                        "pictures": [f"pictures/{picture.name}.svg" for picture in part.pictures],
                    }
                    for part in section.parts
                ],
            }
            for section in page.sections
        ],
    }
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
