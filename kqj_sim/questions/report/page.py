"""Reports: the files of a report's folder, all made from the tables of its study."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kqj_sim import __version__
from kqj_sim.games import describe_rules, find_game
from kqj_sim.messages import format_json, visible_lines
from kqj_sim.output.formats import convert_table
from kqj_sim.output.grid import Cell, Grid, format_number
from kqj_sim.output.numbers import Numbers
from kqj_sim.output.page import Page, Section, page_to_markdown, to_html
from kqj_sim.output.run import Run, describe_policies
from kqj_sim.output.sentences import say
from kqj_sim.output.views import WHOLE_GAMES
from kqj_sim.paired.comparison import list_remarks, write_headline, write_title
from kqj_sim.questions.report.views import COMPARED, make_section

if TYPE_CHECKING:
    from kqj_sim.paired.comparison import Comparison
    from kqj_sim.questions.report.play import Study


def make_numbers(study: Study) -> Numbers:
    """Return the numbers of a study."""
    return Numbers(make_run(study), [*study.tables.values()])


def make_key_figures(found: Numbers) -> Grid:
    """Return the key figures."""
    rows = []
    for figure in find_game(found.run.rules.game).report().KEY_FIGURES:
        value = found.get(figure.table, figure.quantity, *figure.group)
        if value is None:
            continue
        unit = found.get_unit(figure.quantity)
        cell = format_number(value, unit)
        if unit == "share" and value.value in (0.0, 1.0):
            cell = Cell("all" if value.value else "none")
        rows.append((Cell(figure.name), cell))
    return Grid("", ("figure", "value"), tuple(rows), 1)


def make_sections(
    found: Numbers, facts: Mapping[str, Any], comparison: Comparison | None
) -> tuple[Section, ...]:
    """Return the report's sections: the key figures, then one for each view."""
    game = find_game(found.run.rules.game)
    report = game.report()
    compared = () if comparison is None else tuple(write_headline(comparison))
    made = [Section("short", "Key figures", compared, grids=(make_key_figures(found),))]
    notes: list[str] = []
    for view in report.VIEWS:
        if (view.needs and view.needs not in found) or (
            view.needs_play and not found.count(*report.PLAYED)
        ):
            continue
        if view is COMPARED and comparison is not None:
            text = [*write_headline(comparison), *list_remarks(comparison)]
        else:
            module = __name__ if view is WHOLE_GAMES else game.sentences
            names = view.sentences or (view.name,)
            text = list(filter(None, (say(module, name, found, facts) for name in names)))
        made.append(make_section(view, found, text, notes))
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
        title: its heading; empty for the result of the comparison, or else the rules.
        command: the command that makes it again.
        time: when it was made and how long that took, the only part that differs then.
        config: name and text of the file of options, if there was one.
    """
    page = _make_page(study, title, command, time, config)
    yield "report.html", to_html(page)
    yield "report.md", page_to_markdown(page)
    yield "report.json", _render_json(study, page, name_report(study, title), command)
    for picture in page.pictures():
        yield f"pictures/{picture.name}.svg", picture.to_svg_file()
    for name, table in study.tables.items():
        text = visible_lines(table.frame.to_csv(index=False, lineterminator="\n"))
        yield f"tables/{name}.csv", text.encode()


def name_report(study: Study, title: str) -> str:
    """Return the name of a report: its title, or the rules."""
    return title or describe_rules(study.plan.experiment.rules)


def _make_page(
    study: Study, title: str, command: str, time: str, config: tuple[str, str] | None
) -> Page:
    found = make_numbers(study)
    plan, run = study.plan, found.run
    report = find_game(run.rules.game).report()
    facts = report.find_facts(found)
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
    headlines = [*report.write_headlines(found, facts)]
    if study.comparison is not None:
        title = title or write_title(study.comparison)
        headlines = [*write_headline(study.comparison), *headlines]
    return Page(
        name_report(study, title),
        tuple(lead),
        make_sections(found, facts, study.comparison),
        tuple(made),
        tuple(listings),
        time,
        tuple(headlines),
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


def _render_json(study: Study, page: Page, name: str, command: str) -> bytes:
    found = {
        **make_run(study).to_dict(),
        "command": command,
        "title": name,
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
    return format_json(found, compact=True).encode() + b"\n"
