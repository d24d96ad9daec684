"""Two policies on the same deals: what is played, and what is counted of each deal.

Either they play each other, with sides exchanged (`kqj_sim.duplicate`), or each of them in turn
plays a field on the same side of the same deals.  The unit is the deal, or with games the game:
everything that is counted of it is a whole number, points times `Contest.scale`, and goes into sums
and sums of products, from which every mean, ratio and interval follows exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim import duplicate
from kqj_sim.columns import column_numbers, columns_of
from kqj_sim.crew import Threads
from kqj_sim.duplicate import Arrangement, arrangements, mean_scores, seated
from kqj_sim.experiment import Experiment
from kqj_sim.rows import Rows
from kqj_sim.rules import GameRules
from kqj_sim.simulation import play_together

LARGEST = 5
"""Deals that are kept of those that are worth most to either side."""

ROUND = ("takes", "made", "failed", "won", "lost", "defended", "bonuses", "score", "passed_out")
"""What is counted of each policy's rounds of a deal: rounds in which it is Sender, those made and
failed (in Kwajongen ties too, as they cost the caller), what it leads by in those made, is behind
by in those failed and leads by where the others are Sender, bonus points and scores of its seats,
rounds that are passed out."""

GAME = ("wins", "score", "rounds")
"""The same of games: games won, final scores, rounds of a game."""


class Seat(NamedTuple):
    """An experiment in which a policy takes part: its number, the sides, and the policy's side."""

    experiment: int
    sides: Arrangement
    side: int


