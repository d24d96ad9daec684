"""What the learned card policies know: a decision as a few rows of tables.

Every *card feature* is an index into a table of its own, and so is every *shared feature* (of the
decision, the same for all candidate cards); the tables stand one behind the other.  A policy gives
each index a weight, or a row of weights.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.bits import LANE, highest_bit, popcount, trailing_zeros
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import ABOUT, SEATS, TRICKS, team_of, turned
from kqj_sim.policies.situation import CAPOTS, LANES, NEEDED, RELATIONS, Situation, outcome
from kqj_sim.policies.tools import points

RANKS = 12
FLAG = 2
PLAYS = 6
"""How a card is played: leads 0 plain or 1 climbing, follows suit 2 plain or 3 climbing, 4 ruffs,
5 is discarded.  Climbing are the trumps, and all suits at All-Trumps."""
CHANCES = 10
"""Buckets of a chance: 0 impossible, 9 certain (both to half a percent), 1 to 8 even between."""
POINTS = 8
"""Buckets of the card points in a trick (`_POINTS_FROM`)."""
MEANS = 6
"""Buckets of the mean points of the unseen cards of the suit led (`_MEANS_FROM`)."""
OUTCOMES = 4
"""The master after the card: 0 still a partner's, 1 still an opponent's, 2 this card; 3 leading."""
GROUPS, STATES = 3, 81
"""A lane's ranks in groups of four; each card is unseen, held or gone (3**4 states)."""
COUNTS = 7
"""Own cards of a lane: 0 to 5, or more."""
AMOUNTS = 13
"""Amount bid: 0 none, then from 80 in steps of 20."""
OWN_POINTS, MISSING_POINTS = 16, 16
"""Buckets of sixteen points won by the own team; of ten points needed, 0 none."""

HELD_BACK = 0.25
"""Share of those who could have beaten the master and did not (`situation.outcome`)."""

CARD_TABLES: dict[str, tuple[int, ...]] = {
    # How it is played, rank, contracting.
    "rank": (PLAYS, RANKS, FLAG),
    # How, unseen cards above it in its lane (0 to 4, or more), phase (tricks 1-3, 4-5, 6-8).
    "above": (PLAYS, 6, 3),
    # Outcome, chance that the own side wins the trick, points in the trick with this card's.
    "trick": (OUTCOMES, CHANCES, POINTS),
    # Rank, the same chance, climbing or plain.
    "chance": (RANKS, CHANCES, FLAG),
    # How, cards left in its lane (0 to 3, or more), the highest of them: 0 none, 1 master (no
    # unseen card is above it), 2 second, 3 lower.
    "left": (PLAYS, 5, 4),
    # How, own trumps left (0 to 4, or more), unseen trumps (0, 1-2, 3-5, more).
    "trumps": (PLAYS, 6, 4),
    # How, the Sender's relation, whether it becomes master.
    "sender": (PLAYS, RELATIONS, FLAG),
    # 0 if it is plain; else 1 + (J, Q, K held; Q, K gone; it is another, J, Q, K).
    "marriage": (1 + 8 * 4 * 4,),
    # Leading or not, own length (1 to 5, or more), unseen above (0 to 2, or more), opponents and
    # partners known void in its lane (0, 1, more).
    "suit": (FLAG, 6, 4, 3, 3),
    # Points needed, chance, contracting.
    "needed": (NEEDED, CHANCES, FLAG),
    # Number of the trick, position, how, whether it becomes master.
    "moment": (TRICKS, SEATS, PLAYS, FLAG),
    # Who can make Capot, how, whether it becomes master, whether no unseen card is above it.
    "capot": (CAPOTS, PLAYS, FLAG, FLAG),
    # How, masters left in hand (0 to 3, or more), whether this card is one.
    "masters": (PLAYS, 5, FLAG),
    # Slot, rank.
    "card": (LANES, RANKS),
    # Whether to take a trick now: chance that this card itself wins it, masters left in hand after
    # it (0 to 3, or more), leading, no trump unseen (always so without a trump suit).
    "cash": (CHANCES, 5, FLAG, FLAG),
    # What others may yet add: chance that the own side wins, mean points of the unseen cards of
    # the suit led (0, 1-2, 3-4, 5-7, 8-11, more), players behind.
    "haul": (CHANCES, MEANS, SEATS),
    # What it does to its lane: how, the next stronger card is held, the best card left is stronger
    # and a master, and points of that stronger card if it keeps fewer guards (cards below it) than
    # unseen cards are above it, else 0.
    "guard": (PLAYS, FLAG, FLAG, POINTS),
    # What a trump may yet take: how, points of the card, unseen trumps (0 to 6, or more).
    "undrawn": (PLAYS, POINTS, 8),
}
"""The tables of the card features, and the numbers of values that make up an index."""

