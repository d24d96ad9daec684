"""The grades of the decisions of a round: what each option is worth, and what the choice lost.

The deals come in two stages.  A few for each decision show where the answer is in doubt; they
measure nothing.  They decide which options are played on and how many deals each decision gets of
the others, which measure: most where the difference between the choice and its rivals varies most.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from kqj_sim.cards import Card
from kqj_sim.core.types import Float64Array
from kqj_sim.games import find_game
from kqj_sim.policies.players import PlayerLike, parse_player
from kqj_sim.positions.estimator import add_draws, make_sampler
from kqj_sim.positions.hidden_cards import HiddenCards
from kqj_sim.positions.measures import GameMeasure
from kqj_sim.positions.odds import Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan, Limits, Sampler
from kqj_sim.positions.search import Deadline, Search, SearchEnded
from kqj_sim.questions.review import cross_fitting
from kqj_sim.questions.review.cross_fitting import LARGE_LOSS, Draws, Loss, Mean, average
from kqj_sim.questions.review.decisions import Decision
from kqj_sim.rules import GameRules
from kqj_sim.simulation.encode import encode_seating
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.workers import map_in_threads
from kqj_sim.stats.intervals import Estimate, make_exact
from kqj_sim.stats.moments import WeightedMoments, multiply


class Unit(NamedTuple):
    """The unit in which decisions are graded.

    Attributes:
        name: its name in options and identifiers, such as `loss_points`.
        noun: the same in sentences.
        scale: what a point, or a game that is won, counts.
        least: the least estimated loss that makes a mistake.
    """

    name: str
    noun: str
    scale: float
    least: float

    def name_key(self, name: str) -> str:
        """Return the identifier of a number in this unit, of that in points."""
        return name.replace("points", self.name)


POINTS = Unit("points", "points", 1.0, 1.0)
GAMES = Unit("games", "games in 100", 100.0, 0.1)
"""In half of a game a point is worth about that."""

UNITS = {unit.name: unit for unit in (POINTS, GAMES)}


# Cards that are as good as each other, which are graded as one.


def find_equivalents(position: Position) -> list[int]:
    """Return for each legal card the number of the first one that is equivalent to it.

    Two cards of a suit are if they have the same points and no card between them is in another
    hand or in the trick: whatever happens, each wins and loses where the other does.  Players may
    still take one for the other's sign, and play differently after it.
    """
    cards, contract = position.legal_cards, position.contract.contract
    referee = position.referee
    _, trick = position.tricks[-1]
    settled = {*position.hand, *position.plays} - {*trick}

    def touches(one: Card, other: Card) -> bool:
        if one.suit != other.suit:
            return False
        ranks = referee.list_ranks(one.suit, contract)
        low, high = sorted((ranks.index(one.rank), ranks.index(other.rank)))
        between = [Card(rank, one.suit) for rank in ranks[low + 1 : high]]
        points = {referee.card_points(card, contract) for card in (one, other)}
        return len(points) == 1 and settled.issuperset(between)

    return [
        next(first for first, other in enumerate(cards) if touches(card, other)) for card in cards
    ]


# The deals of a decision, kept one by one, as cross-fitting needs them.

MAX_REJECTED = 1 << 19
"""Hands that are tried before the first one agrees with the calls, at most."""

MIN_EFFECTIVE_DEALS = 30
"""With fewer effective deals a search goes on, and has no result if it ends."""

_REPEATED = 256
"""Playouts that show whether players choose at random."""


class Whereabouts:
    """Places of the hidden cards in the deals that grade a decision.

    Attributes:
        cards: the cards, and the weights of the deals in which each place has them.
        is_exact: True if the deals are all distributions.
    """

    def __init__(self, position: Position) -> None:
        self.cards, self.is_exact = HiddenCards(position), False
        self._moments = WeightedMoments.zeros(1, 0)

    def add(self, playouts: Playouts) -> None:
        """Add a chunk of deals."""
        weights, lists = playouts.weights, playouts.lists
        self._moments.add(playouts.drawn, weights, np.zeros((1, 0, len(weights))), lists)
        self.cards.add(playouts.hands, weights, lists)

    def estimate(self, place: int, holding: int, confidence: float) -> Estimate:
        """Estimate the chance that another place has a holding, by numbers in `cards`."""
        total, crossed, squares = self.cards.sums[:, place, holding].tolist()
        if self.is_exact:
            return make_exact(min(total / self._moments.weights, 1.0), self._moments.deals)
        return self._moments.estimate_share(total, crossed, squares, confidence)


class KeptDraws:
    """Draws of a sampler, kept one by one, with values in points, or games in 100."""

    def __init__(self, sampler: Sampler, whereabouts: Whereabouts | None = None) -> None:
        self.deals, self._whereabouts = 0, whereabouts
        self._measures = sampler.measures
        self._parts: list[Draws] = []
        self._weight = self._squares = 0.0

    def add(self, playouts: Playouts, max_deals: int | None = None) -> int:
        """Add a whole chunk; return how many draws have a weight."""
        weights = playouts.weights
        columns = np.moveaxis(playouts.outcomes, -1, 0)
        names = [self._measures.ranking_measure, "win_share", "own_contract_share"]
        measures = filter(None, map(self._measures.functions.get, names))
        values, *shares = (measure(columns).astype(np.float64) for measure in measures)
        if self._measures.game:
            values *= GAMES.scale
        self._parts.append(Draws(weights, values, *shares))
        if self._whereabouts is not None:
            self._whereabouts.add(playouts)
        self._weight += float(weights.sum())
        self._squares += float((weights**2).sum())
        self.deals += playouts.drawn
        return len(weights)

    def has_effective(self, least: float) -> bool:
        """Return whether there are so many effective deals, and one at least."""
        return self._weight > 0 and self._weight * self._weight >= least * self._squares

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Return False: a grade has as many deals as were planned."""
        return False

    def join(self) -> Draws:
        """Return all draws."""
        weights, *outcomes = zip(*self._parts, strict=True)
        return Draws(np.concatenate(weights), *(np.concatenate(part, axis=1) for part in outcomes))


