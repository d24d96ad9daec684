"""What the learned card policies know: a decision as a few rows of tables.

Every *card feature* is an index into a table of its own, and so is every *shared feature* (of the
decision, the same for all candidate cards); the tables stand one behind the other.  A policy gives
each index a weight, or a row of weights.

Lanes that play the same part are alike, so nothing depends on which suit is in which lane: a lane
is known by its *slot*.  Slot 0 is the trump lane (of a suit contract), next is the lane led, then
come the others by own number of cards, by own cards, and by what is known of them.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.bits import (
    LANE,
    NO_TRUMP,
    PACK,
    highest_bit,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import ABOUT, SEATS, TRICKS, team_of, turned
from kqj_sim.core.trick import winning_cards
from kqj_sim.policies.chances import MOST_HIDDEN, MOST_WANTED, NONE_HELD
from kqj_sim.policies.tools import points

KINDS = 3
"""Kinds of contracts: 0 a suit, 1 No-Trump, 2 All-Trumps."""

LANES, RANKS = 4, 12
FLAG = 2
PLAYS = 6
"""How a card is played: leads 0 plain or 1 climbing, follows suit 2 plain or 3 climbing, 4 ruffs,
5 is discarded.  Climbing are the trumps, and all suits at All-Trumps."""
CHANCES = 10
"""Buckets of a chance: 0 impossible, 9 certain (both to half a percent), 1 to 8 even between."""
POINTS = 8
"""Buckets of the card points in a trick (`_POINTS_FROM`)."""
NEEDED = 8
"""Points that the contracting team needs: 0 none, 1 to 6 by sixths of those left, 7 more."""
CAPOTS = 4
"""Who won all tricks so far: 0 no team, 1 the own, 2 another, 3 none is finished yet."""
RELATIONS = 5
"""The Sender: 0 oneself; a partner 1 behind, 2 before; an opponent 3 behind, 4 before."""
OUTCOMES = 4
"""After the card the master is 0 still a partner's, 1 still an opponent's, 2 this card; 3 it leads."""
GROUPS, STATES = 3, 81
"""A lane's ranks in groups of four; each card is unseen, held or gone (3**4 states)."""
COUNTS = 7
"""Own cards of a lane: 0 to 5, or more."""
AMOUNTS = 13
"""Amount bid: 0 none, then from 80 in steps of 20."""
OWN_POINTS, MISSING_POINTS = 16, 16
"""Buckets of sixteen points won by the own team; of ten points needed, 0 none."""

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
 _CAPOT, _MASTERS, _CARD, _) = CARD_START.values()  # fmt: skip
(_S_CARDS, _S_PLAYERS, _S_LANES, _S_SENDER, _S_TRICK, _S_OWN, _S_MISSING, _S_NEEDED, _S_AMOUNT,
 _S_RETURN, _S_MASTER, _S_TABLE, _) = SHARED_START.values()  # fmt: skip

ALL_POINTS, LAST_TRICK = 236, 10
HALF = 124
"""Two teams, taking: more than half of the card points and the last trick."""
THIRD = 98
"""Three teams, taking: what about beats the better of two others."""

_POINTS_FROM = (0, 3, 7, 12, 18, 25, 34, 46)


def _buckets(bounds: tuple[int, ...], size: int) -> NDArray[np.int64]:
    """For each number below `size` how many of the bounds after the first it reaches."""
    return np.searchsorted(bounds, np.arange(size), side="right") - 1


_POINTS_BUCKET = _buckets(_POINTS_FROM, 128)
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

_EACH_PLAYER = sum(1 << ABOUT * position for position in range(SEATS))
_GATHER = sum(1 << (45 - (ABOUT - 1) * position) for position in range(SEATS))


