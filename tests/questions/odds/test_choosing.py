"""The best option is named by some deals and valued by others, which had no say in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kqj_sim as kqj
from kqj_sim.core import call_odds as core
from kqj_sim.core.block import LANES
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.positions import estimator
from kqj_sim.positions.estimator import (
    FIRST_CHOOSING,
    add_draws,
    estimate_options,
    estimate_position,
)
from kqj_sim.positions.measures import MeasureTable
from kqj_sim.positions.odds import CardOdds, Odds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import CERTAIN, CardSampler, EstimatePlan, Limits
from kqj_sim.positions.search import Deadline, Search
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import Estimate

SEEDS = 2000
SPREAD = 100.0
"""Standard deviation of a synthetic score: about that of a deal."""

EQUAL = (0.0,) * 7
CLOSE = (0.0, 2.0, 4.0, 5.0, 5.0, 6.0, 6.0)
"""True values of seven calls; the standard error of a mean of 512 deals is 4.4."""

RULES = KqjRules(all_no_trump="both_laps")
GREEDY = "points:take=45,lap2=38+greedy"


def scores(seed: int, first: int, count: int, true: Sequence[float]) -> NDArray[np.float64]:
    """Scores (options, count) with these means, whole and odd: each is won or lost."""
    generator = np.random.default_rng((seed, first))
    luck = generator.normal(0, SPREAD / 2, count)
    own = generator.normal(0, SPREAD * 0.75**0.5, (len(true), count))
    # 2 [z / 2] + 1 has the mean of z, apart from what rounding to even numbers leaves.
    drawn: NDArray[np.float64] = 2 * np.floor((np.array(true)[:, None] + luck + own) / 2) + 1
    return drawn


class Coverage:
    """The share of intervals of the named option that held the truth."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        self.biases: dict[str, list[float]] = {}

    def add(self, name: str, found: Estimate, truth: float) -> None:
        self.held[name] = self.held.get(name, 0) + (found.low <= truth <= found.high)
        self.biases.setdefault(name, []).append(found.value - truth)

    def check(self) -> None:
        """Fail unless 94 to 96% of the intervals held, and the mean error is as good as none."""
        for name, held in self.held.items():
            errors = np.array(self.biases[name])
            assert 0.94 <= held / len(errors) <= 0.96, (name, held, len(errors))
            assert abs(errors.mean()) < 3.5 * errors.std() / len(errors) ** 0.5, name


@pytest.fixture
def synthetic(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[float]], Position]:
    """Give the calls of a situation synthetic scores with true means, in place of deals."""

    def put(true: Sequence[float]) -> Position:
        def play_chunk(self: KqjCallSampler, search: Search, first: int, count: int) -> Playouts:
            outcomes = np.zeros((len(self.options), count, core.OUTCOME_SIZE), dtype=np.int16)
            own = scores(self.seed, first, count, true)
            outcomes[:, :, core.OWN_SCORE], outcomes[:, :, core.DOUBLE_LEAD] = own, 2 * own
            counts = np.zeros((self.question_count, 2), dtype=np.int64)
            return Playouts(count, np.ones(count), outcomes, np.zeros((6, count), int), counts)

        monkeypatch.setattr(KqjCallSampler, "play_chunk", play_chunk)
        return read_typed_position("9h 8h Ah Ks 4d", RULES, return_card="7h", lap=2)

    return put


def test_interval_holds_whenever_a_search_stops(
    synthetic: Callable[[Sequence[float]], Position],
) -> None:
    situation = synthetic(EQUAL)
    held = runs = 0
    for seed in range(200):
        odds = estimate_position(situation, policies=GREEDY, precision=0.05, seed=seed, threads=1)
        assert odds.stop_reason == "until" and odds.choosing_deals >= 1000
        for quantity, truth in (("value", 0.0), ("win_share", 0.5)):
            estimate = odds.estimate(quantity, odds.best)
            held += estimate.low <= truth <= estimate.high
            runs += 1
    assert held / runs >= 0.95


class SyntheticCards(CardSampler):
    """Cards with synthetic scores, none of which are listed; a card is its number."""

    chunk_size = min_chunk_size = LANES
    measures = MeasureTable(
        {"win_share": lambda outcomes: outcomes[0] > 0, "value": lambda outcomes: outcomes[0]},
        "",
        (),
    )
    position: Any = SimpleNamespace(
        rules=RULES, hand=(), plays=(), upcard=None, opener=0, seat=0, teams=(0, 1) * 3,
        place_of=int,
    )  # fmt: skip
    players = ()
    layout_count = question_count = 0
    keeps_history = ignore_calls = False
    error_rate = 0.0

    def __init__(self, true: Sequence[float], seed: int) -> None:
        self.options, self.true, self.seed = range(len(true)), true, seed

    def make_odds(self, plan: EstimatePlan) -> CardOdds:
        return self._fill_odds(CardOdds, plan)

    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        """Return scores in the place of outcomes: (cards, count, 1)."""
        drawn = scores(self.seed, first, count, self.true)[:, :, None].astype(np.int16)
        counts, _ = search.start_chunk()
        return Playouts(count, np.ones(count), drawn, np.zeros((6, count), int), counts)

    def _fail(self, *_: Any) -> Any:
        raise AssertionError("nothing is listed, asked or impossible here")

    count_ways: Any = _fail
    play_listed: Any = _fail
    with_numbers: Any = _fail
    ask: Any = _fail
    score: Any = _fail
    explain_impossible_bidding: Any = _fail


