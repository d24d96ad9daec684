"""`standard`: calls like `points` and plays by rule (`rule_play`)."""

from __future__ import annotations

from typing import Any

from kqj_sim.policies.points import (
    PARAMETERS,
    choose_bid,
    choose_counter,
    choose_overcounter,
    choose_take,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.rule_play import PRICES, choose_card_by_rule

standard = policy(
    "standard",
    "calls like points; plays by rules: counts cards, estimates chances, saves strong cards",
    **PARAMETERS,
    **PRICES,
)


for _choose in (choose_take, choose_bid, choose_counter, choose_overcounter):
    standard(_choose)


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """Play the legal card of the greatest value."""
    return choose_card_by_rule(view, parameters)
