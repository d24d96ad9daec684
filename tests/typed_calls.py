"""Estimates of the calls of a hand of KQJ as it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kqj_sim.games.kqj.call_sampler import KqjCallOdds
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.rules import KqjRules

SITUATION = ("return_card", "place", "lap", "heard", "partners_at", "pending")


def odds(
    hand: str, rules: KqjRules | None = None, policies: str | Sequence[str] | None = None,
    **asked: Any,
) -> KqjCallOdds:  # fmt: skip
    """Estimate the outcome of each call; `asked` has the situation, and `EstimatePlan`."""
    known = {name: asked.pop(name) for name in SITUATION if name in asked}
    situation = read_typed_position(hand, rules or KqjRules(), **known)
    found = estimate_position(situation, policies, **asked)
    assert isinstance(found, KqjCallOdds)
    return found
