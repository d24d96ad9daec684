"""Hidden hands that agree with a round of Kwajongen so far, and what comes of each card in them.

The plays are replayed in every lane with the hands of a draw, and the round goes on from there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.compile import kernel, scalar, stage
from kqj_sim.core.kwajongen.bits import natural, suit_of
from kqj_sim.core.kwajongen.calls import accepting
from kqj_sim.core.kwajongen.knowledge import PLAYERS, know_cards
from kqj_sim.core.kwajongen.odds import PLACE, SHOWN, begin_deals, chose_wrongly, note
from kqj_sim.core.kwajongen.play import play_tricks, prepare_play, remember
from kqj_sim.core.kwajongen.rows import describe_play
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.scoring import score_rounds
from kqj_sim.core.kwajongen.state import SEATS
from kqj_sim.core.kwajongen.trick import after_trick, put_lead
from kqj_sim.core.rules import Table
from kqj_sim.core.state import LANES, LEADER, OPEN, SENDER, index, new_block, padded
from kqj_sim.core.turn import put_follow
from kqj_sim.core.worlds import KNOWN, all_worlds, sample_worlds


class Turn(NamedTuple):
    """How a round stands; players are counted by place.

    known: int64 (core.kwajongen.odds.KNOWN,).
    dealt: int64 (4,), the cards known to have been dealt to each place, natural coding: what he
        has played, the own hand, the card that the dealer has shown.
    caller: who said play.
    heard: 1 if the calls count, 0 if hidden hands may be any.
    plays: int64 (n,), the cards played, by strength.
    cards: int64 (m,), the cards that may be played now, by strength.
    """

    known: Any
    dealt: Any
    caller: int
    heard: int
    plays: Any
    cards: Any


@scalar
def _put(state: Any, i: int, position: int, card: int) -> None:
    """Put the card of a position on the table."""
    if position == 0:
        put_lead(state, i, card)
    else:
        put_follow(state, i, position, card)


@stage
def _replay(
    state: Any, lanes: int, turn: Turn, rules: Rules, table: Table, hands: Any, keys: Any
) -> None:
    """A block of the deals up to the turn."""
    begin_deals(state, lanes, table, turn.known, hands, keys)
    for i in range(padded(lanes)):
        state[SENDER + i] = turn.caller
        state[OPEN + i] = 0
    prepare_play(state, lanes, rules)
    for number in range(turn.plays.shape[0]):
        trick, position = number // SEATS, number % SEATS
        for i in range(padded(lanes)):
            _put(state, i, position, turn.plays[number])
        if position == SEATS - 1:
            remember(state, lanes, table, trick)
            after_trick(state, lanes)


@stage
def _know(state: Any, turn: Turn, rules: Rules, table: Table, known: Any) -> int:
    """Fill what is known of the hidden cards (`core.worlds`), by position; the leader's place."""
    _replay(state, 1, turn, rules, table, turn.dealt, np.zeros(1, np.int64))
    trick, position = turn.plays.shape[0] // SEATS, turn.plays.shape[0] % SEATS
    know_cards(state, 0, trick, position, known)
    return int(state[LEADER])


@scalar
def _write(turn: Turn, worlds: Any, world: int, leader: int, hands: Any, number: int) -> None:
    """Write the hands of a world by place, in natural coding, all four cards of each."""
    trump = suit_of(turn.known[SHOWN])
    for place in range(SEATS):
        held = natural(worlds[index(world * PLAYERS, (place - leader) % SEATS)], trump)
        hands[index(number * SEATS, place)] = held | turn.dealt[place]


