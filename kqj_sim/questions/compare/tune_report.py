"""Reports of searches for better parameters: headline, tables, picture and player's file."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kqj_sim import __version__
from kqj_sim.messages import shell_join, visible
from kqj_sim.output.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    Drawing,
    NothingToDrawError,
    draw_title_lines,
)
from kqj_sim.output.run import Report, Run
from kqj_sim.output.sentences import say
from kqj_sim.policies.configured import split_file
from kqj_sim.policies.parameters import format_parameter_number
from kqj_sim.policies.players import format_player_file
from kqj_sim.questions.compare.search import format_values
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.policies.players import Player
    from kqj_sim.questions.compare.search import Tuning


_LINE_WIDTH = 100


def _list_details(of: Tuning) -> dict[str, Any]:
    return {
        "policy": of.policy.name,
        "field": of.opponents.name,
        "method": METHOD,
        "parameters": {
            each.name: {
                "low": each.low,
                "high": each.high,
                "step": each.step,
                "start": each.start,
                "found": value,
            }
            for each, value in zip(of.search_parameters, of.values, strict=True)
        },
        "candidates": of.candidates,
        "generations": len(of.generations),
        "deals_a_candidate": of.plan.deals,
        "confirmed_on": of.confirmed,
        "shown": of.conclusion if of.confirmed else None,
        "found": of.player.under(of.rules).text,
    }


METHOD = "CMA-ES with margin (cmaes)"


def make_tuning_report(tuning: Tuning, path: str | None) -> Report:
    """Return the report of a search.

    Args:
        tuning: the search.
        path: the file with the policy found; None if it is not saved.
    """
    run = Run(
        command="tune",
        rules=tuning.rules,
        policies=(tuning.policy.name, tuning.opponents.name),
        players=(tuning.player.under(tuning.rules).text,),
        seed=tuning.plan.seed,
        first=tuning.plan.first,
        deals=tuning.confirmed,
        confidence=tuning.plan.confidence,
        interrupted=tuning.interrupted,
        description=say(__name__, "search", tuning, METHOD),
        intervals=say(__name__, "search_intervals", tuning),
        details=_list_details(tuning),
    )
    saved = [] if path is None else [f"Saved in {visible(path)}."]
    commands = []
    if path is not None:
        command = shell_join(["kqj-sim", "compare", path, tuning.policy.given])
        commands = [("To compare it with its start again:", command)]
    tables = _make_tables(tuning)
    views = [table.name for table in tables if table.name != "search"]
    return Report(
        run, tables, [*write_headline(tuning), *saved], views, commands=commands
    )  # fmt: skip


def write_headline(tuning: Tuning) -> list[str]:
    """Return the values found, their gain on fresh deals, and values at an edge, in sentences."""
    searched = tuning.search_parameters
    found = format_values(searched, tuning.values)
    start = format_values(searched, [each.start for each in searched])
    return [say(__name__, "found", tuning, found, start), *tuning.edges]


def _make_tables(tuning: Tuning) -> list[Table]:
    """Return the tables: confirmation, parameters, generations of the search."""
    measured: list[TableRow] = [
        ((), "start_lead_per_round", tuning.start),
        ((), "found_lead_per_round", tuning.found),
        ((), "gain_per_round", tuning.gain),
    ]
    parameters: list[TableRow] = [
        (
            (
                each.name,
                format_parameter_number(each.start),
                format_parameter_number(value),
                f"{format_parameter_number(each.low)} to {format_parameter_number(each.high)}",
            ),
            "change_share",
            _make_plain_estimate((value - each.start) / (each.high - each.low), tuning.confirmed),
        )
        for each, value in zip(tuning.search_parameters, tuning.values, strict=True)
    ]
    course: list[TableRow] = []
    for each in tuning.generations:
        group = (each.number, format_values(tuning.search_parameters, each.values))
        mean, best = (_make_plain_estimate(v, tuning.plan.deals) for v in (each.points, each.best))
        course += [
            (group, "candidates_mean_per_round", mean),
            (group, "candidates_best_per_round", best),
        ]
    note = "The best candidate is partly lucky; each generation plays other deals."
    confirmation = Table(
        "confirmation",
        f"On fresh deals against {tuning.opponents.name}, points a round",
        (),
        measured,
        game=tuning.rules.game,
    )
    return [
        *([confirmation] if tuning.confirmed else []),
        Table(
            "parameters", "Parameters", ("parameter", "before", "found", "searched"), parameters,
            counted=False, game=tuning.rules.game,
        ),
        Table(
            "search", f"The search: lead over {tuning.opponents.name}, points a round",
            ("generation", "centre"), course, note, counted=False, game=tuning.rules.game,
        ),
    ]  # fmt: skip


def _make_plain_estimate(value: float, deals: int) -> Estimate:
    """Return a number without an interval."""
    return Estimate(value, math.nan, math.nan, deals)


def render_player_file(tuning: Tuning, path: str, made_by: str) -> bytes:
    """Return the policy with the values found, as a player's file for `--policy`.

    Args:
        tuning: the search.
        path: path of the file, to which names of user policies' Python files are relative.
        made_by: the command line of the search, or its call in Python.
    """
    made = [f"Made by: {visible(made_by)}", f"kqj-sim {__version__}"]
    lines = [f"# {line}" for line in (*made, *write_headline(tuning))]
    player = _make_paths_relative(tuning.player, Path(path).parent)
    return ("\n".join(lines) + "\n\n" + format_player_file(player, _LINE_WIDTH)).encode()


def _make_paths_relative(player: Player, folder: Path) -> Player:
    """Return the player with the files of user policies relative to a folder."""

    def make_relative(source: str) -> str:
        of_file = split_file(source)
        if of_file is None:
            return source
        return f"{Path(os.path.relpath(of_file[0], folder)).as_posix()}:{of_file[1]}"

    calling, playing = (
        replace(part, source=make_relative(part.source))
        for part in (player.calling, player.playing)
    )
    return replace(player, calling=calling, playing=playing, open_parts=frozenset())


def make_tuning_drawing(tuning: Tuning, run: Run) -> Drawing:
    """Return the picture of a search; raise NothingToDrawError for one of a single generation."""
    if len(tuning.generations) == 1:
        raise NothingToDrawError("a search of one generation is a single point")

    def draw(figure: Figure) -> None:
        draw_title_lines(figure, (*write_headline(tuning), run.describe()), 115)
        upper, lower = figure.subplots(2, 1, sharex=True)
        _draw_scores(upper, tuning)
        _draw_centres(lower, tuning)
        lower.set_xlabel("generation")
        lower.xaxis.get_major_locator().set_params(integer=True)
        for axes in (upper, lower):
            axes.grid(axis="y")
            axes.legend(loc="best", ncols=2 + len(tuning.search_parameters) // 6)

    def draw_main(axes: Axes) -> None:
        _draw_scores(axes, tuning)
        axes.set_xlabel("generation")
        axes.grid(axis="y")
        axes.legend(loc="best")

    return Drawing(draw, draw_main, (10, 8))


def _draw_scores(axes: Axes, tuning: Tuning) -> None:
    """Draw the points of the candidates by generation."""
    generations = [each.number for each in tuning.generations]
    best = [each.best for each in tuning.generations]
    means = [each.points for each in tuning.generations]
    if min(*best, *means) <= 0 <= max(*best, *means):
        axes.axhline(0, color=GREY, linewidth=1)
    axes.plot(generations, best, ".", color=ORANGE, label="best candidate, luck included")
    axes.plot(generations, means, "o-", color=BLUE, markersize=4, label="mean of the candidates")
    axes.set_title("Lead over the opponents, by generation")
    axes.set_ylabel("points a round")


def _draw_centres(axes: Axes, tuning: Tuning) -> None:
    """Draw the centre of the search by generation, a line for each parameter."""
    generations = [each.number for each in tuning.generations]
    colours = (BLUE, ORANGE, GREEN, PURPLE, GREY)
    for number, each in enumerate(tuning.search_parameters):
        values = [each.start, *(generation.values[number] for generation in tuning.generations)]
        shares = [100 * (value - each.low) / (each.high - each.low) for value in values]
        style = ("-", "--", ":")[number // len(colours) % 3]
        colour = colours[number % len(colours)]
        axes.plot([0, *generations], shares, style, color=colour, label=each.name)
    axes.set_title("The centre of the search, as % of each parameter's range")
    axes.set_ylabel("% of the range")
    axes.set_ylim(-2, 102)
