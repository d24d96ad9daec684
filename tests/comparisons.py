"""Comparisons whose matches tests look into."""

from __future__ import annotations

from typing import Any

from kqj_sim.policies.players import PlayerLike, parse_player
from kqj_sim.questions.compare.pairs import Comparison, play_pairs
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import Runner


def compare(
    *policies: PlayerLike,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner | None = None,
    **asked: Any,
) -> Comparison:
    """Compare policies; `asked` are options of the plan, or of `play_pairs`."""
    sides = {name: asked.pop(name) for name in ("opponents", "part", "other_part") if name in asked}
    for name in sides.keys() - {"part"}:
        sides[name] = parse_player(sides[name], rules.game)
    plan = ComparisonPlan.make(rules, **asked)
    players = [parse_player(each, rules.game) for each in policies]
    return play_pairs(players, rules, plan, runner or Runner(threads=1), **sides)
