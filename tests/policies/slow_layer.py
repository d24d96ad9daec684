"""Networks of one hidden layer in fixed point once more, in whole numbers of Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kqj_sim.policies.one_layer import HIDDEN_UNITS, Layout


def values_in_whole_numbers(
    fixed: NDArray[np.int16], layout: Layout, rows: list[int], outputs: list[int]
) -> list[np.float32]:
    """The values of some outputs, one number at a time, from one kind's weights."""

    def read(start: int) -> list[int]:
        return [int(number) for number in fixed[start : start + HIDDEN_UNITS]]

    added = [read(layout.bias), *(read(row * HIDDEN_UNITS) for row in rows)]
    sums = [sum(column) for column in zip(*added, strict=True)]
    assert all(-(1 << 15) <= each < 1 << 15 for each in sums)
    layer = [max(each, 0) for each in sums]
    biases = fixed[layout.output_bias : layout.step].view(np.int32).tolist()
    step = fixed[layout.step : layout.step + 2].view(np.float32)[0]
    values = []
    for output in outputs:
        matrix = read(layout.matrix + output * HIDDEN_UNITS)
        total = biases[output] + sum(a * b for a, b in zip(layer, matrix, strict=True))
        assert abs(total) < 1 << 31
        values.append(np.float32(total) * step)
    return values
