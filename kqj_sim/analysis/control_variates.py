"""Control variates: means of deals and of games with less luck in them.

The same deals, played by one policy at every seat, have the same luck of the cards.  What a player
scores there, X, is the control variate for what they score in the experiment, Y: the mean of
Y - b X is that of Y if X has mean 0 and b is fitted on other observations, and it varies less.

Deals: X is the lead in score, and in total, of a team over the others.  Moving each player on by a
seat makes each team the next one, so that the mean of X over the dealers is 0 for every team,
whatever the policy and the rules.

Games: the mean m of X depends on the player's place from the opener alone.  Rounds have fresh
deals, so that the sum of w (X - m) over a game's rounds, with a weight w that depends on what was
before each round, is a martingale that stops when the game is over.  Its mean is 0, whoever plays
(optional stopping; D. Williams, Probability with Martingales, 1991, section 10.10).  It is used
twice: with w = 1, for final scores, and with w the value of a point for the chance to win.

Coefficients, and m, are those of the other half of the sample; the error of m is in the intervals.
Sources: B. L. Nelson, "Control variate remedies", Operations Research 38 (1990); A. N. Avramidis
and J. R. Wilson, "A splitting scheme for control variates", Operations Research Letters 14 (1993).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kqj_sim.analysis.intervals import (
    DEFAULT_CONFIDENCE,
    Estimate,
    estimate_mean_from_sums,
    estimate_share,
)
from kqj_sim.analysis.moments import Moments
from kqj_sim.analysis.products import compute_spread, multiply, solve_least_squares
from kqj_sim.analysis.quantiles import student_quantile
from kqj_sim.analysis.tables import Table, TableRow, Unit, make_table
from kqj_sim.block_player import DealReplayer
from kqj_sim.columns import get_column_numbers
from kqj_sim.core.types import Int64Array
from kqj_sim.experiment import ExperimentError
from kqj_sim.paired import compute_side_leads, spread_over_seats
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import GameRows, Rows
    from kqj_sim.rules import GameRules

WIN_OUTCOME, LEAD_OUTCOME = range(2)
"""Outcomes of a game: won, and the final score minus the mean of the others'."""

_DEAL_VARIABLES = 3
"""Y, and the leads in score and in total of the same deal played by the control."""
_OUTCOME_COUNT = 2
_CONTROL_COLUMNS = ("score", "total")
_WEIGHT_COUNT = 2
_MARTINGALE_COUNT = _WEIGHT_COUNT * len(_CONTROL_COLUMNS)
_MIN_GAMES = 20
"""Games of a half that are needed to fit coefficients."""
_VARIANCE_PER_POINT = 300
"""Approximate variance of a round's lead for each point that the two players score on average."""
_INITIAL_POINT_WEIGHT = 8
"""Weight of a point at the start of a game; weights are rounded to whole numbers."""
_NEGLIGIBLE_SPREAD = 1e-12
"""Share of the plain variance below which a variance is rounding error, and taken as 0."""


class AdjustedEstimate(NamedTuple):
    """A mean with and without the correction.

    Attributes:
        plain: the mean of Y.
        corrected: the mean of Y - b X; of deals, with the same weight for each dealer.
        relative_efficiency: variance of the plain mean divided by that of the corrected one; NaN
            if it cannot be estimated.
    """

    plain: Estimate
    corrected: Estimate
    relative_efficiency: float


def compute_team_leads(rows: Rows, rules: GameRules, column: str) -> Int64Array:
    """Return what each player has more than the mean of the others, times the number of others.

    Args:
        rows: n rows.
        rules: their rules.
        column: `score` or `total`; card points stand for the total in a game without totals.

    Returns:
        int64 (teams, n), or (seats, n) with random partners: the lead of the seat's team.
    """
    sign = rules.score_sign if column == "score" else 1
    if f"{column}_0" not in get_column_numbers(rules.game):
        column = "card_points"
    numbers = np.stack([rows.column(f"{column}_{team}") for team in range(rules.team_count)])
    leads = compute_side_leads(sign * numbers.astype(np.int64))
    return leads if rules.partners == "fixed" else spread_over_seats(rows, leads)


