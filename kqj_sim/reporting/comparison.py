"""A comparison in words, and as a report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.comparison_tables import comparison_tables
from kqj_sim.messages import shell_join
from kqj_sim.policies.specification import player
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.report import Report, Run, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.comparison import Comparison, Pair


@dataclass(frozen=True)
class ComparisonRun(Run):
    """A run in which policies are compared; `policies` and `players` are theirs, not the seats'."""

    comparison: Comparison | None = None

    @property
    def _of(self) -> Comparison:
        assert self.comparison is not None
        return self.comparison

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of, plan = self._of, self._of.plan
        return {
            **super().to_dict(),
            "field": of.field,
            "compared": of.part,
            "sides": "same" if of.field is not None else "exchanged",
            "asked": {
                "deals": plan.deals,
                "until": plan.until,
                "indifference": plan.indifference,
                "cap": plan.cap,
            },
            "method": plan.method,
            "pairs": [
                {
                    "policies": [of.names[pair.one], of.names[pair.other]],
                    "deals": pair.sums.deals,
                    "shown": pair.verdict,
                    "confidence": pair.plan.confidence,
                }
                for pair in of.pairs
            ],
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of = self._of
        how = (
            "each against each, sides exchanged"
            if of.field is None
            else f"each in turn against {of.field}, on the same deals"
        )
        if of.part != "both":
            how = f"{of.part} only; {how}"
        unit = "games" if of.games else "deals"
        return (
            f"{describe_rules(of.rules)}; {', '.join(of.names)}; {how}; {of.deals:,} {unit} from "
            f"{of.first:,}, seed {of.seed}"
        )

    def intervals(self) -> str:
        """The method, and what the intervals hold for."""
        of = self._of
        together = f", all {len(of.pairs)} pairs together" if len(of.pairs) > 1 else ""
        return f"±: {100 * of.plan.confidence:g}% intervals{together}; {of.plan.method}"


def comparison_report(comparison: Comparison) -> Report:
    """Everything that is shown of a comparison."""
    run = ComparisonRun(
        command="compare",
        rules=comparison.rules,
        policies=comparison.names,
        players=tuple(player(each, comparison.rules.game).text for each in comparison.players),
        seed=comparison.seed,
        first=comparison.first,
        deals=comparison.deals,
        confidence=comparison.plan.confidence,
        games=comparison.deals if comparison.games else None,
        interrupted=comparison.interrupted,
        comparison=comparison,
    )
    tables = [table for table in comparison_tables(comparison) if table.lines]
    return Report(run, tables, answer(comparison), commands(comparison))


def answer(comparison: Comparison) -> list[str]:
    """What came of it: a line for two policies, for more the best ones; what a deal is worth."""
    if len(comparison.names) == 2:
        (pair,) = comparison.pairs
        return [_of_pair(comparison, pair), *_worth(comparison, pair), *_no_effect(pair)]
    if comparison.interrupted:
        return [_of_pair(comparison, pair) for pair in comparison.pairs]
    best = [
        comparison.names[policy] for policy in comparison.ranking if comparison.better(policy) == 0
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
    factors = [pair.factor for pair in comparison.pairs if not math.isnan(pair.factor)]
    if factors:
        least, most = f"{min(factors):.1f}", f"{max(factors):.1f}"
        worth = least if least == most else f"{least} to {most}"
        what = "game" if comparison.games else "deal"
        lines.append(f"One {what}, {_arrangements(comparison)}, is worth {worth} independent ones")
    return lines


def _of_pair(comparison: Comparison, pair: Pair) -> str:
    """The lead of the one who is ahead."""
    one, other = comparison.names[pair.one], comparison.names[pair.other]
    unit = "games" if comparison.games else "deals"
    deals = f"{pair.sums.deals:,} {unit}"
    if pair.sums.sum("differs") == 0:
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
    if comparison.field is not None:
        more += f", each against {comparison.field}"
    more += f" ({sure}), {deals}"
    if pair.verdict == "equal":
        points = "percentage points" if comparison.games else "points"
        width = f"{comparison.plan.indifference:g} {points}"
        return f"Equal within {width}: {more}"
    return more if pair.verdict != "open" else f"Not shown which is better: {more}"


def _arrangements(comparison: Comparison) -> str:
    what = "game" if comparison.games else "deal"
    if comparison.field is not None:
        return f"the same {what} played by both"
    ways = len(comparison.pairs[0].contest.seatings)
    return "played both ways" if ways == 2 else f"played in all {ways} arrangements"


def _worth(comparison: Comparison, pair: Pair) -> list[str]:
    """The factor of the run, in words."""
    if math.isnan(pair.factor):
        return []
    what = "game" if comparison.games else "deal"
    rounds = len(pair.contest.tables())
    each = 2 if comparison.field is not None else 1
    return [
        f"One {what}, {_arrangements(comparison)}, is worth {pair.factor:.1f} independent {what}s "
        f"({pair.factor * each / rounds:.1f} for each that is played)"
    ]


def _no_effect(pair: Pair) -> list[str]:
    """Parameters in which two that did the same differ, and that such a game does not read."""
    if pair.sums.sum("differs") > 0:
        return []
    rules = pair.contest.rules
    one, other = (player(each, rules.game) for each in pair.contest.players)
    notes = [
        mine.without_effect(name, rules)
        for mine, theirs in ((one.calling, other.calling), (one.playing, other.playing))
        if mine.policy is theirs.policy
        for name, value in mine.by_name.items()
        if value != theirs.by_name[name]
    ]
    return [note for note in dict.fromkeys(notes) if note]


def commands(comparison: Comparison) -> list[str]:
    """The command lines that print the largest differences, one a deal; none for games."""
    if comparison.games:
        return []
    found = []
    for pair in comparison.pairs:
        for deal, _ in pair.sums.largest[: 1 if len(comparison.pairs) > 1 else None]:
            words = ["kqj-sim", "show", "--seed", str(comparison.seed), "--deal", str(deal)]
            words += rule_options(comparison)
            words += ["--policy", pair.contest.players[0], "--against", pair.contest.players[1]]
            words += [] if comparison.field is None else ["--field", comparison.field]
            found.append(shell_join(words))
    return found


def rule_options(comparison: Comparison) -> list[str]:
    """The rules that are not the default ones, as options of the command line."""
    game = comparison.rules.game
    words = [] if game == "kqj" else ["--game", game]
    default = type(comparison.rules)().to_dict()
    for name, value in comparison.rules.to_dict().items():
        if value != default[name]:
            option = f"--{name.replace('_', '-')}"
            words += [option] if value is True else [option, str(value)]
    return words
