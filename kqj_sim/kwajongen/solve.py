"""The value of a round of Kwajongen with all cards known, if everybody plays best.

The two teams play alternately, so this is a negamax search with an alpha-beta window, cut off as
soon as the remaining cards cannot change the result.
"""

from __future__ import annotations

import numpy as np
from numba import types

from kqj_sim.core.cards import highest_bit, lowest_bit
from kqj_sim.core.jit import kernel, scalar
from kqj_sim.core.trick import winning_cards
from kqj_sim.core.types import Card, CardSet, Numba, SuitMask
from kqj_sim.kwajongen.cards import (
    SEATS,
    TRICKS,
    TRUMP_SUIT,
    legal_cards,
    points_of_card,
    score_change,
    suit_mask_of,
)

MIN_VALUE, MAX_VALUE = -4, 4
"""Bounds of the value of a round to a team."""

_i64 = types.int64


@scalar
def compute_value(points: int, other_points: int, tricks: int, caller: bool, raised: int) -> int:
    """Return the value of a finished round to a team: the other's change of score minus its own.

    Args:
        points, other_points: card points of the team and of the other one.
        tricks: tricks of the team.
        caller: the team said play.
        raised: 1 in a raised round, else 0.
    """
    own = score_change(points, other_points, tricks, caller, raised)
    return score_change(other_points, points, TRICKS - tricks, not caller, raised) - own


@kernel(_i64(*[_i64] * 17))
def search(
    own_hand: CardSet, next_hand: CardSet, partner: CardSet, last_hand: CardSet,
    led: SuitMask, master: Card, master_distance: int, cards_on_table: int, trick_points: int,
    points_left: int, points: int, other_points: int, tricks: int, trick: int,
    rule: int, alpha: int, beta: int,
) -> int:  # fmt: skip
    """Return the value of a round to the team to play; exact between alpha and beta.

    Args:
        own_hand, next_hand, partner, last_hand: hands of the player to move and of those after
            them.
        led: the suit led; 0 when leading.
        master: the master; 0 when leading.
        master_distance: seats from the master's player to the player to move, 1 to 3.
        cards_on_table: cards of this trick.
        trick_points: their points.
        points_left: points of all cards in hand.
        points, other_points: points won by the team and by the other.
        tricks: tricks of the team.
        trick: finished tricks.
        rule: 1 if the team said play, 2 in a raised round, 4 if a void player must trump; added up.
        alpha, beta: the window.
    """
    caller, raised = rule & 1 != 0, (rule >> 1) & 1
    # Not a constant: with types of constants the calls of itself could not be found on disk.
    none: Numba = np.int64(0)
    if cards_on_table == SEATS:
        # The trick goes to the player `master_distance` seats before, who leads now.
        if master_distance & 1 == 0:
            points += trick_points
            tricks += 1
            first, second = (
                (own_hand, next_hand) if master_distance == SEATS else (partner, last_hand)
            )
            third, fourth = (
                (partner, last_hand) if master_distance == SEATS else (own_hand, next_hand)
            )
            return search(
                first, second, third, fourth,
                none, none, none, none, none,
                points_left, points, other_points, tricks, trick + 1,
                rule, alpha, beta,
            )  # fmt: skip
        other_points += trick_points
        first, second = (next_hand, partner) if master_distance == 3 else (last_hand, own_hand)
        third, fourth = (last_hand, own_hand) if master_distance == 3 else (next_hand, partner)
        return -search(
            first, second, third, fourth,
            none, none, none, none, none,
            points_left, other_points, points, trick + 1 - tricks, trick + 1,
            rule ^ 1, -beta, -alpha,
        )  # fmt: skip
    if cards_on_table == 0:
        if trick == TRICKS:
            return compute_value(points, other_points, tricks, caller, raised)
        # Certain already: which team has more points, and nearly always whether it has all tricks.
        if points > other_points + points_left:
            sure = compute_value(1, 0, 1, caller, raised)
            if tricks < trick or sure >= beta:
                return sure
        if other_points > points + points_left:
            sure = compute_value(0, 1, 1, caller, raised)
            if tricks > 0 or sure <= alpha:
                return sure
    legal = own_hand if cards_on_table == 0 else legal_cards(own_hand, led, rule & 4)
    best = MIN_VALUE - 1
    while legal != 0:
        card = highest_bit(legal)
        if cards_on_table > 0:
            winning = legal & winning_cards(led, TRUMP_SUIT, master)
            # For speed alone: winning cards from the top, then the cheapest.
            card = highest_bit(winning) if winning != 0 else lowest_bit(legal)
        legal ^= card
        card_points = points_of_card(card)
        if cards_on_table == 0:
            suit, best_card, steps = suit_mask_of(card), card, none + 1
        else:
            takes = card & winning_cards(led, TRUMP_SUIT, master) != 0
            suit = led
            best_card = card if takes else master
            steps = 1 if takes else master_distance + 1
        value = -search(
            next_hand, partner, last_hand, own_hand ^ card,
            suit, best_card, steps, cards_on_table + 1, trick_points + card_points,
            points_left - card_points, other_points, points, trick - tricks, trick,
            rule ^ 1, -beta, -alpha,
        )  # fmt: skip
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best
