"""Games with less luck in them: every round's deal played again by a control, a martingale.

X, what the control's table scores in the deal of a round, is known of each player: by how much his
score (and total) exceeds the others' when one policy sits at every seat.  It depends on the deal
and on where he sits from the opener, not on the game; its mean by that place is m.  Rounds have
fresh deals.  So the sum of w (X - m) over a game's rounds, with a weight w that depends on what was
before each round, is a martingale that stops when the game is over: its mean is 0, whoever plays
(optional stopping; D. Williams, Probability with Martingales, 1991, section 10.10).  It is a
control variate for who wins and by how much, twice: w is 1, for final scores; and w is what a point
is worth for the chance to win, a Brownian motion's, for games won.

The means m and the coefficients come from the other half of the games (see `analysis.control`), and
the error of m is in the intervals.  It matters little: as the deal goes round, who sits where
balances out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.control_variates import (
    NEGLIGIBLE_SPREAD,
    AdjustedEstimate,
    compute_scatter_matrix,
    compute_team_leads,
)
from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.analysis.tables import Table, TableRow, Unit, make_table
from kqj_sim.block_player import DealReplayer
from kqj_sim.experiment import ExperimentError
from kqj_sim.rules import SEATS, KqjRules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import GameRows, Rows

Int64Array = NDArray[np.int64]

WIN_OUTCOME, LEAD_OUTCOME = range(2)
"""What is corrected: games won, and the final score less the mean of the others'."""
_OUTCOME_COUNT = 2
_COLUMNS = ("score", "total")
_WEIGHT_COUNT = 2
_MARTINGALE_COUNT = _WEIGHT_COUNT * len(_COLUMNS)
_MIN_GAMES = 20
"""Fewer games in a half fit no coefficients."""
_VARIANCE_PER_POINT = 300
"""Variance of a round's lead for each point that the two of them score, on average, about."""
_INITIAL_POINT_WEIGHT = 8
"""The weight of a point at the start of a game, rounded to whole numbers."""


def compute_point_weights(before: Int64Array, target: int) -> Int64Array:
    """What a point is worth for each player's chance to win, in whole numbers.

    With d the player's lead over the best other and l what both need on average, the chance to win
    is about that of a Brownian motion with drift 0 to end above 0, Phi(d / sqrt(v l)).

    Args:
        before: int64 (players, n), the scores.
        target: the target of the game.

    Returns:
        int64 (players, n), the derivative by d, 8 at the start of a game.
    """
    ordered = np.sort(before, axis=0)
    best = np.where(before == ordered[-1], ordered[-2], ordered[-1])
    left = np.maximum(target - (before + best) / 2, target / 20)
    lead = before - best
    shape = np.exp(-(lead**2) / (2 * _VARIANCE_PER_POINT * left)) * np.sqrt(target / left)
    found: Int64Array = np.rint(_INITIAL_POINT_WEIGHT * shape).astype(np.int64)
    return found


