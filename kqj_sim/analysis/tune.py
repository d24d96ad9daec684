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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.moments import Moments
from kqj_sim.analysis.vary import (
    FieldMatch,
    ParameterError,
    ParameterizedPolicy,
    describe_edge,
    format_players,
)
from kqj_sim.messages import quote
from kqj_sim.policies.parameters import format_parameter_number
from kqj_sim.policies.spec import DEFAULT_PLAYERS, PlayerSpec, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.run_scope import run_scope

DEFAULT_DEALS = 10_000
DEFAULT_GENERATIONS = 30
DEFAULT_CONFIRMATION_DEALS = 100_000
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
        number: its number, from 1.
        values: the centre after this generation, by parameter.
        points: lead over the field in points a round, mean over the candidates.
        best: the lead of the best candidate, luck included.
    """

    number: int
    values: tuple[float, ...]
    points: float
    best: float


@dataclass(frozen=True)
class Tuning:
    """The result of a search.

    Attributes:
        policy: the specification at the start, by name.
        search_parameters: the parameters.
        rules, opponents, seed, first: as for `tune`.
        deals: number of deals that each candidate played, in every arrangement of the sides.
        candidates: number of candidates of a generation.
        generations: the generations.
        values: the values found, by parameter.
        parts: the policy with them.
        player: the same as a specification.
        confirmed: number of deals of the confirmation; 0 if there was none.
        start, found: leads over the field in points a round, on the same fresh deals.
        gain: points a round that the values found score more than those at the start.
        edges: sentences on the values found that are at the edge of their range.
        is_unchanged: True if both scored the same in every deal.
        confidence: of the intervals.
        interrupted: True if it was stopped early.
    """

    policy: str
    search_parameters: tuple[SearchParameter, ...]
    rules: GameRules
    opponents: str
    seed: int
    first: int
    deals: int
    candidates: int
    generations: tuple[Generation, ...]
    values: tuple[float, ...]
    parts: PlayerSpec
    player: str
    confirmed: int
    start: Estimate
    found: Estimate
    gain: Estimate
    edges: tuple[str, ...]
    is_unchanged: bool
    confidence: float
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


def parse_search_parameter(text: str, policy: ParameterizedPolicy) -> SearchParameter:
    """Parse a parameter to search, `take`, or with a range `take=20:80`.

    Raises:
        ParameterError: it is not a number, or has no range, an empty one, or one without its value.
        PolicyError: an unknown parameter, or a bound that is not allowed.
    """
    name, equals, given = (piece.strip() for piece in text.partition("="))
    parameter, start = policy.parameter(name)
    if parameter.kind not in ("number", "whole number"):
        raise ParameterError(
            f"{name} is {parameter.allowed}, not a number: compare them by "
            f"kqj-sim sweep --vary {name}=..."
        )
    low, high = parameter.low, parameter.high
    if equals:
        bounds = given.split(":")
        if len(bounds) != 2:
            raise ParameterError(f"{quote(text)}: write the range as {name}=from:to")
        low, high = (float(policy.read(name, bound.strip())) for bound in bounds)
    if low is None or high is None:
        raise ParameterError(f"{name} has no range of its own: write {name}=from:to")
    if not low < high:
        raise ParameterError(f"{quote(text)}: the range is empty")
    if not low <= float(start) <= high:
        raise ParameterError(
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


@run_scope()
def tune(
    policy: str,
    parameters: Sequence[str],
    *,
    rules: GameRules | None = None,
    opponents: str | None = None,
    deals: int = DEFAULT_DEALS,
    generations: int = DEFAULT_GENERATIONS,
    candidates: int | None = None,
    confirm: int = DEFAULT_CONFIRMATION_DEALS,
    confidence: float = intervals.DEFAULT_CONFIDENCE,
    seed: int = 1,
    first: int = 0,
    threads: int | None = None,
    progress: Callable[[Generation], None] | None = None,
    interrupted: Callable[[], bool] | None = None,
) -> Tuning:
    """Search parameters of a policy for points a round against a field, as `kqj-sim tune` does.

    Args:
        policy: the specification to start from.
        parameters: the parameters to search, `take` or with a range `take=20:80`.
        rules: the rules of the table; None: the default ones.
        opponents: the player against whom the policy plays; None: the default player.
        deals: number of deals of each candidate.
        generations: largest number of generations.
        candidates: number of candidates of a generation; None: 2 (4 + 3 ln(parameters)).
        confirm: number of fresh deals on which the result is compared with the start.
        confidence: of the intervals.
        seed: of the deals and the search.
        first: number of the first deal.
        threads: as for `kqj_sim.simulation.reduce_rows`; they do not change the result.
        progress: called after each generation.
        interrupted: called after each candidate; returns True to stop.

    Raises:
        ParameterError: a parameter that is malformed or has no effect in this game, or a number out
            of range.
        kqj_sim.policies.PolicyError: a policy cannot be used, or makes an illegal choice.
        kqj_sim.experiment.ExperimentError: a number out of range.
        KeyboardInterrupt: `interrupted` before the first generation was finished.
    """
    from cmaes import CMAwM

    for name, value, least in (
        ("deals", deals, 2), ("generations", generations, 1), ("confirm", confirm, 2),
        ("candidates", 3 if candidates is None else candidates, 3),
    ):  # fmt: skip
        if value < least:
            raise ParameterError(f"{name} is {value}: it should be {least} or more")
    if not parameters:
        raise ParameterError("nothing to search: name parameters, such as take,lap2")
    rules = rules or KqjRules()
    game = rules.game
    opponents = opponents or DEFAULT_PLAYERS[game]
    subject = ParameterizedPolicy(policy, rules)
    searched = tuple(parse_search_parameter(text, subject) for text in parameters)
    names = [each.name for each in searched]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{name} is there twice")
    subject.check_effect(names)
    match = FieldMatch(rules, opponents, seed)
    match.make_experiments(policy, first, 1)  # Raises errors before anything is played.

    def parts_of(values: Sequence[float]) -> PlayerSpec:
        texts = dict(zip(names, map(format_parameter_number, values), strict=True))
        return subject.with_values(texts)

    def values_at(shares: Sequence[float]) -> tuple[float, ...]:
        return tuple(each.value(share) for each, share in zip(searched, shares, strict=True))

    widths = np.array([each.high - each.low for each in searched])
    search = CMAwM(
        mean=np.array([each.start - each.low for each in searched]) / widths,
        sigma=_INITIAL_STEP_SIZE,
        bounds=np.tile([0.0, 1.0], (len(searched), 1)),
        steps=np.array([each.step for each in searched]) / widths,
        seed=seed % 2**32,
        population_size=candidates or 2 * (4 + int(3 * math.log(len(searched)))),
    )
    course: list[Generation] = []
    stopped = False
    while len(course) < generations and not stopped and not search.should_stop():
        at = first + len(course) * deals
        told = []
        for _ in range(search.population_size):
            shares, asked = search.ask()
            played = match.play(
                format_players(parts_of(values_at(shares)), rules), at, deals, threads
            )
            told.append((asked, -float(played.lead.sum()) / deals / match.lead_divisor))
            if interrupted is not None and interrupted():
                stopped = True
                break
        else:
            search.tell(told)
            leads = [-loss for _, loss in told]
            values = values_at(np.clip(search.mean, 0.0, 1.0))
            course.append(Generation(len(course) + 1, values, float(np.mean(leads)), max(leads)))
            if progress is not None:
                progress(course[-1])
    if not course:
        raise KeyboardInterrupt
    parts = parts_of(course[-1].values)
    # Fresh deals: after all those that the search may play.
    at = first + generations * deals
    players = (policy, format_players(parts, rules))
    wanted = 0 if stopped else confirm
    confirmed, measured, alike = _confirm_result(
        match, players, at, wanted, confidence, threads, interrupted
    )
    return Tuning(
        policy=parse_player(policy, game).name,
        search_parameters=searched,
        rules=rules,
        opponents=parse_player(opponents, game).name,
        seed=seed,
        first=first,
        deals=deals,
        candidates=search.population_size,
        generations=tuple(course),
        values=course[-1].values,
        parts=parts,
        player=format_players(parts, rules),
        confirmed=confirmed,
        start=measured[0],
        found=measured[1],
        gain=measured[2],
        edges=_describe_edges(searched, course[-1].values, subject),
        is_unchanged=alike,
        confidence=confidence,
        interrupted=stopped or confirmed < confirm,
    )


def _describe_edges(
    searched: Sequence[SearchParameter], values: Sequence[float], subject: ParameterizedPolicy
) -> tuple[str, ...]:
    """Return a sentence for each value found at the edge of its range."""
    found = (
        describe_edge(each.name, value, each.low, each.high, subject.parameter(each.name)[0])
        for each, value in zip(searched, values, strict=True)
    )
    return tuple(filter(None, found))


def _confirm_result(
    match: FieldMatch,
    players: tuple[str, str],
    first: int,
    deals: int,
    confidence: float,
    threads: int | None,
    interrupted: Callable[[], bool] | None,
) -> tuple[int, list[Estimate], bool]:
    """Measure the start and the result on the same fresh deals.

    Returns:
        The number of deals, fewer if interrupted; the leads of the start and of the result, and the
        gain, in points a round; and whether both scored the same in every deal.
    """
    moments = Moments.zeros((len(players),), kind=int)
    while (played := int(moments.count)) < deals and not (
        interrupted is not None and interrupted()
    ):
        count = min(CONFIRMATION_BATCH_DEALS, deals - played)
        leads = [match.play(each, first + played, count, threads).lead for each in players]
        moments.observe(np.stack(leads))
    # The gain on a deal is the difference of two leads.
    most = match.max_lead * match.lead_divisor
    gain = moments.summarize_difference(1, 0)
    measured = [
        intervals.estimate_mean_from_sums(*summary, confidence, (-bound, bound)).scaled(
            1 / match.lead_divisor
        )
        for summary, bound in (
            (moments.summarize(0), most), (moments.summarize(1), most), (gain, 2 * most),
        )
    ]  # fmt: skip
    return played, measured, played > 0 and gain[2] == 0
