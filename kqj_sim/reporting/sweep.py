"""A sweep in words and as a report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.table import Line, Table, make_table
from kqj_sim.analysis.words import WORDS
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.report import Report, Run, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.sweep import Setting, Sweep

_COLUMNS = {"table", "quantity", "unit", "value", "low", "high", "deals", "standing", "run"}
"""Columns of the tables that a parameter's must not be confused with."""

MOST_NAMED = 10
"""Sets of values that a sentence names."""


@dataclass(frozen=True)
class SweepRun(Run):
    """A run in which a policy's parameters vary; `policies` are the policy and the field."""

    sweep: Sweep | None = None

    @property
    def _of(self) -> Sweep:
        assert self.sweep is not None
        return self.sweep

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of = self._of
        return {
            **super().to_dict(),
            "policy": of.policy,
            "field": of.field,
            "vary": {each.name: list(each.values) for each in of.varied},
            "asked": {"deals": of.plan.deals, "until": of.plan.until, "cap": of.plan.cap},
            "method": of.plan.method,
            "comparison": "Hsu's multiple comparisons with the best, Bonferroni",
            "best": list(of.best.values),
            "best_player": of.best.player,
            "not_told_from_best": [list(each.values) for each in of.maybe],
            "rounds_a_deal_and_set": len(of.match.seatings),
            "worth_times_as_many_rounds": None if math.isnan(of.factor) else of.factor,
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of = self._of
        return (
            f"{describe_rules(of.rules)}; {of.policy} against {of.field}, its side holding every "
            f"side's cards; {of.deals:,} deals from {of.first:,}, seed {of.seed}, the same for all "
            f"{len(of.settings)}"
        )

    def intervals(self) -> str:
        """The method, and what the intervals hold for."""
        of = self._of
        return f"±: {100 * of.plan.confidence:g}% intervals, each by itself; {of.plan.method}"


def sweep_report(sweep: Sweep) -> Report:
    """Everything that is shown of a sweep."""
    run = SweepRun(
        command="sweep",
        rules=sweep.rules,
        policies=(sweep.policy, sweep.field),
        players=tuple(each.player for each in sweep.settings),
        seed=sweep.seed,
        first=sweep.first,
        deals=sweep.deals,
        confidence=sweep.plan.confidence,
        interrupted=sweep.interrupted,
        sweep=sweep,
    )
    return Report(run, [_table(sweep)], answer(sweep))


def name_of(sweep: Sweep, setting: Setting) -> str:
    """A set of values: `take=35, lap2=30`."""
    pairs = zip(sweep.varied, setting.values, strict=True)
    return ", ".join(f"{each.name}={value}" for each, value in pairs)


def with_interval(estimate: Estimate) -> str:
    """Points with their interval."""
    return str(format_number(estimate.value, estimate.low, estimate.high, "points"))


def answer(sweep: Sweep) -> list[str]:
    """The best set of values, those that cannot be told from it, and what a round is worth."""
    best, maybe = sweep.best, sweep.maybe
    sure = f"{100 * sweep.plan.confidence:g}%"
    lines = [
        f"Best: {name_of(sweep, best)}, {with_interval(best.points)} points a round more than "
        f"{sweep.field}"
    ]
    count = len(sweep.settings)
    if len(maybe) + 1 == count > 1:
        lines.append(f"None of the {count} is shown worse than another ({sure})")
    elif maybe:
        names = [name_of(sweep, each) for each in maybe[:MOST_NAMED]]
        if len(maybe) > len(names):
            names.append(f"{len(maybe) - len(names)} more")
        lines.append(f"Not told from it ({sure}, all {count} together): {'; '.join(names)}")
    elif count > 1:
        lines.append(f"It is shown better than all the others ({sure}, all {count} together)")
    if not math.isnan(sweep.factor):
        lines.append(
            f"For the difference of two, a round here is worth {sweep.factor:.1f} independent ones"
        )
    return lines


def _table(sweep: Sweep) -> Table:
    """A row a set of values."""
    names = tuple(
        f"{each.name} (parameter)" if each.name in _COLUMNS else each.name for each in sweep.varied
    )
    words = WORDS[sweep.rules.game]
    lines: list[Line] = []
    for each in sweep.settings:
        group = (*(_number(value) for value in each.values), each.standing)
        lines += [
            (group, "more than the field, points a round", "points", each.points),
            (group, "more than the best other, points a round", "points", each.above),
            (group, f"{words.takes}, share of its rounds", "share", each.taken),
            (group, f"{words.made}, share of its {words.contracts}", "share", each.made),
        ]
    return make_table(
        "sweep",
        f"{sweep.policy} with other parameters, against {sweep.field}",
        (*names, "standing"),
        lines,
        "standing: `maybe` cannot be told from the best.  More than the best other: intervals that "
        "hold for all together (Hsu 1984, Bonferroni), from the differences on the same deals.",
        counted=False,
    )


def _number(value: str) -> int | str:
    """A whole number as such, so that tables sort by it."""
    return int(value) if value.lstrip("-").isdigit() else value
