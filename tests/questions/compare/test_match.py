"""Counts of the deals of two policies, against records read one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.match import LARGEST_LEADS_KEPT, MatchTally, PairedMatch
from kqj_sim.record import Record
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.games.every import SHARED
from tests.variants import OTHER_GAMES

DEALS = 120


def make_match(rules: GameRules, with_field: bool = False, **more: Any) -> PairedMatch:
    """Return a match of two players whose rounds differ, against each other or a field."""
    shared = SHARED[rules.game]
    one, other = (parse_player(each, rules.game) for each in shared.PAIR)
    field = parse_player(shared.FIELD, rules.game) if with_field else None
    return PairedMatch(rules, (one, other), field, **more)


CONTESTS = {
    "two teams": make_match(KqjRules()),
    "three teams": make_match(KqjRules(teams=3), seed=4),
    "random partners": make_match(KqjRules(partners="random"), first=7),
    "auction": make_match(KqjRules(bidding="auction")),
    "field": make_match(KqjRules(), with_field=True),
    "three teams, field": make_match(KqjRules(teams=3), with_field=True),
    **{title: make_match(rules) for title, rules in OTHER_GAMES.items()},
    **{f"{title}, field": make_match(each, with_field=True) for title, each in OTHER_GAMES.items()},
}
every_contest = pytest.mark.parametrize("contest", CONTESTS.values(), ids=CONTESTS)


def played(
    contest: PairedMatch, deals: int, threads: int = 1, chunk: int | None = None
) -> MatchTally:
    """All that is counted of the first deals."""
    sums = MatchTally.empty(contest.names)
    for part in contest.play(contest.first, deals, threads, chunk):
        sums.add(part)
    return sums


def side_means(record: Record, numbers: list[int], sides: tuple[int, ...]) -> list[float]:
    """The mean over the seats of each side of a number a team."""
    return [
        float(np.mean([numbers[record.teams[s]] for s in range(len(sides)) if sides[s] == side]))
        for side in (0, 1)
    ]


@every_contest
def test_counts_agree_with_records(contest: PairedMatch) -> None:
    wanted = {name: 0.0 for name in contest.names}
    leads = np.zeros(DEALS)
    seatings = contest.arrangements
    for number, experiment in enumerate(contest.make_experiments(contest.first, DEALS)):
        sides = seatings[number % len(seatings)]
        first_half = number < len(seatings)
        for record in play_records(experiment):
            assert record.deal is not None
            sign = contest.rules.score_sign
            scores = [sign * mean for mean in side_means(record, record.scores, sides)]
            bonuses = side_means(
                record,
                [
                    total - cards
                    for total, cards in zip(record.totals, record.card_points, strict=True)
                ],
                sides,
            )
            lead = scores[0] - scores[1]
            wanted[f"single {number}"] += lead
            leads[record.deal - contest.first] += lead if first_half else -lead
            takers = [(0, 0), (1, 1)] if contest.opponents is None else [(1 - first_half, 0)]
            for policy, side in takers:
                own = record.sender is not None and sides[record.sender] == side
                ahead = lead if side == 0 else -lead
                # Nobody but the caller loses by a tie; a litigation is undecided.
                failed = own and record.result in ("failed", "tie")
                wanted[f"{policy} takes"] += own
                wanted[f"{policy} made"] += own and record.result == "made"
                wanted[f"{policy} failed"] += failed
                wanted[f"{policy} won"] += ahead * (own and record.result == "made")
                wanted[f"{policy} lost"] -= ahead * failed
                wanted[f"{policy} defended"] += ahead * (record.sender is not None and not own)
                wanted[f"{policy} bonuses"] += bonuses[side]
                wanted[f"{policy} score"] += scores[side]
                wanted[f"{policy} passed_out"] += record.sender is None
    sums = played(contest, DEALS)
    assert sums.deals == DEALS
    arrangements = len(seatings)
    for name in contest.names:
        if name == "differs":
            continue
        counted = name.split()[-1] in ("takes", "made", "failed", "passed_out")
        found = (
            sums.total(name) if counted else sums.total(name) * arrangements / contest.lead_divisor
        )
        expected = leads.sum() if name == "lead" else wanted[name]
        assert found == pytest.approx(expected), name
    spread = sums.summarize("lead")[2] * (arrangements / contest.lead_divisor) ** 2
    assert spread == pytest.approx(float(leads @ leads))
    order = [int(at) for at in np.lexsort((np.arange(DEALS), -np.abs(leads).round(6)))]
    largest = [contest.first + at for at in order[:LARGEST_LEADS_KEPT] if leads[at] != 0]
    assert [deal for deal, _ in sums.largest_leads] == largest
    assert sum(sums.leads.values()) == DEALS


@every_contest
def test_deals_differ_by_any_call_or_card(contest: PairedMatch) -> None:
    rounds = [
        [(record.calls, record.tricks) for record in play_records(each)]
        for each in contest.make_experiments(contest.first, DEALS)
    ]
    half = len(rounds) // 2
    expected = 0
    for deal in range(DEALS):
        courses = [each[deal] for each in rounds]
        expected += (
            any(course != courses[0] for course in courses)
            if contest.opponents is None
            else courses[:half] != courses[half:]
        )
    assert played(contest, DEALS).total("differs") == expected > 0


@every_contest
def test_a_policy_against_itself_differs_in_nothing(contest: PairedMatch) -> None:
    sums = played(replace(contest, players=contest.players[:1] * 2), 500)
    assert sums.leads == {0: 500}
    assert sums.total("differs") == 0
    assert sums.largest_leads == []


@every_contest
def test_threads_and_chunks_cannot_be_seen(contest: PairedMatch) -> None:
    whole, parts = played(contest, 400), played(contest, 400, threads=2, chunk=33)
    assert np.array_equal(whole.moments.products, parts.moments.products)
    assert np.array_equal(whole.moments.sums, parts.moments.sums)
    assert (whole.leads, whole.largest_leads) == (parts.leads, parts.largest_leads)


@every_contest
def test_the_other_way_round_is_exactly_opposite(contest: PairedMatch) -> None:
    there, back = played(contest, 400), played(replace(contest, players=contest.players[::-1]), 400)
    assert there.total("lead") == -back.total("lead") != 0
    assert there.summarize("lead")[2] == back.summarize("lead")[2]
    assert {-lead: count for lead, count in there.leads.items()} == dict(back.leads)
    assert [(deal, -lead) for deal, lead in there.largest_leads] == back.largest_leads
    for name in ("takes", "won", "lost", "defended", "bonuses", "score"):
        assert there.total(f"0 {name}") == back.total(f"1 {name}")


@every_contest
def test_lead_is_won_lost_and_defended_points(contest: PairedMatch) -> None:
    """But for litigations, in which nobody scores with two teams."""
    if contest.rules.team_count == 3:
        pytest.skip("a litigation of three teams has gratuities")
    sums = played(contest, 1000)
    parts = [
        sums.total(f"{side} won") - sums.total(f"{side} lost") + sums.total(f"{side} defended")
        for side in (0, 1)
    ]
    if contest.opponents is None:
        assert parts == [sums.total("lead"), -sums.total("lead")]
    else:
        assert parts[0] - parts[1] == sums.total("lead")


@pytest.mark.parametrize(
    "rules",
    [KqjRules(target=300), KqjRules(partners="random", target=300), *OTHER_GAMES.values()],
    ids=str,
)
@pytest.mark.parametrize("with_field", [False, True])
def test_games_count_by_who_wins_them(rules: GameRules, with_field: bool) -> None:
    contest = make_match(rules, with_field, games=True)
    games, seats = 40, rules.seats
    expected, rounds = 0.0, 0
    for number, players in enumerate(contest.list_seatings()):
        experiment = Experiment(rules, players, games=games)
        ended = simulate(experiment, threads=1).finished_games
        assert ended is not None
        sides = contest.arrangements[number % len(contest.arrangements)]
        is_random = rules.partners == "random"
        teams = [seat if is_random else seat % rules.team_count for seat in range(seats)]
        for winner in ended.winner:
            won = [float(winner == team) for team in teams]
            shares = [np.mean([won[s] for s in range(seats) if sides[s] == k]) for k in (0, 1)]
            lead = float(shares[0] - shares[1])
            expected += lead if number < len(contest.arrangements) else -lead
        rounds += int(ended.rounds.sum()) if number < len(contest.arrangements) else 0
    sums = played(contest, games, threads=2, chunk=7)
    assert sums.deals == games
    assert sums.total("lead") / contest.lead_divisor * len(contest.arrangements) == pytest.approx(
        expected
    )
    assert sums.total("0 rounds") == rounds
