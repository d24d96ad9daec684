"""Samplers of hidden cards, in which every option of a player is played out."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np

from kqj_sim.core.block import LANES
from kqj_sim.core.rng import fill_keys
from kqj_sim.core.types import BoolArray, Float64Array, Int16Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.plan import DEFAULT_ERROR_RATE, Plan, check_range
from kqj_sim.policies.players import Player
from kqj_sim.positions.measures import GameMeasure, MeasureTable
from kqj_sim.positions.odds import Odds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.search import DEALS_PER_SEARCH, MAX_HANDS, Deadline, Search
from kqj_sim.simulation.experiment import MAX_DEAL
from kqj_sim.simulation.workers import UNBOUNDED, count_processors, map_in_threads, split_range
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE

NO_LAYOUTS_MESSAGE = (
    "no distribution of the hidden cards agrees with the plays: a player played a card that the "
    "rules forbade, or a card is wrong"
)


PLAYED_ON = "while the round was played on"


def require_legal(is_legal: bool, where: str = PLAYED_ON) -> None:
    """Raise InputError unless everything that the policies chose is allowed."""
    if not is_legal:
        raise InputError(f"a policy chose what is not allowed {where}")


# The plan of an estimate: the deals that it may spend, and what is enough.

DEFAULT_DEALS = 10_000
"""Deals that value each option, unless asked otherwise."""

MAX_DEALS = 1_000_000
"""Deals after which a search for certainty ends."""

CERTAIN = 0.999
"""The confidence that an option is the best with which the choice ends early.  It does not depend
on the confidence of the results, which changes no choice."""

_CHOOSING_TIME_SHARE = 1 / 3
"""Share of a limit of time that the choice may take: about that of the deals."""


class Limits(NamedTuple):
    """The end of a series of deals, unless one option is certain to be the best before.

    Attributes:
        width: half-width of the best option's chance to win that is small enough; 0 to stop only
            when the best option is certain, None to do neither.
        confidence: confidence of that width, and of that certainty.
        effective_deals: effective number of deals, at least; there is no end before.
        end: the number of the first draw that is left out.
    """

    deals: int
    width: float | None = None
    deadline: Deadline = Deadline()
    confidence: float = DEFAULT_CONFIDENCE
    effective_deals: float = 0.0
    end: int = UNBOUNDED


def count_choosing_deals(deals: int) -> int:
    """Return how many deals choose the best option, at most, where `deals` value all of them."""
    return math.ceil(deals / 2)


@dataclass(frozen=True, kw_only=True)
class EstimatePlan(Plan):
    """The precision of an answer, and the means to find it.

    Deals value each option, rounded up to whole blocks of 256 for calls; half as many others at
    most, fewer where one option is clearly the best, choose the best.  Options that are clearly
    not the best are played in the first ones only (`estimator.count_early_deals`).  By default
    there are `DEFAULT_DEALS`, with a precision `MAX_DEALS`.  That is of the best option's chance to
    win, or it is enough that the best option is certain; intervals then hold at every moment.  A
    third of the time at most is for choosing.  The same seed gives the same numbers, whatever the
    threads.

    Attributes:
        ignore_calls: True for hidden cards that need not agree with the calls.
        error_rate: chance that a call or card heard was an error of the assumed player.
        ignore_plays: True for hidden cards that are not weighed by the chances of the plays.
        game: the chance to win the game, by which options are ranked then; None to rank by points.
        threads: number of threads; None for all processors.
        progress: called now and then with the answer so far: first by the deals that choose, with
            `choosing_deals` 0, then by those that value.
        searching: called with the number of hands tried so far, while hidden cards are searched.
    """

    ignore_calls: bool = False
    error_rate: float = DEFAULT_ERROR_RATE
    ignore_plays: bool = False
    game: GameMeasure | None = None
    threads: int | None = None
    progress: Callable[[Any], None] | None = None
    searching: Callable[[int], None] | None = None
    start_time: float = field(default_factory=monotonic, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("deals", self.max_deals, 1, MAX_DEAL >> 2)
        check_range("threads", self.thread_count, 1, 1 << 10)
        if not 0 <= self.error_rate < 1:
            raise InputError(
                f"error_rate is {self.error_rate:g}: it lies between 0 and 1, such as 0.03"
            )
        if self.precision is not None and self.precision >= 1:
            raise InputError(f"precision is {self.precision}, not between 0 and 1, such as 0.005")

    @property
    def max_deals(self) -> int:
        """The number of deals that value each option, at most."""
        if self.deals is not None:
            return self.deals
        return DEFAULT_DEALS if self.precision is None else MAX_DEALS

    @property
    def thread_count(self) -> int:
        """The number of threads."""
        return count_processors() if self.threads is None else self.threads

    @property
    def choosing_limits(self) -> Limits:
        """The end of the choice: at twice the width, it has about half as many deals."""
        deadline = self._get_deadline(_CHOOSING_TIME_SHARE)
        deals = count_choosing_deals(self.max_deals)
        return Limits(deals, 2 * (self.precision or 0.0), deadline, CERTAIN)

    @property
    def valuing_limits(self) -> Limits:
        """The end of the deals that value every option."""
        return Limits(self.max_deals, self.precision, self._get_deadline(1), self.confidence)

    def _get_deadline(self, share: float) -> Deadline:
        return Deadline() if self.time is None else Deadline(self.start_time + share * self.time)


AnyOdds = TypeVar("AnyOdds", bound=Odds)
R = TypeVar("R")


class ActualHands(NamedTuple):
    """All cards of a recorded round, in natural coding, by place; several times with other keys.

    Attributes:
        first: int64 (n, places), the cards of the calls: five with taking, eight in auctions, four
            in Kwajongen.
        further: int64 (n, places), the cards dealt later; 0 where there are none.
        hands: int64 (n, places), the cards with which play began; None if nobody took.
        keys: int64 (n,), keys of the draws.
    """

    first: Int64Array
    further: Int64Array
    hands: Int64Array | None
    keys: Int64Array


def derive_keys(seed: int, first: int, count: int) -> Int64Array:
    """Return the keys of `count` deals of a seed from the number `first` on."""
    keys = np.zeros(count, dtype=np.int64)
    fill_keys(first, seed, keys)
    return keys


def _map_ranges(
    function: Callable[[int, int], R], first: int, end: int, size: int, threads: int,
    watch: Search | None = None,
) -> Generator[R]:  # fmt: skip
    """Yield the results of consecutive ranges, by so many threads; by this one if there are 0."""
    if threads:
        yield from map_in_threads([function] * threads, first, end, size, watch)
    else:
        for start, count in split_range(first, end, size):
            yield function(start, count)


FIRST_SEARCH = 16
"""The part of `Sampler.max_hands` that is tried if draws may assume more errors after that."""


ASKED = 8
"""Times that a player is asked, to see whether it chooses at random."""

_ASKED_AGAIN = 128
"""Times that a player who chooses at random is asked, for the chance of each option."""


class Sampler(ABC):
    """Hidden cards that agree with what a player knows, with every option of theirs played out.

    A draw is a function of the seed and its number: neither threads nor the size of chunks can be
    seen in the results.

    Attributes:
        chunk_size: number of draws in a chunk, unless fewer are wanted.
        chunks_per_check: chunks that threads draw between two checks whether enough is known.
        counts_rejected: whether draws without a weight count as deals.
        max_hands: hands that are tried before the first deal is found, at most.
        hands_per_deal: hands that each deal found allows beyond them; None for a part of them.
        error_level: how often draws assume errors (`core.observed_calls.estimate_errors`), up to
            `max_error_level`.
        option_count: number of options to choose from, the first ones.
        question_count: number of calls that hidden hands agree with.
    """

    chunk_size: int
    min_chunk_size: ClassVar[int]
    chunks_per_check: ClassVar[int] = 1
    counts_rejected: ClassVar[bool] = False
    max_hands: ClassVar[int] = MAX_HANDS
    hands_per_deal: ClassVar[int | None] = None
    max_error_level: ClassVar[int] = 0
    error_level = 0
    options: Sequence[Any]
    measures: MeasureTable
    question_count: int

    def __init__(self, position: Position, players: Sequence[Player], plan: EstimatePlan) -> None:
        self.position, self.players = position, tuple(players)
        self.seed, self.error_rate = plan.seed, plan.error_rate
        self.ignore_calls = plan.ignore_calls

    def assume_more_errors(self) -> Self | None:
        """Return the same sampler at the next level of errors; None if there is no other."""
        if not self._has_next_level:
            return None
        sampler = copy.copy(self)
        sampler.error_level += 1
        sampler.estimate_errors()
        return sampler

    @property
    def _has_next_level(self) -> bool:
        can_err = self.question_count > 0 and self.error_rate > 0
        return can_err and self.error_level < self.max_error_level

    def estimate_errors(self) -> None:  # noqa: B027 (with one level there is nothing to do)
        """Estimate how likely the observed calls were errors; for samplers of several levels."""

    @property
    def option_count(self) -> int:
        """The number of options to choose from."""
        return len(self.options)

    @abstractmethod
    def play_chunk(self, search: Search, first: int, count: int) -> Playouts:
        """Play out every option in `count` draws from the number `first` on, in this thread.

        Raises:
            InputError: no hidden hands agree with the plays; a policy chose what is not allowed.
            SearchEnded: the search was told to stop.
        """

    @abstractmethod
    def make_odds(self, plan: EstimatePlan) -> Odds:
        """Return estimates of the options without deals."""

    def _fill_odds(self, kind: type[AnyOdds], plan: EstimatePlan, **more: Any) -> AnyOdds:
        return kind(
            measures=self.measures,
            rules=self.position.rules,
            players=self.players,
            seed=self.seed,
            ignore_calls=self.ignore_calls,
            error_rate=self.error_rate,
            position=self.position,
            options=self.options,
            option_count=self.option_count,
            question_count=self.question_count,
            sequential=plan.precision is not None,
            confidence=plan.confidence,
            **more,
        )

    @abstractmethod
    def with_numbers(self, numbers: Sequence[int]) -> Sampler:
        """Return the same sampler of some of the options, by their numbers."""

    @abstractmethod
    def ask(self, keys: Int64Array) -> list[str]:
        """Return what the player chooses with each key, as text; raise InputError if illegal."""

    def find_choices(self) -> dict[str, float]:
        """Return what the player may choose, as text, with the chances; raise as `ask`."""
        for count in (ASKED, _ASKED_AGAIN):
            names = self.ask(derive_keys(self.seed, 0, count))
            if len({*names}) == 1:
                break
        return {name: names.count(name) / len(names) for name in dict.fromkeys(names)}

    @abstractmethod
    def score(self, actual: ActualHands) -> tuple[Float64Array, BoolArray]:
        """Return the scores of options in known hands, (options, keys, teams); raises as `ask`.

        Also whether a litigation gratuity waits after each round, (options, keys).
        """

    @abstractmethod
    def explain_impossible_bidding(self, counts: Int64Array, seconds: float | None) -> str:
        """Return a line that names the least plausible call; arguments as `explain_rarest_call`."""

    def choose_options(self, plan: EstimatePlan) -> tuple[Sampler, Sampler]:
        """Return a sampler of the options to value, and one of those to choose from."""
        return self, self

    def add_choice(self, choice: str, deadline: Deadline) -> Sampler:
        """Return the same sampler with a choice among its options, and some like it.

        Raises SearchEnded if no hands that agree with the calls were found before the deadline.
        """
        return self

    def with_hand_lists(self) -> Sampler:
        """Return the same sampler, which draws from lists of the hands of each player, if short.

        Such draws have more even weights, but do not tell how rare the calls are.
        """
        return self

    def play_all(self, repeated: int, threads: int = 0) -> Playouts | None:
        """Play out every option in all distributions of the hidden cards, if they are listed.

        Args:
            repeated: playouts, at least, that show whether players choose at random.

        Returns:
            The outcomes, weighted by the plays alone if no distribution agrees with the calls; None
            if they are not listed, or players choose at random.

        Raises:
            InputError: a policy chose what is not allowed.
        """
        return None

    def start_search(self, seconds: float | None, progress: Callable[[int], None] | None) -> Search:
        """Return a search for hidden hands; arguments as of `Search`."""
        max_hands = self.max_hands // FIRST_SEARCH if self._has_next_level else self.max_hands
        per_deal = self.hands_per_deal or self.max_hands // DEALS_PER_SEARCH
        return Search(
            self.question_count, seconds, progress, max_hands, per_deal, shares_lists=True
        )

    def iterate_chunks(
        self, first: int, limits: Limits, search: Search, threads: int
    ) -> Generator[Playouts]:
        """Yield chunks of draws in order, from the number `first` on; 0 threads stand for this one.

        Chunks are smaller if few deals are wanted.
        """
        deals, end = limits.deals, limits.end
        size = min(self.chunk_size, max(self.min_chunk_size, deals))
        # Lists of hands are common to a few draws, of which a chunk has all.
        size -= size % LANES if size > LANES else 0
        # Threads work ahead: where rejected draws count, none beyond those wanted is needed.
        is_known = self.counts_rejected and threads > 0
        end = min(end, first + math.ceil(deals / size) * size if is_known else UNBOUNDED)
        play = partial(self.play_chunk, search)
        yield from _map_ranges(play, first, end, size, threads, search)


class CardSampler(Sampler):
    """A sampler of a round in progress; its options are the legal cards.

    Where few distributions of the hidden cards agree with the plays they are listed, and each can
    be played out.

    Attributes:
        layouts: int64 (n, places), the listed distributions: all that agree with the plays; or
            none.
        layout_count: their number.
        keeps_history: whether a player looks back at finished tricks.
        max_ways: in how many ways a distribution can have come about, if all calls agree.
        turn: what the kernels know of the turn, a named tuple with the `cards` to play.
    """

    turn: Any
    layouts: Int64Array
    layout_count: int
    keeps_history: bool
    uses_plays: bool = False
    max_ways: int = 1

    def with_numbers(self, numbers: Sequence[int]) -> Self:
        sampler = copy.copy(self)
        sampler.options = tuple(self.options[number] for number in numbers)
        sampler.turn = self.turn._replace(cards=self.turn.cards[list(numbers)].copy())
        return sampler

    @abstractmethod
    def count_ways(self, seed: int) -> Float64Array:
        """Return in how many ways each of the listed distributions agrees with the calls.

        If players err, each way counts the chance of the calls.
        """

    def weigh_listed_by_plays(self) -> Float64Array:
        """Return the weights of the listed distributions by the chances of the plays."""
        return np.ones(self.layout_count)

    @abstractmethod
    def play_listed(self, seed: int, first: int, count: int) -> Int16Array:
        """Play out every card in listed distributions, (cards, count, OUTCOME); raises as `ask`."""

    def play_all(self, repeated: int, threads: int = 0) -> Playouts | None:
        count = self.layout_count
        # Players who remember finished tricks play hands out themselves, in worlds drawn at random.
        if count == 0 or self.keeps_history:
            return None

        def play(seed: int, count: int) -> Int16Array:
            chunks = _map_ranges(
                partial(self.play_listed, seed), 0, count, self.chunk_size, threads
            )
            return np.concatenate(list(chunks), axis=1)

        ways, outcomes = self.count_ways(self.seed), play(self.seed, count)
        seeds = [(self.seed + repeat) % 2**63 for repeat in range(1, 1 + max(1, repeated // count))]
        if not np.array_equal(self.count_ways(seeds[0]), ways):
            return None
        again = min(count, repeated)
        if any(not np.array_equal(play(seed, again), outcomes[:, :again]) for seed in seeds):
            return None
        weights = self.weigh_listed_by_plays() * (ways if ways.any() else 1.0)
        counts = np.zeros((self.question_count, 2), dtype=np.int64)
        return Playouts(count, weights, outcomes, self.layouts.T, counts, ways)
