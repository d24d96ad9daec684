"""Ranges in threads: every number once, in order, and as long as they should be."""

from __future__ import annotations

import time

import pytest

from kqj_sim.simulation.workers import MIN_RANGES_PER_THREAD, map_in_threads

SIZE = 10
END = 2000 * SIZE + 3


def _play(threads: int, seconds: float, min_seconds: float) -> list[tuple[int, int]]:
    """Return the ranges that threads were given, each of which takes some time."""

    def work(first: int, count: int) -> tuple[int, int]:
        time.sleep(seconds)
        return first, count

    return list(map_in_threads([work] * threads, 0, END, SIZE, min_seconds=min_seconds))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("min_seconds", [0.0, 1e-5, 1.0])
def test_every_number_is_in_one_range_in_order(threads: int, min_seconds: float) -> None:
    following = 0
    for first, count in _play(threads, 0.0, min_seconds):
        assert first == following
        assert count % SIZE == 0 or first + count == END
        following = first + count
    assert following == END


def test_short_ranges_follow_together_but_not_so_many_that_threads_wait() -> None:
    counts = [count for _, count in _play(2, 0.001, 0.05)]
    assert counts[0] == SIZE
    assert max(counts) > 10 * SIZE
    assert max(counts) <= END // (2 * MIN_RANGES_PER_THREAD)
    assert counts[-2] == SIZE


def test_long_ranges_stay_alone() -> None:
    assert {count for _, count in _play(5, 0.0002, 0.0)} == {SIZE, END % SIZE}
