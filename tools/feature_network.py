"""The teacher of `network`: a network that makes a pass for each legal card, not made to be fast.

    value of a card = its linear weights + w3 . relu(b2 + W2' relu(b1 + shared rows + card rows))

It is `network` of version 4, with weights of its own for each variant and kind of contract, in
half precision (`weights_file`).  A decision has features that its cards share, those of
`kqj_sim.policies.features`; and each card has *card features*, indices into tables of their own
that stand one behind the other.
"""

from __future__ import annotations

import os
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from kqj_sim.core.block import SEATS, TRICKS
from kqj_sim.core.cards import SUIT_MASK, highest_bit, lowest_bit, popcount, trailing_zeros
from kqj_sim.core.jit import float32_at, scalar, stack_float32, stack_int64
from kqj_sim.core.types import Address, Card, Float32Array, Float32Pointer
from kqj_sim.policies.features import (
    FEATURES,
    FLAG_VALUES,
    POINT_BUCKETS,
    POINTS_BUCKET,
    RANK_COUNT,
    ROWS,
    make_buckets,
    write_features,
)
from kqj_sim.policies.tools import points
from kqj_sim.policies.trick_odds import (
    CAPOT_VALUES,
    KIND_COUNT,
    NEEDED_VALUES,
    RELATION_VALUES,
    SUIT_COUNT,
    TrickContext,
    build_trick_context,
    estimate_win_chances,
)

PLAY_KINDS = 6
"""Ways to play a card: leads 0 plain or 1 climbing, follows suit 2 plain or 3 climbing, 4 ruffs, 5
is discarded.  Climbing are the trumps, and all suits at All-Trumps."""
CHANCE_BUCKETS = 10
"""Buckets of a chance: 0 impossible, 9 certain (both to half a percent), 1 to 8 of equal width."""
MEAN_BUCKETS = 6
"""Buckets of the mean points of the unseen cards of the suit led (`_MEANS_FROM`)."""
MASTER_OUTCOMES = 4
"""The master after the card: 0 still a partner's, 1 still an opponent's, 2 this card; 3 when
leading."""

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

CARD_FEATURES = len(CARD_TABLES)

(_RANK, _ABOVE, _TRICK, _CHANCE, _LEFT, _TRUMPS, _SENDER, _MARRIAGE, _SUIT, _NEEDED, _MOMENT,
 _CAPOT, _MASTERS, _CARD, _CASH, _HAUL, _GUARD, _UNDRAWN, CARD_INDICES) = accumulate(
    map(prod, CARD_TABLES.values()), initial=0
)  # fmt: skip

_MEANS_FROM = (0, 1, 3, 5, 8, 12)
_MEANS_BUCKET = make_buckets(_MEANS_FROM, 32)
_TRUMPS_BUCKET = make_buckets((0, 1, 3, 6), 16)
_PHASE = make_buckets((0, 3, 5), TRICKS)


@scalar
def bucket_chance(chance: float) -> int:
    """Return the bucket of a chance (`CHANCE_BUCKETS`)."""
    return int(chance * 8.08 + 0.96)


