"""Policies on the same deals: what they play, and the moments of what they do.

Either two play each other with sides exchanged (`simulation.paired`), or each in turn plays
opponents, on the same side of the same deals: one team (every second seat with random partners),
with the cards of each side of the table in turn.  The unit of observation is the deal, or the game.
All quantities are whole numbers, points times `PairedMatch.lead_divisor`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.games import get_column_numbers, get_columns
from kqj_sim.messages import visible
from kqj_sim.policies.players import Player, get_default_player
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import GameRules
from kqj_sim.simulation import paired
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.paired import (
    Arrangement,
    assign_players,
    compute_side_leads,
    compute_side_means,
    list_arrangements,
    spread_over_seats,
)
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import play_same_deals
from kqj_sim.simulation.workers import Workers, count_workers
from kqj_sim.stats.moments import Moments

LARGEST_LEADS_KEPT = 5
"""Number of deals kept of those with the largest leads to either side."""

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
"""Quantities of each policy, summed over a deal's rounds: rounds in which its side is Sender, those
made and those failed (in Kwajongen tied too, as a tie costs the caller), the lead in those made,
the deficit in those failed, the lead where the other side is Sender, bonus points and scores of its
seats, rounds passed out."""

GAME_QUANTITIES = ("wins", "score", "rounds")
"""Quantities of each policy in games: games won, final scores, rounds of a game."""


class MatchSide(NamedTuple):
    """A policy's part in an experiment: its number, the arrangement, and the policy's side."""

    experiment: int
    arrangement: Arrangement
    side: int


class MatchCounts(NamedTuple):
    """A player's results against opponents, each int64 (n,), by deal, summed over arrangements.

    Attributes:
        lead: the lead of its side over the opponents, times `PairedMatch.lead_divisor`.
        squares: the squares of the leads of single rounds.
        takes: rounds in which its side is Sender.
        made: those of them in which the contract is made.
    """

    lead: Int64Array
    squares: Int64Array
    takes: Int64Array
    made: Int64Array


@dataclass(frozen=True)
class PairedMatch:
    """The players, the rules and the deals on which they are compared.

    Attributes:
        players: two players, or with opponents one.
        opponents: the player against whom each plays; None: they play each other.
        first: number of the first deal, or game.
        games: True to play whole games, which count by their winners.
    """

    rules: GameRules
    players: tuple[Player, ...]
    opponents: Player | None = None
    seed: int = 1
    first: int = 0
    games: bool = False

    @cached_property
    def arrangements(self) -> tuple[Arrangement, ...]:
        """The arrangements of the two sides."""
        return list_arrangements(self.rules, single_team=self.opponents is not None)

    @property
    def lead_divisor(self) -> int:
        """The divisor that turns sums over all arrangements into points a round, or wins a game."""
        return paired.compute_lead_divisor(self.arrangements)

    @property
    def max_lead(self) -> int:
        """The largest lead that a deal can have, in points, or wins of a game."""
        of_round = 1 if self.games else self.rules.max_points
        # With opponents it is the difference of two leads.
        return of_round * (1 if self.opponents is None else len(self.players))

    def list_seatings(self) -> list[tuple[Player, ...]]:
        """Return the players of the seats, for each experiment."""
        if self.opponents is None:
            one, other = self.players
            return [assign_players(sides, one, other) for sides in self.arrangements]
        return [
            assign_players(sides, each, self.opponents)
            for each in self.players
            for sides in self.arrangements
        ]

    def make_experiments(self, first: int, count: int) -> list[Experiment]:
        """Return the experiments of a range of deals, or of games; raises as `Experiment`."""
        games = count if self.games else None
        return [
            Experiment(self.rules, players, 1 if self.games else count, self.seed, first, games)
            for players in self.list_seatings()
        ]

    def list_sides(self, policy: int) -> list[MatchSide]:
        """Return the experiments in which a policy, 0 or 1, takes part, with its side."""
        side = policy if self.opponents is None else 0
        start = 0 if self.opponents is None else policy * len(self.arrangements)
        return [MatchSide(start + k, sides, side) for k, sides in enumerate(self.arrangements)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the quantities of a deal.

        They are `lead` (of the first policy over the second), `differs`, the quantities of each
        policy, as `0 takes`, and the lead in each experiment, as `single 0`.
        """
        each = GAME_QUANTITIES if self.games else ROUND_QUANTITIES
        of_policies = [f"{policy} {name}" for policy in (0, 1) for name in each]
        singles = [f"single {number}" for number in range(len(self.list_seatings()))]
        return ("lead", "differs", *of_policies, *singles)

    def play(
        self, first: int, count: int, threads: Workers, chunk: int | None
    ) -> Iterator[MatchTally]:
        """Yield the tallies of a range of deals, chunk by chunk; raises as `reduce_rows`."""
        yield from play_same_deals(
            self.make_experiments(first, count),
            self._tally_chunk,
            threads,
            chunk,
            with_fingerprints=not self.games,
            combine=MatchTally.add,
        )

    def count(self, first: int, deals: int, threads: Workers = None) -> MatchCounts:
        """Play a range of deals, one player against opponents; raises as `reduce_rows`."""
        chunk = max(1, min(CHUNK_ROWS, -(-deals // count_workers(threads))))
        experiments = self.make_experiments(first, deals)
        parts = [*play_same_deals(experiments, self._count_chunk, threads, chunk)]
        return MatchCounts(*np.concatenate(parts, axis=1))

    def _count_chunk(self, played: tuple[Rows, ...]) -> Int64Array:
        """Return the fields of `MatchCounts` for a chunk, int64 (4, n)."""
        counts = np.zeros((len(MatchCounts._fields), len(played[0])), dtype=np.int64)
        for rows, seats in zip(played, self.arrangements, strict=True):
            is_sender = paired.has_sender(rows, seats, 0)
            lead = paired.compute_leads(rows, seats)
            has_made = is_sender & _has_result(rows, "made")
            counts += np.stack([lead, lead * lead, is_sender, has_made])
        return counts

    def _tally_chunk(self, played: tuple[Rows, ...]) -> MatchTally:
        repeats = len(played) // len(self.arrangements)
        sides = [*self.arrangements] * repeats
        if self.games:
            leads = [
                _compute_win_leads(rows, self.rules, sides[k]) for k, rows in enumerate(played)
            ]
            numbers = [
                rows.finished_games.game for rows in played if rows.finished_games is not None
            ]
        else:
            leads = [paired.compute_leads(rows, sides[k]) for k, rows in enumerate(played)]
            numbers = [rows.deal for rows in played]
        half = len(leads) // 2
        first, second = (leads, []) if self.opponents is None else (leads[:half], leads[half:])
        lead = np.sum(first, axis=0) - (np.sum(second, axis=0) if second else 0)
        quantities = [lead, self._find_differences(played)]
        for policy in (0, 1):
            measure = _measure_games if self.games else _measure_rounds
            measured = [
                measure(played[k], arrangement, side, leads[k], self.rules)
                for k, arrangement, side in self.list_sides(policy)
            ]
            quantities += list(np.sum(measured, axis=0))
        values = np.stack([*quantities, *leads]).astype(np.int64)
        return MatchTally.from_deals(self.names, numbers[0], values)

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
        found: BoolArray = np.any([np.any(a != b, axis=1) for a, b in pairs], axis=0)
        return found


@dataclass
class MatchTally:
    """The moments of a match's quantities, and its leads; adding is exact in any order.

    Attributes:
        names: names of the quantities, `PairedMatch.names`.
        leads: the number of deals with each lead.
        largest_leads: the deals with the largest leads to either side, (deal, lead), largest first.
    """

    names: tuple[str, ...]
    moments: Moments[int]
    leads: Counter[int] = field(default_factory=Counter)
    largest_leads: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def empty(cls, names: tuple[str, ...]) -> MatchTally:
        """Return the tally of no deals."""
        return cls(names, Moments.zeros((len(names),), kind=int))

    @classmethod
    def from_deals(
        cls, names: tuple[str, ...], deals: Int64Array, values: Int64Array
    ) -> MatchTally:
        """Return the tally of deals.

        Args:
            names: names of the quantities; `lead` comes first.
            deals: int64 (n,), the numbers of the deals.
            values: int64 (k, n), the quantities.
        """
        tally = cls.empty(names)
        tally.moments.observe(values)
        leads = values[0]
        distinct, counts = np.unique(leads, return_counts=True)
        tally.leads = Counter(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))
        order = np.lexsort((deals, -np.abs(leads)))[:LARGEST_LEADS_KEPT]
        tally.largest_leads = [(int(deals[at]), int(leads[at])) for at in order if leads[at] != 0]
        return tally

    def add(self, other: MatchTally) -> None:
        """Add the tally of other deals."""
        self.moments.add(other.moments)
        self.leads.update(other.leads)
        both = [*self.largest_leads, *other.largest_leads]
        both.sort(key=lambda each: (-abs(each[1]), each[0]))
        self.largest_leads = both[:LARGEST_LEADS_KEPT]

    @property
    def deals(self) -> int:
        """Number of deals, or games."""
        return int(self.moments.count)

    def total(self, name: str) -> int:
        """Return the sum of a quantity."""
        return self.moments.total(self.names.index(name))

    def summarize(self, name: str) -> tuple[int, int, int]:
        """Return the number of deals, the sum of a quantity and the sum of its squares."""
        return self.moments.summarize(self.names.index(name))

    def summarize_pair(self, one: str, other: str) -> tuple[int, int, int, tuple[int, int, int]]:
        """Return the number of deals, both sums, and the products 1 x 1, 1 x 2 and 2 x 2."""
        return self.moments.summarize_pair(self.names.index(one), self.names.index(other))

    def compute_mean_variance(self, names: Sequence[str]) -> float:
        """Return the mean of the variances of these quantities; NaN below two deals."""
        if self.deals < 2:
            return float("nan")
        summaries = [self.summarize(name) for name in names]
        spreads = [deals * squares - total**2 for deals, total, squares in summaries]
        return sum(spreads) / (self.deals * (self.deals - 1)) / len(names)


def _measure_rounds(
    rows: Rows, sides: Arrangement, side: int, lead: Int64Array, rules: GameRules
) -> Int64Array:
    """Return the `ROUND_QUANTITIES` of a side, int64 (9, n)."""
    lead = lead if side == 0 else -lead
    is_sender = paired.has_sender(rows, sides, side)
    made = is_sender & _has_result(rows, "made")
    failed = is_sender & _has_result(rows, "failed", "tie")
    passed_out = _has_result(rows, "passed_out")
    bonuses, scores = (
        compute_side_means(spread_over_seats(rows, values), sides)[side]
        for values in (_sum_bonuses(rows), paired.get_team_scores(rows))
    )
    defended = lead * ~(is_sender | passed_out)
    found: Int64Array = np.stack(
        [is_sender, made, failed, lead * made, -lead * failed, defended, bonuses, scores,
         passed_out]
    )  # fmt: skip
    return found


def _has_result(rows: Rows, *results: str) -> BoolArray:
    """Return the rounds with one of these results, bool (n,)."""
    labels = get_columns(rows.game_name)[get_column_numbers(rows.game_name)["result"]].labels
    numbers = [number for number, label in enumerate(labels) if label in results]
    found: BoolArray = np.isin(rows.column("result"), numbers)
    return found


def _sum_bonuses(rows: Rows) -> Int64Array:
    """Return the bonus points of each team, int64 (teams, n): 0 in a game without totals."""
    columns = get_column_numbers(rows.game_name)
    teams = [team for team in range(3) if f"card_points_{team}" in columns]
    if "total_0" not in columns:
        return np.zeros((len(teams), len(rows)), np.int64)
    by_team = [rows.column(f"total_{t}") - rows.column(f"card_points_{t}") for t in teams]
    return np.stack(by_team).astype(np.int64)


def _get_seat_results(rows: Rows, rules: GameRules) -> tuple[Int64Array, Int64Array]:
    """Return wins, 0 or 1, and final scores of each seat in finished games, int64 (seats, n)."""
    games = rows.finished_games
    assert games is not None
    random = rules.partners == "random"
    player = [seat if random else rules.fixed_team_of(seat) for seat in range(rules.seats)]
    wins = np.stack([games.winner == each for each in player]).astype(np.int64)
    return wins, games.score.T[player]


def _compute_win_leads(rows: Rows, rules: GameRules, sides: Arrangement) -> Int64Array:
    """Return the games that side 0 wins more than side 1, int64 (n,), times both sides' seats."""
    wins, _ = _get_seat_results(rows, rules)
    leads: Int64Array = compute_side_leads(compute_side_means(wins, sides))[0]
    return leads


def _measure_games(
    rows: Rows, sides: Arrangement, side: int, lead: Int64Array, rules: GameRules
) -> Int64Array:
    """Return the `GAME_QUANTITIES` of a side, int64 (3, n)."""
    wins, scores = (
        compute_side_means(each, sides)[side] for each in _get_seat_results(rows, rules)
    )
    assert rows.finished_games is not None
    found: Int64Array = np.stack([wins, scores, rows.finished_games.rounds])
    return found


# Policies that are the same player, and what plays the parts that policies leave open.


def explain_same_player(
    policies: Sequence[Player], players: Sequence[Player], rules: GameRules
) -> str:
    """Return a sentence on the first two policies that are the same player; else "".

    Players are the same if they differ at most in parameters without effect under the rules.
    """
    seated = [each.under(rules) for each in players]
    for one, other in combinations(range(len(policies)), 2):
        if policies[one].given == policies[other].given and seated[one] == seated[other]:
            return f"`{visible(policies[one].given)}` is given twice: name each policy once"
        if _list_effective(seated[one], rules) == _list_effective(seated[other], rules):
            pair = {policies[each].given: seated[each] for each in (one, other)}
            names = " and ".join(f"`{visible(policies[each].given)}`" for each in (one, other))
            reason = _explain_equality(pair, [policies[one], policies[other]], rules)
            return f"{names} are the same player: {reason}"
    return ""


def _list_effective(player: Player, rules: GameRules) -> list[tuple[Policy, dict[str, Any]]]:
    """Return the policy of each part with the parameters that have an effect."""
    return [
        (
            each.policy,
            {
                name: value
                for name, value in each.values_by_name.items()
                if each.policy.parameters[name].applies_to(rules)
            },
        )
        for each in (player.calling, player.playing)
    ]


def _explain_equality(
    pair: Mapping[str, Player], policies: Sequence[Player], rules: GameRules
) -> str:
    one, other = pair.values()
    reasons = [
        mine.without_effect(name, rules)
        for mine, theirs in ((one.calling, other.calling), (one.playing, other.playing))
        for name, value in mine.values_by_name.items()
        if value != theirs.values_by_name[name]
    ]
    for spec, player in pair.items():
        given = re.findall(r"[\w.]+=[^,+:]+", spec)
        for each in (player.calling, player.playing):
            for name, parameter in each.policy.parameters.items():
                text = f"{name}={parameter.write(parameter.get_default(rules))}"
                reasons += [f"{text} is the default"] * (text in given)
    if not reasons:
        reasons = describe_open_parts(policies)
    return "; ".join(dict.fromkeys(reasons)) or "all their parameters are equal"


def describe_open_parts(policies: Sequence[Player]) -> list[str]:
    """Return a line for each kind of policy that fills only one part, with what fills the other."""
    lines = []
    for part, verbs in (
        ("playing", ("calls", "call", "plays")),
        ("calling", ("plays", "play", "calls")),
    ):
        names = [f"`{visible(each.given)}`" for each in policies if part in each.open_parts]
        if names:
            filler = getattr(get_default_player(policies[0].game), part).source
            several = len(names) > 1
            subject = f"{', '.join(names[:-1])} and {names[-1]}" if several else names[0]
            lines.append(
                f"{subject} only {verbs[several]}; `{filler}` {verbs[2]} for "
                f"{'them' if several else 'it'}"
            )
    return lines
