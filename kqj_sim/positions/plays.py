"""Hidden hands of KQJ weighed by the chance of the cards that the others played.

The chance of a card whose value lacks d to that of the best one is proportional to
1 / (1 + d / patience)**2, with the values of `network` (`policies.particles`).  A layout weighs the
product of these chances over all plays of the others, to a power below 1: players err alike where
they err, so their cards tell less than as many independent choices would.  Patience and power are
those with which hidden cards are predicted best (docs/odds.md, "Do the plays tell anything?").
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kqj_sim.core.block import LEADER, SEATS
from kqj_sim.core.card_odds import CardTurn
from kqj_sim.core.knowledge import HAND_SIZES
from kqj_sim.core.layout_counts import BINOMIALS
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.policies.particles import OpponentModel, weigh_hands_by_cards
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating

VALUES = "network"
"""The policy whose values of cards say how likely a play is."""
PATIENCE = 2.0
"""Points that a card is worth less and a quarter as likely."""
POWER = 0.75
"""Power of the chances that counts."""

_MIN_KEPT_SHARE = 1 / 16
"""Share of draws, at least, that are played out."""


class PlayModel:
    """The assumed chances of the others' plays.

    Attributes:
        power: power of the chances that counts, a multiple of a quarter.
    """

    def __init__(
        self,
        rules: KqjRules,
        patience: float = PATIENCE,
        power: float = POWER,
    ) -> None:
        """Prepare a model by the values of `VALUES`."""
        seating = encode_seating(rules, [parse_player(VALUES)] * SEATS, None, "rollouts")
        self.power = power
        self.model = OpponentModel(seating, patience, encode_rules(rules))

    def weigh(self, turn: CardTurn, layouts: Int64Array) -> Float64Array:
        """Return the weights of layouts by the cards played before a turn.

        Weights are comparable between layouts of one turn.  Each is a function of its layout alone.

        Args:
            turn: the turn (`kqj_cards.make_turn`).
            layouts: int64 (n, 6), hidden hands by place, natural coding.
        """
        return weigh_layouts(turn, layouts, self.model, round(4 * self.power))

    def weigh_hands(self, turn: CardTurn, hands: Sequence[Int64Array]) -> list[Float64Array]:
        """Return the weights of hands of each place; those of the player to move weigh 1.

        Args:
            turn: the turn.
            hands: by place int64 (n,), natural coding.
        """
        own, quarters = (int(turn.state[LEADER]) + turn.position) % SEATS, round(4 * self.power)
        return [
            np.ones(len(each))
            if place == own
            else weigh_hands(turn, place, each, self.model, quarters)
            for place, each in enumerate(hands)
        ]


def weigh_layouts(
    turn: CardTurn, layouts: Int64Array, model: OpponentModel, quarters: int
) -> Float64Array:
    """Return the weights of layouts, as `PlayModel.weigh`; the power is `quarters` / 4."""
    own = (turn.state[LEADER] + turn.position) % SEATS
    weights, sizes = np.ones(len(layouts)), turn.known[HAND_SIZES : HAND_SIZES + SEATS]
    hidden_cards = sizes.sum()
    for place in range(SEATS):
        if place == own:
            continue
        hands = layouts[:, place].copy()
        if BINOMIALS[hidden_cards, sizes[place]] > len(hands):
            weights *= weigh_hands(turn, place, hands, model, quarters)
            continue
        # What others hold does not change the chance of a play: each hand is weighed once.
        different = find_different(hands)
        counted = weigh_hands(turn, place, different, model, quarters)
        weights *= counted[np.searchsorted(different, hands)]
    return weights


def weigh_hands(
    turn: CardTurn, place: int, hands: Int64Array, model: OpponentModel, quarters: int
) -> Float64Array:
    """Return the weights of hands of a place, int64 (n,), by its plays."""
    chances, counted = np.ones(len(hands)), np.ones(len(hands))
    weigh_hands_by_cards(turn.state, turn.trick, turn.position, model, place, hands, chances)
    # Unlike other powers, square roots are the same numbers on every processor.
    root = np.sqrt(np.sqrt(chances))
    for _ in range(quarters):
        counted *= root
    return counted


def find_different(numbers: Int64Array) -> Int64Array:
    """Return the different numbers, rising."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def choose_least_weight(weights: Float64Array, playout_cost: float) -> float:
    """Return the weight below which draws are thinned out (`core.weighted_draws.thin_draws`).

    It gives the greatest effective sample size for the time, by a pilot sample.

    Args:
        weights: float64 (n,), weights of the pilot sample.
        playout_cost: the time to play a draw out, relative to that of drawing and weighing it.

    Returns:
        The weight; 0 to keep all draws.
    """
    found, most = 0.0, 0.0
    if len(weights) == 0:
        return found
    candidates = np.zeros(40)
    candidates[1:] = np.quantile(weights, np.linspace(0.05, 1, 39))
    for least in candidates:
        kept = np.minimum(1.0, weights / least) if least > 0 else np.ones(len(weights))
        # The effective sample size of a draw is (E w)^2 / E w^2 once those left out have gone.
        size = weights.sum() ** 2 / (weights * np.maximum(weights, least)).sum()
        time = len(weights) + playout_cost * kept.sum()
        if kept.mean() >= _MIN_KEPT_SHARE and size / time > most:
            found, most = float(least), size / time
    return found
