"""A user policy that calls and plays, with parameters:

    kqj-sim simulate --policy examples/ace_counter.py
    kqj-sim simulate --policy examples/ace_counter.py:take=4,dear=8

The functions are compiled, so they are written with numbers: sets of cards are integers, a bit a
card, and a parameter is a float.  `kqj-sim policies show examples/ace_counter.py` explains them.
"""

from typing import Any

import kqj_sim as kqj
from kqj_sim import ACES, PASS, cheapest, count, dearest, highest, lowest, suit
from kqj_sim.policies.tools import first_of


@kqj.policy
class ace_counter:  # specifications are lower case
    """counts long suits and aces"""

    take: Any = kqj.whole(5, "cards of a suit and aces beside it to take it", 1, 12)
    dear: Any = kqj.number(10, "points on the table that make a trick worth winning", 0, 150)

    def choose_take(self, view: Any) -> Any:
        """Take with `take` cards of a suit and aces beside it; in the first lap the Return's."""
        hand = view.hand | view.turned
        best, named = self.take - 1, PASS
        for number in range(4):
            if view.lap == 1 and suit(view.turned, number) == 0:
                continue
            cards = suit(hand, number)
            worth = count(cards) + count(hand & ACES & ~cards)
            if worth > best:
                best, named = worth, number
        return named

    def choose_card(self, view: Any) -> Any:
        """Lead high; win what is worth `dear` as low as possible; give points to a partner."""
        legal = view.legal
        if view.position == 0:
            return highest(first_of(legal & ~view.trumps, legal))
        if view.partner_is_master:
            return dearest(view, first_of(legal & ~view.trumps, legal))
        winning = legal & view.winning
        if winning != 0 and kqj.card_points(view, view.trick) >= self.dear:
            return lowest(winning)
        return cheapest(view, legal)
