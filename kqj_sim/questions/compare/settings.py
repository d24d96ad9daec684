"""Sweep over parameter values: which score most against a field, and which are tied with the best.

All sets of values play the same deals, so that their differences carry little of the luck.  The
best of many is partly the luckiest, hence multiple comparisons with the best: J. C. Hsu,
"Constrained simultaneous confidence intervals for multiple comparisons with the best", Annals of
Statistics 12 (1984).  The intervals of what each scores more than the best of the others hold for
all sets jointly, and so does the set of those that may be the best.  As the differences may be
correlated in any way, the critical value is Bonferroni's for the one-sided comparisons of the best
with each of the others, with Student's quantile and the error of each paired difference.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from kqj_sim.arguments import VaryLike, list_items, parse_argument
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.messages import (
    explain_two_readings,
    quote,
    represent,
    shorten,
    use_own_decimals,
)
from kqj_sim.output.sentences import say
from kqj_sim.policies.parameters import Parameter, ParameterValue, format_parameter_number
from kqj_sim.policies.players import Player
from kqj_sim.questions.compare.match import MatchCounts, PairedMatch
from kqj_sim.questions.compare.plan import ComparisonPlan
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.workers import split_range
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.moments import Moments

# Parameters that vary: their values as people write them, and the players with these values.

MAX_SETTINGS = 400


class ParameterValues(NamedTuple):
    """A parameter and its values, as they are written."""

    name: str
    values: tuple[str, ...]


def find_parameter(player: Player, name: str, rules: GameRules) -> tuple[Parameter, str]:
    """Return the parameter `NAME`, or `calling.NAME` of a part, and its value as it is written.

    Raises:
        InputError: there is none of that name, or both parts have one.
    """
    part, own = player.find_addressed(name)[0]
    chosen = player.under(rules).parts[part]
    parameter, value = chosen.parameter(own), chosen.values_by_name[own]
    assert value is not None
    return parameter, parameter.write(value)


def check_effect(player: Player, names: Sequence[str], rules: GameRules) -> None:
    """Raise InputError for a parameter without effect under the rules."""
    for name in names:
        part, own = player.find_addressed(name)[0]
        message = player.parts[part].without_effect(own, rules)
        if message:
            raise InputError(message)


def read_parameter(player: Player, name: str, given: str | float) -> ParameterValue:
    """Return the value of a parameter; raise InputError if it is not allowed."""
    part, own = player.find_addressed(name)[0]
    with locate_errors(f"policy {quote(player.given)}: {name}={shorten(given)}"):
        return player.parts[part].parameter(own).read(given)


def describe_edge(name: str, value: float, low: float, high: float, parameter: Parameter) -> str:
    """Return a sentence if the best value is at the edge of the range searched; else ""."""
    if low < value < high:
        return ""
    side, bound = ("lower", parameter.low) if value <= low else ("higher", parameter.high)
    shown = format_parameter_number(value)
    return say(__name__, "edge", name, shown, side, bound == value)


def parse_parameter_values(text: str, player: Player, rules: GameRules) -> ParameterValues:
    """Parse `take=30:70:5` (70 included) or `take=30,40,45`; raise InputError for wrong values."""
    name, equals, given = (piece.strip() for piece in text.partition("="))
    if not name or not equals or not given:
        raise InputError(
            f"{quote(text)}: write parameter=from:to:step or parameter=value,value,..."
        )
    find_parameter(player, name, rules)
    values: Sequence[str | float] = (
        _expand_range(text, given) if ":" in given else _split_list(text, given)
    )
    return _read_values(text, name, values, player, rules)


def list_parameter_values(
    vary: VaryLike, player: Player, rules: GameRules
) -> tuple[ParameterValues, ...]:
    """Return the parameters of `sweep` and their values; raise as `parse_parameter_values`."""
    if not isinstance(vary, Mapping):
        texts = parse_argument("vary", list_items, vary)
        return tuple(parse_parameter_values(represent(text, str), player, rules) for text in texts)
    varied = []
    for name, given in vary.items():
        if isinstance(given, str):
            text = f"{represent(name, str)}={given}"
            varied.append(parse_parameter_values(text, player, rules))
        else:
            values = list(given) if isinstance(given, Iterable) else [given]
            text = f"{represent(name, str)}={represent(values)}"
            varied.append(_read_values(text, represent(name, str), values, player, rules))
    return tuple(varied)


def _read_values(
    text: str, name: str, values: Sequence[str | float], player: Player, rules: GameRules
) -> ParameterValues:
    parameter, _ = find_parameter(player, name, rules)
    if not values:
        raise InputError(f"{quote(text)}: {name} has no values")
    if len(values) > MAX_SETTINGS:
        raise InputError(
            f"{name} has {len(values):,} values: at most {MAX_SETTINGS}; take a larger step"
        )
    written = [parameter.write(read_parameter(player, name, value)) for value in values]
    for number, value in enumerate(written):
        if value in written[:number]:
            raise InputError(f"{quote(text)}: the value {value} is there twice")
    return ParameterValues(name, tuple(written))


def _split_list(text: str, given: str) -> list[str]:
    """Return the values of a list; raise InputError for `1,000`, which may be a thousand."""
    for match in _LONE_THOUSANDS.finditer(given):
        number, values = match[0].replace(",", ""), match[0].split(",")
        if any(value.startswith("0") for value in values):
            plain = [str(int(value)) for value in values]
            raise InputError(
                f"{quote(text)}: {match[0]} can mean {number}, or the values "
                f"{', '.join(plain[:-1])} and {plain[-1]}: write {number} or {','.join(plain)}"
            )
    return [each.strip() for each in given.split(",")]


_LONE_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:,\d{3})+(?![\d.])")
"""Values of a list that may be one number with commas between thousands."""


@use_own_decimals()
def _expand_range(text: str, given: str) -> list[float]:
    """Return the values of `from:to:step`, by decimal arithmetic."""
    from decimal import Decimal, InvalidOperation

    form = "write from:to:step with a step above 0, such as 30:70:5"
    pieces = given.split(":")
    for piece in pieces:
        message = explain_two_readings(piece, is_whole=False)
        if message is not None:
            raise InputError(f"{quote(text)}: {message}")
    try:
        low, high, step = (Decimal(piece.strip()) for piece in pieces)
    except (ValueError, InvalidOperation):
        raise InputError(f"{quote(text)}: {shorten(given)} is no range; {form}") from None
    if not all(number.is_finite() for number in (low, high, step)) or step <= 0:
        raise InputError(f"{quote(text)}: {shorten(given)} is no range; {form}")
    if high < low:
        raise InputError(
            f"{quote(text)}: the range is empty, as {shorten(pieces[1])} is below "
            f"{shorten(pieces[0])}"
        )
    try:
        steps = (high - low) // step
    except ArithmeticError:  # The quotient has more digits than decimals have.
        steps = Decimal("inf")
    if steps >= MAX_SETTINGS:
        many = f"{int(steps) + 1:,}" if steps.is_finite() else "far too many"
        raise InputError(
            f"{quote(text)}: {many} values: at most {MAX_SETTINGS}; take a larger step"
        )
    return [float(low + step * number) for number in range(int(steps) + 1)]


def list_combinations(varied: Sequence[ParameterValues]) -> list[tuple[str, ...]]:
    """Return every set of values, the last parameter changing fastest; or raise InputError."""
    if not varied:
        raise InputError("nothing varies: give a parameter and its values, such as take=30:70:5")
    names = [each.name for each in varied]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} varies twice: give all its values at once")
    count = math.prod(len(each.values) for each in varied)
    if count > MAX_SETTINGS:
        counts = " x ".join(str(len(each.values)) for each in varied)
        raise InputError(f"{counts} are {count:,} sets of values: at most {MAX_SETTINGS}")
    return list(itertools.product(*(each.values for each in varied)))


FIRST_BATCH_DEALS = 64
"""Deals of the first batch; a later one has at most as many as were played before."""
MAX_BATCH_DEALS = 1 << 17
"""Largest number of deals of a batch, all sets of values together, but at least 1000 of each."""
TARGET_BATCH_SECONDS = 1.0
"""Approximate duration of one set's part of a batch, and so the delay of an interruption."""

