"""Comparisons and sweeps of Kwajongen, against the records."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.policies.players import Player, parse_player
from kqj_sim.questions.compare import sweep, tune
from kqj_sim.questions.compare.match import MatchTally, PairedMatch
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.paired import (
    assign_players,
    compute_lead_divisor,
    list_arrangements,
)
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.comparisons import compare
from tools.leads import iterate_lead_chunks

RULES = KwajongenRules()
BOLD, SHY, FIELD = (
    parse_player(f"random:accept={share}", "kwajongen") for share in ("0.7", "0.2", "0.4")
)
DEALS, SEED = 400, 23


def worth(scores: list[int], side: int) -> int:
    """Return the rise of the others' score in a round less that of the side's own."""
    return scores[1 - side] - scores[side]


def test_two_fixed_teams_hold_the_cards_of_each_other() -> None:
    assert list_arrangements(RULES) == ((0, 1, 0, 1), (1, 0, 1, 0))
    assert list_arrangements(RULES, single_team=True) == list_arrangements(RULES)


@pytest.mark.parametrize("rules", [RULES, KwajongenRules(void_rule="free")], ids=str)
def test_leads_of_deals_agree_with_records(rules: KwajongenRules) -> None:
    expected = np.zeros(DEALS)
    for seats in list_arrangements(rules):
        for record in play_records(
            Experiment(rules, assign_players(seats, BOLD, SHY), DEALS, SEED)
        ):
            expected[record.deal] += worth(record.scores, seats.index(0)) / 2
    found = np.concatenate([*iterate_lead_chunks(rules, BOLD, SHY, DEALS, SEED)])
    assert found / compute_lead_divisor(list_arrangements(rules)) == pytest.approx(expected)
    assert np.any(expected > 0) and np.any(expected < 0)


@pytest.mark.parametrize("field", [None, FIELD], ids=str)
def test_counts_agree_with_records(field: Player | None) -> None:
    contest = PairedMatch(RULES, (BOLD, SHY), field, SEED)
    sums = MatchTally.empty(contest.names)
    for part in contest.play(0, DEALS, 2, 37):
        sums.add(part)
    names = ("takes", "made", "failed", "won", "lost", "defended", "score", "passed_out")
    expected = {f"{policy} {name}": 0.0 for policy in (0, 1) for name in names}
    for policy in (0, 1):
        for number, sides, side in contest.list_sides(policy):
            for record in play_records(contest.make_experiments(0, DEALS)[number]):
                team = sides.index(side)
                own = record.sender is not None and record.sender % 2 == team
                lead = worth(record.scores, team)
                passed_out = record.sender is None
                counted = {
                    "takes": own,
                    "made": own and record.result == "made",
                    # A tie costs the caller a point.
                    "failed": own and record.result in ("failed", "tie"),
                    "won": lead * (own and record.result == "made"),
                    "lost": -lead * (own and record.result != "made"),
                    "defended": lead * (not own and not passed_out),
                    "score": -record.scores[team],
                    "passed_out": passed_out,
                }
                for name, value in counted.items():
                    expected[f"{policy} {name}"] += value
    divided = {"won", "lost", "defended", "score"}
    for name, wanted in expected.items():
        of = contest.lead_divisor / len(contest.arrangements) if name.split()[1] in divided else 1
        assert sums.total(name) == pytest.approx(wanted * of), name
    parts = [
        sums.total(f"{side} won") - sums.total(f"{side} lost") + sums.total(f"{side} defended")
        for side in (0, 1)
    ]
    lead = sums.total("lead")
    assert parts[0] == lead if field is None else parts[0] - parts[1] == lead
    assert sums.total("0 bonuses") == 0 and contest.max_lead == (4 if field is None else 8)


def test_games_count_by_who_wins_them() -> None:
    contest = PairedMatch(RULES, (BOLD, SHY), games=True)
    sums = MatchTally.empty(contest.names)
    for part in contest.play(0, 50, 2, 7):
        sums.add(part)
    won = 0
    for seats, players in zip(contest.arrangements, contest.list_seatings(), strict=True):
        ended = simulate(Experiment(RULES, players, games=50)).finished_games
        assert ended is not None
        won += int((ended.winner == seats.index(0)).sum())
    assert sums.total("0 wins") / contest.lead_divisor * len(contest.arrangements) == pytest.approx(
        won
    )
    assert sums.total("lead") / contest.lead_divisor == pytest.approx(won - 50)


def test_compare_finds_the_better_and_knows_when_to_stop() -> None:
    found = compare(BOLD, SHY, rules=RULES, seed=SEED)
    (pair,) = found.pairs
    assert found.plan.indifference == 0.01
    assert pair.verdict == "worse" and pair.tally.deals % 4 == 0
    again = compare(SHY, BOLD, rules=RULES, seed=SEED, deals=pair.tally.deals)
    assert again.lead(0, 1).value == -pair.lead.value > 0
    games = compare(BOLD, SHY, rules=RULES, games=60)
    assert games.plan.indifference == 0.5 and games.lead(0, 1).value < 0


def test_sweep_plays_all_values_on_the_same_deals() -> None:
    found = sweep("random", ["accept=0:1:0.5"], rules=RULES, opponents=FIELD, deals=600, seed=SEED)
    assert [each.values["accept"] for each in found.settings] == ["0", "0.5", "1"]
    never, half, always = found.settings
    assert never.taken.value == 0 and math.isnan(never.made.value)
    (direct,) = compare(
        half.policy, always.policy, rules=RULES, opponents=FIELD, deals=600, seed=SEED
    ).pairs
    assert half.points.value - always.points.value == pytest.approx(direct.lead.value)


def test_tune_searches_and_confirms() -> None:
    found = tune(
        "random:accept=0.9", ["accept=0:1"], rules=RULES, opponents=FIELD, deals=100, generations=3,
        confirm=800, seed=SEED,
    )  # fmt: skip
    assert found.gain.value > 0 and 0 <= found.best["accept"] < 0.9
