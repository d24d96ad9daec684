"""Rounds and games to train in: many at once, in arrays (docs/environment.md).

from kqj_sim.env import BatchEnvironment

env = BatchEnvironment(seed=1)
env.reset(1_000)
while len(env.open):
    env.step(choose_actions(env.observations, env.masks))
print(env.rewards)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.arguments import parse_argument, parse_scores
from kqj_sim.core import round as core_round
from kqj_sim.core.block import ILLEGAL, LANES, ROW_COUNT, STRIDE, allocate_block
from kqj_sim.core.dispatch import LOOP_COUNT, LOOP_ENTRIES
from kqj_sim.core.jit import address_of
from kqj_sim.core.types import MAX_POLICIES
from kqj_sim.engines import get_engine
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.messages import describe_error, shorten, suggest_names
from kqj_sim.policies import outside
from kqj_sim.policies.binding import DECISION_OF_LOOP
from kqj_sim.policies.players import ConfiguredPolicy, Player, PlayerLike, get_default_player
from kqj_sim.policies.registry import Policy
from kqj_sim.record import Record
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.encode import encode_rules
from kqj_sim.simulation.experiment import MAX_DEAL, Experiment
from kqj_sim.simulation.recording import make_recording_block, play_rounds
from kqj_sim.stats import equity as stats_equity

_ROOM = 64
"""Choices of a round for which room is made at a time."""


def _make_room(count: int) -> NDArray[np.int64]:
    """Return room for choices of a number of episodes."""
    return np.full((_ROOM, count), outside.OPEN)


class _Space:
    """The sizes of observations and masks under some rules, and their arrays."""

    def __init__(self, rules: GameRules) -> None:
        self.ranks = get_engine(rules).pack.bit_count() // outside.SUITS
        self.rules = encode_rules(rules)
        self.features, self.actions = outside.measure(self.ranks, self.rules)

    def make_arrays(self, count: int) -> tuple[Any, Any, Any, Any]:
        """Return arrays for decisions, as `policies.outside.describe_decisions` fills them."""
        words = np.empty((count, self.features // 8), np.int64)
        masks = np.empty((count, self.actions), np.bool_)
        return np.empty((count, 3), np.int64), words, words.view(np.int8), masks

    def convert(self, found: Any, masks: Any, actions: Any) -> Any:
        """Return actions as a policy's choices; raise InputError for one that is not legal."""
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu" or chosen.shape != (len(found),):
            raise InputError(
                f"actions should be a whole number for each of the {len(found)} open decisions"
            )
        choices, at = outside.convert_actions(
            found, masks, chosen.astype(np.int64), self.ranks, self.rules.minimum_bid
        )
        if at >= 0:
            legal = shorten(", ".join(map(str, np.flatnonzero(masks[at]))))
            raise InputError(
                f"action {chosen[at]} of open decision {at} is not legal; legal there: {legal}"
            )
        return choices


def _check_decisions(decisions: Sequence[str] | None, game: str) -> tuple[str, ...]:
    known = find_game(game).decisions
    for name in decisions or ():
        if name not in known:
            raise InputError(f"decisions: {suggest_names(name, known)}")
    return tuple(decisions or known)


def _make_player(policy: Policy, game: str, name: str) -> Player:
    """Return the player for whom a policy decides; the default player makes other decisions."""
    default = get_default_player(game)
    configured = ConfiguredPolicy(policy, (), name, game)
    calling = configured if policy.calls(game) else default.calling
    return Player(calling, configured if policy.plays else default.playing, name, name)


