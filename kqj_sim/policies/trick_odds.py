"""Facts of a decision about a card, and the chance that the player's side wins the trick.

Chances are over the unseen cards.  Cards are coded by strength, so suits are those of that coding.
Suits in the same role are alike: a suit is known by its *slot*.  Slot 0 is the trump suit (of a
suit contract), next is the suit led, then come the others by number of cards in the hand, by these
cards, and by what is known of them.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.columns import CARD_POINTS
from kqj_sim.core.block import PLAYER_BITS, SEATS, TRICKS, team_of
from kqj_sim.core.cards import NO_TRUMP, PACK, SUIT_MASK, popcount, trailing_zeros
from kqj_sim.core.jit import scalar
from kqj_sim.core.scoring import LAST_TRICK_BONUS
from kqj_sim.core.trick import winning_cards
from kqj_sim.core.types import Card, CardSet, Float64Array
from kqj_sim.policies.tools import points

MAX_HIDDEN, MAX_HELD, MAX_WANTED = 40, 8, 12


def _make_none_held() -> Float64Array:
    """Return the table `NONE_HELD`; 0 where more would be held than is hidden."""
    table = np.zeros((MAX_HELD + 1, MAX_HIDDEN + 1, MAX_WANTED + 1))
    for held in range(MAX_HELD + 1):
        for hidden in range(held, MAX_HIDDEN + 1):
            for wanted in range(MAX_WANTED + 1):
                free = max(hidden - wanted, 0)
                table[held, hidden, wanted] = comb(free, held) / comb(hidden, held)
    return table.ravel()


NONE_HELD = _make_none_held()
"""Chance that `held` of `hidden` cards have none of `wanted`: at `_chance_row_start` + wanted."""

KIND_COUNT = 3
"""Kinds of contracts: 0 a suit, 1 No-Trump, 2 All-Trumps."""
SUIT_COUNT = 4
NEEDED_VALUES = 8
"""Points that the contracting team needs: 0 none, 1 to 6 by sixths of those left, 7 more."""
CAPOT_VALUES = 4
"""Winner of all tricks so far: 0 no team, 1 the player's, 2 another, 3 none is finished yet."""
RELATION_VALUES = 5
"""The Sender: 0 the player; a partner 1 behind, 2 before; an opponent 3 behind, 4 before."""

TWO_TEAM_GOAL = 124
"""Two teams, taking: more than half of the card points and the last trick."""
THREE_TEAM_GOAL = 98
"""Three teams, taking: about as much as beats the better of two others."""

_EACH_PLAYER = sum(1 << PLAYER_BITS * position for position in range(SEATS))
_GATHER_FACTOR = sum(1 << (45 - (PLAYER_BITS - 1) * position) for position in range(SEATS))
"""Factor that brings the bits of `_EACH_PLAYER` together from bit 45 on."""


class TrickContext(NamedTuple):
    """Facts that the features of all candidate cards share; sets of positions have one bit each."""

    kind: int
    """0 a suit contract, 1 No-Trump, 2 All-Trumps."""
    unseen: int
    """Cards in the other hands."""
    below: int
    """In each suit the highest unseen card and all below it."""
    voids: int
    """Positions known void, sixteen bits per suit."""
    hidden: int
    """Cards in hands that may hold cards of a suit, sixteen bits per suit."""
    slots: int
    """Slot of each suit, two bits per suit."""
    partners: int
    """Positions of partners, without the player's own."""
    opponents: int
    relation: int
    """Relation to the Sender (`RELATION_VALUES`)."""
    own_points: int
    """Card points of the player's team."""
    missing: int
    """Points that the contracting team still needs; 0 or less if it has them."""
    needed: int
    """The same as a share of those left (`NEEDED_VALUES`)."""
    capot: int
    """Winner of all tricks so far (`CAPOT_VALUES`)."""
    on_table: int
    """Card points in the trick."""


