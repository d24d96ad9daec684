"""The control of games: no bias, intervals that hold, and numbers that threads cannot change."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from kqj_sim.analysis.control_variates import (
    LEAD_OUTCOME,
    WIN_OUTCOME,
    AdjustedEstimate,
    ControlTally,
    GameControlTally,
    compute_point_weights,
)
from kqj_sim.block_player import DealReplayer
from kqj_sim.experiment import Experiment, ExperimentError
from kqj_sim.rows import GameRows, Rows
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation import reduce_rows, simulate

CALLS = "random:take=0.1,bid=0.1,counter=0.1"
"""So that many rounds are passed out, and rounds are in another order once they were played."""
STRONG, WEAK = f"{CALLS}+greedy", f"{CALLS}+random"
RULES = [
    KqjRules(target=300),
    KqjRules(teams=3, target=300),
    KqjRules(teams=3, partners="random", bidding="auction", target=300),
]
NAMES = ["two", "three", "random three auction"]


def uneven(rules: KqjRules, games: int, first: int = 0) -> Experiment:
    """A strong side, and one strong player, at a table of weak ones: far from even."""
    strong = (0,) if rules.partners == "random" else range(0, SEATS, rules.teams)
    seats = tuple(STRONG if seat in strong else WEAK for seat in range(SEATS))
    return Experiment(rules, seats, first=first, games=games)


def tally(experiment: Experiment, threads: int = 1, chunk: int | None = None) -> GameControlTally:
    return reduce_rows(
        experiment, lambda: GameControlTally(experiment, STRONG), threads, chunk
    ).result


def some(rows: Rows, first: int, games: int) -> Rows:
    """The rows of a range of games."""
    assert rows.game is not None and rows.round is not None and rows.finished_games is not None
    own = (first <= rows.game) & (rows.game < first + games)
    over = (first <= rows.finished_games.game) & (rows.finished_games.game < first + games)
    return Rows(
        rows.deal[own], rows.values[:, own], rows.game[own], rows.round[own],
        GameRows(**{name: values[over] for name, values in vars(rows.finished_games).items()}),
    )  # fmt: skip


def runs(rules: KqjRules, outcome: int, count: int, games: int) -> Iterator[AdjustedEstimate]:
    """Estimate the results of player 0 in many small runs with different games."""
    experiment = uneven(rules, games=count * games)
    rows = simulate(experiment, threads=1)
    for first in range(0, count * games, games):
        found = GameControlTally(experiment, STRONG)
        part = some(rows, first, games)
        assert part.finished_games is not None
        found.add(part)
        found.add_games(part.finished_games)
        yield found.estimate_corrected(outcome, 0)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    experiment = uneven(rules, games=300, first=7)
    whole, parts = tally(experiment), tally(experiment, 2, 37)
    for name, numbers in whole.numbers().items():
        np.testing.assert_array_equal(numbers, parts.numbers()[name])
    assert whole.table().frame.equals(parts.table().frame)


@dataclass(frozen=True)
class Slow:
    """The sums in plain Python, with two fixed teams or three.

    Attributes:
        games: int64 (games, teams, variables).
        halves: the half of each game.
        rounds: int64 (rounds, columns * teams), the control's leads by place.
        round_halves: the half of each round.
    """

    games: NDArray[np.int64]
    halves: NDArray[np.int64]
    rounds: NDArray[np.int64]
    round_halves: NDArray[np.int64]


@cache
def slow(rules: KqjRules, count: int) -> Slow:
    """The games one by one.

    The control plays each deal with whatever dealer single deals have: by place all is the same.
    """
    experiment = uneven(rules, games=count)
    teams = rules.teams
    rows = simulate(experiment, threads=1)
    replay = DealReplayer(replace(experiment, policies=(STRONG,) * SEATS, games=None, deals=1))
    assert rows.game is not None and rows.finished_games is not None
    of_game: dict[int, list[int]] = defaultdict(list)
    for number, game in enumerate(rows.game.tolist()):
        of_game[game].append(number)
    games = np.zeros((count, teams, 6 + 2 * teams), dtype=np.int64)
    rounds, round_halves = [], []
    numbers = rows.finished_games.game.tolist()
    for values, game, score in zip(games, numbers, rows.finished_games.score.tolist(), strict=True):
        before = [0] * teams
        for team in range(teams):
            others = [score[other] for other in range(teams) if other != team]
            values[team, 0] = score[team] > max(others)
            values[team, 1] = sum(score[team] - other for other in others)
        for number in of_game[game]:
            again = replay.play(int(rows.deal[number]), 1)
            turned = int(again.column("dealer")[0]) + 1
            opener = int(rows.column("dealer")[number]) + 1
            worth = compute_point_weights(np.array(before)[:, None], rules.target)[:, 0].tolist()
            by_place = np.zeros((2, teams), dtype=np.int64)
            for place in range(teams):
                team, there = (opener + place) % teams, (turned + place) % teams
                for column_number, column in enumerate(("score", "total")):
                    of_teams = [int(again.column(f"{column}_{each}")[0]) for each in range(teams)]
                    lead = sum(of_teams[there] - value for value in of_teams)
                    by_place[column_number, place] = lead
                    for weight, factor in enumerate((1, worth[team])):
                        values[team, 2 + 2 * weight + column_number] += factor * lead
                for weight, factor in enumerate((1, worth[team])):
                    values[team, 6 + weight * teams + place] += factor
            rounds.append(by_place.reshape(-1))
            round_halves.append(game % 2)
            for team in range(teams):
                before[team] += int(rows.column(f"score_{team}")[number])
    return Slow(games, np.array(numbers) % 2, np.array(rounds), np.array(round_halves))


@pytest.mark.parametrize("rules", RULES[:2], ids=NAMES[:2])
def test_sums_are_those_of_a_slow_twin(rules: KqjRules) -> None:
    found, right = tally(uneven(rules, games=120)).numbers(), slow(rules, 120)
    for half in (0, 1):
        own = right.games[right.halves == half]
        np.testing.assert_array_equal(found["sums"][half], own.sum(axis=0))
        by_place = right.rounds[right.round_halves == half]
        np.testing.assert_array_equal(found["round_sums"][half], by_place.sum(axis=0))


@pytest.mark.parametrize("rules", RULES[:2], ids=NAMES[:2])
@pytest.mark.parametrize("outcome", [WIN_OUTCOME, LEAD_OUTCOME], ids=["won", "lead"])
def test_corrected_means_are_those_of_a_slow_twin(rules: KqjRules, outcome: int) -> None:
    """Means of the martingales and coefficients of one half correct the other, game by game."""
    of, teams = slow(rules, 120), rules.teams
    tallied = tally(uneven(rules, games=120))
    for team in range(teams):
        value = variance = 0.0
        result = of.games[:, team, outcome].astype(float)
        for half in (0, 1):
            known = of.rounds[of.round_halves != half]
            means = known.mean(axis=0).reshape(2, teams)
            counts = of.games[:, team, 6:].reshape(-1, 2, teams)
            summed = of.games[:, team, 2:6].reshape(-1, 2, 2)
            # By weight and column: the leads in the game's rounds less what they are on average.
            martingales = (summed - counts @ means.T).reshape(-1, 4)
            other, own = of.halves != half, of.halves == half
            known_x, known_y = (
                each[other] - each[other].mean(axis=0) for each in (martingales, result)
            )
            fitted = np.linalg.lstsq(known_x, known_y, rcond=None)[0]
            left = (result - martingales @ fitted)[own]
            value += own.mean() * left.mean()
            slope = np.einsum("wc,wp->cp", fitted.reshape(2, 2), counts[own].mean(axis=0))
            error = slope.reshape(-1) @ np.cov(known.T) @ slope.reshape(-1) / len(known)
            variance += own.mean() ** 2 * (left.var(ddof=1) / len(left) + error)
        found = tallied.estimate_corrected(outcome, team)
        scale = 1.0 if outcome == WIN_OUTCOME else 1 / (teams - 1)
        half_width = stats.t.ppf(0.975, 120 - 10) * math.sqrt(variance)
        right = [scale * each for each in (value, value - half_width, value + half_width)]
        assert list(found.corrected[:3]) == pytest.approx(right)
        assert found.relative_efficiency == pytest.approx(result.var(ddof=1) / 120 / variance)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
@pytest.mark.parametrize("outcome", [WIN_OUTCOME, LEAD_OUTCOME], ids=["won", "lead"])
def test_corrected_means_are_unbiased_and_their_intervals_hold(
    rules: KqjRules, outcome: int
) -> None:
    """Many small runs, against the mean of all their games and many more."""
    many = simulate(uneven(rules, games=200_000, first=10**9), threads=1).finished_games
    assert many is not None
    final = many.score
    values = (
        (many.winner == 0).astype(float)
        if outcome == WIN_OUTCOME
        else final[:, 0] - (final.sum(axis=1) - final[:, 0]) / (final.shape[1] - 1)
    )
    truth, error = values.mean(), values.std() / math.sqrt(len(values))
    found = list(runs(rules, outcome, 200, 100))
    corrected = np.array([each.corrected.value for each in found])
    spread = math.hypot(corrected.std(ddof=1) / math.sqrt(len(corrected)), error)
    assert abs(corrected.mean() - truth) < 3.5 * spread
    held = sum(each.corrected.low <= truth <= each.corrected.high for each in found)
    # Binomial: 95% of 200, and 3.5 standard deviations to either side.
    assert 0.895 * len(found) < held < len(found)
    plain = np.array([each.plain.value for each in found])
    factor = np.mean([each.relative_efficiency for each in found])
    assert factor > 1.1
    assert plain.var() / corrected.var() == pytest.approx(factor, rel=0.4)


def test_worth_of_a_point_is_greatest_in_an_even_game_near_its_end() -> None:
    before = np.array([[0, 900, 900, 0], [0, 900, 0, 900]])
    start, even, ahead, behind = compute_point_weights(before, 1000)[0]
    assert even > 2 * start > 4 * ahead
    assert ahead == behind
    three = compute_point_weights(np.array([[500], [400], [100]]), 1000)[:, 0]
    assert three[0] == three[1] > three[2]


def test_rounds_played_again_are_those_of_the_games() -> None:
    """Without a pending gratuity the same players do the same in the same deals."""
    rules = KqjRules(partners="random", target=300)
    experiment = Experiment(rules, (STRONG,) * SEATS, games=100)
    rows = simulate(experiment, threads=1)
    again = DealReplayer(replace(experiment, games=None, deals=1)).replay(rows)
    same = rows.column("pending_before") == 0
    assert same.mean() > 0.5
    np.testing.assert_array_equal(rows.deal, again.deal)
    np.testing.assert_array_equal(rows.values[:, same], again.values[:, same])


def test_few_games_give_no_corrected_mean() -> None:
    found = tally(uneven(RULES[0], games=39)).estimate_corrected(WIN_OUTCOME, 0)
    assert math.isnan(found.corrected.value) and math.isnan(found.relative_efficiency)
    assert not math.isnan(found.plain.value)


def test_deals_and_games_have_controls_of_their_own() -> None:
    with pytest.raises(ExperimentError, match="leave games out"):
        ControlTally(Experiment(games=3), STRONG)
    with pytest.raises(ExperimentError, match="name a number of games"):
        GameControlTally(Experiment(), STRONG)
