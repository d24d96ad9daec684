"""What was found out about calls: quantities of each, their intervals, which call is best.

What each call is worth with a hand, on deals that agree with what was heard.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis import intervals
from kqj_sim.analysis.intervals import (
    DEFAULT_CONFIDENCE,
    Estimate,
    clip_estimate,
    estimate_weighted_share,
)
from kqj_sim.analysis.odds.auction_state import (
    GUARANTEED_CAPOT_TOTAL,
    CallOption,
    ObservedCall,
    find_lowest_amount,
    list_call_options,
    make_bid_option,
    make_contract_option,
)
from kqj_sim.analysis.odds.choosing import FIRST_CHOOSING, Limits, choose, limits
from kqj_sim.analysis.odds.sampling import CallPlayouts, CallSampler, ImpossibleBiddingError
from kqj_sim.analysis.odds.search import FEW_DEALS
from kqj_sim.analysis.odds.situation import BiddingSituation, parse_situation
from kqj_sim.analysis.weighted_means import ROUNDING_ERROR, Objective, WeightedMoments
from kqj_sim.cards import NUMBER_WORDS
from kqj_sim.core import call_odds as core
from kqj_sim.core.block import LANES, TRICKS
from kqj_sim.core.scoring import LITIGATION, MADE, PASSED_OUT
from kqj_sim.experiment import MAX_DEAL
from kqj_sim.policies.spec import DEFAULT_PLAYER, Player, parse_player
from kqj_sim.record import Call
from kqj_sim.rules import MAX_TOTAL, GameRules, KqjRules
from kqj_sim.run_scope import run_scope
from kqj_sim.workers import count_processors

QUANTITIES: dict[str, bool] = {
    "wins": True,
    "difference": False,
    "makes": True,
    "plays": True,
    "litigation": True,
    "passed_out": True,
    "total": False,
    "capot": True,
    "kq": True,
    "kqj": True,
}
"""What is known of each call, and whether it is a share:

* wins: the own side scores more than every other one
* difference: the own side's score less that of the best other side, in points
* makes, plays: the own side makes a contract, plays one
* litigation, passed_out: how the round ends
* total: the own side's card points and bonuses
* capot, kq, kqj: the own side has this bonus
"""
WON, LOST, DRAWN, NOT_PLAYED = range(4)
"""How a round ends for the own side: won, lost, a litigation, passed out."""


class CallOdds(ABC):
    """What was found out about calls: means of quantities of each.

    A game's answer has the quantities, and whether each is a share.

    Attributes:
        situation: what the player knows; has `rules` and his `hand`.
        players: who calls and plays at each place.
        seed: seed of the deals.
        options: the calls, and what else was tried out; each has a `text`.
        calls: how many of `options`, the first, are calls.
        sequential: whether intervals hold at every moment.
        ignore_calls: as asked.
        ended: why it ended: "deals", "until", "time", "search" (for agreeing deals) or
            "interrupted".
        stopped: which call made the search for agreeing deals end; "" if it did not.
        sums: quantities by option.
        order: the calls in the order that other deals chose, the best first; empty as long as
            these deals are choosing themselves.
        choosing_deals: how many deals chose it.
    """

    quantities: ClassVar[Mapping[str, bool]]
    situation: Any
    players: tuple[Player, ...]
    seed: int
    options: Sequence[Any]
    calls: int
    sequential: bool
    ignore_calls: bool
    ended: str
    stopped: str = ""
    sums: WeightedMoments
    order: tuple[int, ...]
    choosing_deals: int

    @property
    @abstractmethod
    def bidding_probability(self) -> float:
        """Share of all deals in which the others would have said what they said."""

    @property
    def max_points(self) -> int:
        """The most that a round is worth to a side."""
        most: int = self.situation.rules.max_points
        return most

    @abstractmethod
    def add(self, block: Any) -> None:
        """Take in a block of deals."""

    def number(self, quantity: str) -> int:
        """The number of a quantity."""
        return list(self.quantities).index(quantity)

    @property
    def deals(self) -> int:
        """Deals that were drawn."""
        return self.sums.deals

    @property
    @abstractmethod
    def hands_examined(self) -> int:
        """Hands, or deals, that were looked at for those that agree; 0 if nothing was said."""

    def estimate_bidding_probability(self, confidence: float = DEFAULT_CONFIDENCE) -> Estimate:
        """Share of all deals in which the others would have said what they said."""
        sums = self.sums
        return estimate_bidding_probability(
            self.hands_examined, sums.weights, sums.squares, confidence, self.sequential
        )

    @property
    def effective_sample_size(self) -> float:
        """The number of deals without weights that would tell as much."""
        return self.sums.effective_sample_size

    def estimate(
        self,
        quantity: str,
        option: int,
        confidence: float = DEFAULT_CONFIDENCE,
        baseline: int | None = None,
    ) -> Estimate:
        """A quantity of an option, or with `baseline` what it exceeds that of another one by."""
        return self.sums.mean(
            self.number(quantity),
            option,
            confidence,
            baseline=baseline,
            sequential=self.sequential,
            is_share=self.quantities[quantity] and baseline is None,
            bound=1.0 if self.quantities[quantity] else self.max_points,
        )

    @property
    def objective(self) -> Objective:
        """What makes a call the best."""
        value, share = self.number("difference"), self.number("wins")
        return Objective(value, share, self.calls, self.max_points)

    @property
    def ranking(self) -> list[int]:
        """The calls, the best first: by mean difference of scores in the deals that chose.

        Their values (`estimate`) are those of other deals, so neighbours may have them in another
        order.
        """
        return list(self.order or self.sums.ranking(self.objective))

    @property
    def best(self) -> int:
        """The call that the deals that chose name."""
        return self.ranking[0]

    def is_conclusive(self, width: float, confidence: float) -> bool:
        """Whether the best call is sure, or its chance to win known to `width` on either side."""
        return self.sums.is_conclusive(self.best, self.objective, width, confidence)


@dataclass
class KqjCallOdds(CallOdds):
    """What each call is worth.

    Attributes:
        situation: what the player knows.
        players: who calls and plays at each place.
        seed: seed of the deals.
        options: the calls, then (auctions) the contracts if they are played.
        calls: how many of `options` are calls.
        asked: what others answered, in the order in which hands were drawn.
        answers: int64 (asked, 2), hands that were asked, and that answered as heard.
        sums: quantities (`QUANTITIES`) by option.
        totals: float64 (options, 4, 601), weights by ending (`WON` to `NOT_PLAYED`) and own total.
        squares: float64 (options, 601), squares of the weights by own total.
        sequential: whether intervals hold at every moment.
        ended, stopped, order, choosing_deals: as of `CallOdds`.
        pending, ignore_calls: as asked.
    """

    quantities = QUANTITIES

    situation: BiddingSituation
    players: tuple[Player, ...]
    seed: int
    options: list[CallOption]
    calls: int
    asked: list[ObservedCall]
    sequential: bool
    pending: int = 0
    ignore_calls: bool = False
    ended: str = "deals"
    stopped: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    sums: WeightedMoments = field(init=False)

    def __post_init__(self) -> None:
        self.sums = WeightedMoments()
        self.answers = np.zeros((len(self.asked), 2), dtype=np.int64)
        self.totals = np.zeros((len(self.options), 4, MAX_TOTAL + 1))
        self.squares = np.zeros((len(self.options), MAX_TOTAL + 1))

    def add(self, block: CallPlayouts) -> None:
        """Take in a block of deals."""
        self.answers += block.counts
        self.sums.add(block.deals, block.weights, _compute_quantities(block.outcomes))
        squares = block.weights**2
        for option, outcome in enumerate(block.outcomes):
            total = outcome[:, core.OWN_TOTAL].astype(np.int64)
            place = _classify_endings(outcome) * (MAX_TOTAL + 1) + total
            flat = self.totals[option].reshape(-1)
            flat += np.bincount(place, block.weights, minlength=flat.size)
            self.squares[option] += np.bincount(total, squares, minlength=MAX_TOTAL + 1)

    @property
    def hands_examined(self) -> int:
        """Hands that were looked at for the first player who spoke."""
        return int(self.answers[0, 0]) if len(self.answers) else 0

    @property
    def bidding_probability(self) -> float:
        """Share of all deals in which the others would have said what they said."""
        return compute_bidding_probability(self.answers, self.sums.weights)

    def estimate_reach_probability(
        self, option: int, amount: int, confidence: float = DEFAULT_CONFIDENCE
    ) -> Estimate:
        """The chance that the own side's total is at least an amount."""
        above = float(self.totals[option, :, amount:].sum())
        squares = float(self.squares[option, amount:].sum())
        return self.sums.share(above, squares, confidence, self.sequential)