SHARED_TABLES: dict[str, tuple[int, ...]] = {
    # For each slot and group of ranks the state of the four cards.
    "cards": (LANES, GROUPS, STATES),
    # For each other player from the left on: opponent or partner, has played to this trick, slots
    # in which he is known void.
    "players": (SEATS - 1, FLAG, FLAG, 1 << LANES),
    # For each slot: own cards, unseen cards.
    "lanes": (LANES, COUNTS, RANKS + 1),
    # The Sender's place counted from the own one, position.
    "sender": (SEATS, SEATS),
    # Number of the trick, position.
    "trick": (TRICKS, SEATS),
    # Points of the own team, who can make Capot.
    "own": (OWN_POINTS, CAPOTS),
    # Points needed, contracting.
    "missing": (MISSING_POINTS, FLAG),
    # Points needed as a share of those left, contracting, number of the trick.
    "needed": (NEEDED, FLAG, TRICKS),
    # Amount, stake (1, 2, 4), Capot announced.
    "amount": (AMOUNTS, 3, FLAG),
    # 0, or 1 + slot and rank of the Return while the Sender holds it unseen.
    "return": (1 + LANES * RANKS,),
    # 0 when leading, else 1 + (opponent's or partner's master, plain or trump, rank).
    "master": (1 + FLAG * FLAG * RANKS,),
    # Points in the trick so far, position.
    "table": (POINTS, SEATS),
}
"""The tables of the shared features; the first three give several, the others one each."""


def _starts(tables: dict[str, tuple[int, ...]]) -> dict[str, int]:
    """The first index of each table, and `end`."""
    starts, at = {}, 0
    for name, sizes in tables.items():
        starts[name] = at
        at += prod(sizes)
    return {**starts, "end": at}


CARD_START, SHARED_START = _starts(CARD_TABLES), _starts(SHARED_TABLES)
"""The first index of each table."""

CARD_FEATURES, CARD_INDICES = len(CARD_TABLES), CARD_START["end"]
SHARED_FEATURES = LANES * GROUPS + (SEATS - 1) + LANES + len(SHARED_TABLES) - 3
SHARED_INDICES = SHARED_START["end"]

(_RANK, _ABOVE, _TRICK, _CHANCE, _LEFT, _TRUMPS, _SENDER, _MARRIAGE, _SUIT, _NEEDED, _MOMENT,
 _CAPOT, _MASTERS, _CARD, _CASH, _HAUL, _GUARD, _UNDRAWN, _) = CARD_START.values()  # fmt: skip
(_S_CARDS, _S_PLAYERS, _S_LANES, _S_SENDER, _S_TRICK, _S_OWN, _S_MISSING, _S_NEEDED, _S_AMOUNT,
 _S_RETURN, _S_MASTER, _S_TABLE, _) = SHARED_START.values()  # fmt: skip

_MEANS_FROM = (0, 1, 3, 5, 8, 12)
_POINTS_FROM = (0, 3, 7, 12, 18, 25, 34, 46)


def _buckets(bounds: tuple[int, ...], size: int) -> NDArray[np.int64]:
    """For each number below `size` how many of the bounds after the first it reaches."""
    return np.searchsorted(bounds, np.arange(size), side="right") - 1


_POINTS_BUCKET = _buckets(_POINTS_FROM, 128)
_MEANS_BUCKET = _buckets(_MEANS_FROM, 32)
_TRUMPS_BUCKET = _buckets((0, 1, 3, 6), 16)
_PHASE = _buckets((0, 3, 5), TRICKS)
_BASE_3 = np.array([sum(3**k for k in range(4) if bits >> k & 1) for bits in range(16)])
"""Four bits as digits of a number to the base 3."""


