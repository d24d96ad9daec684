"""Calibration: classes of chances whose intervals are narrow."""

from __future__ import annotations

import numpy as np

from benchmarks.calibration import MAX_HALF_WIDTH, classify_contracts


def test_classes_are_merged_until_their_intervals_are_narrow() -> None:
    draws = np.random.default_rng(5)
    chances = draws.beta(6, 5, 3000)
    made = draws.random(3000) < chances
    classes = classify_contracts(chances, made)
    assert sum(each.made.observations for each in classes) == 3000
    assert 2 < len(classes) < 10
    assert [each.high for each in classes[:-1]] <= [each.low for each in classes[1:]]
    for _, _, mean, share in classes:
        assert share.high - share.value <= MAX_HALF_WIDTH
        assert share.value - share.low <= MAX_HALF_WIDTH
        assert abs(share.value - mean) < 2 * MAX_HALF_WIDTH


def test_few_contracts_are_one_class() -> None:
    (only,) = classify_contracts(np.array([0.1, 0.5, 0.9]), np.array([False, True, True]))
    assert (only.low, only.high, only.made.observations) == (1, 10, 3)