SettingStatus = Literal["best", "tied", "worse"]


@dataclass(frozen=True)
class Setting:
    """A set of values of the parameters, and what it scores.

    Attributes:
        values: the values by parameter, as they are written.
        policy: the specification of the player with them, for `policy=` of the other questions.
        points: points a round that it scores more than the opponents; the interval is for this set
            alone.
        lead_over_best_other: lead over the best other set, in points a round; the intervals hold
            jointly, NaN if there is no other.
        taken: share of the rounds in which its side is Sender.
        made: share of these contracts that it made.
        loss: points a round that it scores less than the best set; the intervals of all sets hold
            jointly.
        status: "best" if it scored most, "tied" if it is statistically tied with the best, "worse"
            if it is not the best.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.sweep("standard", "take=20,150", opponents="standard", deals=300)
        >>> [(setting.name, setting.status) for setting in found.settings]
        [('take=20', 'best'), ('take=150', 'worse')]
    """

    values: Mapping[str, str]
    policy: str = field(repr=False)  # It names every parameter.
    points: Estimate
    lead_over_best_other: Estimate
    taken: Estimate
    made: Estimate
    loss: Estimate
    status: SettingStatus

    @property
    def name(self) -> str:
        """The values as text, "take=35, lap2=30"."""
        return ", ".join(f"{name}={value}" for name, value in self.values.items())


