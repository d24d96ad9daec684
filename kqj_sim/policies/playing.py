"""Card play by rule: each legal card gets a value in points, the sum of the terms below.

A card is worth its share of what the trick brings, by the chance that the own side wins it, less
what it would be worth later: a master (no unseen card of its suit beats it) takes a trick of its
own, the cards below it need guards, trumps are drawn by who contracts, and the lead is good for
who has masters to cash.  The parameters are prices of these things in points; they are fitted to
what became of rounds that were played on with each of a hand's cards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kqj_sim.core.bits import (
    EACH_LANE,
    LANE,
    NO_TRUMP,
    TRUMP_JACK,
    TRUMP_KING,
    TRUMP_QUEEN,
    highest_bit,
    lowest_bit,
    popcount,
    trailing_zeros,
)
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import SEATS, TRICKS
from kqj_sim.policies.situation import Situation, outcome, situation
from kqj_sim.policies.tools import points

_KINGS = EACH_LANE << TRUMP_KING
_QUEENS_JACKS = EACH_LANE << TRUMP_QUEEN | EACH_LANE << TRUMP_JACK

_MOST_MASTERS = 3
"""More masters than these add nothing: the lead is lost, or the round over, before they count."""
_LATE = 3
"""Finished tricks from which on a Capot is in sight."""
_FEW = 2
"""Unseen cards of a suit that are few."""


class _Memory(NamedTuple):
    """What a decision's candidate cards share."""

    known: Situation
    left: int
    """Tricks after this one."""
    trumps_out: int
    """Unseen trumps."""
    holds_top: int
    """1 if the hand holds a trump that no unseen one beats."""
    wins_all: int
    """1 if a Capot is in sight: the own team has won every trick, `_LATE` of them or more."""
    partner_sends: int
    """1 if the Sender is a partner who is still to play."""


class _Facts(NamedTuple):
    """What the terms say of one card."""

    points: int
    chance: float
    """The chance that the own side wins the trick."""
    stays: float
    """The chance that this card wins it."""
    above: int
    """Unseen cards of its suit that beat it."""
    master: int
    """1 if there are none."""
    out: int
    """Unseen cards of its suit."""
    length: int
    """Cards of its suit that stay in the hand."""
    trumps: int
    """Trumps that stay in the hand."""
    masters: int
    """Masters that stay in the hand, up to `_MOST_MASTERS`."""
    plain_masters: int
    """Of them, without that limit, those that are no trumps."""
    under_master: int
    """1 if the best card of its suit that stays is a master and stronger."""
    unguarded: int
    """Points of the best card of its suit that stays, if it loses its last needed guard."""
    touching: int
    """1 if the hand also holds the next stronger card."""
    haul: float
    """The chance times the mean points of the unseen cards of the suit led."""
    partners: int
    """Partners who are still to play."""
    opponents: int
    partners_void: int
    """Of them, those known to lack the suit led."""
    opponents_void: int
    trump: int
    """1 if it is a trump."""
    follows: int
    """1 if it is of the suit led."""
    king_first: int
    """1 if it is the King of a trump suit whose Queen stays in the hand."""


@scalar
def _remember(view: Any) -> _Memory:
    """What the cards so far tell."""
    known = situation(view)
    sender = view.sender - view.leader
    sender += SEATS if sender < 0 else 0
    return _Memory(
        known=known,
        left=TRICKS - 1 - view.trick_number,
        trumps_out=popcount(known.unseen & view.trumps),
        holds_top=1 if highest_bit(view.hand & view.trumps) & ~known.below != 0 else 0,
        wins_all=1 if view.won == view.played and view.trick_number >= _LATE else 0,
        partner_sends=1 if view.contracting != 0 and sender > view.position else 0,
    )


@scalar
def _facts(view: Any, held_back: float, memory: _Memory, card: int) -> _Facts:
    """What the terms need to know of a card."""
    known = memory.known
    suit = LANE << (trailing_zeros(card) & 48)
    led = suit if view.position == 0 else view.led
    chance, stays = outcome(view, held_back, known, card)
    rest = view.hand & ~card
    others = rest & suit
    best = highest_bit(others)
    length = popcount(others)
    above_best = popcount(known.unseen & suit & -(best << 1))
    guards = best > card and above_best > 0 and length <= above_best
    behind = (62 << view.position) & 63
    void = (known.voids >> (trailing_zeros(led) & 48)) & behind
    led_out = known.unseen & led
    # The conditions stand apart: numba takes none inside a call with so many names.
    master = 1 if card & known.below == 0 else 0
    under_master = 1 if best > card and best & known.below == 0 else 0
    unguarded = points(view, best) if guards else 0
    touching = 1 if (card << 1) & others != 0 else 0
    trump = 1 if card & view.trumps != 0 else 0
    follows = 1 if card & view.led != 0 else 0
    king_first = 1 if card & _KINGS & view.climbing & (others << 1) != 0 else 0
    return _Facts(
        points=points(view, card),
        chance=chance,
        stays=stays,
        above=popcount(known.unseen & suit & -(card << 1)),
        master=master,
        out=popcount(known.unseen & suit),
        length=length,
        trumps=popcount(rest & view.trumps),
        masters=min(popcount(rest & ~known.below), _MOST_MASTERS),
        plain_masters=popcount(rest & ~known.below & ~view.trumps),
        under_master=under_master,
        unguarded=unguarded,
        touching=touching,
        haul=chance * points(view, led_out) / max(popcount(led_out), 1),
        partners=popcount(known.partners & behind),
        opponents=popcount(known.opponents & behind),
        partners_void=popcount(void & known.partners),
        opponents_void=popcount(void & known.opponents),
        trump=trump,
        follows=follows,
        king_first=king_first,
    )


