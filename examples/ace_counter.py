"""A user policy that calls and plays, with parameters:

    kqj-sim simulate --policy examples/ace_counter.py
    kqj-sim simulate --policy examples/ace_counter.py:take=4,dear=8

The functions are compiled, so they are written with numbers: sets of cards are integers, a bit a
card, and a parameter is a float.  `kqj-sim policies show examples/ace_counter.py` explains them.
"""

from typing import Any

from kqj_sim import highest, lowest, policy
from kqj_sim.policies import PASS, card_points, cheapest, dearest, number, whole
from kqj_sim.policies.tools import count, first_of, suit_cards

SUITS = 4
ACES = 0x0800_0800_0800_0800

ace_counter = policy(
    "ace_counter",
    "counts long suits and aces",
    take=whole(5, "cards of a suit and aces beside it to take it", 1, 12),
    dear=number(10, "points on the table that make a trick worth winning", 0, 150),
)


@ace_counter
def choose_take(view: Any, parameters: Any) -> Any:
    """Take with `take` cards of a suit and aces beside it; in the first lap the Return's suit."""
    hand = view.hand | view.turned
    best, named = parameters.take - 1, PASS
    for suit in range(SUITS):
        cards = suit_cards(suit)
        if view.lap == 1 and view.turned & cards == 0:
            continue
        worth = count(hand & cards) + count(hand & ACES & ~cards)
        if worth > best:
            best, named = worth, suit
    return named


@ace_counter
def choose_card(view: Any, parameters: Any) -> Any:
    """Lead high; win what is worth `dear` as low as possible; give points to a partner's trick."""
    legal = view.legal
    if view.position == 0:
        return highest(first_of(legal & ~view.trumps, legal))
    if view.partner_is_master:
        return dearest(view, first_of(legal & ~view.trumps, legal))
    winning = legal & view.winning
    if winning != 0 and card_points(view, view.trick) >= parameters.dear:
        return lowest(winning)
    return cheapest(view, legal)
