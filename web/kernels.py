"""Kernels that only the page needs: Python asks the referee instead."""

from __future__ import annotations

from kqj_sim.core import block
from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import to_natural_order, to_strength_order
from kqj_sim.core.jit import kernel
from kqj_sim.core.trick import find_legal_cards
from kqj_sim.core.types import Block, CardSet


@kernel
def find_playable_cards(state: Block, position: int) -> CardSet:
    """Return the known cards that a position of lane 0 may play, natural coding."""
    return to_natural_order(find_legal_cards(state, 0, position), state[block.CONTRACT])


@kernel
def find_leader(state: Block) -> int:
    """Return the place that leads to the trick of lane 0."""
    return state[block.LEADER] % SEATS


@kernel
def order_by_strength(state: Block, cards: CardSet) -> CardSet:
    """Return cards by strength for the contract of lane 0."""
    return to_strength_order(cards, state[block.CONTRACT])
