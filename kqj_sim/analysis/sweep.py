"""Which values of a policy's parameters score most against a field, and which cannot be told apart.

All sets of values play the same deals, so that their differences carry little of the luck.  With
many sets the best-looking one is partly the luckiest; the comparison is with the best of all, by
J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best",
Annals of Statistics 12 (1984): the intervals of what each scores more than the best of the others
hold for all sets together, and so does the set of those that may be the best.  As the differences
are correlated in any way, the critical value is Bonferroni's for the one-sided comparisons of the
best with each of the others, with Student's quantile and the error of each paired difference.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.compare import DEFAULT_CAP, ComparisonPlan
from kqj_sim.analysis.intervals import Estimate, student_quantile
from kqj_sim.analysis.vary import (
    FieldMatch,
    MatchCounts,
    ParameterizedPolicy,
    ParameterValues,
    format_players,
    list_combinations,
    parse_parameter_values,
)
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.run_scope import run_scope
from kqj_sim.workers import Workers, split_range

DEFAULT_DEALS = 20_000
FIRST_BATCH_DEALS = 64
"""Deals of the first batch; a later one has at most as many as were played before."""
MAX_BATCH_DEALS = 1 << 17
"""Deals of a batch, all sets of values together, at most; but 1000 of each."""
TARGET_BATCH_SECONDS = 1.0
"""What one set's part of a batch takes, about: so long one waits after an interruption."""

SettingStatus = Literal["best", "maybe", "no"]


@dataclass(frozen=True)
class Setting:
    """A set of values, and what came of it.

    Attributes:
        values: of the parameters that vary, as they are written.
        player: the specification with them.
        points: points a round more than the field; its interval is for this set alone.
        above: points a round more than the best of the others; the intervals hold for all sets
            together, NaN if there is no other.
        taken: share of the rounds in which its side is Sender.
        made: share of these contracts that it made.
        standing: "best" if it scored most, "maybe" if it cannot be told from the best.
    """

    values: tuple[str, ...]
    player: str
    points: Estimate
    above: Estimate
    taken: Estimate
    made: Estimate
    standing: SettingStatus


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes:
        policy: the specification whose parameters vary.
        varied_parameters: the parameters and their values.
        match: what was played.
        field: who was played against, by the name that people know.
        first: number of the first deal.
        plan: how much, and the confidence of the intervals.
        deals: deals that each set of values played, in every arrangement of the sides.
        settings: one for each set of values.
        relative_efficiency: how many independent rounds a round here is worth for the difference of
            a set of values from the best, mean over the sets; NaN if there is no difference.
        interrupted: whether it was ended early.
    """

    policy: str
    varied_parameters: tuple[ParameterValues, ...]
    match: FieldMatch
    field: str
    first: int
    plan: ComparisonPlan
    deals: int
    settings: tuple[Setting, ...]
    relative_efficiency: float
    interrupted: bool = False

    @property
    def rules(self) -> GameRules:
        """The rules of the table."""
        return self.match.rules

    @property
    def seed(self) -> int:
        """Seed of the deals."""
        return self.match.seed

    @property
    def best(self) -> Setting:
        """The set of values that scored most."""
        return next(each for each in self.settings if each.standing == "best")

    @property
    def tied_with_best(self) -> tuple[Setting, ...]:
        """The others that cannot be told from the best."""
        return tuple(each for each in self.settings if each.standing == "maybe")


@dataclass
class _SweepMoments:
    """What was counted of each set of values, in whole numbers, over the deals so far.

    Attributes:
        settings: the number of sets, k.
        leads, products: int64 (k,) and (k, k), the leads and their products.
        contracts: int64 (k, 5), takes, contracts made, and their squares and product.
    """

    settings: int
    deals: int = 0
    leads: NDArray[np.int64] = field(init=False)
    products: NDArray[np.int64] = field(init=False)
    contracts: NDArray[np.int64] = field(init=False)
    singles: int = 0
    """Squares of the leads of the single rounds, of all sets."""

    def __post_init__(self) -> None:
        self.leads = np.zeros(self.settings, np.int64)
        self.products = np.zeros((self.settings, self.settings), np.int64)
        self.contracts = np.zeros((self.settings, 5), np.int64)

    def add(self, played: Sequence[MatchCounts]) -> None:
        """Take in the same deals of every set."""
        # Far below 2**53: floating point, whose products are fast, is exact.
        leads = np.stack([each.lead for each in played]).astype(np.float64)
        self.deals += leads.shape[1]
        self.leads += leads.sum(axis=1).astype(np.int64)
        self.products += (leads @ leads.T).astype(np.int64)
        for own, (_, squares, takes, made) in zip(self.contracts, played, strict=True):
            self.singles += int(squares.sum())
            own += [takes.sum(), made.sum(), takes @ takes, made @ made, takes @ made]

    def merge(self, other: _SweepMoments) -> None:
        """Take in other deals of the same sets."""
        self.deals += other.deals
        self.leads += other.leads
        self.products += other.products
        self.contracts += other.contracts
        self.singles += other.singles

    def lead(self, number: int, confidence: float, max_lead: int, unseen: int = 0) -> Estimate:
        """The mean lead of a set, `max_lead` at most; `unseen` is added to the sum of squares."""
        squares = int(self.products[number, number]) + unseen
        return intervals.estimate_mean_from_sums(
            self.deals, int(self.leads[number]), squares, confidence, (-max_lead, max_lead)
        )

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """The mean difference of two sets' leads, and its standard error (0 without spread)."""
        total = int(self.leads[one]) - int(self.leads[other])
        squares = (
            int(self.products[one, one])
            + int(self.products[other, other])
            - 2 * int(self.products[one, other])
        )
        spread = self.deals * squares - total * total
        return total / self.deals, math.sqrt(spread / (self.deals**2 * (self.deals - 1)))


