"""Where the weights of `network` stand: float32, for each kind of contract `KIND_SIZE` numbers.

Each block begins at a multiple of sixteen numbers, so that rows do not cross lines of the cache.
"""

from __future__ import annotations

from kqj_sim.core.vectors import WIDTH
from kqj_sim.policies.features import CARD_INDICES, SHARED_INDICES

HIDDEN_1, HIDDEN_2 = 48, 16
"""Units of the hidden layers."""

LINEAR = 0
"""`CARD_INDICES` weights of the linear part."""
SHARED_ROWS = -(-CARD_INDICES // WIDTH) * WIDTH
"""For each shared index `HIDDEN_1` weights."""
CARD_ROWS = SHARED_ROWS + SHARED_INDICES * HIDDEN_1
"""For each card index `HIDDEN_1` weights."""
BIAS_1 = CARD_ROWS + CARD_INDICES * HIDDEN_1
MATRIX = BIAS_1 + HIDDEN_1
"""For each unit of the first hidden layer its `HIDDEN_2` weights."""
BIAS_2 = MATRIX + HIDDEN_1 * HIDDEN_2
OUTPUT = BIAS_2 + HIDDEN_2
"""`HIDDEN_2` weights of the second hidden layer's units."""
KIND_SIZE = OUTPUT + HIDDEN_2
"""Numbers of a kind of contract."""
