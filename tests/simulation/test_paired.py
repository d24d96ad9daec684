"""Duplicate deals: how sides are seated, what a deal is worth, and when two rounds are the same."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kqj_sim.rules import SEATS, GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.paired import (
    assign_players,
    compute_lead_divisor,
    list_arrangements,
)
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals
from tests.games.every import SHARED
from tests.variants import LIVELY, OTHER_GAMES
from tools.leads import iterate_lead_chunks, measure_lead

RULES = {
    "two": KqjRules(),
    "three": KqjRules(teams=3),
    "random": KqjRules(partners="random"),
    "auction": KqjRules(bidding="auction"),
    "random three auction": KqjRules(teams=3, partners="random", bidding="auction"),
    **OTHER_GAMES,
}
DEALS, SEED = 300, 23

every_table = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


def name_pair(rules: GameRules) -> tuple[str, str]:
    """Return two players whose rounds differ."""
    pair: tuple[str, str] = SHARED[rules.game].PAIR
    return pair


@every_table
def test_each_side_holds_all_cards_as_often(rules: GameRules) -> None:
    seatings = list_arrangements(rules)
    assert len({*seatings}) == len(seatings)
    for seats in seatings:
        assert tuple(1 - side for side in seats) in seatings
        if rules.partners == "fixed":
            sides = [{*seats[team :: rules.team_count]} for team in range(rules.team_count)]
            assert all(len(side) == 1 for side in sides)
    for side in (0, 1):
        shares = Counter(of_seat.count(side) for of_seat in zip(*seatings, strict=True))
        assert shares == {len(seatings) // 2: rules.seats}


@every_table
def test_one_team_alone_holds_all_cards_as_often(rules: GameRules) -> None:
    seatings = list_arrangements(rules, single_team=True)
    assert {*seatings} <= {*list_arrangements(rules)}
    sizes = {seats.count(0) for seats in seatings}
    assert sizes == {3 if rules.partners == "random" else rules.seats // rules.team_count}
    assert {sum(seats[seat] == 0 for seats in seatings) for seat in range(rules.seats)} == {1}


@every_table
@pytest.mark.parametrize("alone", [False, True])
def test_leads_of_deals_agree_with_records(rules: GameRules, alone: bool) -> None:
    pair = name_pair(rules)
    seatings = list_arrangements(rules, alone)
    expected = np.zeros(DEALS)
    for seats in seatings:
        for record in play_records(Experiment(rules, assign_players(seats, *pair), DEALS, SEED)):
            assert record.deal is not None
            scores = [record.scores[team] for team in record.teams]
            means = [
                np.mean([scores[seat] for seat in range(rules.seats) if seats[seat] == side])
                for side in (0, 1)
            ]
            ahead = rules.score_sign * (means[0] - means[1])
            expected[record.deal] += ahead / len(seatings)
    found = np.concatenate([*iterate_lead_chunks(rules, *pair, DEALS, SEED, single_team=alone)])
    assert found / compute_lead_divisor(seatings) == pytest.approx(expected)
    lead = measure_lead(rules, *pair, DEALS, SEED, single_team=alone)
    assert lead == pytest.approx((expected.mean(), expected.std(ddof=1) / np.sqrt(DEALS)))


@every_table
def test_threads_chunks_and_order_do_not_matter(rules: GameRules) -> None:
    pair = name_pair(rules)
    whole = np.concatenate([*iterate_lead_chunks(rules, *pair, DEALS, SEED, 5)])
    parts = np.concatenate(
        [*iterate_lead_chunks(rules, *pair[::-1], DEALS, SEED, 5, threads=2, chunk=37)]
    )
    assert np.any(whole != 0)
    assert np.array_equal(whole, -parts)


@every_table
def test_marks_tell_whether_rounds_differ(rules: GameRules) -> None:
    """Of two seatings, against the calls and cards of the records."""
    pair = name_pair(rules)
    seatings = list_arrangements(rules)[:2]
    experiments = [
        Experiment(rules, assign_players(seats, *pair), DEALS, SEED) for seats in seatings
    ]

    def different(played: tuple[Rows, ...]) -> list[bool]:
        one, other = (rows.fingerprints for rows in played)
        assert one is not None and other is not None
        return list(one != other)

    chunks = play_same_deals(experiments, different, 2, 100, with_fingerprints=True)
    found = [each for chunk in chunks for each in chunk]
    there, back = (list(play_records(each)) for each in experiments)
    expected = [
        one.calls != other.calls or one.tricks != other.tricks
        for one, other in zip(there, back, strict=True)
    ]
    assert found == expected
    assert 0 < sum(expected) < DEALS


def test_rows_are_not_marked_unless_asked_for() -> None:
    experiment = Experiment(deals=10, players=(LIVELY,) * SEATS)
    assert [*play_same_deals([experiment], lambda played: played[0].fingerprints)] == [None]
