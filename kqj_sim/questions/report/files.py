"""Reports: the files of a report's folder, all made from the tables of its study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kqj_sim import __version__
from kqj_sim.games import find_game
from kqj_sim.messages import format_json, visible_lines
from kqj_sim.output.formats import convert_table
from kqj_sim.output.grid import EMPTY_CELL_TEXT, Cell, Grid, drop_repeated_notes
from kqj_sim.output.page import Page, Part, Section, page_to_markdown, to_html
from kqj_sim.output.run import Run, describe_policies, describe_rules
from kqj_sim.questions.compare.compare_report import write_headline
from kqj_sim.questions.report.chapter import Findings

if TYPE_CHECKING:
    from kqj_sim.questions.report.study import Study


def make_key_figures(found: Findings) -> Grid:
    """Return the key figures."""
    rows = []
    for name, table, quantity, group in find_game(found.rules.game).part("chapters").key_figures:
        if table not in found.tables or group not in found.tables[table].estimates(quantity):
            continue
        cell = found.format_cell(table, quantity, *group)
        value = found.estimate(table, quantity, *group).value
        if found.get_unit(quantity) == "share" and value in (0.0, 1.0):
            cell = Cell("all" if value else "none")
        if cell.text != EMPTY_CELL_TEXT:
            rows.append((Cell(name), cell))
    return Grid("", ("figure", "value"), tuple(rows), 1)


def make_sections(found: Findings) -> tuple[Section, ...]:
    """Return the report's sections: the key figures, then one for each chapter."""
    comparison = found.study.comparison
    text = () if comparison is None else tuple(write_headline(comparison))
    made = [Section("short", "Key figures", (Part(text=text, grids=(make_key_figures(found),)),))]
    notes: list[str] = []
    for chapter in find_game(found.rules.game).part("chapters").chapters:
        if chapter.table and chapter.table not in found.tables:
            continue
        if chapter.needs_play and not find_game(found.rules.game).part("chapters").has_play(found):
            continue
        part = chapter.describe(found)
        part = replace(
            part,
            # Pictures of a single point would show nothing.
            pictures=tuple(picture for picture in part.pictures if picture.svg),
            grids=tuple(drop_repeated_notes(part.grids, notes)),
            folded=tuple(drop_repeated_notes(part.folded, notes)),
        )
        made.append(Section(chapter.name, chapter.title, (part,), chapter.note))
    return tuple(made)


_INTERVALS_TEXT = (
    "shares: Wilson's score interval; with fewer than 40 events (or non-events) Clopper-Pearson. "
    "Means: Student's t. Standard deviations, from 1,000 observations: Student's t of the squares "
    "with Hall's correction for skewness. Quantiles: order statistics. Deals are independent; "
    "comparisons on the same deals are paired deal by deal"
)


def make_run(study: Study) -> Run:
    """Return the run of a study."""
    plan = study.plan
    return Run.of(
        "report", plan.experiment, study.deals, confidence=plan.confidence,
        interrupted=study.interrupted,
    )  # fmt: skip


def iterate_files(
    study: Study, title: str, command: str, time: str, config: tuple[str, str] | None
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of a report's files, except for rows.

    Args:
        study: the study.
        title: its heading.
        command: the command that makes it again.
        time: when it was made and how long that took, the only part that differs then.
        config: name and text of the file of options, if there was one.
    """
    page = _make_page(Findings(study), title, command, time, config)
    yield "report.html", to_html(page)
    yield "report.md", page_to_markdown(page)
    yield "report.json", _render_json(study, page, command)
    for picture in page.pictures():
        yield f"pictures/{picture.name}.svg", picture.to_svg_file()
    for name, table in study.tables.items():
        text = visible_lines(table.frame.to_csv(index=False, lineterminator="\n"))
        yield f"tables/{name}.csv", text.encode()


def _make_page(
    found: Findings, title: str, command: str, time: str, config: tuple[str, str] | None
) -> Page:
    study = found.study
    plan, run = study.plan, make_run(study)
    lead = [f"{run.describe()}."]
    if study.interrupted:
        lead.append("The run was interrupted: these are the results up to then.")
    lead.append(f"± and ranges in brackets are {100 * plan.confidence:g}% intervals.")
    made = [
        ("program", f"kqj-sim {__version__}"),
        ("command", command),
        ("rules", describe_rules(run.rules)),
        ("players", describe_policies(run.policies)),
        ("deals", _describe_deals(study)),
    ]
    if run.imposed is not None:
        made.append(("imposed", run.imposed))
    made.append(("intervals", f"{100 * plan.confidence:g}%; {_INTERVALS_TEXT}"))
    players = "\n".join(f"seat {seat}: {text}" for seat, text in enumerate(run.players))
    if len({*run.players}) == 1:
        players = f"every seat: {run.players[0]}"
    listings = [
        ("all rules", json.dumps(run.rules.to_dict(), indent=1)),
        ("players with all parameters", players),
    ]
    if study.comparison is not None:
        names = zip(plan.compared_policies, study.comparison.players, strict=True)
        told = "\n".join(f"{one.given}: {whole.given}" for one, whole in names)
        listings.append(("compared policies with all parameters", told))
    if config is not None:
        listings.append(config)
    return Page(
        title,
        tuple(lead),
        make_sections(found),
        tuple(made),
        tuple(listings),
        time,
        find_game(found.rules.game).part("chapters").write_headlines(found),
    )


def _describe_deals(study: Study) -> str:
    plan = study.plan
    text = f"{study.deals:,} from {plan.experiment.first:,}, seed {plan.experiment.seed}"
    text += f"; {plan.games:,} games" if "games" in study.tables else ""
    if "take_chart" in study.tables:
        text += f"; take chart: the first {plan.take_chart_deals:,}, each played twice"
    if study.comparison is not None:
        text += f"; {plan.compared_deals:,} for each pair of policies compared"
    return text


def _render_json(study: Study, page: Page, command: str) -> bytes:
    found = {
        **make_run(study).to_dict(),
        "command": command,
        "title": page.title,
        "made": page.time,
        "games": study.plan.games,
        "chart_deals": study.plan.take_chart_deals,
        "tables": [convert_table(table) for table in study.tables.values()],
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "note": section.note,
                "text": [sentence for part in section.parts for sentence in part.text],
                "pictures": [
                    f"pictures/{picture.name}.svg"
                    for part in section.parts
                    for picture in part.pictures
                ],
            }
            for section in page.sections
        ],
    }
    return format_json(found, compact=True).encode() + b"\n"
