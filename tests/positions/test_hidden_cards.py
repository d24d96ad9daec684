"""Chances of the places to hold hidden cards, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.games import GAMES
from kqj_sim.policies.players import seat_players
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.hidden_cards import HiddenCards
from kqj_sim.positions.odds import Odds
from kqj_sim.positions.sampling import CardSampler, EstimatePlan
from kqj_sim.rules import GameRules, KqjRules
from tests.positions.estimates import estimate_cards, list_card_positions, odds

AUCTION = KqjRules(bidding="auction")


def count_cards(found: Odds) -> np.ndarray:
    """The chances of the cards of each other place, float64 (places, cards)."""
    hidden = found.hidden_cards
    assert hidden is not None
    cards = [number for number, each in enumerate(hidden.holdings) if len(each.text) == 2]
    groups = range(len(hidden.groups) - 2)
    return np.array(
        [[found.estimate_holding(group, card).value for card in cards] for group in groups]
    )


def test_every_card_of_an_auction_is_somewhere() -> None:
    heard = "pass 120s 180d"
    found = odds("9h 8h Ah Kh Qh 5d 6c Ac", AUCTION, heard=heard, deals=1024)
    chances = count_cards(found)
    assert chances.sum(axis=0) == pytest.approx(np.ones(40))
    assert chances.sum(axis=1) == pytest.approx(np.full(5, 8.0))
    hidden = found.hidden_cards
    assert hidden is not None
    # Of the bidder's suit he holds the nine, and more than others.
    number = [each.text for each in hidden.holdings].index("9s")
    assert found.estimate_holding(1, number).low > 0.4
    partners, opponents = (found.estimate_holding(side, number).value for side in (-2, -1))
    assert partners + opponents == pytest.approx(1)


def test_five_cards_are_held_before_the_taking() -> None:
    chances = count_cards(odds("Jh Ks 4d Qd 9s", return_card="7h", place=2, deals=1024))
    assert chances.sum(axis=1) == pytest.approx(np.full(5, 5.0))


@pytest.mark.parametrize("rules", [game.rules() for game in GAMES.values()], ids=str)
def test_chances_are_those_of_all_distributions(rules: GameRules) -> None:
    """Sampled chances have those of all distributions in their intervals; these are counted."""
    checked = 0
    for position in list_card_positions(rules, 40):
        sampler = make_sampler(position, seat_players(None, rules), EstimatePlan())
        assert isinstance(sampler, CardSampler)
        if not 50 < sampler.layout_count < 2000:
            continue
        exact = estimate_cards(position, "standard", ignore_plays=True, ignore_calls=True)
        drawn = estimate_cards(
            position, "standard", ignore_plays=True, ignore_calls=True, max_layouts=0, deals=2000
        )
        hidden, layouts = exact.hidden_cards, sampler.layouts
        assert exact.is_exact and not drawn.is_exact and hidden is not None
        masks = HiddenCards(position)._cards
        apart = []
        for number, holding in enumerate(hidden.holdings):
            for at, places in enumerate(hidden.groups):
                held = np.bitwise_count(layouts[:, places] & masks[number]) >= holding.least
                share = float(held.any(axis=1).mean())
                assert exact.estimate_holding(at, number).value == pytest.approx(share)
                error = (share * (1 - share) / 2000) ** 0.5
                apart.append((drawn.estimate_holding(at, number).value - share) / max(error, 1e-4))
        assert np.abs(apart).max() < 5 and np.mean(np.square(apart)) < 2
        checked += 1
        if checked == 3:
            return
    raise AssertionError("too few positions with some distributions")
