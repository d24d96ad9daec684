"""How a round so far stands, as the kernels take it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kqj_sim.analysis.heard import Situation
from kqj_sim.analysis.round_so_far import RoundSoFar
from kqj_sim.analysis.sampled import rarest_first
from kqj_sim.analysis.standing import Asked, answered
from kqj_sim.core import state as core_state
from kqj_sim.core.bits import PACK
from kqj_sim.core.outlook import Turn, list_worlds, stand
from kqj_sim.core.rules import Table
from kqj_sim.core.state import ABOUT, DEALT, STRIDE, new_state
from kqj_sim.core.worlds import KNOWN
from kqj_sim.encode import CONTRACTS, bits_of, card_texts, core_table
from kqj_sim.notation import Card
from kqj_sim.policies.specification import Player
from kqj_sim.rules import SEATS, KqjRules


@cache
def _bit_of(contract: int | None) -> dict[str, int]:
    """Each card's bit, in natural coding or by strength for a contract."""
    return {card_texts(1 << bit, contract)[0]: 1 << bit for bit in bits_of(PACK)}


def cards_as_bits(cards: Iterable[Card], contract: int | None = None) -> int:
    """Cards as a set of bits, in natural coding or by strength for a contract (0 to 5)."""
    return sum(_bit_of(contract)[str(card)] for card in cards)


def seated(rules: KqjRules, players: Sequence[Player]) -> Table:
    """The table at which players call and play on; they sit by seat."""
    return core_table(rules, players, None, nested=True)


def standing(so_far: RoundSoFar, table: Table, ignore_calls: bool = False) -> Turn:
    """A round so far; without a list of hidden hands.

    Args:
        so_far: the round.
        table: who plays on.
        ignore_calls: leave out what was said.
    """
    called, opener = so_far.called, so_far.opener
    contract = CONTRACTS.index(called.contract)
    sender, own = so_far.place_of(called.sender), so_far.place_of(so_far.seat)
    state = new_state()
    for row, value in (
        ("DEALER", so_far.dealer), ("PENDING", so_far.pending), ("SENDER", sender),
        ("CONTRACT", contract), ("LAP", 1), ("AMOUNT", called.amount or 0),
        ("CAPOT", int(called.capot)), ("STAKE", called.stake),
        ("TURNED", 0 if so_far.turned is None else cards_as_bits([so_far.turned])),
    ):  # fmt: skip
        state[getattr(core_state, row)] = value
    shown = np.zeros(SEATS, dtype=np.int64)
    for place in range(SEATS):
        seat = (opener + place) % SEATS
        policy = (table.seats >> 4 * seat) & 7
        about = so_far.teams[seat] | policy << 2
        state[core_state.PLAYERS] |= about << ABOUT * place
        cards = set(so_far.played_by(seat))
        cards |= so_far.hand if place == own else set()
        shown[place] = cards_as_bits(cards)
        state[DEALT + place * STRIDE] = shown[place]
    known = np.zeros(KNOWN, dtype=np.int64)
    plays = [cards_as_bits([card], contract) for card in so_far.plays]
    stand(state, np.array(plays, dtype=np.int64), table._replace(memory=1), known)
    numbers = [] if ignore_calls else [each.numbers() for each in asked(so_far)]
    heard = np.array(numbers, dtype=np.int64).reshape(-1)
    trick, position = divmod(len(so_far.plays), SEATS)
    cards_now = [cards_as_bits([card], contract) for card in so_far.legal]
    return Turn(
        state, trick, position, known, shown, heard, np.zeros(0, dtype=np.int64),
        np.array(cards_now, dtype=np.int64),
    )  # fmt: skip


def asked(so_far: RoundSoFar) -> list[Asked]:
    """What the others answered when the calls were made, in the order in which hands are drawn."""
    if so_far.calls is None:
        return []
    seats = [(so_far.opener + place) % SEATS for place in range(SEATS)]
    situation = Situation(
        so_far.rules, (), so_far.turned, so_far.place_of(so_far.seat),
        tuple(so_far.teams[seat] for seat in seats),
        tuple(replace(call, seat=so_far.place_of(call.seat)) for call in so_far.calls), "bid",
    )  # fmt: skip
    others, _ = answered(situation)
    return rarest_first(others)


def with_all_worlds(turn: Turn, limit: int) -> Turn:
    """The turn with a list of all hidden hands, if they are no more than `limit`."""
    worlds = np.empty(SEATS * limit, dtype=np.int64)
    found = list_worlds(turn.known.copy(), limit, worlds)
    return turn if found < 0 else turn._replace(worlds=worlds[: SEATS * found].copy())


def hidden_hands(turn: Turn) -> NDArray[np.int64]:
    """The listed hidden hands, (n, 6) by place, natural coding."""
    worlds: NDArray[np.int64] = turn.worlds.reshape(-1, SEATS)
    return worlds
