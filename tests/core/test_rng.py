"""Random numbers: against arithmetic in plain Python, and without a pattern that shows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kqj_sim.core import rng
from kqj_sim.core.jit import kernel

GOLDEN, FLIPPED = 0x9E3779B97F4A7C15, 0x2545F4914F6CDD1D
LOW = (1 << 32) - 1


def _draw_slowly(key: int, counter: int) -> int:
    number = (key + (counter + 1) * GOLDEN) % (1 << 64)
    number = (number & LOW) * (number >> 32) ^ FLIPPED
    number = (number & LOW) * (number >> 32)
    return (number ^ (number >> 32)) & LOW


def test_32_bits_are_those_of_slow_arithmetic() -> None:
    for deal in range(200):
        key = int(rng.derive_deal_key(7, deal))
        for counter in (0, int(rng.CALL) + deal % 12, int(rng.COUNTER) + deal):
            assert rng.draw_32(key, counter) == _draw_slowly(key % (1 << 64), counter)
        trick, position = deal % 8, deal % 6
        counter = int(rng.CARD) + 8 * trick + position
        assert rng.draw_32_for_card(key, trick, position) == _draw_slowly(key % (1 << 64), counter)
        assert rng.draw_for_card(key, trick, position) == rng.draw(key, counter)


def test_halves_of_a_draw_are_its_bits() -> None:
    for deal in range(50):
        bits = rng.draw(3, deal)
        high, low = int(rng.high_half(bits)), int(rng.low_half(bits))
        assert 0 <= high <= LOW and 0 <= low <= LOW
        assert high << 32 | low == bits % (1 << 64)


@pytest.mark.parametrize("bound", [1, 2, 7, 8, 61, 32767])
def test_32_bits_are_scaled_as_fractions(bound: int) -> None:
    numbers = [0, 1, LOW // 2, LOW, *(_draw_slowly(3, each) for each in range(200))]
    assert all(rng.scale_32_below(each, bound) == each * bound >> 32 for each in numbers)


@pytest.mark.parametrize("probability", [0.0, 2.0**-32, 0.09, 0.5, 1 - 2.0**-32, 1.0])
def test_32_bits_are_below_a_probability_as_often_as_they_should(probability: float) -> None:
    limit = probability * 2**32
    for bits in (0, 1, LOW - 1, LOW, int(limit), max(int(limit) - 1, 0), min(int(limit) + 1, LOW)):
        assert rng.is_32_below(bits, probability) == (bits < limit)


@kernel(cache=False)
def _count_triples(seed, deals, turns, counts):  # type: ignore[no-untyped-def]
    """Count the leading three bits of three draws of each deal, int64 (512,)."""
    for deal in range(deals):
        key = rng.derive_deal_key(seed, deal)
        index = 0
        for which in range(3):
            bits = rng.draw_32_for_card(key, turns[which] // 6, turns[which] % 6)
            index = index << 3 | rng.scale_32_below(bits, 8)
        counts[index] += 1


def test_draws_of_one_deal_are_independent() -> None:
    # Neighbours in a trick, and the same position in all tricks: counters that differ least.
    triples = [
        turns for trick in range(8) for turns in combinations(range(6 * trick, 6 * trick + 4), 3)
    ]
    triples += [
        (position, position + 6 * trick, position + 42)
        for position in range(6)
        for trick in range(1, 7)
    ]
    deals = 1 << 18
    excess = []
    for turns in triples:
        counts = np.zeros(512, np.int64)
        _count_triples(11, deals, np.array(turns), counts)
        expected = deals / 512
        chi_squared = ((counts - expected) ** 2 / expected).sum()
        excess.append((chi_squared - 511) / np.sqrt(2 * 511))
    assert max(excess) < 5
    # All of them together: the mean of many would show what one does not.
    assert abs(np.mean(excess)) < 5 / np.sqrt(len(excess))
