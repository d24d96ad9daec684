"""The policies of Kwajongen: `standard` accepts by a fitted count and plays by rule.

The count gives points for the cards held and for the upcard.  Its weights are a least squares fit
of how much better it is for a team to play than to pass, on random deals
(`tools/fit_kwajongen_calls.py`).

In the play a card is worth the points of the trick, won or lost, times the chance that the player's
team wins it minus the chance that it loses it, less a price: trumps and sure winners are worth
keeping.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.block import voids_of
from kqj_sim.core.cards import EACH_SUIT, lowest_bit, popcount
from kqj_sim.core.jit import scalar
from kqj_sim.core.trick import winning_cards
from kqj_sim.core.types import Card, CardSet, Place, Position, SuitMask
from kqj_sim.games.kwajongen import cards as k
from kqj_sim.policies.parameters import Parameter, number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import chance, random_legal_card


def _make_points(default: float, meaning: str) -> Parameter:
    return number(default, meaning, -100, 100)


COUNT_PARAMETERS = {
    "nine": _make_points(1.2, "points of the nine of trump"),
    "ten": _make_points(1.5, "points of the ten of trump"),
    "jack": _make_points(2.8, "points of the jack of trump"),
    "queen": _make_points(4.5, "points of the queen of trump"),
    "king": _make_points(7.5, "points of the king of trump"),
    "ace": _make_points(12.5, "points of the ace of trump"),
    "plain_king": _make_points(0.5, "points of a plain king"),
    "plain_ace": _make_points(4.2, "points of a plain ace"),
    "void": _make_points(2.4, "points of each suit that one has none of, if one has a trump"),
    "two": _make_points(5.6, "further points for two trumps"),
    "three": _make_points(10.1, "further points for three trumps"),
    "four": _make_points(13.0, "further points for four trumps"),
    "shown": _make_points(
        0.67,
        "share of what the shown card is worth more than a nine that is added if it is the "
        "partner's, and taken off if it is an opponent's",
    ),
    "first": _make_points(22.9, "points with which the first to speak plays"),
    "second": _make_points(16.3, "points with which the second to speak plays"),
    "third": _make_points(19.5, "points with which the third to speak plays"),
    "dealer": _make_points(18.6, "points with which the dealer plays"),
    "raised": _make_points(2.9, "by so many points less one plays in a raised round"),
}


@scalar
def _count_trump_points(cards: CardSet, values: Any) -> float:
    ranks = cards >> 48
    return (
        values.nine * (ranks & 1)
        + values.ten * (ranks >> 1 & 1)
        + values.jack * (ranks >> 2 & 1)
        + values.queen * (ranks >> 3 & 1)
        + values.king * (ranks >> 4 & 1)
        + values.ace * (ranks >> 5 & 1)
    )


@scalar
def count_points(hand: CardSet, upcard: CardSet, place: Place, values: Any) -> float:
    """Return the points of a hand, coded by strength, with those for the upcard."""
    plain = hand & ~k.TRUMP_SUIT
    trumps = popcount(hand & k.TRUMP_SUIT)
    voids = (
        1 * (hand & k.SUIT_MASK == 0)
        + 1 * (hand & k.SUIT_MASK << 16 == 0)
        + 1 * (hand & k.SUIT_MASK << 32 == 0)
    )
    points = _count_trump_points(hand, values)
    points += values.plain_king * popcount(plain & EACH_SUIT << 4)
    points += values.plain_ace * popcount(plain & EACH_SUIT << 5)
    points += values.void * voids if trumps > 0 else 0.0
    points += values.two if trumps == 2 else 0.0
    points += values.three if trumps == 3 else 0.0
    points += values.four if trumps == 4 else 0.0
    shown = values.shown * (_count_trump_points(upcard, values) - values.nine)
    side = 0.0 if place == 3 else (1.0 if place == 1 else -1.0)
    return points + side * shown


@scalar
def accepts_by_count(
    hand: CardSet, upcard: CardSet, place: Place, raised: int, values: Any
) -> bool:
    """Return True if the count reaches the threshold of the place."""
    wanted = values.first if place == 0 else values.second
    wanted = wanted if place < 2 else values.third
    wanted = wanted if place < 3 else values.dealer
    return count_points(hand, upcard, place, values) >= wanted - values.raised * raised


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
def _chance_of_none(cards: CardSet, unseen: CardSet, held: int) -> float:
    """Return the chance that none of `cards` cards is in a hand of `held`, of `unseen` in all."""
    chance = 1.0
    for drawn in range(held):
        rest = unseen - drawn
        chance *= max(rest - cards, 0) / rest if rest > 0 else 1.0
    return chance


@scalar
def _chance_to_beat(
    view: Any, position: Position, led: SuitMask, master: Card, unseen: CardSet, held: int
) -> float:
    """Return the chance that a position yet to play beats a master, holding `held` unseen cards."""
    voids = voids_of(view.players, position)
    number = popcount(unseen)
    better = unseen & winning_cards(led, k.TRUMP_SUIT, master)
    no_trump = 1.0
    if voids & 8 == 0:
        no_trump = _chance_of_none(popcount(better & k.TRUMP_SUIT & ~led), number, held)
    lane = 1 if led & 0xFFFF != 0 else (2 if led & (0xFFFF << 16) != 0 else 4)
    lane = 8 if led & k.TRUMP_SUIT != 0 else lane
    if voids & lane != 0:
        return 1.0 - no_trump
    higher = 1.0 - _chance_of_none(popcount(better & led), number, held)
    void = _chance_of_none(popcount(unseen & led), number, held)
    return higher + void * (1.0 - no_trump)


@scalar
def _chance_to_win(
    view: Any, led: SuitMask, master: Card, ours: bool, unseen: CardSet, partner_help: float
) -> float:
    """Return the chance that the team wins the trick, with a master that is `ours` or not."""
    held = k.TRICKS - view.trick_number
    chance = 1.0 if ours else 0.0
    for position in range(view.position + 1, k.SEATS):
        beats = _chance_to_beat(view, position, led, master, unseen, held)
        if (position - view.position) & 1 != 0:
            chance *= 1.0 - beats
        else:
            # An opponent who is master now must be beaten; otherwise the partner may help.
            chance += (1.0 - chance) * beats * (partner_help if ours else 1.0)
    return chance


@scalar
def choose_card_by_rule(view: Any, prices: Any) -> int:
    """Return the legal card of the greatest value; of several, that of the lowest bit."""
    unseen = k.PACK & ~(view.hand | view.played | view.trick)
    on_table = k.count_card_points(view.trick)
    best, best_value = 0, 0.0
    left = view.legal
    while left != 0:
        card = lowest_bit(left)
        left ^= card
        suit = k.suit_mask_of(card)
        led = suit if view.position == 0 else view.led
        takes = view.position == 0 or card & view.winning != 0
        ours = takes or view.partner_is_master != 0
        chance = _chance_to_win(
            view, led, card if takes else view.master, ours, unseen, prices.help
        )
        value = (2.0 * chance - 1.0) * (on_table + k.points_of_card(card))
        value += prices.next_lead * chance if takes else 0.0
        if card & k.TRUMP_SUIT != 0:
            below = popcount((card - 1) & k.TRUMP_SUIT)
            value -= prices.keep_trump + prices.keep_rank * below
        elif unseen & suit & -(2 * card) == 0:
            value -= prices.keep_winner
        only = view.hand & suit == card and suit != k.TRUMP_SUIT and view.hand & k.TRUMP_SUIT != 0
        value -= prices.keep_suit if only else 0.0
        if best == 0 or value > best_value:
            best, best_value = card, value
    return best


standard = policy(
    "standard",
    "says play by points for hand, place and card shown; estimates chances for each card",
    **COUNT_PARAMETERS,
    **PRICES,
)


@standard
def choose_accept(view: Any, parameters: Any) -> bool:
    """Play if the count reaches the threshold of the place."""
    return accepts_by_count(view.hand, view.turned, view.place, view.raised, parameters)


@standard
def choose_card(view: Any, parameters: Any) -> int:
    """Play the legal card of the greatest value."""
    return choose_card_by_rule(view, parameters)


random = policy(
    "random",
    "plays legal cards at random; says play with a given chance",
    accept=number(0.3, "chance to say play when asked", 0, 1),
)


def _accept_at_random(view: Any, parameters: Any) -> bool:
    return chance(view, parameters.accept)


def _play_at_random(view: Any) -> int:
    return random_legal_card(view)


random.add_functions(accept=_accept_at_random, card=_play_at_random)
