"""Two policies on the same deals: what is played, and what is counted of each deal.

Either they play each other, with sides exchanged (`kqj_sim.duplicate`), or each of them in turn
plays a field on the same side of the same deals.  The unit is the deal, or with games the game:
everything that is counted of it is a whole number, points times `PairedMatch.scale`, and goes into
sums and sums of products, from which every mean, ratio and interval follows exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim import paired
from kqj_sim.columns import get_column_numbers, get_columns
from kqj_sim.experiment import Experiment
from kqj_sim.paired import Arrangement, assign_players, compute_side_means, list_arrangements
from kqj_sim.rows import Rows
from kqj_sim.rules import GameRules
from kqj_sim.simulation import play_same_deals
from kqj_sim.workers import Workers

LARGEST_LEADS_KEPT = 5
"""Deals that are kept of those that are worth most to either side."""

ROUND_QUANTITIES = (
    "takes",
    "made",
    "failed",
    "won",
    "lost",
    "defended",
    "bonuses",
    "score",
    "passed_out",
)
"""What is counted of each policy's rounds of a deal: rounds in which it is Sender, those made and
failed (in Kwajongen ties too, as they cost the caller), what it leads by in those made, is behind
by in those failed and leads by where the others are Sender, bonus points and scores of its seats,
rounds that are passed out."""

GAME_QUANTITIES = ("wins", "score", "rounds")
"""The same of games: games won, final scores, rounds of a game."""


class MatchSide(NamedTuple):
    """An experiment in which a policy takes part: its number, the sides, and the policy's side."""

    experiment: int
    sides: Arrangement
    side: int


