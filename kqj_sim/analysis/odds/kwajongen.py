"""What it is worth in Kwajongen to play or to pass with a hand, on deals that agree with it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.intervals import DEFAULT_CONFIDENCE, Estimate
from kqj_sim.analysis.odds.calls import (
    DEFAULT_DEALS,
    DRAWN,
    LOST,
    MAX_DEALS,
    NOT_PLAYED,
    WON,
    CallOdds,
    check_limits,
    parse_players,
    rank_calls,
    run_estimation,
)
from kqj_sim.analysis.odds.choosing import FIRST_CHOOSING, limits
from kqj_sim.analysis.odds.sampling import ImpossibleBiddingError
from kqj_sim.analysis.odds.search import Search, SearchEnded
from kqj_sim.analysis.odds.situation import SituationError
from kqj_sim.analysis.odds.tables import make_call_table
from kqj_sim.analysis.tables import Table, TableRow, make_table
from kqj_sim.analysis.weighted_means import WeightedMoments
from kqj_sim.cards import Card, NotationError, parse_card, parse_cards
from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.kwajongen import odds as core
from kqj_sim.core.kwajongen.cards import SEATS, TRICKS
from kqj_sim.core.kwajongen.scoring import MADE, PASSED_OUT, TIE
from kqj_sim.encode import encode_cards, encode_rules, encode_seating
from kqj_sim.messages import quote
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.spec import DEFAULT_PLAYERS, Player
from kqj_sim.rules import KwajongenRules
from kqj_sim.workers import count_processors, map_in_threads

DEALER_PLACE = SEATS - 1
"""Seats are counted as places here: who sits at the dealer's left is 0."""

_MAX_EMPTY_BLOCKS = 64
"""Blocks after which a player who never passed in them is taken never to pass."""

QUANTITIES = {
    "wins": True,
    "difference": False,
    "makes": True,
    "plays": True,
    "tie": True,
    "passed_out": True,
    "total": False,
    "capot": True,
}
"""What is known of each answer, as in `analysis.odds_answer`, and whether it is a share."""

QUANTITY_LABELS = {
    "wins": "wins the round",
    "difference": "worth",
    "makes": "own side makes it",
    "plays": "own side plays",
    "tie": "tie",
    "passed_out": "passed out",
    "total": "own card points",
    "capot": "all four tricks",
}
"""What people read for each of them."""

WORTH_NOTE = (
    "Worth: by how much the other side's score changes less the own side's, so that more is "
    "better; a round that is passed out counts 0."
)


@dataclass(frozen=True)
class KwajongenBiddingSituation:
    """What a player knows when he is asked.

    Attributes:
        rules: the rules.
        hand: his four cards.
        turned: the dealer's card that is shown.
        place: 0 the dealer's left to 3 the dealer; all before him have passed.
        raised: whether the round is raised.
    """

    rules: KwajongenRules
    hand: tuple[Card, ...]
    turned: Card
    place: int
    raised: bool = False


def parse_kwajongen_situation(
    hand: str,
    rules: KwajongenRules,
    *,
    turned: str | None,
    place: int | None = None,
    heard: str | None = None,
    raised: bool = False,
) -> KwajongenBiddingSituation:
    """What a player knows, from what he types.

    Args:
        hand: his cards, `Ah Kh 9s Ts`.
        rules: the rules.
        turned: the dealer's card that is shown; one of the hand if he is the dealer.
        place: his place; follows from `heard`, else it is 0.
        heard: the calls so far, which can only be `pass, pass`.
        raised: whether the round is raised.

    Raises:
        SituationError: one line that says what is wrong.
    """
    try:
        cards = parse_cards(hand, ranks=rules.ranks)
        shown = None if turned is None else parse_card(turned, ranks=rules.ranks)
    except NotationError as error:
        raise SituationError(str(error)) from None
    if len(cards) != rules.tricks:
        raise SituationError(f"the hand has {len(cards)} cards: in Kwajongen one holds four")
    if shown is None:
        raise SituationError("the dealer's shown card is missing: give it, such as Kh")
    if place is not None and not 0 <= place < SEATS:
        raise SituationError(f"place {place}: it is 0 (the dealer's left) to 3 (the dealer)")
    if heard is not None:
        texts = [text.strip() for text in heard.split(",")] if heard.strip() else []
        for number, text in enumerate(texts, start=1):
            if text.lower() not in ("pass", "p"):
                raise SituationError(
                    f"call {number} heard, {quote(text)}: nobody is asked after a play; write pass"
                )
        if len(texts) > DEALER_PLACE:
            raise SituationError(f"{len(texts)} calls heard: nobody is asked after four passes")
        if place not in (None, len(texts)):
            raise SituationError(
                f"place {place} does not go with the {len(texts)} calls heard: it is the turn of "
                f"place {len(texts)}"
            )
        place = len(texts)
    place = place or 0
    if place == DEALER_PLACE and shown not in cards:
        raise SituationError(f"the shown card {shown} is the dealer's own: it is one of the hand")
    if place != DEALER_PLACE and shown in cards:
        raise SituationError(f"the shown card {shown} is in the hand, but it is the dealer's")
    return KwajongenBiddingSituation(rules, cards, shown, place, raised)


