"""Features of a decision about a card, as rows of tables, and the layout of the network's weights.

Every *card feature* is an index into a table of its own, and so is every *shared feature* (the
same for all candidate cards of a decision).  The tables stand one behind the other; a policy has a
weight, or a row of weights, for each index.

The weights of `network` are float32, `KIND_SIZE` numbers for each kind of contract, at the
`..._OFFSET`s below.  Each part begins at a multiple of sixteen numbers, so that no row crosses a
cache line.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from kqj_sim.core.block import PLAYER_BITS, SEATS, TRICKS, rotate_players, team_of
from kqj_sim.core.cards import SUIT_MASK, highest_bit, popcount, trailing_zeros, whole_tens
from kqj_sim.core.jit import scalar
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.types import Card, Int64Array
from kqj_sim.policies.tools import points
from kqj_sim.policies.trick_odds import (
    CAPOT_VALUES,
    NEEDED_VALUES,
    RELATION_VALUES,
    SUIT_COUNT,
    TrickContext,
    divide_whole,
)

RANK_COUNT = 12
FLAG_VALUES = 2
PLAY_KINDS = 6
"""Ways to play a card: leads 0 plain or 1 climbing, follows suit 2 plain or 3 climbing, 4 ruffs, 5
is discarded.  Climbing are the trumps, and all suits at All-Trumps."""
CHANCE_BUCKETS = 10
"""Buckets of a chance: 0 impossible, 9 certain (both to half a percent), 1 to 8 of equal width."""
POINT_BUCKETS = 8
"""Buckets of the card points in a trick (`_POINTS_FROM`)."""
MEAN_BUCKETS = 6
"""Buckets of the mean points of the unseen cards of the suit led (`_MEANS_FROM`)."""
MASTER_OUTCOMES = 4
"""The master after the card: 0 still a partner's, 1 still an opponent's, 2 this card; 3 when
leading."""
RANK_GROUPS, GROUP_STATES = 3, 81
"""A suit's ranks in groups of four; each card is unseen, held or gone (3**4 states)."""
COUNT_BUCKETS = 7
"""Cards of a suit in the hand: 0 to 5, or more."""
AMOUNT_BUCKETS = 13
"""Amount bid: 0 none, then from 80 in steps of 20."""
OWN_POINT_BUCKETS, MISSING_POINT_BUCKETS = 16, 16
"""Buckets of sixteen points won by the player's team; of ten points needed, 0 none."""

HELD_BACK_SHARE = 0.25
"""Share of players who could have beaten the master and did not (`trick_odds`)."""

CARD_TABLES: dict[str, tuple[int, ...]] = {
    # How it is played, rank, contracting.
    "rank": (PLAY_KINDS, RANK_COUNT, FLAG_VALUES),
    # How, unseen cards above it in its suit (0 to 4, or more), phase (tricks 1-3, 4-5, 6-8).
    "above": (PLAY_KINDS, 6, 3),
    # Outcome, chance that the player's side wins the trick, points in it with this card's.
    "trick": (MASTER_OUTCOMES, CHANCE_BUCKETS, POINT_BUCKETS),
    # Rank, the same chance, climbing or plain.
    "chance": (RANK_COUNT, CHANCE_BUCKETS, FLAG_VALUES),
    # How, cards left in its suit (0 to 3, or more), the highest of them: 0 none, 1 master (no
    # unseen card is above it), 2 second, 3 lower.
    "left": (PLAY_KINDS, 5, 4),
    # How, own trumps left (0 to 4, or more), unseen trumps (0, 1-2, 3-5, more).
    "trumps": (PLAY_KINDS, 6, 4),
    # How, the Sender's relation, whether it becomes master.
    "sender": (PLAY_KINDS, RELATION_VALUES, FLAG_VALUES),
    # 0 if it is plain; else 1 + (J, Q, K held; Q, K gone; it is another, J, Q, K).
    "marriage": (1 + 8 * 4 * 4,),
    # Leading or not, own length (1 to 5, or more), unseen above (0 to 2, or more), opponents and
    # partners known void in its suit (0, 1, more).
    "suit": (FLAG_VALUES, 6, 4, 3, 3),
    # Points needed, chance, contracting.
    "needed": (NEEDED_VALUES, CHANCE_BUCKETS, FLAG_VALUES),
    # Number of the trick, position, how, whether it becomes master.
    "moment": (TRICKS, SEATS, PLAY_KINDS, FLAG_VALUES),
    # Who can make Capot, how, whether it becomes master, whether no unseen card is above it.
    "capot": (CAPOT_VALUES, PLAY_KINDS, FLAG_VALUES, FLAG_VALUES),
    # How, masters left in hand (0 to 3, or more), whether this card is one.
    "masters": (PLAY_KINDS, 5, FLAG_VALUES),
    # Slot, rank.
    "card": (SUIT_COUNT, RANK_COUNT),
    # Taking a trick now: chance that this card itself wins it, masters left in hand after
    # it (0 to 3, or more), leading, no trump unseen (always so without a trump suit).
    "cash": (CHANCE_BUCKETS, 5, FLAG_VALUES, FLAG_VALUES),
    # Points others may yet add: chance that the player's side wins, mean points of the unseen
    # cards of the suit led (0, 1-2, 3-4, 5-7, 8-11, more), players behind.
    "haul": (CHANCE_BUCKETS, MEAN_BUCKETS, SEATS),
    # Effect on its suit: how, the next stronger card is held, the best card left is stronger
    # and a master, and points of that stronger card if it keeps fewer guards (cards below it) than
    # unseen cards are above it, else 0.
    "guard": (PLAY_KINDS, FLAG_VALUES, FLAG_VALUES, POINT_BUCKETS),
    # Tricks a trump may yet take: how, points of the card, unseen trumps (0 to 6, or more).
    "undrawn": (PLAY_KINDS, POINT_BUCKETS, 8),
}
"""The tables of the card features: the sizes of the values that make up an index."""

