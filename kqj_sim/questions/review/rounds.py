"""Reviewed rounds: the grades of the decisions, hindsight, and the parts of the result."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from kqj_sim.cards import parse_card
from kqj_sim.core import block as core_block
from kqj_sim.core import rng
from kqj_sim.core.block import LANES
from kqj_sim.core.code_cache import keep, read_kept
from kqj_sim.core.deal import draw_exchanged_card
from kqj_sim.core.round import play_block
from kqj_sim.core.types import Float64Array
from kqj_sim.engines import get_engine
from kqj_sim.errors import InputError
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import Player, get_default_player, parse_player
from kqj_sim.positions.sampling import ActualHands, Sampler, derive_keys
from kqj_sim.positions.search import Deadline
from kqj_sim.questions.review.cross_fitting import Mean
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import Grade, GradePlan, derive_seed, grade_decisions
from kqj_sim.record import Record
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.workers import count_processors, map_in_threads

# Luck and skill: the result of a round as a sum of parts.
#
# The value of a position to a side is its score difference at the end if the reference player
# plays on at every seat, with all cards as they are. Along a round the value goes from that of the
# deal to the result; only decisions that the reference player would have made otherwise change it.
# So the result is what the place gets on average, plus the value of the deal minus that average
# (luck), plus all changes.

RANDOM_WORLDS = 32
"""Times that a round is played on where players choose at random, or cards are not known."""

AVERAGE_DEALS = 1 << 16
"""Deals that give the average of a place."""

_AVERAGE_SEED = 0x4B514A
"""Seed of these deals: the same for all reviews, so that their parts can be added."""


def compute_differences(scores: Float64Array, rules: GameRules) -> Float64Array:
    """Return each team's score minus the mean of the others', of scores (..., teams).

    Where low scores are good it is the opponents' minus the team's.
    """
    scores = rules.score_sign * scores
    others = (scores.sum(axis=-1, keepdims=True) - scores) / (scores.shape[-1] - 1)
    return np.asarray(scores - others)


def find_actual_hands(played: RecordedRound, seed: int, random: bool) -> ActualHands | None:
    """Return the cards of a round as the kernels take them; None if some are not known.

    Args:
        seed: seed of keys, and of cards that nobody saw.
        random: whether the reference player chooses at random, so that several keys are needed.
    """
    record, rules = played.record, played.rules
    if record.dealt is None or not all(record.dealt):
        if record.hands is None or not all(record.hands):
            return None
        dealt = record.hands if rules.bidding != "take" else None
    else:
        dealt = record.dealt
    if dealt is None and not (record.imposed or not record.calls):
        return None
    count = RANDOM_WORLDS if random else 1
    first = _encode_by_place(played, dealt) if dealt is not None else np.zeros(rules.seats, int)
    hands = None
    if record.sender is not None:
        whole = record.hands if record.hands is not None and all(record.hands) else record.dealt
        hands = _encode_by_place(played, whole)
    if rules.bidding != "take" or dealt is None:
        return _repeat(first, np.zeros(rules.seats, int), hands, derive_keys(seed, 0, count))
    if hands is None:
        return _deal_further_cards(played, first, seed)
    return _divide_hands(played, first, hands, seed, count)


def _encode_by_place(played: RecordedRound, by_seat: Sequence[Sequence[str] | None] | None) -> Any:
    """Return the hands of the places as sets, int64 (places,)."""
    assert by_seat is not None
    rules, game = played.rules, played.rules.game
    return np.array(
        [
            encode_cards(
                [parse_card(text, ranks=rules.ranks) for text in by_seat[played.seat_of(p)] or ()],
                game,
            )
            for p in range(rules.seats)
        ],
        dtype=np.int64,
    )


def _repeat(first: Any, further: Any, hands: Any, keys: Any) -> ActualHands:
    count = len(keys)
    return ActualHands(
        np.tile(np.asarray(first, dtype=np.int64), (count, 1)),
        np.tile(np.asarray(further, dtype=np.int64), (count, 1)),
        None if hands is None else np.tile(hands, (count, 1)),
        keys,
    )


def _deal_further_cards(played: RecordedRound, first: Any, seed: int) -> ActualHands:
    """Return a round that was passed out, with several draws of the cards that nobody saw."""
    keys = derive_keys(seed, 0, RANDOM_WORLDS)
    upcard = encode_cards([played.turned] if played.turned else [])
    pack = (1 << 12) - 1
    whole = sum(pack << 16 * suit for suit in range(4))
    left = whole & ~upcard
    for cards in first:
        left &= ~int(cards)
    bits = [bit for bit in range(64) if left >> bit & 1]
    further = np.zeros((len(keys), len(first)), dtype=np.int64)
    for number in range(len(keys)):
        order = np.random.default_rng([seed % 2**32, number]).permutation(bits).tolist()
        for place in range(len(first)):
            size = 3 if place < len(first) - 1 else 2
            further[number, place] = sum(1 << order.pop() for _ in range(size))
    return ActualHands(np.tile(first, (len(keys), 1)), further, None, keys)


def _divide_hands(
    played: RecordedRound, first: Any, hands: Any, seed: int, count: int
) -> ActualHands:
    """Return a round that was taken, with the cards that each would have got otherwise.

    The Sender has given the dealer a card in place of the Return.  Which one is not recorded: it is
    one of the dealer's further cards, and the key of the draws must choose it again.
    """
    upcard = encode_cards([played.turned] if played.turned else [])
    assert played.record.sender is not None
    sender, dealer = played.place_of(played.record.sender), len(first) - 1
    further = hands & ~first
    if sender == dealer:
        further[dealer] &= ~upcard
        return _repeat(first, further, hands, _list_keys(played, seed, count))
    further[sender] &= ~upcard
    given = [bit for bit in range(64) if int(further[dealer]) >> bit & 1]
    worlds, keys = [], []
    for key in _list_keys(played, seed, 64 * count):
        number = int(draw_exchanged_card(key))
        for bit in given:
            three = [*_list_bits(int(further[sender])), bit]
            if sorted(three)[number] == bit:
                each = further.copy()
                each[sender] |= 1 << bit
                each[dealer] &= ~(1 << bit)
                worlds.append(each)
                keys.append(key)
                break
        if len(keys) == count:
            break
    return ActualHands(
        np.tile(first, (len(keys), 1)),
        np.array(worlds, dtype=np.int64),
        np.tile(hands, (len(keys), 1)),
        np.array(keys, dtype=np.int64),
    )


def _list_bits(cards: int) -> list[int]:
    return [bit for bit in range(64) if cards >> bit & 1]


def _list_keys(played: RecordedRound, seed: int, count: int) -> Any:
    """Return keys of draws, first that with which the engine would have dealt the record."""
    own_seed = getattr(played.source, "seed", None)
    deal = getattr(played.source, "deal", None)
    keys = derive_keys(seed, 0, count)
    if own_seed is not None and deal is not None and 0 <= own_seed < 2**63 and 0 <= deal < 2**62:
        keys[0] = rng.derive_deal_key(own_seed, deal)
    return keys


@dataclass(frozen=True)
class Average:
    """The average value of each place: of the score difference of its side.

    Attributes:
        values: float64 (places,).
        errors: their standard errors.
    """

    values: Float64Array
    errors: Float64Array
    deals: int


_averages: dict[object, Average] = {}


def estimate_average(
    rules: GameRules, reference: Player, pending: int, imposed: ImposedContract | None,
    deadline: Deadline | None = None, deals: int = AVERAGE_DEALS,
) -> Average | None:  # fmt: skip
    """Return what each place gets on average if the reference player sits everywhere.

    There is none if the deadline comes before: all rounds are measured by the same average.  That
    of the default player is kept on disk: it takes a fifth of the time of a round's review.
    """
    key = (rules, reference, pending, imposed, deals)
    if key in _averages:
        return _averages[key]
    experiment = Experiment(rules, reference, seed=_AVERAGE_SEED, imposed=imposed)
    game = get_engine(rules)
    core_rules, seating = experiment.compile_seating()
    no_log = np.empty(0, dtype=np.int64)

    def play(state: Any, first: int, count: int) -> Float64Array:
        game.start_deals(state, first, LANES)
        # The dealer in the last seat: seats are places.
        state[core_block.DEALER : core_block.DEALER + LANES] = rules.seats - 1
        state[core_block.PENDING : core_block.PENDING + LANES] = pending
        play_block(state, LANES, experiment.seed, core_rules, seating, no_log)
        if state[core_block.ILLEGAL : core_block.ILLEGAL + LANES].any():
            raise InputError(f"{reference.text} chose what is not allowed")

        def column(name: str) -> Any:
            at = game.column_offset(name)
            return state[at : at + LANES].copy()

        scores = np.stack([column(f"score_{team}") for team in range(rules.team_count)], axis=-1)
        differences = compute_differences(scores.astype(np.float64), rules)
        teams = np.stack([column(f"team_of_seat_{seat}") for seat in range(rules.seats)], axis=-1)
        return np.take_along_axis(differences, teams, axis=-1)

    name = None
    if reference == get_default_player(rules.game):
        # The outcomes of a block tell other rules, players and weights.
        block = play(core_block.allocate_block(), 0, LANES)
        text = repr((rules, reference.text, pending, imposed, deals, _AVERAGE_SEED))
        name = f"{hashlib.sha256(text.encode() + block.tobytes()).hexdigest()[:32]}.average"
    sums = None if name is None else _read_sums(name)
    if sums is None:
        sums = np.zeros((2, rules.seats))
        functions = [partial(play, core_block.allocate_block()) for _ in range(count_processors())]
        for values in map_in_threads(functions, 0, deals, LANES):
            if deadline is not None and deadline.has_passed:
                return None
            sums += values.sum(axis=0), (values**2).sum(axis=0)
        if name is not None:
            with suppress(OSError):
                keep(name, sums.tobytes())
    total, squares = sums
    mean = total / deals
    errors = np.sqrt((squares / deals - mean**2) / (deals - 1))
    return _averages.setdefault(key, Average(mean, errors, deals))


def _read_sums(name: str) -> Float64Array | None:
    """Return sums and squares of the places that an earlier process kept, (2, places)."""
    try:
        return np.frombuffer(read_kept(name)).reshape(2, -1)
    except (OSError, ValueError):
        return None


def add_means(means: Iterable[Mean]) -> Mean:
    """Return the sum of independent means."""
    found = list(means)
    if not found:
        return Mean(0.0, exact=True)
    errors = [each.error for each in found if each.error > 0]
    freedom = min((each.freedom for each in found if each.error > 0), default=1)
    return Mean(
        math.fsum(each.value for each in found),
        math.hypot(*errors),
        freedom * len(errors) or 1,
        sum(each.observations for each in found),
        all(each.exact for each in found),
    )


@dataclass(frozen=True)
class Hindsight:
    """The options of a decision, given the actual hands.

    Attributes:
        values: float64 (options, teams), in the order of `Grade.names`: the score difference of
            each team if the reference player plays on.
        before: float64 (teams,), the same if the reference player decides.
    """

    values: Float64Array
    before: Float64Array
    choice: int
    team: int

    @property
    def change(self) -> Float64Array:
        """The change of each team's value by the decision, compared with the reference player's."""
        return np.asarray(self.values[self.choice] - self.before)

    @property
    def best(self) -> int:
        """The best option for the player's team; of equal ones the choice."""
        own = self.values[:, self.team]
        best = int(np.argmax(own))
        return self.choice if own[self.choice] >= own[best] else best

    @property
    def loss(self) -> float:
        """The value of the best option minus that of the choice."""
        return float(self.values[self.best, self.team] - self.values[self.choice, self.team])


