"""`greedy`: looks only at its hand and at the trick."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.cards import EACH_SUIT
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import cheap_cards, dear_cards, first_of, lowest

greedy = policy(
    "greedy",
    "remembers nothing: leads aces, wins cheaply, gives points to partners, discards low cards",
)

_ACE = EACH_SUIT << 11


@greedy
def choose_card(view: Any) -> int:
    """Lead a plain ace or low; win as low as possible; give points to a partner's trick."""
    legal = view.legal
    cheap = cheap_cards(view, legal)
    best = legal & _ACE & ~view.trumps
    lead = first_of(best & -best, cheap)
    to_partner = dear_cards(view, first_of(legal & ~view.trumps, legal))
    follow = to_partner if view.partner_is_master else first_of(legal & view.winning, cheap)
    return lowest(lead if view.position == 0 else follow)