class KwajongenCallOption(NamedTuple):
    """An answer."""

    text: str


CALL_OPTIONS = (KwajongenCallOption("pass"), KwajongenCallOption("play"))
"""By `core.kwajongen.odds.PASS_OPTION` and `PLAY`."""


class KwajongenCallPlayouts(NamedTuple):
    """Deals of a block: how many were drawn, and what came of those that agree.

    `outcomes` is int16 (ANSWERS, n, OUTCOME).
    """

    deals: int
    outcomes: NDArray[np.int16]


@dataclass
class KwajongenCallOdds(CallOdds):
    """What playing and passing are worth.

    Attributes:
        situation: what the player knows.
        players: who calls and plays at each place.
        seed: seed of the deals.
        sequential: whether intervals hold at every moment.
        ignore_calls: as asked.
        ended, stopped, order, choosing_deals: as of `analysis.odds.calls.CallOdds`.
        sums: quantities by answer.
        point_counts: int64 (answers, 4, 9), deals by ending (`analysis.odds.calls.WON` to
            `NOT_PLAYED`) and by what the round is worth to the own side, from -4 to 4.
    """

    quantities = QUANTITIES
    options = CALL_OPTIONS
    calls = len(CALL_OPTIONS)

    situation: KwajongenBiddingSituation
    players: tuple[Player, ...]
    seed: int
    sequential: bool
    ignore_calls: bool = False
    ended: str = "deals"
    stopped: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    sums: WeightedMoments = field(default_factory=WeightedMoments)
    point_counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.point_counts = np.zeros((self.calls, 4, 2 * self.max_points + 1), dtype=np.int64)

    @property
    def hands_examined(self) -> int:
        """The deals, if somebody spoke before and that counts."""
        return 0 if self.situation.place == 0 or self.ignore_calls else self.deals

    @property
    def bidding_probability(self) -> float:
        """Share of the deals in which those before would have passed."""
        return self.sums.weights / self.deals

    def add(self, block: KwajongenCallPlayouts) -> None:
        """Take in a block of deals."""
        outcomes = block.outcomes
        result, plays = outcomes[:, :, core.RESULT], outcomes[:, :, core.OWN_PLAYS] != 0
        own, other = outcomes[:, :, core.OWN_SCORE], outcomes[:, :, core.OTHER_SCORE]
        named = {
            "wins": own < 0,
            "difference": other.astype(np.float64) - own,
            "makes": plays & (result == MADE),
            "plays": plays,
            "tie": result == TIE,
            "passed_out": result == PASSED_OUT,
            "total": outcomes[:, :, core.OWN_POINTS],
            "capot": outcomes[:, :, core.OWN_TRICKS] == TRICKS,
        }
        values = np.stack([named[name].astype(np.float64) for name in self.quantities])
        self.sums.add(block.deals, np.ones(outcomes.shape[1]), values)
        drawn = np.where(result == PASSED_OUT, NOT_PLAYED, DRAWN)
        ending = np.where(own < 0, WON, np.where(other < 0, LOST, drawn))
        place = ending * self.point_counts.shape[2] + other.astype(np.int64) - own + self.max_points
        for counts, places in zip(self.point_counts, place, strict=True):
            counts += np.bincount(places, minlength=counts.size).reshape(counts.shape)

    def estimate_points_share(
        self, option: int, points: int, confidence: float = DEFAULT_CONFIDENCE
    ) -> Estimate:
        """The chance that the round is worth so many points to the own side."""
        count = float(self.point_counts[option, :, points + self.max_points].sum())
        return self.sums.share(count, count, confidence, self.sequential)

    def tables(self, confidence: float = DEFAULT_CONFIDENCE) -> list[Table]:
        """The calls, the best first, and how often those before would have passed."""
        tables = [make_call_table(self, QUANTITY_LABELS, WORTH_NOTE, confidence)]
        if self.situation.place > 0 and not self.ignore_calls:
            agreed = self.estimate_bidding_probability(confidence)
            line: TableRow = ((self.situation.place,), "would all pass", "share", agreed)
            tables.append(
                make_table("heard", "Those before you", ("players",), [line], "", counted=False)
            )
        return tables


