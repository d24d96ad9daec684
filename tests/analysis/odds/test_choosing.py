"""The best option is named by some deals and valued by others, which had no say in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.odds import kwajongen
from kqj_sim.analysis.odds.auction_state import CallOption
from kqj_sim.analysis.odds.calls import estimate_calls
from kqj_sim.analysis.odds.cards import (
    MEASURES,
    CardMeasures,
    CardOdds,
    CardOddsRequest,
    estimate_with_sampler,
)
from kqj_sim.analysis.odds.choosing import FIRST_CHOOSING, Limits, choose, limits
from kqj_sim.analysis.odds.playouts import CardPlayouts, CardSampler, Int64Array
from kqj_sim.analysis.odds.sampling import CallPlayouts, CallSampler
from kqj_sim.analysis.odds.search import Search
from kqj_sim.analysis.odds.situation import BiddingSituation, parse_situation
from kqj_sim.analysis.weighted_means import Objective, WeightedMoments
from kqj_sim.core import call_odds as core
from kqj_sim.core.block import LANES
from kqj_sim.rules import KqjRules, KwajongenRules

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
    """How often intervals of what was named held the truth."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        self.biases: dict[str, list[float]] = {}

    def add(self, name: str, found: Estimate, truth: float) -> None:
        """Count an interval."""
        self.held[name] = self.held.get(name, 0) + (found.low <= truth <= found.high)
        self.biases.setdefault(name, []).append(found.value - truth)

    def check(self) -> None:
        """Fail unless 94 to 96% of the intervals held, and the mean error is as good as none."""
        for name, held in self.held.items():
            errors = np.array(self.biases[name])
            assert 0.94 <= held / len(errors) <= 0.96, (name, held, len(errors))
            assert abs(errors.mean()) < 3.5 * errors.std() / len(errors) ** 0.5, name


@pytest.fixture
def synthetic(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[float]], BiddingSituation]:
    """Give the calls of a situation synthetic scores with true means, in place of deals."""

    def put(true: Sequence[float]) -> BiddingSituation:
        def blocks(
            self: CallSampler, options: Sequence[CallOption], threads: int, first: int, count: int,
            *search: object,
        ) -> Generator[CallPlayouts]:  # fmt: skip
            for number in range(count):
                outcomes = np.zeros((len(options), LANES, core.OUTCOME_SIZE), dtype=np.int16)
                start = first + number * LANES
                outcomes[:, :, core.OWN_SCORE] = scores(self.seed, start, LANES, true)
                counts = np.zeros((len(self.asked), 2), dtype=np.int64)
                yield CallPlayouts(LANES, np.ones(LANES), outcomes, counts)

        monkeypatch.setattr(CallSampler, "blocks", blocks)
        return parse_situation("9h 8h Ah Ks 4d", RULES, turned="7h", lap=2)

    return put


@pytest.mark.parametrize("true", [EQUAL, CLOSE], ids=["equal", "close"])
def test_the_interval_of_the_call_named_holds_its_value(
    synthetic: Callable[[Sequence[float]], BiddingSituation], true: Sequence[float]
) -> None:
    """With seven equal calls the interval of the largest of all values holds it in 84% of runs."""
    situation = synthetic(true)
    found = Coverage()
    for seed in range(SEEDS):
        odds = estimate_calls(situation, players=GREEDY, deals=512, seed=seed, threads=1)
        best, second = odds.ranking[:2]
        assert odds.calls == len(true) and odds.deals == 512
        found.add("value", odds.estimate("difference", best), true[best])
        lead = odds.estimate("difference", best, baseline=second)
        found.add("lead", lead, true[best] - true[second])
        if true == EQUAL:
            found.add("wins", odds.estimate("wins", best), 0.5)
    found.check()


def test_it_holds_whenever_a_search_stops(
    synthetic: Callable[[Sequence[float]], BiddingSituation],
) -> None:
    situation = synthetic(EQUAL)
    held = runs = 0
    for seed in range(200):
        odds = estimate_calls(situation, players=GREEDY, until=0.05, seed=seed, threads=1)
        assert odds.ended == "until" and odds.choosing_deals >= 1000
        for quantity, truth in (("difference", 0.0), ("wins", 0.5)):
            estimate = odds.estimate(quantity, odds.best)
            held += estimate.low <= truth <= estimate.high
            runs += 1
    assert held / runs >= 0.95