def compare_with_best(
    differences: Callable[[int, int], tuple[float, float]],
    count: int,
    observations: int,
    confidence: float,
) -> tuple[list[Estimate], list[bool]]:
    """How much each of several means exceeds the largest of the others, and which may be largest.

    Args:
        differences: for two of them the difference of the means and its standard error.
        count: how many means.
        observations: how many of each.
        confidence: with which all the intervals hold, and the largest is among those told.

    Returns:
        The differences to the largest of the others, with Hsu's intervals: one that reaches from
        below 0 to 0 says that a mean is not the largest.  And whether each may be the largest.
    """
    if count == 1:
        return [Estimate(math.nan, math.nan, math.nan, observations)], [True]
    # The quantile at hand is two-sided: it leaves out twice as much.
    each = 1 - 2 * (1 - confidence) / (count - 1)
    reach = student_quantile(observations - 1, each) if each > 0 else 0.0
    means, errors = (np.zeros((count, count)) for _ in range(2))
    for one in range(count):
        for other in range(count):
            if one != other:
                means[one, other], errors[one, other] = differences(one, other)
    others = ~np.eye(count, dtype=bool)
    upper = np.where(others, means + reach * errors, np.inf).min(axis=1)
    may_be = upper >= 0
    found = []
    for one in range(count):
        value = float(means[one][others[one]].min())
        rivals = others[one] & may_be
        lower = float((means - reach * errors)[one][rivals].min()) if rivals.any() else 0.0
        found.append(Estimate(value, min(0.0, lower), max(0.0, float(upper[one])), observations))
    return found, may_be.tolist()


