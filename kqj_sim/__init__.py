"""Monte Carlo strategy analysis of the card games KQJ and Kwajongen.

    import kqj_sim as kqj

    kqj.simulate(deals=100_000, teams=3)        # how often deals are taken, made and failed
    kqj.odds("9h 8h Ah Ks 4d", return_card="7h")  # what to call, or to play
    kqj.compare("standard:take=45", "standard")  # which policy is better, by how much

The functions have the names of the commands and of their options; docs/python.md is the guide.
The public names load on first use, so that `import kqj_sim` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kqj_sim.version import __version__

if TYPE_CHECKING:
    from kqj_sim.core.views import AcceptView, BidView, CardView, CounterView, TakeView
    from kqj_sim.errors import InputError
    from kqj_sim.games.kwajongen import KwajongenRules
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
    from kqj_sim.questions.compare import compare, sweep, tune
    from kqj_sim.questions.compare.play import Setting
    from kqj_sim.questions.compare.result import (
        ComparisonResult,
        PairResult,
        SweepResult,
        TuningResult,
    )
    from kqj_sim.questions.odds import odds, page
    from kqj_sim.questions.odds.result import OddsOption, OddsResult
    from kqj_sim.questions.policies import check_policy
    from kqj_sim.questions.records import check, play, records
    from kqj_sim.questions.records.result import CheckResult, Records, Round
    from kqj_sim.questions.report import report
    from kqj_sim.questions.report.result import ReportResult
    from kqj_sim.questions.review import review
    from kqj_sim.questions.review.result import ReviewResult
    from kqj_sim.questions.simulate import simulate
    from kqj_sim.questions.simulate.result import SimulationResult
    from kqj_sim.results import Result
    from kqj_sim.rules import KqjRules
    from kqj_sim.runner import Runner
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.intervals import Estimate

_MODULES = {
    "core.views": ("AcceptView", "BidView", "CardView", "CounterView", "TakeView"),
    "errors": ("InputError",),
    "results": ("Result",),
    "questions.compare": ("compare", "sweep", "tune"),
    "questions.compare.result": (
        "ComparisonResult",
        "PairResult",
        "SweepResult",
        "TuningResult",
    ),
    "questions.compare.play": ("Setting",),
    "questions.odds": ("odds", "page"),
    "questions.odds.result": ("OddsOption", "OddsResult"),
    "questions.policies": ("check_policy",),
    "questions.records": ("check", "play", "records"),
    "questions.records.result": ("CheckResult", "Records", "Round"),
    "questions.report": ("report",),
    "questions.report.result": ("ReportResult",),
    "questions.review": ("review",),
    "questions.review.result": ("ReviewResult",),
    "questions.simulate": ("simulate",),
    "questions.simulate.result": ("SimulationResult",),
    "games.kwajongen": ("KwajongenRules",),
    "rules": ("KqjRules",),
    "runner": ("Runner",),
    "simulation.experiment": ("Experiment",),
    "stats.intervals": ("Estimate",),
}
"""The public names by the module that defines them, but for those of `kqj_sim.policies`."""

_MODULE_OF = {name: f"kqj_sim.{module}" for module, names in _MODULES.items() for name in names}

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
    "AcceptView",
    "BidView",
    "CardView",
    "CheckResult",
    "ComparisonResult",
    "CounterView",
    "Estimate",
    "Experiment",
    "InputError",
    "KqjRules",
    "KwajongenRules",
    "OddsOption",
    "OddsResult",
    "PairResult",
    "Records",
    "ReportResult",
    "Result",
    "ReviewResult",
    "Round",
    "Runner",
    "Setting",
    "SimulationResult",
    "SweepResult",
    "TakeView",
    "TuningResult",
    "__version__",
    "bid_code",
    "card_points",
    "cheapest",
    "check",
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
    "page",
    "play",
    "policy",
    "random_card",
    "records",
    "report",
    "review",
    "show",
    "simulate",
    "suit",
    "sweep",
    "tune",
    "whole",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF.get(name, "kqj_sim.policies")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__]
