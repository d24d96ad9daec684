"""Better values for a policy's parameters: a search, and a fresh look at what it found.

The search is an evolution strategy, CMA-ES (N. Hansen, "The CMA evolution strategy: a tutorial",
arXiv:1604.00772), with margins for values that come in steps (R. Hamano, S. Saito, M. Nomura and
S. Shirakawa, "CMA-ES with margin", GECCO 2022), as in the library `cmaes`.  It looks at nothing but
the order of the candidates of a generation.  All of them play the same deals, so that the luck of
the deal hardly changes that order, and each generation plays new ones, so that what fits some deals
by chance dies out.  What is found is the centre of the last generation and not its luckiest member;
it is measured on deals that the search never saw, paired with where it began.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.vary import FieldMatch, ParameterError, ParameterizedPolicy, format_players
from kqj_sim.messages import quote
from kqj_sim.policies.player_files import PlayerSpec
from kqj_sim.policies.registry import format_parameter_number
from kqj_sim.policies.spec import DEFAULT_PLAYERS, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.run_scope import run_scope

DEFAULT_DEALS = 10_000
DEFAULT_GENERATIONS = 30
DEFAULT_CONFIRMATION_DEALS = 100_000
CONFIRMATION_BATCH_DEALS = 20_000
"""Deals of the confirmation between two looks at Ctrl-C."""

_INITIAL_STEP_SIZE = 0.15
"""Standard deviation of the first generation, as a share of each range."""
_STEPS_PER_RANGE = 100
"""At least so many values of a number are told apart in its range, at most two and a half times."""


class SearchParameter(NamedTuple):
    """A parameter that is searched.

    Attributes:
        name: as it is given, `calling.` or `playing.` before it included.
        low, high: the range, both included.
        step: what its values are multiples of, from `low` on.
        start: the value of the policy given.
    """

    name: str
    low: float
    high: float
    step: float
    start: float

    def value(self, share: float) -> float:
        """The value at a share of the range, on the nearest step."""
        steps = round(share * (self.high - self.low) / self.step)
        value = min(self.high, self.low + steps * self.step)
        # Without the noise of binary fractions: 0.3, not 0.30000000000000004.
        return float(f"{value:.12g}")


class Generation(NamedTuple):
    """A generation of the search.

    Attributes:
        number: from 1.
        values: of the centre of the candidates it leads to, by parameter.
        points: points a round more than the field, mean over its candidates.
        best: the same of the best candidate, luck included.
    """

    number: int
    values: tuple[float, ...]
    points: float
    best: float


@dataclass(frozen=True)
class Tuning:
    """What came of a search.

    Attributes:
        policy: the specification it began with.
        search_parameters: the parameters.
        rules, field, seed, first: what was played against, and where.
        deals: deals that each candidate played, in every arrangement of the sides.
        candidates: in a generation.
        generations: what was searched.
        values: of the parameters, as found.
        parts: the policy with them.
        player: the same, as a specification.
        confirmed: deals that were played to confirm it; 0 if it was not.
        start, found: points a round more than the field, on the same fresh deals.
        gain: points a round that what was found scores more than where it began.
        is_unchanged: whether it scored the same in every deal.
        confidence: of the intervals.
        interrupted: whether it was ended early.
    """

    policy: str
    search_parameters: tuple[SearchParameter, ...]
    rules: GameRules
    field: str
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
    is_unchanged: bool
    confidence: float
    interrupted: bool = False

    @property
    def shown(self) -> str:
        """What the confirmation shows: "better", "worse", "open", or "same": nothing changed."""
        if all(
            value == each.start
            for value, each in zip(self.values, self.search_parameters, strict=True)
        ):
            return "same"
        if self.gain.low > 0:
            return "better"
        return "worse" if self.gain.high < 0 else "open"


def parse_search_parameter(text: str, policy: ParameterizedPolicy) -> SearchParameter:
    """A parameter to search, `take` or with a range of its own `take=20:80`.

    Raises:
        VaryError: it is no number, has no range, an empty one, or begins outside of it.
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
    field: str | None = None,
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
    """Search parameters of a policy for points a round against a field; `kqj-sim tune`.

    Args:
        policy: the specification to begin with.
        parameters: what to search, `take` or with a range `take=20:80`.
        rules: the rules of the table; None: the default ones.
        field: who plays against the policy; None: the default player.
        deals: deals that each candidate plays.
        generations: how many generations, at most.
        candidates: how many in a generation; None: 4 + 3 ln(parameters), twice.
        confirm: fresh deals on which what is found is held against where it began.
        confidence: of the intervals.
        seed: of the deals and the search.
        first: number of the first deal.
        threads: as for `kqj_sim.simulation.reduce_rows`; they cannot be seen in the result.
        progress: called after each generation.
        interrupted: asked after each candidate whether to stop.

    Raises:
        VaryError: what is searched is written wrongly or has no effect in this game, or numbers
            that make no sense.
        kqj_sim.policies.PolicyError: a policy cannot be used, or a wrong choice.
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
    field = field or DEFAULT_PLAYERS[game]
    subject = ParameterizedPolicy(policy, game)
    searched = tuple(parse_search_parameter(text, subject) for text in parameters)
    names = [each.name for each in searched]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{name} is there twice")
    subject.check_effect(names, rules)
    match = FieldMatch(rules, field, seed)
    match.experiments(policy, first, 1)  # What is wrong is told before anything is played.

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
            played = match.play(format_players(parts_of(values_at(shares))), at, deals, threads)
            told.append((asked, -float(played.lead.sum()) / deals / match.scale))
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
    # Behind all deals that the search might have played, so that they are fresh.
    at = first + generations * deals
    players = (policy, format_players(parts))
    wanted = 0 if stopped else confirm
    confirmed, measured, alike = _confirm_result(
        match, players, at, wanted, confidence, threads, interrupted
    )
    return Tuning(
        policy=parse_player(policy, game).name,
        search_parameters=searched,
        rules=rules,
        field=parse_player(field, game).name,
        seed=seed,
        first=first,
        deals=deals,
        candidates=search.population_size,
        generations=tuple(course),
        values=course[-1].values,
        parts=parts,
        player=format_players(parts),
        confirmed=confirmed,
        start=measured[0],
        found=measured[1],
        gain=measured[2],
        is_unchanged=alike,
        confidence=confidence,
        interrupted=stopped or confirmed < confirm,
    )


def _confirm_result(
    match: FieldMatch,
    players: tuple[str, str],
    first: int,
    deals: int,
    confidence: float,
    threads: int | None,
    interrupted: Callable[[], bool] | None,
) -> tuple[int, list[Estimate], bool]:
    """On how many deals, fewer if it was interrupted, what was found is held against the beginning.

    And points a round of where it began, of what was found, and the gain, on these same deals;
    whether they scored the same in every one.
    """
    played = 0
    sums = np.zeros((3, 2), dtype=np.int64)
    while played < deals and not (interrupted is not None and interrupted()):
        count = min(CONFIRMATION_BATCH_DEALS, deals - played)
        start, found = (match.play(each, first + played, count, threads).lead for each in players)
        for own, lead in zip(sums, (start, found, found - start), strict=True):
            own += [lead.sum(), lead @ lead]
        played += count
    # What it gains on a deal is the difference of two leads.
    most = match.max_lead * match.scale
    measured = [
        intervals.estimate_mean_from_sums(
            played, int(total), int(squares), confidence, (-many * most, many * most)
        ).scaled(1 / match.scale)
        for many, (total, squares) in zip((1, 1, 2), sums, strict=True)
    ]
    return played, measured, played > 0 and int(sums[2, 1]) == 0
