"""The chance of each side to win a game of KQJ: by score, dealer and pending gratuity.

Simulated rounds give the joint distribution of their scores, by dealer.  Players know neither the
scores nor what is pending, so that rounds are independent, and a dynamic programme over the scores,
from the target down, gives the chances.  Two rare things are simplified: every litigation, one in
200 rounds, leaves the same gratuity, the one that is pending at the score asked for or else the
mean; and a lead that is shared at the end, which takes three teams, is anybody's.

The error is that of the rounds, by a delete-a-group jackknife (K. M. Wolter, Introduction to
Variance Estimation, 2nd ed., 2007, chapter 4).

With random partners six scores are too many states: games are played on from the scores asked for,
by rounds drawn from one of the groups of deals.  The spread of the groups' shares of games won is
the error of rounds and games together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import cell_index
from kqj_sim.core.jit import kernel
from kqj_sim.core.scoring import FAILED, LITIGATION, MADE, PASSED_OUT
from kqj_sim.core.types import BoolArray, Float32Array, Float64Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.rules import SEATS, GameRules, KqjRules, require_kqj_rules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import iterate_row_chunks
from kqj_sim.simulation.workers import Workers
from kqj_sim.stats.intervals import Estimate, compute_reach

POINTS = 10
"""Every score, amount and gratuity is a multiple of this."""

MAX_TARGETS = {2: 20_000, 3: 2_000}
"""The highest targets, by number of teams: of some millions of states."""

GROUPS = 20
"""Groups of deals of the jackknife."""

GAME_DEALS = 100_000
"""Deals that show what rounds bring, of players whose rounds are not stored."""

GROUP_GAMES = 1000
"""Games with random partners that are played on by the rounds of a group."""

MIN_DEALS = 2 * SEATS * GROUPS
"""Deals of a table, at least: those without a group have some of each dealer."""

_COARSE = 5
"""Step of the scores in the jackknife with three teams, in tens: a hundredth of the states."""

AXES = 3
"""Scores of a state; with two teams the first is always 0."""

STORED = Path(__file__).with_name("equity.npz")
"""Rounds of the default players (`tools/count_rounds.py`)."""

# Rounds, counted.

DEALER, RESULT, PENDING, WINS, SCORES = 0, 1, 2, slice(3, 6), slice(6, 9)
"""Columns of counted rounds: dealer, result and gratuity left; for each team whether a gratuity
that waits goes to it, and its score; with random partners for each seat instead."""


class CountedRounds(NamedTuple):
    """Rounds that occurred, int64 (n, 9) or (n, 15), and how often in each group, (n, GROUPS)."""

    rounds: Int64Array
    counts: Int64Array


def _combine(rounds: Int64Array, counts: Int64Array) -> CountedRounds:
    """Return each round once."""
    different, places = np.unique(rounds, axis=0, return_inverse=True)
    sums = np.zeros((len(different), GROUPS), np.int64)
    np.add.at(sums, places.reshape(-1), counts)
    return CountedRounds(different, sums)


_READ = ("dealer", "result", "pending_after", "contracting_team", "defending_total")
_READ_BY_TEAM = ("total", "score")
"""Columns of rows, and those that each team has, which are counted."""
_TEAMS_OF_SEATS = [f"team_of_seat_{seat}" for seat in range(SEATS)]


def _count_rows(rows: Rows, by_seat: bool) -> CountedRounds:
    dealer, result, pending, sender, best = map(rows.column, _READ)
    totals, scores = (
        [rows.column(f"{name}_{team}") for team in range(AXES)] for name in _READ_BY_TEAM
    )
    wins = [
        np.where(sender == team, result == MADE, (result == FAILED) & (total == best))
        for team, total in enumerate(totals)
    ]
    if by_seat:
        teams = np.array([rows.column(name) for name in _TEAMS_OF_SEATS], np.int64)
        wins, scores = (
            [*np.take_along_axis(np.array(by_team), teams, 0)] for by_team in (wins, scores)
        )
    rounds = np.column_stack([dealer, result, pending, *wins, *scores]).astype(np.int64)
    group = rows.deal // SEATS % GROUPS  # Each group has as many deals of each dealer.
    return _combine(rounds, (group[:, np.newaxis] == np.arange(GROUPS)).astype(np.int64))


def play_rounds(
    experiment: Experiment, threads: Workers, progress: Callable[[int], None]
) -> tuple[CountedRounds, bool]:
    """Play and count rounds; also return whether Ctrl-C, raised by `progress`, ended it early.

    Raises:
        KeyboardInterrupt: there are fewer than `MIN_DEALS`.
    """
    by_seat = experiment.rules.partners == "random"
    columns = np.zeros((0, 3 + 2 * (SEATS if by_seat else AXES)), np.int64)
    sums, interrupted = CountedRounds(columns, np.zeros((0, GROUPS), int)), False
    by_team = (f"{name}_{team}" for name in _READ_BY_TEAM for team in range(AXES))
    read = frozenset((*_READ, *by_team, *_TEAMS_OF_SEATS))
    try:
        for rows in iterate_row_chunks(experiment, threads, columns=read):
            counted = _count_rows(rows, by_seat)
            sums = _combine(*(np.concatenate(pair) for pair in zip(sums, counted, strict=True)))
            progress(len(rows))
    except KeyboardInterrupt:
        if sums.counts.sum() < MIN_DEALS:
            raise
        interrupted = True
    return sums, interrupted


def load_rounds(experiment: Experiment) -> CountedRounds | None:
    """Return the stored rounds of these rules, whatever the target, players and seed; else None."""
    rules, (player, *others) = experiment.rules, dict.fromkeys(experiment.players)
    if others or not isinstance(rules, KqjRules) or rules.partners != "fixed":
        return None
    name = f"{rules.teams}-{rules.bidding}"
    described = [replace(rules, target=KqjRules.target).to_dict(), player.text, experiment.seed]
    with np.load(STORED) as stored:
        if described != json.loads(str(stored["about"]))[name][: len(described)]:
            return None
        return CountedRounds(
            *(stored[f"{name}-{part}"].astype(np.int64) for part in CountedRounds._fields)
        )


# The dynamic programme.


class Transitions(NamedTuple):
    """The outcomes of a round, for each dealer d and nothing (0) or a gratuity (1) pending, p.

    Attributes:
        steps: int64 (n, AXES), scores of the round; those of d and p begin at `starts[2 * d + p]`,
            and from `last_axis[2 * d + p]` on only the last side scores.
        pending: int64 (n,), whether a gratuity is pending afterwards.
        chances: float64 (n,).
    """

    steps: Int64Array
    pending: Int64Array
    chances: Float64Array
    starts: Int64Array
    last_axis: Int64Array


@kernel
def solve(values: Float32Array, target: Int64Array, rounds: Transitions) -> None:
    """Fill the chances of a side to win the game where no score has reached the target.

    Args:
        values: float32 (dealers, 2, n_0, n_1, n_2), by dealer, by whether a gratuity is pending,
            and by the scores; filled where the game is over.
        target: int64 (AXES,), the target in each axis.
    """
    dealers = values.shape[0]
    sums = np.zeros((2 * dealers, target[2]))
    stays = np.zeros((2 * dealers, 2))
    for which in range(2 * dealers):
        for k in range(rounds.last_axis[which], rounds.starts[which + 1]):
            if rounds.steps[k, 2] == 0:
                stays[which, rounds.pending[k]] += rounds.chances[k]
    for x in range(target[0] - 1, -1, -1):
        for y in range(target[1] - 1, -1, -1):
            # Rounds in which others score lead to rows that are known: whole rows are added.
            for which in range(2 * dealers):
                row = sums[which]
                row[:] = 0.0
                for k in range(rounds.starts[which], rounds.last_axis[which]):
                    one, two, step = rounds.steps[k, 0], rounds.steps[k, 1], rounds.steps[k, 2]
                    after = (which // 2 + 1) % dealers
                    known = values[after, rounds.pending[k], x + one, y + two]
                    chance = rounds.chances[k]
                    for z in range(target[2]):
                        row[cell_index(0, z)] += chance * known[cell_index(step, z)]
            for z in range(target[2] - 1, -1, -1):
                for which in range(2 * dealers):
                    after = (which // 2 + 1) % dealers
                    for k in range(rounds.last_axis[which], rounds.starts[which + 1]):
                        step = rounds.steps[k, 2]
                        if step > 0:
                            known = values[after, rounds.pending[k], x, y]
                            sums[which, z] += rounds.chances[k] * known[z + step]
                # The rest leaves the score as it is and goes on to the next dealer, in the end to
                # the first: a linear equation, first where a gratuity is pending and stays so.
                for pending in (1, 0):
                    value, factor = 0.0, 1.0
                    for dealer in range(dealers):
                        if pending == 0:
                            later = values[(dealer + 1) % dealers, 1, x, y, z]
                            sums[2 * dealer, z] += stays[2 * dealer, 1] * later
                        value += factor * sums[2 * dealer + pending, z]
                        factor *= stays[2 * dealer + pending, pending]
                    value /= 1 - factor
                    for dealer in range(dealers - 1, -1, -1):
                        which = 2 * dealer + pending
                        value = sums[which, z] + stays[which, pending] * value
                        values[dealer, pending, x, y, z] = value


# The table.


def require_table_rules(rules: GameRules) -> KqjRules:
    """Return rules under which there is a table; raise InputError for others."""
    if isinstance(rules, KqjRules) and rules.partners == "random":
        raise InputError(
            "with random partners each player has their own score: only `equity` knows the chance "
            "to win the game then"
        )
    return require_equity_rules(rules)


def require_equity_rules(rules: GameRules) -> KqjRules:
    """Return rules under which the chance to win is known; raise InputError for others."""
    if not isinstance(rules, KqjRules):
        raise InputError(f"the chance to win the game is known for KQJ only, not for {rules.game}")
    most = MAX_TARGETS[rules.teams]
    if rules.target > most:
        raise InputError(f"the chance to win the game is known up to a target of {most:,}")
    return rules


def order_scores(scores: Sequence[int], rules: KqjRules, team: int = 0) -> tuple[int, ...]:
    """Return the scores by team or player, of those that begin with `team` and go on to its left.

    Raises:
        InputError: they are not the scores of a game that goes on.
    """
    sides = rules.score_count
    example = ":".join(map(str, (640, 880, 500, 370, 90, 710)[:sides]))
    if len(scores) != sides:
        of = "players" if sides == SEATS else "teams"
        raise InputError(f"each of {sides} {of} has a score, yours first, such as {example}")
    for score in scores:
        if score % POINTS or score >= rules.target:
            raise InputError(
                f"{score} is not a multiple of {POINTS} below the target of {rules.target}"
            )
    return tuple(scores[(number - team) % sides] for number in range(sides))


def _to_steps(points: Int64Array, step: int) -> Int64Array:
    """Return points in steps of so many tens; half a step counts as one."""
    return np.asarray((2 * points // POINTS + step) // (2 * step))


class Equity:
    """The chance of one side to win the game, from some scores up.

    Attributes:
        table: the table with the rounds.
        team: the side.
        lowest: the lowest scores in points, by team.
        pending: the gratuity of a litigation; 0 for the mean.
        step: step of the scores, in tens.
    """

    def __init__(
        self, table: EquityTable, team: int, lowest: Sequence[int], pending: int = 0, step: int = 1
    ) -> None:
        """Find the chances by the rounds of a table."""
        self.table, self.team, self.lowest = table, team, tuple(lowest)
        self.pending = pending
        self.step, self._axis = step, team + AXES - table.rules.teams
        self._base = table.to_axes(lowest) // (POINTS * step)
        self._target = -(-table.rules.target // (POINTS * step))
        rounds = table.list_transitions(pending, step, self._target)
        target = self._target - self._base
        target[: AXES - table.rules.teams] = 1
        scores = np.indices(target + rounds.steps.max(axis=0), np.int16)
        scores += self._base.astype(np.int16)[:, np.newaxis, np.newaxis, np.newaxis]
        best = scores.max(axis=0)
        leaders = (scores == best).sum(axis=0, dtype=np.float32)
        self._values = np.empty((table.dealers, 2, *best.shape), np.float32)
        self._values[:] = (scores[self._axis] == best) / leaders
        solve(self._values, target, rounds)

    def look_up(self, scores: Int64Array, dealer: int, pending: BoolArray) -> Float64Array:
        """Return the chances at scores in points, int64 (n, teams).

        Args:
            dealer: seat of the next dealer.
            pending: bool (n,), whether a litigation gratuity is pending.
        """
        steps = _to_steps(self.table.to_axes(scores), self.step) - self._base
        x, y, z = np.clip(steps, 0, np.array(self._values.shape[2:]) - 1).T
        dealer %= self.table.dealers
        chances = self._values[dealer, pending.astype(int), x, y, z]
        return np.asarray(chances, np.float64)


class EquityTable:
    """The chance of each side to win the game, by rounds of the players of an experiment.

    Attributes:
        dealers: number of dealers that differ: one of each side, if its players are alike.
        deals: number of deals.
    """

    def __init__(self, experiment: Experiment, counted: CountedRounds) -> None:
        """Make a table; raise InputError if nobody ever scores, so that games do not end."""
        self.rules, self.deals = require_kqj_rules(experiment.rules), int(counted.counts.sum())
        self._experiment, self._counted = experiment, counted
        teams, players = self.rules.teams, experiment.players
        _require_scores(counted)
        is_alike = [player == players[seat % teams] for seat, player in enumerate(players)]
        self.dealers = teams if all(is_alike) else SEATS
        if len({*players}) == 1:
            first, counts = turn_to_dealer(counted, teams)
            turned = [_turn(first, teams, dealer) for dealer in range(teams)]
            self._parts = [(rounds, counts.sum(axis=1)) for rounds in turned]
        else:
            at = [counted.rounds[:, DEALER] % self.dealers == d for d in range(self.dealers)]
            self._parts = [(counted.rounds[own], counted.counts[own].sum(axis=1)) for own in at]
        self._jackknife: dict[tuple[int, int], list[Equity]] = {}
        self._solved: dict[tuple[int, int], Equity] = {}

    def solve(self, team: int, scores: Sequence[int], pending: int = 0) -> Equity:
        """Return the chances of a side from some scores up; what was solved is not solved again.

        With three teams all scores take seconds, those from a late score on much less.
        """
        equity = self._solved.get((team, pending))
        if equity is None or any(map(int.__lt__, scores, equity.lowest)):
            lowest = map(min, scores, equity.lowest if equity else scores)
            equity = self._solved[team, pending] = Equity(self, team, [*lowest], pending)
        return equity

    def to_axes(self, scores: Sequence[int] | Int64Array) -> Int64Array:
        """Return scores by axis, (..., AXES), of those by team."""
        by_team = np.asarray(scores, np.int64)
        nothing = np.zeros((*by_team.shape[:-1], AXES - self.rules.teams), np.int64)
        return np.concatenate([nothing, by_team], axis=-1)

    def list_transitions(self, pending: int, step: int, most: int) -> Transitions:
        """Return the outcomes, with scores in steps of so many tens, and `most` steps for more.

        Args:
            pending: the gratuity of a litigation; 0 for the mean.
        """
        counted = self._counted
        drawn = counted.rounds[:, RESULT] == LITIGATION
        if pending == 0 and drawn.any():
            weights = counted.counts[drawn].sum(axis=1)
            mean = float(np.average(counted.rounds[drawn, PENDING], weights=weights))
            pending = POINTS * round(mean / POINTS)
        parts: list[tuple[Int64Array, Any]] = []
        for rounds, weights in self._parts:
            for level in (0, 1):
                scores = rounds[:, SCORES] + level * pending * rounds[:, WINS]
                by_axis = self.to_axes(scores[:, : self.rules.teams])
                steps = np.minimum(_to_steps(by_axis, step), most)
                result = rounds[:, RESULT]
                after = np.where(result == PASSED_OUT, level, result == LITIGATION)
                is_last = ~steps[:, :-1].any(axis=1)
                cells = np.column_stack([is_last, steps, after])
                cells, places = np.unique(cells, axis=0, return_inverse=True)
                parts.append((cells, np.bincount(places.reshape(-1), weights) / weights.sum()))
        cells = np.concatenate([part for part, _ in parts])
        starts = np.cumsum([0, *(len(part) for part, _ in parts)])
        last_axis = starts[:-1] + [int((part[:, 0] == 0).sum()) for part, _ in parts]
        chances = np.concatenate([chances for _, chances in parts])
        return Transitions(cells[:, 1:-1].copy(), cells[:, -1].copy(), chances, starts, last_axis)

    def estimate(
        self, side: int, scores: Sequence[int], dealer: int, pending: int, confidence: float
    ) -> Estimate:
        """Estimate the chance of a side at scores in points, by team."""
        equity = self.solve(side, scores, pending)
        key = equity.team, equity.pending
        if key not in self._jackknife:
            self._jackknife[key] = [self._leave_out(group, equity) for group in range(GROUPS)]
        start, is_pending = np.array([scores], np.int64), np.array([equity.pending > 0])
        value = float(equity.look_up(start, dealer, is_pending)[0])
        start -= start % (POINTS * self._jackknife[key][0].step)
        error = np.std([part.look_up(start, dealer, is_pending) for part in self._jackknife[key]])
        reach = compute_reach(GROUPS, confidence) * math.sqrt(GROUPS - 1) * float(error)
        return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), self.deals)

    def _leave_out(self, group: int, equity: Equity) -> Equity:
        """Return the chances without a group of deals, with three teams in large steps."""
        counts = self._counted.counts.copy()
        counts[:, group] = 0
        left = counts.any(axis=1)
        counted = CountedRounds(self._counted.rounds[left], counts[left])
        table = EquityTable(self._experiment, counted)
        step = 1 if self.rules.teams == 2 else _COARSE
        return Equity(table, equity.team, [0] * self.rules.teams, equity.pending, step)


def _require_scores(counted: CountedRounds) -> None:
    if not counted.rounds[:, SCORES.start :].any():
        raise InputError("these players never score: a game between them never ends")


class PlayedGames:
    """The chance of each player to win the game with random partners, by games played on.

    Attributes:
        dealers: number of dealers.
        deals: number of deals whose rounds are drawn.
    """

    dealers = SEATS

    def __init__(self, experiment: Experiment, counted: CountedRounds) -> None:
        """Prepare games; raise InputError if nobody ever scores, so that they do not end."""
        self.rules, self.deals = require_kqj_rules(experiment.rules), int(counted.counts.sum())
        _require_scores(counted)
        self._seed, self._counted = experiment.seed, counted
        self._shares: dict[tuple[object, ...], Float64Array] = {}

    def estimate(
        self, side: int, scores: Sequence[int], dealer: int, pending: int, confidence: float
    ) -> Estimate:
        """Estimate the chance of a player, by seat, at scores in points."""
        key = (tuple(scores), dealer, pending)
        if key not in self._shares:
            groups = [self._play(group, scores, dealer, pending) for group in range(GROUPS)]
            self._shares[key] = np.array(groups)
        shares = self._shares[key][:, side]
        value, error = float(shares.mean()), float(shares.std(ddof=1)) / math.sqrt(GROUPS)
        # Of a player who wins none of the games all groups have the same share.
        least = -math.log((1 - confidence) / 2) / (GROUPS * GROUP_GAMES)
        reach = max(compute_reach(GROUPS, confidence) * error, least)
        return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), self.deals)

    def _play(self, group: int, start: Sequence[int], dealer: int, pending: int) -> Float64Array:
        """Play games by the rounds of a group; return the share that each player wins, (SEATS,)."""
        random = np.random.default_rng([self._seed % 2**32, group, dealer])
        rounds, counts = self._counted.rounds, self._counted.counts[:, group]
        dealers = [np.flatnonzero(rounds[:, DEALER] == seat) for seat in range(SEATS)]
        by_dealer = [np.repeat(own, counts[own]) for own in dealers]
        scores = np.tile(np.array(start, np.int64), (GROUP_GAMES, 1))
        waiting = np.full(GROUP_GAMES, pending)
        won = np.zeros(SEATS)
        while len(scores):
            drawn = rounds[random.choice(by_dealer[dealer], len(scores))]
            wins, points = drawn[:, 3 : 3 + SEATS], drawn[:, 3 + SEATS :]
            scores += points + wins * waiting[:, np.newaxis]
            stays = np.isin(drawn[:, RESULT], (PASSED_OUT, LITIGATION))
            waiting = np.where(stays, waiting, 0) + drawn[:, PENDING]
            best = scores.max(axis=1)
            leads = scores == best[:, np.newaxis]
            is_over = (best >= self.rules.target) & (leads.sum(axis=1) == 1)
            won += leads[is_over].sum(axis=0)
            scores, waiting = scores[~is_over], waiting[~is_over]
            dealer = (dealer + 1) % SEATS
        return won / GROUP_GAMES


def _turn(rounds: Int64Array, teams: int, by: int) -> Int64Array:
    """Return rounds in which each team sits where the one so many teams before it sat."""
    turned = rounds.copy()
    turned[:, DEALER] = (rounds[:, DEALER] + by) % teams
    for columns in (WINS, SCORES):
        turned[:, columns][:, :teams] = np.roll(rounds[:, columns][:, :teams], by, axis=1)
    return turned


def turn_to_dealer(counted: CountedRounds, teams: int) -> CountedRounds:
    """Return rounds of players who are all alike, turned so that team 0 deals."""
    dealers = counted.rounds[:, DEALER] % teams
    parts = [_turn(counted.rounds[dealers == team], teams, -team) for team in range(teams)]
    counts = [counted.counts[dealers == team] for team in range(teams)]
    return _combine(np.concatenate(parts), np.concatenate(counts))
