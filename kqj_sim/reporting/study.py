"""Reports of studies: the files of a report's folder, all made from the tables of its studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from kqj_sim import __version__
from kqj_sim.messages import format_json, visible_lines
from kqj_sim.reporting.chapter import (
    Chapter,
    Findings,
    KeyFigure,
    collect_tables,
    format_estimate,
)
from kqj_sim.reporting.compare import write_headline
from kqj_sim.reporting.formats import convert_table, make_slug
from kqj_sim.reporting.grid import EMPTY_CELL_TEXT, Cell, Grid, drop_repeated_notes
from kqj_sim.reporting.kqj import chapters as kqj
from kqj_sim.reporting.kwajongen import chapters as kwajongen
from kqj_sim.reporting.page import Page, Part, Section, page_to_markdown, to_html
from kqj_sim.reporting.run import Run, describe_policies, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.paired_differences import FigureKey
    from kqj_sim.analysis.study import Study

Differences: TypeAlias = "Sequence[Mapping[FigureKey, Estimate]]"
"""The figures of each study after the first minus those of the first."""


@dataclass(frozen=True)
class _GameChapters:
    """The chapters of a game's reports, its key figures and its headlines."""

    chapters: tuple[Chapter, ...]
    key_figures: tuple[KeyFigure, ...]
    write_headlines: Callable[[Findings], tuple[str, ...]]


_CHAPTERS_BY_GAME: Mapping[str, _GameChapters] = {
    "kqj": _GameChapters(kqj.CHAPTERS, kqj.KEY_FIGURES, kqj.write_headlines),
    "kwajongen": _GameChapters(
        kwajongen.CHAPTERS, kwajongen.KEY_FIGURES, kwajongen.write_headlines
    ),
}


def _get_game(found: Findings) -> str:
    return found.study.plan.experiment.rules.game


def _list_games(findings: Sequence[Findings]) -> list[str]:
    """Return the games of a report, in order."""
    return list(dict.fromkeys(map(_get_game, findings)))


def make_key_figures(findings: Sequence[Findings], differences: Differences = ()) -> Grid:
    """Return the key figures, with a column for each experiment.

    `differences` of the experiments after the first have columns of their own.
    """
    rows = []
    figures = [
        figure for game in _list_games(findings) for figure in _CHAPTERS_BY_GAME[game].key_figures
    ]
    for name, table, quantity, group in dict.fromkeys(figures):
        cells = []
        for found in findings:
            there = table in found.tables and group in found.tables[table].estimates(quantity)
            cells.append(
                _format_figure(found, table, quantity, group) if there else Cell(EMPTY_CELL_TEXT)
            )
        if any(cell.text != EMPTY_CELL_TEXT for cell in cells):
            for paired in differences:
                each = paired.get((table, quantity, group))
                shown = each is not None and EMPTY_CELL_TEXT not in [cell.text for cell in cells]
                unit = findings[0].get_unit(table, quantity) if shown else ""
                cells.append(
                    format_estimate(each, unit) if shown and each else Cell(EMPTY_CELL_TEXT)
                )
            rows.append((Cell(name), *cells))
    names = [found.study.plan.name for found in findings]
    headings = ["figure", *(names if len(findings) > 1 else ["value"])]
    note = ""
    if differences:
        headings += [f"{name} minus {names[0]}" for name in names[1:]]
        note = (
            "The experiments have the same deals. Differences are paired deal by deal: luck that "
            "both have in common cancels."
        )
    return Grid("", tuple(headings), tuple(rows), 1, note)


def _format_figure(
    found: Findings, table: str, quantity: str, group: tuple[int | str, ...]
) -> Cell:
    """Return a key figure; a share of all or of nothing in a word."""
    estimate = found.estimate(table, quantity, *group)
    if found.get_unit(table, quantity) == "share" and estimate.value in (0.0, 1.0):
        return Cell("all" if estimate.value else "none")
    return found.format_cell(table, quantity, *group)


def _describe_short(findings: Sequence[Findings]) -> tuple[str, ...]:
    """Return the results of comparisons of policies in sentences."""
    return tuple(
        f"{found.study.plan.name}: {line}" if len(findings) > 1 else line
        for found in findings
        if found.study.comparison is not None
        for line in write_headline(found.study.comparison)
    )


def make_sections(
    findings: Sequence[Findings], differences: Differences = ()
) -> tuple[Section, ...]:
    """Return the report's sections: the key figures, then one for each chapter.

    A chapter that several games have is one section for all of them.
    """
    several = len(findings) > 1
    figures = make_key_figures(findings, differences)
    first = Part(text=_describe_short(findings), grids=(figures,))
    made = [Section("short", "Key figures", (first,))]
    chapters = [
        chapter for game in _list_games(findings) for chapter in _CHAPTERS_BY_GAME[game].chapters
    ]
    notes: list[str] = []
    for chapter in dict.fromkeys(chapters):
        parts = []
        for found in findings:
            if chapter not in _CHAPTERS_BY_GAME[_get_game(found)].chapters:
                continue
            part = chapter.describe(found)
            if part is not None:
                heading = found.study.plan.name if several else ""
                # Pictures of a single point would show nothing.
                drawn = tuple(picture for picture in part.pictures if picture.svg)
                grids, folded = (
                    tuple(drop_repeated_notes(each, notes)) for each in (part.grids, part.folded)
                )
                parts.append(
                    replace(part, heading=heading, pictures=drawn, grids=grids, folded=folded)
                )
        if parts:
            made.append(Section(chapter.name, chapter.title, tuple(parts), chapter.note))
    return tuple(made)