@dataclass(frozen=True)
class Sweep:
    """The result of a sweep.

    Attributes:
        match: a set's match, with the rules and the seed.
        opponents: the player against whom each set plays.
        plan: the number of deals, and the confidence of the intervals.
        deals: number of deals that each set of values played, in every arrangement of the sides.
        edges: sentences on the values of the best set that are at the edge of their range.
        relative_efficiency: number of independent rounds that are as precise as a round here, for
            the difference from the best, mean over the sets; NaN if there is no difference.
    """

    policy: Player
    varied_parameters: tuple[ParameterValues, ...]
    match: PairedMatch
    opponents: Player
    plan: ComparisonPlan
    deals: int
    settings: tuple[Setting, ...]
    edges: tuple[str, ...]
    relative_efficiency: float
    interrupted: bool = False

    @property
    def rules(self) -> GameRules:
        """The rules of the table."""
        return self.match.rules

    @property
    def best(self) -> Setting:
        """The set of values that scored most."""
        return next(each for each in self.settings if each.status == "best")

    @property
    def tied_with_best(self) -> tuple[Setting, ...]:
        """The other sets that are statistically tied with the best."""
        return tuple(each for each in self.settings if each.status == "tied")


class _SweepTally:
    """The moments of all sets of values on the same deals.

    Attributes:
        leads: the moments of the sets' leads.
        contracts: for each set, the moments of takes and of contracts made.
        single_squares: sum of the squares of the leads of single rounds, of all sets.
    """

    def __init__(self, settings: int) -> None:
        self.leads = Moments.zeros((settings,), kind=int)
        self.contracts = Moments.zeros((settings, 2), kind=int)
        self.single_squares = 0

    @property
    def deals(self) -> int:
        return int(self.leads.count)

    @property
    def settings(self) -> int:
        return len(self.leads.sums)

    def observe(self, played: Sequence[MatchCounts]) -> None:
        self.leads.observe(np.stack([each.lead for each in played]))
        self.contracts.observe(np.stack([[each.takes, each.made] for each in played]))
        self.single_squares += sum(int(each.squares.sum()) for each in played)

    def add(self, other: _SweepTally) -> None:
        self.leads.add(other.leads)
        self.contracts.add(other.contracts)
        self.single_squares += other.single_squares

    def estimate_lead(
        self, number: int, confidence: float, max_lead: int, unseen: int = 0
    ) -> Estimate:
        """Estimate the mean lead of a set, at most `max_lead`; `unseen` adds to the squares."""
        deals, total, squares = self.leads.summarize(number)
        return intervals.estimate_mean_from_sums(
            deals, total, squares + unseen, confidence, (-max_lead, max_lead)
        )

    def compute_difference(self, one: int, other: int) -> tuple[float, float]:
        """Return the mean difference of two sets' leads, and its standard error."""
        deals, total, squares = self.leads.summarize_difference(one, other)
        spread = deals * squares - total * total
        return total / deals, math.sqrt(spread / (deals**2 * (deals - 1)))


