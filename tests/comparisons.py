"""Comparisons whose matches tests look into."""

from __future__ import annotations

from typing import Any

from kqj_sim.questions.compare.pairs import Comparison, play_pairs
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import Runner


def compare(
    *policies: str, rules: GameRules = DEFAULT_RULES, runner: Runner | None = None, **asked: Any
) -> Comparison:
    """Compare policies; `asked` are options of the plan, or of `play_pairs`."""
    sides = {name: asked.pop(name) for name in ("opponents", "part", "other_part") if name in asked}
    plan = ComparisonPlan.make(rules, **asked)
    return play_pairs(policies, rules, plan, runner or Runner(threads=1), **sides)
