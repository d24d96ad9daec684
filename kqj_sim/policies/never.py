"""`never`: always passes and never counters."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.views import PASS
from kqj_sim.policies.registry import policy

never = policy("never", "always passes")


@never
def choose_take(view: Any) -> int:
    """Pass."""
    return PASS


@never
def choose_bid(view: Any) -> int:
    """Pass."""
    return PASS


@never
def choose_counter(view: Any) -> bool:
    """Decline."""
    return False


@never
def choose_overcounter(view: Any) -> bool:
    """Decline."""
    return False
