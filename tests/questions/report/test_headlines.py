"""The findings of auctions in a sentence, by what the shares of contracts made show."""

from __future__ import annotations

import pytest

from kqj_sim.games.kqj.report import describe_amounts
from kqj_sim.stats.intervals import estimate_share

NONE = estimate_share(0, 1000)
BY_STAKE = {1: estimate_share(740, 1000), 2: estimate_share(345, 1000)}


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            {120: 700, 130: 650, 140: 600},
            "Contracts of every amount bid 30 times or more, up to 140, are made more often "
            "than not.",
        ),
        (
            {120: 700, 130: 650, 140: 510, 150: 300},
            "Contracts up to 130 are made more often than not (65.0% ±3.0 at 130), higher ones not "
            "clearly so.",
        ),
        # Above 130, which is no limit, contracts are made again.
        (
            {120: 540, 130: 500, 140: 670, 150: 650},
            "29.3% ±2.8 of the contracts are countered: 34.5% ±2.9 of these are made, 74.0% ±2.7 "
            "of those not countered.",
        ),
        ({120: 700}, None),
    ],
)
def test_a_limit_is_named_only_if_there_is_one(made: dict[int, int], sentence: str | None) -> None:
    numbers = {amount: estimate_share(count, 1000) for amount, count in made.items()}
    found = describe_amounts(numbers, BY_STAKE, estimate_share(293, 1000))
    assert found == ([] if sentence is None else [sentence])


def test_without_counters_the_extremes_are_named_by_their_bounds() -> None:
    # 30 contracts of 150, all failed, are not shown to be worse than 1,000 of 140.
    numbers = {
        120: estimate_share(500, 1000),
        130: estimate_share(400, 1000),
        140: estimate_share(50, 1000),
        150: estimate_share(0, 30),
    }
    assert describe_amounts(numbers, {}, NONE) == [
        "Contracts of 120 are made most often (50.0% ±3.1).",
    ]
    numbers[150] = estimate_share(300, 1000)
    assert describe_amounts(numbers, {}, NONE) == [
        "Contracts of 120 are made most often (50.0% ±3.1), those of 140 least often (5.0% ±1.4).",
    ]
