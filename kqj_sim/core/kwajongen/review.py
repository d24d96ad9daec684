"""Recorded rounds of Kwajongen: the choice of a policy at a turn."""

from __future__ import annotations

from kqj_sim.core.block import (
    CALL,
    LANES,
    STILL_CALLING,
    STRIDE,
    TRICK_CARDS,
    allocate_inner_block,
    cell_index,
    pad_lanes,
)
from kqj_sim.core.dispatch import ACCEPT, FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel
from kqj_sim.core.kwajongen.cards import SEATS, KwajongenCoreRules
from kqj_sim.core.kwajongen.odds import (
    OBSERVER_PLACE,
    KwajongenCardTurn,
    fill_deals,
    has_illegal_choice,
    replay_plays,
)
from kqj_sim.core.rules import Seating
from kqj_sim.core.types import Int64Array


@kernel
def choose_cards(
    turn: KwajongenCardTurn, hands: Int64Array, keys: Int64Array, rules: KwajongenCoreRules,
    seating: Seating, cards: Int64Array,
) -> bool:  # fmt: skip
    """Ask the player to move for a card, once for each key.

    Args:
        turn: the turn to play.
        hands: int64 (4 * n,), the dealt hands by place, natural coding, for each key.
        keys: int64 (n,), n at most LANES.
        rules, seating: the rules, and the players by place.
        cards: int64 (n,), filled with the cards, by strength.

    Returns:
        False if the policy made an illegal choice.
    """
    state, count = allocate_inner_block(), min(keys.shape[0], LANES)
    trick, position = turn.plays.shape[0] // SEATS, turn.plays.shape[0] % SEATS
    replay_plays(state, count, turn, rules, seating, hands, keys)
    loop = LEAD if position == 0 else FOLLOW
    ask(seating, loop, state, count, trick, position, rules.teams, 0)
    for lane in range(count):
        cards[lane] = state[cell_index(TRICK_CARDS + position * STRIDE, lane)]
    return not has_illegal_choice(state, count)


@kernel
def choose_calls(
    observer: Int64Array, hands: Int64Array, keys: Int64Array, rules: KwajongenCoreRules,
    seating: Seating, answers: Int64Array,
) -> bool:  # fmt: skip
    """Ask a player whether they play, once for each key.

    Args:
        observer: int64 (`core.kwajongen.odds.OBSERVER_SIZE`,), what the player knows.
        hands: int64 (4 * n,), hands by place, natural coding, for each key.
        keys: int64 (n,), n at most LANES.
        rules, seating: the rules, and the players by place.
        answers: int64 (n,), filled with 1 to play, else 0.

    Returns:
        False if the policy made an illegal choice.
    """
    state, count = allocate_inner_block(), min(keys.shape[0], LANES)
    fill_deals(state, count, seating, observer, hands, keys)
    for lane in range(pad_lanes(count)):
        state[STILL_CALLING + lane] = 1
    ask(seating, ACCEPT, state, count, observer[OBSERVER_PLACE], 0, rules.teams, rules.must_trump)
    for lane in range(count):
        answers[lane] = 1 if state[CALL + lane] == 1 else 0
    return not has_illegal_choice(state, count)
