"""Features of a decision about a card, as numbers of rows, and the ways to play a card.

Every feature is an index into a table of its own; the tables stand one behind the other.  Suits in
the same role are alike: features tell them by their slots (`trick_odds`).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from kqj_sim.core.block import PLAYER_BITS, SEATS, TRICKS, rotate_players, team_of
from kqj_sim.core.cards import SUIT_MASK, popcount, trailing_zeros, whole_tens
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Card, CardSet, Int64Array, Position
from kqj_sim.policies.one_layer import make_layout
from kqj_sim.policies.trick_odds import CAPOT_VALUES, NEEDED_VALUES, SUIT_COUNT, TrickContext

RANK_COUNT = 12
FLAG_VALUES = 2
POINT_BUCKETS = 8
"""Buckets of the card points in a trick (`POINTS_BUCKET`)."""
RANK_GROUPS, GROUP_STATES = 3, 256
"""A suit's ranks in groups of four; four bits of those held, then four of those gone."""
COUNT_BUCKETS = 7
"""Cards of a suit in the hand: 0 to 5, or more."""
AMOUNT_BUCKETS = 13
"""Amount bid: 0 none, then from 80 in steps of 20."""
OWN_POINT_BUCKETS, MISSING_POINT_BUCKETS = 16, 16
"""Buckets of sixteen points won by the player's team; of ten points needed, 0 none."""

TABLES: dict[str, tuple[int, ...]] = {
    # For each slot and group of ranks the state of the four cards.
    "cards": (SUIT_COUNT, RANK_GROUPS, GROUP_STATES),
    # For each other player from the left on: opponent or partner, has played to this trick, slots
    # in which they are known void.
    "players": (SEATS - 1, FLAG_VALUES, FLAG_VALUES, 1 << SUIT_COUNT),
    # For each slot: own cards, unseen cards.
    "lengths": (SUIT_COUNT, COUNT_BUCKETS, RANK_COUNT + 1),
    # The Sender's place counted from the player's, position.
    "sender": (SEATS, SEATS),
    # Number of the trick, position.
    "trick": (TRICKS, SEATS),
    # Points of the player's team, who can make Capot.
    "own": (OWN_POINT_BUCKETS, CAPOT_VALUES),
    # Points needed, contracting.
    "missing": (MISSING_POINT_BUCKETS, FLAG_VALUES),
    # Points needed as a share of those left, contracting, number of the trick.
    "needed": (NEEDED_VALUES, FLAG_VALUES, TRICKS),
    # Amount, stake (1, 2, 4), Capot announced.
    "amount": (AMOUNT_BUCKETS, 3, FLAG_VALUES),
    # 0, or 1 + slot and rank of the Return while the Sender holds it unseen.
    "return": (1 + SUIT_COUNT * RANK_COUNT,),
    # 0 when leading, else 1 + (opponent's or partner's master, plain or trump, rank).
    "master": (1 + FLAG_VALUES * FLAG_VALUES * RANK_COUNT,),
    # Points in the trick so far, position.
    "table": (POINT_BUCKETS, SEATS),
}
"""The tables: the sizes of the values that make up an index.

The first three give several features, the others one each.
"""


_COUNTS = {"cards": SUIT_COUNT * RANK_GROUPS, "players": SEATS - 1, "lengths": SUIT_COUNT}

