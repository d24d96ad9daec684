"""Experiments that arguments of public functions describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kqj_sim.arguments import Count, PoliciesLike, convert_policies, parse_count, parse_imposed
from kqj_sim.experiment import Experiment

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.rules import GameRules


def make_experiment(
    rules: GameRules,
    policy: PoliciesLike | None,
    impose: str | ImposedContract | None,
    seed: Count,
    first: Count,
    **counts: Any,
) -> Experiment:
    """Return the experiment that arguments of public functions describe; raise ValueError."""
    return Experiment(
        rules=rules,
        policies=convert_policies(policy, rules),
        seed=parse_count("seed", seed, 0, "1") or 0,
        first=parse_count("first", first, 0, "0") or 0,
        imposed=parse_imposed(impose, rules),
        **counts,
    )
