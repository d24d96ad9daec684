"""`standard`: accepts by a fitted count (`counting`), plays by rule (`playing`)."""

from __future__ import annotations

from typing import Any

from kqj_sim.policies.kwajongen.counting import COUNT, accepts
from kqj_sim.policies.kwajongen.playing import PRICES, card_by_rule
from kqj_sim.policies.registry import policy

standard = policy(
    "standard",
    "plays with so many points in hand, place and shown card; weighs chances for each card",
    None,
    **COUNT,
    **PRICES,
)


@standard
def choose_accept(view: Any, parameters: Any) -> bool:
    """Play with as many points as the place wants."""
    return accepts(view.hand, view.turned, view.place, view.raised, parameters)


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """The legal card of the greatest value."""
    return card_by_rule(view, parameters)