class Situation(NamedTuple):
    """What the features of all candidate cards share; sets of positions have a bit a position."""

    kind: int
    """0 a suit contract, 1 No-Trump, 2 All-Trumps."""
    unseen: int
    """Cards in the other hands."""
    below: int
    """In each lane the highest unseen card and all below it."""
    voids: int
    """Positions known void, sixteen bits a lane."""
    hidden: int
    """Cards of the hands that may hold cards of a lane, sixteen bits a lane."""
    slots: int
    """The slot of each lane, two bits a lane."""
    partners: int
    """Positions of partners, without oneself."""
    opponents: int
    """Positions of opponents."""
    relation: int
    """The Sender (`RELATIONS`)."""
    own_points: int
    """Card points of the own team."""
    missing: int
    """Points that the contracting team still needs; 0 or less if it has them."""
    needed: int
    """The same as a share of those left (`NEEDED`)."""
    capot: int
    """Who won all tricks so far (`CAPOTS`)."""
    on_table: int
    """Card points in the trick."""


@scalar
def _gathered(spread: int) -> int:
    """Bits at each player's first place in packed players, brought together: a bit a position."""
    return (((spread & _EACH_PLAYER) * _GATHER) >> 45) & 63


@scalar
def _up_to_highest(cards: int) -> int:
    """In each lane the highest card of a set and all below it."""
    cards |= (cards >> 1) & PACK
    cards |= (cards >> 2) & PACK
    cards |= (cards >> 4) & PACK
    return cards | ((cards >> 4) & PACK)


@scalar
def _lane_key(view: Any, gone: int, voids: int, lane: int) -> int:
    """Lanes come in the order of this number, the greatest first; it differs between lanes."""
    shift = 16 * lane
    own = (view.hand >> shift) & LANE
    trump = 1 if (view.trumps >> shift) & LANE != 0 else 0
    led = 1 if (view.led >> shift) & LANE != 0 else 0
    known = (gone >> shift) & LANE
    returned = 1 if (view.turned >> shift) & LANE & ~known != 0 else 0
    key = (trump << 5) + (led << 4) + popcount(own)
    key = (key << 12) | own
    key = (key << 12) | known
    key = (key << 7) | (returned << 6) | ((voids >> shift) & 63)
    return (key << 2) | lane


@scalar
def _slots(view: Any, gone: int, voids: int) -> int:
    """The slot of each lane, two bits a lane."""
    a = _lane_key(view, gone, voids, 0)
    b = _lane_key(view, gone, voids, 1)
    c = _lane_key(view, gone, voids, 2)
    d = _lane_key(view, gone, voids, 3)
    ab = 1 if a < b else 0
    ac = 1 if a < c else 0
    ad = 1 if a < d else 0
    bc = 1 if b < c else 0
    bd = 1 if b < d else 0
    cd = 1 if c < d else 0
    return (
        (ab + ac + ad) | (1 - ab + bc + bd) << 2 | (2 - ac - bc + cd) << 4 | (3 - ad - bd - cd) << 6
    )


@scalar
def situation(view: Any) -> Situation:
    """What all candidate cards of a view share."""
    position = view.position
    gone = view.played | view.trick
    unseen = PACK & ~(view.hand | gone)
    before = (1 << position) - 1
    behind = (62 << position) & 63

    differs = view.players ^ (team_of(view.players, position) * _EACH_PLAYER)
    opponents = _gathered(differs | differs >> 1)
    partners = (before | behind) & ~opponents

    more = TRICKS - view.trick_number
    voids, hidden = 0, 0
    for lane in range(LANES):
        shift = 16 * lane
        void = _gathered(view.players >> (5 + lane))
        void = 63 if (unseen >> shift) & LANE == 0 else void
        holders = ~void & (before | behind)
        voids |= void << shift
        hidden |= (popcount(holders) * more - popcount(holders & before)) << shift

    sender = view.sender - view.leader
    sender += SEATS if sender < 0 else 0
    relation = 1 if (partners >> sender) & 1 != 0 else 3
    relation += (before >> sender) & 1
    relation = 0 if sender == position else relation

    first = view.trick_number == 0
    all_own = view.won == view.played
    all_other = (view.won == 0) & (
        (view.won_contracting == 0) | (view.won_contracting == view.played)
    )
    capot = 1 if all_own else (2 if all_other else 0)
    capot = 3 if first else capot

    target = HALF if view.team_count == 2 else THIRD
    target = view.amount if view.amount != 0 else target
    missing = target - points(view, view.won_contracting)
    left = ALL_POINTS - points(view, view.played) + LAST_TRICK
    needed = 1 + 6 * max(missing, 0) // (left + 1)
    needed = 0 if missing <= 0 else min(needed, NEEDED - 1)
    return Situation(
        kind=max(view.contract - NO_TRUMP + 1, 0),
        unseen=unseen,
        below=_up_to_highest(unseen),
        voids=voids,
        hidden=hidden,
        slots=_slots(view, gone, voids),
        partners=partners,
        opponents=opponents,
        relation=relation,
        own_points=points(view, view.won),
        missing=missing,
        needed=needed,
        capot=capot,
        on_table=points(view, view.trick),
    )


