"""Reports of comparisons of policies: headline, tables and commands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kqj_sim.games import list_game_options
from kqj_sim.messages import shell_join
from kqj_sim.output.grid import SCREEN_WIDTH, Cell, Grid, format_number, make_grids
from kqj_sim.output.key_figures import capitalize, format_symmetric
from kqj_sim.output.run import Report, Run, describe_rules
from kqj_sim.questions.compare.compare_tables import list_key_tables, make_comparison_tables
from kqj_sim.questions.compare.pairs import Comparison, PolicyPair
from kqj_sim.questions.compare.same_player import describe_open_parts
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.quantities import get_label
from kqj_sim.stats.tables import Table

_POLICY_WIDTH = 32
"""Width in characters of specifications beside the other columns of a ranking."""

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


def _describe(of: Comparison) -> str:
    """Describe the run in a line for people."""
    if of.opponents is not None:
        how = f"{_join(of.names)}, each against {of.opponents.given}, on the same deals"
    elif len(of.names) == 2:
        how = f"{of.names[0]} against {of.names[1]}, sides exchanged"
    else:
        how = f"{len(of.names)} policies, each against each, sides exchanged"
    if of.part != "both":
        how = f"{of.part} only: {how}"
    amount = f"{of.deals:,} {get_unit(of)}"
    start = f" from number {of.plan.first:,}" if of.plan.first else ""
    return f"{describe_rules(of.rules)}; {how}; {amount}{start}, seed {of.plan.seed}"


def _describe_intervals(of: Comparison) -> str:
    """Describe the intervals: confidence level, number of pairs, method."""
    jointly = f", {len(of.pairs)} pairs jointly" if len(of.pairs) > 1 else ""
    always = ", valid at any stopping time" if of.plan.is_sequential else ""
    return f"±: {100 * of.plan.confidence:g}% intervals{jointly}{always}"


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
        description=_describe(comparison),
        intervals=_describe_intervals(comparison),
        details=_list_details(comparison),
    )
    commands = list_show_commands(comparison)
    tables = [table for table in make_comparison_tables(comparison) if table.lines]
    return Report(
        run,
        tables,
        write_headline(comparison),
        commands,
        key_grids=make_key_grids(tables),
        key_tables=list_key_tables(comparison),
        remarks=[*list_remarks(comparison), *_list_shortfalls(comparison)],
        commands_title="The largest difference:" if commands else "",
    )


def _list_shortfalls(comparison: Comparison) -> list[str]:
    widest = max(comparison.pairs, key=lambda pair: pair.half_width)
    unit = "games" if comparison.plan.games else "deals"
    return comparison.plan.list_shortfalls(widest.half_width, f"{widest.tally.deals:,} {unit}")


def make_key_grids(tables: Sequence[Table]) -> list[Grid]:
    """Return the ranking of several policies with a row each, and of three the leads.

    Two policies have tables in place of grids.
    """
    found = {table.name: table for table in tables}
    ranking = found.get("ranking")
    if ranking is None:
        return []
    headings, units = [], []
    for quantity in ranking.quantities:
        words, _, unit = get_label(quantity).partition(", ")
        if quantity.startswith("mean_lead"):
            words, unit = "lead", f"mean over the others, {unit}"
            # Percentage points: below zero they have no bounds of a share.
            unit = unit.replace("share of the games", "percentage points of games won")
        headings.append(words)
        units.append(f"{words}: {unit}")
    cells: dict[tuple[Any, ...], list[Cell]] = {}
    for group, quantity, unit, estimate in ranking.lines:
        if unit == "share" and quantity.startswith("mean_lead"):
            estimate, unit = estimate.scaled(100), "points"
        cells.setdefault(group, []).append(format_symmetric(estimate, unit))
    rows = tuple((Cell(str(rank)), Cell(name), *numbers) for (rank, name), numbers in cells.items())
    note = f"rank: one more than the number of significantly better policies; {'; '.join(units)}."
    longest = max(len(name) for _, name in cells)
    grid = Grid(
        "", ("rank", "policy", *headings), rows, 2, capitalize(note),
        narrow=True, word_width=min(longest, _POLICY_WIDTH),
    )  # fmt: skip
    matrix = make_grids(found["matrix"], SCREEN_WIDTH) if len(rows) == _FEW else []
    return [grid, *matrix]


def get_unit(comparison: Comparison) -> str:
    """Return the unit of observation, in the plural."""
    return "games" if comparison.plan.games else "deals"


def _join(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def write_headline(comparison: Comparison) -> list[str]:
    """Return the result in a sentence: the lead of two policies, or the best of several."""
    if len(comparison.names) == 2 or comparison.interrupted:
        return [_describe_pair(comparison, pair) for pair in comparison.pairs]
    first, *others = comparison.ranking
    tied = [
        each
        for each in others
        if comparison.lead(first, each).low <= 0 and comparison.count_better(each) == 0
    ]
    behind = [each for each in others if each not in tied and comparison.lead(first, each).low > 0]
    name, names = comparison.names[first], [comparison.names[each] for each in (first, *tied)]
    if len(names) > _MOST_NAMED:
        names = [name, f"{len(tied)} others"]
    best = f"{_join(names)} are statistically tied for best" if tied else f"{name} is best"
    if not behind:
        return [f"{best}."]
    lead, other = comparison.lead(first, behind[0]), comparison.names[behind[0]]
    if not tied:
        return [f"{best}: it {_describe_lead(comparison, lead)} more than {other}."]
    return [f"{best}; {other} {_describe_lead(comparison, lead)} less than {name}."]


def _describe_lead(comparison: Comparison, lead: Estimate) -> str:
    """Return a lead with its unit, as the end of a sentence: `scores 10.8 ±1.1 points a round`."""
    number = format_number(lead.value, lead.low, lead.high, "points")
    if comparison.plan.games:
        return f"wins {number} percentage points of the games"
    return f"scores {number} points a round"


def _describe_pair(comparison: Comparison, pair: PolicyPair) -> str:
    """Describe the lead of the policy that is ahead."""
    one, other = comparison.names[pair.one], comparison.names[pair.other]
    if pair.tally.total("differs") == 0:
        return f"{one} and {other} play all {pair.tally.deals:,} {get_unit(comparison)} alike."
    lead = pair.lead
    if lead.value < 0:
        one, other = other, one
        lead = lead._replace(value=-lead.value, low=-lead.high, high=-lead.low)
    against = "" if comparison.opponents is None else f"Against {comparison.opponents.given}, "
    tied = f"{one} and {other} are statistically tied"
    if pair.verdict == "equal":
        unit = "percentage points" if comparison.plan.games else "points a round"
        tied += f", within {comparison.plan.indifference:g} {unit}"
    if comparison.plan.games and comparison.opponents is None and len(pair.match.arrangements) == 2:
        # One of the two wins each game.
        value, low, high = (0.5 + 0.005 * number for number in lead[:3])
        said = f"wins {format_number(value, low, high, 'share')} of the games"
        end = f" against {other}"
    else:
        said, end = f"{_describe_lead(comparison, lead)} more", f" than {other}"
    if pair.verdict in ("equal", "open"):
        return f"{against}{tied}: {one} {said}."
    return f"{against}{one} {said}{end}."


def list_remarks(comparison: Comparison) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks = []
    if comparison.part == "both":
        open_parts = describe_open_parts(comparison.policies)
        remarks += [f"{line}." for line in open_parts]
    if all(pair.tally.total("differs") == pair.tally.deals for pair in comparison.pairs):
        remarks.append(f"They differ in every {get_unit(comparison)[:-1]}.")
    factors = [pair.relative_efficiency for pair in comparison.pairs]
    factors = [factor for factor in factors if not math.isnan(factor)]
    if factors:
        least, most = f"{min(factors):.1f}", f"{max(factors):.1f}"
        worth = least if least == most else f"{least} to {most}"
        unit = get_unit(comparison)
        ways = len(comparison.pairs[0].match.arrangements)
        each = f"each {unit[:-1]} {'both ways' if ways == 2 else f'in all {ways} arrangements'}"
        how = each if comparison.opponents is None else f"the same {unit} with both"
        remarks.append(f"Playing {how} is as precise as {worth} independent {unit}.")
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
