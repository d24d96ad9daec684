"""`pimc`: perfect-information Monte Carlo, worlds that agree with all seen, each solved exactly.

Worlds are hands of the others, drawn by `core.worlds`, in which they would have said by the count
of `standard` what they said.  In each one what a card comes to if everybody then plays best is
known exactly (`core.kwajongen.solve`); that is averaged.

It calls by the count.  Calls from solved worlds are worse: there the first lead is an advantage,
since it is made with all cards known, and at the table it is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from kqj_sim.core import rng
from kqj_sim.core.asking import LEAD
from kqj_sim.core.bits import lowest_bit, popcount
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.kwajongen.bits import TRUMPS
from kqj_sim.core.kwajongen.knowledge import (
    PLAYERS,
    dealer_position,
    know_cards,
)
from kqj_sim.core.kwajongen.solve import LEAST, MOST, card_points, points_in, search
from kqj_sim.core.kwajongen.state import OBLIGED, SEATS, TRICKS
from kqj_sim.core.kwajongen.trick import follow_view, lane_of, lead_view, put_lead, turned_up
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.core.state import (
    AT_TABLE,
    CARDS,
    HAND,
    KEY,
    LEADER,
    LED,
    MASTER,
    PENDING,
    ROWS,
    SENDER,
    SENDER_TEAM,
    STRIDE,
    TRICK,
    WON,
    history,
    index,
    policy_of,
    team_of,
)
from kqj_sim.core.trick import winning_cards
from kqj_sim.core.turn import held, put_follow
from kqj_sim.core.worlds import KNOWN, sample_worlds
from kqj_sim.policies.compiled import parameter_offset, parameters_type
from kqj_sim.policies.kwajongen.counting import COUNT, accepts
from kqj_sim.policies.parameters import flag, whole
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import nth_card

pimc = policy(
    "pimc",
    "calls like standard; plays by solving worlds that agree with all that was seen; slow",
    worlds=whole(40, "worlds that are solved for a card", 1, 10_000),
    heard=flag(True, "only worlds in which the others would have called so by the count"),
    drawn=whole(8, "with heard, worlds drawn for each that is solved", 1, 1000),
)

_Count = parameters_type(tuple(COUNT))
_COUNT = _Count(*(float(each.default) for each in COUNT.values()))

_CARD = parameter_offset(LEAD, 0)


@scalar
def _rule(team: int, contracting: int, raised: int, obliged: int) -> int:
    """What `solve.search` takes as its rule, for who is to play."""
    return (1 if team == contracting else 0) | raised << 1 | (4 if obliged != 0 else 0)


@stage
def _kept(
    worlds: Any, found: int, wanted: int, heard: bool, before: Any, turned: int, own: int,
    places: Any, sender: int, raised: int,
) -> int:  # fmt: skip
    """Move worlds in which the others called as they did to the front; how many to look at.

    If there is none, all are as good.

    Args:
        worlds: hands by player, six a world.
        found, wanted: worlds drawn, and how many are to be kept.
        heard: else the first ones are kept.
        before: by place, what he has played.
        turned: the shown card.
        own: the place of who looks at them.
        places: for each place which player of a world he is.
        sender: the place of the caller.
        raised: 1 in a raised round.
    """
    if not heard:
        return min(found, wanted)
    kept = 0
    for world in range(found):
        agrees = True
        for place in range(sender + 1):
            if place != own and agrees:
                hand = worlds[index(world * PLAYERS, places[place])] | before[place]
                agrees = accepts(hand, turned, place, raised, _COUNT) == (place == sender)
        if agrees:
            for player in range(PLAYERS):
                here, there = index(kept * PLAYERS, player), index(world * PLAYERS, player)
                worlds[here], worlds[there] = worlds[there], worlds[here]
            kept += 1
            if kept == wanted:
                break
    return kept if kept > 0 else min(found, wanted)


@pimc
def choose_accept(view: Any) -> bool:
    """Play by the count of `standard`."""
    return accepts(view.hand, view.turned, view.place, view.raised, _COUNT)


@stage
def _played_before(state: Any, i: int, trick: int, position: int, before: Any) -> None:
    """What each place has played, from the tricks that were kept and from this one."""
    for place in range(SEATS):
        before[place] = 0
    for finished in range(trick):
        leader = state[index(history(finished, 0), i)]
        for k in range(SEATS):
            card = state[index(history(finished, 1 + k), i)]
            before[(leader + k) % SEATS] |= card
    for k in range(position):
        before[(state[LEADER + i] + k) % SEATS] |= state[index(CARDS + k * STRIDE, i)]


@stage
def _add_values(
    state: Any, i: int, trick: int, position: int, hands: Any, at: int, legal: int, values: Any
) -> None:
    """Add to `values` what each legal card comes to in a world, hands by position."""
    team = team_of(state[AT_TABLE + i], position)
    own_row, other_row = (0, STRIDE) if team == 0 else (STRIDE, 0)
    won, lost = state[WON + own_row + i], state[WON + other_row + i]
    points, other_points = points_in(won), points_in(lost)
    other_tricks = popcount(lost) // SEATS
    mine = hands[at + position]
    following = hands[at + (position + 1) % SEATS]
    partner = hands[at + (position + 2) % SEATS]
    last = hands[at + (position + 3) % SEATS]
    left = points_in(mine | following | partner | last)
    none: Any = np.int64(0)
    led, master, since, on_table = none, none, none, none
    if position > 0:
        led, master, on_table = state[LED + i], state[MASTER + i], state[TRICK + i]
        for k in range(position):
            since = position - k if state[index(CARDS + k * STRIDE, i)] == master else since
    contracting = state[SENDER_TEAM + i]
    rule = _rule(1 - team, contracting, state[PENDING + i], state[OBLIGED + i])
    which = 0
    while legal != 0:
        card = lowest_bit(legal)
        legal ^= card
        takes = position == 0 or card & winning_cards(led, TRUMPS, master) != 0
        worth = card_points(card)
        values[which] -= search(
            following, partner, last, mine ^ card, lane_of(card) if position == 0 else led,
            card if takes else master, np.int64(1) if takes else since + 1,
            np.int64(position + 1), points_in(on_table) + worth, left - worth, other_points, points,
            other_tricks, np.int64(trick), rule, np.int64(LEAST), np.int64(MOST),
        )  # fmt: skip
        which += 1


@pimc.block("card")
def choose_card(
    block: Any, lanes: int, trick: int, position: int, teams: int, unused: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Choose for the lanes in which the policy sits at a position (`core.asking.ASKING`)."""
    state = carray(block, ROWS * STRIDE)
    at = _CARD + number * MAX_PARAMETERS
    wanted, heard = int(table[at]), table[at + 1] != 0.0
    drawn = wanted * int(table[at + 2]) if heard else wanted
    known = np.empty(KNOWN, np.int64)
    worlds = np.empty(PLAYERS * drawn, np.int64)
    before = np.zeros(SEATS, np.int64)
    places = np.zeros(SEATS, np.int64)
    values = np.zeros(TRICKS, np.int64)
    for i in range(lanes):
        if policy_of(state[AT_TABLE + i], position) != number:
            continue
        legal = lead_view(state, i, trick, teams).legal
        if position > 0:
            legal = follow_view(state, i, held(state, i, position), trick, position, teams).legal
        count = popcount(legal)
        best = 0
        if count > 1:
            leader = state[LEADER + i]
            turned, raised = turned_up(state, i), state[PENDING + i]
            shown = know_cards(state, i, trick, position, known)
            key = rng.card_draw(state[KEY + i], trick, (leader + position) % SEATS)
            found = sample_worlds(known, drawn, key, worlds)
            for world in range(found):
                worlds[world * PLAYERS + dealer_position(state, i)] |= shown
                worlds[world * PLAYERS + position] = state[index(HAND + position * STRIDE, i)]
            _played_before(state, i, trick, position, before)
            for place in range(SEATS):
                places[place] = (place - leader) % SEATS
            own = (leader + position) % SEATS
            kept = _kept(
                worlds, found, wanted, heard, before, turned, own, places, state[SENDER + i], raised
            )
            for which in range(count):
                values[which] = 0
            for world in range(kept):
                _add_values(state, i, trick, position, worlds, world * PLAYERS, legal, values)
            for which in range(1, count):
                best = which if values[which] > values[best] else best
        card = nth_card(legal, best)
        if position == 0:
            put_lead(state, i, card)
        else:
            put_follow(state, i, position, card)
