"""kqj-sim: Monte Carlo strategy analysis of the card game KQJ.

The public names load at first use, so that `import kqj_sim` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kqj_sim.analysis.comparison import compare
    from kqj_sim.policies import highest, lowest, policy
    from kqj_sim.rules import KqjRules
    from kqj_sim.simulation import Experiment, simulate

__version__ = "0.1.0"
__all__ = [
    "Experiment",
    "KqjRules",
    "__version__",
    "compare",
    "highest",
    "lowest",
    "policy",
    "simulate",
]

_MODULE_OF = {
    "Experiment": "kqj_sim.simulation",
    "KqjRules": "kqj_sim.rules",
    "compare": "kqj_sim.analysis.comparison",
    "highest": "kqj_sim.policies",
    "lowest": "kqj_sim.policies",
    "policy": "kqj_sim.policies",
    "simulate": "kqj_sim.simulation",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
