"""The chance to win the game against a slow twin, whole games and the spread over seeds."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import TypeAlias

import numpy as np
import pytest

from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.types import Int64Array
from kqj_sim.errors import InputError
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from kqj_sim.stats.equity import (
    GROUPS,
    STORED,
    CountedRounds,
    Equity,
    EquityTable,
    PlayedGames,
    load_rounds,
    order_scores,
    play_rounds,
    require_table_rules,
)
from tests.slow import slow_rows_after
from tools.count_rounds import CHECKED_DEALS, count_rounds, hash_rounds

Finder: TypeAlias = Callable[[tuple[int, ...], int], dict[tuple[int, int], float]]

VARIANTS = [KqjRules(teams=t, bidding=b) for t in (2, 3) for b in ("take", "auction")]
NOTHING = np.zeros(1, np.bool_)


def make_rounds(teams: int, dealers: int, seed: int) -> CountedRounds:
    """Return made-up rounds: scores, gratuities of 30 and passes, others for each dealer."""
    generator = np.random.default_rng(seed)
    rounds = []
    for dealer in range(dealers):
        for _ in range(8):
            scores = [0, 0, 0]
            winner = int(generator.integers(teams))
            scores[winner] = 10 * int(generator.integers(1, 7))
            scores[int(generator.integers(teams))] += 10 * int(generator.integers(3))
            wins = [int(team == winner) for team in range(3)]
            rounds.append([dealer, MADE, 0, *wins, *scores])
        bonus = [20 * int(team == 1) for team in range(3)]
        rounds.append([dealer, LITIGATION, 30, 0, 0, 0, *bonus])
        rounds.append([dealer, LITIGATION, 30, 0, 0, 0, 0, 0, 0])
        rounds.append([dealer, PASSED_OUT, 0, 0, 0, 0, 0, 0, 0])
    return CountedRounds(np.array(rounds), generator.integers(1, 9, (len(rounds), GROUPS)))


def seat(teams: int, dealers: int) -> tuple[str, ...]:
    """Return players of whom so many dealers differ."""
    names = ["standard", "greedy", "random", "points", "bold", "always"]
    return tuple(names[place % dealers] for place in range(6))


def play_on(table_rounds: CountedRounds, target: int, teams: int, dealers: int) -> Finder:
    """Return a slow twin: the chances of each team by scores, dealer and gratuity."""
    weights = table_rounds.counts.sum(axis=1)

    @cache
    def find(scores: tuple[int, ...], team: int) -> dict[tuple[int, int], float]:
        chances = dict.fromkeys(((d, p) for d in range(dealers) for p in (0, 30)), 0.0)
        for _ in range(40):  # Rounds without scores lead back here.
            for dealer, pending in chances:
                total = 0.0
                at = table_rounds.rounds[:, 0] == dealer
                for row, weight in zip(
                    table_rounds.rounds[at].tolist(), weights[at].tolist(), strict=True
                ):
                    after = tuple(
                        score + row[6 + t] + pending * row[3 + t] for t, score in enumerate(scores)
                    )
                    left = {MADE: 0, LITIGATION: 30, PASSED_OUT: pending}[row[1]]
                    following = (dealer + 1) % dealers, left
                    if max(after) >= target:
                        leaders = [t for t in range(teams) if after[t] == max(after)]
                        value = (team in leaders) / len(leaders)
                    elif after == scores:
                        value = chances[following]
                    else:
                        value = find(after, team)[following]
                    total += weight * value
                chances[dealer, pending] = total / weights[at].sum()
        return chances

    return find


@pytest.mark.parametrize(("teams", "dealers"), slow_rows_after(2, [(2, 2), (3, 3), (2, 6), (3, 6)]))
def test_chances_are_those_of_a_slow_twin(teams: int, dealers: int) -> None:
    target = 100
    rules = KqjRules(teams=teams, target=target)  # type: ignore[arg-type]
    counted = make_rounds(teams, dealers, seed=teams + dealers)
    table = EquityTable(Experiment(rules, seat(teams, dealers)), counted)
    assert table.dealers == dealers
    find = play_on(counted, target, teams, dealers)
    for team in range(teams):
        equity = Equity(table, team, [0] * teams)
        for scores in ([60, 50, 70][:teams], [90, 0, 60][:teams], [70] * teams):
            for (dealer, pending), value in find(tuple(scores), team).items():
                found = equity.look_up(np.array([scores]), dealer, np.array([pending > 0]))
                assert found[0] == pytest.approx(value, abs=2e-6)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_stored_rounds_are_those_of_these_players(rules: KqjRules) -> None:
    with np.load(STORED) as stored:
        about = json.loads(str(stored["about"]))[f"{rules.teams}-{rules.bidding}"]
    experiment, counted = count_rounds(rules, CHECKED_DEALS, seed=about[2])
    assert [rules.to_dict(), experiment.players[0].text, hash_rounds(counted)] == [
        *about[:2], about[4],
    ], "the default players play otherwise: run `python -m tools.count_rounds`"  # fmt: skip
    stored_rounds = load_rounds(Experiment(rules))
    assert stored_rounds is not None and stored_rounds.counts.sum() == about[3]
    assert load_rounds(Experiment(rules, "standard")) is None


def list_states(teams: int) -> Int64Array:
    """Return scores of all teams in steps of 100, from 600 on with three."""
    steps = np.arange(0 if teams == 2 else 600, 1000, 100)
    return np.stack(np.meshgrid(*[steps] * teams), axis=-1).reshape(-1, teams)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_chances_add_up_and_turn_with_the_table(rules: KqjRules) -> None:
    counted = load_rounds(Experiment(rules))
    assert counted is not None
    teams, table = rules.teams, EquityTable(Experiment(rules), counted)
    states = list_states(teams)
    lowest = states[0].tolist()
    sides = [Equity(table, team, lowest) for team in range(teams)]
    nothing = np.zeros(len(states), np.bool_)
    for dealer in range(teams):
        chances = [side.look_up(states, dealer, nothing) for side in sides]
        np.testing.assert_allclose(sum(chances), 1, atol=1e-5)
        turned = sides[1].look_up(np.roll(states, 1, axis=1), dealer + 1, nothing)
        np.testing.assert_allclose(turned, chances[0], atol=1e-5)
        more = sides[0].look_up(states + np.eye(teams, dtype=int)[0] * 30, dealer, nothing)
        assert (more > chances[0] - 1e-6).all()
        others = sides[0].look_up(states + np.eye(teams, dtype=int)[1] * 30, dealer, nothing)
        assert (others < chances[0] + 1e-6).all()


def test_chances_from_some_scores_up_are_those_of_all() -> None:
    rules = KqjRules(teams=3, target=300)
    table = EquityTable(Experiment(rules, seat(3, 3)), make_rounds(3, 3, seed=1))
    whole, part = Equity(table, 0, [0, 0, 0]), Equity(table, 0, [100, 200, 50])
    for scores in ([100, 200, 50], [250, 220, 100]):
        chances = [each.look_up(np.array([scores]), 1, NOTHING)[0] for each in (whole, part)]
        assert chances[0] == pytest.approx(chances[1], abs=1e-6)


@pytest.mark.slow
def test_chances_are_those_of_whole_games() -> None:
    rules = KqjRules(teams=3, target=500)
    experiment = Experiment(rules, "standard", deals=60_000)
    counted, _ = play_rounds(experiment, None, lambda count: None)
    equity = Equity(EquityTable(experiment, counted), 0, [0, 0, 0])
    rows = simulate(Experiment(rules, "standard", games=20_000, seed=3))
    games = rows.finished_games
    assert games is not None
    for dealer in range(3):
        won = games.winner[games.first_dealer % 3 == dealer] == 0
        chance = equity.look_up(np.zeros((1, 3), np.int64), dealer, NOTHING)[0]
        assert abs(won.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / len(won)) + 0.005


@pytest.mark.slow
@pytest.mark.parametrize("teams", [2, 3])
def test_players_with_random_partners_win_as_in_whole_games(teams: int) -> None:
    """Of the player who leads after three rounds."""
    rules = KqjRules.from_dict({"teams": teams, "partners": "random", "target": 500})
    counted, _ = play_rounds(Experiment(rules, "standard", deals=60_000), None, lambda count: None)
    played = PlayedGames(Experiment(rules, "standard"), counted)
    games = groupby(
        play_records(Experiment(rules, "standard", games=300, seed=3)),
        key=lambda each: each.game_id,
    )
    chances, wins = [], []
    for rounds in (list(each) for _, each in games):
        if len(rounds) > 3:
            fourth, last = rounds[3], rounds[-1]
            scores, end = fourth.score_before, last.score_after
            assert scores is not None and end is not None
            seat = int(np.argmax(scores))
            at = seat, scores, fourth.dealer, fourth.pending_before
            chances.append(played.estimate(*at, 0.95).value)
            wins.append(np.argmax(end) == seat)
    expected = np.array(chances)
    assert len(wins) > 150 and 0.3 < expected.mean() < 0.8
    error = np.sqrt((expected * (1 - expected)).sum())
    assert abs(sum(wins) - expected.sum()) < 4 * error


@pytest.mark.slow
@pytest.mark.parametrize("teams", [2, 3])
def test_intervals_are_as_wide_as_the_spread_over_seeds(teams: int) -> None:
    rules, scores = KqjRules(teams=teams), [880, 760, 640][:teams]  # type: ignore[arg-type]
    values, halves = [], []
    for seed in range(40):
        experiment = Experiment(rules, "standard", deals=2_400, seed=seed)
        counted, _ = play_rounds(experiment, None, lambda count: None)
        table = EquityTable(experiment, counted)
        estimate = table.estimate(0, scores, 1, 0, 0.95)
        values.append(estimate.value)
        halves.append((estimate.high - estimate.low) / 2 / 2.093)
    assert 0.75 < np.std(values) / np.mean(halves) < 1.33


@pytest.mark.parametrize(("rules", "scores", "text"), [
    (KqjRules(), (640,), "each of 2 teams has a score"),
    (KqjRules(partners="random"), (640, 880), "each of 6 players has a score"),
    (KqjRules(teams=3), (640, 885, 0), "885 is not a multiple of 10"),
    (KqjRules(target=500), (640, 0), "640 is not a multiple of 10 below the target of 500"),
])  # fmt: skip
def test_impossible_scores_raise(rules: KqjRules, scores: tuple[int, ...], text: str) -> None:
    with pytest.raises(InputError, match=text):
        order_scores(scores, rules)


@pytest.mark.parametrize("rules", [KqjRules(partners="random"), KqjRules(teams=3, target=5000)])
def test_rules_without_a_table_raise(rules: KqjRules) -> None:
    with pytest.raises(InputError, match="the chance to win the game"):
        require_table_rules(rules)
