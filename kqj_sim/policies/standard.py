"""`standard`: calls like `points`, and plays by rule with a memory.

Cards: for each legal card the chance that the own side wins the trick is estimated from the cards
not yet seen and from the suits that players are known to lack; the card is worth its share of the
trick's points, less what it is worth to keep.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from kqj_sim.core.bits import (
    EACH_LANE,
    PACK,
    TRUMP_JACK,
    TRUMP_QUEEN,
    lowest_bit,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import SEATS, TRICKS, team_of, voids_of
from kqj_sim.core.trick import lane_of, winning_cards
from kqj_sim.policies.parameters import number
from kqj_sim.policies.points import (
    PARAMETERS,
    choose_bid,
    choose_counter,
    choose_overcounter,
    choose_take,
)
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import points

_MOST_UNSEEN, _MOST_HELD, _MOST_WANTED = 40, 8, 12


def _none_held() -> Any:
    """[unseen, held, wanted]: the chance that `held` of `unseen` cards have none of `wanted`."""
    table = np.zeros((_MOST_UNSEEN + 1, _MOST_HELD + 1, _MOST_WANTED + 1))
    for unseen in range(_MOST_UNSEEN + 1):
        for held in range(min(_MOST_HELD, unseen) + 1):
            for wanted in range(_MOST_WANTED + 1):
                free = max(unseen - wanted, 0)
                table[unseen, held, wanted] = comb(free, held) / comb(unseen, held)
    return table


NONE_HELD = _none_held()

_BONUS_CARDS = EACH_LANE << TRUMP_QUEEN | EACH_LANE << TRUMP_JACK

standard = policy(
    "standard",
    "calls like points; plays the card of the best expected points, with a memory",
    None,
    **PARAMETERS,
    later=number(1, "points expected from each player still to come to the trick", 0, 50),
    keep_master=number(2, "worth of keeping a card that nothing unseen beats", -50, 50),
    keep_trump=number(20, "worth of keeping a trump", -50, 50),
    keep_points=number(1.75, "worth of keeping a card, for each of its points", -5, 5),
    keep_rank=number(-1.3, "worth of keeping a card, for each step of its rank", -10, 10),
    lead_later=number(1.5, "points expected of the others in a trick that is led", 0, 50),
    lead_master=number(19, "worth of leading a card that nothing unseen beats", -50, 50),
    lead_points=number(1.6, "price of leading a card, for each of its points", -5, 5),
    lead_rank=number(-1.4, "worth of leading a card, for each step of its rank", -10, 10),
    lead_trump=number(-1.3, "worth of leading a trump", -50, 50),
    lead_draw=number(
        2.3, "worth of leading a trump when contracting, for each one unseen", -20, 20
    ),
)


for _choose in (choose_take, choose_bid, choose_counter, choose_overcounter):
    standard(_choose)


@scalar
def _up_to_highest(cards: int) -> int:
    """In each lane the highest card of a set and all below it."""
    cards |= (cards >> 1) & PACK
    cards |= (cards >> 2) & PACK
    cards |= (cards >> 4) & PACK
    cards |= (cards >> 4) & PACK
    return cards


@scalar
def _chance_to_beat(unseen: int, held: int, led: int, winning: int, lacks_led: bool) -> float:
    """The chance that a player who holds `held` of the unseen cards can beat the master."""
    hidden = popcount(unseen)
    in_suit = popcount(unseen & winning & led)
    ruffs = popcount(unseen & winning & ~led)
    can_ruff = 1.0 - NONE_HELD[hidden, held, ruffs]
    if lacks_led:
        return can_ruff
    follows_and_beats = 1.0 - NONE_HELD[hidden, held, in_suit]
    has_none = NONE_HELD[hidden, held, min(popcount(unseen & led), _MOST_WANTED)]
    return follows_and_beats + has_none * can_ruff


@scalar
def _side_wins(view: Any, unseen: int, card: int, led: int) -> float:
    """The chance that the own side wins the trick after a card."""
    wins = card & view.winning != 0
    master = card if wins else view.master
    ours = 1.0 if wins or view.partner_is_master != 0 else 0.0
    winning = winning_cards(led, view.trumps, master)
    held = TRICKS - view.trick_number
    lane = trailing_zeros(led) >> 4
    team = team_of(view.players, view.position)
    for position in range(view.position + 1, SEATS):
        lacks = (voids_of(view.players, position) >> lane) & 1 != 0
        beats = _chance_to_beat(unseen, held, led, winning, lacks)
        if team_of(view.players, position) == team:
            ours += (1.0 - ours) * beats
        else:
            ours *= 1.0 - beats
    return ours


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """The legal card of the best expected points, less what it is worth to keep."""
    legal = view.legal
    unplayable = view.hand & (view.hand >> 1) & view.climbing & _BONUS_CARDS
    if legal & ~unplayable != 0:
        legal &= ~unplayable
    if legal & (legal - 1) == 0:
        return legal
    unseen = PACK & ~(view.hand | view.played | view.trick)
    below = _up_to_highest(unseen)
    if view.position == 0:
        return _best_lead(view, parameters, legal, unseen, below)
    on_table = points(view, view.trick) + (SEATS - 1 - view.position) * parameters.later
    best, choice = -1e9, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        worth = points(view, card)
        share = _side_wins(view, unseen, card, view.led)
        value = 2.0 * share * on_table + (2.0 * share - 1.0) * worth
        value -= worth * parameters.keep_points + (trailing_zeros(card) & 15) * parameters.keep_rank
        if card & below == 0:
            value -= parameters.keep_master
        if card & view.trumps != 0:
            value -= parameters.keep_trump
        if value > best:
            best, choice = value, card
    return choice


@scalar
def _best_lead(view: Any, parameters: Any, legal: int, unseen: int, below: int) -> int:
    """The card to lead."""
    best, choice = -1e9, 0
    left = legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        led = lane_of(card)
        worth = points(view, card)
        share = _side_wins(view, unseen, card, led)
        value = 2.0 * share * (worth + parameters.lead_later) - worth * parameters.lead_points
        value += (trailing_zeros(card) & 15) * parameters.lead_rank
        if card & below == 0:
            value += parameters.lead_master
        if card & view.trumps != 0:
            value += parameters.lead_trump
            if view.contracting != 0:
                value += parameters.lead_draw * popcount(unseen & led)
        if value > best:
            best, choice = value, card
    return choice