@scalar
def write_card_features(view: Any, context: TrickContext, card: Card, out: Any, start: int) -> None:
    """Write the `CARD_FEATURES` indices of a candidate card to `out`, from `start` on.

    Args:
        view: the player's view.
        context: its `build_trick_context`.
        card: a legal card.
        out: gets the indices.
        start: see `out`.
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

    wins, stays = estimate_win_chances(view, HELD_BACK_SHARE, context, card)
    led = view.led if leads == 0 else suit_mask
    led_out = context.unseen & led
    mean = points(view, led_out) // max(popcount(led_out), 1)
    touching = 1 if (card << 1) & rest != 0 else 0
    under_master = 1 if top > card and top & context.below == 0 else 0
    guards = top > card and above_rest > 0 and popcount(rest) <= above_rest
    unguarded = POINTS_BUCKET[points(view, top) & 127] if guards else 0
    undrawn = popcount(context.unseen & view.trumps)
    chance = bucket_chance(wins)
    worth = POINTS_BUCKET[(context.on_table + points(view, card)) & 127]
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
    out[start + 1] = _ABOVE + (play * 6 + min(above, 5)) * 3 + _PHASE[view.trick_number & 7]
    out[start + 2] = _TRICK + (after * CHANCE_BUCKETS + chance) * POINT_BUCKETS + worth
    out[start + 3] = _CHANCE + (rank * CHANCE_BUCKETS + chance) * 2 + climbs
    out[start + 4] = _LEFT + (play * 5 + min(popcount(rest), 4)) * 4 + highest
    out[start + 5] = _TRUMPS + (play * 6 + trumps_left) * 4 + trumps_unseen
    out[start + 6] = _SENDER + (play * RELATION_VALUES + context.relation) * 2 + beats
    out[start + 7] = _MARRIAGE + marriage
    suit = (leads * 6 + length) * 4 + min(above, 3)
    out[start + 8] = _SUIT + (suit * 3 + void_opponents) * 3 + void_partners
    out[start + 9] = _NEEDED + (context.needed * CHANCE_BUCKETS + chance) * 2 + contracting
    moment = view.trick_number * SEATS + view.position
    out[start + 10] = _MOMENT + (moment * PLAY_KINDS + play) * 2 + beats
    out[start + 11] = _CAPOT + ((context.capot * PLAY_KINDS + play) * 2 + beats) * 2 + master
    out[start + 12] = _MASTERS + (play * 5 + masters_left) * 2 + master
    out[start + 13] = _CARD + ((context.slots >> (shift >> 3)) & 3) * RANK_COUNT + rank
    drawn = 1 if undrawn == 0 else 0
    out[start + 14] = _CASH + ((bucket_chance(stays) * 5 + masters_left) * 2 + leads) * 2 + drawn
    behind = SEATS - 1 - view.position
    out[start + 15] = _HAUL + (chance * MEAN_BUCKETS + _MEANS_BUCKET[mean & 31]) * SEATS + behind
    out[start + 16] = (
        _GUARD + ((play * 2 + touching) * 2 + under_master) * POINT_BUCKETS + unguarded
    )
    value = POINTS_BUCKET[points(view, card) & 127]
    out[start + 17] = _UNDRAWN + (play * POINT_BUCKETS + value) * 8 + min(undrawn, 7)


UNITS_1, UNITS_2 = 48, 16
"""Units of the two hidden layers."""

SHAPES: dict[str, tuple[int, ...]] = {
    "linear": (CARD_INDICES, 1),
    "shared_rows": (ROWS, UNITS_1),
    "card_rows": (CARD_INDICES, UNITS_1),
    "bias_1": (UNITS_1,),
    "matrix": (UNITS_1, UNITS_2),
    "bias_2": (UNITS_2,),
    "output": (UNITS_2,),
}
"""The parameters of one kind of contract, in the order in which they are stored."""

STARTS = dict(
    zip(
        [*SHAPES, "end"],
        accumulate((-(-prod(shape) // 16) * 16 for shape in SHAPES.values()), initial=0),
        strict=True,
    )
)
"""First number of each parameter: a multiple of sixteen; `end`: numbers of one kind."""

_LINEAR, _SHARED_ROWS, _CARD_ROWS, _BIAS_1, _MATRIX, _BIAS_2, _OUTPUT, KIND_SIZE = STARTS.values()


def weights_file(teams: int, bidding: str) -> Path:
    """Return the file of the weights for a variant.

    The history of the repository has them: `git archive 06358a36 tools/weights | tar x`; the
    variable KQJ_TEACHER names another folder.
    """
    folder = os.environ.get("KQJ_TEACHER") or Path(__file__).resolve().parent / "weights"
    return Path(folder, f"network-{teams}-{bidding}.npz")


def read_weights(path: Path) -> Float32Array:
    """Return the weights of a file, float32 (KIND_COUNT, KIND_SIZE)."""
    with np.load(path) as file:
        weights: Float32Array = file["weights"].astype(np.float32)
    return weights.reshape(KIND_COUNT, KIND_SIZE)


def split_weights(numbers: Float32Array) -> dict[str, Float32Array]:
    """Return the parameters of one kind of contract, as views of its numbers, (KIND_SIZE,)."""
    return {
        name: numbers[STARTS[name] : STARTS[name] + prod(shape)].reshape(shape)
        for name, shape in SHAPES.items()
    }


@scalar
def write_card_values(view: Any, weights: Address, values: Float32Pointer) -> int:
    """Write the value of each legal card, from the lowest bit on, and return their number.

    Args:
        view: the player's view.
        weights: address of the variant's weights (`read_weights`).
        values: float32, gets the values in points, up to a common constant.
    """
    known = build_trick_context(view)
    numbers = float32_at(weights + 4 * KIND_SIZE * known.kind)
    shared, features = stack_int64(FEATURES), stack_int64(CARD_FEATURES)
    common, first = stack_float32(UNITS_1), stack_float32(UNITS_1)
    write_features(view, known, shared, 0, 1)
    for unit in range(UNITS_1):
        common[unit] = numbers[_BIAS_1 + unit]
        for k in range(FEATURES):
            common[unit] += numbers[_SHARED_ROWS + shared[k] * UNITS_1 + unit]
    count = 0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        write_card_features(view, known, card, features, 0)
        value = np.float32(0)
        for k in range(CARD_FEATURES):
            value += numbers[_LINEAR + features[k]]
        for unit in range(UNITS_1):
            total = common[unit]
            for k in range(CARD_FEATURES):
                total += numbers[_CARD_ROWS + features[k] * UNITS_1 + unit]
            first[unit] = max(total, np.float32(0))
        for unit in range(UNITS_2):
            total = numbers[_BIAS_2 + unit]
            for k in range(UNITS_1):
                total += first[k] * numbers[_MATRIX + k * UNITS_2 + unit]
            value += max(total, np.float32(0)) * numbers[_OUTPUT + unit]
        values[count] = value
        count += 1
    return count
