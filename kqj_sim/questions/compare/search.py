"""Search for better values of a policy's parameters, confirmed on fresh deals.

The search is an evolution strategy, CMA-ES (N. Hansen, "The CMA evolution strategy: a tutorial",
arXiv:1604.00772), with margins for discrete values (R. Hamano, S. Saito, M. Nomura and
S. Shirakawa, "CMA-ES with margin", GECCO 2022), as in the library `cmaes`.  It uses only the order
of the candidates of a generation.  All of them play the same deals, so that luck hardly changes the
order, and each generation plays new deals, so that values that fit some deals by chance die out.
The result is the centre of the last generation, not its luckiest member.  It is measured on deals
that the search never saw, paired with the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.messages import quote
from kqj_sim.plan import Plan, check_range
from kqj_sim.policies.parameters import format_parameter_number
from kqj_sim.policies.players import Player
from kqj_sim.questions.compare.match import PairedMatch
from kqj_sim.questions.compare.settings import (
    check_effect,
    describe_edge,
    find_parameter,
    read_parameter,
)
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.moments import Moments

CONFIRMATION_BATCH_DEALS = 20_000
"""Deals of the confirmation between two checks for an interruption."""

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
        values: the values found, by parameter.
        confirmed: number of deals of the confirmation; 0 if there was none.
        start, found: leads over the field in points a round, on the same fresh deals.
        gain: points a round that the values found score more than those at the start.
        edges: sentences on the values found that are at the edge of their range.
        is_unchanged: True if both scored the same in every deal.
    """

    policy: Player
    search_parameters: tuple[SearchParameter, ...]
    rules: GameRules
    opponents: Player
    plan: SearchPlan
    candidates: int
    generations: tuple[Generation, ...]
    values: tuple[float, ...]
    player: Player
    confirmed: int
    start: Estimate
    found: Estimate
    gain: Estimate
    edges: tuple[str, ...]
    is_unchanged: bool
    interrupted: bool = False

    @property
    def conclusion(self) -> str:
        """The conclusion: "better", "worse", "open", or "same" if no value changed."""
        if all(
            value == each.start
            for value, each in zip(self.values, self.search_parameters, strict=True)
        ):
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
            f"kqj-sim sweep --vary {name}=..."
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
    """Search parameters of a policy for points a round against a field.

    Raises:
        InputError: a parameter that is malformed or has no effect in this game; a number out of
            range; a policy that cannot be used, or makes an illegal choice.
        KeyboardInterrupt: the run was interrupted before the first generation was finished.
    """
    if not parameters:
        raise InputError("nothing to search: name parameters, such as take,lap2")
    searched = tuple(parse_search_parameter(text, policy, rules) for text in parameters)
    names = [each.name for each in searched]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} is there twice")
    check_effect(policy, names, rules)
    match = PairedMatch(rules, (policy,), opponents, plan.seed)
    match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
    with runner.start("generations", plan.generations):
        course, candidates, stopped = _search(match, searched, policy, plan, runner)
        if not course:
            raise KeyboardInterrupt
        player = _with_values(policy, searched, course[-1].values)
        wanted = 0 if stopped else plan.confirm
        confirmed, measured, alike = _confirm_result(match, (policy, player), wanted, plan, runner)
    return Tuning(
        policy=policy,
        search_parameters=searched,
        rules=rules,
        opponents=opponents,
        plan=plan,
        candidates=candidates,
        generations=tuple(course),
        values=course[-1].values,
        player=player,
        confirmed=confirmed,
        start=measured[0],
        found=measured[1],
        gain=measured[2],
        edges=_describe_edges(searched, course[-1].values, policy, rules),
        is_unchanged=alike,
        interrupted=stopped or confirmed < plan.confirm,
    )


