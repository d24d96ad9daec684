"""Parameters of a policy that vary: a sweep over their values, and a search for better ones.

**Sweep.**  All sets of values play the same deals, so that their differences carry little of the
luck.  The best of many is partly the luckiest, hence multiple comparisons with the best: J. C. Hsu,
"Constrained simultaneous confidence intervals for multiple comparisons with the best", Annals of
Statistics 12 (1984).  The intervals of what each scores more than the best of the others hold for
all sets jointly, and so does the set of those that may be the best.  As the differences may be
correlated in any way, the critical value is Bonferroni's for the one-sided comparisons of the best
with each of the others, with Student's quantile and the error of each paired difference.

**Search.**  An evolution strategy, CMA-ES (N. Hansen, "The CMA evolution strategy: a tutorial",
arXiv:1604.00772), with margins for discrete values (R. Hamano, S. Saito, M. Nomura and
S. Shirakawa, "CMA-ES with margin", GECCO 2022), as in the library `cmaes`.  It uses only the order
of the candidates of a generation.  All of them play the same deals, so that luck hardly changes the
order, and each generation plays new deals, so that values that fit some deals by chance die out.
The result is the centre of the last generation, not its luckiest member.  It is measured on deals
that the search never saw, paired with the start.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from kqj_sim.arguments import VaryLike, list_items, parse_argument
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import find_game
from kqj_sim.messages import explain_two_readings, quote, represent, shorten, use_own_decimals
from kqj_sim.output.sentences import say
from kqj_sim.paired.leads import ComparisonPlan, Leads, play_until_enough
from kqj_sim.paired.match import Match
from kqj_sim.plan import Plan, check_range
from kqj_sim.policies.parameters import Parameter, ParameterValue, format_parameter_number
from kqj_sim.policies.players import Player
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.stats import intervals, sequences
from kqj_sim.stats.intervals import Estimate, make_exact

# Parameters that vary: their values as people write them, and the players with these values.

MAX_SETTINGS = 400


ParameterValues: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a parameter, and its values as they are written."""


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


def describe_edges(
    policy: Player, rules: GameRules, ranges: Iterable[tuple[str, float, float, float]]
) -> tuple[str, ...]:
    """Return a sentence for each best value that is at the edge of the range tried.

    Args:
        ranges: the name of each parameter, the best value, and the range.
    """
    sentences = []
    for name, value, low, high in ranges:
        if not low < value < high:
            parameter, _ = find_parameter(policy, name, rules)
            lower = "lower", parameter.low
            side, bound = lower if value <= low else ("higher", parameter.high)
            number = format_parameter_number(value)
            sentences.append(say(__name__, "edge", name, number, side, bound == value))
    return tuple(sentences)


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
    for parameter, value in vary.items():
        name = represent(parameter, str)
        if isinstance(value, str):
            varied.append(parse_parameter_values(f"{name}={value}", player, rules))
        else:
            values = list(value) if isinstance(value, Iterable) else [value]
            text = f"{name}={represent(values)}"
            varied.append(_read_values(text, name, values, player, rules))
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
            raise InputError(f"{quote(text)}: the value {value} is given twice")
    return name, tuple(written)


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
    return [value.strip() for value in given.split(",")]


_LONE_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:,\d{3})+(?![\d.])")
"""Values of a list that may be one number with commas between thousands."""


