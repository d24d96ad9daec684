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

from kqj_sim.version import __version__ as __version__

if TYPE_CHECKING:
    from kqj_sim.core.views import AcceptView as AcceptView
    from kqj_sim.core.views import BidView as BidView
    from kqj_sim.core.views import CardView as CardView
    from kqj_sim.core.views import CounterView as CounterView
    from kqj_sim.core.views import TakeView as TakeView
    from kqj_sim.errors import InputError as InputError
    from kqj_sim.games.kwajongen import KwajongenRules as KwajongenRules
    from kqj_sim.policies import ACES as ACES
    from kqj_sim.policies import CLUBS as CLUBS
    from kqj_sim.policies import DIAMONDS as DIAMONDS
    from kqj_sim.policies import EIGHTS as EIGHTS
    from kqj_sim.policies import FIVES as FIVES
    from kqj_sim.policies import FOURS as FOURS
    from kqj_sim.policies import HEARTS as HEARTS
    from kqj_sim.policies import HEROES as HEROES
    from kqj_sim.policies import JACKS as JACKS
    from kqj_sim.policies import KINGS as KINGS
    from kqj_sim.policies import NINES as NINES
    from kqj_sim.policies import PASS as PASS
    from kqj_sim.policies import QUEENS as QUEENS
    from kqj_sim.policies import SEVENS as SEVENS
    from kqj_sim.policies import SIXES as SIXES
    from kqj_sim.policies import SPADES as SPADES
    from kqj_sim.policies import TENS as TENS
    from kqj_sim.policies import bid_code as bid_code
    from kqj_sim.policies import card_points as card_points
    from kqj_sim.policies import cheapest as cheapest
    from kqj_sim.policies import count as count
    from kqj_sim.policies import dearest as dearest
    from kqj_sim.policies import flag as flag
    from kqj_sim.policies import hand as hand
    from kqj_sim.policies import has as has
    from kqj_sim.policies import highest as highest
    from kqj_sim.policies import in_view as in_view
    from kqj_sim.policies import lowest as lowest
    from kqj_sim.policies import named as named
    from kqj_sim.policies import number as number
    from kqj_sim.policies import policy as policy
    from kqj_sim.policies import random_card as random_card
    from kqj_sim.policies import show as show
    from kqj_sim.policies import suit as suit
    from kqj_sim.policies import whole as whole
    from kqj_sim.questions.compare import compare as compare
    from kqj_sim.questions.compare import sweep as sweep
    from kqj_sim.questions.compare import tune as tune
    from kqj_sim.questions.compare.play import Setting as Setting
    from kqj_sim.questions.compare.result import ComparisonResult as ComparisonResult
    from kqj_sim.questions.compare.result import PairResult as PairResult
    from kqj_sim.questions.compare.result import SweepResult as SweepResult
    from kqj_sim.questions.compare.result import TuningResult as TuningResult
    from kqj_sim.questions.odds import odds as odds
    from kqj_sim.questions.odds import page as page
    from kqj_sim.questions.odds.result import OddsOption as OddsOption
    from kqj_sim.questions.odds.result import OddsResult as OddsResult
    from kqj_sim.questions.policies import check_policy as check_policy
    from kqj_sim.questions.records import check as check
    from kqj_sim.questions.records import play as play
    from kqj_sim.questions.records import records as records
    from kqj_sim.questions.records.result import CheckResult as CheckResult
    from kqj_sim.questions.records.result import Records as Records
    from kqj_sim.questions.records.result import Round as Round
    from kqj_sim.questions.report import report as report
    from kqj_sim.questions.report.result import ReportResult as ReportResult
    from kqj_sim.questions.review import review as review
    from kqj_sim.questions.review.result import ReviewResult as ReviewResult
    from kqj_sim.questions.simulate import simulate as simulate
    from kqj_sim.questions.simulate.result import SimulationResult as SimulationResult
    from kqj_sim.results import Result as Result
    from kqj_sim.rules import KqjRules as KqjRules
    from kqj_sim.runner import Runner as Runner
    from kqj_sim.simulation.experiment import Experiment as Experiment
    from kqj_sim.stats.intervals import Estimate as Estimate

_MODULES = {
    "core.views": ("AcceptView", "BidView", "CardView", "CounterView", "TakeView"),
    "errors": ("InputError",),
    "results": ("Result",),
    "questions.compare": ("compare", "sweep", "tune"),
    "questions.compare.result": ("ComparisonResult", "PairResult", "SweepResult", "TuningResult"),
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
    "policies": (
        "ACES", "CLUBS", "DIAMONDS", "EIGHTS", "FIVES", "FOURS", "HEARTS", "HEROES", "JACKS",
        "KINGS", "NINES", "PASS", "QUEENS", "SEVENS", "SIXES", "SPADES", "TENS",
        "bid_code", "card_points", "cheapest", "count", "dearest", "flag", "hand", "has",
        "highest", "in_view", "lowest", "named", "number", "policy", "random_card", "show",
        "suit", "whole",
    ),
}  # fmt: skip
"""The public names by the module that defines them."""

_MODULE_OF = {name: f"kqj_sim.{module}" for module, names in _MODULES.items() for name in names}

__all__ = sorted([*_MODULE_OF, "__version__"])


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__]
