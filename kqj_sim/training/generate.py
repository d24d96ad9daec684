"""Decisions by the hundred thousand: deals are played by threads and noted by `recorder`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kqj_sim.core.state import LANES, new_state
from kqj_sim.encode import core_rules, core_table
from kqj_sim.policies.features import CARD_FEATURES, SHARED_FEATURES
from kqj_sim.policies.specification import player
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.training.decisions import CANDIDATES, Decisions, joined
from kqj_sim.training.recorder import SHEET, Output, record_deals, recorder_table

MOMENTS = 8
"""Moments of each deal that are recorded: few, so that decisions come from many deals."""

PART = 16 * LANES
"""Deals of a thread's turn; what comes of them does not depend on the number of threads."""


@dataclass(frozen=True)
class Play:
    """How decisions are made.

    Attributes:
        rules: the rules of the table.
        behaviour: specification of who calls and plays.
        rollout: specification of who plays on after each candidate card.
        seed: seed of the deals.
    """

    rules: KqjRules
    behaviour: str
    rollout: str
    seed: int


def generate(play: Play, first: int, deals: int, threads: int = 1) -> Decisions:
    """The decisions noted in the deals `first` to `first + deals - 1`, in order.

    Raises:
        kqj_sim.policies.PolicyError: a policy cannot be used.
    """
    starts = range(first, first + deals, PART)
    with ThreadPoolExecutor(threads) as pool:
        parts = list(
            pool.map(lambda start: _part(play, start, min(PART, first + deals - start)), starts)
        )
    return joined(parts)


def _part(play: Play, first: int, deals: int) -> Decisions:
    rules = core_rules(play.rules)
    table = core_table(play.rules, [player(play.behaviour)] * SEATS, None)
    rollouts = core_table(play.rules, [player(play.rollout)] * SEATS, None, nested=True)
    sheet = np.zeros(1 + LANES * SHEET, dtype=np.int64)
    recorders = recorder_table(table, sheet)
    room = deals * MOMENTS
    output = Output(
        kind=np.zeros(room, dtype=np.int8),
        shared=np.zeros(room * SHARED_FEATURES, dtype=np.uint16),
        shared_count=np.zeros(room, dtype=np.int64),
        cards=np.zeros(room * CANDIDATES * CARD_FEATURES, dtype=np.uint16),
        card_count=np.zeros(room, dtype=np.int64),
        values=np.zeros(room * CANDIDATES, dtype=np.float32),
    )
    state, inner = new_state(), new_state()
    filled = 0
    for start in range(first, first + deals, LANES):
        lanes = min(LANES, first + deals - start)
        filled = record_deals(
            state, inner, sheet, start, lanes, play.seed, MOMENTS, rules, table, rollouts,
            recorders, output, filled,
        )  # fmt: skip
    return Decisions(
        kind=output.kind[:filled].copy(),
        shared=output.shared.reshape(room, SHARED_FEATURES)[:filled].copy(),
        shared_count=output.shared_count[:filled].copy(),
        cards=output.cards.reshape(room, CANDIDATES, CARD_FEATURES)[:filled].copy(),
        card_count=output.card_count[:filled].copy(),
        values=output.values.reshape(room, CANDIDATES)[:filled].copy(),
    )
