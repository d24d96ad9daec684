"""Frequencies of dealt hands against exact probabilities.

The card turned up decides the trump suit: it is one of six trumps, equally likely each, and the
other 23 cards, five trumps among them, are dealt without regard to it.
"""

from __future__ import annotations

from collections import Counter
from math import comb, sqrt

import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate

DEALS = 200_000
SURE = 4.5
"""Standard errors that an estimate may be off."""

# Whoever is asked first, at the dealer's left, plays: `sender_trumps` counts their hand.
EXPERIMENT = Experiment(KwajongenRules(), ("random:accept=1",) * 4, DEALS, 11)


def trumps_of(cards: int) -> list[float]:
    """Probabilities of 0, 1, ... trumps among so many of the 23 cards that nobody has seen."""
    return [comb(5, k) * comb(18, cards - k) / comb(23, cards) for k in range(cards + 1)]


def check(counts: Counter[int], probabilities: dict[int, float], observations: int) -> None:
    assert counts.keys() <= probabilities.keys()
    assert sum(probabilities.values()) == pytest.approx(1)
    for value, probability in probabilities.items():
        error = sqrt(probability * (1 - probability) / observations)
        found = counts[value] / observations
        assert abs(found - probability) < SURE * error, (value, found, probability)


def test_the_trumps_of_the_dealer_and_of_another_are_hypergeometric() -> None:
    rows = simulate(EXPERIMENT)
    # The dealer has the card turned up and three more.
    dealers = {1 + k: probability for k, probability in enumerate(trumps_of(3))}
    check(Counter(rows.column("dealer_trumps").tolist()), dealers, DEALS)
    others = dict(enumerate(trumps_of(4)))
    check(Counter(rows.column("sender_trumps").tolist()), others, DEALS)


def test_every_card_is_turned_up_as_often() -> None:
    rows = simulate(EXPERIMENT)
    cards = 6 * rows.column("trump").astype(int) + rows.column("turned_rank")
    check(Counter(cards.tolist()), dict.fromkeys(range(24), 1 / 24), DEALS)


@pytest.mark.slow
def test_nobody_holds_the_ace_of_trumps_in_40_of_138_deals() -> None:
    # It is not the card turned up (5/6), and among the eight of 23 that are not dealt.
    deals = 20_000
    nobody = 0
    for record in play_records(Experiment(KwajongenRules(), ("random",) * 4, deals, 12)):
        assert record.turned is not None
        ace = f"A{record.turned[1]}"
        nobody += not any(ace in hand for hand in record.dealt)
    check(Counter({1: nobody, 0: deals - nobody}), {1: 40 / 138, 0: 98 / 138}, deals)
