"""Rules and policies as the numbers that the kernels take: the one place that speaks both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kqj_sim.core import round
from kqj_sim.core.asking import BID, COUNTER, FOLLOW, LEAD, MEMBERS, OVERCOUNTER, TAKE
from kqj_sim.core.compile import address_of
from kqj_sim.core.rules import MAX_PARAMETERS, Rules, Table
from kqj_sim.core.state import SEATS
from kqj_sim.policies.compiled import QUESTION, bind, parameter_offset
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.specification import Player
from kqj_sim.rules import KqjRules

ALL_NO_TRUMP = ("second_lap", "both_laps", "never")
CONTRACTS = ("s", "h", "d", "c", "NT", "AT")


def core_rules(rules: KqjRules) -> Rules:
    """The rules in integers."""
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


def core_table(rules: KqjRules, players: Sequence[Player], imposed: Imposed | None) -> Table:
    """The six seats' policies and the stages of a round as addresses and numbers.

    Only what the bidding needs is compiled.

    Raises:
        kqj_sim.policies.PolicyError: a policy's function does not compile.
    """
    distinct = list(dict.fromkeys(players))
    members = [LEAD, FOLLOW]
    calling = round.impose
    if imposed is None:
        calling = round.bid if rules.bidding == "auction" else round.take
        members += [BID, COUNTER, OVERCOUNTER] if rules.bidding == "auction" else [TAKE]
    functions = np.zeros(MEMBERS * SEATS, dtype=np.int64)
    parameters = np.zeros(MEMBERS * SEATS * MAX_PARAMETERS)
    for member in members:
        for number, each in enumerate(distinct):
            chosen = each.answering(QUESTION[member])
            bound = _bound(member, chosen.policy, len(distinct) == 1)
            functions[member * SEATS + number] = bound.address
            start = parameter_offset(member, number)
            parameters[start : start + len(chosen.parameters)] = chosen.parameters
    seats = sum(distinct.index(each) << 4 * seat for seat, each in enumerate(players))
    stages = np.zeros(3, dtype=np.int64)
    table = Table(functions, parameters, len(distinct), seats, stages, -1, -1, 0)
    if imposed is not None:
        table = table._replace(
            imposed_place=imposed.place,
            imposed_contract=CONTRACTS.index(imposed.contract),
            imposed_amount=imposed.amount or 0,
        )
    signature = round.stage_signature(core_rules(rules), table)
    for number, stage in enumerate((round.begin, calling, round.finish)):
        stages[number] = address_of(stage, signature)
    return table


@cache
def _bound(member: int, found: Policy, everybody: bool) -> Any:
    """A loop with a policy compiled into it; a user's policy is checked and not kept on disk."""
    choice, arguments = found.compiled(QUESTION[member])
    return bind(
        member,
        choice,
        found.tuple_type,
        arguments > 1,
        found.name if found.built_in else None,
        everybody=everybody,
        checked=not found.built_in,
    )
