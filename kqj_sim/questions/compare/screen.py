"""First screens and pictures of comparisons, of sweeps over parameters, and of searches."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any, Literal

from kqj_sim.games import find_game, format_rule_options
from kqj_sim.messages import capitalize, join_words, shell_join, visible
from kqj_sim.output import figures
from kqj_sim.output.figures import Chart, Drawing, NothingToDrawError
from kqj_sim.output.grid import NO_INTERVAL, SCREEN_WIDTH, Excerpt, make_grids
from kqj_sim.output.screen import Run, Screen, ScreenPart
from kqj_sim.output.sentences import say
from kqj_sim.paired.comparison import (
    Comparison,
    describe_open_parts,
    get_decimals,
    list_remarks,
    make_comparison_tables,
    write_headline,
)
from kqj_sim.paired.leads import ComparisonPlan, Leads
from kqj_sim.plan import Plan
from kqj_sim.policies.players import format_player_file, split_file
from kqj_sim.questions.compare.play import Setting, Sweep, Tuning, format_values
from kqj_sim.questions.compare.tables import (
    make_sweep_table,
    make_sweep_tables,
    make_tuning_tables,
)
from kqj_sim.stats.intervals import Estimate, make_exact
from kqj_sim.stats.quantities import find_quantity
from kqj_sim.stats.tables import Table
from kqj_sim.version import __version__

_FEW = 3
"""Policies whose leads over each other fit on the screen."""


def make_comparison_screen(comparison: Comparison) -> Screen:
    """Return the screen of a comparison."""
    plan, names, opponents = comparison.plan, comparison.names, comparison.opponents
    details = {
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
                "policies": [*comparison.name_pair(sides)],
                "deals": leads.deals,
                "shown": leads.verdict,
                "confidence": leads.plan.confidence,
            }
            for sides, leads in comparison.pairs.items()
        ],
    }
    players = [player.under(comparison.rules).text for player in comparison.players]
    run = _make_run("compare", comparison, plan, comparison.deals, names, players, details)
    tables = [table for table in make_comparison_tables(comparison) if table.lines]
    widest = max(comparison.pairs.values(), key=Leads.compute_half_width)
    played = f"{widest.deals:,} {comparison.unit}s"
    return Screen(
        run,
        tables,
        write_headline(comparison),
        _list_parts(comparison, tables),
        remarks=[
            *list_remarks(comparison),
            *_list_shortfalls(plan, widest.compute_half_width(), played),
        ],
        commands=[
            ("" if number else "The largest difference:", command)
            for number, command in enumerate(list_show_commands(comparison))
        ],
    )


def _make_run(
    command: str,
    result: Comparison | Sweep | Tuning,
    plan: Plan,
    deals: int,
    policies: Sequence[str],
    players: Sequence[str],
    details: Mapping[str, Any],
) -> Run:
    """Return the run of a comparison, a sweep or a search, with what the template says of it."""
    return Run(
        command=command,
        rules=result.rules,
        policies=tuple(policies),
        players=tuple(players),
        seed=plan.seed,
        first=plan.first,
        deals=deals,
        confidence=plan.confidence,
        games=deals if isinstance(plan, ComparisonPlan) and plan.games else None,
        interrupted=result.interrupted,
        description=say(__name__, command, result),
        intervals=say(__name__, f"{command}_intervals", result),
        details=details,
    )


def _list_shortfalls(plan: ComparisonPlan, half_width: float, played: str) -> list[str]:
    """Return a sentence if the precision asked for was not reached by what was played."""
    if plan.precision is None or half_width <= plan.precision:
        return []
    return [say(__name__, "shortfall", plan.precision, played)]


def _list_parts(comparison: Comparison, tables: Sequence[Table]) -> list[ScreenPart]:
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
            words += format_rule_options(comparison.rules)
            one, other = leads.match.players
            words += ["--policy", one.given, "--against", other.given]
            if comparison.opponents is not None:
                words += ["--opponents", comparison.opponents.given]
            commands.append(shell_join(words))
    return commands


# Pictures of comparisons of policies.

_MAX_BINS = 60


def make_comparison_drawing(comparison: Comparison, screen: Screen) -> Drawing:
    """Return the picture of a comparison.

    Two policies: the distribution of the lead over the deals, and its estimate by number of deals
    if it was looked at more than once.  Several: the mean lead of each over the others, best first,
    and of each over each.

    Raises:
        NothingToDrawError: the two policies have the same results.
    """
    sides, leads = next(iter(comparison.pairs.items()))
    names = comparison.name_pair(sides)
    if comparison.is_ranked:
        charts = [_make_ranking_chart(comparison), _make_matrix_chart(comparison)]
    elif {*leads.tally.distribution} == {0}:
        raise NothingToDrawError("the two have the same results")
    else:
        charts = [_make_lead_chart(comparison, names, leads)]
        if len(leads.history) > 1:
            charts.append(_make_history_chart(comparison, names[0], leads))
    lines = [screen.headline[0], screen.run.describe(), screen.run.describe_intervals()]
    return Drawing(lines, [*filter(None, charts)])


def _get_lead_unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.plan.games else "points a round"


def _make_lead_chart(comparison: Comparison, names: tuple[str, str], leads: Leads) -> Chart:
    """Return the share of deals by the lead in them, in the same bins on either side of 0."""
    distribution, unit = leads.tally.distribution, comparison.unit
    scale = leads.points_per_lead / leads.match.lead_divisor
    values = {lead * scale: count / leads.deals for lead, count in distribution.items() if lead}
    step = min(after - before for before, after in pairwise(sorted([0.0, *values])))
    width = max(step, 2 * max(map(abs, values)) / _MAX_BINS)
    stacks: dict[str, dict[float, Estimate]] = {}
    for sign, name in ((1, names[0]), (-1, names[1])):
        shares: defaultdict[float, float] = defaultdict(float)
        for value, share in values.items():
            if value * sign > 0:
                number = math.ceil(abs(value) / width - 1e-9)
                # Single values have bars of their own; bins begin at their lower ends.
                low = sign * number if width == step else number - 1 if sign > 0 else -number
                shares[low * width] += share
        label = f"{name} ahead: {100 * sum(shares.values()):.1f}%"
        stacks[label] = {low: make_exact(share, leads.deals) for low, share in shares.items()}
    even = distribution[0] / max(1, leads.deals)
    if width == step:
        stacks["even"] = {0.0: make_exact(even, leads.deals)}
    return figures.make_distribution(
        "leads", f"Lead by {unit}; {100 * even:.1f}% of the {unit}s even", stacks,
        f"lead of {names[0]}, {_get_lead_unit(comparison)}", f"% of the {unit}s", step=width,
        adjoining=width > step,
    )  # fmt: skip


def _make_history_chart(comparison: Comparison, name: str, leads: Leads) -> Chart:
    history = {
        float(deals): lead
        for (deals, *_), lead in zip(leads.history, leads.list_leads(), strict=True)
    }
    return figures.make_lines(
        "history", "Lead by number of deals, with intervals", {"": history},
        f"{comparison.unit}s played", f"lead of {name}, {_get_lead_unit(comparison)}", band=True,
        logarithmic=True, tolerance=leads.plan.indifference if leads.plan.is_sequential else None,
    )  # fmt: skip


def _make_ranking_chart(comparison: Comparison) -> Chart | None:
    means = {policy: comparison.estimate_mean_lead(policy) for policy in comparison.ranking}
    return figures.make_dots(
        "ranking", "Mean lead over the others", {"": means}, _get_lead_unit(comparison), "points",
        names=dict(enumerate(comparison.names)), middle=0, numbered=True,
    )  # fmt: skip


def _make_matrix_chart(comparison: Comparison) -> Chart | None:
    """Return the lead of the row over the column; pale where neither is significantly better."""
    order, decimals = comparison.ranking, get_decimals(comparison.rules, comparison.plan)
    leads = {cell: comparison.lead(*cell) for cell in permutations(order, 2)}
    cells = {
        cell: lead if lead.low > 0 or lead.high < 0 else lead._replace(value=0.0)
        for cell, lead in leads.items()
    }
    title = f"Lead of the row over the column, {_get_lead_unit(comparison)}"
    names = {policy: figures.wrap_text(comparison.names[policy], 16) for policy in order}
    texts = {cell: _write_with_half(lead, decimals, "+") for cell, lead in leads.items()}
    return figures.make_heat_maps(
        "matrix", title, {title: cells}, ("", order), ("", order), "points", diverging=True,
        min_observations=0, texts=texts, names=names,
    )  # fmt: skip


def _write_with_half(estimate: Estimate, decimals: int, sign: str = "z", scale: int = 1) -> str:
    """Return a number of a cell, and its interval below it."""
    half = scale * (estimate.high - estimate.low) / 2
    interval = f"±{half:.{decimals}f}" if math.isfinite(half) else NO_INTERVAL
    return f"{scale * estimate.value:{sign}.{decimals}f}\n{interval}"


# Screens of sweeps over a policy's parameters: headline, table and picture.

MAX_NAMED_SETTINGS = 3
"""Sets of values tied with the best that a sentence names; of more it says what they share."""

MAX_SHOWN_SETTINGS = 18
"""Sets of values that the key figures show; of more sets the best ones."""


def make_sweep_screen(sweep: Sweep) -> Screen:
    """Return the screen of a sweep."""
    leads, plan, efficiency = sweep.leads, sweep.leads.plan, sweep.relative_efficiency
    details = {
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
    }
    players = [setting.policy for setting in sweep.settings]
    names = sweep.policy.name, sweep.opponents.name
    run = _make_run("sweep", sweep, plan, leads.deals, names, players, details)
    parts: list[ScreenPart] = ["sweep"]
    count = len(sweep.settings)
    half_width = max(leads.compute_half_width(number, None) for number in range(count))
    remarks = [
        *list_sweep_remarks(sweep),
        *_list_shortfalls(plan, half_width, f"{leads.deals:,} deals"),
    ]
    if count > MAX_SHOWN_SETTINGS:
        ranked = sorted(sweep.settings, key=lambda setting: -setting.points.value)
        parts = [*make_grids(make_sweep_table(sweep, ranked[:MAX_SHOWN_SETTINGS]), SCREEN_WIDTH)]
        remarks.append(f"The best {MAX_SHOWN_SETTINGS} of {count}; the table sweep has all.")
    return Screen(
        run, make_sweep_tables(sweep), write_sweep_headline(sweep), parts, remarks=remarks
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
    shared = _describe_shared_values(sweep) if len(tied) > MAX_NAMED_SETTINGS else ""
    if len(tied) > MAX_NAMED_SETTINGS and not shared:
        names = [name, f"{len(tied)} others"]
    worse = [setting for setting in sweep.settings if setting.status == "worse"]
    if not worse:
        return [say(__name__, "tied_settings", names, count)]
    following = min(worse, key=lambda setting: setting.loss.value)
    others = _name_further(best), _name_further(following)
    sentence = say(__name__, "best_setting", names, shared, count, *others, following.loss, game)
    return [sentence, *sweep.edges]


def _describe_shared_values(sweep: Sweep) -> str:
    """Return the values that the best settings share: `need 0 or 1`; empty if there are none."""
    words = []
    for name, values in sweep.varied_parameters:
        held = {setting.values[name] for setting in (sweep.best, *sweep.tied_with_best)}
        places = [place for place, value in enumerate(values) if value in held]
        shared = [values[place] for place in places]
        if len(shared) > 2 and places[-1] - places[0] < len(shared):
            shared = [f"{shared[0]} to {shared[-1]}"]
        if len(places) < len(values) and len(shared) <= MAX_NAMED_SETTINGS:
            words.append(f"{name} {join_words(shared, 'or')}")
    return join_words(words) if words else ""


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
    return f"a picture has at most {MAX_PARAMETERS} parameters, not {count}"


def make_sweep_drawing(sweep: Sweep, screen: Screen) -> Drawing:
    """Return the picture of a sweep; raise NothingToDrawError for one setting or 3 parameters."""
    if len(sweep.varied_parameters) > MAX_PARAMETERS:
        raise NothingToDrawError(explain_parameters(len(sweep.varied_parameters)))
    if len(sweep.settings) == 1:
        raise NothingToDrawError("a sweep of one value is a single point")
    lines = [*screen.headline, screen.run.describe()]
    if len(sweep.varied_parameters) == 1:
        return Drawing(lines, _list_line_charts(sweep), columns=1)
    maps = [_make_map(sweep, "points"), _make_map(sweep, "taken")]
    signs = "; ".join(f"{sign} {words}" for sign, words in _STATUS_SIGNS.values() if sign)
    return Drawing([*lines, f"{signs}."], [*filter(None, maps)])


_STATUS_SIGNS = {
    "best": ("●", "best"),
    "tied": ("○", "statistically tied with the best"),
    "worse": ("", "worse than the best"),
}
"""Signs of what may be the best, and what they mean, by `Setting.status`."""


def _list_line_charts(sweep: Sweep) -> list[Chart]:
    """Return points a round by what may be the best, and shares, over the values of a parameter."""
    ((parameter, values),), game = sweep.varied_parameters, find_game(sweep.rules.game)
    names = None
    try:
        places = [float(value) for value in values]
    except ValueError:
        names = {float(place): value for place, value in enumerate(values)}
        places = [*names]
    settings = dict(zip(places, sweep.settings, strict=True))
    points: dict[str, dict[float, Estimate]] = {}
    for status, (_, words) in _STATUS_SIGNS.items():
        for place, setting in settings.items():
            if setting.status == status:
                points.setdefault(words, {})[place] = setting.points
    confidence = f"{100 * sweep.leads.plan.confidence:g}%"
    taken = {place: setting.taken for place, setting in settings.items()}
    made = {place: setting.made for place, setting in settings.items()}
    shares = {
        _label_per_cent(sweep, game.taken_share): taken,
        _label_per_cent(sweep, game.made_share): made,
    }
    return [
        figures.make_lines(
            "points", f"Lead over the opponents, with {confidence} intervals", points, parameter,
            "points a round", joined=False, names=names,
        ),
        figures.make_lines(
            "shares", game.taken_heading, shares, parameter, "%", "share", names=names
        ),
    ]  # fmt: skip


def _label_per_cent(sweep: Sweep, quantity: str) -> str:
    return find_quantity(quantity, sweep.rules.game).heading.replace(", share", ", %")


def _make_map(sweep: Sweep, quantity: Literal["points", "taken"]) -> Chart | None:
    """Return a heat map: rows are the first parameter's values, columns the second's."""
    (first, first_values), (second, second_values) = sweep.varied_parameters
    game, is_share = find_game(sweep.rules.game), quantity == "taken"
    scale, decimals = (100, 1) if is_share else (1, game.point_decimals)
    settings = dict(zip(product(first_values, second_values), sweep.settings, strict=True))
    cells: dict[tuple[Any, ...], Estimate] = {
        cell: getattr(setting, quantity) for cell, setting in settings.items()
    }
    is_small = len(cells) <= _MAX_LABELLED_CELLS
    texts = {}
    for cell, setting in settings.items():
        sign, _ = _STATUS_SIGNS[setting.status]
        number = _write_with_half(cells[cell], decimals, scale=scale)
        texts[cell] = f"{number}\n{sign}" if is_small else sign
    takes = capitalize(_label_per_cent(sweep, game.taken_share))
    title = takes if is_share else "Lead over the opponents, points a round"
    title = f"{title}, with {100 * sweep.leads.plan.confidence:g}% intervals"
    return figures.make_heat_maps(
        quantity, title, {title: cells}, (first, first_values[::-1]),
        (second, second_values), "share" if is_share else "points", diverging=not is_share,
        min_observations=0, texts=texts, colour_bar=not is_small,
    )  # fmt: skip


# Screens of searches for better parameters: headline, tables, picture and player's file.

_LINE_WIDTH = 100


def make_tuning_screen(tuning: Tuning, path: str | None) -> Screen:
    """Return the screen of a search; `path` is the file with the policy found, if it is saved."""
    deals, player = tuning.leads.deals, tuning.player.under(tuning.rules).text
    details = {
        "policy": tuning.policy.name,
        "field": tuning.opponents.name,
        "method": tuning.method,
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
        "found": player,
    }
    names = tuning.policy.name, tuning.opponents.name
    run = _make_run("tune", tuning, tuning.plan, deals, names, [player], details)
    headline, commands = write_tuning_headline(tuning), []
    if path is not None:
        headline = [*headline, f"Saved in {visible(path)}."]
        command = shell_join(["kqj-sim", "compare", path, tuning.policy.given])
        commands = [("To compare it with its start again:", command)]
    tables = make_tuning_tables(tuning)
    parts = [table.name for table in tables if table.name != "search"]
    return Screen(run, tables, headline, parts, commands=commands)


def write_tuning_headline(tuning: Tuning) -> list[str]:
    """Return the values found, their gain on fresh deals, and values at an edge, in sentences."""
    searched = tuning.search_parameters
    values = format_values(searched, tuning.values)
    start = format_values(searched, [parameter.start for parameter in searched])
    return [say(__name__, "found", tuning, values, start), *tuning.edges]


def render_player_file(tuning: Tuning, path: str, made_by: str) -> bytes:
    """Return the policy with the values found, as a player's file for `policy`.

    Args:
        path: path of the file, to which names of user policies' Python files are relative.
    """
    origin = [f"Made by: {visible(made_by)}", f"kqj-sim {__version__}"]
    lines = [f"# {line}" for line in (*origin, *write_tuning_headline(tuning))]

    def make_relative(source: str) -> str:
        file = split_file(source)
        if file is None:
            return source
        return f"{Path(os.path.relpath(file[0], Path(path).parent)).as_posix()}:{file[1]}"

    player = tuning.player
    calling, playing = (
        replace(part, source=make_relative(part.source))
        for part in (player.calling, player.playing)
    )
    player = replace(player, calling=calling, playing=playing, open_parts=frozenset())
    return ("\n".join(lines) + "\n\n" + format_player_file(player, _LINE_WIDTH)).encode()


def make_tuning_drawing(tuning: Tuning, screen: Screen) -> Drawing:
    """Return the picture of a search; raise NothingToDrawError for one of a single generation."""
    if len(tuning.generations) == 1:
        raise NothingToDrawError("a search of one generation is a single point")

    generations, deals = tuning.generations, tuning.plan.deals
    leads = {
        "best candidate, luck included": {
            step.number: make_exact(step.best, deals) for step in generations
        },
        "mean of the candidates": {
            step.number: make_exact(step.points, deals) for step in generations
        },
    }
    centres = {}
    for number, parameter in enumerate(tuning.search_parameters):
        values = [parameter.start, *(step.values[number] for step in generations)]
        width = parameter.high - parameter.low
        centres[parameter.name] = {
            generation: make_exact((value - parameter.low) / width, deals)
            for generation, value in enumerate(values)
        }
    title = "The centre of the search, as % of each parameter's range"
    charts = [
        figures.make_lines(
            "leads", "Lead over the opponents, by generation", leads, "generation", "points a round"
        ),
        figures.make_lines("centres", title, centres, "generation", "% of the range", "share"),
    ]
    return Drawing([*write_tuning_headline(tuning), screen.run.describe()], charts, columns=1)
