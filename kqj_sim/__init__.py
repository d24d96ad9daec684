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
    from kqj_sim.policies import highest, lowest, policy
    from kqj_sim.rules import KqjRules, KwajongenRules
    from kqj_sim.simulation import simulate

__version__ = "0.1.0"
__all__ = [
    "Experiment",
    "KqjRules",
    "KwajongenRules",
    "__version__",
    "compare",
    "highest",
    "lowest",
    "odds",
    "policy",
    "simulate",
    "sweep",
    "tune",
]

_MODULE_OF = {
    "Experiment": "kqj_sim.experiment",
    "KqjRules": "kqj_sim.rules",
    "KwajongenRules": "kqj_sim.rules",
    "compare": "kqj_sim.analysis.compare",
    "highest": "kqj_sim.policies",
    "lowest": "kqj_sim.policies",
    "odds": "kqj_sim.analysis.odds.calls",
    "policy": "kqj_sim.policies",
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
