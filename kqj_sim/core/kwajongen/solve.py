"""A round of Kwajongen with all cards known: what it comes to if everybody plays best.

The two teams speak alternately, so this is a search by negamax with a window (alpha-beta), cut off
as soon as what is left cannot change the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from kqj_sim.core.bits import highest_bit, lowest_bit, popcount, trailing_zeros
from kqj_sim.core.compile import kernel, scalar
from kqj_sim.core.kwajongen.bits import TRUMPS
from kqj_sim.core.kwajongen.scoring import change
from kqj_sim.core.kwajongen.state import SEATS, TRICKS
from kqj_sim.core.kwajongen.trick import lane_of, legal_cards
from kqj_sim.core.trick import winning_cards

LEAST, MOST = -4, 4
"""No round is worth less or more to a team than this."""

_i64 = types.int64


@scalar
def card_points(card: int) -> int:
    """The points of one card: ranks 9 T J Q K A are 0 0 1 2 3 4."""
    rank = trailing_zeros(card) & 15
    return rank - (rank > 0)


@scalar
def points_in(cards: int) -> int:
    """The points of a set of cards."""
    # A K Q J are the bits 5 4 3 2: those of the rank and of each lower one count one point.
    return (
        popcount(cards & (0x3C * 0x0001000100010001))
        + popcount(cards & (0x38 * 0x0001000100010001))
        + popcount(cards & (0x30 * 0x0001000100010001))
        + popcount(cards & (0x20 * 0x0001000100010001))
    )


@scalar
def worth(points: int, other_points: int, tricks: int, caller: bool, raised: int) -> int:
    """What a finished round is worth to a team: the other's change of score less its own.

    Args:
        points, other_points: card points of the team and of the other one.
        tricks: tricks of the team.
        caller: whether it said play.
        raised: 1 in a raised round, else 0.
    """
    own = change(points, other_points, tricks, caller, raised)
    return change(other_points, points, TRICKS - tricks, not caller, raised) - own


@kernel(_i64(*[_i64] * 17))
def search(
    mine: int, next_hand: int, partner: int, last_hand: int, led: int, master: int, since: int,
    on_table: int, trick_points: int, left: int, points: int, other_points: int, tricks: int,
    trick: int, rule: int, alpha: int, beta: int,
) -> int:  # fmt: skip
    """What a round is worth to the team of who is to play; exact between alpha and beta.

    Args:
        mine, next_hand, partner, last_hand: hands of who is to play and of those behind him.
        led: lane of the suit led; 0 when leading.
        master: the master; 0 when leading.
        since: by how many seats the master's player is before who is to play, 1 to 3.
        on_table: cards of this trick.
        trick_points: their points.
        left: points of all cards in hand.
        points, other_points: points won by his team and by the other.
        tricks: tricks of his team.
        trick: finished tricks.
        rule: 1 if his team said play, 2 in a raised round, 4 where the void must trump; added up.
        alpha, beta: the window.
    """
    caller, raised = rule & 1 != 0, (rule >> 1) & 1
    # Not a constant: with types of constants the calls of itself could not be found on disk.
    none: Any = np.int64(0)
    if on_table == SEATS:
        # The trick goes to who sits `since` seats before the next one to play: he leads now.
        if since & 1 == 0:
            points += trick_points
            tricks += 1
            first, second = (mine, next_hand) if since == SEATS else (partner, last_hand)
            third, fourth = (partner, last_hand) if since == SEATS else (mine, next_hand)
            return search(
                first, second, third, fourth, none, none, none, none, none, left, points,
                other_points, tricks, trick + 1, rule, alpha, beta,
            )  # fmt: skip
        other_points += trick_points
        first, second = (next_hand, partner) if since == 3 else (last_hand, mine)
        third, fourth = (last_hand, mine) if since == 3 else (next_hand, partner)
        return -search(
            first, second, third, fourth, none, none, none, none, none, left, other_points, points,
            trick + 1 - tricks, trick + 1, rule ^ 1, -beta, -alpha,
        )  # fmt: skip
    if on_table == 0:
        if trick == TRICKS:
            return worth(points, other_points, tricks, caller, raised)
        # What is certain already: who has more points, and nearly always all tricks or not.
        if points > other_points + left:
            sure = worth(1, 0, 1, caller, raised)
            if tricks < trick or sure >= beta:
                return sure
        if other_points > points + left:
            sure = worth(0, 1, 1, caller, raised)
            if tricks > 0 or sure <= alpha:
                return sure
    obliged = TRUMPS if rule & 4 != 0 else 0
    legal = mine if on_table == 0 else legal_cards(mine, led, obliged, 0, False)
    best = LEAST - 1
    while legal != 0:
        card = highest_bit(legal)
        if on_table > 0:
            winning = legal & winning_cards(led, TRUMPS, master)
            # For speed alone: what wins from the top, then what costs least.
            card = highest_bit(winning) if winning != 0 else lowest_bit(legal)
        legal ^= card
        worth_of_card = card_points(card)
        if on_table == 0:
            suit, best_card, steps = lane_of(card), card, none + 1
        else:
            takes = card & winning_cards(led, TRUMPS, master) != 0
            suit = led
            best_card = card if takes else master
            steps = 1 if takes else since + 1
        value = -search(
            next_hand, partner, last_hand, mine ^ card, suit, best_card, steps, on_table + 1,
            trick_points + worth_of_card, left - worth_of_card, other_points, points,
            trick - tricks, trick, rule ^ 1, -beta, -alpha,
        )  # fmt: skip
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best