def compare_with_best(
    differences: Callable[[int, int], tuple[float, float]],
    count: int,
    observations: int,
    confidence: float,
) -> tuple[list[Estimate], list[bool]]:
    """Estimate the difference of each mean to the largest of the others.

    Args:
        differences: returns the difference of two means and its standard error.
        confidence: of all intervals jointly, and of the largest being among those that may be.

    Returns:
        The differences with Hsu's intervals, of which one that ends at 0 says that the mean is not
        the largest; and for each mean, whether it may be the largest.
    """
    if count == 1:
        return [Estimate(math.nan, math.nan, math.nan, observations)], [True]
    # The quantile is two-sided: it leaves out twice as much.
    each = 1 - 2 * (1 - confidence) / (count - 1)
    reach = intervals.compute_reach(observations, each) if each > 0 else 0.0
    means, errors = np.zeros((count, count)), np.ones((count, count))
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


def play_settings(
    policy: Player,
    vary: VaryLike,
    rules: GameRules,
    opponents: Player,
    plan: ComparisonPlan,
    runner: Runner,
) -> Sweep:
    """Play a policy with each set of values against a field.

    Args:
        plan: the deals, and the confidence of the intervals; `precision` is the half-width in
            points at which to stop, for the points of every set of values.

    Raises:
        InputError: parameters or values that are malformed, empty, too many, or without effect in
            this game; a number out of range; a policy that cannot be used, or makes an illegal
            choice.
        KeyboardInterrupt: the run was interrupted before anything was finished.
    """
    varied = list_parameter_values(vary, policy, rules)
    names = [each.name for each in varied]
    sets = [dict(zip(names, values, strict=True)) for values in list_combinations(varied)]
    check_effect(policy, names, rules)
    players = [policy.with_parameters(values).under(rules) for values in sets]
    matches = [PairedMatch(rules, (each,), opponents, plan.seed) for each in players]
    for match in matches:
        match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
    tally = _SweepTally(len(sets))
    with runner.start("deals", plan.deal_limit * len(sets)):
        stopped = not _play_until_done(matches, plan, tally, runner)
    if tally.deals == 0:
        raise KeyboardInterrupt
    settings = _make_settings(sets, players, match, tally, plan.confidence)
    best = next(each for each in settings if each.status == "best")
    return Sweep(
        policy=policy,
        varied_parameters=varied,
        match=match,
        opponents=opponents,
        plan=plan,
        deals=tally.deals,
        settings=settings,
        edges=_describe_edges(varied, best, policy, rules),
        relative_efficiency=_compute_relative_efficiency(match, tally),
        interrupted=stopped,
    )