@dataclass
class KwajongenCallSampler:
    """Draws deals for a player and plays them on; attributes as of `KwajongenCallOdds`."""

    situation: KwajongenBiddingSituation
    players: Sequence[Player]
    seed: int
    ignore_calls: bool

    def __post_init__(self) -> None:
        situation = self.situation
        self._rules = encode_rules(situation.rules)
        self._table = encode_seating(situation.rules, self.players, None)
        self._known = np.zeros(core.OBSERVER_SIZE, dtype=np.int64)
        self._known[core.OBSERVER_PLACE] = situation.place
        self._known[core.OBSERVER_HAND] = encode_cards(situation.hand, "kwajongen")
        self._known[core.OBSERVED_UPCARD] = encode_cards([situation.turned], "kwajongen")
        self._known[core.OBSERVED_RAISED] = int(situation.raised)

    def block(self, first: int) -> KwajongenCallPlayouts:
        """The deals from `first` on, a block of them."""
        state, keys = allocate_block(), np.zeros(LANES, dtype=np.int64)
        hands = np.zeros(SEATS * LANES, dtype=np.int64)
        heard = 0 if self.ignore_calls else 1
        rules, table, known = self._rules, self._table, self._known
        live = core.sample_deals(state, first, self.seed, rules, table, known, heard, hands, keys)
        outcomes = np.zeros((core.OPTION_COUNT, max(live, 0), core.OUTCOME_SIZE), dtype=np.int16)
        right = live == 0 or (
            live > 0
            and core.play_out_calls(state, live, rules, table, known, hands, keys, outcomes)
        )
        if not right:
            raise PolicyError(
                f"a policy chose what is not allowed in the deals from {first} of seed {self.seed}"
            )
        return KwajongenCallPlayouts(LANES, outcomes)

    def blocks(
        self, threads: int, first: int, count: int, search: Search
    ) -> Generator[KwajongenCallPlayouts]:
        """Blocks of deals from a number on, `count` of them; `search` counts those that agree.

        Raises:
            NeverSaid: those before never pass, or the search reached a limit.
            PolicyError: a policy chose what is not allowed.
        """

        def play(first: int, count: int) -> KwajongenCallPlayouts:
            return self.block(first)

        live = skipped = 0
        try:
            end = first + count * LANES
            with closing(map_in_threads([play] * threads, first, end, LANES, search)) as source:
                for number, block in enumerate(source, start=1):
                    agreeing = block.outcomes.shape[1]
                    live += agreeing
                    if live == 0 and number == min(_MAX_EMPTY_BLOCKS, count):
                        raise ImpossibleBiddingError(self._explain_impossible_bidding())
                    if live > 0:
                        yield block._replace(deals=block.deals + skipped)
                    skipped = 0 if live > 0 else skipped + block.deals
                    counts = [(block.deals, agreeing)] * len(search.counts)
                    search.finish(np.array(counts, dtype=np.int64).reshape(-1, 2), agreeing)
        except SearchEnded as ended:
            raise ImpossibleBiddingError(
                self._explain_impossible_bidding(), ended.by_time
            ) from None

    def _explain_impossible_bidding(self) -> str:
        names = " and ".join(dict.fromkeys(each.name for each in self.players))
        return (
            f"{names} would never pass {self.situation.place} times there; seat others with "
            "--players, such as standard, or give --ignore-calls"
        )


def estimate_kwajongen_calls(
    situation: KwajongenBiddingSituation,
    *,
    players: str | Sequence[str] | None = None,
    deals: int = DEFAULT_DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    ignore_calls: bool = False,
    confidence: float = DEFAULT_CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[KwajongenCallOdds], None] | None = None,
    searching: Callable[[int], None] | None = None,
) -> KwajongenCallOdds:
    """What playing and passing are worth in a situation.

    Args:
        situation: what the player knows.
        players: a specification of who calls and plays at every place, or one for each place; the
            default player unless given.
        deals, until, seconds, seed, ignore_calls, confidence, threads, progress, searching: as for
            `analysis.odds.calls.odds`; deals in which those before would not have passed are among
            them.

    Raises:
        OddsError: a number that cannot be.
        NeverSaid: the players before would never have passed.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    check_limits(deals, until, seconds, seed, threads)
    start = time.monotonic()
    seated = parse_players(players, situation.rules, DEFAULT_PLAYERS["kwajongen"])
    sampler = KwajongenCallSampler(situation, seated, seed, ignore_calls)
    threads = threads or count_processors()
    most = deals if until is None else MAX_DEALS
    ends = limits(most, until, seconds, start)
    found, look = (
        KwajongenCallOdds(situation, seated, seed, until is not None, ignore_calls)
        for _ in range(2)
    )
    blocks = math.ceil(most / LANES)
    heard = situation.place > 0 and not ignore_calls
    choosing, valuing = (Search(int(heard), seconds, searching) for _ in range(2))
    source = sampler.blocks(threads, FIRST_CHOOSING, blocks, choosing)
    rank_calls(found, look, source, ends, progress)
    source = sampler.blocks(threads, 0, blocks, valuing)
    run_estimation(found, source, start, until, seconds, confidence, progress)
    return found
