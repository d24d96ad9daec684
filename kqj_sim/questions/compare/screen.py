"""Reports of comparisons of policies: headline, tables and commands."""

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
from kqj_sim.output.sentences import say, take_absolute
from kqj_sim.policies.parameters import format_parameter_number
from kqj_sim.policies.players import format_player_file, split_file
from kqj_sim.questions.compare.match import describe_open_parts
from kqj_sim.questions.compare.pairs import Comparison, PolicyPair
from kqj_sim.questions.compare.search import format_values
from kqj_sim.questions.compare.tables import make_comparison_tables
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kqj_sim.policies.players import Player
    from kqj_sim.questions.compare.search import Tuning
    from kqj_sim.questions.compare.settings import Setting, Sweep

_FEW = 3
"""Policies whose leads over each other fit on the screen."""

_MOST_NAMED = 4
"""Policies that a sentence names."""


def _list_details(of: Comparison) -> dict[str, Any]:
    return {
        "field": None if of.opponents is None else of.opponents.given,
        "compared": of.part,
        "sides": "same" if of.opponents is not None else "exchanged",
        "asked": {
            "deals": of.plan.deals,
            "until": of.plan.precision,
            "indifference": of.plan.indifference,
            "cap": of.plan.max_deals,
        },
        "method": of.plan.interval_method,
        "pairs": [
            {
                "policies": [of.names[pair.one], of.names[pair.other]],
                "deals": pair.tally.deals,
                "shown": pair.verdict,
                "confidence": pair.plan.confidence,
            }
            for pair in of.pairs
        ],
    }


def make_comparison_report(comparison: Comparison) -> Report:
    """Return the report of a comparison."""
    rules = comparison.rules
    run = Run(
        command="compare",
        rules=rules,
        policies=comparison.names,
        players=tuple(each.under(rules).text for each in comparison.players),
        seed=comparison.plan.seed,
        first=comparison.plan.first,
        deals=comparison.deals,
        confidence=comparison.plan.confidence,
        games=comparison.deals if comparison.plan.games else None,
        interrupted=comparison.interrupted,
        description=say(__name__, "comparison", comparison, get_unit(comparison)),
        intervals=say(__name__, "comparison_intervals", comparison),
        details=_list_details(comparison),
    )
    tables = [table for table in make_comparison_tables(comparison) if table.lines]
    return Report(
        run,
        tables,
        write_headline(comparison),
        _list_views(comparison, tables),
        remarks=[*list_remarks(comparison), *_list_shortfalls(comparison)],
        commands=[
            ("" if number else "The largest difference:", command)
            for number, command in enumerate(list_show_commands(comparison))
        ],
    )


def _list_shortfalls(comparison: Comparison) -> list[str]:
    widest = max(comparison.pairs, key=lambda pair: pair.half_width)
    return comparison.plan.list_shortfalls(
        widest.half_width, f"{widest.tally.deals:,} {get_unit(comparison)}s"
    )


def _list_views(comparison: Comparison, tables: Sequence[Table]) -> list[ScreenView]:
    """Return what fits on a screen and holds the answer; the headline says a single lead."""
    found = {table.name: table for table in tables}
    if "ranking" in found:
        ranking = Excerpt("ranking", found["ranking"].quantities, title="")
        return [ranking, "matrix"] if len(comparison.names) == _FEW else [ranking]
    if len(comparison.pairs) > 1:
        return ["pairs"]
    differing = comparison.pairs[0].tally.total("differs")
    return ["why"] if differing in (0, comparison.deals) else ["why", "where"]


def get_unit(comparison: Comparison) -> str:
    """Return the unit of observation."""
    return "game" if comparison.plan.games else "deal"


def write_headline(comparison: Comparison) -> list[str]:
    """Return the result in a sentence: the lead of two policies, or the best of several."""
    if len(comparison.names) == 2 or comparison.interrupted:
        return [_describe_pair(comparison, pair) for pair in comparison.pairs]
    best = _list_best(comparison)
    first = best[0]
    behind = [
        each
        for each in comparison.ranking
        if each not in best and comparison.lead(first, each).low > 0
    ]
    other, lead = "", None
    if behind:
        other, lead = comparison.names[behind[0]], comparison.lead(first, behind[0])
    named = _name_best(comparison, best)
    return [say(__name__, "ranking", named, other, lead, comparison)]


def write_title(comparison: Comparison) -> str:
    """Return the result in a few words; empty if several policies were interrupted."""
    if len(comparison.names) == 2:
        (pair,) = comparison.pairs
        best = {"better": [pair.one], "worse": [pair.other]}.get(pair.verdict, [0, 1])
    elif comparison.interrupted:
        return ""
    else:
        best = _list_best(comparison)
    others = [name for each, name in enumerate(comparison.names) if each not in best]
    return say(__name__, "title", _name_best(comparison, best), others, len(comparison.names))


