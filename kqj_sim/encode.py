"""Rules and policies as the numbers that the kernels take: the one place that speaks both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import RANKS, SUITS, columns_of
from kqj_sim.core import round
from kqj_sim.core.asking import (
    ACCEPT,
    ASKING,
    BID,
    COUNTER,
    FOLLOW,
    LEAD,
    MEMBERS,
    OVERCOUNTER,
    TAKE,
)
from kqj_sim.core.bits import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.compile import address_of, pointer
from kqj_sim.core.kwajongen import round as kwajongen_round
from kqj_sim.core.kwajongen.rules import Rules as CoreKwajongenRules
from kqj_sim.core.nested import RESUME, nest
from kqj_sim.core.resume import CALL_ON, PLAY_ON, RESUMING, VALUES, bid_on, play_on, take_on
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Table
from kqj_sim.core.state import SEATS
from kqj_sim.core.valuing import VALUING
from kqj_sim.notation import Card
from kqj_sim.policies import weights
from kqj_sim.policies.chosen import Chosen
from kqj_sim.policies.compiled import QUESTION, bind, bind_values, parameter_offset
from kqj_sim.policies.parameters import NO_POLICY
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.specification import Player, player
from kqj_sim.rules import GameRules, KqjRules

ALL_NO_TRUMP = ("second_lap", "both_laps", "never")
CONTRACTS = ("s", "h", "d", "c", "NT", "AT")
_TRUMP_ORDER = ("4", "5", "6", "J", "Q", "K", "H", "T", "A", "7", "8", "9")
_KWAJONGEN_RANKS = ("9", "T", "J", "Q", "K", "A")
_ORDERS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "kqj": (RANKS, _TRUMP_ORDER),
    "kwajongen": (_KWAJONGEN_RANKS, _KWAJONGEN_RANKS),
}
"""The ranks by bit of a lane in natural and in trump order."""


def bits_of(cards: int) -> Iterator[int]:
    """The bits of a set, lowest first."""
    while cards:
        yield (cards & -cards).bit_length() - 1
        cards &= cards - 1


def card_texts(cards: int, contract: int | None = None, game: str = "kqj") -> list[str]:
    """The texts of a set in natural coding, or in that by strength for a contract (0 to 5)."""
    orders = _ORDERS[game]
    return [_card_text(bit >> 4, bit & 15, contract, *orders) for bit in bits_of(cards)]


def card_bits(cards: Iterable[Card], game: str = "kqj") -> int:
    """Cards as a set in natural coding."""
    ranks, _ = _ORDERS[game]
    return sum(1 << 16 * SUITS.index(suit) + ranks.index(rank) for rank, suit in cards)


def _card_text(
    lane: int, rank: int, contract: int | None, plain: Sequence[str], trump: Sequence[str]
) -> str:
    """The text of the card of a lane (`core.bits.by_strength`)."""
    if contract is None:
        return plain[rank] + SUITS[lane]
    if contract >= NO_TRUMP:
        return (trump if contract == ALL_TRUMPS else plain)[rank] + SUITS[lane]
    return (trump if lane == 3 else plain)[rank] + SUITS[(lane + contract + 1) % 4]


def core_rules(rules: GameRules) -> Any:
    """The rules in integers: the `Rules` of `core.rules`, or of `core.kwajongen.rules`."""
    if not isinstance(rules, KqjRules):
        return CoreKwajongenRules(teams=2, must_trump=int(rules.void_rule == "must_trump"))
    return Rules(
        teams=rules.teams,
        random_partners=int(rules.partners == "random"),
        auction=int(rules.bidding == "auction"),
        all_no_trump=ALL_NO_TRUMP.index(rules.all_no_trump),
        minimum_bid=rules.minimum_bid,
        max_amount=rules.max_amount,
        counter_any_time=int(rules.counter_timing == "any"),
        amount_rounded=int(rules.amount_uses == "rounded"),
        must_outscore=int(rules.must_outscore),
    )


@dataclass(frozen=True)
class Imposed:
    """A Sender and a contract that are given, with nobody calling.

    Attributes:
        place: the Sender's place, 0 the opener to 5 the dealer.
        contract: `s h d c NT AT`.
        amount: the amount, with auctions.
    """

    place: int
    contract: str
    amount: int | None = None


@dataclass(frozen=True)
class FirstCall:
    """The opener's first call in a game without auctions, given whatever he holds.

    Attributes:
        takes: he takes with the Return's suit; else he passes, and the players go on calling.
    """

    takes: bool


def core_table(
    rules: GameRules,
    players: Sequence[Player],
    imposed: Imposed | FirstCall | None,
    nested: bool = False,
) -> Table:
    """The seats' policies and the stages of a round as addresses and numbers.

    Only what the bidding needs is compiled.  With `nested` it is a table of players who play hands
    out for another policy, and goes on from the middle of a round.

    Raises:
        kqj_sim.policies.PolicyError: a policy's function does not compile.
    """
    distinct = list(dict.fromkeys(players))
    members, kernels = _asked(rules, imposed)
    functions = np.zeros(MEMBERS * SEATS, dtype=np.int64)
    parameters = np.zeros(MEMBERS * SEATS * MAX_PARAMETERS)
    resources = np.zeros(MEMBERS * SEATS, dtype=np.int64)
    remembers = False
    for member in members:
        for number, each in enumerate(distinct):
            chosen = each.answering(QUESTION[member])
            resource = _resource(rules, chosen, QUESTION[member])
            bound = _bound(member, chosen.policy, len(distinct) == 1, len(resource), rules.game)
            functions[member * SEATS + number] = bound.address
            resources[member * SEATS + number] = resource.ctypes.data
            remembers |= "card" in chosen.policy.blocks
            start = parameter_offset(member, number)
            parameters[start : start + len(chosen.parameters)] = chosen.parameters
    seats = sum(distinct.index(each) << 4 * seat for seat, each in enumerate(players))
    stages = np.zeros(3, dtype=np.int64)
    resume = np.zeros(RESUME, dtype=np.int64)
    memory = int(remembers)
    table = Table(
        functions,
        parameters,
        resources,
        len(distinct),
        seats,
        stages,
        resume,
        -1,
        -1,
        0,
        memory,
        np.arange(len(columns_of(rules.game))),
    )
    if isinstance(imposed, Imposed):
        table = table._replace(
            imposed_place=imposed.place,
            imposed_contract=CONTRACTS.index(imposed.contract),
            imposed_amount=imposed.amount or 0,
        )
    signature = round.stage_signature(core_rules(rules), table)
    for number, stage in enumerate(kernels):
        stages[number] = address_of(stage, signature)
    if nested and isinstance(rules, KqjRules):
        calling_on = bid_on if rules.bidding == "auction" else take_on
        resume[CALL_ON] = address_of(calling_on, RESUMING)
        resume[PLAY_ON] = address_of(play_on, RESUMING)
        valuing = _valuing(rules, distinct[0].answering("card").policy)
        resume[VALUES] = 0 if valuing is None else address_of(valuing, VALUING)
    return table


def _asked(
    rules: GameRules, imposed: Imposed | FirstCall | None
) -> tuple[list[int], tuple[Any, Any, Any]]:
    """The members that a round asks, and its stages."""
    if not isinstance(rules, KqjRules):
        stages = kwajongen_round.begin, kwajongen_round.accept, kwajongen_round.finish
        return [LEAD, FOLLOW, ACCEPT], stages
    members = [LEAD, FOLLOW]
    calling = round.impose
    if isinstance(imposed, FirstCall):
        calling = round.opener_takes if imposed.takes else round.opener_passes
        members += [TAKE]
    elif imposed is None:
        calling = round.bid if rules.bidding == "auction" else round.take
        members += [BID, COUNTER, OVERCOUNTER] if rules.bidding == "auction" else [TAKE]
    return members, (round.begin, calling, round.finish)


@cache
def _resource(rules: GameRules, chosen: Chosen, question: str) -> NDArray[Any]:
    """What a policy's function finds by its address; kept for ever, as addresses to it are."""
    if not isinstance(rules, KqjRules):
        return np.empty(0)
    if question in chosen.policy.blocks:
        return nest(core_rules(rules), [_nested_table(rules, name) for name in chosen.others])
    if chosen.policy.weights is not None:
        return weights.load(chosen.policy.weights, rules.teams, rules.bidding)
    return np.empty(0)


@cache
def _nested_table(rules: KqjRules, specification: str) -> Table | None:
    """A table with one player at all seats, who plays hands out, or values cards."""
    if specification == NO_POLICY:
        return None
    return core_table(rules, [player(specification)] * SEATS, None, nested=True)


@cache
def _valuing(rules: KqjRules, found: Policy) -> Any:
    """How a policy values cards, compiled and kept; None if it does not."""
    if found.valuing is None or found.weights is None:
        return None
    size = len(weights.load(found.weights, rules.teams, rules.bidding))
    return bind_values(found.valuing, size, found.name)


@cache
def _bound(member: int, found: Policy, everybody: bool, weights_size: int, game: str) -> Any:
    """A loop with a policy compiled into it; a user's policy is checked and not kept on disk."""
    question = QUESTION[member]
    if question in found.blocks:
        return pointer(ASKING, found.blocks[question], cache=True)
    choice, arguments = found.compiled(question)
    return bind(
        member,
        choice,
        found.tuple_type,
        arguments,
        weights_size,
        found.name if found.built_in else None,
        everybody=everybody,
        checked=not found.built_in,
        game=game,
    )
