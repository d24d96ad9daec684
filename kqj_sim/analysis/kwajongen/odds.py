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

from kqj_sim.analysis.choosing import FIRST_CHOOSING, limits
from kqj_sim.analysis.heard import SituationError
from kqj_sim.analysis.intervals import CONFIDENCE, Estimate
from kqj_sim.analysis.odds import (
    DEALS,
    MOST_DEALS,
    check_numbers,
    gather,
    rank_calls,
    seat_players,
)
from kqj_sim.analysis.odds_answer import DRAWN, LOST, OUT, WON, Answer
from kqj_sim.analysis.odds_tables import calls_table
from kqj_sim.analysis.sampled import NeverSaid
from kqj_sim.analysis.search import Search, SearchEnded
from kqj_sim.analysis.table import Line, Table, make_table
from kqj_sim.analysis.weighted import WeightedSums
from kqj_sim.core.kwajongen import odds as core
from kqj_sim.core.kwajongen.scoring import MADE, PASSED_OUT, TIE
from kqj_sim.core.kwajongen.state import SEATS, TRICKS
from kqj_sim.core.state import LANES, new_state
from kqj_sim.crew import default_threads, in_threads
from kqj_sim.encode import card_bits, core_rules, core_table
from kqj_sim.messages import quote
from kqj_sim.notation import Card, NotationError, parse_card, parse_cards
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import DEFAULT_PLAYERS, Player
from kqj_sim.rules import KwajongenRules

DEALER = SEATS - 1
"""Seats are counted as places here: who sits at the dealer's left is 0."""

_PATIENCE = 64
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

