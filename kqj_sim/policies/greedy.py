"""`greedy`: looks at its hand and at the trick only."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import EACH_LANE
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import cheapest, dearest, first_of, lowest

greedy = policy(
    "greedy", "no memory: leads aces, wins cheaply, gives points to partners, discards low"
)

_ACE = EACH_LANE << 11


@greedy
def choose_card(view: Any) -> int:
    """Lead a plain ace or low; win as low as possible; give points to a partner's trick."""
    legal = view.legal
    best = legal & _ACE & ~view.trumps
    lead = first_of(best & -best, cheapest(view, legal))
    winning = legal & view.winning
    to_partner = dearest(view, first_of(legal & ~view.trumps, legal))
    alone = lowest(winning) if winning != 0 else cheapest(view, legal)
    follow = to_partner if view.partner_is_master else alone
    return lead if view.position == 0 else follow
