"""Decisions and calls recorded for training: which are tried, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core.block import LANES, PLAYER_BITS
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.policies import weights
from kqj_sim.policies.call_features import TO_BID, TO_COUNTER, TO_OVERCOUNTER, CallTurn
from kqj_sim.policies.features import OUTPUTS, ROWS
from kqj_sim.policies.learned import CAPOT_UNIT, COUNTER_UNIT, OVERCOUNTER_UNIT
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from tests.variants import AUCTION_2
from tools.call_tables import CallTable, record_calls
from tools.record_calls import OPTIONS, CallDecisions
from tools.record_decisions import (
    CardDecisions,
    collect_decisions,
    find_tricks,
    iterate_decisions,
    record_decisions,
)

PLAYER = parse_player("points+greedy")
SEED = 7


def collected(threads: int) -> CardDecisions:
    parts = iterate_decisions(KqjRules(), PLAYER, SEED, 0, threads)
    found = collect_decisions(parts, 12_000)
    parts.close()
    return found


@pytest.mark.slow
def test_threads_make_no_difference() -> None:
    one, three = collected(1), collected(3)
    assert len(one.kind) >= 12_000
    legal = np.arange(one.values.shape[1]) < one.card_count[:, None]
    for name in ("kind", "features", "card_count"):
        assert np.array_equal(getattr(one, name), getattr(three, name))
    assert np.array_equal(one.outputs[legal], three.outputs[legal])
    assert np.array_equal(one.values[legal], three.values[legal])


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize("teams", [2, 3])
def test_decisions_have_cards_to_choose_from_and_results(teams: int, bidding: str) -> None:
    rules = KqjRules.from_dict({"teams": teams, "bidding": bidding})
    found = record_decisions(rules, PLAYER, SEED, 0, 4096)
    legal = np.arange(found.values.shape[1]) < found.card_count[:, None]
    trick = find_tricks(found.features)
    for number in (4, 5, 6):  # The leader may play any card of the hand.
        assert found.card_count[trick == number].max() == 8 - number
    assert {*found.kind} == {0, 1, 2}
    assert found.features.max() < ROWS and found.outputs[legal].max() < OUTPUTS
    first = found.values[:, :1]
    assert 0.2 < ((found.values != first) & legal).any(axis=1).mean() < 0.99
    other = record_decisions(rules, PLAYER, SEED, 512, 256)
    part = record_decisions(rules, PLAYER, SEED, 512, 512)
    count = len(other.kind)
    assert 0 < count < len(part.kind) and np.array_equal(other.values, part.values[:count])


def test_players_who_never_take_give_decisions_of_imposed_contracts() -> None:
    found = record_decisions(KqjRules(), parse_player("never+greedy"), SEED, 0, 256)
    assert len(found.kind) > 256


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