@scalar
def _chance_row(held: int, hidden: int) -> int:
    """Where the chances for `held` of `hidden` cards begin in `NONE_HELD`."""
    return (held * (MOST_HIDDEN + 1) + hidden) * (MOST_WANTED + 1)


@scalar
def side_wins(view: Any, known: Situation, card: int) -> float:
    """The chance that the own side wins the trick after a card.

    The unseen cards are taken to be anywhere among the hands not known void, and a player who can
    beat the master to do so.
    """
    lane = trailing_zeros(card) & 48
    led = view.led if view.led != 0 else LANE << lane
    beats = card & view.winning != 0
    master = card if beats else view.master
    ours = 1.0 if beats or view.partner_is_master != 0 else 0.0
    above = known.unseen & winning_cards(led, view.trumps, master)
    led_lane = trailing_zeros(led) & 48
    held = TRICKS - view.trick_number
    in_suit = _chance_row(held, (known.hidden >> led_lane) & 63)
    in_trumps = _chance_row(held, (known.hidden >> 48) & 63)
    ruffs = 1.0 - NONE_HELD[in_trumps + popcount(above & ~led)]
    follows = 1.0 - NONE_HELD[in_suit + popcount(above & led)]
    none = NONE_HELD[in_suit + popcount(known.unseen & led)]
    lacks_led = (known.voids >> led_lane) & 63
    lacks_trumps = (known.voids >> 48) & 63
    for position in range(view.position + 1, SEATS):
        lacks = (lacks_led >> position) & 1 != 0
        ruff = 0.0 if (lacks_trumps >> position) & 1 != 0 else ruffs
        beat = ruff if lacks else follows + none * ruff
        side = 1.0 if (known.partners >> position) & 1 != 0 else 0.0
        ours += (side - ours) * beat
    return ours


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
    outcome = 2 if beats != 0 else 1 - view.partner_is_master
    outcome = 3 if leads != 0 else outcome

    chance = chance_bucket(side_wins(view, known, card))
    worth = _POINTS_BUCKET[(known.on_table + points(view, card)) & 127]
    void = known.voids >> shift
    void_opponents = min(popcount(void & known.opponents), 2)
    void_partners = min(popcount(void & known.partners), 2)
    highest = 0 if rest == 0 else 1 + min(above_rest, 2)
    trumps_left = min(popcount(view.hand & view.trumps & ~card), 5)
    trumps_unseen = _TRUMPS_BUCKET[popcount(known.unseen & view.trumps) & 15]
    held = (own >> (shift + 3)) & 7
    gone = ((view.played | view.trick) >> (shift + 4)) & 3
    which = rank - 2 if 3 <= rank <= 5 else 0
    marriage = 1 + ((held << 2) + gone) * 4 + which if climbs != 0 else 0
    length = min(popcount(own), 6) - 1
    masters_left = min(popcount(view.hand & ~(known.below | card)), 4)
    contracting = view.contracting

    out[start] = _RANK + (play * RANKS + rank) * 2 + contracting
    out[start + 1] = _ABOVE + (play * 6 + min(above, 5)) * 3 + _PHASE[view.trick_number & 7]
    out[start + 2] = _TRICK + (outcome * CHANCES + chance) * POINTS + worth
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
