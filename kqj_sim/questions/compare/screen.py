"""First screens and pictures of comparisons, of sweeps over parameters, and of searches."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kqj_sim import __version__
from kqj_sim.games import find_game, list_game_options
from kqj_sim.messages import capitalize, shell_join, visible
from kqj_sim.output import figures
from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.grid import NO_INTERVAL, SCREEN_WIDTH, make_grids
from kqj_sim.output.page import INK
from kqj_sim.output.run import Report, Run, ScreenView
from kqj_sim.output.sentences import say
from kqj_sim.paired.comparison import (
    Comparison,
    describe_open_parts,
    get_decimals,
    list_remarks,
    write_headline,
)
from kqj_sim.paired.leads import ComparisonPlan, Leads
from kqj_sim.paired.tables import make_comparison_tables
from kqj_sim.policies.players import format_player_file, split_file
from kqj_sim.questions.compare.play import Setting, Sweep, Tuning, format_values
from kqj_sim.questions.compare.tables import (
    make_sweep_table,
    make_sweep_tables,
    make_tuning_tables,
)
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.policies.players import Player

_FEW = 3
"""Policies whose leads over each other fit on the screen."""


def make_comparison_report(comparison: Comparison) -> Report:
    """Return the report of a comparison."""
    rules, plan, names = comparison.rules, comparison.plan, comparison.names
    opponents, deals = comparison.opponents, comparison.deals
    run = Run(
        command="compare",
        rules=rules,
        policies=names,
        players=tuple(player.under(rules).text for player in comparison.players),
        seed=plan.seed,
        first=plan.first,
        deals=deals,
        confidence=plan.confidence,
        games=deals if plan.games else None,
        interrupted=comparison.interrupted,
        description=say(__name__, "comparison", comparison),
        intervals=say(__name__, "comparison_intervals", comparison),
        details={
            "field": None if opponents is None else opponents.given,
            "compared": comparison.part,
            "sides": "exchanged" if opponents is None else "same",
            "asked": {
                "deals": plan.deals,
                "until": plan.precision,
                "indifference": plan.indifference,
                "cap": plan.max_deals,
            },
            "method": plan.interval_method,
            "pairs": [
                {
                    "policies": [names[one], names[other]],
                    "deals": leads.deals,
                    "shown": leads.verdict,
                    "confidence": leads.plan.confidence,
                }
                for (one, other), leads in comparison.pairs.items()
            ],
        },
    )
    tables = [table for table in make_comparison_tables(comparison) if table.lines]
    widest = max(comparison.pairs.values(), key=Leads.compute_half_width)
    played = f"{widest.deals:,} {comparison.unit}s"
    return Report(
        run,
        tables,
        write_headline(comparison),
        _list_views(comparison, tables),
        remarks=[
            *list_remarks(comparison),
            *_list_shortfalls(plan, widest.compute_half_width(), played),
        ],
        commands=[
            ("" if number else "The largest difference:", command)
            for number, command in enumerate(list_show_commands(comparison))
        ],
    )


def _list_shortfalls(plan: ComparisonPlan, half_width: float, played: str) -> list[str]:
    """Return a sentence if the precision asked for was not reached by what was played."""
    if plan.precision is None or half_width <= plan.precision:
        return []
    return [say(__name__, "shortfall", plan.precision, played)]


def _list_views(comparison: Comparison, tables: Sequence[Table]) -> list[ScreenView]:
    """Return what fits on a screen and holds the answer; the headline says a single lead."""
    if comparison.is_ranked:
        quantities = next(table.quantities for table in tables if table.name == "ranking")
        ranking = Excerpt("ranking", quantities, title="")
        return [ranking, "matrix"] if len(comparison.names) == _FEW else [ranking]
    if len(comparison.pairs) > 1:
        return ["pairs"]
    (leads,) = comparison.pairs.values()
    return ["why"] if leads.tally.differing in (0, leads.deals) else ["why", "where"]


def list_show_commands(comparison: Comparison) -> list[str]:
    """List the command lines that show the deals with the largest leads, the largest first.

    There are none for games.
    """
    if comparison.plan.games:
        return []
    pairs = [leads for leads in comparison.pairs.values() if leads.tally.largest]
    commands = []
    for leads in sorted(pairs, key=lambda leads: -abs(leads.tally.largest[0][1])):
        for deal, _ in leads.tally.largest[: 1 if len(comparison.pairs) > 1 else None]:
            words = ["kqj-sim", "show", "--seed", str(comparison.plan.seed), "--deal", str(deal)]
            words += _format_rule_options(comparison.rules)
            one, other = leads.match.players
            words += ["--policy", one.given, "--against", other.given]
            if comparison.opponents is not None:
                words += ["--opponents", comparison.opponents.given]
            commands.append(shell_join(words))
    return commands


def _format_rule_options(rules: GameRules) -> list[str]:
    """Return the rules that differ from the default, as words of a command line."""
    words = [*list_game_options(rules.game)]
    default = type(rules)().to_dict()
    for name, value in rules.to_dict().items():
        if value != default[name]:
            option = f"--{name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words


# Pictures of comparisons of policies.

MAX_BINS = 60
MAX_LEAD_TICKS = 8
"""So many different leads have a tick each, at most."""
MIN_TICK_RATIO = 1.25
"""Ticks whose numbers of deals have a smaller ratio would be written over each other."""


def make_comparison_drawing(comparison: Comparison) -> figures.Drawing:
    """Return the picture of a comparison.

    Two policies: the distribution of the lead over the deals, and its estimate by number of deals
    if it was looked at more than once.  Several: the mean lead of each over the others, best first,
    and of each over each.

    Raises:
        NothingToDrawError: the two policies have the same results.
    """
    several = comparison.is_ranked
    sides, leads = next(iter(comparison.pairs.items()))
    names = comparison.names[sides[0]], comparison.names[sides[1]]
    has_history = len(leads.history) > 1
    if not several and {*leads.tally.distribution} == {0}:
        raise figures.NothingToDrawError("the two have the same results")

    def draw(figure: Figure) -> None:
        run = make_comparison_report(comparison).run
        lines = [write_headline(comparison)[0], run.describe(), run.describe_intervals()]
        figures.draw_title_lines(figure, lines, 125 if several or has_history else 100)
        if several:
            left, right = figure.subplots(1, 2)
            _draw_ranking(left, comparison)
            _draw_matrix(right, comparison)
        elif has_history:
            left, right = figure.subplots(1, 2)
            _draw_leads(left, comparison, names, leads)
            _draw_look_history(right, comparison, names[0], leads)
        else:
            _draw_leads(figure.subplots(), comparison, names, leads)

    height = max(5.0, 2.6 + 0.55 * len(comparison.names)) if several else 5.4
    draw_main = partial(_draw_leads, comparison=comparison, names=names, leads=leads)
    if several:
        draw_main = partial(_draw_ranking, comparison=comparison)
    return figures.Drawing(draw, draw_main, (13 if several or has_history else 8.5, height))


def _get_lead_unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.plan.games else "points a round"


def _draw_leads(axes: Axes, comparison: Comparison, names: tuple[str, str], leads: Leads) -> None:
    deals, scale = leads.deals, leads.points_per_lead / leads.match.lead_divisor
    distribution = {lead: count for lead, count in leads.tally.distribution.items() if lead != 0}
    even = leads.tally.distribution[0] / max(1, deals)
    unit = comparison.unit
    axes.set_title(f"Lead by {unit}; {100 * even:.1f}% of the {unit}s even")
    axes.set_xlabel(f"lead of {names[0]}, {_get_lead_unit(comparison)}")
    axes.set_ylabel(f"% of the {unit}s")
    values = np.array(sorted(distribution)) * scale
    counts = np.array([distribution[lead] for lead in sorted(distribution)]) * 100 / deals
    step = float(np.diff(np.sort([0.0, *values])).min())
    width = max(step, 2 * np.abs(values).max() / MAX_BINS)
    # The bar of a single value is centred on it, that of several lies between them.
    shift = 0.0 if width == step else 0.5
    tallest, colours = 0.0, {}
    for sign, colour, name in ((1, figures.BLUE, names[0]), (-1, figures.ORANGE, names[1])):
        # The same bins on either side of 0, as the two sides are to be compared.
        ahead = values * sign > 0
        bins = np.ceil(np.abs(values[ahead]) / width - 1e-9).astype(int)
        shares = np.bincount(bins, counts[ahead], 1)
        tallest = max(tallest, shares.max())
        label = f"{name} ahead: {counts[ahead].sum():.1f}%"
        middle = sign * (np.arange(len(shares)) - shift) * width
        colours[label] = colour
        axes.bar(middle, shares, 0.95 * width, color=colour)
    axes.set_ylim(0, 1.25 * tallest)
    if len(values) <= MAX_LEAD_TICKS:
        axes.set_xticks([0.0, *values])
    figures.draw_legend(axes, colours, "upper left")
    axes.grid(axis="y")


def _draw_look_history(axes: Axes, comparison: Comparison, name: str, leads: Leads) -> None:
    axes.set_title("Lead by number of deals, with intervals")
    axes.set_xlabel(f"{comparison.unit}s played")
    axes.set_ylabel(f"lead of {name}, {_get_lead_unit(comparison)}")
    deals = [summary[0] for summary in leads.history]
    figures.draw_line(axes, deals, leads.list_leads(), "-", figures.BLUE, band=True)
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = _choose_ticks(deals[0], deals[-1])
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.axhline(0, color=INK, linewidth=1, linestyle=figures.DASHES)
    if leads.plan.is_sequential:
        indifference = leads.plan.indifference
        axes.axhspan(-indifference, indifference, color=INK, alpha=0.08, linewidth=0)
        axes.annotate(
            f"within ±{indifference:g}: equal", (0.99, indifference), (0, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
            fontsize=figures.SMALL,
        )  # fmt: skip
    axes.grid()


def _choose_ticks(first: int, last: int) -> list[int]:
    """Return the first and the last number of deals, and round ones between."""
    between = [n * 10**power for power in range(8) for n in (1, 2, 5)]
    ends = sorted({first, last} if last > MIN_TICK_RATIO * first else {last})
    return sorted(
        [*ends, *(n for n in between if first * MIN_TICK_RATIO < n < last / MIN_TICK_RATIO)]
    )


def _draw_ranking(axes: Axes, comparison: Comparison) -> None:
    axes.set_title("Mean lead over the others")
    decimals = get_decimals(comparison.rules, comparison.plan)
    means = {policy: comparison.estimate_mean_lead(policy) for policy in comparison.ranking}
    names = dict(enumerate(comparison.names))
    figures.draw_dots(
        axes, {"": means}, "points", names=names, middle=0,
        write=lambda lead: f"{lead.value:+.{decimals}f}",
    )  # fmt: skip
    axes.set_xlabel(_get_lead_unit(comparison))


def _draw_matrix(axes: Axes, comparison: Comparison) -> None:
    """Draw the lead of the row over the column; pale where neither is significantly better."""
    order, decimals = comparison.ranking, get_decimals(comparison.rules, comparison.plan)
    values, texts = {}, {}
    for cell in permutations(order, 2):
        lead = comparison.lead(*cell)
        values[cell] = lead.value if lead.low > 0 or lead.high < 0 else 0.0
        half = (lead.high - lead.low) / 2
        texts[cell] = f"{lead.value:+.{decimals}f}"
        texts[cell] += f"\n±{half:.{decimals}f}" if math.isfinite(half) else f"\n{NO_INTERVAL}"
    most = max(*map(abs, values.values()), 1e-9)
    # Twice the largest lead, so that no cell is dark.
    figures.draw_heat_map(
        axes, values, order, order, (-2 * most, 2 * most), texts=texts, diverging=True
    )
    names = [figures.wrap_text(comparison.names[policy], 16) for policy in order]
    axes.set_xticks(
        range(len(order)), names, rotation=30 if len(order) > 4 else 0, fontsize=figures.SMALL
    )
    axes.set_yticks(range(len(order)), names, fontsize=figures.SMALL)
    axes.set_title(f"Lead of the row over the column, {_get_lead_unit(comparison)}")


# Reports of sweeps over a policy's parameters: headline, table and picture.

MAX_NAMED_SETTINGS = 4

MAX_SHOWN_SETTINGS = 18
"""Sets of values that the key figures show; of more sets the best ones."""


def make_sweep_report(sweep: Sweep) -> Report:
    """Return the report of a sweep."""
    leads, plan, efficiency = sweep.leads, sweep.leads.plan, sweep.relative_efficiency
    run = Run(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy.name, sweep.opponents.name),
        players=tuple(setting.policy for setting in sweep.settings),
        seed=plan.seed,
        first=plan.first,
        deals=leads.deals,
        confidence=plan.confidence,
        interrupted=sweep.interrupted,
        description=say(__name__, "sweep", sweep, leads),
        intervals=say(__name__, "sweep_intervals", sweep),
        details={
            "policy": sweep.policy.name,
            "field": sweep.opponents.name,
            "vary": {name: list(values) for name, values in sweep.varied_parameters},
            "asked": {"deals": plan.deals, "until": plan.precision, "cap": plan.max_deals},
            "method": plan.interval_method,
            "comparison": "Hsu's multiple comparisons with the best, Bonferroni",
            "best": [*sweep.best.values.values()],
            "best_player": sweep.best.policy,
            "not_told_from_best": [[*tied.values.values()] for tied in sweep.tied_with_best],
            "rounds_a_deal_and_set": len(leads.match.arrangements),
            "worth_times_as_many_rounds": None if math.isnan(efficiency) else efficiency,
        },
    )
    views: list[ScreenView] = ["sweep"]
    count = len(sweep.settings)
    half_width = max((each.points.high - each.points.low) / 2 for each in sweep.settings)
    remarks = [
        *list_sweep_remarks(sweep),
        *_list_shortfalls(plan, half_width, f"{leads.deals:,} deals"),
    ]
    if count > MAX_SHOWN_SETTINGS:
        ranked = sorted(sweep.settings, key=lambda setting: -setting.points.value)
        views = [*make_grids(make_sweep_table(sweep, ranked[:MAX_SHOWN_SETTINGS]), SCREEN_WIDTH)]
        remarks.append(f"The best {MAX_SHOWN_SETTINGS} of {count}; --tables sweep shows all.")
    return Report(
        run, make_sweep_tables(sweep), write_sweep_headline(sweep), views, remarks=remarks
    )


def _format_values(setting: Setting) -> str:
    """Return a set of values as in a specification: `take=35,lap2=30`."""
    return ",".join(f"{name}={value}" for name, value in setting.values.items())


def _name_further(setting: Setting) -> str:
    """Return a set of values whose only parameter was named before: `35`."""
    first, *others = setting.values.values()
    return _format_values(setting) if others else first


def write_sweep_headline(sweep: Sweep) -> list[str]:
    """Return the best set of values, those tied with it and the next one, in sentences."""
    best, tied, count = sweep.best, sweep.tied_with_best, len(sweep.settings)
    name, game = _format_values(best), sweep.rules.game
    if count == 1:
        opponents = sweep.opponents.name
        return [say(__name__, "single_setting", name, best.points, opponents, game)]
    names = [name, *(_name_further(setting) for setting in tied)]
    if len(tied) > MAX_NAMED_SETTINGS:
        names = [name, f"{len(tied)} others"]
    worse = [setting for setting in sweep.settings if setting.status == "worse"]
    if not worse:
        return [say(__name__, "tied_settings", names, count)]
    following = min(worse, key=lambda setting: setting.loss.value)
    others = _name_further(best), _name_further(following)
    return [say(__name__, "best_setting", names, *others, following.loss, game), *sweep.edges]


def list_sweep_remarks(sweep: Sweep) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks = [f"{line}." for line in describe_open_parts([sweep.policy])]
    if not math.isnan(sweep.relative_efficiency):
        remarks.append(say(__name__, "sweep_efficiency", sweep.relative_efficiency))
    return remarks


MAX_PARAMETERS = 2

_MAX_LABELLED_CELLS = 144
"""Cells of a heat map that get their numbers written in."""


def explain_parameters(count: int) -> str:
    """Return the message on a picture of too many parameters."""
    return f"--plot draws at most {MAX_PARAMETERS} parameters, not {count}"


def make_sweep_drawing(sweep: Sweep, run: Run) -> figures.Drawing:
    """Return the picture of a sweep; raise NothingToDrawError for one setting or 3 parameters."""
    if len(sweep.varied_parameters) > MAX_PARAMETERS:
        raise figures.NothingToDrawError(explain_parameters(len(sweep.varied_parameters)))
    if len(sweep.settings) == 1:
        raise figures.NothingToDrawError("a sweep of one value is a single point")
    single = len(sweep.varied_parameters) == 1

    def draw(figure: Figure) -> None:
        figures.draw_title_lines(figure, [*write_sweep_headline(sweep), run.describe()], 115)
        if single:
            upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
            _draw_points(upper, sweep)
            _draw_shares(lower, sweep)
        else:
            left, right = figure.subplots(1, 2)
            _draw_map(left, sweep, "points")
            _draw_map(right, sweep, "taken")
            _draw_frame_legend(figure)

    def draw_main(axes: Axes) -> None:
        if not single:
            _draw_map(axes, sweep, "points")
            return
        _draw_points(axes, sweep)
        places, names = _get_axis_positions(sweep)
        axes.set_xticks(places, names)
        axes.set_xlabel(sweep.varied_parameters[0].name)

    return figures.Drawing(draw, draw_main, (10, 8) if single else (14, 6.8))


def _get_axis_positions(sweep: Sweep) -> tuple[list[float], list[str] | None]:
    """Return the positions of the values on the axis, and their names if they are no numbers."""
    values = sweep.varied_parameters[0].values
    try:
        return [float(value) for value in values], None
    except ValueError:
        return [float(place) for place in range(len(values))], list(values)


def _draw_points(axes: Axes, sweep: Sweep) -> None:
    """Draw points a round with intervals; what may be the best is filled."""
    places, _ = _get_axis_positions(sweep)
    settings = sweep.settings
    confidence = f"{100 * sweep.leads.plan.confidence:g}%"
    bounds = [bound for each in settings for bound in (each.points.low, each.points.high)]
    if np.nanmin([0.0, *bounds]) < 0 < np.nanmax([0.0, *bounds]):
        axes.axhline(0, color=figures.GREY, linewidth=1)
    axes.plot(
        places, [each.points.value for each in settings], color=figures.BLUE, linewidth=1, alpha=0.5
    )
    styles = {
        "worse": ("worse than the best", "white", figures.BLUE, 6),
        "tied": (f"statistically tied with the best ({confidence})", figures.BLUE, figures.BLUE, 6),
        "best": ("best", figures.ORANGE, figures.ORANGE, 9),
    }
    for status, (label, face, edge, size) in styles.items():
        chosen = {
            place: each.points
            for place, each in zip(places, settings, strict=True)
            if each.status == status
        }
        if chosen:
            figures.draw_line(
                axes, list(chosen), list(chosen.values()), "o", edge,
                label=label, markerfacecolor=face, markersize=size,
            )  # fmt: skip
    axes.set_title(f"Lead over the opponents, with {confidence} intervals")
    axes.set_ylabel("points a round")
    axes.grid(axis="y")
    axes.legend(loc="best")


def _draw_shares(axes: Axes, sweep: Sweep) -> None:
    places, names = _get_axis_positions(sweep)
    game = find_game(sweep.rules.game)
    taken, made = (_label_per_cent(sweep, each) for each in (game.taken_share, game.made_share))
    shares = [each.taken for each in sweep.settings]
    figures.draw_line(axes, places, shares, "s-", figures.GREEN, label=taken, scale=100)
    shares = [each.made for each in sweep.settings]
    figures.draw_line(axes, places, shares, "^-", figures.ORANGE, label=made, scale=100)
    axes.set_title(game.taken_heading)
    axes.set_ylabel("%")
    axes.set_xlabel(sweep.varied_parameters[0].name)
    axes.set_xticks(places if len(places) <= 15 else places[:: len(places) // 10], names)
    axes.grid(axis="y")
    axes.legend(loc="best")


def _label_per_cent(sweep: Sweep, quantity: str) -> str:
    return find_quantity(quantity, sweep.rules.game).heading.replace(", share", ", %")


_FRAME_STYLES = {
    "best": ("solid", "best"),
    "tied": ("dotted", "statistically tied with the best"),
}
"""Line styles and names of the frames around cells, by `Setting.status`."""


def _draw_map(axes: Axes, sweep: Sweep, quantity: Literal["points", "taken"]) -> None:
    """Draw a heat map: rows are the first parameter's values, columns the second's."""
    first, second = sweep.varied_parameters
    game, is_share = find_game(sweep.rules.game), quantity == "taken"
    scale, decimals = (100, 1) if is_share else (1, game.point_decimals)
    by_cell = dict(zip(product(first.values, second.values), sweep.settings, strict=True))
    found: dict[tuple[Any, Any], Estimate] = {
        cell: getattr(setting, quantity) for cell, setting in by_cell.items()
    }
    values = {cell: scale * each.value for cell, each in found.items()}
    # Symmetric about 0, where a side scores as much as the field.
    limit = max(*map(abs, values.values()), 1e-9)
    low, high = (min(values.values()), max(values.values())) if is_share else (-limit, limit)
    texts = {}
    for cell, each in found.items():
        half = scale * (each.high - each.low) / 2
        interval = f"±{half:.{decimals}f}" if math.isfinite(half) else NO_INTERVAL
        texts[cell] = f"{values[cell]:z.{decimals}f}\n{interval}"
    frames = {
        cell: _FRAME_STYLES[setting.status][0]
        for cell, setting in by_cell.items()
        if setting.status in _FRAME_STYLES
    }
    figures.draw_heat_map(
        axes, values, first.values[::-1], second.values, (low, high),
        texts=texts if len(values) <= _MAX_LABELLED_CELLS else None,
        frames=frames, diverging=not is_share,
    )  # fmt: skip
    takes = capitalize(_label_per_cent(sweep, game.taken_share))
    title = takes if is_share else "Lead over the opponents, points a round"
    axes.set_title(f"{title}, with {100 * sweep.leads.plan.confidence:g}% intervals")
    if len(second.values) > 12:
        axes.tick_params("x", rotation=90)
    axes.set_xlabel(second.name)
    axes.set_ylabel(first.name)


def _draw_frame_legend(figure: Figure) -> None:
    from matplotlib.patches import Rectangle

    frames = [
        Rectangle((0, 0), 1, 1, fill=False, linestyle=style, linewidth=1.2, label=label)
        for style, label in _FRAME_STYLES.values()
    ]
    figure.legend(handles=frames, loc="outside lower center", ncols=2)


# Reports of searches for better parameters: headline, tables, picture and player's file.

_LINE_WIDTH = 100


METHOD = "CMA-ES with margin (cmaes)"


def make_tuning_report(tuning: Tuning, path: str | None) -> Report:
    """Return the report of a search; `path` is the file with the policy found, if it is saved."""
    rules, deals = tuning.rules, tuning.leads.deals
    run = Run(
        command="tune",
        rules=rules,
        policies=(tuning.policy.name, tuning.opponents.name),
        players=(tuning.player.under(rules).text,),
        seed=tuning.plan.seed,
        first=tuning.plan.first,
        deals=deals,
        confidence=tuning.plan.confidence,
        interrupted=tuning.interrupted,
        description=say(__name__, "search", tuning, METHOD),
        intervals=say(__name__, "search_intervals", tuning),
        details={
            "policy": tuning.policy.name,
            "field": tuning.opponents.name,
            "method": METHOD,
            "parameters": {
                name: {"low": low, "high": high, "step": step, "start": start, "found": value}
                for (name, low, high, step, start), value in zip(
                    tuning.search_parameters, tuning.values, strict=True
                )
            },
            "candidates": tuning.candidates,
            "generations": len(tuning.generations),
            "deals_a_candidate": tuning.plan.deals,
            "confirmed_on": deals,
            "shown": tuning.conclusion if deals else None,
            "found": tuning.player.under(rules).text,
        },
    )
    headline, commands = write_tuning_headline(tuning), []
    if path is not None:
        headline = [*headline, f"Saved in {visible(path)}."]
        command = shell_join(["kqj-sim", "compare", path, tuning.policy.given])
        commands = [("To compare it with its start again:", command)]
    tables = make_tuning_tables(tuning)
    views = [table.name for table in tables if table.name != "search"]
    return Report(run, tables, headline, views, commands=commands)


def write_tuning_headline(tuning: Tuning) -> list[str]:
    """Return the values found, their gain on fresh deals, and values at an edge, in sentences."""
    searched = tuning.search_parameters
    found = format_values(searched, tuning.values)
    start = format_values(searched, [parameter.start for parameter in searched])
    return [say(__name__, "found", tuning, found, start), *tuning.edges]


def render_player_file(tuning: Tuning, path: str, made_by: str) -> bytes:
    """Return the policy with the values found, as a player's file for `--policy`.

    Args:
        path: path of the file, to which names of user policies' Python files are relative.
    """
    made = [f"Made by: {visible(made_by)}", f"kqj-sim {__version__}"]
    lines = [f"# {line}" for line in (*made, *write_tuning_headline(tuning))]
    player = _make_paths_relative(tuning.player, Path(path).parent)
    return ("\n".join(lines) + "\n\n" + format_player_file(player, _LINE_WIDTH)).encode()


def _make_paths_relative(player: Player, folder: Path) -> Player:
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


def make_tuning_drawing(tuning: Tuning, run: Run) -> figures.Drawing:
    """Return the picture of a search; raise NothingToDrawError for one of a single generation."""
    if len(tuning.generations) == 1:
        raise figures.NothingToDrawError("a search of one generation is a single point")

    def draw(figure: Figure) -> None:
        figures.draw_title_lines(figure, (*write_tuning_headline(tuning), run.describe()), 115)
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

    return figures.Drawing(draw, draw_main, (10, 8))


def _draw_scores(axes: Axes, tuning: Tuning) -> None:
    generations = [each.number for each in tuning.generations]
    best = [each.best for each in tuning.generations]
    means = [each.points for each in tuning.generations]
    if min(*best, *means) <= 0 <= max(*best, *means):
        axes.axhline(0, color=figures.GREY, linewidth=1)
    axes.plot(generations, best, ".", color=figures.ORANGE, label="best candidate, luck included")
    axes.plot(
        generations, means, "o-", color=figures.BLUE, markersize=4, label="mean of the candidates"
    )
    axes.set_title("Lead over the opponents, by generation")
    axes.set_ylabel("points a round")


def _draw_centres(axes: Axes, tuning: Tuning) -> None:
    generations = [each.number for each in tuning.generations]
    colours = (figures.BLUE, figures.ORANGE, figures.GREEN, figures.PURPLE, figures.GREY)
    for number, each in enumerate(tuning.search_parameters):
        values = [each.start, *(generation.values[number] for generation in tuning.generations)]
        shares = [100 * (value - each.low) / (each.high - each.low) for value in values]
        style = ("-", "--", ":")[number // len(colours) % 3]
        colour = colours[number % len(colours)]
        axes.plot([0, *generations], shares, style, color=colour, label=each.name)
    axes.set_title("The centre of the search, as % of each parameter's range")
    axes.set_ylabel("% of the range")
    axes.set_ylim(-2, 102)
