"""How likely players choose as they did: what their calls and cards tell of their hands.

Chances fall off with what a choice lacks to the best one: the chance of a choice whose value lacks
d is proportional to 1 / (1 + d / patience)**2.  Of cards that told better than exponentials: people
and policies differ from any model, and a card that it thinks bad is still played now and then.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import NO_TRUMP, trailing_zeros
from kqj_sim.core.compile import scalar
from kqj_sim.core.memory import stack_float32
from kqj_sim.core.rules import Rules
from kqj_sim.core.state import (
    CONTRACT,
    LAP,
    LAST_BIDS,
    PLAYERS,
    SENDER,
    TURNED,
)
from kqj_sim.core.views import TakeView
from kqj_sim.core.worlds import random_subset
from kqj_sim.policies.counting import count
from kqj_sim.policies.points import FITTED, base_total, count_to_take, heard, needed_to_take
from kqj_sim.policies.tools import normal_share

_SPARE_FIRST, _SPARE = 0.5, 0.2
"""Standard deviations of a total by which a bidder expects to exceed the lowest amount, or what he
bids when others have."""

SOFT = 10.0
"""Points of count about what a call needs, within which some make it and some do not."""

_DOUBT = 0.05
"""The chance that somebody bids for another reason than his count."""

_CHOICES = 7
"""A pass and the contracts."""


@scalar
def chance_of(values: Any, choices: int, chosen: int, patience: float) -> float:
    """The chance that one of some choices is made by who holds them to be worth `values`."""
    best = values[0]
    for each in range(1, choices):
        best = max(best, values[each])
    total = 0.0
    for each in range(choices):
        lacking = 1.0 + (best - values[each]) / patience
        total += 1.0 / (lacking * lacking)
    lacking = 1.0 + (best - values[chosen]) / patience
    return 1.0 / (lacking * lacking * total)


@scalar
def chance_to_bid(state: Any, i: int, place: int, hand: int, rules: Rules) -> float:
    """The chance that a place with a hand of eight cards bids as it last did; 1 if it did not."""
    last_bids = state[LAST_BIDS + i]
    bid = (last_bids >> 10 * place) & 1023
    if bid == 0:
        return 1.0
    two = rules.teams == 2
    contract, amount = (bid & 7) - 1, 10 * (bid >> 3)
    spare = _SPARE_FIRST if amount <= rules.minimum_bid else _SPARE
    needed = amount + spare * (FITTED.spread if two else FITTED.three_spread)
    needed -= base_total(contract, rules.teams, FITTED)
    named = heard(last_bids, state[PLAYERS + i], place, contract).named
    needed -= (FITTED.named if two else FITTED.three_named) * named
    needed /= FITTED.per_count if two else FITTED.three_per_count
    return normal_share((count(hand, contract, FITTED) - needed) / SOFT)


@scalar
def _chance_of_take(view: TakeView, taken: int) -> float:
    """The chance that a contract is taken, or with -1 that the player passes."""
    values = stack_float32(_CHOICES)
    values[0] = needed_to_take(view, FITTED)
    choices, chosen = 1, 0
    suit = trailing_zeros(view.turned) >> 4
    for contract in range(NO_TRUMP + 2 * view.all_no_trump):
        if view.lap == 2 or contract >= NO_TRUMP or contract == suit:
            values[choices] = count_to_take(view, contract, FITTED)
            chosen = choices if contract == taken else chosen
            choices += 1
    return chance_of(values, choices, chosen, 2.0 * SOFT)


@scalar
def _chance_in_taking(state: Any, i: int, place: int, hand: int, rules: Rules, key: int) -> float:
    """The chance that a place passed, or took, as it did.

    It had five cards then: which of its eight is drawn, and the Return was not among them.
    """
    sender, last_lap = state[SENDER + i], state[LAP + i]
    if last_lap == 0 or (last_lap == 1 and place > sender):
        return 1.0
    turned = state[TURNED + i]
    first = random_subset(hand & ~turned, 5, key, 8 * place)
    chance = 1.0
    for lap in range(1, last_lap + 1):
        if lap < last_lap or place <= sender:
            may_name = rules.all_no_trump == 1 or (rules.all_no_trump == 0 and lap == 2)
            view = TakeView(
                first, turned, lap, place, 1 if may_name else 0, state[PLAYERS + i], rules.teams, 0
            )
            takes = lap == last_lap and place == sender
            chance *= _chance_of_take(view, state[CONTRACT + i] if takes else -1)
    return chance


@scalar
def chance_of_calls(state: Any, i: int, place: int, hand: int, rules: Rules, key: int) -> float:
    """How likely a place called as it did with a hand of eight cards; natural coding.

    Passes in auctions, and counters, are not held against a hand.  Where nothing was called, since
    the contract is imposed, it is 1.

    Args:
        state, i: a lane after the calls.
        place: the place.
        hand: its cards before the play.
        rules: the rules.
        key: key of the draws.
    """
    if rules.auction != 0:
        return _DOUBT + (1.0 - _DOUBT) * chance_to_bid(state, i, place, hand, rules)
    return _chance_in_taking(state, i, place, hand, rules, key)
