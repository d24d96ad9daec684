"""Vectors of integers: they have the same bits on all processors, those of numpy."""

from __future__ import annotations

import platform

import pytest

from tests.command_line import run_python

PROGRAM = """
import numpy as np
from kqj_sim.core.jit import kernel
from kqj_sim.core.simd_int16 import *

@kernel(cache=False)
def work(numbers, bias, rows, dots, positive):
    total = add(load(numbers, 0), load(numbers, 7))
    store(numbers, 3, rectify(total))
    write_dots(dots, 2, load(numbers, 3), rows, 9, bias, 5, 8)
    write_dots(dots, 10, load(numbers, 3), rows, 9, bias, 5, 1)
    positive[0] = find_positive(dots, 1)

draws = np.random.default_rng(1)
numbers = draws.integers(-1 << 15, 1 << 15, 100).astype(np.int16)
bias = draws.integers(-1 << 31, 1 << 31, 16).astype(np.int32)
rows = draws.integers(-1 << 15, 1 << 15, 9 + 8 * 64).astype(np.int16)
dots, positive = np.zeros(20, np.int32), np.zeros(1, np.int64)
given = numbers.copy()
work(numbers, bias, rows, dots, positive)

given[3:67] = np.maximum(given[:64] + given[7:71], 0)
assert (given == numbers).all()
expected = bias[5:13] + rows[9:].reshape(8, 64).astype(np.int64) @ numbers[3:67].astype(np.int64)
expected = expected.astype(np.int32)
assert dots.tolist() == [0, 0, *expected, expected[0], *[0] * 9]
assert positive[0] == sum(1 << k for k, total in enumerate(dots[1:17]) if total > 0) > 0
"""

X86 = {
    "AVX2": {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+avx,+sse4.2"},
    "no vectors of integers": {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+sse4.2"},
}
"""Variables that make numba compile for a processor."""


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param({}, id="this one"),
        pytest.param({"NUMBA_CPU_NAME": "generic"}, id="generic"),
        *(
            pytest.param(
                variables,
                id=name,
                marks=[
                    pytest.mark.slow,
                    pytest.mark.skipif(
                        platform.machine() not in ("x86_64", "AMD64"), reason="processors of x86"
                    ),
                ],
            )
            for name, variables in X86.items()
        ),
    ],
)
def test_vectors_give_the_numbers_of_numpy_on_every_processor(processor: dict[str, str]) -> None:
    run_python("-W", "error", "-c", PROGRAM, variables=processor, check=True)
