"""kqj-sim: Monte Carlo strategy analysis of the card games KQJ and Kwajongen.

The public names load on first use, so that `import kqj_sim` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kqj_sim.analysis.compare import compare
    from kqj_sim.analysis.odds.calls import odds
    from kqj_sim.analysis.sweep import sweep
    from kqj_sim.analysis.tune import tune
    from kqj_sim.experiment import Experiment
    from kqj_sim.policies import (
        ACES,
        CLUBS,
        DIAMONDS,
        EIGHTS,
        FIVES,
        FOURS,
        HEARTS,
        HEROES,
        JACKS,
        KINGS,
        NINES,
        PASS,
        QUEENS,
        SEVENS,
        SIXES,
        SPADES,
        TENS,
        PolicyError,
        bid_code,
        card_points,
        cheapest,
        count,
        dearest,
        flag,
        hand,
        has,
        highest,
        in_view,
        lowest,
        named,
        number,
        policy,
        random_card,
        show,
        suit,
        whole,
    )
    from kqj_sim.policy_check import check_policy
    from kqj_sim.rules import KqjRules, KwajongenRules
    from kqj_sim.simulation import simulate

__version__ = "0.1.0"
__all__ = [
    "ACES",
    "CLUBS",
    "DIAMONDS",
    "EIGHTS",
    "FIVES",
    "FOURS",
    "HEARTS",
    "HEROES",
    "JACKS",
    "KINGS",
    "NINES",
    "PASS",
    "QUEENS",
    "SEVENS",
    "SIXES",
    "SPADES",
    "TENS",
    "Experiment",
    "KqjRules",
    "KwajongenRules",
    "PolicyError",
    "__version__",
    "bid_code",
    "card_points",
    "cheapest",
    "check_policy",
    "compare",
    "count",
    "dearest",
    "flag",
    "hand",
    "has",
    "highest",
    "in_view",
    "lowest",
    "named",
    "number",
    "odds",
    "policy",
    "random_card",
    "show",
    "simulate",
    "suit",
    "sweep",
    "tune",
    "whole",
]

_POLICY_TOOLS = (
    "ACES",
    "CLUBS",
    "DIAMONDS",
    "EIGHTS",
    "FIVES",
    "FOURS",
    "HEARTS",
    "HEROES",
    "JACKS",
    "KINGS",
    "NINES",
    "PASS",
    "PolicyError",
    "QUEENS",
    "SEVENS",
    "SIXES",
    "SPADES",
    "TENS",
    "bid_code",
    "card_points",
    "cheapest",
    "count",
    "dearest",
    "flag",
    "hand",
    "has",
    "highest",
    "in_view",
    "lowest",
    "named",
    "number",
    "policy",
    "random_card",
    "show",
    "suit",
    "whole",
)
"""Names of `kqj_sim.policies`."""
_MODULE_OF = {
    **dict.fromkeys(_POLICY_TOOLS, "kqj_sim.policies"),
    "check_policy": "kqj_sim.policy_check",
    "Experiment": "kqj_sim.experiment",
    "KqjRules": "kqj_sim.rules",
    "KwajongenRules": "kqj_sim.rules",
    "compare": "kqj_sim.analysis.compare",
    "odds": "kqj_sim.analysis.odds.calls",
    "simulate": "kqj_sim.simulation",
    "sweep": "kqj_sim.analysis.sweep",
    "tune": "kqj_sim.analysis.tune",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