@dataclass(frozen=True)
class Parts:
    """The result of a round for a seat or a team, as a sum.

    Attributes:
        seat: the seat; None for a whole team.
        result: the score difference, the sum of the parts.
        average: what the place gets on average, an estimate.
        deal_luck: the value of the deal minus that.
        own_decisions: the value of own choices minus that of the reference player's, as far as the
            player could know.
        own_luck: what own choices brought with the actual hands, minus `own_decisions`.
        others_decisions: what all others' choices brought with the actual hands.
        remainder: what is left, by players who choose at random, or unknown cards.
    """

    seat: int | None
    team: int
    result: float
    average: Mean
    deal_luck: float
    own_decisions: Mean
    own_luck: float
    others_decisions: float
    remainder: float

    @property
    def adjusted(self) -> Mean:
        """The result without luck and others' decisions: the average plus own decisions."""
        return add_means([self.average, self.own_decisions])


def compute_accuracy(loss: float, random_loss: float) -> float | None:
    """Return 1 minus a loss as a share of that of random choices; None if these lose nothing.

    It is kept within 0 and 1, since an estimated loss may be below 0.
    """
    return min(1.0, max(0.0, 1 - loss / random_loss)) if random_loss > 0 else None


@dataclass(frozen=True)
class Total:
    """The decisions of a seat or a team in a round, together.

    Attributes:
        seat: the seat; None for a whole team.
        points, wins: what they lost together.
        random_loss: what random choices would lose.
        hindsight_loss: what they lost given the actual hands; None if these are not known.
    """

    seat: int | None
    team: int
    decisions: int
    mistakes: int
    points: Mean
    wins: Mean
    random_loss: float
    hindsight_loss: float | None

    @property
    def accuracy(self) -> float | None:
        """Accuracy of the choices, 0 to 1 (`compute_accuracy`); None without decisions."""
        return compute_accuracy(self.points.value, self.random_loss)


