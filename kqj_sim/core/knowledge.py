"""What a player knows of the others' hands, from the plays and the Return, for `core.worlds`.

The plays tell of hands, since RULES.md section 5 obliges players to follow and to beat.  Hands only
lose cards, so what a player once did not have he never has.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import PACK
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.state import (
    CARDS,
    CLIMBING,
    HAND,
    LEADER,
    PLAYED,
    PLAYERS,
    SEATS,
    SENDER,
    STRIDE,
    TRICK,
    TRICKS,
    TRUMPS,
    history,
    index,
    team_of,
)
from kqj_sim.core.trick import lane_of, winning_cards
from kqj_sim.core.turn import turned_up
from kqj_sim.core.worlds import COUNTS, LACKS, UNSEEN


@scalar
def exclude(
    known: Any, rows: Any, cards: int, stride: int, count: int, leader: int, players: int,
    trumps: int, climbing: int,
) -> None:  # fmt: skip
    """Add to LACKS, by place, what a trick tells of those who played to it.

    A player who can follow must follow, who must beat and can must beat: so a follower whose card
    did not has none of the cards that he would have had to choose from.

    Args:
        known: what is known.
        rows: the array that has the cards in the order played.
        cards, stride: index of the first card, and from a card to the next.
        count: how many cards were played.
        leader: place of the leader.
        players: teams of the places (`core.state.team_of`).
        trumps, climbing: as in `core.views.CardView`.
    """
    if count == 0:
        return
    master = rows[index(cards, 0)]
    led = lane_of(master)
    place = leader
    team = team_of(players, place)
    for k in range(1, count):
        place = place + 1 if place + 1 < SEATS else 0
        card = rows[index(cards, k * stride)]
        own = team_of(players, place)
        winning = winning_cards(led, trumps, master)
        follows = card & led != 0
        if card & winning != 0:
            master = card
            team = own
        elif follows:
            known[LACKS + place] |= winning & led & climbing
        elif team != own:
            known[LACKS + place] |= winning
        if not follows:
            known[LACKS + place] |= led


@scalar
def only_holder(known: Any, player: int, cards: int) -> None:
    """Note that a player certainly holds cards: everybody else lacks them."""
    for other in range(SEATS):
        if other != player:
            known[LACKS + other] |= cards


@stage
def know(state: Any, i: int, trick: int, position: int, known: Any) -> None:
    """Fill UNSEEN, and COUNTS and LACKS by place, with what who is to play in a lane knows.

    The finished tricks must have been kept (`core.state.HISTORY`).
    """
    leader = state[LEADER + i]
    own = (leader + position) % SEATS
    hand = state[index(HAND + position * STRIDE, i)]
    on_table = state[TRICK + i] if position > 0 else 0
    unseen = PACK & ~(hand | state[PLAYED + i] | on_table)
    known[UNSEEN] = unseen
    for place in range(SEATS):
        behind_leader = (place - leader) % SEATS
        known[COUNTS + place] = TRICKS - trick - (behind_leader < position)
        known[LACKS + place] = 0
    known[COUNTS + own] = 0
    known[LACKS + own] = -1
    players, trumps, climbing = state[PLAYERS + i], state[TRUMPS + i], state[CLIMBING + i]
    for finished in range(trick):
        exclude(
            known, state, history(finished, 1) + i, STRIDE, SEATS,
            state[index(history(finished, 0), i)], players, trumps, climbing,
        )  # fmt: skip
    exclude(known, state, CARDS + i, STRIDE, position, leader, players, trumps, climbing)
    only_holder(known, state[SENDER + i], turned_up(state, i) & unseen)