@scalar
def _gather_bits(spread: int) -> int:
    """Gather the bits at each player's first place in packed players: one bit per position."""
    return (((spread & _EACH_PLAYER) * _GATHER_FACTOR) >> 45) & 63


@scalar
def mask_up_to_highest(cards: CardSet) -> int:
    """Return in each suit the highest card of a set and all below it."""
    cards |= (cards >> 1) & PACK
    cards |= (cards >> 2) & PACK
    cards |= (cards >> 4) & PACK
    return cards | ((cards >> 4) & PACK)


@scalar
def _suit_sort_key(view: Any, gone: CardSet, voids: int, suit: int) -> int:
    """Return a number, different for each suit, whose descending order is that of the slots."""
    shift = 16 * suit
    own = (view.hand >> shift) & SUIT_MASK
    trump = 1 if (view.trumps >> shift) & SUIT_MASK != 0 else 0
    led = 1 if (view.led >> shift) & SUIT_MASK != 0 else 0
    known = (gone >> shift) & SUIT_MASK
    returned = 1 if (view.turned >> shift) & SUIT_MASK & ~known != 0 else 0
    key = (trump << 5) + (led << 4) + popcount(own)
    key = (key << 12) | own
    key = (key << 12) | known
    key = (key << 7) | (returned << 6) | ((voids >> shift) & 63)
    return (key << 2) | suit


@scalar
def _assign_slots(view: Any, gone: CardSet, voids: int) -> int:
    """Return the slot of each suit, two bits per suit."""
    a = _suit_sort_key(view, gone, voids, 0)
    b = _suit_sort_key(view, gone, voids, 1)
    c = _suit_sort_key(view, gone, voids, 2)
    d = _suit_sort_key(view, gone, voids, 3)
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
def divide_whole(number: int, divisor: int) -> int:
    """Return number // divisor for small numbers, 0 or more, and a divisor of 1 or more.

    By a division of floats, since no vector instruction divides integers.
    """
    return int(float(number) / float(divisor))


