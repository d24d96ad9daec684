"""`pimc`: perfect-information Monte Carlo: solve worlds that agree with all seen.

Worlds are sampled layouts of the hidden cards (`core.hidden_hands`) in which the others would have
called as they did by the count of `standard`.  In each of them the value of a card with best play
by all is known exactly (`kwajongen.solve`); it is averaged.

It calls by the count.  Calls from solved worlds are worse: there the first lead is an advantage, as
it is made with all cards known, and at the table it is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core import rng
from kqj_sim.core.block import (
    KEY,
    LEADER,
    LED,
    MASTER_SHIFT,
    PENDING,
    PLAYER_BITS,
    PLAYERS_BY_POSITION,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    WON_CARDS,
    cell_index,
    team_of,
)
from kqj_sim.core.cards import lowest_bit, popcount
from kqj_sim.core.dispatch import view_block
from kqj_sim.core.hidden_hands import KNOWLEDGE_SIZE, sample_layouts
from kqj_sim.core.jit import block_loop
from kqj_sim.core.knowledge import HOLDER_COUNT
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.core.trick import read_hand, read_master, read_trick, winning_cards
from kqj_sim.core.types import Block, CardSet, Flag, Lane, Place, Position
from kqj_sim.kwajongen.cards import (
    SEATS,
    TRICKS,
    TRUMP_SUIT,
    count_card_points,
    points_of_card,
    suit_mask_of,
)
from kqj_sim.kwajongen.engine import CARD, find_legal_cards, put_card, read_upcard
from kqj_sim.kwajongen.odds import find_dealer_position, infer_during_play
from kqj_sim.kwajongen.policies.standard import COUNT_PARAMETERS, accepts_by_count
from kqj_sim.kwajongen.solve import MAX_VALUE, MIN_VALUE, search
from kqj_sim.policies.binding import make_parameters_type, parameter_offset
from kqj_sim.policies.parameters import flag, whole
from kqj_sim.policies.particles import collect_played_cards
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import nth_card

pimc = policy(
    "pimc",
    "calls like standard; solves many possible deals to choose a card; slow",
    worlds=whole(40, "possible deals solved for each card", 1, 10_000),
    heard=flag(True, "use only deals in which the others would have called as they did"),
    drawn=whole(8, "with heard: deals drawn for each that is solved", 1, 1000),
)

_CountParameters = make_parameters_type(tuple(COUNT_PARAMETERS))
_COUNT_DEFAULTS = _CountParameters(*(float(each.default) for each in COUNT_PARAMETERS.values()))

_PARAMETERS_OFFSET = parameter_offset(CARD, 0)


@block_loop
def _keep_matching(
    worlds: Any, found: int, wanted: int, match_calls: bool, before: Any, upcard: CardSet,
    own_place: int, places: Any, sender: Place, raised: int,
) -> int:  # fmt: skip
    """Move worlds in which the others called as they did to the front; return how many to solve.

    If none matches, all are as good.

    Args:
        worlds: hands by player, six per world.
        found, wanted: worlds drawn, and the number to keep.
        match_calls: False keeps the first ones.
        before: by place the cards it has played.
        upcard: the dealer's card that was shown.
        own_place: the place of the player.
        places: for each place its player in a world.
        sender: the place of the caller.
        raised: 1 in a raised round.
    """
    if not match_calls:
        return min(found, wanted)
    kept = 0
    for world in range(found):
        agrees = True
        for place in range(sender + 1):
            if place != own_place and agrees:
                hand = worlds[cell_index(world * HOLDER_COUNT, places[place])] | before[place]
                agrees = accepts_by_count(hand, upcard, place, raised, _COUNT_DEFAULTS) == (
                    place == sender
                )
        if agrees:
            for player in range(HOLDER_COUNT):
                here, there = (
                    cell_index(kept * HOLDER_COUNT, player),
                    cell_index(world * HOLDER_COUNT, player),
                )
                worlds[here], worlds[there] = worlds[there], worlds[here]
            kept += 1
            if kept == wanted:
                break
    return kept if kept > 0 else min(found, wanted)


@pimc
def choose_accept(view: Any) -> bool:
    """Play by the count of `standard`."""
    return accepts_by_count(view.hand, view.turned, view.place, view.raised, _COUNT_DEFAULTS)


@block_loop
def _add_values(
    state: Block, lane: Lane, trick: int, position: Position, must_trump: Flag, hands: Any, at: int,
    legal: CardSet, values: Any,
) -> None:  # fmt: skip
    """Add the value of each legal card in a world, hands by position, to `values`."""
    team = team_of(state[PLAYERS_BY_POSITION + lane], position)
    own_row, other_row = (0, STRIDE) if team == 0 else (STRIDE, 0)
    won, lost = state[WON_CARDS + own_row + lane], state[WON_CARDS + other_row + lane]
    points, other_points = count_card_points(won), count_card_points(lost)
    other_tricks = popcount(lost) // SEATS
    mine = hands[at + position]
    following = hands[at + (position + 1) % SEATS]
    partner = hands[at + (position + 2) % SEATS]
    last = hands[at + (position + 3) % SEATS]
    left = count_card_points(mine | following | partner | last)
    none: Any = np.int64(0)
    led, master, since, on_table = none, none, none, none
    if position > 0:
        led, master = state[LED + lane], read_master(state, lane)
        on_table = read_trick(state, lane, position)
        since = position - state[MASTER_SHIFT + lane] // PLAYER_BITS
    others_play = state[SENDER_TEAM + lane] != team
    rule = (1 if others_play else 0) | state[PENDING + lane] << 1 | must_trump << 2
    which = 0
    while legal != 0:
        card = lowest_bit(legal)
        legal ^= card
        takes = position == 0 or card & winning_cards(led, TRUMP_SUIT, master) != 0
        worth = points_of_card(card)
        values[which] -= search(
            following,
            partner,
            last,
            mine ^ card,
            suit_mask_of(card) if position == 0 else led,
            card if takes else master,
            np.int64(1) if takes else since + 1,
            np.int64(position + 1),
            count_card_points(on_table) + worth,
            left - worth,
            other_points,
            points,
            other_tricks,
            np.int64(trick),
            rule,
            np.int64(MIN_VALUE),
            np.int64(MAX_VALUE),
        )
        which += 1


@pimc.block("card")
def choose_card(
    block_pointer: Any, lane: Lane, trick: int, position: Position, teams: int, must_trump: Flag,
    number: int, parameter_table: Any, resources: Any,
) -> None:  # fmt: skip
    """Choose a card in a lane (`core.dispatch.ASK_SIGNATURE`)."""
    state = view_block(block_pointer)
    legal = find_legal_cards(state, lane, position, must_trump)
    count, best = popcount(legal), 0
    if count > 1:
        at = _PARAMETERS_OFFSET + number * MAX_PARAMETERS
        wanted, heard = int(parameter_table[at]), parameter_table[at + 1] != 0.0
        drawn = wanted * int(parameter_table[at + 2]) if heard else wanted
        known = np.empty(KNOWLEDGE_SIZE, np.int64)
        worlds = np.empty(HOLDER_COUNT * drawn, np.int64)
        before, places = np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64)
        values = np.zeros(TRICKS, np.int64)
        leader = state[LEADER + lane]
        upcard, raised = read_upcard(state, lane), state[PENDING + lane]
        shown = infer_during_play(state, lane, trick, position, must_trump, known)
        key = rng.draw_for_card(state[KEY + lane], trick, position)
        found = sample_layouts(known, drawn, key, worlds)
        for world in range(found):
            worlds[world * HOLDER_COUNT + find_dealer_position(state, lane)] |= shown
            worlds[world * HOLDER_COUNT + position] = read_hand(state, lane, position)
        collect_played_cards(state, lane, trick, position, SEATS, before)
        for place in range(SEATS):
            places[place] = (place - leader) % SEATS
        own = (leader + position) % SEATS
        kept = _keep_matching(
            worlds, found, wanted, heard, before, upcard, own, places, state[SENDER + lane], raised
        )
        for world in range(kept):
            _add_values(
                state, lane, trick, position, must_trump, worlds, world * HOLDER_COUNT, legal,
                values,
            )  # fmt: skip
        for which in range(1, count):
            best = which if values[which] > values[best] else best
    put_card(state, lane, position, nth_card(legal, best))