@kernel
def list_hands(turn: Turn, limit: int, rules: Rules, table: Table, hands: Any) -> int:
    """Write every distribution that agrees with the plays, if there are no more than `limit`.

    Args:
        turn: how things stand.
        limit: the most that are written.
        rules, table: the rules and the players by place.
        hands: int64 (4 * limit,), filled with the dealt hands by place, natural coding.

    Returns:
        How many there are, or -1 if more than `limit`.
    """
    known, worlds = np.empty(KNOWN, np.int64), np.empty(PLAYERS * limit, np.int64)
    leader = _know(new_block(), turn, rules, table, known)
    found = all_worlds(known, limit, worlds)
    for world in range(found):
        _write(turn, worlds, world, leader, hands, world)
    return found


@kernel
def draw_hands(
    turn: Turn, first: int, seed: int, rules: Rules, table: Table, hands: Any, keys: Any
) -> bool:
    """Draw distributions that agree with the plays, each equally likely.

    Args:
        turn: how things stand.
        first, seed: the draws, `first` to `first + LANES - 1`.
        rules, table: the rules and the players by place.
        hands: int64 (4 * LANES,), filled with the dealt hands by place, natural coding.
        keys: int64 (LANES,), filled with the keys of the draws.

    Returns:
        False if no distribution agrees.
    """
    known, world = np.empty(KNOWN, np.int64), np.empty(PLAYERS, np.int64)
    leader = _know(new_block(), turn, rules, table, known)
    for lane in range(LANES):
        keys[lane] = rng.deal_key(seed, first + lane)
        if sample_worlds(known, 1, keys[lane], world) == 0:
            return False
        _write(turn, world, 0, leader, hands, lane)
    return True


@kernel
def name_keys(first: int, seed: int, keys: Any) -> None:
    """Fill `keys`, int64 (n,), with those of the draws from `first` on."""
    for lane in range(keys.shape[0]):
        keys[lane] = rng.deal_key(seed, first + lane)


@kernel
def would_call(
    state: Any, lanes: int, turn: Turn, rules: Rules, table: Table, hands: Any, keys: Any,
    agrees: Any,
) -> bool:  # fmt: skip
    """Find out in which deals the others would have called as they did.

    Args:
        state: a block.
        lanes: deals, no more than LANES.
        turn, rules, table: how things stand, the rules and the players by place.
        hands, keys: the deals, as of `draw_hands`.
        agrees: int64 (lanes,), filled with 1 or 0.

    Returns:
        False if a policy chose what is not allowed.
    """
    own, log = turn.known[PLACE], np.empty(0, np.int64)
    begin_deals(state, lanes, table, turn.known, hands, keys)
    accepting(state, lanes, rules, table, log, 0, min(own, turn.caller + 1))
    accepting(state, lanes, rules, table, log, own + 1, turn.caller + 1)
    heard = -1 if turn.caller == own else turn.caller
    for i in range(lanes):
        agrees[i] = 1 if state[SENDER + i] == heard else 0
    return not chose_wrongly(state, lanes)


@kernel
def play_cards(
    state: Any, lanes: int, turn: Turn, rules: Rules, table: Table, hands: Any, keys: Any,
    outcomes: Any,
) -> bool:  # fmt: skip
    """Play each card that may be played in each of the deals, and go on from there.

    Args:
        state: a block.
        lanes: deals, no more than LANES.
        turn, rules, table: how things stand, the rules and the players by place.
        hands, keys: the deals, as of `draw_hands`.
        outcomes: int16 (lanes, cards, OUTCOME), filled.

    Returns:
        False if a policy chose what is not allowed.
    """
    trick, position = turn.plays.shape[0] // SEATS, turn.plays.shape[0] % SEATS
    team = turn.known[PLACE] % 2
    for which in range(turn.cards.shape[0]):
        _replay(state, lanes, turn, rules, table, hands, keys)
        for i in range(padded(lanes)):
            _put(state, i, position, turn.cards[which])
        play_tricks(state, lanes, rules, table, trick, position + 1)
        score_rounds(state, lanes)
        describe_play(state, lanes)
        if chose_wrongly(state, lanes):
            return False
        for i in range(lanes):
            note(state, i, team, outcomes[i, which])
    return True
