"""`always`: takes, or opens the bidding, with any hand."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import NO_TRUMP, popcount, trailing_zeros
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import suit_cards

always = policy(
    "always",
    "takes the Return's suit at once; in auctions makes the lowest bid in its longest suit, then "
    "passes",
)


@always
def choose_take(view: Any) -> int:
    """Take with the suit of the Return."""
    return trailing_zeros(view.turned) >> 4


@always
def choose_bid(view: Any) -> int:
    """Bid the lowest amount in the longest suit if nobody has bid yet, else pass."""
    if view.bidder >= 0 or view.lowest_amount > view.highest_amount:
        return PASS
    longest = 0
    for suit in range(1, NO_TRUMP):
        if popcount(view.hand & suit_cards(suit)) > popcount(view.hand & suit_cards(longest)):
            longest = suit
    return bid_code(view.lowest_amount, longest, 0)


@always
def choose_counter(view: Any) -> bool:
    """Decline."""
    return False


@always
def choose_overcounter(view: Any) -> bool:
    """Decline."""
    return False