class GameControlTally:
    """Sums of an experiment's games, and of their deals played again by a control.

    Takes part in `simulation.reduce_rows`, each thread with its own, of games; the sums are whole
    numbers, so that threads and chunks cannot matter.

    Args:
        experiment: the experiment whose rows and games are added.
        control: specification of the policy that plays the deals again, at every seat.

    Raises:
        ExperimentError: the experiment is not one of games.
        PolicyError: the control cannot be used.
    """

    columns: frozenset[str] | None = None

    def __init__(self, experiment: Experiment, control: str) -> None:
        if experiment.games is None:
            raise ExperimentError("this control corrects means of games: name a number of games")
        if not isinstance(experiment.rules, KqjRules):
            raise ExperimentError("a control for games knows KQJ only: leave it or the games out")
        self.rules = experiment.rules
        again = replace(experiment, policies=(control,) * SEATS, games=None, deals=1)
        self.control = again.players[0].name
        self._replay = DealReplayer(again)
        players = self.rules.score_count
        variables = _OUTCOME_COUNT + _MARTINGALE_COUNT + _WEIGHT_COUNT * players
        self._pending = np.zeros((3 + 3 * players, 0), np.int64)
        """Rounds of games that go on: game, round, dealer; by player score and the control's
        leads in score and in total."""
        self._games = np.zeros(2, np.int64)
        self._sums = np.zeros((2, players, variables), np.int64)
        self._products = np.zeros((2, players, variables, variables), np.int64)
        self._rounds = np.zeros(2, np.int64)
        self._round_sums = np.zeros((2, 2 * players), np.int64)
        self._round_products = np.zeros((2, 2 * players, 2 * players), np.int64)

    def add(self, rows: Rows) -> None:
        """Take in rounds, those of a game in their order; the control plays their deals again."""
        assert rows.game is not None and rows.round is not None
        again = self._replay.replay(rows)
        taken = np.concatenate(
            [
                np.stack([rows.game, rows.round, rows.column("dealer").astype(np.int64)]),
                _get_player_scores(rows, self.rules),
                *(compute_team_leads(again, self.rules, column) for column in _COLUMNS),
            ]
        )
        self._pending = np.concatenate([self._pending, taken], axis=1)

    def add_games(self, games: GameRows) -> None:
        """Take in games, by number, all of whose rounds were added."""
        over = np.isin(self._pending[0], games.game)
        rounds, self._pending = self._pending[:, over], self._pending[:, ~over]
        rounds = rounds[:, np.lexsort((rounds[1], rounds[0]))]
        values = self._sum_games(rounds, games)
        by_place = _order_by_place(rounds, self.rules.score_count)
        for half in (0, 1):
            part = values[:, :, games.game % 2 == half]
            self._games[half] += part.shape[2]
            self._sums[half] += part.sum(axis=2)
            self._products[half] += part @ part.transpose(0, 2, 1)
            each = by_place[:, rounds[0] % 2 == half]
            self._rounds[half] += each.shape[1]
            self._round_sums[half] += each.sum(axis=1)
            self._round_products[half] += each @ each.T

    def _sum_games(self, rounds: Int64Array, games: GameRows) -> Int64Array:
        """What is summed of games, (players, variables, n)."""
        players = self.rules.score_count
        _, _, dealer, *_ = rounds
        scores, *control = rounds[3:].reshape(3, players, -1)
        starts = np.flatnonzero(rounds[1] == 0)
        before = scores.cumsum(axis=1) - scores
        before -= np.repeat(before[:, starts], np.diff([*starts, len(dealer)]), axis=1)
        weights = (np.ones_like(scores), compute_point_weights(before, self.rules.target))
        place = (np.arange(players)[:, None] - dealer - 1) % players
        of_rounds = [weight * lead for weight in weights for lead in control]
        of_rounds += [weight * (place == each) for weight in weights for each in range(players)]
        final = games.score.T
        return np.stack(
            [
                games.winner == np.arange(players)[:, None],
                players * final - final.sum(axis=0),
                *(np.add.reduceat(each, starts, axis=1) for each in of_rounds),
            ],
            axis=1,
        ).astype(np.int64)

    def merge(self, other: GameControlTally) -> None:
        """Add the sums of `other`."""
        self.add_numbers(other.numbers())

    @property
    def layout(self) -> str:
        """What is summed, in words that are the same only where `numbers` can be added."""
        return f"games {self.control} {self._sums.shape}"

    def numbers(self) -> dict[str, Int64Array]:
        """The sums of finished games, as arrays by name."""
        return {
            "games": self._games,
            "sums": self._sums,
            "products": self._products,
            "rounds": self._rounds,
            "round_sums": self._round_sums,
            "round_products": self._round_products,
        }

    def add_numbers(self, numbers: Mapping[str, Int64Array]) -> None:
        """Add what `numbers` of sums with the same `layout` gave; raises KeyError."""
        for name, mine in self.numbers().items():
            mine += numbers[name]

    def corrected(
        self, outcome: int, player: int, confidence: float = DEFAULT_CONFIDENCE
    ) -> AdjustedEstimate:
        """A mean of games: `WIN_OUTCOME`, a share, or `LEAD_OUTCOME`, in points; of a team, or of a
        seat.

        The interval of a corrected mean is Student's.  Few games give no corrected mean.
        """
        halves = [int(count) for count in self._games]
        games = sum(halves)
        total = sum(int(each) for each in self._sums[:, player, outcome])
        squares = sum(int(each) for each in self._products[:, player, outcome, outcome])
        scale = 1.0 if outcome == WIN_OUTCOME else 1 / (self.rules.score_count - 1)
        plain = (
            intervals.estimate_share(total, games, confidence)
            if outcome == WIN_OUTCOME
            else intervals.estimate_mean_from_sums(games, total, squares, confidence).scaled(scale)
        )
        if min(halves) < _MIN_GAMES:
            return AdjustedEstimate(plain, Estimate(math.nan, math.nan, math.nan, games), math.nan)
        value = variance = 0.0
        for half in (0, 1):
            found = self._adjust_half(half, outcome, player)
            value += halves[half] / games * found[0]
            variance += (halves[half] / games) ** 2 * found[1]
        plain_variance = (squares / games - (total / games) ** 2) / (games - 1)
        if variance <= NEGLIGIBLE_SPREAD * plain_variance:
            nothing = Estimate(value, math.nan, math.nan, games).scaled(scale)
            return AdjustedEstimate(plain, nothing, math.nan)
        freedom = games - 2 * (1 + _MARTINGALE_COUNT)
        half_width = intervals.student_quantile(freedom, confidence) * math.sqrt(variance)
        low, high = value - half_width, value + half_width
        if outcome == WIN_OUTCOME:
            low, high = max(0.0, low), min(1.0, high)
        corrected = Estimate(value, low, high, games).scaled(scale)
        return AdjustedEstimate(plain, corrected, plain_variance / variance)

    def _adjust_half(self, half: int, outcome: int, player: int) -> tuple[float, float]:
        """The corrected mean of a half of the games, and its variance."""
        players = self.rules.score_count
        own, others = half, 1 - half
        means = self._round_sums[others] / self._rounds[others]
        # Each martingale, and of which numbers it takes how many times which mean.
        martingales = np.zeros((_MARTINGALE_COUNT, self._sums.shape[2]))
        for number in range(_MARTINGALE_COUNT):
            weight, column = divmod(number, len(_COLUMNS))
            counts = _OUTCOME_COUNT + _MARTINGALE_COUNT + weight * players
            martingales[number, _OUTCOME_COUNT + number] = 1
            martingales[number, counts : counts + players] = -means.reshape(-1, players)[column]
        scatter = compute_scatter_matrix(
            int(self._games[others]), self._sums[others, player], self._products[others, player]
        )
        fitted = np.linalg.lstsq(
            martingales @ scatter @ martingales.T, martingales @ scatter[:, outcome], rcond=None
        )[0]
        taken = np.eye(self._sums.shape[2])[outcome] - fitted @ martingales
        games = int(self._games[own])
        mean = self._sums[own, player] / games
        spread = compute_scatter_matrix(games, self._sums[own, player], self._products[own, player])
        variance = max(0.0, float(taken @ spread @ taken)) / (games - 1) / games
        # The means are known as well as the other half's rounds tell.
        counts = mean[_OUTCOME_COUNT + _MARTINGALE_COUNT :].reshape(_WEIGHT_COUNT, players)
        slope = (fitted.reshape(_WEIGHT_COUNT, -1).T @ counts).reshape(-1)
        rounds = int(self._rounds[others])
        of_rounds = compute_scatter_matrix(
            rounds, self._round_sums[others], self._round_products[others]
        )
        variance += max(0.0, float(slope @ of_rounds @ slope)) / (rounds - 1) / rounds
        return float(taken @ mean), variance

    def table(self, confidence: float = DEFAULT_CONFIDENCE) -> Table:
        """The corrected means beside the plain ones."""
        rules = self.rules
        by = "seat" if rules.partners == "random" else "team"
        # Of two teams the one is the other with the sign changed.
        players = 1 if rules.score_count == 2 else rules.score_count
        lines: list[TableRow] = []
        unit: Unit
        for player in range(players):
            for outcome, name in ((WIN_OUTCOME, "won"), (LEAD_OUTCOME, "final lead")):
                found = self.corrected(outcome, player, confidence)
                unit, of = (
                    ("share", "share of games") if outcome == WIN_OUTCOME else ("points", "mean")
                )
                factor = Estimate(
                    found.relative_efficiency, math.nan, math.nan, found.plain.observations
                )
                lines += [
                    ((player,), f"{name}, plain, {of}", unit, found.plain),
                    ((player,), f"{name}, corrected, {of}", unit, found.corrected),
                    ((player,), f"{name}, worth times as many games", "count", factor),
                ]
        return make_table(
            "games_corrected",
            f"Games, by {by}, corrected",
            (by,),
            lines,
            "Final lead: the final score less the mean of the others'.  Corrected by regression on "
            f"what {self.control} at every seat scores and has as total in the deals of the "
            "rounds, less its mean; means and coefficients for each half of the games are those "
            "of the other half.",
        )


def _get_player_scores(rows: Rows, rules: KqjRules) -> Int64Array:
    """What each player scores in rounds, (players, n): a team, or with random partners a seat."""
    scores = np.stack([rows.column(f"score_{team}") for team in range(rules.teams)])
    if rules.partners == "random":
        teams = np.stack([rows.column(f"team_of_seat_{seat}") for seat in range(SEATS)])
        scores = np.take_along_axis(scores, teams.astype(np.int64), axis=0)
    return scores.astype(np.int64)


def _order_by_place(rounds: Int64Array, players: int) -> Int64Array:
    """The control's leads, of score and then of total, by place from the opener on."""
    control = rounds[3 + players :].reshape(2, players, -1)
    whose = (np.arange(players)[:, None] + rounds[2] + 1) % players
    found: Int64Array = np.take_along_axis(control, whose[None], axis=1)
    return found.reshape(2 * players, -1)
