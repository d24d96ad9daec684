"""The control of games: no bias, intervals that hold, and numbers that threads cannot change."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from kqj_sim.analysis.control import ControlTally, Corrected
from kqj_sim.analysis.game_control import LEAD, WON, GameControlTally, worth_of_a_point
from kqj_sim.experiment import Experiment, ExperimentError
from kqj_sim.rows import GameRows, Rows
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation import fold, simulate
from kqj_sim.worker import Replay

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
    return fold(experiment, lambda: GameControlTally(experiment, STRONG), threads, chunk).result


def some(rows: Rows, first: int, games: int) -> Rows:
    """The rows of a range of games."""
    assert rows.game is not None and rows.round is not None and rows.ended is not None
    own = (first <= rows.game) & (rows.game < first + games)
    over = (first <= rows.ended.game) & (rows.ended.game < first + games)
    return Rows(
        rows.deal[own], rows.values[:, own], rows.game[own], rows.round[own],
        GameRows(**{name: values[over] for name, values in vars(rows.ended).items()}),
    )  # fmt: skip


def runs(rules: KqjRules, outcome: int, count: int, games: int) -> Iterator[Corrected]:
    """What many small runs say of player 0: each of other games."""
    experiment = uneven(rules, games=count * games)
    rows = simulate(experiment, threads=1)
    for first in range(0, count * games, games):
        found = GameControlTally(experiment, STRONG)
        part = some(rows, first, games)
        assert part.ended is not None
        found.add(part)
        found.add_games(part.ended)
        yield found.corrected(outcome, 0)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    experiment = uneven(rules, games=300, first=7)
    whole, parts = tally(experiment), tally(experiment, 2, 37)
    for name, numbers in whole.numbers().items():
        np.testing.assert_array_equal(numbers, parts.numbers()[name])
    assert whole.table().frame.equals(parts.table().frame)


def slow_sums(experiment: Experiment) -> tuple[np.ndarray, np.ndarray]:
    """The sums of games and of rounds in plain Python, with two fixed teams or three.

    The control plays each deal with whatever dealer single deals have: by place all is the same.
    """
    rules = experiment.rules
    assert isinstance(rules, KqjRules)
    teams = rules.teams
    rows = simulate(experiment, threads=1)
    replay = Replay(replace(experiment, policies=(STRONG,) * SEATS, games=None, deals=1))
    assert rows.game is not None and rows.ended is not None
    of_game: dict[int, list[int]] = defaultdict(list)
    for number, game in enumerate(rows.game.tolist()):
        of_game[game].append(number)
    sums = np.zeros((2, teams, 6 + 2 * teams), dtype=np.int64)
    round_sums = np.zeros((2, 2 * teams), dtype=np.int64)
    for game, score in zip(rows.ended.game.tolist(), rows.ended.score.tolist(), strict=True):
        half = game % 2
        before = [0] * teams
        for team in range(teams):
            others = [score[other] for other in range(teams) if other != team]
            sums[half, team, 0] += score[team] > max(others)
            sums[half, team, 1] += sum(score[team] - other for other in others)
        for number in of_game[game]:
            again = replay.play(int(rows.deal[number]), 1)
            turned = int(again.column("dealer")[0]) + 1
            opener = int(rows.column("dealer")[number]) + 1
            worth = worth_of_a_point(np.array(before)[:, None], rules.target)[:, 0].tolist()
            for place in range(teams):
                team, there = (opener + place) % teams, (turned + place) % teams
                leads = []
                for column in ("score", "total"):
                    values = [int(again.column(f"{column}_{each}")[0]) for each in range(teams)]
                    leads.append(sum(values[there] - value for value in values))
                for weight, factor in enumerate((1, worth[team])):
                    for column_number, lead in enumerate(leads):
                        sums[half, team, 2 + 2 * weight + column_number] += factor * lead
                    sums[half, team, 6 + weight * teams + place] += factor
                round_sums[half, [place, teams + place]] += leads
            for team in range(teams):
                before[team] += int(rows.column(f"score_{team}")[number])
    return sums, round_sums


@pytest.mark.parametrize("rules", RULES[:2], ids=NAMES[:2])
def test_sums_are_those_of_a_slow_twin(rules: KqjRules) -> None:
    experiment = uneven(rules, games=120)
    found = tally(experiment).numbers()
    sums, round_sums = slow_sums(experiment)
    np.testing.assert_array_equal(found["sums"], sums)
    np.testing.assert_array_equal(found["round_sums"], round_sums)


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
@pytest.mark.parametrize("outcome", [WON, LEAD], ids=["won", "lead"])
def test_corrected_means_are_unbiased_and_their_intervals_hold(
    rules: KqjRules, outcome: int
) -> None:
    """Many small runs, against the mean of all their games and many more."""
    many = simulate(uneven(rules, games=200_000, first=10**9), threads=1).ended
    assert many is not None
    final = many.score
    values = (
        (many.winner == 0).astype(float)
        if outcome == WON
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
    factor = np.mean([each.factor for each in found])
    assert factor > 1.1
    assert plain.var() / corrected.var() == pytest.approx(factor, rel=0.4)


def test_worth_of_a_point_is_greatest_in_an_even_game_near_its_end() -> None:
    before = np.array([[0, 900, 900, 0], [0, 900, 0, 900]])
    start, even, ahead, behind = worth_of_a_point(before, 1000)[0]
    assert even > 2 * start > 4 * ahead
    assert ahead == behind
    three = worth_of_a_point(np.array([[500], [400], [100]]), 1000)[:, 0]
    assert three[0] == three[1] > three[2]


def test_rounds_played_again_are_those_of_the_games() -> None:
    """Where no gratuity was pending, the same players do the same in the same deals."""
    rules = KqjRules(partners="random", target=300)
    experiment = Experiment(rules, (STRONG,) * SEATS, games=100)
    rows = simulate(experiment, threads=1)
    again = Replay(replace(experiment, games=None, deals=1)).again(rows)
    same = rows.column("pending_before") == 0
    assert same.mean() > 0.5
    np.testing.assert_array_equal(rows.deal, again.deal)
    np.testing.assert_array_equal(rows.values[:, same], again.values[:, same])


def test_few_games_give_no_corrected_mean() -> None:
    found = tally(uneven(RULES[0], games=39)).corrected(WON, 0)
    assert math.isnan(found.corrected.value) and math.isnan(found.factor)
    assert not math.isnan(found.plain.value)


def test_deals_and_games_have_controls_of_their_own() -> None:
    with pytest.raises(ExperimentError, match="leave games out"):
        ControlTally(Experiment(games=3), STRONG)
    with pytest.raises(ExperimentError, match="name a number of games"):
        GameControlTally(Experiment(), STRONG)
