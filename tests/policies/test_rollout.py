"""`rollout`: what it supposes of the others' cards, and whether its calls gain."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CONTRACT,
    LAST_BIDS,
    OPENING_AMOUNT,
    PLAYERS,
    SEATS,
    SENDER,
    STAKE,
    allocate_block,
)
from kqj_sim.core.cards import PACK
from kqj_sim.core.round import THREE_TEAMS, TWO_TEAMS
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.encode import encode_rules
from kqj_sim.experiment import Experiment
from kqj_sim.imposed import ImposedFirstCall
from kqj_sim.policies.hidden_hands import deal_auction, pick_counterer, view_last_call
from kqj_sim.policies.points import FITTED, points
from kqj_sim.rows import Rows
from kqj_sim.rules import KqjRules
from kqj_sim.simulation import simulate
from tests.core.coding import bits
from tests.policies.hands import GOOD_HAND, parse_cards
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2

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
    state = allocate_block()
    state[PLAYERS], state[SENDER], state[STAKE] = players, bidder, 2
    draws = 3000
    found = [pick_counterer(state, 0, rng.draw(SEED, k), teams) for k in range(draws)]
    counts = np.bincount(found, minlength=SEATS)
    own = (players >> 9 * bidder) & 3
    opponents = [place for place in range(SEATS) if (players >> 9 * place) & 3 != own]
    expected = draws / len(opponents)
    for place in range(SEATS):
        wanted = expected if place in opponents else 0
        assert abs(counts[place] - wanted) < 5 * np.sqrt(expected) * (place in opponents) + 1
    state[STAKE] = 1
    assert pick_counterer(state, 0, rng.draw(SEED, 0), teams) == -1


def test_hidden_cards_of_an_auction_are_dealt_once_and_bidders_have_trumps() -> None:
    """Place 1 has bid hearts; the hands of the neighbours are drawn apart from that."""
    state, hands = allocate_block(), np.zeros(2 * SEATS, dtype=np.int64)
    state[PLAYERS], state[SENDER], state[STAKE], state[CONTRACT] = TWO_TEAMS, 1, 1, 1
    state[LAST_BIDS] = (130 // 10 << 3 | 1 + 1) << 10
    own, hearts = bits(parse_cards(GOOD_HAND.replace("h", "d"))), 0xFFF << 16
    held = np.zeros((1000, SEATS))
    for k in range(len(held)):
        deal_auction(state, 0, hands, 0, own, rng.draw(SEED, k), 2, encode_rules(AUCTION_2))
        assert hands[0] == own and not hands[SEATS:].any()
        assert [int(hand).bit_count() for hand in hands[:SEATS]] == [8] * SEATS
        assert np.bitwise_or.reduce(hands) == PACK
        held[k] = [(int(hand) & hearts).bit_count() for hand in hands[:SEATS]]
    assert held[:, 1].mean() > 1.2 * held[:, 2:].mean()
    # What one has the others lack.
    for other in range(2, SEATS):
        assert np.corrcoef(held[:, 1], held[:, other])[0, 1] < -0.05


@pytest.mark.parametrize(("opening", "least"), [(120, 0.95), (130, 0.1)])
def test_hidden_hands_would_have_called_as_their_places_did(opening: int, least: float) -> None:
    """Place 0 opens in hearts, place 1 bids 10 more in clubs, place 2 passes; place 3 is asked."""
    rules = encode_rules(AUCTION_2)
    state, hands = allocate_block(), np.zeros(2 * SEATS, dtype=np.int64)
    state[PLAYERS], state[SENDER], state[STAKE], state[CONTRACT] = TWO_TEAMS, 1, 1, 3
    state[OPENING_AMOUNT], state[AMOUNT] = opening, opening + 10
    bids = ((opening // 10) << 3 | 1 + 1, (opening // 10 + 1) << 3 | 3 + 1)
    state[LAST_BIDS] = bids[0] | bids[1] << 10
    own = bits(parse_cards("As Ts 7d 4d 5d 6d 4s 5s"))
    choose, _ = points.compile_decision("bid")
    calls = bid_code(opening, 1, 0), bid_code(opening + 10, 3, 0), PASS
    agreeing = np.zeros(len(calls))
    draws = 300
    for k in range(draws):
        deal_auction(state, 0, hands, 3, own, rng.draw(SEED, k), 3, rules)
        for place, call in enumerate(calls):
            view = view_last_call(state, 0, place, 3, rules)._replace(hand=int(hands[place]))
            agreeing[place] += choose(view, FITTED) == call
    # Of random hands one in two hundred jumps to 130: the best of those drawn often has to do.
    assert agreeing[0] > least * draws
    assert agreeing[1] > 0.6 * draws
    assert agreeing[2] == draws


@pytest.mark.parametrize("rules", [AUCTION_2, AUCTION_3], ids=["two teams", "three teams"])
def test_few_playouts_do_not_call_worse_than_points(rules: KqjRules) -> None:
    """The call that looks best in a few deals is made only if others confirm it."""
    seats = ("rollout:worlds=8+greedy", "points+greedy", "points+greedy")
    places = tuple(seats[seat % rules.teams] for seat in range(SEATS))
    rows = simulate(Experiment(rules, places, 200, SEED))
    same = simulate(Experiment(rules, ("points+greedy",) * SEATS, 200, SEED))
    leads = _lead_of_team_0(rows, rules) - _lead_of_team_0(same, rules)
    assert leads.any()
    assert leads.mean() > -2.5 * leads.std() / np.sqrt(len(leads))


def _lead_of_team_0(rows: Rows, rules: KqjRules) -> np.ndarray:
    """Return the score of seat 0's team minus the mean of the other teams, shape (deals,)."""
    scores = np.array([rows.column(f"score_{team}") for team in range(rules.teams)], dtype=float)
    return np.asarray(scores[0] - scores[1:].mean(axis=0))


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
    rollout = ("rollout:worlds=16,player=greedy,calling=never+greedy",) * SEATS
    own = simulate(Experiment(TAKE_2, rollout, deals, SEED))
    takes = (own.column("lap") == 1) & (own.column("place") == 0)
    taken, passed = (
        _worth(simulate(Experiment(TAKE_2, ("points+greedy",) * SEATS, deals, SEED, imposed=first)))
        for first in (ImposedFirstCall(True), ImposedFirstCall(False))
    )
    gains = taken - passed
    assert 0.1 < takes.mean() < 0.9
    there, elsewhere = gains[takes], gains[~takes]
    error = np.hypot(*(each.std() / np.sqrt(len(each)) for each in (there, elsewhere)))
    assert there.mean() > 10 * there.std() / np.sqrt(len(there))
    assert there.mean() - elsewhere.mean() > 5 * error