@use_own_decimals()
def _expand_range(text: str, given: str) -> list[float]:
    """Return the values of `from:to:step`, by decimal arithmetic."""
    from decimal import Decimal, InvalidOperation

    pieces = given.split(":")
    for piece in pieces:
        message = explain_two_readings(piece, is_whole=False)
        if message is not None:
            raise InputError(f"{quote(text)}: {message}")
    try:
        low, high, step = (Decimal(piece.strip()) for piece in pieces)
        if not all(number.is_finite() for number in (low, high, step)) or step <= 0:
            raise ValueError
    except (ValueError, InvalidOperation):
        form = "write from:to:step with a step above 0, such as 30:70:5"
        raise InputError(f"{quote(text)}: {shorten(given)} is not a range; {form}") from None
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
    names = [name for name, _ in varied]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} varies twice: give all its values at once")
    lists = [values for _, values in varied]
    count = math.prod(map(len, lists))
    if count > MAX_SETTINGS:
        counts = " x ".join(str(len(values)) for values in lists)
        raise InputError(f"{counts} are {count:,} sets of values: at most {MAX_SETTINGS}")
    return list(itertools.product(*lists))


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
        opponents: the player against whom each set of values plays.
        leads: those of the sets of values over the opponents.
        edges: sentences on the values of the best set that are at the edge of their range.
    """

    policy: Player
    opponents: Player
    varied_parameters: tuple[ParameterValues, ...]
    leads: Leads
    settings: tuple[Setting, ...]
    edges: tuple[str, ...]
    interrupted: bool = False

    @property
    def rules(self) -> GameRules:
        """The rules of the table."""
        return self.leads.match.rules

    @property
    def best(self) -> Setting:
        """The set of values that scored most."""
        return next(setting for setting in self.settings if setting.status == "best")

    @property
    def tied_with_best(self) -> tuple[Setting, ...]:
        """The other sets that are statistically tied with the best."""
        return tuple(setting for setting in self.settings if setting.status == "tied")

    @property
    def relative_efficiency(self) -> float:
        """The number of independent rounds that are as precise as a round here.

        It is the variance of a difference of independent rounds divided by that of paired ones, for
        the difference from the best, mean over the sets; NaN if there is no difference.
        """
        tally, deals = self.leads.tally, self.leads.deals
        best, rounds = int(tally.leads.sums.argmax()), len(self.leads.match.arrangements)
        observations = deals * self.leads.rounds
        mean = int(tally.leads.sums.sum()) / observations
        single = int(tally.singles.products.sum()) / observations - mean**2
        paired = [
            deals * error**2 / rounds
            for number in range(len(self.settings))
            if number != best and (error := _compute_difference(self.leads, number, best)[1]) > 0
        ]
        return float(np.mean([2 * single / spread for spread in paired])) if paired else math.nan


def play_settings(
    policy: Player,
    vary: VaryLike,
    rules: GameRules,
    opponents: Player,
    plan: ComparisonPlan,
    runner: Runner,
) -> Sweep:
    """Play a policy with each set of values against opponents.

    Args:
        plan: the deals, and the confidence of the intervals; `precision` is the half-width in
            points at which to stop, for the points of every set of values.

    Raises:
        InputError: parameters or values that are malformed, empty, too many, or without effect in
            this game; a number out of range; a policy that cannot be used, or makes an illegal
            choice.
    """
    varied = list_parameter_values(vary, policy, rules)
    names = [name for name, _ in varied]
    sets = [dict(zip(names, values, strict=True)) for values in list_combinations(varied)]
    check_effect(policy, names, rules)
    players = tuple(policy.with_parameters(values).under(rules) for values in sets)
    match = Match(rules, players, opponents, plan.seed)
    match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
    leads = Leads(match, plan)
    with runner.start("deals", plan.deal_limit * len(sets)):
        is_whole = play_until_enough(
            leads, plan.iterate_looks(), runner, lambda deals: runner.advance(deals * len(sets))
        )
    settings = _make_settings(sets, leads)
    best = next(setting for setting in settings if setting.status == "best")
    edges = describe_edges(policy, rules, _list_number_ranges(varied, best))
    return Sweep(policy, opponents, varied, leads, settings, edges, interrupted=not is_whole)


def _compute_difference(leads: Leads, one: int, other: int) -> tuple[float, float]:
    """Return the mean difference of two leads, not yet divided, and its standard error."""
    deals, total, squares = leads.tally.leads.summarize_difference(one, other)
    spread = deals * squares - total * total
    return total / deals, math.sqrt(spread / (deals**2 * (deals - 1)))


def _make_settings(sets: Sequence[Mapping[str, str]], leads: Leads) -> tuple[Setting, ...]:
    match, deals, confidence = leads.match, leads.deals, leads.plan.confidence
    most = match.rules.max_points * match.lead_divisor
    unseen = math.sqrt(sequences.UNSEEN_OBSERVATIONS) * 2 * most / deals

    def compute_difference(one: int, other: int) -> tuple[float, float]:
        """Return the difference, whose error is not 0 even if all deals so far were equal."""
        value, error = _compute_difference(leads, one, other)
        return value, error or unseen

    over_others, may_be = compare_with_best(compute_difference, len(sets), deals, confidence)
    best = int(leads.tally.leads.sums.argmax())
    settings = []
    for number, values in enumerate(sets):
        status: SettingStatus = "tied" if may_be[number] else "worse"
        loss = make_exact(0.0, deals)
        if number == best:
            status = "best"
        else:
            # Jointly by Bonferroni.  A set that is not the best does not score more than it.
            value, error = compute_difference(best, number)
            single = 1 - (1 - confidence) / (len(sets) - 1)
            half = intervals.compute_reach(deals, single) * error
            low = value - half if may_be[number] else max(0.0, value - half)
            loss = Estimate(value, low, value + half, deals) * (1 / match.lead_divisor)
        settings.append(
            Setting(
                values=values,
                policy=match.players[number].text,
                points=leads.estimate(number),
                lead_over_best_other=over_others[number] * (1 / match.lead_divisor),
                taken=leads.estimate_share(number, "takes"),
                made=leads.estimate_ratio(number, "made", "takes"),
                loss=loss,
                status=status,
            )
        )
    return tuple(settings)


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
        return [make_exact(math.nan, observations)], [True]
    # The quantile is two-sided: it leaves out twice as much.
    single = 1 - 2 * (1 - confidence) / (count - 1)
    reach = intervals.compute_reach(observations, single) if single > 0 else 0.0
    means, errors = np.zeros((count, count)), np.ones((count, count))
    for one, other in itertools.permutations(range(count), 2):
        means[one, other], errors[one, other] = differences(one, other)
    others = ~np.eye(count, dtype=bool)
    upper = np.where(others, means + reach * errors, np.inf).min(axis=1)
    may_be = upper >= 0
    leads = []
    for one in range(count):
        value = float(means[one][others[one]].min())
        rivals = others[one] & may_be
        lower = float((means - reach * errors)[one][rivals].min()) if rivals.any() else 0.0
        leads.append(Estimate(value, min(0.0, lower), max(0.0, float(upper[one])), observations))
    return leads, may_be.tolist()


def _list_number_ranges(
    varied: Sequence[ParameterValues], best: Setting
) -> Iterator[tuple[str, float, float, float]]:
    """Yield the best value and the range of each parameter that has three numbers or more."""
    for name, values in varied:
        try:
            numbers = [float(text) for text in values]
        except ValueError:
            continue
        if len(numbers) > 2:
            yield name, float(best.values[name]), min(numbers), max(numbers)


# The search for better values.

_INITIAL_STEP_SIZE = 0.15
"""Standard deviation of the first generation, as a share of each range."""
_STEPS_PER_RANGE = 100
"""Smallest number of steps in a parameter's range; the largest is two and a half times this."""