def _play_until_done(
    matches: Sequence[PairedMatch],
    plan: ComparisonPlan,
    tally: _SweepTally,
    runner: Runner,
) -> bool:
    """Play until it is done, and return False if it was interrupted before.

    An unfinished batch is dropped, so that every set of values has played the same deals.
    """
    size, seconds = max(1000, MAX_BATCH_DEALS // len(matches)), math.inf
    workers, first = runner.workers, plan.first
    for look in plan.iterate_looks():
        if not (workers is None or isinstance(workers, int)):
            work = partial(_play_range, matches, size)
            with closing(
                workers.map_ranges(work, first + tally.deals, first + look, FIRST_BATCH_DEALS)
            ) as parts:
                for part in parts:
                    tally.add(part)
                    runner.advance(part.deals * len(matches))
                    if runner.interrupted:
                        return False
        while tally.deals < look:
            # The pace decides the size of a batch; no result depends on it.
            most = max(
                FIRST_BATCH_DEALS, min(size, tally.deals, int(TARGET_BATCH_SECONDS / seconds))
            )
            count = min(most, look - tally.deals)
            played, began = [], time.monotonic()
            for match in matches:
                played.append(match.count(first + tally.deals, count, workers))
                runner.advance(count)
                if runner.interrupted:
                    return False
            tally.observe(played)
            seconds = max(time.monotonic() - began, 1e-9) / (count * len(matches))
        if (
            plan.precision is not None
            and _find_max_half_width(matches[0], tally, plan.confidence) <= plan.precision
        ):
            break
    return True


def _play_range(matches: Sequence[PairedMatch], size: int, first: int, count: int) -> _SweepTally:
    """Return the tally of a range of deals, played in one thread, `size` deals at a time."""
    tally = _SweepTally(len(matches))
    for piece in split_range(first, first + count, size):
        tally.observe([match.count(*piece, threads=1) for match in matches])
    return tally


def _find_max_half_width(match: PairedMatch, tally: _SweepTally, confidence: float) -> float:
    """Return the largest half-width of the intervals of points, with a few unseen rare deals."""
    most = match.max_lead * match.lead_divisor
    unseen = sequences.UNSEEN_OBSERVATIONS * most**2
    leads = [
        tally.estimate_lead(number, confidence, most, unseen) for number in range(tally.settings)
    ]
    return max(each.high - each.low for each in leads) / 2 / match.lead_divisor


def _make_settings(
    sets: Sequence[Mapping[str, str]],
    players: Sequence[Player],
    match: PairedMatch,
    tally: _SweepTally,
    confidence: float,
) -> tuple[Setting, ...]:
    rounds, most = len(match.arrangements), match.max_lead * match.lead_divisor
    unseen = math.sqrt(sequences.UNSEEN_OBSERVATIONS) * 2 * most / tally.deals

    def compute_difference(one: int, other: int) -> tuple[float, float]:
        """Return the difference, whose error is not 0 even if all deals so far were equal."""
        value, error = tally.compute_difference(one, other)
        return value, error or unseen

    leads, may_be = compare_with_best(compute_difference, len(sets), tally.deals, confidence)
    best = int(tally.leads.sums.argmax())
    found = []
    for number, values in enumerate(sets):
        contracts = tally.contracts[number]
        other: SettingStatus = "tied" if may_be[number] else "worse"
        points = tally.estimate_lead(number, confidence, most)
        taken = intervals.estimate_mean_from_sums(*contracts.summarize(0), confidence, (0, rounds))
        found.append(
            Setting(
                values=values,
                policy=players[number].text,
                points=points.scaled(1 / match.lead_divisor),
                lead_over_best_other=leads[number].scaled(1 / match.lead_divisor),
                taken=taken.scaled(1 / rounds),
                made=intervals.estimate_ratio_from_sums(
                    *contracts.summarize_pair(0, 1), confidence, is_share=True
                ),
                loss=Estimate(0.0, math.nan, math.nan, tally.deals)
                if number == best
                else _estimate_loss(
                    *compute_difference(best, number), tally, confidence, may_be[number]
                ).scaled(1 / match.lead_divisor),
                status="best" if number == best else other,
            )
        )
    return tuple(found)


def _estimate_loss(
    value: float, error: float, tally: _SweepTally, confidence: float, may_be_best: bool
) -> Estimate:
    """Estimate the difference of the best set to another; jointly by Bonferroni.

    A set that is not the best does not score more than it.
    """
    each = 1 - (1 - confidence) / (tally.settings - 1)
    half = intervals.compute_reach(tally.deals, each) * error
    low = value - half if may_be_best else max(0.0, value - half)
    return Estimate(value, low, value + half, tally.deals)


def _describe_edges(
    varied: Sequence[ParameterValues], best: Setting, policy: Player, rules: GameRules
) -> tuple[str, ...]:
    """Return a sentence for each value of the best set at the edge of three numbers or more."""
    found = []
    for each in varied:
        value = best.values[each.name]
        try:
            numbers = [float(text) for text in each.values]
        except ValueError:
            continue
        if len(numbers) > 2:
            parameter, _ = find_parameter(policy, each.name, rules)
            ends = min(numbers), max(numbers)
            found.append(describe_edge(each.name, float(value), *ends, parameter))
    return tuple(filter(None, found))


def _compute_relative_efficiency(match: PairedMatch, tally: _SweepTally) -> float:
    """Return the variance of a difference of independent rounds divided by that of paired ones."""
    totals = tally.leads.sums
    best = int(totals.argmax())
    rounds = len(match.arrangements)
    observations = tally.deals * rounds * tally.settings
    mean = int(totals.sum()) / observations
    single = tally.single_squares / observations - mean**2
    paired = [
        tally.deals * error**2 / rounds
        for each in range(tally.settings)
        if each != best and (error := tally.compute_difference(each, best)[1]) > 0
    ]
    return float(np.mean([2 * single / each for each in paired])) if paired else math.nan