def _list_best(comparison: Comparison) -> list[int]:
    """Return the best of several policies and those tied with it."""
    first, *others = comparison.ranking
    tied = [
        each
        for each in others
        if comparison.lead(first, each).low <= 0 and comparison.count_better(each) == 0
    ]
    return [first, *tied]


def _name_best(comparison: Comparison, best: Sequence[int]) -> list[str]:
    names = [comparison.names[each] for each in best]
    return names if len(names) <= _MOST_NAMED else [names[0], f"{len(names) - 1} others"]


def _describe_pair(comparison: Comparison, pair: PolicyPair) -> str:
    names = comparison.names[pair.one], comparison.names[pair.other]
    if pair.tally.total("differs") == 0:
        return say(__name__, "alike", names, pair.tally.deals, get_unit(comparison))
    one, other = names if pair.lead.value >= 0 else names[::-1]
    lead, won = take_absolute(pair.lead), None
    if comparison.plan.games and comparison.opponents is None and len(pair.match.arrangements) == 2:
        # One of the two wins each game.
        won = lead.scaled(0.005, 0.5)
    return say(__name__, "pair", one, other, lead, won, pair.verdict, comparison)


def list_remarks(comparison: Comparison) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks, unit = [], get_unit(comparison)
    if comparison.part == "both":
        open_parts = describe_open_parts(comparison.policies)
        remarks += [f"{line}." for line in open_parts]
    if all(pair.tally.total("differs") == pair.tally.deals for pair in comparison.pairs):
        remarks.append(say(__name__, "differ_everywhere", unit))
    factors = [pair.relative_efficiency for pair in comparison.pairs]
    factors = [factor for factor in factors if not math.isnan(factor)]
    if factors:
        worth = dict.fromkeys(f"{factor:.1f}" for factor in (min(factors), max(factors)))
        ways = len(comparison.pairs[0].match.arrangements)
        remarks.append(
            say(__name__, "efficiency", " to ".join(worth), unit, ways, comparison.opponents)
        )
    return remarks


def list_show_commands(comparison: Comparison) -> list[str]:
    """List the command lines that show the deals with the largest leads, the largest first.

    There are none for games.
    """
    if comparison.plan.games:
        return []
    found = []
    pairs = sorted(
        (pair for pair in comparison.pairs if pair.tally.largest_leads),
        key=lambda pair: -abs(pair.tally.largest_leads[0][1]),
    )
    for pair in pairs:
        for deal, _ in pair.tally.largest_leads[: 1 if len(comparison.pairs) > 1 else None]:
            words = ["kqj-sim", "show", "--seed", str(comparison.plan.seed), "--deal", str(deal)]
            words += format_rule_options(comparison)
            one, other = pair.match.players
            words += ["--policy", one.given, "--against", other.given]
            if comparison.opponents is not None:
                words += ["--opponents", comparison.opponents.given]
            found.append(shell_join(words))
    return found


def format_rule_options(comparison: Comparison) -> list[str]:
    """Return the rules that differ from the default, as words of a command line."""
    game = comparison.rules.game
    words = [*list_game_options(game)]
    default = type(comparison.rules)().to_dict()
    for name, value in comparison.rules.to_dict().items():
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
    several = len(comparison.names) > 2 and not comparison.interrupted

    pair = comparison.pairs[0]
    has_history = len(pair.look_history) > 1
    if not several and set(pair.tally.leads) == {0}:
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
            _draw_leads(left, comparison, pair)
            _draw_look_history(right, comparison, pair)
        else:
            _draw_leads(figure.subplots(), comparison, pair)

    height = max(5.0, 2.6 + 0.55 * len(comparison.names)) if several else 5.4
    draw_main = partial(_draw_ranking if several else _draw_pair, comparison=comparison)
    return figures.Drawing(draw, draw_main, (13 if several or has_history else 8.5, height))


def _draw_pair(axes: Axes, comparison: Comparison) -> None:
    _draw_leads(axes, comparison, comparison.pairs[0])


def _get_lead_unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.plan.games else "points a round"


def _get_lead_decimals(comparison: Comparison) -> int:
    if comparison.plan.games:
        return 1
    decimals: int = find_game(comparison.rules.game).point_decimals
    return decimals