class BatchEnvironment:
    """Rounds, or games, that go on together, each as far as its next open decision.

    Args:
        rules: `KqjRules` or `KwajongenRules`, by default those of KQJ.
        players: for each seat None, if actions decide there, or a player, as in `Experiment`;
            empty for None everywhere.
        decisions: the decisions that actions make, such as `["card"]`; the default player makes
            the others.  By default all.
        seed: 0 to 2**63 - 1; seed and number determine a deal, as everywhere.
        games: whether an episode is a game to the target score, not a round.
        reward: "result", or "equity" for what a round of KQJ changes in the chance to win the game,
            with fixed partners.
        scores_before: with "equity": the scores before each round, by default 0, that of seat 0's
            team first: "640:880", or a list.

    Attributes:
        open: int64 (n,), the numbers of the episodes with an open decision, in order; the arrays
            below have a row for each.
        seats: int64 (n,), the seat that decides.
        observations: int8 (n, `feature_count`), what the player there knows.
        masks: bool (n, `action_count`), True where an action is legal.

    Raises:
        InputError: a player, decision, reward or score is wrong; no seat is None; nobody knows the
            chance to win the game.

    Example:
        >>> from kqj_sim.env import BatchEnvironment
        >>> env = BatchEnvironment(seed=1)
        >>> env.reset(100)
        >>> while len(env.open):
        ...     env.step(env.masks.argmax(axis=1))
        >>> env.rewards.shape
        (100, 6)
    """

    def __init__(
        self,
        rules: GameRules | None = None,
        players: Sequence[PlayerLike | None] = (),
        decisions: Sequence[str] | None = None,
        seed: int = 1,
        games: bool = False,
        reward: str = "result",
        scores_before: str | Sequence[int] | None = None,
    ) -> None:
        rules = KqjRules() if rules is None else rules
        if reward not in ("result", "equity"):
            raise InputError(f"reward: it is 'result' or 'equity', not {reward!r}")
        if (reward == "result" and scores_before is not None) or (reward == "equity" and games):
            raise InputError("reward: 'equity' is for rounds, and `scores_before` for 'equity'")
        self._chances = _Chances(rules, scores_before) if reward == "equity" else None
        policy = outside.make_policy(_check_decisions(decisions, rules.game))
        agent = _make_player(policy, rules.game, "outside").under(rules)
        given = [agent if each is None else each for each in players or [None] * rules.seats]
        experiment = self._experiment = Experiment(rules, given, seed=seed)
        self.agents = [seat for seat, each in enumerate(experiment.players) if each == agent]
        if not self.agents:
            raise InputError("players: give None for a seat where actions decide")
        self.rules, self.games, self._next = rules, games, 0
        self._space = _Space(rules)
        self.action_count, self.feature_count = self._space.actions, self._space.features
        _, seating = experiment.compile_seating()
        self._resource = np.zeros(outside.RESOURCE_SIZE, np.int64)
        self._resources = seating.resources.copy()
        number = [*dict.fromkeys(experiment.players)].index(agent)
        self._resources[outside.RESOURCE] = self._resource.ctypes.data
        for loop in range(LOOP_COUNT):
            if DECISION_OF_LOOP[loop] in policy.choices:
                self._resources[loop * MAX_POLICIES + number] = self._resource.ctypes.data
        stages, no_columns = seating.stages.copy(), np.empty(0, np.int64)
        if isinstance(rules, KqjRules):
            stages[-1] = address_of(outside.finish_rounds, core_round.STAGE_SIGNATURE)
        self._seating = seating._replace(
            resources=self._resources, wanted=no_columns, stages=stages
        )
        engine = get_engine(rules)
        self._advance = address_of(engine.advance, core_round.ADVANCE_SIGNATURE)
        self._state = allocate_block()
        self.reset([])

    def reset(self, episodes: int | Sequence[int], seed: int | None = None) -> None:
        """Begin episodes: so many with the next deals, or those of some numbers.

        With a seed the next deal is number 0 of that seed.  In games the numbers are those of
        games.
        """
        if seed is not None:
            self._experiment = Experiment(self.rules, self._experiment.players, seed=seed)
            self._next = 0
        try:
            if isinstance(episodes, int):
                numbers = np.arange(self._next, self._next + episodes)
                self._next += max(episodes, 0)
            else:
                numbers = np.asarray([*episodes], np.int64)
            if ((numbers < 0) | (numbers > MAX_DEAL)).any() or np.ndim(numbers) != 1:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InputError("episodes should be their number, or a list of numbers") from None
        count, seats = len(numbers), self.rules.seats
        self._choices, self._made = _make_room(count), np.zeros(count, np.int64)
        self._slots = core_round.new_slots(count)
        if self.games:
            for slot, number in zip(self._slots, numbers.tolist(), strict=True):
                core_round.start_games(
                    slot[None], 1, number, self._experiment.seed, self._space.rules
                )
        else:
            self._slots[:, core_round.GAME] = numbers // core_round.MAX_ROUNDS
            self._slots[:, core_round.ROUND] = numbers % core_round.MAX_ROUNDS
            self._slots[:, core_round.NEXT_DEALER] = numbers % seats
        self._numbers = numbers
        self._replay(np.arange(count))

    def step(self, actions: NDArray[np.int64]) -> None:
        """Act in all open decisions.

        Args:
            actions: integers (n,), one for each of `open`: a card (its suit times the ranks of a
                suit plus its rank), then pass, then the other calls (docs/environment.md).

        Raises:
            InputError: an action is not legal, or they are not one for each open decision.
        """
        choices = self._space.convert(self._found, self.masks, actions)
        made = self._made[self.open]
        self._choices[made, self.open] = choices
        self._made[self.open] = made + 1
        if made.max(initial=0) + 2 > len(self._choices):
            self._choices = np.vstack([self._choices, _make_room(len(self._made))])
        self._replay(self.open)

    def select(self, episodes: Sequence[int] | NDArray[np.int64]) -> None:
        """Go on with some of the episodes alone, in that order, each as often as it is named.

        Only episodes with an open decision can be named.
        """
        index = np.asarray(episodes, np.int64)
        if not np.isin(index, self.open).all():
            raise InputError("episodes should be some of those with an open decision")
        self._choices = np.ascontiguousarray(self._choices[:, index])
        self._made, self._slots, self._numbers = (
            each[index] for each in (self._made, self._slots, self._numbers)
        )
        self._replay(np.arange(len(index)))

    def _replay(self, index: NDArray[np.int64]) -> None:
        space = self._space
        pieces: list[tuple[Any, ...]] = []
        while len(index) or not pieces:
            arrays = space.make_arrays(len(index))
            count = outside.replay_rounds(
                self._state, self._resource, self._choices, self._slots, index,
                self._experiment.seed, space.rules, self._seating, self._advance, space.ranks,
                *arrays,
            )  # fmt: skip
            found, _, observations, masks = (each[:count] for each in arrays)
            pieces.append((found, observations, masks))
            # The next round of a game begins at once.
            index = np.setdiff1d(index, found[:, 0]) if self.games else index[:0]
            index = index[self._slots[index, core_round.WINNER] < 0]
            self._made[index], self._choices[:, index] = 0, outside.OPEN
            if (self._slots[index, core_round.ROUND] >= core_round.MAX_ROUNDS).any():
                raise InputError(f"a game is not over after {core_round.MAX_ROUNDS:,} rounds")
        if len(pieces) > 1:
            order = np.concatenate([piece[0][:, 0] for piece in pieces]).argsort()
            pieces = [tuple(np.concatenate(each)[order] for each in zip(*pieces, strict=True))]
        self._found, self.observations, self.masks = pieces[0]
        self.open, self.seats = self._found[:, 0].copy(), self._found[:, 2].copy()

    @property
    def scores(self) -> NDArray[np.int64]:
        """Scores of the rounds, or games, so far.

        int64 (episodes, teams), or (episodes, seats) with random partners.
        """
        return self._slots[:, core_round.SCORE :][:, : self.rules.score_count].copy()

    @property
    def winners(self) -> NDArray[np.int64]:
        """Number of the score that won each game, int64 (episodes,); -1 before, and in rounds."""
        return np.where(self.games, self._slots[:, core_round.WINNER], -1)

    @property
    def _is_over(self) -> NDArray[np.bool_]:
        is_over = np.ones((len(self._numbers), 1), np.bool_)
        is_over[self.open] = False
        return is_over

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Reward of each seat in the finished episodes, (episodes, seats); 0 in others.

        In rounds it is the lead: the score of the seat minus the mean score of the seats outside
        its team (in Kwajongen, where fewer are better, the other way round).  In games it is 1 for
        a win, 0 for a loss.  With `reward="equity"` it is the chance of the seat's team to win the
        game after the round minus that before.
        """
        rules, is_over = self.rules, self._is_over
        fixed = rules.score_count < rules.seats
        column = np.array([rules.fixed_team_of(s) if fixed else s for s in range(rules.seats)])
        if self.games:
            return np.where(is_over, self.winners[:, None] == column, 0.0)
        if self._chances is not None:
            next_dealers = self._slots[:, core_round.NEXT_DEALER]
            pending = self._slots[:, core_round.PENDING_NEXT] > 0
            gains = self._chances.measure_gains(self.scores, next_dealers, pending)
            return np.where(is_over, gains[:, column], 0.0)
        scores = rules.score_sign * self.scores[:, column]
        # With the player's team in the mean the difference is smaller by this factor.
        factor = rules.team_count / (rules.team_count - 1)
        return np.where(is_over, factor * (scores - scores.mean(axis=1, keepdims=True)), 0.0)

    def record(self, episode: int) -> Record:
        """Return the record of a finished round (docs/records.md).

        Raises:
            InputError: the round is not finished, or episodes are games.
        """
        if self.games or not self._is_over[episode]:
            raise InputError("only finished rounds have a record, and no games")
        outside.set_choices(self._resource, self._choices, np.array([episode]))
        block = make_recording_block(self._experiment)
        block.seating = block.seating._replace(resources=self._resources)
        number = int(self._numbers[episode])
        return play_rounds(block, [(number, number % self.rules.seats, 0)])[0]


class _Chances:
    """The chance of each team to win the game, between default players."""

    def __init__(self, rules: GameRules, scores_before: str | Sequence[int] | None) -> None:
        checked, scores = stats_equity.require_table_rules(rules), (0,) * rules.team_count
        if scores_before is not None:
            read = parse_argument("scores_before", parse_scores, scores_before)
            scores = parse_argument("scores_before", stats_equity.order_scores, read, checked)
        player = get_default_player(rules.game)
        experiment = Experiment(rules, player, stats_equity.GAME_DEALS)
        counted = stats_equity.load_rounds(experiment)
        if counted is None:
            counted, _ = stats_equity.play_rounds(experiment, None, lambda count: None)
        table = stats_equity.EquityTable(experiment, counted)
        self._start, self._teams = np.array([scores]), len(scores)
        # All teams play alike: each is looked up as if it were the first.
        self._equity = table.solve(0, [min(scores)] * self._teams)

    def measure_gains(
        self, scores: NDArray[np.int64], next_dealers: NDArray[np.int64], pending: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return what rounds with these scores change, (n, teams); none had a pending gratuity."""
        gains, nothing = np.zeros(scores.shape), np.zeros(1, np.bool_)
        for team, dealer in product(range(self._teams), repeat=2):
            at = next_dealers % self._teams == dealer
            before = np.roll(self._start, -team, axis=1)
            after = before + np.roll(scores[at], -team, axis=1)
            gains[at, team] = self._equity.look_up(after, dealer - team, pending[at])
            gains[at, team] -= self._equity.look_up(before, dealer - 1 - team, nothing)
        return gains


