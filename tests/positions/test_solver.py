"""The solver of rounds with all cards open, against the referee and against itself."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from kqj_sim.cards import SUITS, Card
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import score_plays
from kqj_sim.positions.solver import Solver
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import SEATS, KqjRules
from tests.positions.plain_search import (
    find_lead_by_alpha_beta,
    find_lead_by_trying_all,
    is_lead_of,
    play_endings,
)
from tests.slow import slow_after, slow_rows_after
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3, VARIANTS

SOLVER = Solver()


def measure_lead(position: Position) -> float:
    """Return the contracting team's lead over the mean of the others, of a round that is over."""
    score = score_plays(position)
    assert score is not None
    own = position.teams[position.contract.sender]
    others = [points for team, points in enumerate(score.scores) if team != own]
    return score.scores[own] - sum(others) / len(others)


def add_card(position: Position, card: Card) -> Position:
    return replace(position, plays=(*position.plays, card))


def is_contracting(position: Position) -> bool:
    return position.teams[position.seat] == position.teams[position.contract.sender]


def find_lead_by_trying(position: Position) -> float:
    """Return the lead by trying every play with the referee."""
    if position.is_over:
        return measure_lead(position)
    leads = [find_lead_by_trying(add_card(position, card)) for card in position.legal_cards]
    return max(leads) if is_contracting(position) else min(leads)


def solve(position: Position) -> float:
    SOLVER.load(position)
    return SOLVER.find_lead()


@pytest.mark.parametrize("rules", slow_after(4, VARIANTS.values()), ids=VARIANTS)
def test_endings_of_two_cards_as_the_referee_plays_them(rules: KqjRules) -> None:
    for position in play_endings(rules, 2, 12):
        assert solve(position) == find_lead_by_trying(position), position


@pytest.mark.slow
@pytest.mark.parametrize("rules", [TAKE_2, TAKE_3, AUCTION_2, AUCTION_3])
def test_endings_of_one_to_three_cards_as_the_referee_plays_them(rules: KqjRules) -> None:
    for cards_left, deals in ((1, 300), (2, 100), (3, 4)):
        for position in play_endings(rules, cards_left, deals, seed=2):
            assert solve(position) == find_lead_by_trying(position), position


@pytest.mark.slow
@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2])
def test_endings_of_one_to_four_cards_as_a_search_of_every_play_finds(rules: KqjRules) -> None:
    for cards_left, deals in ((1, 1000), (2, 1000), (3, 300), (4, 3)):
        for position in play_endings(rules, cards_left, deals, seed=4):
            assert find_lead_by_trying_all(position) == solve(position), position


@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2])
@pytest.mark.parametrize(("cards_left", "deals"), slow_rows_after(1, [(4, 40), (5, 300), (6, 10)]))
def test_endings_of_four_to_six_cards_as_alpha_beta_without_a_table_finds(
    rules: KqjRules, cards_left: int, deals: int
) -> None:
    for position in play_endings(rules, cards_left, deals, seed=5):
        assert find_lead_by_alpha_beta(position) == solve(position), position


@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_2, TAKE_2]))
def test_whole_deals_have_the_leads_that_a_slow_search_confirmed(rules: KqjRules) -> None:
    positions = list(play_endings(rules, 8, 300, seed=23))
    text = Path(__file__).with_name("whole_deals.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["bidding"] == rules.bidding]
    assert len(rows) > 30
    for row in rows:
        assert solve(positions[int(row["number"])]) == float(row["lead"]), row


def test_who_must_beat_may_have_to_play_a_sure_trump() -> None:
    position = next(islice(play_endings(TAKE_2, 5, 150, seed=22), 114, None))
    assert solve(position) == find_lead_by_alpha_beta(position)


def test_a_search_with_a_table_knows_the_lead_from_others() -> None:
    for position in play_endings(TAKE_2, 4, 12, seed=6):
        lead = find_lead_by_alpha_beta(position)
        assert is_lead_of(position, lead, 10)
        assert not is_lead_of(position, lead + 10, 10)
        assert not is_lead_of(position, lead - 10, 10)


def check_whole_line(position: Position) -> None:
    """Check that the best card keeps the lead, and no card betters it, up to the last one.

    Every lead on the way is compared with those after each card, so that an error in any of them
    shows, and the last one with the referee's score.
    """
    lead = solve(position)
    while not position.is_over:
        SOLVER.load(position)
        after = dict(SOLVER.rate_cards())
        assert {*after} == {*position.legal_cards}
        best = max(after.values()) if is_contracting(position) else min(after.values())
        assert best == lead, position
        position = add_card(position, next(card for card in after if after[card] == best))
    assert measure_lead(position) == lead


@pytest.mark.parametrize("rules", slow_after(4, VARIANTS.values()), ids=VARIANTS)
def test_each_turn_of_an_ending_of_four_cards_agrees_with_the_next(rules: KqjRules) -> None:
    for position in play_endings(rules, 4, 4):
        check_whole_line(position)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [TAKE_2, AUCTION_2])
def test_each_turn_of_an_ending_of_six_cards_agrees_with_the_next(rules: KqjRules) -> None:
    for position in play_endings(rules, 6, 20):
        check_whole_line(position)


def turn_seats(position: Position, steps: int) -> Position:
    """Return the round with everybody moved some seats on."""
    order = [(seat - steps) % SEATS for seat in range(SEATS)]
    return replace(
        position,
        dealer=(position.dealer + steps) % SEATS,
        teams=tuple(position.teams[seat] for seat in order),
        hands=tuple(position.hands[seat] for seat in order),
        calls=None,
        final_contract=move_sender(position.contract, steps),
    )


def move_sender(contract: FinalContract, steps: int) -> FinalContract:
    return contract._replace(sender=(contract.sender + steps) % SEATS)


def rename_suits(position: Position) -> Position:
    """Return the round with each suit called by the name of the next."""
    names = dict(zip(SUITS, SUITS[1:] + SUITS[:1], strict=True))

    def rename(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(Card(rank, names[suit]) for rank, suit in cards)

    contract = position.contract
    renamed = contract._replace(contract=names.get(contract.contract, contract.contract))
    return replace(
        position,
        upcard=None,
        calls=None,
        final_contract=renamed,
        hands=tuple(map(rename, position.hands)),
        plays=rename(position.plays),
    )


@pytest.mark.parametrize("rules", [TAKE_2, TAKE_3, AUCTION_2])
def test_turned_seats_and_renamed_suits_change_nothing(rules: KqjRules) -> None:
    for position in play_endings(rules, 5 if rules.teams == 2 else 4, 8):
        lead = solve(position)
        assert solve(turn_seats(position, 1)) == lead
        assert solve(rename_suits(position)) == lead


def test_a_small_table_and_questions_in_another_order_change_nothing() -> None:
    small = Solver(table_bits=4)
    for position in play_endings(TAKE_2, 5, 12):
        lead = solve(position)
        small.load(position)
        assert small.find_lead() == lead
        small.load(position)
        assert small.reaches(lead)
        assert not small.reaches(lead + 10)


@pytest.mark.slow
def test_endings_of_seven_cards_are_solved_the_same_with_a_small_table() -> None:
    small = Solver(table_bits=14)
    for position in play_endings(TAKE_2, 7, 6):
        small.load(position)
        assert small.find_lead() == solve(position)