def draw_deals(
    sampler: Sampler, first: int, deals: int, deadline: Deadline | None = None,
    whereabouts: Whereabouts | None = None,
) -> Draws:  # fmt: skip
    """Play out the options of a sampler in so many deals, from the number `first` on.

    After the deadline, or where hidden hands that agree with the calls are rare, there are as many
    as were found by then.

    Raises:
        SearchEnded: these are too few.
        InputError: no hidden hands agree with the plays; a policy chose what is not allowed.
    """
    deadline = deadline or Deadline()
    search = deadline.limit(Search(sampler.question_count, math.inf, max_hands=MAX_REJECTED))
    limits = Limits(deals, deadline=deadline, effective_deals=MIN_EFFECTIVE_DEALS)
    draws = KeptDraws(sampler, whereabouts)
    try:
        by_time = add_draws(sampler, draws, first, limits, search) == "time"
    except SearchEnded as end:
        by_time = end.by_time
    finally:
        deadline.release(search)
    if not draws.has_effective(MIN_EFFECTIVE_DEALS):
        raise SearchEnded(by_time)
    return draws.join()


def play_all(sampler: Sampler, whereabouts: Whereabouts | None = None) -> Draws | None:
    """Play out every distribution of the hidden cards; None if `Sampler.play_all` does not.

    If the others would have called so with none of them, calls are left out of account.
    """
    everything = sampler.play_all(_REPEATED)
    if everything is None:
        return None
    if whereabouts is not None:
        whereabouts.is_exact = True
    draws = KeptDraws(sampler, whereabouts)
    draws.add(everything)
    return draws.join()


def find_reference(sampler: Sampler) -> dict[int, float]:
    """Return the options that the player may choose, by their numbers, with their chances.

    Choices that are not among the options count as the first one.
    """
    options = [str(option) for option in sampler.options]
    reference: dict[int, float] = {}
    for name, chance in sampler.find_choices().items():
        number = options.index(name) if name in options else 0
        reference[number] = reference.get(number, 0.0) + chance
    return reference


FIRST_PILOT = 1 << 58
"""The deals from this number on show where the answer is in doubt; those from 0 on measure."""

MAX_LISTED_LAYOUTS = 3000
"""With no more distributions of the hidden cards than this all are played out."""

MIN_PILOT, MIN_DEALS = 128, 128
"""Deals of a decision in each stage, at least."""

LEAST_WIN_SHARE = 0.01
"""The least estimated loss in the chance to win that makes a mistake, unless it cost points."""