def make_player(
    function: Callable[[NDArray[np.int8], NDArray[np.bool_]], Any],
    rules: GameRules | None = None,
    decisions: Sequence[str] | None = None,
    name: str = "outside",
) -> Player:
    """Return a player whose decisions a function makes, for `kqj_sim.compare` and others.

    Args:
        function: (observations, masks) to actions, as of `BatchEnvironment`; it is asked for many
            deals at once, and by several threads.  In Kwajongen it is asked for one at a time.
        rules: the rules of the rounds, by default those of KQJ.
        decisions: those that it makes, such as `["card"]`; the default player makes the others.
        name: the name to show.

    An exception in the function, or an action that is not legal, ends the run with an InputError.

    Example:
        >>> import kqj_sim as kqj
        >>> from kqj_sim.env import make_player
        >>> lowest = make_player(lambda seen, masks: masks.argmax(axis=1), decisions=["card"])
        >>> kqj.simulate(deals=300, policy=lowest).deals
        300
    """
    rules = KqjRules() if rules is None else rules
    policy = outside.make_policy(_check_decisions(decisions, rules.game))
    space = _Space(rules)
    policy.wrap_loop = lambda loop: _OutsideLoop(loop, function, space, policy)
    return _make_player(policy, rules.game, name)


class _OutsideLoop:
    """A loop over a block that asks a function of Python for all its lanes at once."""

    def __init__(
        self, loop: Any, function: Callable[..., Any], space: _Space, policy: Policy
    ) -> None:
        kinds = [ctypes.c_void_p, *[ctypes.c_int64] * 6, ctypes.c_void_p, ctypes.c_void_p]
        kind = ctypes.CFUNCTYPE(None, *kinds)
        self._loop, self._function, self._space = kind(loop.address), function, space
        self._policy, self._kept = policy, (loop, callback := kind(self._ask))
        self.address = ctypes.cast(callback, ctypes.c_void_p).value

    def _ask(self, block: int, *arguments: int) -> None:
        size = ROW_COUNT * STRIDE
        state = np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(block))
        before = state.copy()
        resource = np.zeros(outside.RESOURCE_SIZE, np.int64)
        resources = np.full(LOOP_ENTRIES, resource.ctypes.data)
        arrays, space = self._space.make_arrays(LANES), self._space
        chosen, lanes = np.full((2, LANES), outside.OPEN), np.arange(LANES)
        outside.set_choices(resource, chosen, lanes)
        try:
            # The first time it notes the views, and the second time makes the choices.
            self._loop(block, *arguments[:-1], resources.ctypes.data)
            state[:] = before
            count = outside.describe_decisions(
                resource, LANES, space.ranks, space.rules, 0, *arrays
            )
            found, _, observations, masks = (each[:count] for each in arrays)
            if count:
                choices = space.convert(found, masks, self._function(observations, masks))
                chosen[0, found[:, 0]] = choices
                outside.set_choices(resource, chosen, lanes)
                self._loop(block, *arguments[:-1], resources.ctypes.data)
        except Exception as error:
            # It cannot pass through the engine, which stops at the next illegal choice.
            self._policy.failure = describe_error(error)
            state[ILLEGAL : ILLEGAL + STRIDE] = 1