def card_odds(true: Sequence[float], seed: int) -> Odds:
    odds = estimate_options(SyntheticCards(true, seed), EstimatePlan(deals=512, seed=seed))
    assert isinstance(odds, CardOdds)
    return odds


@pytest.mark.slow
@pytest.mark.parametrize("true", [EQUAL, CLOSE], ids=["equal", "close"])
@pytest.mark.parametrize("kind", ["call", "card"])
def test_the_interval_of_the_option_named_holds_its_value(
    synthetic: Callable[[Sequence[float]], Position], true: Sequence[float], kind: str
) -> None:
    """With seven equal calls the interval of the largest of all values holds it in 84% of runs."""
    situation, found = synthetic(true), Coverage()
    for seed in range(SEEDS):
        if kind == "card":
            odds = card_odds(true, seed)
        else:
            odds = estimate_position(situation, policies=GREEDY, deals=512, seed=seed, threads=1)
        best, second = odds.ranking[:2]
        assert (odds.deals, odds.choosing_deals, len(odds.ranking)) == (512, 256, len(true))
        found.add("value", odds.estimate("value", best), true[best])
        found.add("lead", odds.estimate_leads()[second], true[best] - true[second])
        if true == EQUAL:
            found.add("win_share", odds.estimate("win_share", best), 0.5)
    found.check()


def chosen(means: Sequence[float], ends: Limits) -> tuple[tuple[int, ...], int]:
    """Return the order of options with these means, and how many deals chose it."""
    sampler = SyntheticCards(means, 1)
    odds = sampler.make_odds(EstimatePlan())
    add_draws(sampler, odds, FIRST_CHOOSING, ends, sampler.start_search(None, None), threads=1)
    return tuple(odds.ranking), odds.deals


def test_a_choice_ends_early_where_one_is_clearly_the_best() -> None:
    order, deals = chosen((0.0, 80.0, 40.0), Limits(50 * LANES, 0.0, confidence=CERTAIN))
    assert order == (1, 2, 0) and 1000 <= deals < 10 * LANES
    _, deals = chosen((0.0, 1.0, 0.0), Limits(50 * LANES, 0.0, confidence=CERTAIN))
    assert deals == 50 * LANES
    _, known = chosen((0.0, 1.0, 0.0), Limits(50 * LANES, 0.04, confidence=CERTAIN))
    assert 1000 <= known < 50 * LANES
    _, late = chosen(
        (0.0, 1.0, 0.0), Limits(50 * LANES, 0.0, Deadline(time.monotonic() - 1), CERTAIN)
    )
    assert late == LANES


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"hand": "7h 8h 9h Ah Ks Kd 4c Tc"},
        {
            "hand": "9h 8h Ah Ts Kd 5d 6c Ac", "heard": "130h pass pass pass pass pass",
            "played": "", "ignore_calls": True,
        },
        {
            "hand": "7s Kh Ad Hd Kc 7h Kd 7c", "return_card": "6c", "heard": "take c",
            "played": "5c Tc 7c Jh Jc Hc", "bidding": "take",
        },
    ],
    ids=["calls", "cards", "cards, a deal in nine draws"],
)  # fmt: skip
def test_what_is_clearly_worse_has_fewer_of_the_same_deals(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def estimate(deals: int) -> dict[str, Any]:
        found = kqj.odds(deals=deals, policy="points+greedy", **{"bidding": "auction", **settings})
        return {str(option): row for option, row in found.frame().iterrows()}

    found = estimate(3000)
    with monkeypatch.context() as patch:
        patch.setattr(estimator, "count_early_deals", lambda deals: deals)
        whole, early = estimate(3000), estimate(1024)
    assert {*found} == {*whole} == {*early}
    best, most = next(iter(found)), max(row["n"] for row in found.values())
    dropped = [option for option, row in found.items() if row["n"] < most]
    assert 0 < len(dropped) <= len(found) - 2
    assert best == next(iter(whole))
    for option, row in found.items():
        of = early if option in dropped else whole
        # The last of the first draws may be more deals than were missing.
        is_same = of is whole or row["n"] == 1024
        for column in ("n", "value", "value_low", "win_share", "win_share_high"):
            same = pytest.approx(of[option][column])
            assert row[column] == same if is_same else row["n"] < 2048, (option, column)
        assert row["value"] <= found[best]["value"] or option not in dropped


def test_a_single_card_is_not_chosen() -> None:
    odds = card_odds((3.0,), 1)
    assert (odds.deals, odds.choosing_deals) == (512, 0)
    assert odds.ranking == [0] and odds.estimate_leads() == {}