@dataclass(frozen=True)
class PairedMatch:
    """What two policies are compared by.

    Attributes:
        rules: the rules of the table.
        players: the specifications of the two.
        field: who plays against each of them; None: they play each other.
        seed: seed of the deals.
        first: number of the first deal, or game.
        games: whether whole games are played, which count by who wins them.
    """

    rules: GameRules
    players: tuple[str, str]
    field: str | None = None
    seed: int = 1
    first: int = 0
    games: bool = False

    @cached_property
    def arrangements(self) -> tuple[Arrangement, ...]:
        """The arrangements of the sides."""
        return list_arrangements(self.rules, single_team=self.field is not None)

    @property
    def scale(self) -> int:
        """What a sum over all arrangements is divided by, to be points a round, or wins a game."""
        return paired.compute_lead_divisor(self.arrangements)

    @property
    def max_lead(self) -> int:
        """The most that a deal can be worth to either policy, in points, or wins of a game."""
        if self.games:
            return 1 if self.field is None else 2
        return self.rules.max_points * (1 if self.field is None else 2)

    def tables(self) -> list[tuple[str, ...]]:
        """The players of the seats, an experiment after the other."""
        one, other = self.players
        if self.field is None:
            return [assign_players(seats, one, other) for seats in self.arrangements]
        return [
            assign_players(seats, each, self.field)
            for each in (one, other)
            for seats in self.arrangements
        ]

    def experiments(self, first: int, count: int) -> list[Experiment]:
        """What is played for a range of deals, or of games."""
        games = count if self.games else None
        return [
            Experiment(self.rules, players, 1 if self.games else count, self.seed, first, games)
            for players in self.tables()
        ]

    def seats(self, policy: int) -> list[MatchSide]:
        """Where a policy, 0 or 1, takes part."""
        if self.field is None:
            return [
                MatchSide(number, sides, policy) for number, sides in enumerate(self.arrangements)
            ]
        start = policy * len(self.arrangements)
        return [
            MatchSide(start + number, sides, 0) for number, sides in enumerate(self.arrangements)
        ]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is counted of a deal: `lead` of the first over the second, `differs`, what each
        policy's rounds are, `0 takes` and so on, and each experiment's lead, `single 0` and so on.
        """
        each = GAME_QUANTITIES if self.games else ROUND_QUANTITIES
        own = [f"{policy} {name}" for policy in (0, 1) for name in each]
        return ("lead", "differs", *own, *(f"single {k}" for k in range(len(self.tables()))))

    def play(
        self, first: int, count: int, threads: Workers, chunk: int | None
    ) -> Iterator[MatchMoments]:
        """The sums of a range of deals, chunk by chunk."""
        yield from play_same_deals(
            self.experiments(first, count),
            self._count_chunk,
            threads,
            chunk,
            with_fingerprints=not self.games,
            combine=MatchMoments.add,
        )

    def _count_chunk(self, played: tuple[Rows, ...]) -> MatchMoments:
        """The sums of a chunk."""
        sides = self._experiment_sides
        if self.games:
            leads = [
                _compute_win_leads(rows, self.rules, sides[k]) for k, rows in enumerate(played)
            ]
            numbers = [rows.ended.game for rows in played if rows.ended is not None]
        else:
            leads = [paired.compute_leads(rows, sides[k]) for k, rows in enumerate(played)]
            numbers = [rows.deal for rows in played]
        half = len(leads) // 2
        first, second = (leads, []) if self.field is None else (leads[:half], leads[half:])
        lead = np.sum(first, axis=0) - (np.sum(second, axis=0) if second else 0)
        columns = [lead, self._find_differences(played)]
        for policy in (0, 1):
            count = _count_games if self.games else _count_rounds
            counted = [
                count(played[at], sides, side, leads[at], self.rules)
                for at, sides, side in self.seats(policy)
            ]
            columns += list(np.sum(counted, axis=0))
        return MatchMoments.of(
            self.names, numbers[0], np.stack([*columns, *leads]).astype(np.int64)
        )

    @cached_property
    def _experiment_sides(self) -> list[Arrangement]:
        """The sides of each experiment."""
        return [*self.arrangements] * (len(self.tables()) // len(self.arrangements))

    def _find_differences(self, played: tuple[Rows, ...]) -> NDArray[np.bool_]:
        """Whether the two did anything different in a deal, (n,).

        With the sides exchanged, whoever does the same leaves the round the same.
        """
        if self.games:
            ended = [rows.ended for rows in played if rows.ended is not None]
            marks = [np.column_stack([games.rounds, games.score]) for games in ended]
        else:
            marks = [rows.fingerprints[:, None] for rows in played if rows.fingerprints is not None]
        half = len(marks) // 2
        pairs = (
            [(marks[0], other) for other in marks[1:]]
            if self.field is None
            else [*zip(marks[:half], marks[half:], strict=True)]
        )
        found: NDArray[np.bool_] = np.any([np.any(a != b, axis=1) for a, b in pairs], axis=0)
        return found


def _count_rounds(
    rows: Rows, sides: Arrangement, side: int, lead: NDArray[np.int64], rules: GameRules
) -> NDArray[np.int64]:
    """What `ROUND_QUANTITIES` names of a side, int64 (9, n)."""
    lead = lead if side == 0 else -lead
    own = paired.has_sender(rows, sides, side)
    made, failed = own & _has_result(rows, "made"), own & _has_result(rows, "failed", "tie")
    passed_out = _has_result(rows, "passed_out")
    bonuses = compute_side_means(_sum_bonuses(rows), rows, sides)[side]
    scores = compute_side_means(paired.get_team_scores(rows), rows, sides)[side]
    defended = lead * ~(own | passed_out)
    found: NDArray[np.int64] = np.stack(
        [own, made, failed, lead * made, -lead * failed, defended, bonuses, scores, passed_out]
    )
    return found


def _has_result(rows: Rows, *results: str) -> NDArray[np.bool_]:
    """Whether a round has one of these results, (n,)."""
    labels = get_columns(rows.game_name)[get_column_numbers(rows.game_name)["result"]].labels
    numbers = [number for number, label in enumerate(labels) if label in results]
    found: NDArray[np.bool_] = np.isin(rows.column("result"), numbers)
    return found


def _sum_bonuses(rows: Rows) -> NDArray[np.int64]:
    """The bonus points by team, int64 (teams, n): none in a game without totals."""
    columns = get_column_numbers(rows.game_name)
    teams = [team for team in range(3) if f"card_points_{team}" in columns]
    if "total_0" not in columns:
        return np.zeros((len(teams), len(rows)), np.int64)
    by_team = [rows.column(f"total_{t}") - rows.column(f"card_points_{t}") for t in teams]
    return np.stack(by_team).astype(np.int64)


def _get_seat_results(rows: Rows, rules: GameRules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each seat whether it won and its final score, int64 (seats, n), of finished games."""
    games = rows.ended
    assert games is not None
    random = rules.partners == "random"
    whose = [seat if random else rules.fixed_team_of(seat) for seat in range(rules.seats)]
    return np.stack([games.winner == each for each in whose]).astype(np.int64), games.score.T[whose]


