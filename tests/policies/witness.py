"""Players whose every answer is asked for again, where nothing that they may know is different.

A witness sits in a table in place of the loops that ask the policies (`core.dispatch`), while
rounds are played.  Each question goes to the policy three times: as it stands; with the deals in
other lanes of another block; and with hidden cards exchanged.  Exchanged are cards that the player
asked cannot see: each hand keeps its number of cards, and what was played, the Return and what
follows from the plays (suits that are lacking, cards that would have had to be played) stay true,
as `core.hidden_hands.infer_knowledge` has it, which has a slow twin in its tests.
"""

from __future__ import annotations

import ctypes
import random
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import block as rows
from kqj_sim.core.block import ROW_COUNT, SEATS, STRIDE, allocate_block
from kqj_sim.core.cards import PACK
from kqj_sim.core.dispatch import BID, COUNTER, FOLLOW, LEAD, OVERCOUNTER, TAKE
from kqj_sim.core.hidden_hands import EXCLUDED, KNOWLEDGE_SIZE, infer_knowledge
from kqj_sim.core.round import play_block, start_deals
from kqj_sim.simulation.experiment import Experiment
from tests.core.coding import NATURAL, strength_of

Block = NDArray[np.int64]
"""int64 (ROW_COUNT, STRIDE): a block, a row a quantity."""

Answers = Callable[[Callable[[], None], int, Block, int, int, int], None]
"""Answers in place of a policy, which it may ask first: (ask it, member of the table, block, lanes,
and the two numbers that say who is asked)."""

CALLS = {TAKE: "take", BID: "bid", COUNTER: "counter", OVERCOUNTER: "overcounter"}
CARDS = {LEAD: "card", FOLLOW: "card"}
"""The members of a table, and the questions that each asks."""

SWAPS = 16
"""Exchanges of two cards that are tried at each question."""

_NUMBERS, _FLOATS = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
_LOOP = ctypes.CFUNCTYPE(None, _NUMBERS, *[ctypes.c_int64] * 6, _FLOATS, _NUMBERS)
"""The signature `core.dispatch.ASK_SIGNATURE`."""


def row(offset: int) -> int:
    """The number of a row, from its offset in the flat block."""
    return offset // STRIDE


def six(offset: int) -> list[int]:
    """The numbers of the six rows of places or positions."""
    return [row(offset) + k for k in range(SEATS)]


_SCRATCH = [row(rows.SCRATCH) + k for k in range(18)]
_DEALING = [*six(rows.FIRST_FIVE), *six(rows.FURTHER_CARDS), row(rows.REPLACEMENT_CARD)]

_STRENGTH = [
    {NATURAL[card].bit_length() - 1: bit.bit_length() - 1 for card, bit in strength_of(c).items()}
    for c in CONTRACTS
]
"""For each contract the bit by strength of each bit in natural coding."""


def _bits(cards: int) -> list[int]:
    return [bit for bit in range(64) if cards >> bit & 1]


def _swap(block: Block, numbers: list[int], lane: int, one: int, other: int) -> None:
    """Exchange two cards, given as bits, in some rows of a lane."""
    cards = block[numbers, lane]
    differs = (cards >> one ^ cards >> other) & 1
    block[numbers, lane] = cards ^ (differs << one | differs << other)


def _exchange_for_call(
    block: Block, lane: int, place: int, auction: bool, choice: random.Random
) -> None:
    """Exchange cards that a place cannot see while the players call."""
    own = block[row(rows.DEALT if auction else rows.FIRST_FIVE) + place, lane]
    seen = int(own) | (0 if auction else int(block[row(rows.UPCARD), lane]))
    hidden = _bits(PACK & ~seen)
    for _ in range(SWAPS):
        one, other = choice.sample(hidden, 2)
        _swap(block, [*_DEALING, row(rows.UPCARD), *six(rows.DEALT)], lane, one, other)


def _exchange_for_card(
    block: Block, lane: int, trick: int, position: int, choice: random.Random
) -> None:
    """Exchange cards of hands that the player at a position cannot see."""
    contract, leader = (int(block[row(each), lane]) for each in (rows.CONTRACT, rows.LEADER))
    auction = int(block[row(rows.AMOUNT), lane]) > 0
    knowledge = np.zeros(KNOWLEDGE_SIZE, dtype=np.int64)
    infer_knowledge(block.reshape(-1), lane, trick, position, knowledge)
    cannot = knowledge[EXCLUDED : EXCLUDED + SEATS].tolist()
    cards = sum(int(block[row(rows.TRICK_CARDS) + each, lane]) for each in range(position))
    turned = 0 if auction else int(block[row(rows.UPCARD), lane])
    known = cards | sum(1 << bit for n, bit in _STRENGTH[contract].items() if turned >> n & 1)
    holder: dict[int, int] = {}
    for at in range(SEATS):
        hand, place = int(block[row(rows.HAND) + at, lane]), (leader + at) % SEATS
        if at != position:
            assert not hand & ~cards & cannot[place], f"lane {lane} place {place}: not as played"
            holder |= {bit: place for bit in _bits(hand & ~known)}
    natural = {bit: n for n, bit in _STRENGTH[contract].items()}
    hidden = list(holder)
    for _ in range(SWAPS if len(hidden) > 1 else 0):
        one, other = choice.sample(hidden, 2)
        if (cannot[holder[one]] >> other | cannot[holder[other]] >> one) & 1:
            continue
        holder[one], holder[other] = holder[other], holder[one]
        _swap(block, [*six(rows.DEALT), *six(rows.HAND)], lane, one, other)
        dealing = [*_DEALING, row(rows.UPCARD)] if auction else _DEALING
        _swap(block, dealing, lane, natural[one], natural[other])