def compute_point_weights(before: Int64Array, target: int) -> Int64Array:
    """Return the value of a point for each player's chance to win, in whole numbers.

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


class _ControlMoments(ABC):
    """Moments of an experiment's results and of the same deals played by a control.

    A reducer for `simulation.reduce_rows`, one for each thread.

    Args:
        experiment: the experiment whose rows are added.
        control: specification of the policy that plays its deals again at every seat.
    """

    columns: frozenset[str] | None = None

    def __init__(self, experiment: Experiment, control: str) -> None:
        self.rules = experiment.rules
        policies = (control,) * self.rules.seats
        again = replace(experiment, policies=policies, games=None, deals=1)
        self.control = again.players[0].name
        self._replay = DealReplayer(again)

    @abstractmethod
    def numbers(self) -> dict[str, Int64Array]:
        """Return all sums, as arrays by name."""

    def add_numbers(self, numbers: Mapping[str, Int64Array]) -> None:
        """Add `numbers` of a tally with the same `layout`; raises KeyError."""
        for name, mine in self.numbers().items():
            mine += numbers[name]

    def merge(self, other: _ControlMoments) -> None:
        """Add the sums of `other`."""
        self.add_numbers(other.numbers())


class ControlTally(_ControlMoments):
    """Moments of an experiment's leads in score and of the same deals played by a control.

    Args:
        experiment, control: as for `_ControlMoments`.

    Raises:
        ExperimentError: the experiment is one of games.
        PolicyError: the control cannot be used.
    """

    def __init__(self, experiment: Experiment, control: str) -> None:
        if experiment.games is not None:
            raise ExperimentError("a control corrects means of deals: leave games out")
        super().__init__(experiment, control)
        # A half of the deals and a dealer in it: the number of the deal modulo this.
        self._strata = 2 * self.rules.seats
        shape = (self.rules.score_count, _DEAL_VARIABLES)
        self._moments = Moments.zeros(shape, (self._strata,), kind=int)

    def add(self, rows: Rows) -> None:
        """Add the rows of consecutive deals, in any order; the control plays them again."""
        first = int(rows.deal.min())
        again = self._replay.play(first, len(rows))
        values = np.stack(
            [
                compute_team_leads(rows, self.rules, "score")[:, np.argsort(rows.deal)],
                compute_team_leads(again, self.rules, "score"),
                compute_team_leads(again, self.rules, "total"),
            ],
            axis=1,
        )
        for start in range(min(self._strata, len(rows))):
            stratum = self._moments[(first + start) % self._strata]
            stratum.observe(values[:, :, start :: self._strata])

    def add_games(self, games: GameRows) -> None:
        """Do nothing: there are no games."""

    @property
    def layout(self) -> str:
        """A description that is the same only for tallies whose `numbers` can be added."""
        return f"{self.control} {self._moments.sums.shape}"

    def numbers(self) -> dict[str, Int64Array]:
        """Return the moments, as arrays by name."""
        moments = self._moments
        return {"counts": moments.count, "sums": moments.sums, "products": moments.products}

    def estimate_corrected(
        self, number: int, confidence: float = DEFAULT_CONFIDENCE
    ) -> AdjustedEstimate:
        """Estimate the lead of a team, or of a seat with random partners, in points a deal.

        The interval is Student's.  With fewer than two deals of a dealer in a half there is no
        corrected mean.
        """
        scale, seats = 1 / (self.rules.team_count - 1), self.rules.seats
        moments = self._moments[:, number]
        summary = moments.pool().summarize(0)
        deals = summary[0]
        plain = estimate_mean_from_sums(*summary, confidence).scaled(scale)
        counts = moments.count.tolist()
        if min(counts) < 2:
            return _make_uncorrected(plain)
        scatter = np.array([moments[each].compute_scatter() for each in range(self._strata)])
        value = variance = 0.0
        for half in (0, 1):
            strata = range(half * seats, (half + 1) * seats)
            others = scatter[(1 - half) * seats : (2 - half) * seats].sum(axis=0)
            # A control without spread corrects nothing.
            fitted = solve_least_squares(others[1:, 1:], others[1:, 0])
            weights = np.concatenate(([1.0], -fitted))
            share = sum(counts[stratum] for stratum in strata) / deals
            for stratum in strata:
                count = counts[stratum]
                means = moments.sums[stratum] / count
                value += share / seats * float(multiply(weights, means))
                spread = compute_spread(weights, scatter[stratum]) / (count - 1)
                variance += (share / seats) ** 2 * spread / count
        half_width = student_quantile(deals - self._strata, confidence) * math.sqrt(variance)
        corrected = Estimate(value, value - half_width, value + half_width, deals).scaled(scale)
        return _compare_with_plain(plain, corrected, variance, summary)

    def table(self, confidence: float = DEFAULT_CONFIDENCE) -> Table:
        """Return the corrected means beside the plain ones."""
        rules = self.rules
        random = rules.partners == "random"
        player = "seat" if random else "team"
        total = "total" if "total_0" in get_column_numbers(rules.game) else "card points"
        # The lead of the second of two teams is that of the first with the sign changed.
        numbers = range(1 if not random and rules.team_count == 2 else rules.score_count)
        lines: list[TableRow] = []
        for number in numbers:
            found = self.estimate_corrected(number, confidence)
            lines += _list_rows((number,), found, "points", "lead")
        return make_table(
            "scores_corrected",
            f"Score of a round less the others', by {player}, corrected",
            (player,),
            lines,
            f"Corrected by regression on score and {total} of the same deals played by "
            f"{self.control} at every seat, whose mean over the dealers is 0; the coefficients for "
            "each half of the deals are fitted on the other half.",
        )


class GameControlTally(_ControlMoments):
    """Moments of an experiment's games and of their deals played again by a control.

    Args:
        experiment, control: as for `_ControlMoments`.

    Raises:
        ExperimentError: the experiment is not one of games, or not one of KQJ.
        PolicyError: the control cannot be used.
    """

    rules: KqjRules

    def __init__(self, experiment: Experiment, control: str) -> None:
        if experiment.games is None:
            raise ExperimentError("this control corrects means of games: name a number of games")
        if not isinstance(experiment.rules, KqjRules):
            raise ExperimentError("a control for games knows KQJ only: leave it or the games out")
        super().__init__(experiment, control)
        players = self.rules.score_count
        variables = _OUTCOME_COUNT + _MARTINGALE_COUNT + _WEIGHT_COUNT * players
        self._pending = np.zeros((3 + 3 * players, 0), np.int64)
        """Rounds of unfinished games: game, round, dealer; for each player the score and the
        control's leads in score and in total."""
        self._games = Moments.zeros((players, variables), (2,), kind=int)
        self._rounds = Moments.zeros((2 * players,), (2,), kind=int)

    def add(self, rows: Rows) -> None:
        """Add rounds, those of a game in their order; the control plays their deals again."""
        assert rows.game is not None and rows.round is not None
        again = self._replay.replay(rows)
        added = np.concatenate(
            [
                np.stack([rows.game, rows.round, rows.column("dealer").astype(np.int64)]),
                _get_player_scores(rows, self.rules),
                *(compute_team_leads(again, self.rules, column) for column in _CONTROL_COLUMNS),
            ]
        )
        self._pending = np.concatenate([self._pending, added], axis=1)

    def add_games(self, games: GameRows) -> None:
        """Add games, ordered by number, all of whose rounds were added."""
        over = np.isin(self._pending[0], games.game)
        rounds, self._pending = self._pending[:, over], self._pending[:, ~over]
        rounds = rounds[:, np.lexsort((rounds[1], rounds[0]))]
        values = self._compute_game_variables(rounds, games)
        by_place = _order_by_place(rounds, self.rules.score_count)
        for half in (0, 1):
            self._games[half].observe(values[:, :, games.game % 2 == half])
            self._rounds[half].observe(by_place[:, rounds[0] % 2 == half])

    def _compute_game_variables(self, rounds: Int64Array, games: GameRows) -> Int64Array:
        """Return the variables of games, (players, variables, n)."""
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
        return np.stack(
            [
                games.winner == np.arange(players)[:, None],
                compute_side_leads(games.score.T),
                *(np.add.reduceat(each, starts, axis=1) for each in of_rounds),
            ],
            axis=1,
        ).astype(np.int64)

    @property
    def layout(self) -> str:
        """A description that is the same only for tallies whose `numbers` can be added."""
        return f"games {self.control} {self._games.sums.shape}"

    def numbers(self) -> dict[str, Int64Array]:
        """Return the moments of finished games, as arrays by name."""
        return {
            "games": self._games.count,
            "sums": self._games.sums,
            "products": self._games.products,
            "rounds": self._rounds.count,
            "round_sums": self._rounds.sums,
            "round_products": self._rounds.products,
        }

    def estimate_corrected(
        self, outcome: int, player: int, confidence: float = DEFAULT_CONFIDENCE
    ) -> AdjustedEstimate:
        """Estimate a mean of games, of a team, or of a seat with random partners.

        The interval of the corrected mean is Student's.  With fewer than 20 games in a half there
        is no corrected mean.

        Args:
            outcome: `WIN_OUTCOME`, a share of games, or `LEAD_OUTCOME`, in points.
            player: the team or the seat.
            confidence: of the intervals.
        """
        summary = self._games[:, player].pool().summarize(outcome)
        games, total, _ = summary
        scale = 1.0 if outcome == WIN_OUTCOME else 1 / (self.rules.score_count - 1)
        plain = (
            estimate_share(total, games, confidence)
            if outcome == WIN_OUTCOME
            else estimate_mean_from_sums(*summary, confidence).scaled(scale)
        )
        halves = self._games.count.tolist()
        if min(halves) < _MIN_GAMES:
            return _make_uncorrected(plain)
        value = variance = 0.0
        for half in (0, 1):
            found = self._adjust_half(half, outcome, player)
            value += halves[half] / games * found[0]
            variance += (halves[half] / games) ** 2 * found[1]
        freedom = games - 2 * (1 + _MARTINGALE_COUNT)
        half_width = student_quantile(freedom, confidence) * math.sqrt(variance)
        low, high = value - half_width, value + half_width
        if outcome == WIN_OUTCOME:
            low, high = max(0.0, low), min(1.0, high)
        corrected = Estimate(value, low, high, games).scaled(scale)
        return _compare_with_plain(plain, corrected, variance, summary)

    def _adjust_half(self, half: int, outcome: int, player: int) -> tuple[float, float]:
        """Return the corrected mean of a half of the games, and its variance."""
        players = self.rules.score_count
        own, others = self._games[half, player], self._games[1 - half, player]
        rounds = self._rounds[1 - half]
        means = rounds.sums / rounds.count
        # Each martingale as a combination of the variables: which, and how many times which mean.
        variables = len(own.sums)
        martingales = np.zeros((_MARTINGALE_COUNT, variables))
        for number in range(_MARTINGALE_COUNT):
            weight, column = divmod(number, len(_CONTROL_COLUMNS))
            start = _OUTCOME_COUNT + _MARTINGALE_COUNT + weight * players
            martingales[number, _OUTCOME_COUNT + number] = 1
            martingales[number, start : start + players] = -means.reshape(-1, players)[column]
        scatter = others.compute_scatter()
        combined = multiply(martingales, scatter)
        fitted = solve_least_squares(multiply(combined, martingales.T), combined[:, outcome])
        weights = np.eye(variables)[outcome] - multiply(fitted, martingales)
        games = int(own.count)
        mean = own.sums / games
        spread = compute_spread(weights, own.compute_scatter())
        variance = spread / (games - 1) / games
        # The error of the means of the other half's rounds.
        counts = mean[_OUTCOME_COUNT + _MARTINGALE_COUNT :].reshape(_WEIGHT_COUNT, players)
        slope = multiply(fitted.reshape(_WEIGHT_COUNT, -1).T, counts).reshape(-1)
        count = int(rounds.count)
        variance += compute_spread(slope, rounds.compute_scatter()) / (count - 1) / count
        return float(multiply(weights, mean)), variance

    def table(self, confidence: float = DEFAULT_CONFIDENCE) -> Table:
        """Return the corrected means beside the plain ones."""
        rules = self.rules
        by = "seat" if rules.partners == "random" else "team"
        # What the second of two teams has is that of the first with the sign changed.
        players = 1 if rules.score_count == 2 else rules.score_count
        lines: list[TableRow] = []
        outcomes: tuple[tuple[int, str, Unit], ...] = (
            (WIN_OUTCOME, "won", "share"),
            (LEAD_OUTCOME, "final_lead", "points"),
        )
        for player in range(players):
            for outcome, name, unit in outcomes:
                found = self.estimate_corrected(outcome, player, confidence)
                lines += _list_rows((player,), found, unit, name)
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
    """Return the scores of rounds, (players, n): of teams, or of seats with random partners."""
    scores = np.stack([rows.column(f"score_{team}") for team in range(rules.teams)])
    scores = scores.astype(np.int64)
    return spread_over_seats(rows, scores) if rules.partners == "random" else scores