def _search(
    match: PairedMatch,
    searched: Sequence[SearchParameter],
    policy: Player,
    plan: SearchPlan,
    runner: Runner,
) -> tuple[list[Generation], int, bool]:
    """Return the generations, the number of candidates of each, and True if interrupted."""
    from cmaes import CMAwM

    def values_at(shares: Sequence[float]) -> tuple[float, ...]:
        return tuple(each.value(share) for each, share in zip(searched, shares, strict=True))

    widths = np.array([each.high - each.low for each in searched])
    search = CMAwM(
        mean=np.array([each.start - each.low for each in searched]) / widths,
        sigma=_INITIAL_STEP_SIZE,
        bounds=np.tile([0.0, 1.0], (len(searched), 1)),
        steps=np.array([each.step for each in searched]) / widths,
        seed=plan.seed % 2**32,
        population_size=plan.candidates or 2 * (4 + int(3 * math.log(len(searched)))),
    )
    decimals = find_game(match.rules.game).point_decimals
    course: list[Generation] = []
    while len(course) < plan.generations and not search.should_stop():
        at = plan.first + len(course) * plan.deals
        told = []
        for _ in range(search.population_size):
            shares, asked = search.ask()
            player = _with_values(policy, searched, values_at(shares))
            lead = replace(match, players=(player,)).count(at, plan.deals, runner.workers).lead
            told.append((asked, -float(lead.sum()) / plan.deals / match.lead_divisor))
            if runner.interrupted:
                return course, search.population_size, True
        search.tell(told)
        leads = [-loss for _, loss in told]
        values = values_at(np.clip(search.mean, 0.0, 1.0))
        course.append(Generation(len(course) + 1, values, float(np.mean(leads)), max(leads)))
        runner.advance(1)
        runner.tell(
            f"generation {len(course)} of {plan.generations}: {format_values(searched, values)}; "
            f"mean lead {course[-1].points:+.{decimals}f}",
            timed=True,
        )
    return course, search.population_size, False


def format_values(searched: Sequence[SearchParameter], values: Sequence[float]) -> str:
    """Return values of the parameters: `take=35, lap2=30`."""
    pairs = zip(searched, values, strict=True)
    return ", ".join(f"{each.name}={format_parameter_number(value)}" for each, value in pairs)


def _with_values(
    policy: Player, searched: Sequence[SearchParameter], values: Sequence[float]
) -> Player:
    texts = map(format_parameter_number, values)
    return policy.with_parameters(dict(zip((each.name for each in searched), texts, strict=True)))


def _describe_edges(
    searched: Sequence[SearchParameter],
    values: Sequence[float],
    policy: Player,
    rules: GameRules,
) -> tuple[str, ...]:
    found = (
        describe_edge(
            each.name, value, each.low, each.high, find_parameter(policy, each.name, rules)[0]
        )
        for each, value in zip(searched, values, strict=True)
    )
    return tuple(filter(None, found))


def _confirm_result(
    match: PairedMatch,
    players: tuple[Player, Player],
    deals: int,
    plan: SearchPlan,
    runner: Runner,
) -> tuple[int, list[Estimate], bool]:
    """Measure the start and the result on the same fresh deals, after all that a search may play.

    Returns:
        The number of deals, fewer if interrupted; the leads of the start and of the result, and the
        gain, in points a round; and whether both scored the same in every deal.
    """
    moments = Moments.zeros((len(players),), kind=int)
    first = plan.first + plan.generations * plan.deals
    while (played := int(moments.count)) < deals and not runner.interrupted:
        count = min(CONFIRMATION_BATCH_DEALS, deals - played)
        leads = [
            replace(match, players=(each,)).count(first + played, count, runner.workers).lead
            for each in players
        ]
        moments.observe(np.stack(leads))
    # The gain on a deal is the difference of two leads.
    most = match.max_lead * match.lead_divisor
    gain = moments.summarize_difference(1, 0)
    measured = [
        intervals.estimate_mean_from_sums(*summary, plan.confidence, (-bound, bound)).scaled(
            1 / match.lead_divisor
        )
        for summary, bound in (
            (moments.summarize(0), most), (moments.summarize(1), most), (gain, 2 * most),
        )
    ]  # fmt: skip
    return played, measured, played > 0 and gain[2] == 0