def compute_bidding_probability(question_counts: NDArray[np.int64], weights: float) -> float:
    """Share of hidden hands with which the others would have said what they said.

    Each hand that is looked at for the first player who spoke either does not agree with what he
    said, or is that of a deal, whose weight is the share of what agrees of the others' hands: so
    it is the sum of the weights a hand looked at.  (Deals for which none was found count with
    their hands.)

    Args:
        question_counts: int64 (questions, 2), hands that were asked, and that answered as heard.
        weights: sum of the weights of all draws.
    """
    return float(weights / question_counts[0, 0]) if len(question_counts) else 1.0


def estimate_bidding_probability(
    hands_examined: int,
    weights: float,
    squares: float,
    confidence: float = DEFAULT_CONFIDENCE,
    sequential: bool = False,
) -> Estimate:
    """The same share, from the sums of the weights and of their squares, with its interval.

    The mean of what is known of each hand looked at: nothing of it agrees, or a share as large as
    its weight.  That varies no more than hands of which each agrees or not; the interval is
    that of a share of as many of these as would tell as much, or holds at every moment
    (`sequential`).
    """
    if hands_examined == 0:
        return Estimate(1.0, math.nan, math.nan, 0)
    if sequential:
        found = intervals.estimate_mean_sequentially(
            hands_examined, weights, squares, confidence, bound=1.0
        )
        return clip_estimate(found, (0.0, 1.0))
    value = min(1.0, weights / hands_examined)
    variance = squares / hands_examined - value**2
    alike = value * (1 - value) / variance if variance > ROUNDING_ERROR else 1.0
    return estimate_weighted_share(value, alike * hands_examined, hands_examined, confidence)


def _classify_endings(outcome: NDArray[np.int16]) -> NDArray[np.int64]:
    """How rounds (n, OUTCOME) ended for the own side."""
    result = outcome[:, core.RESULT]
    decided = np.where(outcome[:, core.OWN_SCORE] > outcome[:, core.OTHER_SCORE], WON, LOST)
    drawn = np.where(result == PASSED_OUT, NOT_PLAYED, DRAWN)
    return np.where((result == PASSED_OUT) | (result == LITIGATION), drawn, decided)


def _compute_quantities(outcomes: NDArray[np.int16]) -> NDArray[np.float64]:
    """The quantities (quantities, options, n) of outcomes (options, n, OUTCOME)."""
    result = outcomes[:, :, core.RESULT]
    score, other = outcomes[:, :, core.OWN_SCORE], outcomes[:, :, core.OTHER_SCORE]
    plays = outcomes[:, :, core.OWN_PLAYS] != 0
    named = {
        "wins": score > other,
        "difference": score.astype(np.float64) - other,
        "makes": plays & (result == MADE),
        "plays": plays,
        "litigation": result == LITIGATION,
        "passed_out": result == PASSED_OUT,
        "total": outcomes[:, :, core.OWN_TOTAL],
        "capot": outcomes[:, :, core.OWN_TRICKS] == TRICKS,
        "kq": outcomes[:, :, core.OWN_KQ] > 0,
        "kqj": outcomes[:, :, core.OWN_KQJ] > 0,
    }
    return np.stack([named[name].astype(np.float64) for name in QUANTITIES])


A = TypeVar("A", bound=CallOdds)
B = TypeVar("B")
Searching: TypeAlias = Callable[[int], None] | None

