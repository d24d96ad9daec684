"""Reports: the files of a report's folder, all made from the tables of its study."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kqj_sim.games import describe_rules, find_game
from kqj_sim.messages import format_json, join_words, visible_lines
from kqj_sim.output.chapters import WHOLE_GAMES, Chapter, Dots, Numbers, choose_charts
from kqj_sim.output.formats import convert_table
from kqj_sim.output.grid import (
    EMPTY_CELL_TEXT,
    Cell,
    Grid,
    drop_repeated_notes,
    format_number,
    make_grids,
)
from kqj_sim.output.page import Page, Section, page_to_markdown, to_html
from kqj_sim.output.screen import Run, describe_policies
from kqj_sim.output.sentences import say
from kqj_sim.paired.comparison import list_remarks, write_headline, write_title
from kqj_sim.version import __version__

if TYPE_CHECKING:
    from kqj_sim.questions.report.play import Study

# Chapters that the reports of every game have, and how a chapter becomes a section of a page.

COMPARED = Chapter(
    "compared",
    "Comparison of policies",
    (
        Dots(
            "compared",
            "Mean lead over the others, in points a round.",
            "points a round",
            "compared_ranking",
            {"lead": "mean_lead_per_round"},
            rows="{1}",
            middle=0,
        ),
        Dots(
            "compared",
            "Lead of the first over the second, in points a round.",
            "points a round",
            "compared_pairs",
            {"lead": "lead_per_round"},
            rows="{0} over {1}",
            middle=0,
        ),
    ),
    ("compared_ranking", "compared_pairs"),
    ("compared_matrix", "compared_why", "compared_where", "compared_largest"),
    "Each pair plays every deal in all arrangements of the sides, so that both hold the same "
    "cards. The intervals hold for all pairs jointly.",
    needs="compared_pairs",
    needs_play=False,
    sample="compared",
)


def make_section(
    chapter: Chapter, numbers: Numbers, sentences: Sequence[str], sample: str, notes: list[str]
) -> Section:
    """Return a chapter as a section.

    Args:
        sentences: what it says, a paragraph each.
        sample: for whom its numbers hold, and the number of deals.
        notes: notes under earlier tables, which are not repeated; gets those of its tables.
    """
    shown, folded = (
        drop_repeated_notes(
            (
                _drop_empty_rows(grid)
                for name in names
                if name in numbers
                for grid in make_grids(numbers.tables_by_name[name])
            ),
            notes,
        )
        for names in (chapter.tables, chapter.folded)
    )
    return Section(
        chapter.name,
        chapter.title,
        tuple(sentences),
        tuple(chart.make_picture() for chart in choose_charts(chapter.pictures, numbers)),
        tuple(shown),
        tuple(folded),
        f"{sample}. {chapter.note}".rstrip(),
    )


def _drop_empty_rows(grid: Grid) -> Grid:
    rows = tuple(
        row
        for row in grid.rows
        if {cell.text for cell in row[grid.keys :]} - {EMPTY_CELL_TEXT, "0"}
    )
    return replace(grid, rows=rows)


def make_numbers(study: Study) -> Numbers:
    """Return the numbers of a study."""
    return Numbers(make_run(study), [*study.tables.values()])


def make_key_figures(numbers: Numbers) -> Grid:
    """Return the key figures."""
    rows = []
    for figure in find_game(numbers.run.rules.game).report().KEY_FIGURES:
        value = numbers.get(figure.table, figure.quantity, *figure.group)
        if value is None:
            continue
        unit = numbers.get_unit(figure.quantity)
        cell = format_number(value, unit)
        if unit == "share" and value.value in (0.0, 1.0):
            cell = Cell("all" if value.value else "none")
        rows.append((Cell(figure.name), cell))
    return Grid("", ("figure", "value"), tuple(rows), 1)


def make_sections(
    study: Study, numbers: Numbers, facts: Mapping[str, Any], counts: Mapping[str, str]
) -> tuple[Section, ...]:
    """Return the report's sections: the key figures, then one for each chapter."""
    game = find_game(numbers.run.rules.game)
    report = game.report()
    sections = [Section("short", "Key figures", grids=(make_key_figures(numbers),))]
    players = dict.fromkeys(counts, describe_policies(numbers.run.policies))
    if study.comparison is not None:
        players["compared"] = join_words(study.comparison.names)
    notes: list[str] = []
    for chapter in report.CHAPTERS:
        if (chapter.needs and chapter.needs not in numbers) or (
            chapter.needs_play and not numbers.count(*report.PLAYED)
        ):
            continue
        if chapter is COMPARED and study.comparison is not None:
            text = list_remarks(study.comparison)
        else:
            module = __name__ if chapter is WHOLE_GAMES else game.sentences
            names = chapter.sentences or (chapter.name,)
            text = list(filter(None, (say(module, name, numbers, facts) for name in names)))
        sample = f"{players[chapter.sample]}; {counts[chapter.sample]}"
        sections.append(make_section(chapter, numbers, text, sample, notes))
    return tuple(sections)


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
    study: Study, title: str, command: str, time: str, config: tuple[str, str] | None, index: bool
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of a report's files, except for rows.

    Args:
        title: its heading; empty for the result of the comparison, or else the rules.
        command: the command that makes it again.
        time: when it was made and how long that took, the only part that differs then.
        config: name and text of the file of options, if there was one.
        index: whether the page links to `INDEX`.
    """
    page = replace(
        _make_page(study, title, command, time, config), index=f"../{INDEX}" if index else ""
    )
    yield "report.html", to_html(page)
    yield "report.md", page_to_markdown(page)
    yield "report.json", _render_json(study, page, command)
    for picture in page.pictures():
        yield f"pictures/{picture.name}.svg", picture.to_svg_file()
    for name, table in study.tables.items():
        text = visible_lines(table.frame.to_csv(index=False, lineterminator="\n"))
        yield f"tables/{name}.csv", text.encode()


INDEX = "index.html"
"""The page that lists the reports of a folder, each in a folder of its own."""


def make_index(folder: Path) -> bytes:
    """Return the page that lists the reports of a folder, by the names of their folders."""
    sections = []
    for path in sorted(folder.glob("*/report.json")):
        # Another program's file of this name is no report.
        with suppress(ValueError, LookupError, TypeError):
            report, name = json.loads(path.read_bytes()), path.parent.name
            rules = find_game(report["game"]).rules.from_dict(report["rules"])
            note = f"{describe_rules(rules)}; {report['deals']:,} deals, seed {report['seed']}."
            text, link = tuple(report.get("headlines", ())), quote(f"{name}/report.html")
            sections.append(Section(name, report["title"], text, note=note, link=link))
    return to_html(Page("Reports", (), tuple(sections), ()))


def name_report(study: Study, title: str) -> str:
    """Return the name of a report: its title, or the rules."""
    return title or describe_rules(study.plan.experiment.rules)


def _make_page(
    study: Study, title: str, command: str, time: str, config: tuple[str, str] | None
) -> Page:
    numbers = make_numbers(study)
    plan, run, counts = study.plan, numbers.run, _count_samples(study)
    report = find_game(run.rules.game).report()
    facts = report.find_facts(numbers)
    lead = [f"{run.describe() if study.comparison is None else describe_rules(run.rules)}."]
    if study.interrupted:
        lead.append("The run was interrupted: these are the results up to then.")
    lead.append(f"± and ranges in brackets are {100 * plan.confidence:g}% intervals.")
    details = [
        ("program", f"kqj-sim {__version__}"),
        ("command", command),
        ("rules", describe_rules(run.rules)),
        ("players", describe_policies(run.policies)),
        (
            "deals",
            f"{'; '.join(counts.values())}; from deal {plan.experiment.first:,}, seed {run.seed}",
        ),
    ]
    if run.imposed is not None:
        details.append(("imposed", run.imposed))
    details.append(("intervals", f"{100 * plan.confidence:g}%; {_INTERVALS_TEXT}"))
    parameters = "\n".join(f"seat {seat}: {text}" for seat, text in enumerate(run.players))
    if len({*run.players}) == 1:
        parameters = f"every seat: {run.players[0]}"
    listings = [
        ("all rules", json.dumps(run.rules.to_dict(), indent=1)),
        ("players with all parameters", parameters),
    ]
    if study.comparison is not None:
        names = zip(plan.compared_policies, study.comparison.players, strict=True)
        told = "\n".join(f"{one.given}: {whole.given}" for one, whole in names)
        listings.append(("compared policies with all parameters", told))
    if config is not None:
        listings.append(config)
    headlines = [*report.write_headlines(numbers, facts)]
    if study.comparison is not None:
        title = title or write_title(study.comparison)
        players = describe_policies(run.policies)
        headlines = [*write_headline(study.comparison), f"With {players}:", *headlines]
    return Page(
        name_report(study, title),
        tuple(lead),
        make_sections(study, numbers, facts, counts),
        tuple(details),
        tuple(listings),
        time,
        tuple(headlines),
    )


def _count_samples(study: Study) -> dict[str, str]:
    """Return how many deals or games were played, by the `sample` of chapters."""
    plan = study.plan
    counts = {"deals": f"{study.deals:,} deals"}
    if "games" in study.tables:
        counts["games"] = f"{plan.games:,} games"
    if "take_chart" in study.tables:
        counts["take_chart"] = f"{plan.take_chart_deals:,} deals, each played twice"
    if plan.compared_policies:
        counts["compared"] = f"{plan.compared_deals:,} deals for each pair"
    return counts


def _render_json(study: Study, page: Page, command: str) -> bytes:
    content = {
        **make_run(study).to_dict(),
        "command": command,
        "title": page.title,
        "headlines": page.headlines,
        "made": page.time,
        "games": study.plan.games,
        "chart_deals": study.plan.take_chart_deals,
        "tables": [convert_table(table) for table in study.tables.values()],
        "sections": [
            {
                "name": section.name,
                "title": section.title,
                "note": section.note,
                "text": list(section.text),
                "pictures": [f"pictures/{picture.name}.svg" for picture in section.pictures],
            }
            for section in page.sections
        ],
    }
    return format_json(content, compact=True).encode() + b"\n"