def _draw_leads(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    sums, scale = pair.tally, pair.points_per_lead / pair.match.lead_divisor
    leads = {lead: count for lead, count in sums.leads.items() if lead != 0}
    even = sums.leads[0] / max(1, sums.deals)
    unit = get_unit(comparison)
    axes.set_title(f"Lead by {unit}; {100 * even:.1f}% of the {unit}s even")
    axes.set_xlabel(f"lead of {comparison.names[pair.one]}, {_get_lead_unit(comparison)}")
    axes.set_ylabel(f"% of the {unit}s")
    values = np.array(sorted(leads)) * scale
    counts = np.array([leads[lead] for lead in sorted(leads)]) * 100 / sums.deals
    step = float(np.diff(np.sort([0.0, *values])).min())
    width = max(step, 2 * np.abs(values).max() / MAX_BINS)
    # The bar of a single value is centred on it, that of several lies between them.
    shift = 0.0 if width == step else 0.5
    tallest, colours = 0.0, {}
    for sign, colour, policy in ((1, figures.BLUE, pair.one), (-1, figures.ORANGE, pair.other)):
        # The same bins on either side of 0, as the two sides are to be compared.
        ahead = values * sign > 0
        bins = np.ceil(np.abs(values[ahead]) / width - 1e-9).astype(int)
        shares = np.bincount(bins, counts[ahead], 1)
        tallest = max(tallest, shares.max())
        label = f"{comparison.names[policy]} ahead: {counts[ahead].sum():.1f}%"
        middle = sign * (np.arange(len(shares)) - shift) * width
        colours[label] = colour
        axes.bar(middle, shares, 0.95 * width, color=colour)
    axes.set_ylim(0, 1.25 * tallest)
    if len(values) <= MAX_LEAD_TICKS:
        axes.set_xticks([0.0, *values])
    figures.draw_legend(axes, colours, "upper left")
    axes.grid(axis="y")


def _draw_look_history(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    axes.set_title("Lead by number of deals, with intervals")
    axes.set_xlabel(f"{get_unit(comparison)}s played")
    axes.set_ylabel(f"lead of {comparison.names[pair.one]}, {_get_lead_unit(comparison)}")
    deals = [int(moments[0]) for moments in pair.look_history]
    figures.draw_line(axes, deals, pair.list_leads(), "-", figures.BLUE, band=True)
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = _choose_ticks(deals[0], deals[-1])
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.axhline(0, color=INK, linewidth=1, linestyle=figures.DASHES)
    if pair.plan.is_sequential:
        indifference = pair.plan.indifference
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
    decimals = _get_lead_decimals(comparison)
    means = {policy: comparison.estimate_mean_lead(policy) for policy in comparison.ranking}
    names = dict(enumerate(comparison.names))
    figures.draw_dots(
        axes, {"": means}, "points", names=names, middle=0,
        write=lambda lead: f"{lead.value:+.{decimals}f}",
    )  # fmt: skip
    axes.set_xlabel(_get_lead_unit(comparison))


def _draw_matrix(axes: Axes, comparison: Comparison) -> None:
    """Draw the lead of the row over the column; pale where neither is significantly better."""
    order, decimals = comparison.ranking, _get_lead_decimals(comparison)
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

_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "status", "run"}
"""Columns of the tables whose names a parameter cannot have."""

MAX_NAMED_SETTINGS = 4

MAX_SHOWN_SETTINGS = 18
"""Sets of values that the key figures show; of more sets the best ones."""


def _list_sweep_details(of: Sweep) -> dict[str, Any]:
    return {
        "policy": of.policy.name,
        "field": of.opponents.name,
        "vary": {each.name: list(each.values) for each in of.varied_parameters},
        "asked": {"deals": of.plan.deals, "until": of.plan.precision, "cap": of.plan.max_deals},
        "method": of.plan.interval_method,
        "comparison": "Hsu's multiple comparisons with the best, Bonferroni",
        "best": [*of.best.values.values()],
        "best_player": of.best.policy,
        "not_told_from_best": [[*each.values.values()] for each in of.tied_with_best],
        "rounds_a_deal_and_set": len(of.match.arrangements),
        "worth_times_as_many_rounds": None
        if math.isnan(of.relative_efficiency)
        else of.relative_efficiency,
    }


def make_sweep_report(sweep: Sweep) -> Report:
    """Return the report of a sweep."""
    run = Run(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy.name, sweep.opponents.name),
        players=tuple(each.policy for each in sweep.settings),
        seed=sweep.plan.seed,
        first=sweep.plan.first,
        deals=sweep.deals,
        confidence=sweep.plan.confidence,
        interrupted=sweep.interrupted,
        description=say(__name__, "sweep", sweep),
        intervals=say(__name__, "sweep_intervals", sweep),
        details=_list_sweep_details(sweep),
    )
    tables = [_make_table(sweep, sweep.settings)]
    count, grids, remarks = len(sweep.settings), [], list_sweep_remarks(sweep)
    half_width = max((each.points.high - each.points.low) / 2 for each in sweep.settings)
    remarks += sweep.plan.list_shortfalls(half_width, f"{sweep.deals:,} deals")
    if count > 1:
        tables.append(_make_best_other_table(sweep))
    if count > MAX_SHOWN_SETTINGS:
        ranked = sorted(sweep.settings, key=lambda each: -each.points.value)
        best = _make_table(sweep, ranked[:MAX_SHOWN_SETTINGS])
        grids = make_grids(best, SCREEN_WIDTH)
        remarks.append(f"The best {MAX_SHOWN_SETTINGS} of {count}; --tables sweep shows all.")
    return Report(
        run, tables, write_sweep_headline(sweep), grids or ["sweep"], remarks=remarks,
    )  # fmt: skip


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
    name = _format_values(best)
    if count == 1:
        return [say(__name__, "single_setting", name, best.points, sweep)]
    names = [name, *(_name_further(each) for each in tied)]
    if len(tied) > MAX_NAMED_SETTINGS:
        names = [name, f"{len(tied)} others"]
    worse = [each for each in sweep.settings if each.status == "worse"]
    if not worse:
        return [say(__name__, "tied_settings", names, count)]
    following = min(worse, key=lambda each: each.loss.value)
    others = _name_further(best), _name_further(following)
    return [say(__name__, "best_setting", names, *others, following.loss, sweep), *sweep.edges]