def _order_by_place(rounds: Int64Array, players: int) -> Int64Array:
    """Return the control's leads, in score and then in total, by place from the opener on."""
    control = rounds[3 + players :].reshape(2, players, -1)
    whose = (np.arange(players)[:, None] + rounds[2] + 1) % players
    found: Int64Array = np.take_along_axis(control, whose[None], axis=1)
    return found.reshape(2 * players, -1)


def _make_uncorrected(plain: Estimate) -> AdjustedEstimate:
    """Return the estimate of too few observations for a correction."""
    nothing = Estimate(math.nan, math.nan, math.nan, plain.observations)
    return AdjustedEstimate(plain, nothing, math.nan)


def _compare_with_plain(
    plain: Estimate, corrected: Estimate, variance: float, summary: tuple[int, int, int]
) -> AdjustedEstimate:
    """Return both estimates and the relative efficiency, NaN without spread.

    Args:
        plain, corrected: the estimates.
        variance: of the corrected mean.
        summary: number, sum and sum of squares of the observations of the plain mean.
    """
    count, total, squares = summary
    plain_variance = (squares / count - (total / count) ** 2) / (count - 1)
    if variance <= _NEGLIGIBLE_SPREAD * plain_variance:
        return AdjustedEstimate(plain, corrected._replace(low=math.nan, high=math.nan), math.nan)
    return AdjustedEstimate(plain, corrected, plain_variance / variance)


def _list_rows(group: tuple[int], found: AdjustedEstimate, unit: Unit, name: str) -> list[TableRow]:
    """Return the rows of one estimate: plain, corrected, and the relative efficiency."""
    kind = "share" if unit == "share" else "mean"
    efficiency = Estimate(found.relative_efficiency, math.nan, math.nan, found.plain.observations)
    return [
        (group, f"{name}_plain_{kind}", unit, found.plain),
        (group, f"{name}_corrected_{kind}", unit, found.corrected),
        (group, f"{name}_relative_efficiency", "count", efficiency),
    ]
