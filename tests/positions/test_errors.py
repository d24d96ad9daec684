"""Assumed players who err: draws against all distributions, and chances of calls that are known."""

from __future__ import annotations

import math
from itertools import product

import pytest

from kqj_sim.games import GAMES
from kqj_sim.policies.players import seat_players
from kqj_sim.positions.estimator import MIN_EFFECTIVE_DEALS, estimate_options, make_sampler
from kqj_sim.positions.odds import CardOdds
from kqj_sim.positions.sampling import CardSampler, EstimatePlan
from kqj_sim.rules import GameRules, KqjRules
from tests.positions.estimates import estimate_cards, list_card_positions, odds
from tests.slow import slow_after

RULES = [*(game.rules() for game in GAMES.values()), KqjRules(bidding="auction")]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("rules", slow_after(2, RULES), ids=str)
def test_sampled_cards_are_those_of_all_distributions(rules: GameRules, level: int) -> None:
    """Of calls at random the assumed player would make few; draws may assume more errors."""
    checked = 0
    for position in list_card_positions(rules, 100):
        sampler = make_sampler(position, seat_players(None, rules), EstimatePlan())
        assert isinstance(sampler, CardSampler)
        if not 50 < sampler.layout_count < 2000 or position.calls is None:
            continue
        exact = estimate_cards(position, "standard", error_rate=0.2, ignore_plays=True)
        plan = EstimatePlan(error_rate=0.2, ignore_plays=True, deals=4000)
        wider = make_sampler(position, seat_players("standard", rules), plan, 0)
        for _ in range(level):
            wider = wider.assume_more_errors() or wider
        drawn = estimate_options(wider, plan)
        assert exact.is_exact and not drawn.is_exact
        if exact.effective_number > 0.999 * exact.deals:
            continue  # All distributions weigh alike.
        if level and not drawn.has_effective(MIN_EFFECTIVE_DEALS):
            continue
        pairs = [
            (exact.estimate(name, option).value, drawn.estimate(name, option))
            for name, option in product(("value", "win_share"), range(drawn.option_count))
        ]
        if position.rules.game == "kqj":
            assert isinstance(drawn, CardOdds) and wider.error_level == level
            pairs.append((exact.bidding_probability, drawn.estimate_bidding_probability()))
        for right, estimate in pairs:
            error = (estimate.high - estimate.low) / 3.92 if math.isfinite(estimate.low) else 0.0
            assert estimate.value == pytest.approx(right, abs=5 * error + 1e-9), position
        checked += 1
        if checked == 4 - 2 * level:
            return
    raise AssertionError("too few positions in which the calls tell of the hidden cards")


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_passes_that_nobody_makes_are_all_errors(passes: int) -> None:
    """An error is a pass in half of the cases, whatever the hand."""
    found = odds(
        "Jh Ks 4d Qd 9s", return_card="9h", place=passes, policies="always+greedy", deals=1024,
        error_rate=0.04,
    )  # fmt: skip
    share = found.estimate_bidding_probability()
    assert share.low <= 0.02**passes <= share.high or share.value == pytest.approx(0.02**passes)
    assert len(found.likely_errors) == passes
    assert found.has_effective(900)


def test_nobody_errs_without_a_rate() -> None:
    found = odds("Jh Ks 4d Qd 9s", return_card="7h", place=2, deals=256)
    assert found.likely_errors == [] and len(found.error_chances) == 0