def list_sweep_remarks(sweep: Sweep) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks = [f"{line}." for line in describe_open_parts([sweep.policy])]
    if not math.isnan(sweep.relative_efficiency):
        remarks.append(say(__name__, "sweep_efficiency", sweep.relative_efficiency))
    return remarks


def _make_setting_table(
    sweep: Sweep, name: str, title: str, lines: Sequence[TableRow], note: str = ""
) -> Table:
    names = (each.name for each in sweep.varied_parameters)
    parameters = tuple(f"{each} (parameter)" if each in _COLUMNS else each for each in names)
    return Table(
        name, title, (*parameters, "status"), lines, note,
        counted=False, parameters=parameters, game=sweep.rules.game,
    )  # fmt: skip


def _get_group(setting: Setting) -> tuple[int | str, ...]:
    return (*(_parse_whole_number(value) for value in setting.values.values()), setting.status)


def _make_table(sweep: Sweep, settings: Sequence[Setting]) -> Table:
    game = find_game(sweep.rules.game)
    lines: list[TableRow] = []
    for each in settings:
        group = _get_group(each)
        lines += [
            (group, "lead_over_opponents_per_round", each.points),
            (group, "loss_to_best_per_round", each.loss),
            (group, game.taken_share, each.taken),
            (group, game.made_share, each.made),
        ]
    title = f"{sweep.policy.name} against {sweep.opponents.name}"
    return _make_setting_table(sweep, "sweep", title, lines)


def _make_best_other_table(sweep: Sweep) -> Table:
    """Return the table of each set against the best of the others."""
    lines: list[TableRow] = [
        (_get_group(each), "lead_over_best_other_per_round", each.lead_over_best_other)
        for each in sweep.settings
    ]
    note = (
        "Multiple comparisons with the best (Hsu 1984, Bonferroni); the intervals hold jointly.  "
        "One that ends at 0 shows that a value is not the best."
    )
    title = "Lead over the best of the others"
    return _make_setting_table(sweep, "best_other", title, lines, note)


def _parse_whole_number(value: str) -> int | str:
    """Return a whole number as int, so that tables sort by it, other texts unchanged."""
    return int(value) if value.lstrip("-").isdigit() else value


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
    confidence = f"{100 * sweep.plan.confidence:g}%"
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
    axes.set_title(f"{title}, with {100 * sweep.plan.confidence:g}% intervals")
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


def _list_tuning_details(of: Tuning) -> dict[str, Any]:
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
    """Return the report of a search; `path` is the file with the policy found, if it is saved."""
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
        details=_list_tuning_details(tuning),
    )
    saved = [] if path is None else [f"Saved in {visible(path)}."]
    commands = []
    if path is not None:
        command = shell_join(["kqj-sim", "compare", path, tuning.policy.given])
        commands = [("To compare it with its start again:", command)]
    tables = _make_tables(tuning)
    views = [table.name for table in tables if table.name != "search"]
    return Report(
        run, tables, [*write_tuning_headline(tuning), *saved], views, commands=commands
    )  # fmt: skip


def write_tuning_headline(tuning: Tuning) -> list[str]:
    """Return the values found, their gain on fresh deals, and values at an edge, in sentences."""
    searched = tuning.search_parameters
    found = format_values(searched, tuning.values)
    start = format_values(searched, [each.start for each in searched])
    return [say(__name__, "found", tuning, found, start), *tuning.edges]


def _make_tables(tuning: Tuning) -> list[Table]:
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
    return Estimate(value, math.nan, math.nan, deals)


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
