"""`random`: every legal card is equally likely; the chance to play is a parameter."""

from __future__ import annotations

from typing import Any

from kqj_sim.policies.parameters import number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import chance, random_legal_card

random = policy(
    "random",
    "plays legal cards at random; says play with a given chance",
    accept=number(0.3, "chance to say play when asked", 0, 1),
)


@random
def choose_accept(view: Any, parameters: Any) -> bool:
    """Play with chance `accept`."""
    return chance(view, parameters.accept)


@random
def choose_card(view: Any) -> int:
    """Play a legal card, each equally likely."""
    return random_legal_card(view)
