"""The features of views, and the values of `network` by numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.views import CardView
from kqj_sim.policies.features import FEATURES, OUTPUTS, ROWS, find_output, write_features
from kqj_sim.policies.one_layer import HIDDEN_UNITS, Layout
from kqj_sim.policies.trick_odds import KIND_COUNT, build_trick_context

Floats = NDArray[np.float64]


def bits(cards: int) -> list[int]:
    """The cards of a set, from the lowest bit on."""
    return [1 << bit for bit in range(64) if cards >> bit & 1]


def indices(view: CardView) -> tuple[int, list[int], list[int]]:
    """The kind of the contract, the features, and the output of each legal card."""
    known = build_trick_context(view)
    found = np.empty(FEATURES, np.int64)
    write_features(view, known, found, 0, 1)
    cards = bits(view.legal)
    outputs = [
        find_output(view.position, view.led, view.winning, known.slots, card) for card in cards
    ]
    return known.kind, found.tolist(), outputs


def network_values(view: CardView, weights: Floats) -> Floats:
    """The network as matrices, read in the order in which the layout lists its parts."""
    kind, found, outputs = indices(view)
    left = weights.reshape(KIND_COUNT, -1)[kind]
    parts, at = [], 0
    for shape in ((ROWS, 64), (64,), (64, OUTPUTS), (OUTPUTS,)):
        parts.append(left[at : at + int(np.prod(shape))].reshape(shape))
        at += int(np.prod(shape))
    assert at == len(left)
    rows, bias, matrix, output_bias = parts
    layer = np.maximum(bias + rows[found].sum(axis=0), 0)
    values: Floats = (layer @ matrix + output_bias)[outputs]
    return values


# Networks of one hidden layer in fixed point once more, in whole numbers of Python.


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
