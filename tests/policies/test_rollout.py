"""`rollout`: what it supposes of the others' cards, and whether its calls gain."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core import rng
from kqj_sim.core.bits import PACK
from kqj_sim.core.state import CONTRACT, LAST_BIDS, PLAYERS, SEATS, SENDER, STAKE, new_state
from kqj_sim.core.teams import THREE_TEAMS, TWO_TEAMS
from kqj_sim.encode import FirstCall, core_rules
from kqj_sim.experiment import Experiment
from kqj_sim.policies.rollout import _deal_auction, _who_countered
from kqj_sim.rows import Rows
from kqj_sim.simulation import simulate
from tests.core.coding import bits
from tests.policies.test_points import GOOD, cards
from tests.variants import AUCTION_2, TAKE_2

SEED = 29


def _packed(teams: list[int]) -> int:
    """The row PLAYERS of places of these teams."""
    return sum(team << 9 * place for place, team in enumerate(teams))


@pytest.mark.parametrize(
    ("players", "teams"),
    [(TWO_TEAMS, 2), (THREE_TEAMS, 3), (_packed([0, 0, 0, 1, 1, 1]), 2)],
    ids=["two teams", "three teams", "random partners"],
)
@pytest.mark.parametrize("bidder", [0, 1, 5])
def test_each_opponent_is_as_likely_to_have_countered(
    players: int, teams: int, bidder: int
) -> None:
    state = new_state()
    state[PLAYERS], state[SENDER], state[STAKE] = players, bidder, 2
    draws = 3000
    found = [_who_countered(state, 0, rng.draw(SEED, k), teams) for k in range(draws)]
    counts = np.bincount(found, minlength=SEATS)
    own = (players >> 9 * bidder) & 3
    opponents = [place for place in range(SEATS) if (players >> 9 * place) & 3 != own]
    expected = draws / len(opponents)
    for place in range(SEATS):
        wanted = expected if place in opponents else 0
        assert abs(counts[place] - wanted) < 5 * np.sqrt(expected) * (place in opponents) + 1
    state[STAKE] = 1
    assert _who_countered(state, 0, rng.draw(SEED, 0), teams) == -1


def test_hidden_cards_of_an_auction_are_dealt_once_and_bidders_have_trumps() -> None:
    """Place 1 has bid hearts; the hands of his neighbours are drawn apart from his."""
    state, hands = new_state(), np.zeros(2 * SEATS, dtype=np.int64)
    state[PLAYERS], state[SENDER], state[STAKE], state[CONTRACT] = TWO_TEAMS, 1, 1, 1
    state[LAST_BIDS] = (130 // 10 << 3 | 1 + 1) << 10
    own, hearts = bits(cards(GOOD.replace("h", "d"))), 0xFFF << 16
    held = np.zeros((1000, SEATS))
    for k in range(len(held)):
        _deal_auction(state, 0, hands, 0, own, rng.draw(SEED, k), core_rules(AUCTION_2))
        assert hands[0] == own and not hands[SEATS:].any()
        assert [int(hand).bit_count() for hand in hands[:SEATS]] == [8] * SEATS
        assert np.bitwise_or.reduce(hands) == PACK
        held[k] = [(int(hand) & hearts).bit_count() for hand in hands[:SEATS]]
    assert held[:, 1].mean() > 1.2 * held[:, 2:].mean()
    # What one has the others lack.
    for other in range(2, SEATS):
        assert np.corrcoef(held[:, 1], held[:, other])[0, 1] < -0.05


def _worth(rows: Rows) -> np.ndarray:
    """The opener's team's score less the other's."""
    opener = (rows.column("dealer") + 1) % SEATS
    teams = np.array([rows.column(f"team_of_seat_{seat}") for seat in range(SEATS)])
    of_team = teams[opener, np.arange(len(opener))]
    difference: np.ndarray = rows.column("score_0") - rows.column("score_1")
    return np.where(of_team == 0, difference, -difference)


def test_openers_take_where_it_gains_more() -> None:
    """On the same deals, taken and passed by all openers."""
    deals = 3000
    rollout = ("rollout:worlds=16,player=greedy+greedy",) * SEATS
    own = simulate(Experiment(TAKE_2, rollout, deals, SEED))
    takes = (own.column("lap") == 1) & (own.column("place") == 0)
    taken, passed = (
        _worth(simulate(Experiment(TAKE_2, ("points+greedy",) * SEATS, deals, SEED, imposed=first)))
        for first in (FirstCall(True), FirstCall(False))
    )
    gains = taken - passed
    assert 0.1 < takes.mean() < 0.9
    there, elsewhere = gains[takes], gains[~takes]
    error = np.hypot(*(each.std() / np.sqrt(len(each)) for each in (there, elsewhere)))
    assert there.mean() > 10 * there.std() / np.sqrt(len(there))
    assert there.mean() - elsewhere.mean() > 5 * error