class SyntheticCards(CardSampler):
    """Cards with synthetic scores; `listed` by nobody."""

    step = LANES
    layout_count = 0
    threads = 1

    def __init__(self, true: Sequence[float]) -> None:
        self.turn = SimpleNamespace(cards=true)
        self.true = true

    def new_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return a search without calls."""
        return Search(0, seconds, progress)

    def count_ways(self, seed: int) -> Int64Array:
        """Nothing, since nothing is listed."""
        return np.zeros(0, dtype=np.int64)

    def count_max_ways(self) -> int:
        """One."""
        return 1

    def chunk(self, mode: int, search: Search, first: int, count: int, seed: int) -> CardPlayouts:
        """Scores in the place of outcomes: (count, cards, 1)."""
        drawn = scores(seed, first, count, self.true).T[:, :, None].astype(np.int16)
        return CardPlayouts(np.ones(count), drawn, np.zeros(0, np.int64), search.new_run().counts)


def card_odds(true: Sequence[float], seed: int) -> CardOdds:
    """What is found of cards with these true values; a card is its number."""
    so_far: Any = SimpleNamespace(legal=range(len(true)), rules=RULES)
    telling = CardMeasures(
        MEASURES[:2], lambda drawn: np.concatenate([drawn > 0, drawn], axis=-1).astype(int), ""
    )
    asking = CardOddsRequest(
        so_far,
        (),
        seed,
        None,
        None,
        0.95,
        512,
        None,
        None,
        False,
        telling,
        lambda counts, seconds: "",
    )
    table: Any = None
    return estimate_with_sampler(SyntheticCards(true), asking, table)


@pytest.mark.parametrize("true", [EQUAL, CLOSE], ids=["equal", "close"])
def test_the_interval_of_the_card_named_holds_its_value(true: Sequence[float]) -> None:
    found = Coverage()
    for seed in range(SEEDS):
        odds = card_odds(true, seed)
        best, second = odds.cards[:2]
        assert (odds.deals, odds.choosing_deals, len(odds.cards)) == (512, 256, len(true))
        value, other = (true[int(each.card)] for each in (best, second))  # type: ignore[call-overload]
        assert best.versus_best is None and second.versus_best is not None
        found.add("value", best.measures["difference"], value)
        found.add("lead", second.versus_best["difference"], other - value)
        if true == EQUAL:
            found.add("wins", best.measures["wins"], 0.5)
    found.check()


def test_a_choice_in_kwajongen_has_deals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is among those that give the values."""
    asked: list[int] = []
    real = kwajongen.KwajongenCallSampler.block

    def block(self: kwajongen.KwajongenCallSampler, first: int) -> kwajongen.KwajongenCallPlayouts:
        asked.append(first)
        return real(self, first)

    monkeypatch.setattr(kwajongen.KwajongenCallSampler, "block", block)
    situation = kwajongen.parse_kwajongen_situation(
        "Ah 9h Ks Tc", KwajongenRules(), turned="Jh", place=1
    )
    odds = kwajongen.estimate_kwajongen_calls(situation, players="standard", deals=1024, threads=1)
    assert odds.deals == 1024 and odds.choosing_deals == 512
    assert {first for first in asked if first < FIRST_CHOOSING} == set(range(0, 1024, LANES))
    assert set(asked) >= {FIRST_CHOOSING, FIRST_CHOOSING + LANES}
    assert sorted(odds.order) == [0, 1] and odds.ranking == list(odds.order)


BY = Objective(1, 0, 3, 600.0)


def chosen(means: Sequence[float], ends: Limits) -> tuple[tuple[int, ...], int]:
    """The order of options with these means, and how many deals chose it."""
    sums = WeightedMoments()

    def source() -> Generator[NDArray[np.float64]]:
        for number in range(400):
            points = scores(1, number, LANES, means)
            yield np.stack([(points > 0).astype(float), points])

    def add(values: NDArray[np.float64]) -> None:
        sums.add(LANES, np.ones(LANES), values)

    return choose(source(), add, sums, BY, ends), sums.deals


def test_a_choice_ends_early_where_one_is_clearly_the_best() -> None:
    never = float("inf")
    order, deals = chosen((0.0, 80.0, 40.0), Limits(50 * LANES, 0.0, never))
    assert order == (1, 2, 0) and 1000 <= deals < 10 * LANES
    _, deals = chosen((0.0, 1.0, 0.0), Limits(50 * LANES, 0.0, never))
    assert deals == 50 * LANES
    _, known = chosen((0.0, 1.0, 0.0), Limits(50 * LANES, 0.04, never))
    assert 1000 <= known < 50 * LANES
    _, late = chosen((0.0, 1.0, 0.0), Limits(50 * LANES, 0.0, time.monotonic() - 1))
    assert late == LANES


def test_a_choice_has_half_as_many_deals_and_a_third_of_the_time() -> None:
    assert limits(513, None, None, 7.0) == Limits(257, 0.0, float("inf"))
    assert limits(1000, 0.01, 6.0, 7.0) == Limits(500, 0.02, 9.0)


def test_a_single_card_is_not_chosen() -> None:
    odds = card_odds((3.0,), 1)
    assert (odds.deals, odds.choosing_deals) == (512, 0)
    assert odds.cards[0].versus_best is None