def _in_slots() -> NDArray[np.int64]:
    """[slots of the lanes, two bits each; four bits by lane]: the bits by slot."""
    return np.array(
        [
            sum((bits >> lane & 1) << (slots >> 2 * lane & 3) for lane in range(LANES)) & 15
            for slots in range(256)
            for bits in range(16)
        ]
    )


_IN_SLOTS = _in_slots()


@scalar
def chance_bucket(chance: float) -> int:
    """The bucket of a chance (`CHANCES`)."""
    return int(chance * 8.08 + 0.96)


@scalar
def card_features(view: Any, known: Situation, card: int, out: Any, start: int) -> None:
    """Write the `CARD_FEATURES` indices of a candidate card to `out`, from `start` on."""
    bit = trailing_zeros(card)
    rank, shift = bit & 15, bit & 48
    lane = LANE << shift
    own = view.hand & lane
    rest = own ^ card
    top = highest_bit(rest)
    above = popcount(known.unseen & lane & -(2 * card))
    above_rest = popcount(known.unseen & lane & -(2 * top))

    leads = 1 if view.position == 0 else 0
    climbs = 1 if card & view.climbing != 0 else 0
    follows = card & view.led != 0
    beats = 1 if card & view.winning != 0 else 0
    master = 1 if card & known.below == 0 else 0
    play = 2 + climbs if follows else (4 if card & view.trumps != 0 else 5)
    play = climbs if leads != 0 else play
    after = 2 if beats != 0 else 1 - view.partner_is_master
    after = 3 if leads != 0 else after

    wins, stays = outcome(view, HELD_BACK, known, card)
    led = view.led if leads == 0 else lane
    led_out = known.unseen & led
    mean = points(view, led_out) // max(popcount(led_out), 1)
    touching = 1 if (card << 1) & rest != 0 else 0
    under_master = 1 if top > card and top & known.below == 0 else 0
    guards = top > card and above_rest > 0 and popcount(rest) <= above_rest
    unguarded = _POINTS_BUCKET[points(view, top) & 127] if guards else 0
    undrawn = popcount(known.unseen & view.trumps)
    chance = chance_bucket(wins)
    worth = _POINTS_BUCKET[(known.on_table + points(view, card)) & 127]
    void = known.voids >> shift
    void_opponents = min(popcount(void & known.opponents), 2)
    void_partners = min(popcount(void & known.partners), 2)
    highest = 0 if rest == 0 else 1 + min(above_rest, 2)
    trumps_left = min(popcount(view.hand & view.trumps & ~card), 5)
    trumps_unseen = _TRUMPS_BUCKET[undrawn & 15]
    held = (own >> (shift + 3)) & 7
    gone = ((view.played | view.trick) >> (shift + 4)) & 3
    which = rank - 2 if 3 <= rank <= 5 else 0
    marriage = 1 + ((held << 2) + gone) * 4 + which if climbs != 0 else 0
    length = min(popcount(own), 6) - 1
    masters_left = min(popcount(view.hand & ~(known.below | card)), 4)
    contracting = view.contracting

    out[start] = _RANK + (play * RANKS + rank) * 2 + contracting
    out[start + 1] = _ABOVE + (play * 6 + min(above, 5)) * 3 + _PHASE[view.trick_number & 7]
    out[start + 2] = _TRICK + (after * CHANCES + chance) * POINTS + worth
    out[start + 3] = _CHANCE + (rank * CHANCES + chance) * 2 + climbs
    out[start + 4] = _LEFT + (play * 5 + min(popcount(rest), 4)) * 4 + highest
    out[start + 5] = _TRUMPS + (play * 6 + trumps_left) * 4 + trumps_unseen
    out[start + 6] = _SENDER + (play * RELATIONS + known.relation) * 2 + beats
    out[start + 7] = _MARRIAGE + marriage
    suit = (leads * 6 + length) * 4 + min(above, 3)
    out[start + 8] = _SUIT + (suit * 3 + void_opponents) * 3 + void_partners
    out[start + 9] = _NEEDED + (known.needed * CHANCES + chance) * 2 + contracting
    moment = view.trick_number * SEATS + view.position
    out[start + 10] = _MOMENT + (moment * PLAYS + play) * 2 + beats
    out[start + 11] = _CAPOT + ((known.capot * PLAYS + play) * 2 + beats) * 2 + master
    out[start + 12] = _MASTERS + (play * 5 + masters_left) * 2 + master
    out[start + 13] = _CARD + ((known.slots >> (shift >> 3)) & 3) * RANKS + rank
    drawn = 1 if undrawn == 0 else 0
    out[start + 14] = _CASH + ((chance_bucket(stays) * 5 + masters_left) * 2 + leads) * 2 + drawn
    behind = SEATS - 1 - view.position
    out[start + 15] = _HAUL + (chance * MEANS + _MEANS_BUCKET[mean & 31]) * SEATS + behind
    out[start + 16] = _GUARD + ((play * 2 + touching) * 2 + under_master) * POINTS + unguarded
    value = _POINTS_BUCKET[points(view, card) & 127]
    out[start + 17] = _UNDRAWN + (play * POINTS + value) * 8 + min(undrawn, 7)