SHARED_TABLES: dict[str, tuple[int, ...]] = {
    # For each slot and group of ranks the state of the four cards.
    "cards": (SUIT_COUNT, RANK_GROUPS, GROUP_STATES),
    # For each other player from the left on: opponent or partner, has played to this trick, slots
    # in which they are known void.
    "players": (SEATS - 1, FLAG_VALUES, FLAG_VALUES, 1 << SUIT_COUNT),
    # For each slot: own cards, unseen cards.
    "lanes": (SUIT_COUNT, COUNT_BUCKETS, RANK_COUNT + 1),
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
"""The tables of the shared features; the first three give several indices, the others one each.

"lanes" are suits; the names are part of the files of weights.
"""


def _table_starts(tables: dict[str, tuple[int, ...]]) -> dict[str, int]:
    """Return the first index of each table, and `end`."""
    starts, at = {}, 0
    for name, sizes in tables.items():
        starts[name] = at
        at += prod(sizes)
    return {**starts, "end": at}


def list_shared_parts() -> list[int]:
    """Return the sizes of the parts of the shared tables, of each of which a decision has one
    index, in order."""
    counts = {"cards": SUIT_COUNT * RANK_GROUPS, "players": SEATS - 1, "lanes": SUIT_COUNT}
    parts = []
    for name, sizes in SHARED_TABLES.items():
        count = counts.get(name, 1)
        parts += [prod(sizes) // count] * count
    return parts


CARD_START, SHARED_START = _table_starts(CARD_TABLES), _table_starts(SHARED_TABLES)
"""First index of each table."""

CARD_FEATURES, CARD_INDICES = len(CARD_TABLES), CARD_START["end"]
SHARED_FEATURES = len(list_shared_parts())
SHARED_INDICES = SHARED_START["end"]

(_RANK, _ABOVE, _TRICK, _CHANCE, _LEFT, _TRUMPS, _SENDER, _MARRIAGE, _SUIT, _NEEDED, _MOMENT,
 _CAPOT, _MASTERS, _CARD, _CASH, _HAUL, _GUARD, _UNDRAWN, _) = CARD_START.values()  # fmt: skip
(_S_CARDS, _S_PLAYERS, _S_LANES, _S_SENDER, _S_TRICK, _S_OWN, _S_MISSING, _S_NEEDED, _S_AMOUNT,
 _S_RETURN, _S_MASTER, _S_TABLE, _) = SHARED_START.values()  # fmt: skip

_MEANS_FROM = (0, 1, 3, 5, 8, 12)
_POINTS_FROM = (0, 3, 7, 12, 18, 25, 34, 46)


def _make_buckets(bounds: tuple[int, ...], size: int) -> Int64Array:
    """Return for each number below `size` how many of the bounds after the first it reaches."""
    return np.searchsorted(bounds, np.arange(size), side="right") - 1


_POINTS_BUCKET = _make_buckets(_POINTS_FROM, 128)
_MEANS_BUCKET = _make_buckets(_MEANS_FROM, 32)
_TRUMPS_BUCKET = _make_buckets((0, 1, 3, 6), 16)
_PHASE = _make_buckets((0, 3, 5), TRICKS)
_BASE_3 = np.array([sum(3**k for k in range(4) if bits >> k & 1) for bits in range(16)])
"""Four bits as the digits of a number to the base 3."""


def _make_slot_bits() -> Int64Array:
    """Return the table [slots of the suits, two bits each; four bits by suit]: the bits by slot."""
    return np.array(
        [
            sum((bits >> suit & 1) << (slots >> 2 * suit & 3) for suit in range(SUIT_COUNT)) & 15
            for slots in range(256)
            for bits in range(16)
        ]
    )


_SLOT_BITS = _make_slot_bits()


TRICK_SLOT = SUIT_COUNT * RANK_GROUPS + (SEATS - 1) + SUIT_COUNT + 1
"""Position of the index of the table "trick" among the shared features."""


def read_trick_numbers(shared: Any) -> Any:
    """Return the numbers of the tricks, from 0, of shared features, uint16 (n, SHARED_FEATURES)."""
    return (shared[:, TRICK_SLOT].astype(np.int64) - _S_TRICK) // SEATS


@scalar
def bucket_chance(chance: float) -> int:
    """Return the bucket of a chance (`CHANCE_BUCKETS`)."""
    return int(chance * 8.08 + 0.96)


@scalar
def write_card_features(
    view: Any, context: TrickContext, card: Card, odds: tuple[float, float], out: Any, start: int,
    step: int,
) -> None:  # fmt: skip
    """Write the `CARD_FEATURES` indices of a candidate card to `out`.

    Args:
        view: the player's view.
        context: its `build_trick_context`.
        card: a legal card.
        odds: its `estimate_win_chances` with `HELD_BACK_SHARE`.
        out: gets an index at `start` and at every `step`th number after it.
        start: see `out`.
        step: see `out`.
    """
    bit = trailing_zeros(card)
    rank, shift = bit & 15, bit & 48
    suit_mask = SUIT_MASK << shift
    own = view.hand & suit_mask
    rest = own ^ card
    top = highest_bit(rest)
    above = popcount(context.unseen & suit_mask & -(2 * card))
    above_rest = popcount(context.unseen & suit_mask & -(2 * top))

    leads = 1 if view.position == 0 else 0
    climbs = 1 if card & view.climbing != 0 else 0
    follows = card & view.led != 0
    beats = 1 if card & view.winning != 0 else 0
    master = 1 if card & context.below == 0 else 0
    play = 2 + climbs if follows else (4 if card & view.trumps != 0 else 5)
    play = climbs if leads != 0 else play
    after = 2 if beats != 0 else 1 - view.partner_is_master
    after = 3 if leads != 0 else after

    wins, stays = odds
    led = view.led if leads == 0 else suit_mask
    led_out = context.unseen & led
    mean = divide_whole(points(view, led_out), max(popcount(led_out), 1))
    touching = 1 if (card << 1) & rest != 0 else 0
    under_master = 1 if top > card and top & context.below == 0 else 0
    guards = top > card and above_rest > 0 and popcount(rest) <= above_rest
    unguarded = _POINTS_BUCKET[points(view, top) & 127] if guards else 0
    undrawn = popcount(context.unseen & view.trumps)
    chance = bucket_chance(wins)
    worth = _POINTS_BUCKET[(context.on_table + points(view, card)) & 127]
    void = context.voids >> shift
    void_opponents = min(popcount(void & context.opponents), 2)
    void_partners = min(popcount(void & context.partners), 2)
    highest = 0 if rest == 0 else 1 + min(above_rest, 2)
    trumps_left = min(popcount(view.hand & view.trumps & ~card), 5)
    trumps_unseen = _TRUMPS_BUCKET[undrawn & 15]
    held = (own >> (shift + 3)) & 7
    gone = ((view.played | view.trick) >> (shift + 4)) & 3
    which = rank - 2 if 3 <= rank <= 5 else 0
    marriage = 1 + ((held << 2) + gone) * 4 + which if climbs != 0 else 0
    length = min(popcount(own), 6) - 1
    masters_left = min(popcount(view.hand & ~(context.below | card)), 4)
    contracting = view.contracting

    out[start] = _RANK + (play * RANK_COUNT + rank) * 2 + contracting
    out[start + step] = _ABOVE + (play * 6 + min(above, 5)) * 3 + _PHASE[view.trick_number & 7]
    out[start + 2 * step] = _TRICK + (after * CHANCE_BUCKETS + chance) * POINT_BUCKETS + worth
    out[start + 3 * step] = _CHANCE + (rank * CHANCE_BUCKETS + chance) * 2 + climbs
    out[start + 4 * step] = _LEFT + (play * 5 + min(popcount(rest), 4)) * 4 + highest
    out[start + 5 * step] = _TRUMPS + (play * 6 + trumps_left) * 4 + trumps_unseen
    out[start + 6 * step] = _SENDER + (play * RELATION_VALUES + context.relation) * 2 + beats
    out[start + 7 * step] = _MARRIAGE + marriage
    suit = (leads * 6 + length) * 4 + min(above, 3)
    out[start + 8 * step] = _SUIT + (suit * 3 + void_opponents) * 3 + void_partners
    out[start + 9 * step] = _NEEDED + (context.needed * CHANCE_BUCKETS + chance) * 2 + contracting
    moment = view.trick_number * SEATS + view.position
    out[start + 10 * step] = _MOMENT + (moment * PLAY_KINDS + play) * 2 + beats
    out[start + 11 * step] = _CAPOT + ((context.capot * PLAY_KINDS + play) * 2 + beats) * 2 + master
    out[start + 12 * step] = _MASTERS + (play * 5 + masters_left) * 2 + master
    out[start + 13 * step] = _CARD + ((context.slots >> (shift >> 3)) & 3) * RANK_COUNT + rank
    drawn = 1 if undrawn == 0 else 0
    out[start + 14 * step] = (
        _CASH + ((bucket_chance(stays) * 5 + masters_left) * 2 + leads) * 2 + drawn
    )
    behind = SEATS - 1 - view.position
    out[start + 15 * step] = (
        _HAUL + (chance * MEAN_BUCKETS + _MEANS_BUCKET[mean & 31]) * SEATS + behind
    )
    out[start + 16 * step] = (
        _GUARD + ((play * 2 + touching) * 2 + under_master) * POINT_BUCKETS + unguarded
    )
    value = _POINTS_BUCKET[points(view, card) & 127]
    out[start + 17 * step] = _UNDRAWN + (play * POINT_BUCKETS + value) * 8 + min(undrawn, 7)


@scalar
def write_shared_features(
    view: Any, context: TrickContext, out: Any, start: int, step: int
) -> None:
    """Write the `SHARED_FEATURES` indices of a decision to `out`, at `start` and every `step`th
    number after it."""
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
        exhausted |= (1 if left == 0 else 0) << suit
        for group in range(RANK_GROUPS):
            state = _BASE_3[(own >> 4 * group) & 15] + 2 * _BASE_3[(out_of_play >> 4 * group) & 15]
            out[at] = _S_CARDS + (slot * RANK_GROUPS + group) * GROUP_STATES + state
            at += step
        out[at] = (
            _S_LANES
            + (slot * COUNT_BUCKETS + min(popcount(own), COUNT_BUCKETS - 1)) * (RANK_COUNT + 1)
            + left
        )
        at += step

    around = rotate_players(view.players, PLAYER_BITS * view.position)
    own_team = team_of(around, 0)
    for other in range(1, SEATS):
        partner = 1 if team_of(around, other) == own_team else 0
        played = 1 if view.position + other >= SEATS else 0
        void = ((around >> (PLAYER_BITS * other + 5)) & 15) | exhausted
        player = ((other - 1) * 2 + partner) * 2 + played
        out[at] = _S_PLAYERS + player * 16 + _SLOT_BITS[(slots << 4) | void]
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
    on_table = _POINTS_BUCKET[context.on_table & 127]

    out[at] = _S_SENDER + sender * SEATS + position
    out[at + step] = _S_TRICK + trick * SEATS + position
    out[at + 2 * step] = (
        _S_OWN + min(context.own_points >> 4, OWN_POINT_BUCKETS - 1) * CAPOT_VALUES + context.capot
    )
    out[at + 3 * step] = _S_MISSING + missing * 2 + contracting
    out[at + 4 * step] = _S_NEEDED + (context.needed * 2 + contracting) * TRICKS + trick
    out[at + 5 * step] = _S_AMOUNT + (amount * 3 + (view.stake >> 1)) * 2 + view.capot
    out[at + 6 * step] = _S_RETURN + turned_up
    out[at + 7 * step] = _S_MASTER + (0 if position == 0 else master)
    out[at + 8 * step] = _S_TABLE + on_table * SEATS + position


HIDDEN_1_UNITS, HIDDEN_2_UNITS = 48, 16
"""Units of the two hidden layers."""

LINEAR_OFFSET = 0
"""`CARD_INDICES` weights of the linear part."""
SHARED_ROWS_OFFSET = -(-CARD_INDICES // UNITS) * UNITS
"""`HIDDEN_1_UNITS` weights for each shared index."""
CARD_ROWS_OFFSET = SHARED_ROWS_OFFSET + SHARED_INDICES * HIDDEN_1_UNITS
"""`HIDDEN_1_UNITS` weights for each card index."""
BIAS_1_OFFSET = CARD_ROWS_OFFSET + CARD_INDICES * HIDDEN_1_UNITS
MATRIX_OFFSET = BIAS_1_OFFSET + HIDDEN_1_UNITS
"""`HIDDEN_2_UNITS` weights for each unit of the first hidden layer."""
BIAS_2_OFFSET = MATRIX_OFFSET + HIDDEN_1_UNITS * HIDDEN_2_UNITS
OUTPUT_OFFSET = BIAS_2_OFFSET + HIDDEN_2_UNITS
"""`HIDDEN_2_UNITS` weights of the second hidden layer's units."""
KIND_SIZE = OUTPUT_OFFSET + HIDDEN_2_UNITS
"""Numbers for one kind of contract."""
