"""The chance of the cards played, in plain Python, by the values of `network`."""

from __future__ import annotations

import math

import numpy as np

from kqj_sim.cards import Card
from kqj_sim.policies import network, weights
from kqj_sim.policies.particles import OpponentModel
from kqj_sim.policies.players import parse_player
from kqj_sim.record import Record
from kqj_sim.referee.kqj import list_legal_cards
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tests.core.coding import strength_of
from tests.policies.moments import moments, view_of
from tests.variants import rules_in

PATIENCE = 2.0


def opponent_model(rules: KqjRules) -> OpponentModel:
    table = encode_seating(rules, [parse_player("network")] * 6, None, "rollouts")
    return OpponentModel(table, PATIENCE, encode_rules(rules), 0.0)


def chance(values: list[float], chosen: int, patience: float) -> float:
    odds = [(1 + (max(values) - value) / patience) ** -2 for value in values]
    return odds[chosen] / sum(odds)


def slow_cards(
    record: Record, seat: int, hands: dict[int, set[Card]], trick: int, position: int
) -> float:
    """Return the likelihood of the others' plays up to a turn, from hands of eight cards."""
    plays = slow_plays(record, seat, hands, trick, position)
    return math.prod(chance for chance, _ in plays.values())


def slow_plays(
    record: Record, seat: int, hands: dict[int, set[Card]], trick: int, position: int
) -> dict[int, tuple[float, int]]:
    """Return the chance of each play of the others, and from how many cards, by its number."""
    assert record.contract is not None
    coded = strength_of(record.contract)
    given = weights.load_for_play("network", len(set(record.teams)), rules_in(record).bidding)
    chances: dict[int, tuple[float, int]] = {}
    for moment in moments(record):
        number = len(moment.finished), moment.position
        if number == (trick, position):
            return chances
        played = {c for leader, cards in moment.finished for c in cards}
        if moment.seat == seat:
            continue
        hand = hands[moment.seat] - played
        legal = list_legal_cards(hand, moment.trick, moment.leader, record.teams, moment.contract)
        order = sorted(legal, key=lambda card: coded[card])
        found = np.empty(9, np.float32)
        view = view_of(moment._replace(hand=frozenset(hand), legal=frozenset(legal)))
        network.write_card_values(view, given.ctypes.data, found)
        chosen = chance(found[: len(order)].tolist(), order.index(moment.card), PATIENCE)
        chances[6 * number[0] + number[1]] = chosen, len(order)
    raise AssertionError("there is no such turn")
