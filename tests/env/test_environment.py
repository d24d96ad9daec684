"""The environment: rounds by actions are those of the engine, and the referee accepts them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kqj_sim as kqj
from kqj_sim.core.block import team_of, voids_of
from kqj_sim.core.cards import trailing_zeros
from kqj_sim.engines import get_engine
from kqj_sim.env import BatchEnvironment, make_player
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.paired.match import get_team_scores
from kqj_sim.policies import outside
from kqj_sim.policies.players import Player, parse_player
from kqj_sim.referee import check_record
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.policy_errors import replay_decisions
from kqj_sim.simulation.run import simulate
from tests.games.every import DEFAULTS, RULES, VARIANTS, name_rules
from tests.slow import slow_after, slow_between
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3, told

team_of_position, voids = team_of.py_func, voids_of.py_func  # type: ignore[attr-defined]
Choose = Callable[[NDArray[np.bool_]], NDArray[np.int64]]


def choose_at_random(seed: int) -> Choose:
    numbers = np.random.default_rng(seed)
    return lambda masks: (masks * (1 - numbers.random(masks.shape))).argmax(axis=1)


def play(env: BatchEnvironment, count: int, choose: Choose) -> int:
    """Play episodes to the end; return the number of decisions."""
    env.reset(count)
    decisions = 0
    while len(env.open):
        decisions += len(env.open)
        env.step(choose(env.masks))
    return decisions


@pytest.mark.parametrize("rules", slow_between(9, RULES), ids=name_rules)
def test_the_referee_accepts_random_rounds(rules: GameRules) -> None:
    env = BatchEnvironment(rules, seed=2)
    play(env, 60, choose_at_random(1))
    played = 0
    for episode in range(60):
        record = env.record(episode)
        assert check_record(record) == [], told(record)
        played += record.sender is not None
        scores = [record.scores[team] for team in record.teams]
        lead = [
            score
            - np.mean([s for s, team in zip(scores, record.teams, strict=True) if team != own])
            for score, own in zip(scores, record.teams, strict=True)
        ]
        assert env.rewards[episode] == pytest.approx(np.multiply(rules.score_sign, lead))
    assert played > 20


def test_random_rounds_have_the_tables_of_simulate() -> None:
    """Whoever takes half of the time in the first lap, and elsewhere calls and plays at random."""
    env = BatchEnvironment(TAKE_2, seed=9)
    play(env, 20_000, choose_at_random(3))
    # In the second lap `random` takes as often with each contract: here with each action.
    rows = simulate(Experiment(TAKE_2, ("random:take=0.5",) * 6, deals=20_000, seed=4))
    for ours, theirs in (
        (env.scores[:, 0] - env.scores[:, 1], rows.column("score_0") - rows.column("score_1")),
        (env.scores.max(axis=1), np.maximum(rows.column("score_0"), rows.column("score_1"))),
        (env.scores.max(axis=1) == 400, rows.column("capot_contracting") == 1),
    ):
        ours, theirs = ours.astype(float), np.asarray(theirs, float)
        error = np.sqrt(ours.var() / len(ours) + theirs.var() / len(theirs))
        assert abs(ours.mean() - theirs.mean()) < 4 * error


def lowest_card(view: Any) -> Any:
    return view.legal & -view.legal


@pytest.mark.parametrize("rules", [*slow_after(1, [TAKE_2, AUCTION_3]), DEFAULTS[-1]])
def test_choices_by_actions_give_the_rows_of_a_policy(rules: GameRules) -> None:
    """Also those that a function makes for `make_player`, by two threads."""
    env = BatchEnvironment(rules, decisions=["card"], seed=5)
    play(env, 600, lambda masks: masks.argmax(axis=1))
    own = make_player(lambda seen, masks: masks.argmax(axis=1), rules, ["card"])
    rows = simulate(Experiment(rules, (lowest_card,) * rules.seats, deals=600, seed=5))
    again = simulate(Experiment(rules, (own,) * rules.seats, deals=600, seed=5), threads=2)
    assert (rows.values == again.values).all()
    teams = get_team_scores(rows).T[:, : rules.team_count] * rules.score_sign
    if rules.score_count == rules.team_count:
        assert (teams == env.scores).all()
    assert (teams.max(axis=1) == env.scores.max(axis=1)).all()


def describe_slowly(decision: str, view: Any, rules: GameRules) -> list[int]:
    """Return an observation as docs/environment.md says."""
    ranks, seats = get_engine(rules).pack.bit_count() // 4, rules.seats
    seen: list[int] = []
    for name in outside.CARD_SETS:
        cards = getattr(view, name, 0)
        seen += [cards >> 16 * suit + rank & 1 for suit in range(4) for rank in range(ranks)]
    seen += [
        each == decision for each in ("take", "bid", "counter", "overcounter", "card", "accept")
    ]
    for name in outside.NUMBERS:
        number = getattr(view, name, 0)
        seen.append(number // 10 if "amount" in name else number)
    own = view.position if decision == "card" else view.place
    around = [(own + step) % seats for step in range(seats)]
    for other in around:
        bid = getattr(view, "last_bids", 0) >> 10 * other & 1023
        seen += [bid >> 3, bid & 7]
    for other in around[1:]:
        seen.append(team_of_position(view.players, other) == team_of_position(view.players, own))
        seen += [voids(view.players, other) >> suit & 1 for suit in range(4)]
    return seen + [0] * (-len(seen) % 8)


@kqj.policy
class varied:
    """calls and plays by its random bits"""

    def choose_take(self, view: Any) -> Any:
        return trailing_zeros(view.turned) >> 4 if view.random % 5 == 0 else -1

    def choose_bid(self, view: Any) -> Any:
        allowed = view.lowest_amount <= view.highest_amount and view.random % 3 == 0
        return (
            kqj.bid_code(view.lowest_amount, view.random % 4, view.random % 16 < 1)
            if allowed
            else -1
        )

    def choose_counter(self, view: Any) -> Any:
        return view.random % 8 == 0

    def choose_overcounter(self, view: Any) -> Any:
        return view.random % 2 == 0

    def choose_accept(self, view: Any) -> Any:
        return view.random % 3 == 0

    def choose_card(self, view: Any) -> Any:
        return kqj.random_card(view, view.legal)


@pytest.mark.parametrize("rules", [AUCTION_3, TAKE_2, DEFAULTS[-1]], ids=name_rules)
def test_observations_are_the_views_of_policies(rules: GameRules) -> None:
    """And nothing else: the rest of the round, and random bits, are not in them."""
    env = BatchEnvironment(rules, seed=6)
    env.reset(12)
    player = parse_player(varied, rules.game).under(rules)
    games = [
        list(
            replay_decisions(rules, [player] * rules.seats, None, 6, (deal, deal % rules.seats, 0))
        )
        for deal in range(12)
    ]
    compared = 0
    while len(env.open):
        actions = []
        for row, episode in enumerate(env.open):
            _, decision, answer, view = games[episode].pop(0)
            expected = describe_slowly(decision, view, rules)
            assert env.observations[row].tolist() == expected
            actions.append(find_action(decision, answer, rules))
            compared += 1
        env.step(np.array(actions))
    assert compared > 100 and not any(games)


def find_action(decision: str, answer: int, rules: GameRules) -> int:
    ranks = get_engine(rules).pack.bit_count() // 4
    if decision == "card":
        bit = answer.bit_length() - 1
        return bit // 16 * ranks + bit % 16
    if decision == "bid" and answer >= 0:
        assert isinstance(rules, KqjRules)
        step = ((answer >> 4) - rules.minimum_bid) // 10
        return 4 * ranks + 2 + step * 12 + (answer & 15)
    return 4 * ranks + answer + (decision in ("take", "bid"))


def test_other_players_are_built_in_ones() -> None:
    """Team 0 by actions, team 1 by a policy: as if both sides were policies."""
    env = BatchEnvironment(AUCTION_2, [None, "greedy"] * 3, decisions=["card"], seed=3)
    assert env.agents == [0, 2, 4]
    play(env, 300, lambda masks: masks.argmax(axis=1))
    rows = simulate(Experiment(AUCTION_2, (lowest_card, "greedy") * 3, deals=300, seed=3))
    assert (env.scores == get_team_scores(rows).T[:, :2]).all()


@pytest.mark.parametrize("rules", DEFAULTS, ids=name_rules)
def test_games_end_with_a_winner(rules: GameRules) -> None:
    env = BatchEnvironment(rules, games=True, seed=1)
    play(env, 30, choose_at_random(2))
    assert (env.winners >= 0).all()
    assert (env.rewards.sum(axis=1) == rules.seats // rules.team_count).all()
    best = (rules.score_sign * env.scores).argmax(axis=1)
    assert (env.winners == best).all()
    reached = rules.score_sign * (env.scores - encoded_target(rules)) >= 0
    assert reached.any(axis=1).all()


def encoded_target(rules: GameRules) -> int:
    return int(get_engine(rules).encode_rules(rules).target)


def test_the_same_seed_gives_the_same_rounds_whatever_the_batch() -> None:
    one, other = BatchEnvironment(seed=8), BatchEnvironment(seed=1)
    one.reset(600)
    other.reset([599, 3], seed=8)
    for _ in range(20):
        for env in (one, other):
            env.step(env.masks[:, ::-1].argmax(axis=1) * -1 + env.action_count - 1)
    for mine, theirs in ((599, 0), (3, 1)):
        row, at = one.open.tolist().index(mine), other.open.tolist().index(theirs)
        assert (one.observations[row] == other.observations[at]).all()
        assert one.seats[row] == other.seats[at]
    seen = one.observations[one.open == 3]
    one.select([3, 599, 3])
    assert (one.observations[[0, 2]] == seen).all() and one.open.tolist() == [0, 1, 2]


WRONG_REWARDS: list[tuple[dict[str, Any], str]] = [
    ({"reward": "eqity"}, "reward: it is 'result' or 'equity', not 'eqity'"),
    ({"reward": "equity", "games": True}, "reward: 'equity' is for rounds"),
    ({"scores_before": (0, 0)}, "`scores_before` for 'equity'"),
    ({"reward": "equity", "scores_before": "640"}, "`scores_before`: each of 2 teams has a score"),
    ({"reward": "equity", "scores_before": 1.5}, "`scores_before`: "),
    (
        {"reward": "equity", "rules": KqjRules(partners="random")},
        "with random partners each player",
    ),
    *(({"reward": "equity", "rules": rules}, "is known for KQJ only") for rules in DEFAULTS[1:]),
]


@pytest.mark.parametrize(
    "rules_and_scores",
    slow_after(1, [(AUCTION_2, (640, 880)), (TAKE_2, (0, 0)), (TAKE_3, (800, 900, 650))]),
)
def test_equity_as_the_reward(rules_and_scores: tuple[KqjRules, tuple[int, ...]]) -> None:
    """The chance that `kqj.equity` gives after the round, minus that before it."""
    rules, before = rules_and_scores
    result = kqj.equity(rules=rules, scores=before)
    env = BatchEnvironment(rules, seed=4, reward="equity", scores_before=before)
    env.reset(60)
    assert not env.rewards.any()
    play(env, 60, choose_at_random(5))
    litigated = 0
    for episode, (points, rewards) in enumerate(zip(env.scores, env.rewards, strict=True), 60):
        after, pending = before + points, env.record(episode - 60).pending_after
        litigated += pending > 0
        for seat in range(6):
            # Of each side the scores begin with its own, and its seats are 0, 2 and 4.
            old, new = (np.roll(scores, -seat).tolist() for scores in (before, after))
            chance = float(result.chance(old, (episode - seat) % 6))
            if max(new) < rules.target:
                later = float(result.chance(new, (episode + 1 - seat) % 6, pending))
            else:
                later = float(max(new) == new[0])
            # A pending gratuity counts as the mean one.
            assert rewards[seat] == pytest.approx(later - chance, abs=0.02 if pending else 1e-6)
        assert rewards.sum() == pytest.approx(0, abs=1e-5)
    assert litigated < 10 and env.rewards.std() > 0.01


def test_wrong_input_ends_with_one_line() -> None:
    env = BatchEnvironment()
    env.reset(2)
    for actions, message in (
        ([48], "actions should be a whole number for each of the 2 open decisions"),
        ([48, 1.5], "actions should be a whole number for each"),
        ([48, 0], "action 0 of open decision 1 is not legal; legal there: 48, "),
        ([48, -1], "action -1 of open decision 1 is not legal"),
        ([48, 10**6], "action 1000000 of open decision 1 is not legal"),
    ):
        with pytest.raises(InputError, match=message):
            env.step(np.array(actions))
    with pytest.raises(InputError, match="only finished rounds have a record"):
        env.record(0)
    with pytest.raises(InputError, match="episodes should be some of those with an open decision"):
        env.select([2])
    with pytest.raises(InputError, match="episodes should be their number, or a list of numbers"):
        env.reset([-1])
    with pytest.raises(InputError, match="players: give None for a seat where actions decide"):
        BatchEnvironment(players=["greedy"] * 6)
    with pytest.raises(InputError, match="decisions: "):
        BatchEnvironment(decisions=["crad"])
    for arguments, message in WRONG_REWARDS:
        with pytest.raises(InputError, match=message):
            BatchEnvironment(**arguments)


def test_a_failing_function_is_named() -> None:
    def fail(seen: Any, masks: Any) -> Any:
        raise ValueError("no weights")

    with pytest.raises(
        InputError, match="player 'outside', deal 0 of seed 1: ValueError: no weights"
    ):
        kqj.simulate(deals=10, policy=make_player(fail, decisions=["card"]))
    wrong: Player = make_player(lambda seen, masks: masks.argmin(axis=1), decisions=["card"])
    with pytest.raises(
        InputError, match="'outside' chooses in this process: leave out the cluster"
    ):
        pickle.dumps(wrong)
    with pytest.raises(InputError, match="is not legal"):
        kqj.simulate(deals=10, policy=wrong)


def test_a_decision_has_room_whatever_the_length_of_an_auction() -> None:
    """The lowest bid each time: more than a hundred choices before the first card."""
    env = BatchEnvironment(AUCTION_2, seed=1)

    def bid_lowest(masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        can_bid = masks[:, 50:].any(axis=1)
        lowest = np.where(can_bid, 50 + masks[:, 50:].argmax(axis=1), masks.argmax(axis=1))
        return np.asarray(lowest, np.int64)

    assert play(env, 3, bid_lowest) > 3 * 150
    assert check_record(env.record(0)) == []


def test_game_decisions_are_those_of_the_environment() -> None:
    for rules in VARIANTS[:1] + DEFAULTS:
        assert set(find_game(rules.game).decisions) <= set(outside.DECISIONS)
