"""Deals that a control plays too: the sums against plain ones, no bias, intervals that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.analysis.controlled import FURTHER, ControlledSums
from kqj_sim.analysis.odds import odds
from kqj_sim.analysis.odds_play import odds_of_cards
from kqj_sim.analysis.round_so_far import from_record
from kqj_sim.experiment import Experiment
from kqj_sim.record import so_far_from_json, to_json
from kqj_sim.records import play_records
from kqj_sim.rules import SEATS, KqjRules
from tests.variants import LIVELY

Array = NDArray[np.float64]

WAITING = "points:take=45,lap2=38+greedy"
CONTROL = "points:take=45,lap2=38+random"
HAND, RETURN = "9h Ah 5c 8s 4d", "7h"
MEAN, SHARE = range(2)
TRUTH = {MEAN: 20.0, SHARE: 0.3}


def drawn(generator: np.random.Generator, deals: int) -> tuple[Array, Array, Array]:
    """Weights (n,), and values (2, 1, n) of players and of a control that goes with them."""
    luck = generator.normal(size=(2, deals))
    noise = generator.normal(size=(2, deals))
    y, x = luck, 0.8 * luck + 0.6 * noise
    limit = -0.5244005  # the normal distribution's quantile of 30%
    players = np.stack([TRUTH[MEAN] + 50 * y[0], y[1] < limit])
    control = np.stack([np.exp(x[0]), x[1] < limit])
    # Weights that go with the other coordinate: they change nothing in the mean.
    weights = generator.gamma(2, 1, deals)
    return weights, players[:, None], control[:, None]


def controlled(generator: np.random.Generator, deals: int, block: int = 200) -> ControlledSums:
    found = ControlledSums()
    for _ in range(0, deals, block):
        weights, players, control = drawn(generator, block)
        others, _, further = drawn(generator, FURTHER * block)
        both = np.concatenate([players, control], axis=1)
        found.add_block(block, weights, both, (FURTHER * block, others, further))
    return found


def slow(y: Array, x: Array, weights: Array, further: Array, others: Array) -> tuple[float, float]:
    """The corrected mean and its variance, from the deals themselves."""
    value = variance = mean = 0.0
    alone = (others * further).sum() / others.sum()
    for half in (0, 1):
        w, own, same = (each[1 - half :: 2] for each in (weights, y, x))
        dy = w * (own - (w * own).sum() / w.sum())
        dx = w * (same - (w * same).sum() / w.sum())
        b = (dx @ dy) / (dx @ dx) / (1 + 1 / FURTHER)
        w, own, same = (each[half::2] for each in (weights, y, x))
        left = own - b * same
        at = (w * left).sum() / w.sum()
        share = w.sum() / weights.sum()
        value += share * (at + b * alone)
        mean += share * b
        variance += ((w * (left - at)) ** 2).sum() / weights.sum() ** 2
    variance += mean**2 * ((others * (further - alone)) ** 2).sum() / others.sum() ** 2
    return value, variance


def ahead(values: Array, option: int, less: int | None) -> Array:
    """An option's values, or what they exceed another one's by."""
    found: Array = values[option] - (0 if less is None else values[less])
    return found


def test_sums_are_those_of_a_slow_twin() -> None:
    generator = np.random.default_rng(1)
    weights, players, control = drawn(generator, 900)
    others, _, further = drawn(generator, 7000)
    # Two options, of which the second is something else.
    two = np.concatenate([players, players[:, :, ::-1] ** 2], axis=1)
    again = np.concatenate([control, control[:, :, ::-1] ** 2], axis=1)
    alone = np.concatenate([further, further[:, :, ::-1]], axis=1)
    found = ControlledSums()
    for start in range(0, 900, 300):
        part, much = slice(start, start + 300), slice(8 * start, 8 * start + 2400)
        both = np.concatenate([two[:, :, part], again[:, :, part]], axis=1)
        found.add_block(300, weights[part], both, (2400, others[much], alone[:, :, much]))
    for quantity in (MEAN, SHARE):
        y, x, z = two[quantity], again[quantity], alone[quantity]
        for option, less in ((0, None), (1, None), (1, 0)):
            own, same, third = (ahead(of, option, less) for of in (y, x, z))
            value, variance = slow(own, same, weights, third, others)
            corrected = found.corrected(quantity, option, less)
            assert corrected.value == pytest.approx(value)
            assert corrected.variance == pytest.approx(variance)


@pytest.mark.parametrize("quantity", [MEAN, SHARE], ids=["mean", "share"])
def test_corrected_means_are_unbiased_and_their_intervals_hold(quantity: int) -> None:
    generator = np.random.default_rng(2)
    runs, held, always = 400, 0, 0
    values, plain, worth = [], [], []
    for _ in range(runs):
        found = controlled(generator, 600)
        estimate = found.mean(quantity, 0, 0.95, is_share=quantity == SHARE)
        held += estimate.low <= TRUTH[quantity] <= estimate.high
        wide = found.mean(quantity, 0, 0.95, is_share=quantity == SHARE, sequential=True)
        always += wide.low <= TRUTH[quantity] <= wide.high
        assert wide.low < estimate.low and estimate.high < wide.high
        values.append(estimate.value)
        plain.append(super(ControlledSums, found).value(quantity, 0))
        worth.append(found.worth(quantity, 0))
    assert abs(np.mean(values) - TRUTH[quantity]) < 3.5 * np.std(values) / math.sqrt(runs)
    assert 0.915 * runs < held < 0.985 * runs
    assert always > 0.985 * runs
    assert np.mean(worth) > 1.2
    assert np.var(plain) / np.var(values) == pytest.approx(np.mean(worth), rel=0.3)


def test_intervals_hold_at_all_moments_together() -> None:
    generator = np.random.default_rng(3)
    runs, left = 150, 0
    for _ in range(runs):
        found, out = ControlledSums(), False
        for _ in range(20):
            weights, players, control = drawn(generator, 300)
            others, _, further = drawn(generator, FURTHER * 300)
            both = np.concatenate([players, control], axis=1)
            found.add_block(300, weights, both, (FURTHER * 300, others, further))
            if found.deals >= 1000:
                estimate = found.mean(MEAN, 0, 0.95, sequential=True)
                out |= not estimate.low <= TRUTH[MEAN] <= estimate.high
        left += out
    assert left <= 0.09 * runs


def test_few_deals_and_controls_without_spread_correct_nothing() -> None:
    few = controlled(np.random.default_rng(4), 50, 50)
    assert few.mean(MEAN, 0, 0.95) == super(ControlledSums, few).mean(MEAN, 0, 0.95)
    found = ControlledSums()
    weights, players, _ = drawn(np.random.default_rng(5), 500)
    both = np.concatenate([players, np.ones_like(players)], axis=1)
    found.add_block(500, weights, both, (9, np.ones(9), np.ones((2, 1, 9))))
    for quantity in (MEAN, SHARE):
        plain = super(ControlledSums, found).mean(quantity, 0, 0.95)
        assert found.mean(quantity, 0, 0.95) == plain
        assert found.worth(quantity, 0) == pytest.approx(1)


def test_calls_are_unbiased_and_threads_do_not_matter() -> None:
    """Many small runs, each of another seed, against a long one without control."""
    truth = odds(HAND, turned=RETURN, place=2, players=WAITING, deals=60_000, seed=999)
    values, shares, held = [], [], 0
    for seed in range(60):
        found = odds(
            HAND, turned=RETURN, place=2, players=WAITING, deals=500, seed=seed, control=CONTROL,
            threads=1,
        )  # fmt: skip
        lead = found.estimate("difference", 1, less=0)
        values.append(lead.value)
        shares.append(found.estimate("wins", 1).value)
        held += lead.low <= truth.estimate("difference", 1, less=0).value <= lead.high
    for name, less, sample in (("difference", 0, values), ("wins", None, shares)):
        exact = truth.estimate(name, 1, less=less)
        error = math.hypot((exact.high - exact.low) / 3.92, np.std(sample) / math.sqrt(60))
        assert abs(np.mean(sample) - exact.value) < 3.5 * error
    assert held >= 50
    again = odds(
        HAND, turned=RETURN, place=2, players=WAITING, deals=500, seed=59, control=CONTROL,
        threads=2,
    )  # fmt: skip
    assert again.estimate("wins", 1) == found.estimate("wins", 1)
    np.testing.assert_array_equal(again.totals, found.totals)


def test_a_control_that_is_the_players_counts_as_its_further_deals() -> None:
    """Then all deals tell the same, and both kinds together are worth 1 + FURTHER times one."""
    found = odds(
        HAND, turned=RETURN, place=2, players=WAITING, deals=20_000, control=WAITING
    )  # fmt: skip
    assert found.worth("difference", 1) == pytest.approx(1 + FURTHER, rel=0.1)
    assert found.worth("wins", 0) == pytest.approx(1 + FURTHER, rel=0.1)
    plain = odds(HAND, turned=RETURN, place=2, players=WAITING, deals=20_000)
    np.testing.assert_array_equal(plain.totals, found.totals)
    assert plain.worth("wins", 0) == 1


def test_cards_are_corrected_too() -> None:
    players = (f"{LIVELY}+greedy",) * SEATS
    (record, *_) = (
        each
        for each in play_records(Experiment(KqjRules(), players, 40, seed=5))
        if each.sender is not None
    )
    so_far = from_record(so_far_from_json(to_json(record)), (3, 2))
    long = odds_of_cards(so_far, players, 60_000, seed=999)
    assert long.control is None
    deviations = []
    for seed in range(20):
        found = odds_of_cards(so_far, players, 1500, seed, control=f"{LIVELY}+random")
        assert found.control is not None and found.worth["difference"] > 0.9
        of = {each.card: each.measures["difference"] for each in found.cards}
        card = so_far.legal[0]
        deviations.append(of[card].value)
        exact = next(each for each in long.cards if each.card == card).measures["difference"]
    error = math.hypot((exact.high - exact.low) / 3.92, np.std(deviations) / math.sqrt(20))
    assert abs(np.mean(deviations) - exact.value) < 3.5 * error
    one, two = (
        odds_of_cards(so_far, players, 1500, 3, control=f"{LIVELY}+random", threads=threads)
        for threads in (1, 2)
    )
    assert one.cards == two.cards
    last = from_record(so_far_from_json(to_json(record)), (8, 1))
    late = odds_of_cards(
        last, ("always+greedy",) * SEATS, control="greedy",
        ignore_calls=True,
    )  # fmt: skip
    assert late.exact and late.control is None