class SearchParameter(NamedTuple):
    """A parameter to search.

    Attributes:
        name: its name as given, with `calling.` or `playing.` before it if so.
        low, high: the range, both included.
        step: the distance of its values, from `low` on.
        start: the value in the policy given.
    """

    name: str
    low: float
    high: float
    step: float
    start: float

    def value(self, share: float) -> float:
        """Return the value at a share of the range, rounded to the nearest step."""
        steps = round(share * (self.high - self.low) / self.step)
        value = min(self.high, self.low + steps * self.step)
        # Without the noise of binary fractions: 0.3, not 0.30000000000000004.
        return float(f"{value:.12g}")


class Generation(NamedTuple):
    """A generation of the search.

    Attributes:
        values: the centre after this generation, by parameter.
        points: lead over the field in points a round, mean over the candidates.
        best: the lead of the best candidate, luck included.
    """

    number: int
    values: tuple[float, ...]
    points: float
    best: float


@dataclass(frozen=True, kw_only=True)
class SearchPlan(Plan):
    """The deals of each candidate of a search, and how long it goes on.

    Attributes:
        candidates: number of candidates of a generation; None: 2 (4 + 3 ln(parameters)).
        confirm: number of fresh deals on which the result is compared with the start.
    """

    deals: int
    generations: int
    candidates: int | None
    confirm: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("deals", self.deals, 2)
        check_range("confirm", self.confirm, 2)