def _compute_seat_means(
    seat_values: NDArray[np.int64], sides: Arrangement, side: int
) -> NDArray[np.int64]:
    """The mean over a side's seats, times the numbers of both sides' seats, (n,)."""
    own = [seat for seat, of in enumerate(sides) if of == side]
    found: NDArray[np.int64] = seat_values[own].sum(axis=0) * sides.count(1 - side)
    return found


def _compute_win_leads(rows: Rows, rules: GameRules, sides: Arrangement) -> NDArray[np.int64]:
    """What side 0 wins more than side 1, in whole numbers, (n,)."""
    wins, _ = _get_seat_results(rows, rules)
    return _compute_seat_means(wins, sides, 0) - _compute_seat_means(wins, sides, 1)


def _count_games(
    rows: Rows, sides: Arrangement, side: int, lead: NDArray[np.int64], rules: GameRules
) -> NDArray[np.int64]:
    """What `GAME_QUANTITIES` names of a side, int64 (3, n)."""
    wins, scores = _get_seat_results(rows, rules)
    assert rows.ended is not None
    found: NDArray[np.int64] = np.stack(
        [
            _compute_seat_means(wins, sides, side),
            _compute_seat_means(scores, sides, side),
            rows.ended.rounds,
        ]
    )
    return found


@dataclass
class MatchMoments:
    """What was counted, summed over deals; adding does not depend on the order.

    Attributes:
        names: what was counted.
        deals: number of deals, or games.
        total: int64 (k,), the sums.
        products: int64 (k, k), the sums of products.
        leads: how often each lead occurred.
        largest_leads: the deals with the largest leads to either side, (deal, lead), largest first.
    """

    names: tuple[str, ...]
    deals: int
    total: NDArray[np.int64]
    products: NDArray[np.int64]
    leads: Counter[int] = field(default_factory=Counter)
    largest_leads: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def none(cls, names: tuple[str, ...]) -> MatchMoments:
        """The sums of no deals."""
        return cls(names, 0, np.zeros(len(names), np.int64), np.zeros((len(names),) * 2, np.int64))

    @classmethod
    def of(
        cls, names: tuple[str, ...], deals: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> MatchMoments:
        """The sums of deals, by number, and what was counted of them, int64 (k, n).

        `lead` comes first.
        """
        # Far below 2**53: floating point, whose products are fast, is exact.
        numbers = counts.astype(np.float64)
        products = (numbers @ numbers.T).astype(np.int64)
        values, often = np.unique(counts[0], return_counts=True)
        leads = Counter(dict(zip(values.tolist(), often.tolist(), strict=True)))
        most = np.lexsort((deals, -np.abs(counts[0])))[:LARGEST_LEADS_KEPT]
        largest = [(int(deals[at]), int(counts[0, at])) for at in most if counts[0, at] != 0]
        return cls(names, counts.shape[1], counts.sum(axis=1), products, leads, largest)

    def add(self, other: MatchMoments) -> None:
        """Take in other deals."""
        self.deals += other.deals
        self.total = self.total + other.total
        self.products = self.products + other.products
        self.leads.update(other.leads)
        both = [*self.largest_leads, *other.largest_leads]
        self.largest_leads = sorted(both, key=lambda each: (-abs(each[1]), each[0]))[
            :LARGEST_LEADS_KEPT
        ]

    def sum(self, name: str) -> int:
        """The sum of what was counted."""
        return int(self.total[self.names.index(name)])

    def product(self, one: str, other: str) -> int:
        """The sum of products."""
        return int(self.products[self.names.index(one), self.names.index(other)])

    def variance(self, names: Sequence[str]) -> float:
        """The mean of the variances of these; NaN below two deals."""
        if self.deals < 2:
            return float("nan")
        spreads = [self.deals * self.product(each, each) - self.sum(each) ** 2 for each in names]
        return sum(spreads) / (self.deals * (self.deals - 1)) / len(names)