SELECTIVE_PLAYER = "points:take=45,lap2=38+network"
"""Who is assumed at every place with two teams and taking: people who wait for a good hand.  The
default player takes the Return at once with any hand there, so that no pass could be heard."""

DEFAULT_DEALS = 10_000
"""Deals in which each call is tried out, unless asked otherwise."""

MAX_DEALS = 1_000_000
"""Deals after which a search for certainty ends."""

_FIRST_PILOT_DEAL = 1 << 59
"""The deals from this number on choose the bids that are tried out; the others judge them."""
_PILOT_BLOCKS = 4
_MIN_REACH_PROBABILITY = 0.35
"""Amounts that are reached more rarely are not tried out."""
_MIN_CAPOT_PROBABILITY = 0.2
_MAX_AMOUNTS = 6
"""So many amounts of a contract are tried out."""
_BLOCKS_PER_CHECK = 8
"""Blocks from one look at the answer to the next."""


class OddsError(ValueError):
    """A question that has no answer; one line that says what would be right."""


def choose_assumed_player(rules: KqjRules) -> str:
    """Who is assumed at every place: one who would pass with some hands."""
    waits = rules.teams == 2 and rules.bidding == "take"
    return SELECTIVE_PLAYER if waits else DEFAULT_PLAYER


def _choose_options(
    sampler: CallSampler, threads: int, seconds: float | None, searching: Searching
) -> tuple[list[CallOption], int]:
    """The calls to be tried out, and the contracts if played; how many are calls.

    Of the bids in a contract these are the lowest, the best of some higher ones in a first look,
    and Capot where it is likely.
    """
    situation, standing = sampler.situation, sampler.standing
    calls = list(list_call_options(situation, standing))
    amount = find_lowest_amount(situation) if situation.question == "bid" else 0
    rules = situation.rules
    if amount == 0 or amount > rules.max_amount:
        return calls, len(calls)
    played = [make_contract_option(situation, standing, each, amount) for each in rules.contracts]
    search = (threads, seconds, searching)
    look = _run_pilot(sampler, played, 0, search)
    higher: dict[str, list[CallOption]] = {}
    for number, option in enumerate(played):
        assert option.contract is not None
        higher[option.contract] = [
            make_bid_option(
                situation, standing, Call(situation.place, "bid", each, option.contract, c)
            )
            for each, c in _list_higher_bids(look, number, amount, rules)
        ]
    tried = [*calls, *(bid for bids in higher.values() for bid in bids)]
    look = _run_pilot(sampler, tried, _PILOT_BLOCKS * LANES, search)
    worth = {
        option.text: look.estimate("difference", number).value
        for number, option in enumerate(tried)
    }
    kept = []
    for option in calls:
        kept.append(option)
        for capot in (False, True):
            bids = [bid for bid in higher.get(option.contract or "", []) if bid.capot == capot]
            if bids:
                kept.append(max(bids, key=lambda bid: worth[bid.text]))
    return [*kept, *played], len(kept)


def _list_higher_bids(
    pilot: KqjCallOdds, number: int, lowest: int, rules: KqjRules
) -> list[tuple[int, bool]]:
    """Amounts above the lowest that a contract may reach, and whether with Capot."""
    amounts = [
        each
        for each in range(lowest + 10, rules.max_amount + 1, 10)
        if pilot.estimate_reach_probability(number, each).value >= _MIN_REACH_PROBABILITY
    ]
    step = max(1, math.ceil(len(amounts) / _MAX_AMOUNTS))
    bids = [(each, False) for each in reversed(amounts[::-step])]
    if pilot.estimate("capot", number).value >= _MIN_CAPOT_PROBABILITY:
        bids.append((max(lowest, min(rules.max_amount, GUARANTEED_CAPOT_TOTAL)), True))
    return bids