_MAX_FACTOR = 12
"""Deals of a decision, at most, as a multiple of the mean."""

_OUT_OF_REACH = 4.0
"""An option that trails the best by so many standard errors in the first stage is dropped."""

_CLEAR_WEIGHT = 0.1
"""Weight of a decision whose choice is clearly the best, in dividing the deals."""


@dataclass(frozen=True)
class GradedOption:
    """An option of a decision.

    Attributes:
        value: its value in points.
        win: the chance to win the round with it.
        plays: after a call, in which share of the rounds the player's side plays the contract; None
            for a card.
    """

    name: str
    value: Estimate
    win: Estimate
    plays: Estimate | None


@dataclass(frozen=True)
class Hindsight:
    """The options of a decision, given the actual hands.

    Attributes:
        values: float64 (options, teams), in the order of `Grade.names`: the score difference of
            each team if the reference player plays on.
        before: float64 (teams,), the same if the reference player decides.
        exact: float64 (options,), the values to the player's side with the best play of all; None
            if they are not known.
    """

    values: Float64Array
    before: Float64Array
    choice: int
    team: int
    exact: Float64Array | None = None

    @property
    def change(self) -> Float64Array:
        """The change of each team's value by the decision, compared with the reference player's."""
        return np.asarray(self.values[self.choice] - self.before)

    @property
    def own(self) -> Float64Array:
        """The values to the player's side, exact if these are known."""
        return np.asarray(self.values[:, self.team] if self.exact is None else self.exact)

    @property
    def best(self) -> int:
        """The best option for the player's team; of equal ones the choice."""
        own = self.own
        best = int(np.argmax(own))
        return self.choice if own[self.choice] >= own[best] else best

    @property
    def loss(self) -> float:
        """The value of the best option minus that of the choice."""
        return float(self.own[self.best] - self.own[self.choice])


@dataclass
class Grade:
    """The grade of a decision.

    Attributes:
        unit: that of losses and values.
        names: the names of the options, in the order of `Loss.best`.
        options: the best one first.
        reference: the options that the reference player may choose, with their chances.
        effect: the value of the choice minus that of the reference player's.
        layouts: number of distributions, if all were played out.
        effective_deals: number of equally weighted deals that would be as precise.
        ignores_calls: True if the others' calls are too rare for the reference player, so that the
            hidden cards need not agree with them.
        counts: False if these calls are bids, and the decision is a call: against hands that nobody
            would have bid on, its loss says nothing.
        mistake: whether the loss is shown over all decisions of the round that count, and matters.
        hindsight: None where the actual hands are not known.
        whereabouts: None unless the plan counts hidden cards.
    """

    decision: Decision
    unit: Unit
    names: tuple[str, ...]
    options: tuple[GradedOption, ...]
    reference: dict[str, float]
    loss: Loss
    effect: Mean
    random_loss: float
    layouts: int | None
    effective_deals: float
    ignores_calls: bool
    counts: bool
    mistake: bool = False
    hindsight: Hindsight | None = None
    whereabouts: Whereabouts | None = None

    @property
    def best(self) -> str:
        """The best option by all deals together."""
        return self.names[self.loss.best]

    @property
    def reference_choice(self) -> str | None:
        """The reference player's choice; None if it chooses at random."""
        return next(iter(self.reference)) if len(self.reference) == 1 else None

    @property
    def matters(self) -> bool:
        """True if the estimated loss is one that a player cares about."""
        loss = self.loss
        wins_less = self.unit is POINTS and loss.wins.value >= LEAST_WIN_SHARE
        return loss.points.value >= self.unit.least or wins_less

    def look_back(self, name: str) -> float | None:
        """Return the value of an option for the player's side, given the actual hands."""
        if self.hindsight is None:
            return None
        return float(self.hindsight.values[self.names.index(name), self.hindsight.team])

    @property
    def outcome(self) -> str:
        """The name of its fair loss and its loss in hindsight together.

        A mistake that is shown is a `mistake`, or `lucky` if it cost nothing with the cards as they
        were; any other choice is `bad luck` if another would have brought more with these cards,
        else `fine`.
        """
        if self.hindsight is None:
            return "unknown"
        costs = self.hindsight.loss >= self.unit.least
        if self.mistake:
            return "mistake" if costs else "lucky"
        return "bad luck" if costs else "fine"


