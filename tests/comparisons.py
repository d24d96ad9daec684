"""Comparisons whose leads tests look into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kqj_sim.paired.comparison import Comparison, play_pairs
from kqj_sim.paired.leads import ComparisonPlan, Leads
from kqj_sim.paired.match import Match
from kqj_sim.policies.players import PlayerLike, parse_player
from kqj_sim.rules import DEFAULT_RULES, GameRules, KqjRules
from kqj_sim.runner import Runner


def compare(
    *policies: PlayerLike,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner | None = None,
    **options: Any,
) -> Comparison:
    """Compare policies; `options` are those of the plan, or of `play_pairs`."""
    names = ("opponents", "part", "other_part")
    sides = {name: options.pop(name) for name in names if name in options}
    for name in sides.keys() - {"part"}:
        sides[name] = parse_player(sides[name], rules.game)
    plan = ComparisonPlan.make(rules, **options)
    players = [parse_player(policy, rules.game) for policy in policies]
    return play_pairs(players, rules, plan, runner or Runner(threads=1), **sides)


def make_leads(points: Sequence[int], **options: Any) -> Leads:
    """Return the leads of two players with these points by deal; `options` are of the plan."""
    players = parse_player("never"), parse_player("always")
    match = Match(KqjRules(), players, is_pair=True)
    leads = Leads(match, ComparisonPlan(deals=len(points), **options))
    values = np.array(points) * match.lead_divisor
    leads.tally.leads.observe(values[np.newaxis])
    leads.tally.observe_pair(np.arange(len(points)), values, values != 0)
    return leads
