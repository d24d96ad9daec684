"""Kwajongen's loops that ask a policy: templates as those of `core.asking`, which it shares."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import asking, rng
from kqj_sim.core.asking import _block, _table
from kqj_sim.core.compile import apart, variant
from kqj_sim.core.kwajongen.bits import TRUMPS, by_strength
from kqj_sim.core.kwajongen.state import HANDS
from kqj_sim.core.kwajongen.trick import follow_view, lead_view, put_lead
from kqj_sim.core.kwajongen.views import AcceptView
from kqj_sim.core.state import (
    CALL,
    CONTRACT,
    ILLEGAL,
    KEY,
    OPEN,
    PENDING,
    PLAYERS,
    STRIDE,
    TURNED,
    padded,
    policy_of,
)

# Bound for each policy by `policies.compiled`.
_choose: Any = None
_parameters: Any = None
_weights: Any = None
_EVERYBODY: bool = True
_CHECKED: bool = True


def ask_accept(
    block: Any, lanes: int, place: int, unused: int, teams: int, rule: int, number: int,
    table: Any, resources: Any,
) -> None:  # fmt: skip
    """Ask a place whether it plays, where OPEN: CALL is 1, or 0 for a pass."""
    state = _block(block)
    values = _parameters(_table(table), number)
    weights = _weights(resources, number)
    n = padded(lanes)
    hands = apart(block, HANDS + place * STRIDE)
    for i in range(n):
        players = state[PLAYERS + i]
        if _EVERYBODY or (policy_of(players, place) == number and state[OPEN + i] != 0):
            trump = state[CONTRACT + i]
            view = AcceptView(
                by_strength(hands[i], trump), by_strength(state[TURNED + i], trump),
                TRUMPS, trump, place, state[PENDING + i], players, teams,
                rng.draw(state[KEY + i], rng.CALL + place),
            )  # fmt: skip
            asked = not _CHECKED or (i < lanes and state[OPEN + i] != 0)
            call = _choose(view, values, weights) if asked else 0
            if _CHECKED:
                wrong = call != 0 and call != 1
                call = 0 if wrong else call
                state[ILLEGAL + i] = 1 if wrong else state[ILLEGAL + i]
            state[CALL + i] = 1 if call else 0


ask_lead = variant("kwajongen_ask_lead", asking.ask_lead, lead_view=lead_view, put_lead=put_lead)
ask_follow = variant("kwajongen_ask_follow", asking.ask_follow, follow_view=follow_view)
