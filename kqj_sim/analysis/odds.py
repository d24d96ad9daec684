"""What each call is worth with a hand, on deals that agree with what was heard."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeAlias, TypeVar

from kqj_sim.analysis.choosing import FIRST_CHOOSING, Limits, choose, limits
from kqj_sim.analysis.heard import Situation, read_situation
from kqj_sim.analysis.intervals import CONFIDENCE
from kqj_sim.analysis.odds_answer import Answer, Odds
from kqj_sim.analysis.sampled import NeverSaid, Sampler
from kqj_sim.analysis.search import FEW_DEALS
from kqj_sim.analysis.standing import (
    CAPOT_TOTAL,
    Option,
    bid_option,
    lowest_amount,
    options,
    played_option,
)
from kqj_sim.core.state import LANES
from kqj_sim.crew import default_threads
from kqj_sim.experiment import MAX_DEAL
from kqj_sim.notation import NUMBERS
from kqj_sim.policies.specification import DEFAULT_PLAYER, Player, player
from kqj_sim.record import Call
from kqj_sim.rules import MOST, GameRules, KqjRules

A = TypeVar("A", bound=Answer)
B = TypeVar("B")
Searching: TypeAlias = Callable[[int], None] | None

WAITING_PLAYER = "points:take=45,lap2=38+network"
"""Who is assumed at every place with two teams and taking: people who wait for a good hand.  The
default player takes the Return at once with any hand there, so that no pass could be heard."""

DEALS = 10_000
"""Deals in which each call is tried out, unless asked otherwise."""

MOST_DEALS = 1_000_000
"""Deals after which a search for certainty ends."""

_PILOT = 1 << 59
"""The deals from this number on choose the bids that are tried out; the others judge them."""
_PILOT_BLOCKS = 4
_FEASIBLE = 0.35
"""Amounts that are reached more rarely are not tried out."""
_FEASIBLE_CAPOT = 0.2
_AMOUNTS = 6
"""So many amounts of a contract are tried out."""
_BATCH = 8
"""Blocks from one look at the answer to the next."""


class OddsError(ValueError):
    """A question that has no answer; one line that says what would be right."""


def default_player(rules: KqjRules) -> str:
    """Who is assumed at every place: one who would pass with some hands."""
    waits = rules.teams == 2 and rules.bidding == "take"
    return WAITING_PLAYER if waits else DEFAULT_PLAYER


def _chosen_options(
    sampler: Sampler, threads: int, seconds: float | None, searching: Searching
) -> tuple[list[Option], int]:
    """The calls to be tried out, and the contracts if played; how many are calls.

    Of the bids in a contract these are the lowest, the best of some higher ones in a first look,
    and Capot where it is likely.
    """
    situation, standing = sampler.situation, sampler.standing
    calls = list(options(situation, standing))
    amount = lowest_amount(situation) if situation.question == "bid" else 0
    rules = situation.rules
    if amount == 0 or amount > rules.max_amount:
        return calls, len(calls)
    played = [played_option(situation, standing, each, amount) for each in rules.contracts]
    search = (threads, seconds, searching)
    look = _pilot(sampler, played, 0, search)
    higher: dict[str, list[Option]] = {}
    for number, option in enumerate(played):
        assert option.contract is not None
        higher[option.contract] = [
            bid_option(situation, standing, Call(situation.place, "bid", each, option.contract, c))
            for each, c in _higher_bids(look, number, amount, rules)
        ]
    tried = [*calls, *(bid for bids in higher.values() for bid in bids)]
    look = _pilot(sampler, tried, _PILOT_BLOCKS * LANES, search)
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


def _higher_bids(look: Odds, number: int, lowest: int, rules: KqjRules) -> list[tuple[int, bool]]:
    """Amounts above the lowest that a contract may reach, and whether with Capot."""
    amounts = [
        each
        for each in range(lowest + 10, rules.max_amount + 1, 10)
        if look.reaches(number, each).value >= _FEASIBLE
    ]
    step = max(1, math.ceil(len(amounts) / _AMOUNTS))
    bids = [(each, False) for each in reversed(amounts[::-step])]
    if look.estimate("capot", number).value >= _FEASIBLE_CAPOT:
        bids.append((max(lowest, min(rules.max_amount, CAPOT_TOTAL)), True))
    return bids


def _pilot(
    sampler: Sampler, tried: Sequence[Option], first: int,
    search: tuple[int, float | None, Searching],
) -> Odds:  # fmt: skip
    """A first look at some options; `search` is of `_chosen_options`."""
    threads, seconds, searching = search
    found = _nothing(sampler, tried, len(tried), False)
    try:
        blocks = sampler.blocks(tried, threads, _PILOT + first, _PILOT_BLOCKS, seconds, searching)
        for block in blocks:
            found.add(block)
    except NeverSaid:
        if found.deals == 0 or found.effective < FEW_DEALS:
            raise
    return found


def _nothing(sampler: Sampler, tried: Sequence[Option], calls: int, sequential: bool) -> Odds:
    """No deals yet."""
    return Odds(
        sampler.situation, tuple(sampler.players), sampler.seed, list(tried), calls, sampler.asked,
        sequential, sampler.pending, sampler.ignore_calls,
    )  # fmt: skip


def odds_of(
    situation: Situation,
    *,
    players: str | Sequence[str] | None = None,
    deals: int = DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    pending: int = 0,
    ignore_calls: bool = False,
    confidence: float = CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[Odds], None] | None = None,
    searching: Searching = None,
) -> Odds:
    """What each call is worth in a situation; arguments as for `odds`."""
    check_numbers(deals, until, seconds, seed, threads)
    check_ranges(("pending", pending, 0, MOST))
    start = time.monotonic()
    seated = seat_players(players, situation.rules, default_player(situation.rules))
    sampler = Sampler(situation, seated, seed, pending, ignore_calls)
    threads = threads or default_threads()
    tried, calls = _chosen_options(sampler, threads, seconds, searching)
    found = _nothing(sampler, tried, calls, until is not None)
    most = deals if until is None else MOST_DEALS
    ends = limits(most, until, seconds, start)
    look = _nothing(sampler, tried[:calls], calls, until is not None)
    blocks = math.ceil(most / LANES)
    source = sampler.blocks(look.options, threads, FIRST_CHOOSING, blocks, seconds, searching)
    rank_calls(found, look, source, ends, progress)
    source = sampler.blocks(tried, threads, 0, blocks, seconds, searching)
    gather(found, source, start, until, seconds, confidence, progress)
    return found


def check_numbers(
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
    except NeverSaid:
        # The search for agreeing deals reached its limit: rank by those that were found.
        if look.deals == 0:
            raise
        found.order = look.sums.ranking(look.objective)
    found.choosing_deals = look.deals


def gather(
    found: A, source: Generator[B], start: float, until: float | None, seconds: float | None,
    confidence: float, progress: Callable[[A], None] | None,
) -> None:  # fmt: skip
    """Take in blocks of deals until there are no more, or enough is known.

    Args:
        found: the answer, which takes them in.
        source: the blocks; it is closed.
        start: when it began, of the monotonic clock.
        until, seconds, confidence, progress: as for `odds`.
    """
    try:
        for number, block in enumerate(source, start=1):
            found.add(block)
            if number % _BATCH:
                continue
            if progress is not None:
                progress(found)
            if until is not None and found.decided(until, confidence):
                found.ended = "until"
                break
            if seconds is not None and time.monotonic() - start > seconds:
                found.ended = "time"
                break
    except NeverSaid as error:
        wanted_time = error.by_time and seconds is not None
        if found.deals == 0 or (found.effective < FEW_DEALS and not wanted_time):
            raise
        found.ended = "time" if error.by_time else "search"
        found.stopped = str(error)
    except KeyboardInterrupt:
        if found.deals == 0:
            raise
        found.ended = "interrupted"
    finally:
        source.close()


def seat_players(
    players: str | Sequence[str] | None, rules: GameRules, default: str
) -> tuple[Player, ...]:
    """Who sits at each place: one everywhere, or one at each; raises OddsError, PolicyError."""
    if players is None or isinstance(players, str):
        players = [players or default] * rules.seats
    if len(players) != rules.seats:
        count = NUMBERS[rules.seats]
        raise OddsError(f"{len(players)} players: there should be one, or one a place, {count}")
    return tuple(player(text, rules.game) for text in players)


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
    deals: int = DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    pending: int = 0,
    ignore_calls: bool = False,
    confidence: float = CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[Odds], None] | None = None,
    searching: Searching = None,
) -> Odds:
    """What each call is worth with a hand.

    Args:
        hand: the cards held: five, or eight with auctions.
        turned, place, lap, heard, partners: see `analysis.heard.read_situation`.
        rules: the rules; two teams and taking unless given.
        players: a specification of who calls and plays at every place, or one for each place
            from the opener on; `default_player` unless given.
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
    situation = read_situation(
        hand,
        rules or KqjRules(),
        turned=turned,
        place=place,
        lap=lap,
        heard=heard,
        partners=None if partners is None else tuple(partners),
    )
    return odds_of(
        situation, players=players, deals=deals, until=until, seconds=seconds, seed=seed,
        pending=pending, ignore_calls=ignore_calls, confidence=confidence,
        threads=threads, progress=progress, searching=searching,
    )  # fmt: skip
