"""Worlds weighed by what the others have called and played.

A world says what each player held at each of his turns.  The round is gone through once more, as
all have seen it, and at every turn of another player each world's share is multiplied with how
likely the card was chosen from the hand that he has there (`policies.likely`).  Then worlds are
drawn again by their shares, in even steps along their sum, which leaves the likely ones, some of
them several times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.asking import LEAD
from kqj_sim.core.bits import natural, popcount
from kqj_sim.core.branches import branch
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.memory import stack_float32, stack_int64
from kqj_sim.core.resume import VALUES
from kqj_sim.core.rules import Rules, Table
from kqj_sim.core.state import (
    AT_TABLE,
    CARDS,
    CONTRACT,
    HAND,
    LEADER,
    PLAYED,
    PLAYERS,
    SEATS,
    STRIDE,
    TRICKS,
    VECTOR,
    WON,
    history,
    index,
)
from kqj_sim.core.trick import after_trick
from kqj_sim.core.turn import legal_in, put_follow, put_lead
from kqj_sim.core.valuing import call_values
from kqj_sim.policies.likely import chance_of, chance_of_calls


class Model(NamedTuple):
    """How others are taken to play: whose values they go by, and how closely."""

    table: Table
    patience: float
    rules: Rules


@scalar
def _rewind(state: Any, i: int, block: Any) -> None:
    """Make lane 0 of another block a lane at its first lead, but for the hands."""
    sources = stack_int64(VECTOR)
    sources[0] = i
    branch(state, block, sources, 1)
    block[AT_TABLE] = state[PLAYERS + i]
    block[LEADER] = 0
    block[PLAYED] = 0
    block[WON] = 0
    block[WON + STRIDE] = 0


@scalar
def _card_of(state: Any, i: int, trick: int, number: int, position: int) -> int:
    """The card of a position in a trick, the trick on the table being `trick`."""
    row = history(number, 1 + position) if number < trick else CARDS + position * STRIDE
    return int(state[index(row, i)])


@scalar
def _chance_of_card(
    block: Any, trick: int, position: int, hand: int, card: int, model: Model
) -> float:
    """The chance that a position of lane 0 plays a card from a hand."""
    block[index(HAND + position * STRIDE, 0)] = hand
    teams = model.rules.teams
    legal = legal_in(block, 0, trick, position, teams)
    choices = popcount(legal)
    if choices == 1:
        return 1.0
    values = stack_float32(TRICKS)
    weights = model.table.resources[LEAD * SEATS]
    call_values(model.table.resume[VALUES], (block, 0, trick, position, teams, weights, values))
    return chance_of(values, choices, popcount(legal & (card - 1)), model.patience)


@scalar
def _played(state: Any, i: int, trick: int, position: int, played: Any) -> None:
    """Write the cards that each place has played up to the turn of a position."""
    for place in range(SEATS):
        played[place] = 0
    for number in range(trick + 1):
        leader = state[index(history(number, 0), i)] if number < trick else state[LEADER + i]
        for turn in range(SEATS if number < trick else position):
            played[(leader + turn) % SEATS] |= _card_of(state, i, trick, number, turn)


@stage
def add_calls(
    state: Any, i: int, trick: int, position: int, key: int, model: Model, worlds: Any, count: int,
    shares: Any,
) -> None:  # fmt: skip
    """Multiply the shares of worlds with how likely the others called as they did.

    Args:
        state, i, trick, position: the lane, and whose turn it is; his own choices tell nothing.
        key: key of the draws.
        model: how the others choose.
        worlds: hands by place, a world after another (`core.worlds`).
        count: how many worlds.
        shares: float64, a number a world.
    """
    own = (state[LEADER + i] + position) % SEATS
    contract = state[CONTRACT + i]
    played = stack_int64(SEATS)
    _played(state, i, trick, position, played)
    for world in range(count):
        of_world = rng.deal_key(key, world)
        for place in range(SEATS):
            if place != own:
                hand = natural(worlds[world * SEATS + place] | played[place], contract)
                chance = chance_of_calls(state, i, place, hand, model.rules, of_world)
                shares[world] *= chance


@stage
def add_cards(
    state: Any, i: int, trick: int, position: int, model: Model, block: Any, worlds: Any,
    count: int, shares: Any,
) -> None:  # fmt: skip
    """Multiply the shares of worlds with how likely the others played as they did.

    Arguments as of `add_calls`; the lanes of `block` are overwritten.
    """
    own = (state[LEADER + i] + position) % SEATS
    played = stack_int64(SEATS)
    _played(state, i, trick, position, played)
    _rewind(state, i, block)
    for number in range(trick + 1):
        for turn in range(SEATS if number < trick else position):
            place = (block[LEADER] + turn) % SEATS
            card = _card_of(state, i, trick, number, turn)
            for world in range(count if place != own else 0):
                hand = worlds[world * SEATS + place] | played[place]
                shares[world] *= _chance_of_card(block, number, turn, hand, card, model)
            played[place] ^= card
            if turn == 0:
                put_lead(block, 0, card)
            else:
                put_follow(block, 0, turn, card)
        if number < trick:
            after_trick(block, 1)


@scalar
def draw_again(shares: Any, count: int, wanted: int, fraction: float) -> None:
    """Draw worlds again by their shares, which become how often each is drawn.

    Marks stand along the sum of the shares, as many as wanted, in even steps from `fraction` of one
    on: each world gets those within its share (systematic resampling; Kitagawa 1996).  If there are
    no more worlds than wanted, their shares are only scaled, to a sum of their number.
    """
    total = 0.0
    for world in range(count):
        total += shares[world]
    passed = 0.0
    marks = 0
    for world in range(count):
        if count <= wanted:
            shares[world] *= count / total
        else:
            passed += shares[world]
            reached = int(np.ceil(passed / total * wanted - fraction))
            shares[world] = reached - marks
            marks = reached


@stage
def weigh_worlds(
    state: Any, i: int, trick: int, position: int, key: int, model: Model, block: Any, worlds: Any,
    count: int, wanted: int, shares: Any,
) -> None:  # fmt: skip
    """Write how much each of some worlds counts, so that about `wanted` of them are left.

    The root of the chance counts: players err alike where they err, so that what they have played
    tells less than so many choices of their own would.

    Arguments as of `add_calls`, `add_cards` and `draw_again`.
    """
    for world in range(count):
        shares[world] = 1.0
    add_calls(state, i, trick, position, key, model, worlds, count, shares)
    add_cards(state, i, trick, position, model, block, worlds, count, shares)
    for world in range(count):
        shares[world] = np.sqrt(shares[world])
    draw_again(shares, count, wanted, rng.fraction(rng.draw(key, rng.CARD)))