def _run_pilot(
    sampler: CallSampler, options: Sequence[CallOption], first: int,
    search: tuple[int, float | None, Searching],
) -> KqjCallOdds:  # fmt: skip
    """A first look at some options; `search` is of `_choose_options`."""
    threads, seconds, searching = search
    found = _make_empty_odds(sampler, options, len(options), False)
    try:
        blocks = sampler.blocks(
            options, threads, _FIRST_PILOT_DEAL + first, _PILOT_BLOCKS, seconds, searching
        )
        for block in blocks:
            found.add(block)
    except ImpossibleBiddingError:
        if found.deals == 0 or found.effective_sample_size < FEW_DEALS:
            raise
    return found


def _make_empty_odds(
    sampler: CallSampler, options: Sequence[CallOption], calls: int, sequential: bool
) -> KqjCallOdds:
    """No deals yet."""
    return KqjCallOdds(
        sampler.situation,
        tuple(sampler.players),
        sampler.seed,
        list(options),
        calls,
        sampler.asked,
        sequential,
        sampler.pending,
        sampler.ignore_calls,
    )


def estimate_calls(
    situation: BiddingSituation,
    *,
    players: str | Sequence[str] | None = None,
    deals: int = DEFAULT_DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    pending: int = 0,
    ignore_calls: bool = False,
    confidence: float = DEFAULT_CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[KqjCallOdds], None] | None = None,
    searching: Searching = None,
) -> KqjCallOdds:
    """What each call is worth in a situation; arguments as for `odds`."""
    check_limits(deals, until, seconds, seed, threads)
    check_ranges(("pending", pending, 0, MAX_TOTAL))
    start = time.monotonic()
    seated = parse_players(players, situation.rules, choose_assumed_player(situation.rules))
    sampler = CallSampler(situation, seated, seed, pending, ignore_calls)
    threads = threads or count_processors()
    tried, calls = _choose_options(sampler, threads, seconds, searching)
    found = _make_empty_odds(sampler, tried, calls, until is not None)
    most = deals if until is None else MAX_DEALS
    ends = limits(most, until, seconds, start)
    look = _make_empty_odds(sampler, tried[:calls], calls, until is not None)
    blocks = math.ceil(most / LANES)
    source = sampler.blocks(look.options, threads, FIRST_CHOOSING, blocks, seconds, searching)
    rank_calls(found, look, source, ends, progress)
    source = sampler.blocks(tried, threads, 0, blocks, seconds, searching)
    run_estimation(found, source, start, until, seconds, confidence, progress)
    return found


def check_limits(
    deals: int, until: float | None, seconds: float | None, seed: int, threads: int | None
) -> None:
    """Raise OddsError for a number out of range; arguments as for `odds`."""
    check_ranges(("deals", deals, 1, MAX_DEAL >> 2), ("seed", seed, 0, 2**63 - 1))
    if threads is not None:
        check_ranges(("threads", threads, 1, 1 << 10))
    if until is not None and not 0 < until < 1:
        raise OddsError(f"until is {until}: it lies between 0 and 1, such as 0.005")
    if seconds is not None and not 0 < seconds < math.inf:
        raise OddsError(f"the time is {seconds} seconds: it should be more than none")


def check_ranges(*numbers: tuple[str, int, int, int]) -> None:
    """Raise OddsError for a number (name, value, least, most) out of range."""
    for name, value, least, most in numbers:
        if not least <= value <= most:
            raise OddsError(f"{name} is {value}: it should be {least} to {most}")


def rank_calls(
    found: A, look: A, source: Generator[B], ends: Limits, progress: Callable[[A], None] | None
) -> None:
    """Put the calls of an answer in order, the best first, by deals that value none of them.

    Args:
        found: the answer, without deals.
        look: another one without deals, for the calls alone, which takes in those that choose.
        source: blocks of these; it is closed.
        ends: when the choice ends.
        progress: as for `odds`; called with `look`.
    """

    def add(block: B) -> None:
        look.add(block)
        if progress is not None:
            progress(look)

    try:
        found.order = choose(source, add, look.sums, look.objective, ends)
    except ImpossibleBiddingError:
        # The search for agreeing deals reached its limit: rank by those that were found.
        if look.deals == 0:
            raise
        found.order = look.sums.ranking(look.objective)
    found.choosing_deals = look.deals