def _asked(block: Block, lanes: int, member: int) -> NDArray[np.int64]:
    """1 for the lanes in which a player is asked."""
    if member in CARDS:
        return np.ones(lanes, dtype=np.int64)
    return block[row(rows.STILL_CALLING if member in (TAKE, BID) else rows.MAY_COUNTER), :lanes]


def _new_block() -> Block:
    return allocate_block().reshape(ROW_COUNT, STRIDE)


class Witness:
    """An experiment's table with every answer asked for again.

    Attributes:
        failures: what was not the same, one line each.
        exchanged: for each question, how often it was asked again with other hidden cards.
    """

    def __init__(
        self, experiment: Experiment, members: Collection[int], answers: Answers | None = None
    ) -> None:
        """It looks at some members of the table; `answers` answers in place of the policies."""
        self.experiment = experiment
        self.failures: list[str] = []
        self.exchanged: Counter[str] = Counter()
        self.rules, table = experiment.compile_seating()
        functions = table.loop_addresses.copy()
        self._loops = []
        for at in range(len(functions)):
            if functions[at] != 0 and at // SEATS in members:
                loop = self._loop(at // SEATS, _LOOP(int(functions[at])), answers)
                functions[at] = ctypes.cast(loop, ctypes.c_void_p).value or 0
                self._loops.append(loop)
        self.table = table._replace(loop_addresses=functions, keeps_history=1)

    def play(self) -> None:
        first, deals, seed = self.experiment.first, self.experiment.deals, self.experiment.seed
        state = allocate_block()
        start_deals(state, first, deals)
        play_block(state, deals, seed, self.rules, self.table, np.empty(0, dtype=np.int64))

    def _loop(self, member: int, policy: Callable[..., None], answers: Answers | None) -> Any:
        """The loop that stands in place of a policy's."""

        def loop(pointer, lanes, first, second, *others):  # type: ignore[no-untyped-def]
            def ask(block: Block, lanes: int) -> None:
                def honest() -> None:
                    policy(block.ctypes.data_as(_NUMBERS), lanes, first, second, *others)

                if answers is None:
                    honest()
                else:
                    answers(honest, member, block, lanes, first, second)

            block = np.ctypeslib.as_array(pointer, (ROW_COUNT * STRIDE,)).reshape(ROW_COUNT, STRIDE)
            try:
                self._ask_again(member, ask, block, lanes, first, second)
            except Exception as error:  # None comes out of a loop that compiled code calls.
                self.failures.append(f"{type(error).__name__}: {error}")

        return _LOOP(loop)

    def _ask_again(
        self, member: int, ask: Callable[[Block, int], None], block: Block, lanes: int, first: int,
        second: int,
    ) -> None:  # fmt: skip
        question = {**CALLS, **CARDS}[member]
        asked = f"{question} {first} {second}"
        choice = random.Random(f"{self.experiment.seed} {asked}")
        before = block.copy()
        ask(block, lanes)

        order = [*choice.sample(range(lanes), lanes), *range(min(5, lanes))]
        moved = _new_block()
        moved[:, : len(order)] = before[:, order]
        ask(moved, len(order))
        self._compare(block[:, order], moved[:, : len(order)], f"{asked}, in another lane")

        exchanged = _new_block()
        exchanged[:] = before
        for lane in np.flatnonzero(_asked(before, lanes, member)).tolist():
            if member in CARDS:
                _exchange_for_card(exchanged, lane, first, second, choice)
            else:
                _exchange_for_call(exchanged, lane, first, member != TAKE, choice)
        other = exchanged != before
        self.exchanged[question] += int(other[:, :lanes].any(axis=0).sum())
        expected = np.where(other, exchanged, block)
        ask(exchanged, lanes)
        asked = f"{asked}, with hidden cards exchanged"
        self._compare(expected[:, :lanes], exchanged[:, :lanes], asked)

    def _compare(self, expected: Block, found: Block, asked: str) -> None:
        differs = expected != found
        differs[_SCRATCH] = False
        for lane in np.flatnonzero(differs.any(axis=0))[:1]:
            deal = int(expected[row(rows.DEAL_NUMBER), lane])
            numbers = np.flatnonzero(differs[:, lane]).tolist()
            self.failures.append(
                f"seed={self.experiment.seed} deal={deal} {asked}: rows {numbers} differ"
            )
