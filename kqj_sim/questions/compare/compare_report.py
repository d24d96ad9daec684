"""Reports of comparisons of policies: headline, tables and commands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kqj_sim.games import list_game_options
from kqj_sim.messages import shell_join
from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.run import Report, Run, ScreenView
from kqj_sim.output.sentences import say, take_absolute
from kqj_sim.questions.compare.compare_tables import make_comparison_tables
from kqj_sim.questions.compare.pairs import Comparison, PolicyPair
from kqj_sim.questions.compare.same_player import describe_open_parts
from kqj_sim.stats.tables import Table

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
    """Describe the lead of the policy that is ahead."""
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
