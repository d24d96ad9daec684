"""Rounds with given Senders, contracts and amounts, deal by deal.

The cards depend on the calls through these three alone, so the value of a call is measured by
playing the same deal after each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CONTRACT,
    DEAL_NUMBER,
    DEALER,
    FIRST_FIVE,
    FURTHER_CARDS,
    ILLEGAL,
    KEY,
    LANES,
    PENDING,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    UPCARD,
    allocate_block,
    column_offset,
    pad_lanes,
    team_of,
)
from kqj_sim.core.deal import deal_further_cards
from kqj_sim.core.jit import kernel
from kqj_sim.core.round import BEGIN_STAGE, FINISH_STAGE, call_stage
from kqj_sim.core.scoring import MADE
from kqj_sim.core.types import Block, Int64Array, Rules, Seating
from kqj_sim.errors import InputError
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating

_TOTAL = column_offset("contracting_total")
_CAPOT = column_offset("capot_contracting")
_RESULT = column_offset("result")
_SCORE = column_offset("score_0")


class DealtHands(NamedTuple):
    """The cards dealt, in natural coding; places from the opener.

    Attributes:
        five: int64 (6, n), the first five cards of each place.
        upcards: int64 (n,), the Returns.
        eight: int64 (6, n), the hands of a round with auctions.
    """

    five: Int64Array
    upcards: Int64Array
    eight: Int64Array


class ContractOutcomes(NamedTuple):
    """The results of the contracts.

    Attributes:
        total: int64 (n,), total of the contracting team.
        score: int64 (teams, n), scores; team t is that of place t.
        capot: int64 (n,), 1 if the contracting team won all tricks.
        made: int64 (n,), 1 if the contract was made.
    """

    total: Int64Array
    score: Int64Array
    capot: Int64Array
    made: Int64Array


@kernel
def deal_cards(
    state: Block, deals: Any, first: int, lanes: int, seed: int, rules: Rules, seating: Seating
) -> None:
    """Deal the cards of `lanes` of the given deals, from number `first` on, to a block."""
    log = np.empty(0, np.int64)
    for i in range(pad_lanes(lanes)):
        deal = deals[first + min(i, lanes - 1)]
        state[DEAL_NUMBER + i] = deal
        state[DEALER + i] = deal % SEATS
        state[PENDING + i] = 0
        state[KEY + i] = rng.derive_deal_key(seed, deal)
        state[ILLEGAL + i] = 0
    call_stage(seating.stages[BEGIN_STAGE], (state, lanes, rules, seating, log))
    if not rules.auction:
        deal_further_cards(state, lanes)


@kernel
def _deal_hands(
    state: Block, deals: Any, seed: int, rules: Rules, seating: Seating, five: Any, upcards: Any,
    eight: Any,
) -> None:  # fmt: skip
    """Fill the arrays of `DealtHands`."""
    for first in range(0, deals.shape[0], LANES):
        lanes = min(LANES, deals.shape[0] - first)
        deal_cards(state, deals, first, lanes, seed, rules, seating)
        for i in range(lanes):
            upcards[first + i] = state[UPCARD + i]
            for place in range(SEATS):
                cards = state[FIRST_FIVE + place * STRIDE + i]
                five[place, first + i] = cards
                cards |= state[FURTHER_CARDS + place * STRIDE + i]
                eight[place, first + i] = cards | (state[UPCARD + i] if place == SEATS - 1 else 0)


@kernel
def _play_contracts(
    state: Block, deals: Any, places: Any, contracts: Any, amounts: Any, seed: int, rules: Rules,
    seating: Seating, total: Any, score: Any, capot: Any, made: Any,
) -> int:  # fmt: skip
    """Fill the arrays of `ContractOutcomes`.

    Returns:
        -1, or a deal in which a policy chose an illegal card.
    """
    log = np.empty(0, np.int64)
    for first in range(0, deals.shape[0], LANES):
        lanes = min(LANES, deals.shape[0] - first)
        deal_cards(state, deals, first, lanes, seed, rules, seating)
        for i in range(pad_lanes(lanes)):
            given = first + min(i, lanes - 1)
            state[SENDER + i] = places[given]
            state[CONTRACT + i] = contracts[given]
            state[AMOUNT + i] = amounts[given]
        call_stage(seating.stages[FINISH_STAGE], (state, lanes, rules, seating, log))
        for i in range(lanes):
            if state[ILLEGAL + i] != 0:
                return int(state[DEAL_NUMBER + i])
            total[first + i] = state[_TOTAL + i]
            capot[first + i] = state[_CAPOT + i]
            made[first + i] = 1 if state[_RESULT + i] == MADE else 0
            for team in range(rules.teams):
                number = team_of(state[PLAYERS + i], team)
                score[team, first + i] = state[_SCORE + number * STRIDE + i]
    return -1


@dataclass(frozen=True)
class ImposedRounds:
    """Rounds of a table at which one policy plays at all seats and the contracts are given.

    Attributes:
        rules: the rules, with fixed partners.
        policy: specification of the player; its calls do not matter.
        seed: seed of the deals.
    """

    rules: KqjRules
    policy: str
    seed: int

    @cached_property
    def _encoded(self) -> tuple[Rules, Seating]:
        """The rules and the seating, for the kernels."""
        amount = self.rules.minimum_bid if self.rules.bidding == "auction" else None
        imposed = ImposedContract(0, "s", amount)
        players = [parse_player(self.policy)] * SEATS
        return encode_rules(self.rules), encode_seating(self.rules, players, imposed)

    def hands(self, deals: Int64Array) -> DealtHands:
        """Return the hands of deals, int64 (n,)."""
        rules, seating = self._encoded
        n = len(deals)
        hands = DealtHands(*(np.zeros(s, dtype=np.int64) for s in ((SEATS, n), (n,), (SEATS, n))))
        _deal_hands(allocate_block(), deals, self.seed, rules, seating, *hands)
        return hands

    def play(
        self, deals: Int64Array, places: Int64Array, contracts: Int64Array, amounts: Int64Array
    ) -> ContractOutcomes:
        """Play deals with the given Senders, contracts (0 to 5) and amounts, each int64 (n,).

        Raises:
            InputError: a policy chose an illegal card.
        """
        rules, seating = self._encoded
        n = len(deals)
        shapes = ((n,), (self.rules.teams, n), (n,), (n,))
        outcomes = ContractOutcomes(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
        wrong = _play_contracts(
            allocate_block(),
            deals,
            places,
            contracts,
            amounts,
            self.seed,
            rules,
            seating,
            *outcomes,
        )
        if wrong >= 0:
            message = f"a policy chose a card that is not legal in deal {wrong} of seed {self.seed}"
            raise InputError(message)
        return outcomes