@dataclass
class RoundReview:
    """A reviewed round.

    Attributes:
        grades: the decisions that count, with their grades.
        hindsight: those with the actual hands; None where these are not known.
        uncounted: the other decisions (`Grade.counts`).
        ungraded: decisions that could not be graded in time.
        average: the average of each place; None if the actual hands are not known.
        start: the value of the deal by team; None if the actual hands are not known.
        result: the score difference by team; None if the round is not finished.
        seats: the seats to report; all unless the user names some.
    """

    played: RecordedRound
    grades: list[Grade]
    hindsight: list[Hindsight | None]
    average: Average | None
    start: Float64Array | None
    result: Float64Array | None
    seats: tuple[int, ...] = ()
    uncounted: Sequence[tuple[Grade, Hindsight | None]] = ()
    ungraded: Sequence[Decision] = ()
    totals: list[Total] = field(init=False)
    team_totals: list[Total] = field(init=False)
    parts: list[Parts] | None = field(init=False)
    team_parts: list[Parts] | None = field(init=False)

    def __post_init__(self) -> None:
        teams = range(self.played.rules.team_count)
        seats = range(self.played.rules.seats)
        self.totals = [self._add_up([seat], seat, self.played.teams[seat]) for seat in seats]
        self.team_totals = [self._add_up(self._members(team), None, team) for team in teams]
        self.parts = self.team_parts = None
        known = self.start is not None and self.average is not None and self.result is not None
        if known and len(self.seats) == len(seats):
            self.parts = [self._split([seat], seat, self.played.teams[seat]) for seat in seats]
            self.team_parts = [self._split(self._members(team), None, team) for team in teams]

    def _members(self, team: int) -> list[int]:
        return [seat for seat, each in enumerate(self.played.teams) if each == team]

    def _add_up(self, seats: Sequence[int], seat: int | None, team: int) -> Total:
        chosen = [
            (grade, hindsight)
            for grade, hindsight in zip(self.grades, self.hindsight, strict=True)
            if grade.decision.seat in seats
        ]
        grades = [grade for grade, _ in chosen]
        known = [hindsight for _, hindsight in chosen if hindsight is not None]
        return Total(
            seat,
            team,
            len(grades),
            sum(grade.mistake for grade in grades),
            add_means(grade.loss.points for grade in grades),
            add_means(grade.loss.wins for grade in grades),
            math.fsum(grade.random_loss for grade in grades),
            math.fsum(each.loss for each in known) if len(known) == len(grades) else None,
        )

    def _split(self, seats: Sequence[int], seat: int | None, team: int) -> Parts:
        assert self.average is not None and self.start is not None and self.result is not None
        places = [self.played.place_of(each) for each in self._members(team)]
        if seat is not None:
            places = [self.played.place_of(seat)]
        values = self.average.values[places]
        average = Mean(
            float(values.mean()),
            float(self.average.errors[places].max()),
            self.average.deals - 1,
            self.average.deals,
        )
        own, others = 0.0, 0.0
        effects = []
        for grade, hindsight in self.all_decisions:
            assert hindsight is not None
            change = float(hindsight.change[team])
            if grade.decision.seat in seats:
                own += change
                if grade.counts:
                    effects.append(grade.effect)
            else:
                others += change
        fair = add_means(effects)
        start, result = float(self.start[team]), float(self.result[team])
        return Parts(
            seat, team, result, average, start - average.value, fair, own - fair.value, others,
            result - start - own - others,
        )  # fmt: skip

    @property
    def all_decisions(self) -> list[tuple[Grade, Hindsight | None]]:
        """The decisions in order, those that do not count among them."""
        both = [*zip(self.grades, self.hindsight, strict=True), *self.uncounted]
        return sorted(both, key=lambda each: each[0].decision.number)


