"""Players on the same deals: who sits where, and what is measured of a deal.

Either two players play each other with the sides exchanged, or each in turn plays opponents, on the
same side of the same deals: one team (every second seat with random partners), with the cards of
each side of the table in turn.

The unit of observation is the deal, or the game.  It is played in every arrangement of the two
sides, and counts once, by its lead: the mean score of one side minus that of the other.  All
quantities are whole numbers, points times `Match.lead_divisor`, so that nothing is rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.games import find_game, get_column_numbers, get_columns
from kqj_sim.policies.players import Player
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals
from kqj_sim.simulation.workers import Workers
from kqj_sim.stats.moments import Moments

Arrangement: TypeAlias = tuple[int, ...]
"""The side, 0 or 1, of each seat."""

T = TypeVar("T")


def list_arrangements(rules: GameRules, single_team: bool = False) -> tuple[Arrangement, ...]:
    """Return the seatings of two sides that give each side the cards of each side of the table.

    With two teams a side is a team.  With three, one side is a team and the other is both others,
    and the reverse.  With random partners a side is every second seat.

    Args:
        rules: the rules of the table.
        single_team: leave out the arrangements in which side 0 has two of three teams, as for one
            team against a field.
    """
    teams = 2 if rules.partners == "random" else rules.team_count
    everybody = range(rules.seats)
    single = [tuple(int(seat % teams != team) for seat in everybody) for team in range(teams)]
    reverse = [] if single_team else [tuple(1 - side for side in seats) for seats in single]
    return tuple(sorted({*single, *reverse}))


def assign_players(arrangement: Arrangement, one: T, other: T) -> tuple[T, ...]:
    """Return the player of each seat: `one` on side 0, `other` on side 1."""
    return tuple((one, other)[side] for side in arrangement)


def compute_lead_divisor(arrangements: Sequence[Arrangement]) -> int:
    """Return the number that turns the sum of `compute_leads` over these into points a round."""
    return len(arrangements) * arrangements[0].count(0) * arrangements[0].count(1)


def compute_side_leads(values: Int64Array) -> Int64Array:
    """Return what each side has more than the mean of the others, times the number of others.

    Values are int64 (sides, n), such as the scores of teams.
    """
    leads: Int64Array = len(values) * values - values.sum(axis=0)
    return leads


def spread_over_seats(rows: Rows, team_values: Int64Array) -> Int64Array:
    """Return a number of each team, int64 (teams, n), as that of its seats, int64 (seats, n)."""
    seats = find_game(rows.game_name).rules.seats
    teams = np.stack([rows.column(f"team_of_seat_{seat}") for seat in range(seats)])
    by_seat: Int64Array = np.take_along_axis(team_values, teams.astype(np.int64), axis=0)
    return by_seat


def compute_side_means(seat_values: Int64Array, arrangement: Arrangement) -> Int64Array:
    """Return the mean of values (seats, n) on each side, times the seats of both sides; (2, n)."""
    sides = np.array(arrangement)
    sums = [seat_values[sides == side].sum(axis=0) for side in (0, 1)]
    means: Int64Array = np.stack([sums[side] * arrangement.count(1 - side) for side in (0, 1)])
    return means


def has_sender(rows: Rows, arrangement: Arrangement, side: int) -> BoolArray:
    """Return where the Sender sits on a side, bool (n,); nobody is Sender of a passed-out round."""
    seats = [seat for seat, seat_side in enumerate(arrangement) if seat_side == side]
    is_sender: BoolArray = np.isin(rows.column("sender"), seats)
    return is_sender


def get_team_scores(rows: Rows) -> Int64Array:
    """Return the score of each team, int64 (teams, n), negated in games where less is better."""
    columns = [name for name in get_column_numbers(rows.game_name) if name.startswith("score_")]
    scores = np.stack([rows.column(name) for name in columns]).astype(np.int64)
    signed: Int64Array = find_game(rows.game_name).rules.score_sign * scores
    return signed


def compute_leads(rows: Rows, arrangement: Arrangement) -> Int64Array:
    """Return the lead of side 0 over side 1, int64 (n,).

    It is the difference of the mean scores of their seats, times the numbers of seats of both.
    """
    scores = spread_over_seats(rows, get_team_scores(rows))
    leads: Int64Array = compute_side_leads(compute_side_means(scores, arrangement))[0]
    return leads


LARGEST_LEADS_KEPT = 5
"""Number of deals kept of those with the largest leads to either side."""

FEW_MEASURES = ("takes", "made")

ROUND_MEASURES = (
    *FEW_MEASURES, "failed", "won", "lost", "defended", "bonuses", "score", "passed_out",
)  # fmt: skip
"""What is measured of a player's side in the rounds of a deal: rounds in which it is Sender, those
made and those failed (in Kwajongen tied too, as a tie costs the caller), the lead in those made,
the deficit in those failed, the lead where the other side is Sender, bonus points and scores of its
seats, rounds passed out."""

GAME_MEASURES = ("wins", "score", "rounds")
"""What is measured of a side in games: games won, final scores, rounds of a game."""


@dataclass(frozen=True)
class Match:
    """Players who play the same deals, each other or opponents.

    Attributes:
        players: two players, or with opponents one or more.
        opponents: the player against whom each plays; None: the two play each other.
        games: True to play whole games, which count by their winners.
        is_pair: True to compare two players in detail: all that they do, and where they differ.
    """

    rules: GameRules
    players: tuple[Player, ...]
    opponents: Player | None = None
    seed: int = 1
    games: bool = False
    is_pair: bool = False

    @cached_property
    def arrangements(self) -> tuple[Arrangement, ...]:
        """The arrangements of the two sides."""
        return list_arrangements(self.rules, single_team=self.opponents is not None)

    @property
    def lead_divisor(self) -> int:
        """The divisor that turns sums over all arrangements into points a round, or wins a game."""
        return compute_lead_divisor(self.arrangements)

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of what is measured of each player."""
        if not self.is_pair:
            return FEW_MEASURES
        return GAME_MEASURES if self.games else ROUND_MEASURES

    def list_seatings(self) -> list[tuple[Player, ...]]:
        """Return the players of the seats, for each experiment."""
        sides = (
            [self.players]
            if self.opponents is None
            else [(player, self.opponents) for player in self.players]
        )
        return [
            assign_players(arrangement, *players)
            for players in sides
            for arrangement in self.arrangements
        ]

    def make_experiments(self, first: int, count: int) -> list[Experiment]:
        """Return the experiments of a range of deals, or of games; raises as `Experiment`."""
        games = count if self.games else None
        return [
            Experiment(self.rules, players, 1 if self.games else count, self.seed, first, games)
            for players in self.list_seatings()
        ]

    def play(
        self, first: int, count: int, workers: Workers = None, chunk: int | None = None
    ) -> Iterator[LeadTally]:
        """Yield the tallies of a range of deals, chunk by chunk; raises as `reduce_rows`."""
        yield from play_same_deals(
            self._experiments, self._tally_chunk, workers, chunk,
            with_fingerprints=self.is_pair and not self.games, combine=LeadTally.add,
            deal_range=(first, count),
        )  # fmt: skip

    @cached_property
    def _experiments(self) -> list[Experiment]:
        """The experiments, of any deals: to make those of 400 players takes a quarter second."""
        return self.make_experiments(0, 1)

    def make_tally(self) -> LeadTally:
        """Return the tally of no deals."""
        # Players who play each other have one lead, that of the first.
        leads = 1 if self.opponents is None else len(self.players)
        singles = leads * len(self.arrangements)
        return LeadTally(
            Moments.zeros((leads,), kind=int),
            Moments.zeros((singles, 1), kind=int),
            Moments.zeros((len(self.players), len(self.measures)), kind=int),
        )

    def _tally_chunk(self, played: tuple[Rows, ...]) -> LeadTally:
        rounds = len(self.arrangements)
        arrangements = self.arrangements * (len(played) // rounds)
        singles = np.stack(
            [self._compute_leads(*seated) for seated in zip(played, arrangements, strict=True)]
        )
        leads = singles.reshape(-1, rounds, singles.shape[-1]).sum(axis=1)
        measures = []
        for player in range(len(self.players)):
            start, side = (0, player) if self.opponents is None else (player * rounds, 0)
            measured = [
                self._measure_side(played[k], arrangements[k], side, singles[k])
                for k in range(start, start + rounds)
            ]
            measures.append(np.sum(measured, axis=0))
        tally = self.make_tally()
        tally.leads.observe(leads)
        tally.singles.observe(singles[:, np.newaxis])
        tally.measures.observe(np.stack(measures))
        if self.is_pair:
            lead = leads[0] if self.opponents is None else leads[0] - leads[1]
            finished = played[0].finished_games
            numbers = played[0].deal if finished is None else finished.game
            tally.observe_pair(numbers, lead, self._find_differences(played))
        return tally

    def _compute_leads(self, rows: Rows, arrangement: Arrangement) -> Int64Array:
        """Return the lead of side 0, int64 (n,); in games, of the games that it wins."""
        if not self.games:
            return compute_leads(rows, arrangement)
        wins, _ = self._list_seat_results(rows)
        leads: Int64Array = compute_side_leads(compute_side_means(wins, arrangement))[0]
        return leads

    def _list_seat_results(self, rows: Rows) -> tuple[Int64Array, Int64Array]:
        """Return wins, 0 or 1, and final scores of each seat in finished games, (seats, n)."""
        games, rules = rows.finished_games, self.rules
        assert games is not None
        is_alone = rules.partners == "random"
        player = [seat if is_alone else rules.fixed_team_of(seat) for seat in range(rules.seats)]
        wins = np.stack([games.winner == number for number in player]).astype(np.int64)
        return wins, games.score.T[player]

    def _measure_side(
        self, rows: Rows, arrangement: Arrangement, side: int, lead: Int64Array
    ) -> Int64Array:
        """Return the `measures` of a side, int64 (measures, n); `lead` is that of side 0."""
        if rows.finished_games is not None:
            wins, scores = (
                compute_side_means(values, arrangement)[side]
                for values in self._list_seat_results(rows)
            )
            return np.stack([wins, scores, rows.finished_games.rounds]).astype(np.int64)
        takes = has_sender(rows, arrangement, side)
        made = takes & _has_result(rows, "made")
        if not self.is_pair:
            return np.stack([takes, made]).astype(np.int64)
        lead = lead if side == 0 else -lead
        failed = takes & _has_result(rows, "failed", "tie")
        passed_out = _has_result(rows, "passed_out")
        bonuses, scores = (
            compute_side_means(spread_over_seats(rows, values), arrangement)[side]
            for values in (_sum_bonuses(rows), get_team_scores(rows))
        )
        defended = lead * ~(takes | passed_out)
        return np.stack(
            [takes, made, failed, lead * made, -lead * failed, defended, bonuses, scores,
             passed_out]
        ).astype(np.int64)  # fmt: skip

    def _find_differences(self, played: tuple[Rows, ...]) -> BoolArray:
        """Return the deals in which the two policies did anything different, bool (n,).

        With sides exchanged, policies that do the same leave the round the same.
        """
        if self.games:
            finished = [rows.finished_games for rows in played if rows.finished_games is not None]
            marks = [np.column_stack([games.rounds, games.score]) for games in finished]
        else:
            marks = [rows.fingerprints[:, None] for rows in played if rows.fingerprints is not None]
        half = len(marks) // 2
        pairs = (
            [(marks[0], other) for other in marks[1:]]
            if self.opponents is None
            else [*zip(marks[:half], marks[half:], strict=True)]
        )
        differs: BoolArray = np.any([np.any(a != b, axis=1) for a, b in pairs], axis=0)
        return differs


@dataclass
class LeadTally:
    """The moments of what players do on the same deals; adding is exact in any order.

    Attributes:
        leads: of the lead of each player over the opponents, or of the first over the second.
        singles: of the lead in each experiment, a series each.
        measures: of what is measured of each player, a series each.
        differing: of a pair, the number of deals in which the two did anything different.
        distribution: of a pair, the number of deals with each lead of the first over the second.
        largest: the deals with the largest of these leads to either side, (deal, lead), largest
            first.
    """

    leads: Moments[int]
    singles: Moments[int]
    measures: Moments[int]
    differing: int = 0
    distribution: Counter[int] = field(default_factory=Counter)
    largest: list[tuple[int, int]] = field(default_factory=list)

    @property
    def deals(self) -> int:
        """Number of deals, or games."""
        return int(self.leads.count)

    def observe_pair(self, numbers: Int64Array, leads: Int64Array, differs: BoolArray) -> None:
        """Add what is kept of a pair besides moments; `numbers` are those of the deals."""
        self.differing += int(differs.sum())
        distinct, counts = np.unique(leads, return_counts=True)
        self.distribution.update(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))
        order = np.lexsort((numbers, -np.abs(leads)))[:LARGEST_LEADS_KEPT]
        self._keep_largest((int(numbers[at]), int(leads[at])) for at in order if leads[at] != 0)

    def _keep_largest(self, leads: Iterable[tuple[int, int]]) -> None:
        both = sorted([*self.largest, *leads], key=lambda lead: (-abs(lead[1]), lead[0]))
        self.largest = both[:LARGEST_LEADS_KEPT]

    def add(self, other: LeadTally) -> None:
        """Add the tally of other deals."""
        self.leads.add(other.leads)
        self.singles.add(other.singles)
        self.measures.add(other.measures)
        self.differing += other.differing
        self.distribution.update(other.distribution)
        self._keep_largest(other.largest)


def _has_result(rows: Rows, *results: str) -> BoolArray:
    """Return the rounds with one of these results, bool (n,)."""
    labels = get_columns(rows.game_name)[get_column_numbers(rows.game_name)["result"]].labels
    numbers = [number for number, label in enumerate(labels) if label in results]
    has_result: BoolArray = np.isin(rows.column("result"), numbers)
    return has_result


def _sum_bonuses(rows: Rows) -> Int64Array:
    """Return the bonus points of each team, int64 (teams, n): 0 in a game without totals."""
    columns = get_column_numbers(rows.game_name)
    teams = [team for team in range(3) if f"card_points_{team}" in columns]
    if "total_0" not in columns:
        return np.zeros((len(teams), len(rows)), np.int64)
    by_team = [rows.column(f"total_{t}") - rows.column(f"card_points_{t}") for t in teams]
    return np.stack(by_team).astype(np.int64)