@dataclass(frozen=True)
class Tuning:
    """The result of a search.

    Attributes:
        policy: the player at the start.
        opponents: the player against whom the policy plays.
        plan: the deals; each candidate played them in every arrangement of the sides.
        candidates: number of candidates of a generation.
        player: the policy with the values found.
        leads: those of `policy` and of `player` over the opponents, on fresh deals; none if the
            search was interrupted.
        edges: sentences on the values found that are at the edge of their range.
    """

    method: ClassVar[str] = "CMA-ES with margin (cmaes)"

    policy: Player
    opponents: Player
    search_parameters: tuple[SearchParameter, ...]
    plan: SearchPlan
    candidates: int
    generations: tuple[Generation, ...]
    player: Player
    leads: Leads
    edges: tuple[str, ...]
    interrupted: bool = False

    @property
    def rules(self) -> GameRules:
        """The rules of the table."""
        return self.leads.match.rules

    @property
    def values(self) -> tuple[float, ...]:
        """The values found, by parameter."""
        return self.generations[-1].values

    @property
    def gain(self) -> Estimate:
        """Points a round that the values found score more than those at the start."""
        return self.leads.estimate(1, 0)

    @property
    def is_unchanged(self) -> bool:
        """True if both scored the same in every deal."""
        differences = self.leads.tally.leads.summarize_difference(1, 0)
        return self.leads.deals > 0 and differences[2] == 0

    @property
    def conclusion(self) -> str:
        """The conclusion: "better", "worse", "open", or "same" if no value changed."""
        if list(self.values) == [parameter.start for parameter in self.search_parameters]:
            return "same"
        if self.gain.low > 0:
            return "better"
        return "worse" if self.gain.high < 0 else "open"


def parse_search_parameter(text: str, player: Player, rules: GameRules) -> SearchParameter:
    """Parse a parameter to search, `take`, or with a range `take=20:80`.

    Raises:
        InputError: it is not a number, or has no range, an empty one, or one without its value; an
            unknown parameter, or a bound that is not allowed.
    """
    name, equals, given = (piece.strip() for piece in text.partition("="))
    parameter, start = find_parameter(player, name, rules)
    if parameter.kind not in ("number", "whole number"):
        raise InputError(
            f"{name} is {parameter.allowed}, not a number: compare them by "
            f"`kqj.sweep()`, `vary` {name}=..."
        )
    low, high = parameter.low, parameter.high
    if equals:
        bounds = given.split(":")
        if len(bounds) != 2:
            raise InputError(f"{quote(text)}: write the range as {name}=from:to")
        low, high = (float(read_parameter(player, name, bound.strip())) for bound in bounds)
    if low is None or high is None:
        raise InputError(f"{name} has no range of its own: write {name}=from:to")
    if not low < high:
        raise InputError(f"{quote(text)}: the range is empty")
    if not low <= float(start) <= high:
        raise InputError(
            f"{name} begins at {start}, outside of {format_parameter_number(low)} to "
            f"{format_parameter_number(high)}"
        )
    # A round number, whole for whole numbers.
    most = (high - low) / _STEPS_PER_RANGE
    power = 10.0 ** math.floor(math.log10(most))
    step = max(digit * power for digit in (1, 2, 5) if digit * power <= most * (1 + 1e-9))
    if parameter.kind == "whole number":
        step = max(1.0, step)
    return SearchParameter(name, low, high, min(step, high - low), float(start))


def search_parameters(
    policy: Player,
    parameters: Sequence[str],
    rules: GameRules,
    opponents: Player,
    plan: SearchPlan,
    runner: Runner,
) -> Tuning:
    """Search parameters of a policy for points a round against opponents.

    Raises:
        InputError: a parameter that is malformed or has no effect in this game; a number out of
            range; a policy that cannot be used, or makes an illegal choice.
        KeyboardInterrupt: the run was interrupted before the first generation was finished.
    """
    if not parameters:
        raise InputError("nothing to search: name parameters, such as take,lap2")
    searched = tuple(parse_search_parameter(text, policy, rules) for text in parameters)
    names = [parameter.name for parameter in searched]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} is given twice")
    check_effect(policy, names, rules)
    match = Match(rules, (policy,), opponents, plan.seed)
    match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
    with runner.start("deals", plan.generations * plan.deals + plan.confirm):
        course, candidates, is_whole = _search(match, searched, plan, runner)
        if not course:
            raise KeyboardInterrupt
        player = _with_values(policy, searched, course[-1].values)
        # After all deals that the search may play.
        first = plan.first + plan.generations * plan.deals
        leads = _make_leads(match, (policy, player), plan, first, plan.confirm)
        if is_whole:
            _play_all(leads, runner, "confirming")
    ranges = (
        (parameter.name, value, parameter.low, parameter.high)
        for parameter, value in zip(searched, course[-1].values, strict=True)
    )
    edges = describe_edges(policy, rules, ranges)
    return Tuning(
        policy, opponents, searched, plan, candidates, tuple(course), player, leads, edges,
        interrupted=leads.deals < plan.confirm,
    )  # fmt: skip