@scalar
def shared_features(view: Any, known: Situation, out: Any) -> int:
    """Write the shared features to `out`; how many they are, `SHARED_FEATURES`."""
    gone = view.played | view.trick
    slots = known.slots
    exhausted = 0
    at = 0
    for lane in range(LANES):
        shift = 16 * lane
        slot = (slots >> 2 * lane) & 3
        own = (view.hand >> shift) & LANE
        out_of_play = (gone >> shift) & LANE
        left = popcount(known.unseen & (LANE << shift))
        exhausted |= (1 if left == 0 else 0) << lane
        for group in range(GROUPS):
            state = _BASE_3[(own >> 4 * group) & 15] + 2 * _BASE_3[(out_of_play >> 4 * group) & 15]
            out[at] = _S_CARDS + (slot * GROUPS + group) * STATES + state
            at += 1
        out[at] = _S_LANES + (slot * COUNTS + min(popcount(own), COUNTS - 1)) * (RANKS + 1) + left
        at += 1

    around = turned(view.players, view.position)
    own_team = team_of(around, 0)
    for other in range(1, SEATS):
        partner = 1 if team_of(around, other) == own_team else 0
        played = 1 if view.position + other >= SEATS else 0
        void = ((around >> (ABOUT * other + 5)) & 15) | exhausted
        player = ((other - 1) * 2 + partner) * 2 + played
        out[at] = _S_PLAYERS + player * 16 + _IN_SLOTS[(slots << 4) | void]
        at += 1

    trick, position, contracting = view.trick_number, view.position, view.contracting
    sender = view.sender - view.leader - position
    sender += SEATS if sender < 0 else 0
    sender += SEATS if sender < 0 else 0
    missing = 0 if known.missing <= 0 else min(1 + (known.missing - 1) // 10, MISSING_POINTS - 1)
    amount = 0 if view.amount == 0 else 1 + min((view.amount - 80) // 20, AMOUNTS - 2)
    returned = view.turned & known.unseen
    bit = trailing_zeros(returned)
    slot = (slots >> ((bit & 48) >> 3)) & 3
    turned_up = 0 if returned == 0 else 1 + slot * RANKS + (bit & 15)
    trump = 1 if view.master & view.trumps != 0 else 0
    rank = trailing_zeros(view.master) & 15
    master = 1 + (view.partner_is_master * 2 + trump) * RANKS + rank
    on_table = _POINTS_BUCKET[known.on_table & 127]

    out[at] = _S_SENDER + sender * SEATS + position
    out[at + 1] = _S_TRICK + trick * SEATS + position
    out[at + 2] = _S_OWN + min(known.own_points >> 4, OWN_POINTS - 1) * CAPOTS + known.capot
    out[at + 3] = _S_MISSING + missing * 2 + contracting
    out[at + 4] = _S_NEEDED + (known.needed * 2 + contracting) * TRICKS + trick
    out[at + 5] = _S_AMOUNT + (amount * 3 + (view.stake >> 1)) * 2 + view.capot
    out[at + 6] = _S_RETURN + turned_up
    out[at + 7] = _S_MASTER + (0 if position == 0 else master)
    out[at + 8] = _S_TABLE + on_table * SEATS + position
    return at + 9