def review_round(
    played: RecordedRound,
    plan: GradePlan,
    *,
    seconds: float = math.inf,
    seats: Sequence[int] | None = None,
    advance: Callable[[float], None] | None = None,
) -> RoundReview:
    """Review a round; arguments and errors as of `grading.grade_decisions`.

    Args:
        seconds: share of the time for this round.
        seats: seats whose decisions are graded; None for all.
        advance: called with the share of the work that a step did.
    """
    rules = played.rules
    chosen = tuple(range(rules.seats)) if seats is None else tuple(seats)
    decisions = [each for each in played.decisions if each.seat in chosen]
    own_seed = derive_seed(plan.seed, played.line)
    average = start = result = None
    if decisions and find_actual_hands(played, own_seed, False) is not None:
        # First, since grading takes whatever time is left.
        average = _find_average(played, plan)
    graded = grade_decisions(decisions, plan, played.line, seconds, advance)
    grades = [grade for grade, _ in graded]
    numbers = {grade.decision.number for grade in grades}
    ungraded = [each for each in decisions if each.number not in numbers]
    random = any(len(grade.reference) > 1 for grade in grades)
    # The values along a round need every decision of it.
    actual = None if ungraded else find_actual_hands(played, own_seed, random)
    hindsight: list[Hindsight | None] = [None] * len(grades)
    if actual is not None:
        found = [_look_back(grade, sampler, played, actual) for grade, sampler in graded]
        _chain_counters(grades, found)
        hindsight = list(found)
        if found:
            start = found[0].before
        if isinstance(played.source, Record):
            scores = np.array(played.source.scores, dtype=np.float64)
            result = compute_differences(scores, rules)
    both = list(zip(grades, hindsight, strict=True))
    counted = [each for each in both if each[0].counts]
    return RoundReview(
        played,
        [grade for grade, _ in counted],
        [look for _, look in counted],
        average,
        start,
        result,
        chosen,
        [each for each in both if not each[0].counts],
        ungraded,
    )


