"""Compiled functions on sets of cards and on views, to write policies with.

Sets of cards are integers with one bit per card (`core.cards`).  None of the functions loops, so
that policies that use them become vector code.
"""

from __future__ import annotations

from typing import Any, cast

from kqj_sim.core import cards as c
from kqj_sim.core import rng
from kqj_sim.core.block import team_of
from kqj_sim.core.jit import InlineFunction, scalar
from kqj_sim.core.types import CardSet, PackedPlayers, Suit
from kqj_sim.core.views import bid_code
from kqj_sim.policies.card_sets import check_arguments

count = c.popcount
"""Return the number of cards in a set."""


@scalar
def first_of(preferred: CardSet, otherwise: CardSet) -> int:
    """Return the first set if it is not empty, else the second."""
    return preferred if preferred != 0 else otherwise


@scalar
def ranks(cards: CardSet) -> int:
    """Return the ranks that occur in a set, as its lowest sixteen bits."""
    return (cards | cards >> 16 | cards >> 32 | cards >> 48) & c.SUIT_MASK


@scalar
def lowest(cards: CardSet) -> int:
    """Return the card of the lowest rank; of several, a plain one rather than a trump.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.cards_text(kqj.lowest(kqj.hand("Ah 4h Ks")))
        '♥ 4'
    """
    # All ranks that occur, in every suit; of these the lowest, as `lowest_bit` but suit by suit.
    # The product of a rank and `EACH_SUIT` would take a vector twice as long.
    every = cards | c.rotate_suits(cards, 32)
    every |= c.rotate_suits(every, 16)
    return c.lowest_bit(cards & every & (c.EACH_SUIT - 1 - every))


@scalar
def highest(cards: CardSet) -> int:
    """Return the card of the highest rank; of several, a trump rather than a plain one.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.cards_text(kqj.highest(kqj.hand("Ah 4h Ks")))
        '♥ A'
    """
    return c.highest_bit(cards & (c.highest_bit(ranks(cards)) * c.EACH_SUIT))


@scalar
def points(view: Any, cards: CardSet) -> int:
    """Return the card points of a set in the contract of a card view.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def collector(view):
        ...     legal = view.legal
        ...     rich = kqj.card_points(view, view.trick) > 20
        ...     return kqj.highest(legal) if rich else kqj.lowest(legal)
        >>> kqj.simulate(deals=50, policy=collector).deals
        50
    """
    return c.count_card_points(
        cards, view.points_1, view.points_2, view.points_4, view.points_8, view.points_16
    )


@scalar
def cheap_cards(view: Any, cards: CardSet) -> int:
    """Return the cards of under 4 points if there are any, else those of under 8, else all."""
    dear = view.points_8 | view.points_16
    light = cards & ~(dear | view.points_4)
    return first_of(light, first_of(cards & ~dear, cards))


@scalar
def dear_cards(view: Any, cards: CardSet) -> int:
    """Return the cards of 16 points or more if there are any, else of 8, else of 4, else all."""
    some = first_of(cards & view.points_8, first_of(cards & view.points_4, cards))
    return first_of(cards & view.points_16, some)


@scalar
def cheapest(view: Any, cards: CardSet) -> int:
    """Return a card of few points: under 4 if there is one, else under 8; of these the lowest.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def thrifty(view):
        ...     return kqj.cheapest(view, view.legal)
        >>> kqj.simulate(deals=50, policy=thrifty).deals
        50
    """
    return lowest(cheap_cards(view, cards))


@scalar
def dearest(view: Any, cards: CardSet) -> int:
    """Return a card of many points: at least 16 if there is one, else 8, else 4; of these the
    lowest.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def generous(view):
        ...     helps = view.partner_is_master
        ...     legal = view.legal
        ...     return kqj.dearest(view, legal) if helps else kqj.cheapest(view, legal)
        >>> kqj.simulate(deals=50, policy=generous).deals
        50
    """
    return lowest(dear_cards(view, cards))


@scalar
def is_partner(players: PackedPlayers, one: int, other: int) -> bool:
    """Return True if two places (or two positions) belong to one team."""
    return team_of(players, one) == team_of(players, other)


@scalar
def suit_cards(suit: Suit) -> int:
    """Return all twelve cards of a suit (0 to 3, `shdc`) in natural coding."""
    return c.SUIT_MASK << 16 * suit


@scalar
def random_below(view: Any, bound: int) -> int:
    """Return a random number from 0 to bound - 1 (bound up to 32767)."""
    return rng.scale_32_below(view.random, bound)


@scalar
def chance(view: Any, probability: float) -> bool:
    """Return True with a probability, from 0 (never) to 1 (always)."""
    return rng.is_32_below(view.random, probability)


@scalar
def _without_two(cards: CardSet) -> int:
    """Return a set without its two lowest cards."""
    cards &= cards - 1
    return cards & (cards - 1)


@scalar
def _nth_of(cards: CardSet, number: int, most: int) -> int:
    # By the binary digits of the number.
    if most > 4:
        cards = c.select(number & 4 != 0, _without_two(_without_two(cards)), cards)
    if most > 2:
        cards = c.select(number & 2 != 0, _without_two(cards), cards)
    cards = c.select(number & 1 != 0, cards & (cards - 1), cards)
    return c.lowest_bit(cards)


@scalar
def nth_card(cards: CardSet, number: int) -> int:
    """Return the card with a number (0 to 7, from the lowest bit) of a set of up to eight."""
    return _nth_of(cards, number, 8)


@scalar
def best_card(cards: CardSet, values: Any) -> int:
    """Return the card of the greatest value of one to eight; of several, that of the lowest bit.

    `values` has a number for each card of the set, from the lowest bit on.
    """
    best = 0
    for number in range(1, c.popcount(cards)):
        best = number if values[number] > values[best] else best
    return nth_card(cards, best)


@scalar
def random_card(view: Any, cards: CardSet) -> int:
    """Return a card of a set of up to eight, each equally likely.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def careless(view):
        ...     return kqj.random_card(view, view.legal)
        >>> kqj.simulate(deals=50, policy=careless).deals
        50
    """
    return nth_card(cards, rng.scale_32_below(view.random, c.popcount(cards)))


@scalar
def random_legal_card(view: Any) -> int:
    """Return a legal card, each equally likely."""
    # Later tricks, in which fewer cards are held, become loops of their own.
    legal = view.legal
    return _nth_of(legal, rng.scale_32_below(view.random, c.popcount(legal)), 8 - view.trick_number)


@scalar
def normal_share(z: float) -> float:
    """Return the share of a standard normal distribution below z, with an error of at most 1.5e-7.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.19: products and one quotient
    only, so that it is the same number on every processor.
    """
    x = abs(z)
    series = 0.0000053830 * x + 0.0000488906
    series = series * x + 0.0000380036
    series = series * x + 0.0032776263
    series = series * x + 0.0211410061
    series = series * x + 0.0498673470
    series = series * x + 1.0
    squared = series * series
    fourth = squared * squared
    eighth = fourth * fourth
    above = 0.5 / (eighth * eighth)
    return 1.0 - above if z > 0.0 else above


# At the prompt they tell what is wrong with their arguments, as compiling does in policies.
for _function in (lowest, highest, points, cheapest, dearest, random_card, bid_code):
    cast("InlineFunction", _function).check = check_arguments