_INTERVALS_TEXT = (
    "shares: Wilson's score interval; with fewer than 40 events (or non-events) Clopper-Pearson. "
    "Means: Student's t. Standard deviations, from 1,000 observations: Student's t of the squares "
    "with Hall's correction for skewness. Quantiles: order statistics. Deals are independent; "
    "comparisons on the same deals are paired deal by deal"
)


@dataclass(frozen=True)
class Provenance:
    """The origin of a report.

    Attributes:
        title: its heading.
        command: the command that makes it again.
        time: when it was made and how long that took, the only part that differs then.
        config: name and text of the file of options, if there was one.
    """

    title: str
    command: str
    time: str
    config: tuple[str, str] | None = None


def make_run(study: Study) -> Run:
    """Return the run of a study."""
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
        imposed=study.plan.experiment.imposed_text,
        interrupted=study.interrupted,
    )


def iterate_files(
    studies: Sequence[Study], provenance: Provenance, differences: Differences = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of a report's files, except for rows.

    Args:
        studies: the studies.
        provenance: the origin of the report.
        differences: the figures of each study minus those of the first, paired by deal.
    """
    several = len(studies) > 1
    findings = [Findings(study, make_slug(study.plan.name) if several else "") for study in studies]
    page = _make_page(findings, provenance, differences)
    yield "report.html", to_html(page)
    yield "report.md", page_to_markdown(page)
    yield "report.json", _render_json(findings, page, provenance)
    for picture in page.pictures():
        yield f"pictures/{picture.name}.svg", picture.to_svg_file()
    for name, table in collect_tables(findings).items():
        text = visible_lines(table.frame.to_csv(index=False, lineterminator="\n"))
        yield f"tables/{name}.csv", text.encode()


def _write_headlines(findings: Sequence[Findings]) -> tuple[str, ...]:
    """Return the findings in a few sentences; of several studies one line each."""
    if len(findings) == 1:
        return _CHAPTERS_BY_GAME[_get_game(findings[0])].write_headlines(findings[0])
    headlines = (
        (found, _CHAPTERS_BY_GAME[_get_game(found)].write_headlines(found)) for found in findings
    )
    return tuple(
        f"{found.study.plan.name}: {' '.join(sentences[:2])}" for found, sentences in headlines
    )


def _make_page(
    findings: Sequence[Findings], provenance: Provenance, differences: Differences
) -> Page:
    confidence = findings[0].study.plan.confidence
    lead = [_describe_study(found) for found in findings]
    if any(found.study.interrupted for found in findings):
        lead.append("The run was interrupted: these are the results up to then.")
    lead.append(f"± and ranges in brackets are {100 * confidence:g}% intervals.")
    made = [("program", f"kqj-sim {__version__}"), ("command", provenance.command)]
    listings = []
    for found in findings:
        name = f"{found.study.plan.name}: " if len(findings) > 1 else ""
        run = make_run(found.study)
        plan = found.study.plan
        made += [
            (f"{name}rules", describe_rules(run.rules)),
            (f"{name}players", describe_policies(run.policies)),
            (f"{name}deals", _describe_deals(found.study)),
        ]
        rules = json.dumps(run.rules.to_dict(), indent=1)
        players = "\n".join(f"seat {seat}: {text}" for seat, text in enumerate(run.players))
        if len({*run.players}) == 1:
            players = f"every seat: {run.players[0]}"
        listings += [
            (f"{name}all rules", rules),
            (f"{name}players with all parameters", players),
        ]
        if found.study.comparison is not None:
            names = zip(plan.compared_policies, found.study.comparison.players, strict=True)
            told = "\n".join(f"{one}: {whole}" for one, whole in names)
            listings.append((f"{name}compared policies with all parameters", told))
        if plan.experiment.imposed is not None:
            made.append((f"{name}imposed", str(run.imposed)))
    made.append(("intervals", f"{100 * confidence:g}%; {_INTERVALS_TEXT}"))
    if provenance.config is not None:
        listings.append(provenance.config)
    return Page(
        provenance.title,
        tuple(lead),
        make_sections(findings, differences),
        tuple(made),
        tuple(listings),
        provenance.time,
        _write_headlines(findings),
    )


def _describe_study(findings: Findings) -> str:
    name = f"{findings.study.plan.name}: " if findings.slug else ""
    return f"{name}{make_run(findings.study).describe()}."


def _describe_deals(study: Study) -> str:
    plan = study.plan
    text = f"{study.deals:,} from {plan.experiment.first:,}, seed {plan.experiment.seed}"
    text += f"; {plan.games:,} games" if "games" in study.tables else ""
    if "take_chart" in study.tables:
        text += f"; take chart: the first {plan.take_chart_deals:,}, each played twice"
    if study.comparison is not None:
        text += f"; {plan.compared_deals:,} for each pair of policies compared"
    return text


def _render_json(findings: Sequence[Findings], page: Page, provenance: Provenance) -> bytes:
    found = {
        "version": __version__,
        "title": provenance.title,
        "command": provenance.command,
        "made": provenance.time,
        "experiments": [
            {
                "name": each.study.plan.name,
                **make_run(each.study).to_dict(),
                "games": each.study.plan.games,
                "chart_deals": each.study.plan.take_chart_deals,
                "tables": [convert_table(table) for table in each.tables.values()],
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
    return format_json(found, compact=True).encode() + b"\n"