@run_scope()
def sweep(
    policy: str,
    vary: Sequence[str],
    *,
    rules: GameRules | None = None,
    field: str | None = None,
    deals: int | None = None,
    until: float | None = None,
    cap: int = DEFAULT_CAP,
    confidence: float = intervals.DEFAULT_CONFIDENCE,
    seed: int = 1,
    first: int = 0,
    threads: Workers = None,
    progress: Callable[[int], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> Sweep:
    """Play a policy with each set of values against a field; `kqj-sim sweep` says it all.

    Args:
        policy: the specification whose parameters vary.
        vary: parameters and their values, `take=30:70:5` or `take=30,40`.
        rules: the rules of the table; None: the default ones.
        field: who plays against the policy; None: the default player.
        deals: deals that each set of values plays; None: `DEFAULT_DEALS`, or what `until` takes.
        until: half-width in points at which to stop, for the points of every set of values.
        cap: the most deals with `until`.
        confidence: of the intervals.
        seed, first: which deals.
        threads: as for `kqj_sim.simulation.reduce_rows`; they cannot be seen in the result.
        progress: called with numbers of deals, times sets of values, as they are finished.
        interrupted: asked now and then whether to stop.

    Raises:
        VaryError: what varies is written wrongly, empty or too much, or has no effect in this game.
        ComparisonError: numbers that make no sense.
        kqj_sim.policies.PolicyError: a policy cannot be used, or a wrong choice.
        kqj_sim.experiment.ExperimentError: a number out of range.
        KeyboardInterrupt: `interrupted` before anything was finished.
    """
    rules = rules or KqjRules()
    game = rules.game
    field = field or DEFAULT_PLAYERS[game]
    if deals is None and until is None:
        deals = DEFAULT_DEALS
    plan = ComparisonPlan(
        deals=deals, until=until, cap=cap, confidence=confidence, seats=rules.seats
    )
    subject = ParameterizedPolicy(policy, game)
    varied = tuple(parse_parameter_values(text, subject) for text in vary)
    sets = list_combinations(varied)
    names = [each.name for each in varied]
    subject.check_effect(names, rules)
    players = [
        format_players(subject.with_values(dict(zip(names, values, strict=True))))
        for values in sets
    ]
    match = FieldMatch(rules, field, seed)
    for each in players:
        match.experiments(each, first, 1)  # What is wrong is told before anything is played.
    sums = _SweepMoments(len(sets))
    stopped = not _play_until_done(
        match, players, plan, sums, first, threads, progress, interrupted
    )
    if sums.deals == 0:
        raise KeyboardInterrupt
    return Sweep(
        policy=parse_player(policy, game).name,
        varied_parameters=varied,
        match=match,
        field=parse_player(field, game).name,
        first=first,
        plan=plan,
        deals=sums.deals,
        settings=_make_settings(sets, players, match, sums, confidence),
        relative_efficiency=_compute_relative_efficiency(match, sums),
        interrupted=stopped,
    )


def _play_until_done(
    match: FieldMatch,
    players: Sequence[str],
    plan: ComparisonPlan,
    sums: _SweepMoments,
    first: int,
    threads: Workers,
    progress: Callable[[int], None] | None,
    interrupted: Callable[[], bool] | None,
) -> bool:
    """Play until it is done; False if it was interrupted before.

    Every set of values has played the same deals then: a batch that is not finished is dropped.
    """
    size, pace = max(1000, MAX_BATCH_DEALS // len(players)), math.inf

    def goes_on(count: int) -> bool:
        """Tell how much was finished; whether to go on."""
        if progress is not None:
            progress(count)
        return interrupted is None or not interrupted()

    for look in plan.iterate_looks():
        if not (threads is None or isinstance(threads, int)):
            work = partial(_play_range, match, players, size)
            with closing(
                threads.map_ranges(work, first + sums.deals, first + look, FIRST_BATCH_DEALS)
            ) as parts:
                for part in parts:
                    sums.merge(part)
                    if not goes_on(part.deals * len(players)):
                        return False
        while sums.deals < look:
            # How long deals take decides how many are a batch; no result depends on it.
            most = max(FIRST_BATCH_DEALS, min(size, sums.deals, int(TARGET_BATCH_SECONDS / pace)))
            count = min(most, look - sums.deals)
            played, began = [], time.monotonic()
            for each in players:
                played.append(match.play(each, first + sums.deals, count, threads))
                if not goes_on(count):
                    return False
            sums.add(played)
            pace = max(time.monotonic() - began, 1e-9) / (count * len(players))
        if (
            plan.until is not None
            and _find_max_half_width(match, sums, plan.confidence) <= plan.until
        ):
            break
    return True


def _play_range(
    match: FieldMatch, players: Sequence[str], size: int, first: int, count: int
) -> _SweepMoments:
    """What comes of a range of deals that is played in one thread, so many deals at a time."""
    sums = _SweepMoments(len(players))
    for piece in split_range(first, first + count, size):
        sums.add([match.play(each, *piece, threads=1) for each in players])
    return sums


def _find_max_half_width(match: FieldMatch, sums: _SweepMoments, confidence: float) -> float:
    """The greatest half-width of the intervals of points, some unseen rare deals counted along."""
    most = match.max_lead * match.scale
    unseen = intervals.UNSEEN_OBSERVATIONS * most**2
    leads = [sums.lead(number, confidence, most, unseen) for number in range(sums.settings)]
    return max(each.high - each.low for each in leads) / 2 / match.scale


def _make_settings(
    sets: Sequence[tuple[str, ...]],
    players: Sequence[str],
    match: FieldMatch,
    sums: _SweepMoments,
    confidence: float,
) -> tuple[Setting, ...]:
    """What came of each set of values."""
    rounds, most = len(match.arrangements), match.max_lead * match.scale
    unseen = math.sqrt(intervals.UNSEEN_OBSERVATIONS) * 2 * most / sums.deals

    def difference(one: int, other: int) -> tuple[float, float]:
        """Of sets that scored the same in every deal, too, something may have gone unseen."""
        value, error = sums.difference(one, other)
        return value, error or unseen

    above, may_be = compare_with_best(difference, len(sets), sums.deals, confidence)
    best = int(sums.leads.argmax())
    found = []
    for number, values in enumerate(sets):
        takes, made, *products = (int(each) for each in sums.contracts[number])
        maybe: SettingStatus = "maybe" if may_be[number] else "no"
        found.append(
            Setting(
                values=values,
                player=players[number],
                points=sums.lead(number, confidence, most).scaled(1 / match.scale),
                above=above[number].scaled(1 / match.scale),
                taken=intervals.estimate_mean_from_sums(
                    sums.deals, takes, products[0], confidence, (0, rounds)
                ).scaled(1 / rounds),
                made=intervals.estimate_ratio_from_sums(
                    sums.deals, takes, made, (products[0], products[2], products[1]), confidence,
                    is_share=True,
                ),
                standing="best" if number == best else maybe,
            )
        )  # fmt: skip
    return tuple(found)


def _compute_relative_efficiency(match: FieldMatch, sums: _SweepMoments) -> float:
    """`Sweep.factor`: the variance of a difference of independent rounds by that of the paired."""
    best = int(sums.leads.argmax())
    rounds = len(match.arrangements)
    mean = int(sums.leads.sum()) / (sums.deals * rounds * sums.settings)
    single = sums.singles / (sums.deals * rounds * sums.settings) - mean**2
    paired = [
        sums.deals * error**2 / rounds
        for each in range(sums.settings)
        if each != best and (error := sums.difference(each, best)[1]) > 0
    ]
    return float(np.mean([2 * single / each for each in paired])) if paired else math.nan