def run_estimation(
    odds: A, blocks: Generator[B], start_time: float, until: float | None, seconds: float | None,
    confidence: float, progress: Callable[[A], None] | None,
) -> None:  # fmt: skip
    """Take in blocks of deals until there are no more, or enough is known.

    Args:
        odds: the answer, which takes them in.
        blocks: the blocks; it is closed.
        start_time: when it began, of the monotonic clock.
        until, seconds, confidence, progress: as for `odds`.
    """
    try:
        for number, block in enumerate(blocks, start=1):
            odds.add(block)
            if number % _BLOCKS_PER_CHECK:
                continue
            if progress is not None:
                progress(odds)
            if until is not None and odds.is_conclusive(until, confidence):
                odds.ended = "until"
                break
            if seconds is not None and time.monotonic() - start_time > seconds:
                odds.ended = "time"
                break
    except ImpossibleBiddingError as error:
        wanted_time = error.by_time and seconds is not None
        if odds.deals == 0 or (odds.effective_sample_size < FEW_DEALS and not wanted_time):
            raise
        odds.ended = "time" if error.by_time else "search"
        odds.stopped = str(error)
    except KeyboardInterrupt:
        if odds.deals == 0:
            raise
        odds.ended = "interrupted"
    finally:
        blocks.close()


def parse_players(
    players: str | Sequence[str] | None, rules: GameRules, default: str
) -> tuple[Player, ...]:
    """Who sits at each place: one everywhere, or one at each; raises OddsError, PolicyError."""
    if players is None or isinstance(players, str):
        players = [players or default] * rules.seats
    if len(players) != rules.seats:
        count = NUMBER_WORDS[rules.seats]
        raise OddsError(f"{len(players)} players: there should be one, or one a place, {count}")
    return tuple(parse_player(text, rules.game) for text in players)


@run_scope()
def odds(
    hand: str,
    *,
    turned: str | None = None,
    place: int | None = None,
    lap: int | None = None,
    heard: str | None = None,
    partners: Iterable[int] | None = None,
    rules: KqjRules | None = None,
    players: str | Sequence[str] | None = None,
    deals: int = DEFAULT_DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    pending: int = 0,
    ignore_calls: bool = False,
    confidence: float = DEFAULT_CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[KqjCallOdds], None] | None = None,
    searching: Searching = None,
) -> KqjCallOdds:
    """What each call is worth with a hand.

    Args:
        hand: the cards held: five, or eight with auctions.
        turned, place, lap, heard, partners: see `analysis.odds.situation.parse_situation`.
        rules: the rules; two teams and taking unless given.
        players: a specification of who calls and plays at every place, or one for each place
            from the opener on; `choose_assumed_player` unless given.
        deals: so many deals value each call, rounded up to whole blocks of 256; half as many
            others at most, fewer where one call is clearly the best, choose the one named
            (`analysis.choosing`).
        until: go on until the chance of the best call is known to so much on either side, or the
            best call is sure; intervals then hold at every moment.
        seconds: a limit of time; a third of it at most is for choosing.
        seed: seed of the deals, 0 to 2**63 - 1.
        pending: litigation gratuity that waits.
        ignore_calls: True for hidden cards that need not agree with what was heard.
        confidence: of the intervals with which `until` is judged.
        threads: threads, all processors by default.
        progress: called now and then with what was found so far: first by the deals that choose
            the best call, with `choosing_deals` 0, then by those that value all of them.
        searching: called with the number of hands tried so far, while deals are looked for.

    Raises:
        SituationError, OddsError: cards, calls or numbers that cannot be.
        NeverSaid: the players would hardly ever have said what was heard.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    situation = parse_situation(
        hand,
        rules or KqjRules(),
        turned=turned,
        place=place,
        lap=lap,
        heard=heard,
        partners=None if partners is None else tuple(partners),
    )
    return estimate_calls(
        situation, players=players, deals=deals, until=until, seconds=seconds, seed=seed,
        pending=pending, ignore_calls=ignore_calls, confidence=confidence,
        threads=threads, progress=progress, searching=searching,
    )  # fmt: skip