def _make_leads(
    match: Match, players: Sequence[Player], plan: SearchPlan, first: int, deals: int
) -> Leads:
    """Return the leads of players, instead of those of the match, on deals to be played."""
    return Leads(
        replace(match, players=tuple(players)),
        ComparisonPlan(deals, confidence=plan.confidence, seed=plan.seed, first=first),
    )


def _play_all(leads: Leads, runner: Runner, step: str) -> bool:
    """Play all deals, all players as one; return False if interrupted."""
    looks = leads.plan.iterate_looks()
    return play_until_enough(leads, looks, runner, lambda deals: runner.advance(deals, step))


def _search(
    match: Match, searched: Sequence[SearchParameter], plan: SearchPlan, runner: Runner
) -> tuple[list[Generation], int, bool]:
    """Return the generations, the number of candidates of each, and False if interrupted."""
    from cmaes import CMAwM

    def values_at(shares: Sequence[float]) -> tuple[float, ...]:
        values = zip(searched, shares, strict=True)
        return tuple(parameter.value(share) for parameter, share in values)

    widths = np.array([parameter.high - parameter.low for parameter in searched])
    search = CMAwM(
        mean=np.array([parameter.start - parameter.low for parameter in searched]) / widths,
        sigma=_INITIAL_STEP_SIZE,
        bounds=np.tile([0.0, 1.0], (len(searched), 1)),
        steps=np.array([parameter.step for parameter in searched]) / widths,
        seed=plan.seed % 2**32,
        population_size=plan.candidates or 2 * (4 + int(3 * math.log(len(searched)))),
    )
    count = search.population_size
    decimals = find_game(match.rules.game).point_decimals
    course: list[Generation] = []
    while len(course) < plan.generations and not search.should_stop():
        trials = [search.ask() for _ in range(count)]
        candidates = [
            _with_values(match.players[0], searched, values_at(shares)) for shares, _ in trials
        ]
        first = plan.first + len(course) * plan.deals
        leads = _make_leads(match, candidates, plan, first, plan.deals)
        if not _play_all(leads, runner, f"generation {len(course) + 1} of {plan.generations}"):
            return course, count, False
        # The search minimises; it sorts what it is told.
        losses = [
            (point, -float(leads.tally.leads.total(number)) / plan.deals / match.lead_divisor)
            for number, (_, point) in enumerate(trials)
        ]
        search.tell(losses)
        points = [-loss for _, loss in losses]
        values = values_at(np.clip(search.mean, 0.0, 1.0))
        course.append(Generation(len(course) + 1, values, float(np.mean(points)), max(points)))
        runner.tell(
            f"generation {len(course)} of {plan.generations}: {format_values(searched, values)}; "
            f"mean lead {course[-1].points:+.{decimals}f}",
            timed=True,
        )
    return course, count, True


def format_values(searched: Sequence[SearchParameter], values: Sequence[float]) -> str:
    """Return values of the parameters: `take=35, lap2=30`."""
    pairs = zip(searched, values, strict=True)
    return ", ".join(
        f"{parameter.name}={format_parameter_number(value)}" for parameter, value in pairs
    )


def _with_values(
    policy: Player, searched: Sequence[SearchParameter], values: Sequence[float]
) -> Player:
    names, texts = (name for name, *_ in searched), map(format_parameter_number, values)
    return policy.with_parameters(dict(zip(names, texts, strict=True)))