@dataclass(frozen=True)
class Contest:
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
    def seatings(self) -> tuple[Arrangement, ...]:
        """The arrangements of the sides."""
        return arrangements(self.rules, alone=self.field is not None)

    @property
    def scale(self) -> int:
        """What a sum over all arrangements is divided by, to be points a round, or wins a game."""
        return duplicate.scale(self.seatings)

    @property
    def largest_lead(self) -> int:
        """The most that a deal can be worth to either policy, in points, or wins of a game."""
        if self.games:
            return 1 if self.field is None else 2
        return self.rules.most_points * (1 if self.field is None else 2)

    def tables(self) -> list[tuple[str, ...]]:
        """The players of the seats, an experiment after the other."""
        one, other = self.players
        if self.field is None:
            return [seated(seats, one, other) for seats in self.seatings]
        return [seated(seats, each, self.field) for each in (one, other) for seats in self.seatings]

    def experiments(self, first: int, count: int) -> list[Experiment]:
        """What is played for a range of deals, or of games."""
        games = count if self.games else None
        return [
            Experiment(self.rules, players, 1 if self.games else count, self.seed, first, games)
            for players in self.tables()
        ]

    def seats(self, policy: int) -> list[Seat]:
        """Where a policy, 0 or 1, takes part."""
        if self.field is None:
            return [Seat(number, sides, policy) for number, sides in enumerate(self.seatings)]
        start = policy * len(self.seatings)
        return [Seat(start + number, sides, 0) for number, sides in enumerate(self.seatings)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is counted of a deal: `lead` of the first over the second, `differs`, what each
        policy's rounds are, `0 takes` and so on, and each experiment's lead, `single 0` and so on.
        """
        each = GAME if self.games else ROUND
        own = [f"{policy} {name}" for policy in (0, 1) for name in each]
        return ("lead", "differs", *own, *(f"single {k}" for k in range(len(self.tables()))))

    def play(self, first: int, count: int, threads: Threads, chunk: int | None) -> Iterator[Sums]:
        """The sums of a range of deals, chunk by chunk."""
        yield from play_together(
            self.experiments(first, count),
            self._count,
            threads,
            chunk,
            marked=not self.games,
            add=Sums.add,
        )

    def _count(self, played: tuple[Rows, ...]) -> Sums:
        """The sums of a chunk."""
        sides = self._sides
        if self.games:
            leads = [_wins(rows, self.rules, sides[k]) for k, rows in enumerate(played)]
            numbers = [rows.ended.game for rows in played if rows.ended is not None]
        else:
            leads = [duplicate.leads(rows, sides[k]) for k, rows in enumerate(played)]
            numbers = [rows.deal for rows in played]
        half = len(leads) // 2
        first, second = (leads, []) if self.field is None else (leads[:half], leads[half:])
        lead = np.sum(first, axis=0) - (np.sum(second, axis=0) if second else 0)
        columns = [lead, self._differs(played)]
        for policy in (0, 1):
            count = _of_games if self.games else _of_rounds
            counted = [
                count(played[at], sides, side, leads[at], self.rules)
                for at, sides, side in self.seats(policy)
            ]
            columns += list(np.sum(counted, axis=0))
        return Sums.of(self.names, numbers[0], np.stack([*columns, *leads]).astype(np.int64))

    @cached_property
    def _sides(self) -> list[Arrangement]:
        """The sides of each experiment."""
        return [*self.seatings] * (len(self.tables()) // len(self.seatings))

    def _differs(self, played: tuple[Rows, ...]) -> NDArray[np.bool_]:
        """Whether the two did anything different in a deal, (n,).

        With the sides exchanged, whoever does the same leaves the round the same.
        """
        if self.games:
            ended = [rows.ended for rows in played if rows.ended is not None]
            marks = [np.column_stack([games.rounds, games.score]) for games in ended]
        else:
            marks = [rows.marks[:, None] for rows in played if rows.marks is not None]
        half = len(marks) // 2
        pairs = (
            [(marks[0], other) for other in marks[1:]]
            if self.field is None
            else [*zip(marks[:half], marks[half:], strict=True)]
        )
        found: NDArray[np.bool_] = np.any([np.any(a != b, axis=1) for a, b in pairs], axis=0)
        return found


def _of_rounds(
    rows: Rows, sides: Arrangement, side: int, lead: NDArray[np.int64], rules: GameRules
) -> NDArray[np.int64]:
    """What `ROUND` names of a side, int64 (9, n)."""
    lead = lead if side == 0 else -lead
    own = duplicate.sends(rows, sides, side)
    made, failed = own & _is(rows, "made"), own & _is(rows, "failed", "tie")
    passed_out = _is(rows, "passed_out")
    bonuses = mean_scores(_bonuses(rows), rows, sides)[side]
    scores = mean_scores(duplicate.scores(rows), rows, sides)[side]
    defended = lead * ~(own | passed_out)
    found: NDArray[np.int64] = np.stack(
        [own, made, failed, lead * made, -lead * failed, defended, bonuses, scores, passed_out]
    )
    return found


def _is(rows: Rows, *results: str) -> NDArray[np.bool_]:
    """Whether a round has one of these results, (n,)."""
    labels = columns_of(rows.of_game)[column_numbers(rows.of_game)["result"]].labels
    numbers = [number for number, label in enumerate(labels) if label in results]
    found: NDArray[np.bool_] = np.isin(rows.column("result"), numbers)
    return found


def _bonuses(rows: Rows) -> NDArray[np.int64]:
    """The bonus points by team, int64 (teams, n): none in a game without totals."""
    columns = column_numbers(rows.of_game)
    teams = [team for team in range(3) if f"card_points_{team}" in columns]
    if "total_0" not in columns:
        return np.zeros((len(teams), len(rows)), np.int64)
    by_team = [rows.column(f"total_{t}") - rows.column(f"card_points_{t}") for t in teams]
    return np.stack(by_team).astype(np.int64)


def _by_seat(rows: Rows, rules: GameRules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each seat whether it won and its final score, int64 (seats, n), of finished games."""
    games = rows.ended
    assert games is not None
    random = rules.partners == "random"
    whose = [seat if random else rules.fixed_team_of(seat) for seat in range(rules.seats)]
    return np.stack([games.winner == each for each in whose]).astype(np.int64), games.score.T[whose]


def _side_means(by_seat: NDArray[np.int64], sides: Arrangement, side: int) -> NDArray[np.int64]:
    """The mean over a side's seats, times the numbers of both sides' seats, (n,)."""
    own = [seat for seat, of in enumerate(sides) if of == side]
    found: NDArray[np.int64] = by_seat[own].sum(axis=0) * sides.count(1 - side)
    return found


def _wins(rows: Rows, rules: GameRules, sides: Arrangement) -> NDArray[np.int64]:
    """What side 0 wins more than side 1, in whole numbers, (n,)."""
    wins, _ = _by_seat(rows, rules)
    return _side_means(wins, sides, 0) - _side_means(wins, sides, 1)


def _of_games(
    rows: Rows, sides: Arrangement, side: int, lead: NDArray[np.int64], rules: GameRules
) -> NDArray[np.int64]:
    """What `GAME` names of a side, int64 (3, n)."""
    wins, scores = _by_seat(rows, rules)
    assert rows.ended is not None
    found: NDArray[np.int64] = np.stack(
        [_side_means(wins, sides, side), _side_means(scores, sides, side), rows.ended.rounds]
    )
    return found


@dataclass
class Sums:
    """What was counted, summed over deals; adding does not depend on the order.

    Attributes:
        names: what was counted.
        deals: number of deals, or games.
        total: int64 (k,), the sums.
        products: int64 (k, k), the sums of products.
        leads: how often each lead occurred.
        largest: the deals with the largest leads to either side, (deal, lead), largest first.
    """

    names: tuple[str, ...]
    deals: int
    total: NDArray[np.int64]
    products: NDArray[np.int64]
    leads: Counter[int] = field(default_factory=Counter)
    largest: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def none(cls, names: tuple[str, ...]) -> Sums:
        """The sums of no deals."""
        return cls(names, 0, np.zeros(len(names), np.int64), np.zeros((len(names),) * 2, np.int64))

    @classmethod
    def of(
        cls, names: tuple[str, ...], deals: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> Sums:
        """The sums of deals, by number, and what was counted of them, int64 (k, n).

        `lead` comes first.
        """
        # Far below 2**53: floating point, whose products are fast, is exact.
        numbers = counts.astype(np.float64)
        products = (numbers @ numbers.T).astype(np.int64)
        values, often = np.unique(counts[0], return_counts=True)
        leads = Counter(dict(zip(values.tolist(), often.tolist(), strict=True)))
        most = np.lexsort((deals, -np.abs(counts[0])))[:LARGEST]
        largest = [(int(deals[at]), int(counts[0, at])) for at in most if counts[0, at] != 0]
        return cls(names, counts.shape[1], counts.sum(axis=1), products, leads, largest)

    def add(self, other: Sums) -> None:
        """Take in other deals."""
        self.deals += other.deals
        self.total = self.total + other.total
        self.products = self.products + other.products
        self.leads.update(other.leads)
        both = [*self.largest, *other.largest]
        self.largest = sorted(both, key=lambda each: (-abs(each[1]), each[0]))[:LARGEST]

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