@scalar
def _any(p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of every card."""
    value = card.chance * (p.win_table * memory.known.on_table + p.win_points * card.points)
    # The second and third best of a suit may still take a trick, or be given to a partner.
    value += p.second_points * (card.above == 1) * card.points
    value += p.third_points * (card.above == 2) * card.points
    # With trumps out there are ruffs to come, and points are better played now.
    value += p.undrawn_points * memory.trumps_out * card.points
    value += p.opponent_void * card.opponents_void
    # Cards that touch take the same tricks: the lower one is spent first.
    value += p.touching * card.touching
    # King before Queen is a bonus, sure once the King is played.
    value += p.king_first * card.king_first
    # All tricks are worth much more than most.
    value += p.win_all * memory.wins_all * card.chance
    return value


@scalar
def _trump(p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of a trump, led, followed with or ruffed with."""
    value = (p.trump_points + p.trump_undrawn_points * memory.trumps_out) * card.points
    # The best trumps still out but one, two and three: tricks to come.
    value += p.trump_second * (card.above == 1)
    value += p.trump_third * (card.above == 2)
    value += p.trump_fourth * (card.above == 3)
    value += p.trump_early * memory.left
    value += p.trump_partner_void * card.partners_void
    return value


@scalar
def _plain(p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of a card of another suit than trump, where there is a trump suit."""
    return memory.left * (p.plain_chance_early * card.chance + p.plain_points_early * card.points)


@scalar
def _no_trump(view: Any, p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of every card that is no trump, with or without a trump suit."""
    # Masters of a long suit run; of a suit with few cards out a trick is soon ruffed.
    value = p.out * card.out + p.long_master * card.master * card.length
    value += p.contracting_points * view.contracting * card.points
    value += p.before_sender * memory.partner_sends
    return value


@scalar
def _lead(view: Any, p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of leading."""
    low = card.above > 0 and card.out <= _FEW
    drawn = memory.trumps_out == 0
    value = (p.lead_points + p.lead_master_points * card.master) * card.points
    # Leading low from a master is to give away the trick that it would take.
    value += p.lead_under_master * card.under_master
    value += p.lead_touching * card.stays * card.touching
    # With no trump out a master runs no risk: it can wait.
    value += p.lead_safe_master * card.master * drawn * memory.left
    if card.trump != 0:
        value += card.chance * (p.draw_chance * card.opponents + p.draw_masters * card.masters)
        value += p.draw_haul * card.haul + p.draw_opponent_void * card.opponents_void
        value += p.draw_under_master * card.under_master + p.draw_low * low
        return value
    value += p.lead_trumps_kept * card.trumps
    if view.contract >= NO_TRUMP:
        value += p.even_lead_chance * card.chance * card.chance
        value += p.even_lead_cash * card.stays * card.masters
        value += p.even_lead_master_out * card.master * card.out
        value += p.even_lead_long * card.master * card.length
        value += p.even_lead_low * low
        value += p.all_trumps_lead_second * (view.contract > NO_TRUMP) * (card.above == 1)
    return value


@scalar
def _follow(view: Any, p: Any, memory: _Memory, card: _Facts) -> float:
    """Terms of following: to the suit, with a ruff or with a discard."""
    drawn = memory.trumps_out == 0
    value = (p.master + p.master_points * card.points) * card.master
    value += (p.follow_out + p.out_points * card.points) * card.out
    value += p.last_of_suit * (card.length == 0) + p.under_master * card.under_master
    value += p.haul * card.haul
    # To win the trick is to lead: good for who has masters to cash, best with no trump out.
    value += card.stays * (p.cash * card.masters + p.cash_drawn * drawn * card.plain_masters)
    if card.follows != 0:
        value += p.follow_chance * card.opponents * card.chance
    if card.trump != 0:
        value += (p.trump_master + p.trump_master_contracting * view.contracting) * card.master
        value += p.trump_second_points * (card.above == 1) * card.points
        value += p.trump_partners * card.partners * card.chance
        if card.follows == 0:
            value += p.ruff_from_length * (card.above > 0) * card.length
            return value
        value += card.chance * (p.climb_chance + p.climb_with_top * memory.holds_top)
        value += p.climb_master_undrawn * card.master * memory.trumps_out
        return value
    if card.follows == 0:
        value += p.discard_guard * card.unguarded
    if view.contract >= NO_TRUMP:
        return value + p.even_master_out * card.master * card.out
    value += (p.plain_master_points * card.points + p.plain_safe_master * drawn * memory.left) * (
        card.master
    )
    if card.follows == 0:
        value += p.discard_master_out * card.master * card.out
    return value


@scalar
def best_card_by_rule(view: Any, prices: Any) -> int:
    """The legal card of the greatest value; of several, that of the lowest bit.

    `prices` has a field for each of `policies.prices.PRICES`.
    """
    # The Queen waits for the King, the Jack for the Queen: the bonus needs that order.
    waiting = view.hand & (view.hand >> 1) & view.climbing & _QUEENS_JACKS
    legal = view.legal & ~waiting if view.legal & ~waiting != 0 else view.legal
    if legal & (legal - 1) == 0:
        return legal
    memory = _remember(view)
    best, choice = -1e9, 0
    while legal != 0:
        card = lowest_bit(legal)
        legal ^= card
        facts = _facts(view, prices.held_back, memory, card)
        value = _any(prices, memory, facts)
        if facts.trump != 0:
            value += _trump(prices, memory, facts)
        else:
            value += _no_trump(view, prices, memory, facts)
            if view.contract < NO_TRUMP:
                value += _plain(prices, memory, facts)
        if view.position == 0:
            value += _lead(view, prices, memory, facts)
        else:
            value += _follow(view, prices, memory, facts)
        if value > best:
            best, choice = value, card
    return choice