def _look_back(
    grade: Grade, sampler: Sampler, played: RecordedRound, actual: ActualHands
) -> Hindsight:
    values = compute_differences(sampler.score(actual), played.rules).mean(axis=1)
    names = grade.names
    before = sum(chance * values[names.index(name)] for name, chance in grade.reference.items())
    decision = grade.decision
    choice, team = names.index(decision.choice), played.teams[decision.seat]
    return Hindsight(values, np.asarray(before), choice, team)


def _chain_counters(grades: Sequence[Grade], found: list[Hindsight]) -> None:
    """Let a player who does not counter leave the question to the next one asked.

    Where a counter is in question, the kernels take all others to decline.
    """
    for number in reversed(range(len(grades) - 1)):
        grade, following = grades[number], grades[number + 1]
        one, other = grade.decision.knowledge, following.decision.knowledge
        if grade.decision.kind == "play" or not following.decision.is_call:
            continue
        if (one.question, one.calls) != (other.question, other.calls):
            continue
        names, values = grade.names, found[number].values.copy()
        values[names.index(grade.decision.choice)] = found[number + 1].before
        before = sum(chance * values[names.index(name)] for name, chance in grade.reference.items())
        found[number] = replace(found[number], values=values, before=np.asarray(before))


def _find_average(played: RecordedRound, plan: GradePlan) -> Average | None:
    record, imposed = played.record, None
    if record.imposed:
        assert record.sender is not None and record.contract is not None
        imposed = ImposedContract(played.place_of(record.sender), record.contract, record.amount)
    limit = plan.deadline.within(plan.deadline.seconds_left / 2)
    reference = parse_player(plan.reference, played.rules.game)
    return estimate_average(played.rules, reference, record.pending_before, imposed, limit)