@dataclass
class _Preparation:
    """A decision after the first stage.

    Attributes:
        equivalents: the numbers of the options that are played out for each.
        counts: see `Grade`.
        whereabouts: those of the cards; empty unless the deals are all distributions.
        kept: the options that are played on, in so many `deals`.
    """

    decision: Decision
    sampler: Sampler
    reference: dict[int, float]
    pilot: Draws
    is_exact: bool
    equivalents: tuple[int, ...]
    counts: bool
    whereabouts: Whereabouts | None
    kept: tuple[int, ...]
    deals: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(option) for option in self.sampler.options)

    @property
    def choice(self) -> int:
        return self.names.index(self.decision.choice)

    @property
    def played(self) -> list[int]:
        """The numbers of the options that are played out for those kept."""
        return sorted({self.equivalents[number] for number in self.kept})

    @property
    def plays_left(self) -> int:
        """Cards left to play, which a deal costs for each option."""
        knowledge = self.decision.knowledge
        return knowledge.rules.seats * knowledge.rules.tricks - len(knowledge.plays)


@dataclass(frozen=True, kw_only=True)
class GradePlan(EstimatePlan):
    """The deals that grade a decision, on average; the confidence is that of a round's mistakes.

    Attributes:
        reference: the player who plays every round on, and whose calls hidden hands agree with;
            None for the default player.
        unit: that of the grades.
        counts_hidden: whether to count where the hidden cards are.
        games: the chance of each team to win the game, if it is games in 100.
        max_layouts: see `MAX_LISTED_LAYOUTS`.
        deadline: moment after which nothing more is sampled.
    """

    deals: int
    reference: PlayerLike | None = None
    unit: Unit = POINTS
    counts_hidden: bool = False
    games: tuple[GameMeasure, ...] = ()
    max_layouts: int = MAX_LISTED_LAYOUTS
    deadline: Deadline = field(default_factory=Deadline, compare=False)


Item = TypeVar("Item")
Result = TypeVar("Result")