@scalar
def build_trick_context(view: Any) -> TrickContext:
    """Return the facts that all candidate cards of a view share."""
    position = view.position
    gone = view.played | view.trick
    unseen = PACK & ~(view.hand | gone)
    before = (1 << position) - 1
    behind = (62 << position) & 63

    differs = view.players ^ (team_of(view.players, position) * _EACH_PLAYER)
    opponents = _gather_bits(differs | differs >> 1)
    partners = (before | behind) & ~opponents

    more = TRICKS - view.trick_number
    voids, hidden = 0, 0
    for suit in range(SUIT_COUNT):
        shift = 16 * suit
        void = _gather_bits(view.players >> (5 + suit))
        void = 63 if (unseen >> shift) & SUIT_MASK == 0 else void
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

    target = TWO_TEAM_GOAL if view.team_count == 2 else THREE_TEAM_GOAL
    target = view.amount if view.amount != 0 else target
    missing = target - points(view, view.won_contracting)
    left = CARD_POINTS - points(view, view.played) + LAST_TRICK_BONUS
    needed = 1 + divide_whole(6 * max(missing, 0), left + 1)
    needed = 0 if missing <= 0 else min(needed, NEEDED_VALUES - 1)
    return TrickContext(
        kind=max(view.contract - NO_TRUMP + 1, 0),
        unseen=unseen,
        below=mask_up_to_highest(unseen),
        voids=voids,
        hidden=hidden,
        slots=_assign_slots(view, gone, voids),
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
def _chance_row_start(held: int, hidden: int) -> int:
    """Return the index in `NONE_HELD` of the chances for `held` of `hidden` cards."""
    return (held * (MAX_HIDDEN + 1) + hidden) * (MAX_WANTED + 1)


@scalar
def estimate_win_chances(
    view: Any, held_back: float, context: TrickContext, card: Card
) -> tuple[float, float]:
    """Estimate the chances that the player's side, and that the card itself, wins the trick.

    The strongest card wins, whoever plays it: if anybody behind ruffs, or beats the master in the
    suit led, their side wins in proportion to each player's chance to do so.  Players who have
    played would mostly have beaten the master if they could; so among the places where an unseen
    higher card can be, their hands count by `held_back` only.  The Return is in the Sender's hand.
    """
    led = view.led if view.led != 0 else SUIT_MASK << (trailing_zeros(card) & 48)
    beats = card & view.winning != 0
    master = card if beats else view.master
    ours = 1.0 if beats or view.partner_is_master != 0 else 0.0
    alone = 1.0 if beats else 0.0
    above = context.unseen & winning_cards(led, view.trumps, master)
    shift = trailing_zeros(led) & 48
    held = TRICKS - view.trick_number
    lacks_led = (context.voids >> shift) & 63
    lacks_trumps = (context.voids >> 48) & 63
    behind = popcount(~lacks_led & (62 << view.position) & 63) * held
    before = ((context.hidden >> shift) & 63) - behind
    in_suit = behind + int(held_back * before + 0.5)
    anywhere = (context.hidden >> shift) & 63
    in_trumps = (context.hidden >> 48) & 63
    higher, ruffs = popcount(above & led), popcount(above & ~led)
    of_suit = popcount(context.unseen & led)

    returned = view.turned & context.unseen
    sender = view.sender - view.leader
    sender += SEATS if sender < 0 else 0
    # Chances for a player, and for the Sender who holds the Return besides, looked up once.
    no_ruff, no_ruff_besides = _none_held(held, in_trumps, ruffs)
    no_higher, no_higher_besides = _none_held(held, in_suit, higher)
    none_of_suit, none_of_suit_besides = _none_held(held, anywhere, of_suit)
    none_follows, none_ruffs = 1.0, 1.0
    follow_all, follow_ours, ruff_all, ruff_ours = 0.0, 0.0, 0.0, 0.0
    for position in range(view.position + 1, SEATS):
        has_return = returned if position == sender else 0
        side = 1.0 if (context.partners >> position) & 1 != 0 else 0.0
        ruff = 1.0 - (no_ruff_besides if has_return != 0 else no_ruff)
        ruff = 1.0 if has_return & above & ~led != 0 else ruff
        ruff = 0.0 if (lacks_trumps >> position) & 1 != 0 or ruffs == 0 else ruff
        follow = 1.0 - (no_higher_besides if has_return != 0 else no_higher)
        follow = 1.0 if has_return & above & led != 0 else follow
        void = none_of_suit_besides if has_return != 0 else none_of_suit
        void = 0.0 if has_return & led != 0 else void
        lacks = (lacks_led >> position) & 1 != 0
        follow = 0.0 if lacks else follow
        ruff *= 1.0 if lacks else void
        none_follows *= 1.0 - follow
        none_ruffs *= 1.0 - ruff
        follow_all += follow
        follow_ours += side * follow
        ruff_all += ruff
        ruff_ours += side * ruff
    chance = none_follows * ours
    share = (1.0 - none_follows) * follow_ours / follow_all
    chance += share if follow_all > 0.0 else 0.0
    chance *= none_ruffs
    share = (1.0 - none_ruffs) * ruff_ours / ruff_all
    chance += share if ruff_all > 0.0 else 0.0
    stays = alone * none_follows * none_ruffs
    return (ours, alone) if above == 0 else (chance, stays)


@scalar
def _none_held(held: int, hidden: int, wanted: int) -> tuple[float, float]:
    """Return the chances that `held`, and one fewer, of `hidden` cards have none of `wanted`."""
    # Unsigned, as numba's check for negative indices would end vectorisation.
    return (
        NONE_HELD[np.uint64(_chance_row_start(held, hidden) + wanted)],
        NONE_HELD[np.uint64(_chance_row_start(held - 1, hidden) + wanted)],
    )
