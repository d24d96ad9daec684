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
        hands, indices = [], []
        for place in range(SEATS):
            # What others hold does not change the chance of a play: each hand is weighed once.
            different, which = np.unique(layouts[:, place], return_inverse=True)
            hands.append(different)
            indices.append(which)
        weights = np.ones(len(layouts))
        for chances, which in zip(self.weigh_hands(turn, hands), indices, strict=True):
            weights *= chances[which]
        return weights

    def weigh_hands(self, turn: CardTurn, hands: Sequence[Int64Array]) -> list[Float64Array]:
        """Return the weights of hands of each place; those of the player to move weigh 1.

        Args:
            turn: the turn.
            hands: by place int64 (n,), natural coding.
        """
        own = (int(turn.state[LEADER]) + turn.position) % SEATS
        counts = np.array([len(each) for each in hands], dtype=np.int64)
        counts[own] = 0
        starts = np.cumsum(counts) - counts
        chances = np.ones(int(counts.sum()))
        others = [each for place, each in enumerate(hands) if place != own]
        weigh_hands_by_cards(
            turn.state, turn.trick, turn.position, self.model, np.concatenate(others), starts,
            counts, chances,
        )  # fmt: skip
        # Unlike other powers, square roots are the same numbers on every processor.
        root = np.sqrt(np.sqrt(chances))
        counted = np.split(np.prod([root] * round(4 * self.power), axis=0), starts[1:])
        counted[own] = np.ones(len(hands[own]))
        return counted


def choose_least_weight(weights: Float64Array, playout_cost: float) -> float:
    """Return the weight below which draws are thinned out (`core.card_odds.thin_draws`).

    It gives the greatest effective sample size for the time, by a pilot sample.

    Args:
        weights: float64 (n,), weights of the pilot sample.
        playout_cost: the time to play a draw out, relative to that of drawing and weighing it.

    Returns:
        The weight; 0 to keep all draws.
    """
    found, most = 0.0, 0.0
    for least in (0.0, *np.quantile(weights, np.linspace(0.05, 1, 39))) if len(weights) else ():
        kept = np.minimum(1.0, weights / least) if least > 0 else np.ones(len(weights))
        # The effective sample size of a draw is (E w)^2 / E w^2 once those left out have gone.
        size = weights.sum() ** 2 / (weights * np.maximum(weights, least)).sum()
        time = len(weights) + playout_cost * kept.sum()
        if kept.mean() >= _MIN_KEPT_SHARE and size / time > most:
            found, most = float(least), size / time
    return found
