"""Recorded calls: which are tried, what they are worth, and the rows that networks learn from."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.block import LANES, PLAYER_BITS
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.policies import weights
from kqj_sim.policies.call_features import TO_BID, TO_COUNTER, TO_OVERCOUNTER, CallTurn
from kqj_sim.policies.learned import CAPOT_UNIT, COUNTER_UNIT, OVERCOUNTER_UNIT
from tests.variants import AUCTION_2
from tools.call_tables import CallTable, record_calls
from tools.record_calls import OPTIONS, CallDecisions


@pytest.fixture(scope="module")
def decisions() -> CallDecisions:
    """Some decisions of `points` against players who pass, without values to choose bids by."""
    zeros = np.zeros(weights.count_weights("learned"), np.float32)
    nothing = weights.align_for_play("learned", zeros)
    return record_calls(CallTable(AUCTION_2), nothing, "points", ["never"], 6, 3)


def column(decisions: CallDecisions, name: str) -> np.ndarray:
    return decisions.turns[:, CallTurn._fields.index(name)]


def test_bids_are_tried_once_each(decisions: CallDecisions) -> None:
    bids = decisions.options[column(decisions, "question") == TO_BID]
    assert len(bids) > LANES
    for options in bids.tolist():
        tried = [option for option in options if option >= 0]
        assert len(tried) == len({*tried}) >= OPTIONS - 2
        assert all(option % UNITS <= CAPOT_UNIT for option in tried)


def test_only_the_learner_decides(decisions: CallDecisions) -> None:
    """Players hold the number of their policy above that of their team."""
    shift = PLAYER_BITS * column(decisions, "place")
    assert not np.any(column(decisions, "players") >> shift >> 2 & 7)


def test_an_overcounter_is_worth_twice_the_amount(decisions: CallDecisions) -> None:
    units = decisions.options[:, 0] % UNITS
    values, amounts = np.abs(decisions.values[:, 0]), column(decisions, "amount")
    chosen = (units == OVERCOUNTER_UNIT) & (column(decisions, "question") == TO_OVERCOUNTER)
    assert (values[chosen] == 2 * amounts[chosen]).all()


def test_a_counter_is_compared_with_the_auction_without_it() -> None:
    """If nobody calls on, it changes the stake of the contract; else the contract, too."""
    zeros = np.zeros(weights.count_weights("learned"), np.float32)
    nothing = weights.align_for_play("learned", zeros)
    shares = {}
    for caller in ("always", "points"):
        found = record_calls(CallTable(AUCTION_2), nothing, caller, [caller], 6, 3)
        counters = column(found, "question") == TO_COUNTER
        assert (found.options[counters, 0] % UNITS == COUNTER_UNIT).all()
        assert (found.options[counters, 1:] == -1).all()
        values, amounts = np.abs(found.values[counters, 0]), column(found, "amount")[counters]
        # Three times the amount if the cards, which depend on the stake, change the result.
        shares[caller] = ((values == amounts) | (values == 3 * amounts)).mean()
    assert shares["always"] == 1
    assert shares["points"] < 0.5


def test_who_passes_leaves_the_contract_to_partners(decisions: CallDecisions) -> None:
    """Opponents pass: to pass costs an opener little if partners bid, Capot much."""
    first = (column(decisions, "bidder") < 0) & (column(decisions, "question") == TO_BID)
    is_capot = decisions.options[first] % UNITS == CAPOT_UNIT
    assert is_capot.sum() > 50
    assert decisions.values[first][is_capot].mean() < -300
