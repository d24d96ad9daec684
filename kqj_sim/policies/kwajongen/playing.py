"""How `standard` plays Kwajongen: each legal card by what its trick may bring, and what it costs.

A card is worth the points of the trick, won or lost, times how much likelier the own team is to win
it than to lose it, less a price: trumps and sure winners are worth keeping.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import lowest_bit, popcount
from kqj_sim.core.compile import scalar
from kqj_sim.core.kwajongen.bits import PACK, TRUMPS
from kqj_sim.core.kwajongen.solve import card_points, points_in
from kqj_sim.core.kwajongen.state import SEATS, TRICKS
from kqj_sim.core.kwajongen.trick import lane_of
from kqj_sim.core.state import voids_of
from kqj_sim.core.trick import winning_cards
from kqj_sim.policies.parameters import number

PRICES = {
    "help": number(0.8, "chance that the partner wins a trick that was lost to an opponent", 0, 1),
    "keep_trump": number(1.3, "price of the nine of trump, in points", -10, 10),
    "keep_rank": number(1.4, "by so much each rank of trump is dearer than the one below", -10, 10),
    "keep_winner": number(-0.3, "price of a plain card that no other of its suit beats", -10, 10),
    "next_lead": number(0.3, "worth of the next lead", -10, 10),
    "keep_suit": number(
        0.2, "price of the only card of a plain suit while one has trumps", -10, 10
    ),
}
"""Parameters of the play, in card points."""


@scalar
def _none_of(cards: int, unseen: int, held: int) -> float:
    """The chance that none of `cards` cards is among the `held` of a hand, of `unseen` in all."""
    chance = 1.0
    for k in range(held):
        rest = unseen - k
        chance *= max(rest - cards, 0) / rest if rest > 0 else 1.0
    return chance


@scalar
def _beats(view: Any, position: int, led: int, master: int, unseen: int, held: int) -> float:
    """The chance that a position yet to play beats a master, holding `held` unseen cards."""
    voids = voids_of(view.players, position)
    number = popcount(unseen)
    better = unseen & winning_cards(led, TRUMPS, master)
    no_trump = 1.0
    if voids & 8 == 0:
        no_trump = _none_of(popcount(better & TRUMPS & ~led), number, held)
    lane = 1 if led & 0xFFFF != 0 else (2 if led & (0xFFFF << 16) != 0 else 4)
    lane = 8 if led & TRUMPS != 0 else lane
    if voids & lane != 0:
        return 1.0 - no_trump
    higher = 1.0 - _none_of(popcount(better & led), number, held)
    void = _none_of(popcount(unseen & led), number, held)
    return higher + void * (1.0 - no_trump)


@scalar
def _chance(view: Any, led: int, master: int, ours: bool, unseen: int, help: float) -> float:
    """The chance that the own team wins the trick, with a master that is `ours` or not."""
    held = TRICKS - view.trick_number
    chance = 1.0 if ours else 0.0
    for position in range(view.position + 1, SEATS):
        beats = _beats(view, position, led, master, unseen, held)
        if (position - view.position) & 1 != 0:
            chance *= 1.0 - beats
        else:
            # Where an opponent is master now he must be beaten, else it is the partner's help.
            chance += (1.0 - chance) * beats * (help if ours else 1.0)
    return chance


@scalar
def card_by_rule(view: Any, prices: Any) -> int:
    """The legal card of the greatest value; of several, that of the lowest bit."""
    unseen = PACK & ~(view.hand | view.played | view.trick)
    on_table = points_in(view.trick)
    best, best_value = 0, 0.0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        suit = lane_of(card)
        led = suit if view.position == 0 else view.led
        takes = view.position == 0 or card & view.winning != 0
        ours = takes or view.partner_is_master != 0
        chance = _chance(view, led, card if takes else view.master, ours, unseen, prices.help)
        value = (2.0 * chance - 1.0) * (on_table + card_points(card))
        value += prices.next_lead * chance if takes else 0.0
        if card & TRUMPS != 0:
            below = popcount((card - 1) & TRUMPS)
            value -= prices.keep_trump + prices.keep_rank * below
        elif unseen & suit & -(2 * card) == 0:
            value -= prices.keep_winner
        only = view.hand & suit == card
        value -= prices.keep_suit if only and suit != TRUMPS and view.hand & TRUMPS != 0 else 0.0
        if best == 0 or value > best_value:
            best, best_value = card, value
    return best