PARTS: dict[str, tuple[int, int]] = {
    f"{name}_{k}": (prod(sizes) // count, 1)
    for name, sizes in TABLES.items()
    for count in (_COUNTS.get(name, 1),)
    for k in range(count)
}
"""Rows of each part of the tables, and how many features it gives, 1."""

FEATURES = len(PARTS)
ROWS = sum(rows for rows, _ in PARTS.values())

(_CARDS, _PLAYERS, _LENGTHS, _SENDER, _TRICK, _OWN, _MISSING, _NEEDED, _AMOUNT, _RETURN, _MASTER,
 _TABLE) = (
    sum(prod(sizes) for sizes in list(TABLES.values())[:which]) for which in range(len(TABLES))
)  # fmt: skip

WAYS = 5
"""Ways to play a card: 0 leads, 1 follows suit, 2 follows and becomes master, 3 ruffs and becomes
master, 4 any other."""
OUTPUTS = WAYS * SUIT_COUNT * RANK_COUNT
"""A card's output is that of its way, its slot and its rank."""

LAYOUT = make_layout(ROWS, OUTPUTS)


def make_buckets(bounds: tuple[int, ...], size: int) -> Int64Array:
    """Return for each number below `size` how many of the bounds after the first it reaches."""
    return np.searchsorted(bounds, np.arange(size), side="right") - 1


POINTS_BUCKET = make_buckets((0, 3, 7, 12, 18, 25, 34, 46), 128)


@scalar
def find_output(position: Position, led: CardSet, winning: CardSet, slots: int, card: Card) -> int:
    """Return the number of the output of a legal card; `slots` as of `trick_odds.TrickContext`."""
    bit = trailing_zeros(card)
    beats = 1 if card & winning != 0 else 0
    way = 1 + beats if card & led != 0 else WAYS - 1 - beats
    way = 0 if position == 0 else way
    slot = (slots >> ((bit & 48) >> 3)) & 3
    return (way * SUIT_COUNT + slot) * RANK_COUNT + (bit & 15)


@scalar
def write_features(view: Any, context: TrickContext, out: Any, start: int, step: int) -> None:
    """Write a decision's `FEATURES` to `out`, at `start` and every `step`th number after it."""
    gone = view.played | view.trick
    slots = context.slots
    exhausted = 0
    at = start
    for suit in range(SUIT_COUNT):
        shift = 16 * suit
        slot = (slots >> 2 * suit) & 3
        own = (view.hand >> shift) & SUIT_MASK
        out_of_play = (gone >> shift) & SUIT_MASK
        left = popcount(context.unseen & (SUIT_MASK << shift))
        exhausted |= (1 if left == 0 else 0) << slot
        for group in range(RANK_GROUPS):
            state = (own >> 4 * group) & 15 | ((out_of_play >> 4 * group) & 15) << 4
            out[at] = _CARDS + (slot * RANK_GROUPS + group) * GROUP_STATES + state
            at += step
        out[at] = (
            _LENGTHS
            + (slot * COUNT_BUCKETS + min(popcount(own), COUNT_BUCKETS - 1)) * (RANK_COUNT + 1)
            + left
        )
        at += step

    around = rotate_players(view.players, PLAYER_BITS * view.position)
    own_team = team_of(around, 0)
    for other in range(1, SEATS):
        partner = 1 if team_of(around, other) == own_team else 0
        played = 1 if view.position + other >= SEATS else 0
        void = exhausted
        for suit in range(SUIT_COUNT):
            void |= ((around >> (PLAYER_BITS * other + 5 + suit)) & 1) << ((slots >> 2 * suit) & 3)
        player = ((other - 1) * 2 + partner) * 2 + played
        out[at] = _PLAYERS + player * 16 + void
        at += step

    trick, position, contracting = view.trick_number, view.position, view.contracting
    sender = view.sender - view.leader - position
    sender += SEATS if sender < 0 else 0
    sender += SEATS if sender < 0 else 0
    missing = (
        0
        if context.missing <= 0
        else min(1 + whole_tens(context.missing - 1), MISSING_POINT_BUCKETS - 1)
    )
    amount = (
        0 if view.amount == 0 else 1 + min(whole_tens((view.amount - 80) >> 1), AMOUNT_BUCKETS - 2)
    )
    returned = view.turned & context.unseen
    bit = trailing_zeros(returned)
    slot = (slots >> ((bit & 48) >> 3)) & 3
    turned_up = 0 if returned == 0 else 1 + slot * RANK_COUNT + (bit & 15)
    trump = 1 if view.master & view.trumps != 0 else 0
    rank = trailing_zeros(view.master) & 15
    master = 1 + (view.partner_is_master * 2 + trump) * RANK_COUNT + rank
    on_table = POINTS_BUCKET[context.on_table & 127]

    out[at] = _SENDER + sender * SEATS + position
    out[at + step] = _TRICK + trick * SEATS + position
    out[at + 2 * step] = (
        _OWN + min(context.own_points >> 4, OWN_POINT_BUCKETS - 1) * CAPOT_VALUES + context.capot
    )
    out[at + 3 * step] = _MISSING + missing * 2 + contracting
    out[at + 4 * step] = _NEEDED + (context.needed * 2 + contracting) * TRICKS + trick
    out[at + 5 * step] = _AMOUNT + (amount * 3 + (view.stake >> 1)) * 2 + view.capot
    out[at + 6 * step] = _RETURN + turned_up
    out[at + 7 * step] = _MASTER + (0 if position == 0 else master)
    out[at + 8 * step] = _TABLE + on_table * SEATS + position
