"""Reports of comparisons of policies: headline, tables, commands and picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from kqj_sim.analysis.compare import Comparison, PolicyPair
from kqj_sim.analysis.compare_tables import make_comparison_tables
from kqj_sim.analysis.games import get_analyzed_game
from kqj_sim.messages import shell_join
from kqj_sim.policies.spec import parse_player
from kqj_sim.reporting.figures import (
    BLUE,
    DASHES,
    ORANGE,
    SMALL,
    draw_dots,
    draw_heat_map,
    draw_line,
    draw_message,
    draw_title_lines,
    render_figure,
    wrap_text,
)
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.page import INK
from kqj_sim.reporting.run import Report, Run, describe_rules

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ComparisonRun(Run):
    """A comparison of policies; `policies` and `players` are those compared, not the seats'."""

    comparison: Comparison | None = None

    @property
    def _required_result(self) -> Comparison:
        assert self.comparison is not None
        return self.comparison

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, for JSON."""
        of, plan = self._required_result, self._required_result.plan
        return {
            **super().to_dict(),
            "field": of.opponents,
            "compared": of.part,
            "sides": "same" if of.opponents is not None else "exchanged",
            "asked": {
                "deals": plan.deals,
                "until": plan.precision,
                "indifference": plan.indifference,
                "cap": plan.max_deals,
            },
            "method": plan.interval_method,
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

    def describe(self) -> str:
        """Return the run in a line for people."""
        of = self._required_result
        how = (
            "each against each, sides exchanged"
            if of.opponents is None
            else f"each in turn against {of.opponents}, on the same deals"
        )
        if of.part != "both":
            how = f"{of.part} only; {how}"
        unit = "games" if of.games else "deals"
        return (
            f"{describe_rules(of.rules)}; {', '.join(of.names)}; {how}; {of.deals:,} {unit} from "
            f"{of.first:,}, seed {of.seed}"
        )

    def describe_intervals(self) -> str:
        """Describe the intervals: confidence level, number of pairs, method."""
        of = self._required_result
        together = f", all {len(of.pairs)} pairs together" if len(of.pairs) > 1 else ""
        return f"±: {100 * of.plan.confidence:g}% intervals{together}; {of.plan.interval_method}"


def make_comparison_report(comparison: Comparison) -> Report:
    """Return the report of a comparison."""
    run = ComparisonRun(
        command="compare",
        rules=comparison.rules,
        policies=comparison.names,
        players=tuple(
            parse_player(each, comparison.rules.game).text for each in comparison.players
        ),
        seed=comparison.seed,
        first=comparison.first,
        deals=comparison.deals,
        confidence=comparison.plan.confidence,
        games=comparison.deals if comparison.games else None,
        interrupted=comparison.interrupted,
        comparison=comparison,
    )
    tables = [table for table in make_comparison_tables(comparison) if table.lines]
    return Report(run, tables, write_headline(comparison), list_show_commands(comparison))


def write_headline(comparison: Comparison) -> list[str]:
    """Return the result in a few lines: the lead of two policies, or the best of several."""
    if len(comparison.names) == 2:
        (pair,) = comparison.pairs
        return [
            _describe_pair(comparison, pair),
            *_describe_efficiency(comparison, pair),
            *_list_unused_parameters(pair),
        ]
    if comparison.interrupted:
        return [_describe_pair(comparison, pair) for pair in comparison.pairs]
    best = [
        comparison.names[policy]
        for policy in comparison.ranking
        if comparison.count_better(policy) == 0
    ]
    first = comparison.ranking[0]
    others = len(comparison.names) - 1
    sure = f"{100 * comparison.plan.confidence:g}%, all {len(comparison.pairs)} pairs together"
    shown = sum(
        comparison.lead(first, other).low > 0
        for other in range(len(comparison.names))
        if other != first
    )
    lines = [f"{comparison.names[first]} is shown better than {shown} of {others} others ({sure})"]
    if shown == others:
        lines = [f"{comparison.names[first]} is shown better than all others ({sure})"]
    elif len(best) > 1:
        lines.append(f"Nobody is shown better than any of these: {', '.join(best)}")
    factors = [
        pair.relative_efficiency
        for pair in comparison.pairs
        if not math.isnan(pair.relative_efficiency)
    ]
    if factors:
        least, most = f"{min(factors):.1f}", f"{max(factors):.1f}"
        worth = least if least == most else f"{least} to {most}"
        what = "game" if comparison.games else "deal"
        lines.append(
            f"One {what}, {_describe_arrangements(comparison)}, is worth {worth} independent ones"
        )
    return lines


def _describe_pair(comparison: Comparison, pair: PolicyPair) -> str:
    """Describe the lead of the policy that is ahead."""
    one, other = comparison.names[pair.one], comparison.names[pair.other]
    unit = "games" if comparison.games else "deals"
    deals = f"{pair.tally.deals:,} {unit}"
    if pair.tally.total("differs") == 0:
        return f"{one} and {other} did the same in each of {deals}: 0 between them"
    lead = pair.lead
    if lead.value < 0:
        one, other = other, one
        lead = lead._replace(value=-lead.value, low=-lead.high, high=-lead.low)
    cell = format_number(lead.value, lead.low, lead.high, "points")
    number = str(cell).replace("±", "± ")
    sure = f"{100 * comparison.plan.confidence:g}%"
    if len(comparison.pairs) > 1:
        sure += " with all pairs"
    more = (
        f"{one} wins {number} percentage points more of the games than {other}"
        if comparison.games
        else f"{one} scores {number} points a round more than {other}"
    )
    if comparison.opponents is not None:
        more += f", each against {comparison.opponents}"
    more += f" ({sure}), {deals}"
    if pair.verdict == "equal":
        points = "percentage points" if comparison.games else "points"
        width = f"{comparison.plan.indifference:g} {points}"
        return f"Equal within {width}: {more}"
    return more if pair.verdict != "open" else f"Not shown which is better: {more}"


def _describe_arrangements(comparison: Comparison) -> str:
    what = "game" if comparison.games else "deal"
    if comparison.opponents is not None:
        return f"the same {what} played by both"
    ways = len(comparison.pairs[0].match.arrangements)
    return "played both ways" if ways == 2 else f"played in all {ways} arrangements"


def _describe_efficiency(comparison: Comparison, pair: PolicyPair) -> list[str]:
    """Describe the relative efficiency of a pair; nothing if it is unknown."""
    if math.isnan(pair.relative_efficiency):
        return []
    what = "game" if comparison.games else "deal"
    rounds = len(pair.match.list_seatings())
    each = 2 if comparison.opponents is not None else 1
    return [
        f"One {what}, {_describe_arrangements(comparison)}, is worth "
        f"{pair.relative_efficiency:.1f} independent {what}s "
        f"({pair.relative_efficiency * each / rounds:.1f} for each that is played)"
    ]


def _list_unused_parameters(pair: PolicyPair) -> list[str]:
    """List notes on parameters that differ but have no effect under the rules."""
    if pair.tally.total("differs") > 0:
        return []
    rules = pair.match.rules
    one, other = (parse_player(each, rules.game) for each in pair.match.players)
    notes = [
        mine.without_effect(name, rules)
        for mine, theirs in ((one.calling, other.calling), (one.playing, other.playing))
        if mine.policy is theirs.policy
        for name, value in mine.values_by_name.items()
        if value != theirs.values_by_name[name]
    ]
    return [note for note in dict.fromkeys(notes) if note]


def list_show_commands(comparison: Comparison) -> list[str]:
    """List the command lines that show the deals with the largest leads; none for games."""
    if comparison.games:
        return []
    found = []
    for pair in comparison.pairs:
        for deal, _ in pair.tally.largest_leads[: 1 if len(comparison.pairs) > 1 else None]:
            words = ["kqj-sim", "show", "--seed", str(comparison.seed), "--deal", str(deal)]
            words += format_rule_options(comparison)
            words += ["--policy", pair.match.players[0], "--against", pair.match.players[1]]
            words += [] if comparison.opponents is None else ["--opponents", comparison.opponents]
            found.append(shell_join(words))
    return found


def format_rule_options(comparison: Comparison) -> list[str]:
    """Return the rules that differ from the default, as words of a command line."""
    game = comparison.rules.game
    words = [] if game == "kqj" else ["--game", game]
    default = type(comparison.rules)().to_dict()
    for name, value in comparison.rules.to_dict().items():
        if value != default[name]:
            option = f"--{name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words


MAX_BINS = 60
"""Bars of a histogram, about."""
MAX_LEAD_TICKS = 8
"""So many different leads have a tick each, at most."""
MIN_TICK_RATIO = 1.25
"""Ticks whose numbers of deals have a smaller ratio would be written over each other."""


def render_comparison(comparison: Comparison, format: str) -> bytes:
    """Return the picture of a comparison as a "png", "svg" or "pdf" file.

    Two policies: the distribution of the lead over the deals, and its estimate by number of deals.
    Several: the mean lead of each over the others, and of each over each.
    """
    several = len(comparison.names) > 2 and not comparison.interrupted

    def draw(figure: Figure) -> None:
        run = make_comparison_report(comparison).run
        lines = [write_headline(comparison)[0], run.describe(), run.describe_intervals()]
        draw_title_lines(figure, lines, 125)
        left, right = figure.subplots(1, 2)
        if several:
            _draw_ranking(left, comparison)
            _draw_matrix(right, comparison)
        else:
            _draw_leads(left, comparison, comparison.pairs[0])
            _draw_look_history(right, comparison, comparison.pairs[0])

    height = max(5.0, 2.6 + 0.55 * len(comparison.names)) if several else 5.4
    return render_figure(draw, (13, height), format)


def _get_unit(comparison: Comparison) -> str:
    """Return the unit of observation, in the plural."""
    return "games" if comparison.games else "deals"


def _get_lead_unit(comparison: Comparison) -> str:
    return "% of the games won" if comparison.games else "points a round"


def _get_lead_decimals(comparison: Comparison) -> int:
    return 1 if comparison.games else get_analyzed_game(comparison.rules.game).terms.decimals


def _draw_leads(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    """Draw the distribution of the leads other than 0."""
    sums, scale = pair.tally, pair.points_per_lead / pair.match.lead_divisor
    leads = {lead: count for lead, count in sums.leads.items() if lead != 0}
    even = sums.leads[0] / max(1, sums.deals)
    unit = _get_unit(comparison)
    axes.set_title(f"What the {unit} are worth; {100 * even:.1f}% of them nothing")
    axes.set_xlabel(f"lead of {comparison.names[pair.one]}, {_get_lead_unit(comparison)}")
    axes.set_ylabel(f"% of the {unit}")
    if not leads:
        draw_message(axes, "no lead in any of them")
        return
    values = np.array(sorted(leads)) * scale
    counts = np.array([leads[lead] for lead in sorted(leads)]) * 100 / sums.deals
    step = float(np.diff(np.sort([0.0, *values])).min())
    width = max(step, 2 * np.abs(values).max() / MAX_BINS)
    # The bar of a single value is centred on it, that of several lies between them.
    shift = 0.0 if width == step else 0.5
    tallest = 0.0
    for sign, colour, policy in ((1, BLUE, pair.one), (-1, ORANGE, pair.other)):
        # The same bins on either side of 0, as the two sides are to be compared.
        ahead = values * sign > 0
        bins = np.ceil(np.abs(values[ahead]) / width - 1e-9).astype(int)
        shares = np.bincount(bins, counts[ahead], 1)
        tallest = max(tallest, shares.max())
        label = f"{comparison.names[policy]} ahead: {counts[ahead].sum():.1f}%"
        middle = sign * (np.arange(len(shares)) - shift) * width
        axes.bar(middle, shares, 0.95 * width, color=colour, label=label)
    axes.set_ylim(0, 1.25 * tallest)
    if len(values) <= MAX_LEAD_TICKS:
        axes.set_xticks([0.0, *values])
    axes.legend(loc="upper left")
    axes.grid(axis="y")


def _draw_look_history(axes: Axes, comparison: Comparison, pair: PolicyPair) -> None:
    """Draw the lead and its interval at each look."""
    axes.set_title(f"Lead of {comparison.names[pair.one]} as it went on")
    axes.set_xlabel(f"{_get_unit(comparison)} played")
    axes.set_ylabel(_get_lead_unit(comparison))
    deals, leads = [int(moments[0]) for moments in pair.look_history], list(pair.list_leads())
    if not deals:
        deals, leads = [pair.tally.deals], [pair.lead]
    single = len(deals) == 1
    draw_line(axes, deals, leads, "o" if single else "-", BLUE, band=not single)
    if not single:
        axes.set_xscale("log")
        axes.minorticks_off()
    ticks = _choose_ticks(deals[0], deals[-1])
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.axhline(0, color=INK, linewidth=1, linestyle=DASHES)
    if pair.plan.is_sequential:
        indifference = pair.plan.indifference
        axes.axhspan(-indifference, indifference, color=INK, alpha=0.08, linewidth=0)
        axes.annotate(
            f"within ±{indifference:g}: equal", (0.99, indifference), (0, 3),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
            fontsize=SMALL,
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
    """Draw the mean lead of each policy over the others, best first."""
    axes.set_title("Mean lead over the others")
    decimals = _get_lead_decimals(comparison)
    means = {policy: comparison.estimate_mean_lead(policy) for policy in comparison.ranking}
    names = dict(enumerate(comparison.names))
    draw_dots(
        axes, {"": means}, "points", names=names, middle=0,
        write=lambda lead: f"{lead.value:+.{decimals}f}",
    )  # fmt: skip
    axes.set_xlabel(_get_lead_unit(comparison))


def _draw_matrix(axes: Axes, comparison: Comparison) -> None:
    """Draw the lead of the row over the column; pale where neither is shown better."""
    order, decimals = comparison.ranking, _get_lead_decimals(comparison)
    values, texts = {}, {}
    for cell in permutations(order, 2):
        lead = comparison.lead(*cell)
        values[cell] = lead.value if lead.low > 0 or lead.high < 0 else 0.0
        half = (lead.high - lead.low) / 2
        texts[cell] = f"{lead.value:+.{decimals}f}"
        texts[cell] += "" if math.isnan(half) else f"\n±{half:.{decimals}f}"
    most = max(*map(abs, values.values()), 1e-9)
    # Twice the largest lead, so that no cell is dark.
    draw_heat_map(axes, values, order, order, (-2 * most, 2 * most), texts=texts, diverging=True)
    names = [wrap_text(comparison.names[policy], 16) for policy in order]
    axes.set_xticks(range(len(order)), names, rotation=30 if len(order) > 4 else 0, fontsize=SMALL)
    axes.set_yticks(range(len(order)), names, fontsize=SMALL)
    axes.set_title(f"Lead of the row over the column, {_get_lead_unit(comparison)}")