def derive_seed(*parts: object) -> int:
    """Return a seed of its own for some numbers and texts."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


_PILOT_SHARE = 0.25

_PILOT_TIME_SHARE = 0.5
"""Share of the time after which the first stage ends."""


def grade_decisions(
    decisions: Sequence[Decision],
    plan: GradePlan,
    seconds: float = math.inf,
    advance: Callable[[float], None] | None = None,
) -> list[tuple[Grade, Sampler]]:
    """Grade the decisions of a round; leave out those that could not be graded in time.

    A grade comes with the sampler of its decision.

    Args:
        seconds: share of the time for this round, which has fewer deals where that is short.
        advance: called with the share of the work that a step did.

    Raises:
        InputError: no hidden hands agree with the plays; a policy cannot be used, or chooses what
            is not allowed.
    """
    if not decisions:
        return []
    _compile(decisions[0].knowledge.rules, plan)

    def run(
        work: Callable[[Item], Result | None], items: Sequence[Item], share: float, watch: Deadline
    ) -> list[Result]:
        """Return the results that there are of the items; they are so large a share of the work."""
        results = []
        functions = [lambda number, _: work(items[number])] * plan.thread_count
        for result in map_in_threads(functions, 0, len(items), 1, watch):
            if result is not None:
                results.append(result)
            if advance is not None:
                advance(share / len(decisions))
        return results

    pilot_deals = MIN_PILOT
    if seconds == math.inf:
        pilot_deals = max(MIN_PILOT, math.ceil(plan.deals * _PILOT_SHARE))
    limit, fair = plan.deadline, plan.deadline.within(seconds)
    started = fair.seconds_left
    first_stage = replace(plan, deadline=limit.within(_PILOT_TIME_SHARE * limit.seconds_left))
    prepared = run(
        lambda decision: _prepare(decision, first_stage, pilot_deals, plan.ignore_calls),
        decisions,
        _PILOT_SHARE,
        first_stage.deadline,
    )
    scale = 1.0
    if seconds < math.inf:
        spent = started - fair.seconds_left
        expected = spent * (1 - _PILOT_SHARE) * plan.deals / pilot_deals
        scale = min(1.0, max(0.0, fair.seconds_left) / max(expected, 1e-9))
    _divide_deals(prepared, plan, scale)
    graded = run(partial(_measure, plan=plan), prepared, 1 - _PILOT_SHARE, limit)
    counted = [grade for grade, _ in graded if grade.counts]
    p_values = [grade.loss.points.p_value for grade in counted]
    are_shown = cross_fitting.find_mistakes(p_values, plan.confidence)
    for grade, is_shown in zip(counted, are_shown, strict=True):
        grade.mistake = is_shown and grade.matters
    return graded


def _compile(rules: GameRules, plan: GradePlan) -> None:
    """Compile what the threads use before they start: kernels find policies by their address."""
    reference = parse_player(plan.reference, rules.game)
    Experiment(rules, reference, deals=1).compile_seating()
    encode_seating(rules, [reference] * rules.seats, None, "rollouts")
    find_game(rules.game).prepare_samplers(rules)


def sample_decision(decision: Decision, plan: GradePlan, seed: int, ignore_calls: bool) -> Sampler:
    """Return the sampler of a decision, its choice included; raise SearchEnded at the deadline."""
    knowledge = decision.knowledge
    reference = parse_player(plan.reference, knowledge.rules.game)
    own_plan = EstimatePlan(
        seed=seed, error_rate=plan.error_rate, ignore_calls=ignore_calls,
        ignore_plays=plan.ignore_plays,
        game=plan.games[knowledge.teams[knowledge.seat]] if plan.games else None,
    )  # fmt: skip
    players = [reference] * knowledge.rules.seats
    sampler = make_sampler(knowledge, players, own_plan, plan.max_layouts)
    return sampler.add_choice(decision.choice, plan.deadline).with_hand_lists()


def _prepare(
    decision: Decision, plan: GradePlan, pilot_deals: int, ignore_calls: bool
) -> _Preparation | None:
    """Play out all options in a few deals, or in all distributions if they are few.

    Where hands that agree with the calls are too rare, they need not agree.  After the deadline, or
    if too few hands are found by then, there is no result.
    """
    while not plan.deadline.has_passed:
        try:
            return _play_pilot(decision, plan, pilot_deals, ignore_calls)
        except SearchEnded:
            if ignore_calls and not plan.deadline.has_passed:
                raise
            ignore_calls = True
    return None


def _play_pilot(
    decision: Decision, plan: GradePlan, pilot_deals: int, ignore_calls: bool
) -> _Preparation:
    """Do so once; of equivalent cards one is played out."""
    seed = derive_seed(plan.seed, decision.played.line, decision.at)
    sampler = sample_decision(decision, plan, seed, ignore_calls)
    options, reference = range(len(sampler.options)), find_reference(sampler)
    first = options if decision.is_call else find_equivalents(decision.knowledge)
    played = [number for number in options if first[number] == number]
    fewer = sampler.with_numbers(played)
    whereabouts = Whereabouts(sampler.position) if plan.counts_hidden else None
    everything = play_all(fewer, whereabouts) if len(reference) == 1 else None
    draws = everything
    if draws is None:
        draws = draw_deals(fewer, FIRST_PILOT, pilot_deals, plan.deadline)
    return _Preparation(
        decision,
        sampler,
        reference,
        draws.pick([played.index(number) for number in first]),
        everything is not None,
        tuple(first),
        plan.ignore_calls or not ignore_calls or not _follows_bids(decision),
        whereabouts,
        tuple(options),
    )


def _follows_bids(decision: Decision) -> bool:
    """Return True for a call after a bid of another player."""
    knowledge = decision.knowledge
    return decision.is_call and any(
        call.call == "bid" and call.seat != decision.seat for call in knowledge.calls or ()
    )


def _divide_deals(prepared: Sequence[_Preparation], plan: GradePlan, scale: float) -> None:
    """Choose the options that each decision plays on, and its number of deals."""
    sampled = [preparation for preparation in prepared if not preparation.is_exact]
    budget = 0.0
    wanted = []
    for preparation in sampled:
        weights, values = preparation.pilot.weights, preparation.pilot.values
        choice, plays_left = preparation.choice, preparation.plays_left
        budget += plan.deals * (1 - _PILOT_SHARE) * len(values) * plays_left * preparation.counts
        means = multiply(values, weights) / max(weights.sum(), 1e-300)
        best = int(np.argmax(means))
        kept = {choice, best, *preparation.reference}
        spread, is_doubtful = 0.0, best != choice
        for option in range(len(values)):
            behind = average(weights, values[best] - values[option])
            is_near = behind.value <= _OUT_OF_REACH * behind.error or behind.error == math.inf
            if is_near:
                kept.add(option)
            if option != choice and (is_near or option == best):
                lead = average(weights, values[option] - values[choice])
                spread = max(spread, lead.error * math.sqrt(len(weights)))
                is_doubtful |= is_near
        preparation.kept = tuple(sorted(kept))
        cost = len(preparation.played) * plays_left
        spread = (
            max(spread, plan.unit.least)
            * (1.0 if is_doubtful else _CLEAR_WEIGHT)
            * preparation.counts
        )
        wanted.append((spread / math.sqrt(cost), cost))
    total = sum(share * cost for share, cost in wanted)
    for preparation, (share, _) in zip(sampled, wanted, strict=True):
        deals = scale * budget * share / total if total > 0 else 0.0
        deals = min(deals, _MAX_FACTOR * plan.deals)
        preparation.deals = 64 * max(MIN_DEALS // 64, math.ceil(deals / 64))


def _measure(prepared: _Preparation, plan: GradePlan) -> tuple[Grade, Sampler] | None:
    """Measure the value of each option and the loss of the choice; None if time is over."""
    sampler, choice, pilot = prepared.sampler, prepared.choice, prepared.pilot
    if prepared.is_exact:
        loss = cross_fitting.compute_exact_loss(pilot, choice)
        return _make_grade(prepared, pilot, loss, plan), sampler
    if plan.deadline.has_passed:
        return None
    kept, played = prepared.kept, prepared.played
    try:
        fewer, where = sampler.with_numbers(played), prepared.whereabouts
        draws = draw_deals(fewer, 0, prepared.deals, plan.deadline, where)
    except SearchEnded:
        if plan.deadline.has_passed:
            return None
        if sampler.ignore_calls:
            raise
        again = _prepare(prepared.decision, plan, len(pilot.weights), ignore_calls=True)
        return None if again is None else _measure(replace(again, deals=prepared.deals), plan)
    draws = draws.pick([played.index(prepared.equivalents[number]) for number in kept])
    loss = cross_fitting.estimate_loss(pilot.pick(kept), draws, kept.index(choice), plan.confidence)
    loss = replace(loss, best=kept[loss.best])
    if 2 * sampler.position.rules.max_points < LARGE_LOSS:
        # No round has such points.
        loss = replace(loss, large=make_exact(loss.large.value, loss.large.observations))
    return _make_grade(prepared, draws, loss, plan), sampler


def _make_grade(prepared: _Preparation, draws: Draws, loss: Loss, plan: GradePlan) -> Grade:
    pilot, kept, names = prepared.pilot, prepared.kept, prepared.names

    def estimate(weights: Float64Array, values: Float64Array) -> Mean:
        mean = average(weights, values, plan.confidence)
        return Mean(*make_exact(mean.value, mean.observations)) if prepared.is_exact else mean

    def measure(number: int) -> GradedOption:
        source, row = (draws, kept.index(number)) if number in kept else (pilot, number)
        value, win, *plays = (
            estimate(source.weights, outcomes[row]) for outcomes in source[1:] if len(outcomes)
        )
        return GradedOption(names[number], value, win, plays[0] if plays else None)

    options = {number: measure(number) for number in range(len(names))}
    order = sorted(options, key=lambda number: (number != loss.best, -options[number].value.value))
    reference = sum(
        chance * draws.values[kept.index(number)] for number, chance in prepared.reference.items()
    )
    means = [option.value.value for option in options.values()]
    count = len(draws.weights)
    return Grade(
        prepared.decision,
        plan.unit,
        names,
        tuple(options[number] for number in order),
        {names[number]: chance for number, chance in prepared.reference.items()},
        loss,
        estimate(draws.weights, draws.values[kept.index(prepared.choice)] - reference),
        options[loss.best].value.value - sum(means) / len(means),
        count if prepared.is_exact else None,
        float(count) if prepared.is_exact else draws.effective_size,
        prepared.sampler.ignore_calls,
        prepared.counts,
        whereabouts=prepared.whereabouts,
    )
