"""Arrangements of the sides, and what is measured of a deal, against records read one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.core.types import Int64Array
from kqj_sim.games import find_game
from kqj_sim.paired.match import (
    LARGEST_LEADS_KEPT,
    Arrangement,
    LeadTally,
    Match,
    assign_players,
    compute_lead_divisor,
    list_arrangements,
)
from kqj_sim.policies.players import parse_player
from kqj_sim.record import Record
from kqj_sim.rules import SEATS, GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals, simulate
from tests.games.every import SHARED
from tests.variants import LIVELY, OTHER_GAMES
from tools.leads import iterate_lead_chunks, measure_lead

DEALS = 120
RULES: dict[str, GameRules] = {
    "two": KqjRules(),
    "three": KqjRules(teams=3),
    "random": KqjRules(partners="random"),
    "auction": KqjRules(bidding="auction"),
    "random three auction": KqjRules(teams=3, partners="random", bidding="auction"),
    **OTHER_GAMES,
}


def make_match(rules: GameRules, has_opponents: bool = False, **others: Any) -> Match:
    """Return the match of two players whose rounds differ, against a third or each other."""
    shared = SHARED[rules.game]
    one, other, third = (parse_player(name, rules.game) for name in (*shared.PAIR, shared.FIELD))
    opponents = third if has_opponents else None
    return Match(rules, (one, other), opponents, **{"seed": 4, "is_pair": True, **others})


MATCHES = {
    **{name: make_match(rules) for name, rules in RULES.items()},
    **{f"{name}, field": make_match(RULES[name], True) for name in ("two", "three", *OTHER_GAMES)},
}
every_table = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
every_match = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)


def play(
    match: Match, deals: int, first: int = 7, threads: int = 1, chunk: int | None = None
) -> LeadTally:
    tally = match.make_tally()
    for part in match.play(first, deals, threads, chunk):
        tally.add(part)
    return tally


def mean_by_side(record: Record, by_team: list[int], sides: Arrangement) -> NDArray[np.float64]:
    by_seat = np.array([by_team[team] for team in record.teams])
    return np.array([by_seat[np.array(sides) == side].mean() for side in (0, 1)])


@every_table
def test_each_side_holds_all_cards_as_often(rules: GameRules) -> None:
    arrangements = list_arrangements(rules)
    assert len({*arrangements}) == len(arrangements)
    for sides in arrangements:
        assert tuple(1 - side for side in sides) in arrangements
        if rules.partners == "fixed":
            for team in range(rules.team_count):
                assert len({*sides[team :: rules.team_count]}) == 1
    for side in (0, 1):
        shares = Counter(
            sum(sides[seat] == side for sides in arrangements) for seat in range(rules.seats)
        )
        assert shares == {len(arrangements) // 2: rules.seats}


@every_table
def test_one_team_alone_holds_all_cards_as_often(rules: GameRules) -> None:
    arrangements = list_arrangements(rules, single_team=True)
    assert {*arrangements} <= {*list_arrangements(rules)}
    sizes = {sides.count(0) for sides in arrangements}
    teams = 2 if rules.partners == "random" else rules.team_count
    assert sizes == {rules.seats // teams}
    assert {sum(sides[seat] == 0 for sides in arrangements) for seat in range(rules.seats)} == {1}


@every_table
@pytest.mark.parametrize("alone", [False, True])
def test_leads_of_deals_agree_with_records(rules: GameRules, alone: bool) -> None:
    arrangements, (one, other) = list_arrangements(rules, alone), SHARED[rules.game].PAIR
    expected = np.zeros(DEALS)
    for sides in arrangements:
        seated = assign_players(sides, one, other)
        for record in play_records(Experiment(rules, seated, DEALS, 23)):
            own, others = mean_by_side(record, record.scores, sides)
            expected[record.deal] += rules.score_sign * (own - others) / len(arrangements)
    leads = np.concatenate([*iterate_lead_chunks(rules, one, other, DEALS, 23, single_team=alone)])
    assert leads / compute_lead_divisor(arrangements) == pytest.approx(expected)
    assert measure_lead(rules, one, other, DEALS, 23, single_team=alone) == pytest.approx(
        (expected.mean(), expected.std(ddof=1) / np.sqrt(DEALS))
    )


def measure_record(record: Record, sides: Arrangement, side: int) -> dict[str, float]:
    rules = record.game_rules()
    scores = rules.score_sign * mean_by_side(record, record.scores, sides)
    bonuses = np.subtract(record.totals, record.card_points)
    if "total_0" not in {column.name for column in find_game(record.game).columns}:
        bonuses *= 0
    takes = record.sender is not None and sides[record.sender] == side
    made = takes and record.result == "made"
    # A tie costs the caller a point; KQJ has none.
    failed = takes and record.result in ("failed", "tie")
    lead = scores[side] - scores[1 - side]
    return {
        "takes": takes,
        "made": made,
        "failed": failed,
        "won": lead * made,
        "lost": -lead * failed,
        "defended": lead * (record.sender is not None and not takes),
        "bonuses": mean_by_side(record, list(bonuses), sides)[side],
        "score": scores[side],
        "passed_out": record.sender is None,
    }


@every_match
def test_tallies_agree_with_records(match: Match) -> None:
    rounds, pairs = len(match.arrangements), match.opponents is None
    leads, singles = np.zeros(DEALS), np.zeros((len(match.list_seatings()), DEALS))
    measures: list[Counter[str]] = [Counter(), Counter()]
    for number, experiment in enumerate(match.make_experiments(7, DEALS)):
        sides, player = match.arrangements[number % rounds], number // rounds
        for record in play_records(experiment):
            own, others = mean_by_side(record, record.scores, sides)
            lead = match.rules.score_sign * (own - others)
            singles[number, record.deal - 7] = lead
            leads[record.deal - 7] += lead if player == 0 else -lead
            for policy, side in ((0, 0), (1, 1)) if pairs else ((player, 0),):
                measures[policy].update(measure_record(record, sides, side))
    tally = play(match, DEALS)
    points = match.lead_divisor / rounds
    assert tally.deals == DEALS == sum(tally.distribution.values())
    assert tally.singles.sums[:, 0] == pytest.approx(singles.sum(axis=1) * points)
    assert tally.singles.products[:, 0, 0] == pytest.approx((singles**2).sum(axis=1) * points**2)
    for policy, name in np.ndindex(2, len(match.measures)):
        measure = match.measures[name]
        scale = 1 if measure in ("takes", "made", "failed", "passed_out") else points
        expected = measures[policy][measure] * scale
        assert tally.measures.sums[policy, name] == pytest.approx(expected), measure
    distribution = Counter(np.rint(leads * points).astype(int).tolist())
    assert tally.distribution == distribution
    order = np.lexsort((np.arange(DEALS), -np.abs(leads).round(6)))[:LARGEST_LEADS_KEPT]
    largest = [(7 + at, round(leads[at] * points)) for at in order if leads[at] != 0]
    assert tally.largest == largest


@pytest.mark.parametrize(
    "match", [match for match in MATCHES.values() if match.opponents is not None]
)
def test_few_measures_are_those_of_a_pair(match: Match) -> None:
    whole, few = play(match, DEALS), play(replace(match, is_pair=False), DEALS)
    assert np.array_equal(few.leads.products, whole.leads.products)
    assert np.array_equal(few.singles.products, whole.singles.products)
    assert np.array_equal(few.measures.products, whole.measures.products[:, :2, :2])
    assert not few.distribution and not few.largest
    one = play(replace(match, players=match.players[1:], is_pair=False), DEALS)
    assert one.leads.summarize(0) == few.leads.summarize(1)


@every_match
def test_deals_differ_by_any_call_or_card(match: Match) -> None:
    rounds = [
        [(record.calls, record.tricks) for record in play_records(experiment)]
        for experiment in match.make_experiments(7, DEALS)
    ]
    half = len(rounds) // 2
    expected = 0
    for courses in zip(*rounds, strict=True):
        is_pair = match.opponents is None
        expected += len({*map(repr, courses)}) > 1 if is_pair else courses[:half] != courses[half:]
    assert play(match, DEALS).differing == expected > 0
    with_itself = play(replace(match, players=match.players[:1] * 2), 500)
    assert with_itself.distribution == {0: 500}
    assert (with_itself.differing, with_itself.largest) == (0, [])


@every_match
def test_threads_and_chunks_cannot_be_seen(match: Match) -> None:
    whole, parts = play(match, 400), play(match, 400, threads=2, chunk=33)
    for name in ("leads", "singles", "measures"):
        for moments in ("sums", "products"):
            one, other = (getattr(getattr(tally, name), moments) for tally in (whole, parts))
            assert np.array_equal(one, other)
    for name in ("differing", "distribution", "largest"):
        assert getattr(whole, name) == getattr(parts, name)


@every_match
def test_the_other_way_round_is_exactly_opposite(match: Match) -> None:
    there, back = play(match, 400), play(replace(match, players=match.players[::-1]), 400)
    assert {-lead: count for lead, count in there.distribution.items()} == dict(back.distribution)
    assert {*there.distribution} != {0}
    assert [(deal, -lead) for deal, lead in there.largest] == back.largest
    assert np.array_equal(there.measures.products, back.measures.products[::-1])


@pytest.mark.parametrize(
    "match", [match for match in MATCHES.values() if match.rules.team_count == 2]
)
def test_lead_is_won_lost_and_defended_points(match: Match) -> None:
    """But for litigations of three teams, which have gratuities."""
    tally = play(match, 1000)
    won, lost, defended = (match.measures.index(name) for name in ("won", "lost", "defended"))
    sums = tally.measures.sums
    parts = sums[:, won] - sums[:, lost] + sums[:, defended]
    leads: Int64Array = tally.leads.sums
    assert np.array_equal(parts, [leads[0], -leads[0]] if match.opponents is None else leads)


@pytest.mark.parametrize("has_opponents", [False, True])
@pytest.mark.parametrize(
    "rules",
    [KqjRules(target=300), KqjRules(target=300, partners="random"), *OTHER_GAMES.values()],
    ids=str,
)
def test_games_count_by_who_wins_them(rules: GameRules, has_opponents: bool) -> None:
    match = make_match(rules, has_opponents, games=True)
    games, seats = 40, range(rules.seats)
    wins, rounds = np.zeros(2), np.zeros(2)
    leads = np.zeros(2)
    for number, players in enumerate(match.list_seatings()):
        ended = simulate(Experiment(rules, players, seed=4, games=games), 1).finished_games
        assert ended is not None
        sides = np.array(match.arrangements[number % len(match.arrangements)])
        player = number // len(match.arrangements)
        teams = [
            seat if rules.partners == "random" else rules.fixed_team_of(seat) for seat in seats
        ]
        won = np.array([[winner == team for team in teams] for winner in ended.winner])
        shares = [won[:, sides == side].mean(axis=1).sum() for side in (0, 1)]
        leads[player] += shares[0] - shares[1]
        for policy, side in ((player, 0),) if has_opponents else ((0, 0), (1, 1)):
            wins[policy] += shares[side]
            rounds[policy] += ended.rounds.sum()
    tally = play(match, games, first=0, threads=2, chunk=7)
    points = match.lead_divisor / len(match.arrangements)
    assert tally.deals == games
    assert tally.leads.sums == pytest.approx(leads[: len(tally.leads.sums)] * points)
    assert tally.measures.sums[:, 0] == pytest.approx(wins * points)
    assert tally.measures.sums[:, 2] == pytest.approx(rounds)


def test_rows_are_marked_only_if_asked_for() -> None:
    """That they tell rounds apart is tested by the deals that differ."""
    experiment = Experiment(deals=10, players=(LIVELY,) * SEATS)

    def get_marks(played: tuple[Rows, ...]) -> Int64Array | None:
        return played[0].fingerprints

    assert [*play_same_deals([experiment], get_marks)] == [None]
    (marks,) = play_same_deals([experiment], get_marks, chunk=10, with_fingerprints=True)
    assert marks is not None and len({*marks.tolist()}) == 10