NAMES = {
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

NOTE = (
    "Worth: by how much the other side's score changes less the own side's, so that more is "
    "better; a round that is passed out counts 0."
)


@dataclass(frozen=True)
class Situation:
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


def read_situation(
    hand: str,
    rules: KwajongenRules,
    *,
    turned: str | None,
    place: int | None = None,
    heard: str | None = None,
    raised: bool = False,
) -> Situation:
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
        if len(texts) > DEALER:
            raise SituationError(f"{len(texts)} calls heard: nobody is asked after four passes")
        if place not in (None, len(texts)):
            raise SituationError(
                f"place {place} does not go with the {len(texts)} calls heard: it is the turn of "
                f"place {len(texts)}"
            )
        place = len(texts)
    place = place or 0
    if place == DEALER and shown not in cards:
        raise SituationError(f"the shown card {shown} is the dealer's own: it is one of the hand")
    if place != DEALER and shown in cards:
        raise SituationError(f"the shown card {shown} is in the hand, but it is the dealer's")
    return Situation(rules, cards, shown, place, raised)


class Option(NamedTuple):
    """An answer."""

    text: str


OPTIONS = (Option("pass"), Option("play"))
"""By `core.kwajongen.odds.PASS` and `PLAY`."""


class Block(NamedTuple):
    """Deals of a block: how many were drawn, and what came of those that agree.

    `outcomes` is int16 (ANSWERS, n, OUTCOME).
    """

    deals: int
    outcomes: NDArray[np.int16]


@dataclass
class KwajongenOdds(Answer):
    """What playing and passing are worth.

    Attributes:
        situation: what the player knows.
        players: who calls and plays at each place.
        seed: seed of the deals.
        sequential: whether intervals hold at every moment.
        ignore_calls: as asked.
        ended, stopped, order, choosing_deals: as of `analysis.odds_answer.Answer`.
        sums: quantities by answer.
        worths: int64 (answers, 4, 9), deals by ending (`analysis.odds_answer.WON` to `OUT`) and by
            what the round is worth to the own side, from -4 to 4.
    """

    quantities = QUANTITIES
    options = OPTIONS
    calls = len(OPTIONS)

    situation: Situation
    players: tuple[Player, ...]
    seed: int
    sequential: bool
    ignore_calls: bool = False
    ended: str = "deals"
    stopped: str = ""
    order: tuple[int, ...] = ()
    choosing_deals: int = 0
    sums: WeightedSums = field(default_factory=WeightedSums)
    worths: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.worths = np.zeros((self.calls, 4, 2 * self.most_points + 1), dtype=np.int64)

    @property
    def looked_at(self) -> int:
        """The deals, if somebody spoke before and that counts."""
        return 0 if self.situation.place == 0 or self.ignore_calls else self.deals

    @property
    def agreeing(self) -> float:
        """Share of the deals in which those before would have passed."""
        return self.sums.weights / self.deals

    def add(self, block: Block) -> None:
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
        drawn = np.where(result == PASSED_OUT, OUT, DRAWN)
        ending = np.where(own < 0, WON, np.where(other < 0, LOST, drawn))
        place = ending * self.worths.shape[2] + other.astype(np.int64) - own + self.most_points
        for counts, places in zip(self.worths, place, strict=True):
            counts += np.bincount(places, minlength=counts.size).reshape(counts.shape)

    def worth_share(self, option: int, worth: int, confidence: float = CONFIDENCE) -> Estimate:
        """The chance that the round is worth so many points to the own side."""
        count = float(self.worths[option, :, worth + self.most_points].sum())
        return self.sums.share(count, count, confidence, self.sequential)

    def tables(self, confidence: float = CONFIDENCE) -> list[Table]:
        """The calls, the best first, and how often those before would have passed."""
        tables = [calls_table(self, NAMES, NOTE, confidence)]
        if self.situation.place > 0 and not self.ignore_calls:
            agreed = self.agreeing_estimate(confidence)
            line: Line = ((self.situation.place,), "would all pass", "share", agreed)
            tables.append(
                make_table("heard", "Those before you", ("players",), [line], "", counted=False)
            )
        return tables


@dataclass
class Sampler:
    """Draws deals for a player and plays them on; attributes as of `KwajongenOdds`."""

    situation: Situation
    players: Sequence[Player]
    seed: int
    ignore_calls: bool

    def __post_init__(self) -> None:
        situation = self.situation
        self._rules = core_rules(situation.rules)
        self._table = core_table(situation.rules, self.players, None)
        self._known = np.zeros(core.KNOWN, dtype=np.int64)
        self._known[core.PLACE] = situation.place
        self._known[core.HAND] = card_bits(situation.hand, "kwajongen")
        self._known[core.SHOWN] = card_bits([situation.turned], "kwajongen")
        self._known[core.RAISED] = int(situation.raised)

    def block(self, first: int) -> Block:
        """The deals from `first` on, a block of them."""
        state, keys = new_state(), np.zeros(LANES, dtype=np.int64)
        hands = np.zeros(SEATS * LANES, dtype=np.int64)
        heard = 0 if self.ignore_calls else 1
        rules, table, known = self._rules, self._table, self._known
        live = core.sample_deals(state, first, self.seed, rules, table, known, heard, hands, keys)
        outcomes = np.zeros((core.ANSWERS, max(live, 0), core.OUTCOME), dtype=np.int16)
        right = live == 0 or (
            live > 0 and core.play_answers(state, live, rules, table, known, hands, keys, outcomes)
        )
        if not right:
            raise PolicyError(
                f"a policy chose what is not allowed in the deals from {first} of seed {self.seed}"
            )
        return Block(LANES, outcomes)

    def blocks(self, threads: int, first: int, count: int, search: Search) -> Generator[Block]:
        """Blocks of deals from a number on, `count` of them; `search` counts those that agree.

        Raises:
            NeverSaid: those before never pass, or the search reached a limit.
            PolicyError: a policy chose what is not allowed.
        """

        def play(first: int, count: int) -> Block:
            return self.block(first)

        live = skipped = 0
        try:
            end = first + count * LANES
            with closing(in_threads([play] * threads, first, end, LANES, search)) as source:
                for number, block in enumerate(source, start=1):
                    agreeing = block.outcomes.shape[1]
                    live += agreeing
                    if live == 0 and number == min(_PATIENCE, count):
                        raise NeverSaid(self._never_said())
                    if live > 0:
                        yield block._replace(deals=block.deals + skipped)
                    skipped = 0 if live > 0 else skipped + block.deals
                    counts = [(block.deals, agreeing)] * len(search.counts)
                    search.finish(np.array(counts, dtype=np.int64).reshape(-1, 2), agreeing)
        except SearchEnded as ended:
            raise NeverSaid(self._never_said(), ended.by_time) from None

    def _never_said(self) -> str:
        names = " and ".join(dict.fromkeys(each.name for each in self.players))
        return (
            f"{names} would never pass {self.situation.place} times there; seat others with "
            "--players, such as standard, or give --ignore-calls"
        )


def odds_of(
    situation: Situation,
    *,
    players: str | Sequence[str] | None = None,
    deals: int = DEALS,
    until: float | None = None,
    seconds: float | None = None,
    seed: int = 1,
    ignore_calls: bool = False,
    confidence: float = CONFIDENCE,
    threads: int | None = None,
    progress: Callable[[KwajongenOdds], None] | None = None,
    searching: Callable[[int], None] | None = None,
) -> KwajongenOdds:
    """What playing and passing are worth in a situation.

    Args:
        situation: what the player knows.
        players: a specification of who calls and plays at every place, or one for each place; the
            default player unless given.
        deals, until, seconds, seed, ignore_calls, confidence, threads, progress, searching: as for
            `analysis.odds.odds`; deals in which those before would not have passed are among them.

    Raises:
        OddsError: a number that cannot be.
        NeverSaid: the players before would never have passed.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    check_numbers(deals, until, seconds, seed, threads)
    start = time.monotonic()
    seated = seat_players(players, situation.rules, DEFAULT_PLAYERS["kwajongen"])
    sampler = Sampler(situation, seated, seed, ignore_calls)
    threads = threads or default_threads()
    most = deals if until is None else MOST_DEALS
    ends = limits(most, until, seconds, start)
    found, look = (
        KwajongenOdds(situation, seated, seed, until is not None, ignore_calls) for _ in range(2)
    )
    blocks = math.ceil(most / LANES)
    heard = situation.place > 0 and not ignore_calls
    choosing, valuing = (Search(int(heard), seconds, searching) for _ in range(2))
    source = sampler.blocks(threads, FIRST_CHOOSING, blocks, choosing)
    rank_calls(found, look, source, ends, progress)
    source = sampler.blocks(threads, 0, blocks, valuing)
    gather(found, source, start, until, seconds, confidence, progress)
    return found
