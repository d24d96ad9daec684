"""The weight of deals in which a place, or a side, holds some of the hidden cards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kqj_sim.cards import SUITS, Card
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.core.weighted_draws import add_holdings
from kqj_sim.games import find_game
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.positions.position import Position

_UPPER = ("K", "Q", "J")


class Holding(NamedTuple):
    """Cards of which somebody holds a number at least, and what they are called: `9h`, `any h`."""

    text: str
    cards: tuple[Card, ...]
    least: int = 1


def list_holdings(position: Position) -> list[Holding]:
    """Return each hidden card, then what matters of them: any of a suit, K, Q and J, any ace."""
    rules = position.rules
    known = {*position.hand, *position.plays, position.upcard}
    pack = [Card(rank, suit) for suit in SUITS for rank in rules.ranks]
    hidden = [card for card in pack if card not in known]
    holdings = [Holding(str(card), (card,)) for card in hidden]
    for suit in SUITS:
        cards = tuple(card for card in hidden if card.suit == suit)
        holdings.append(Holding(f"any {suit}", cards))
        upper = tuple(card for card in cards if card.rank in _UPPER)
        if len(upper) == len(_UPPER) and find_game(rules.game).points_from_bonuses:
            holdings.append(Holding(f"KQJ {suit}", upper, len(_UPPER)))
    holdings.append(Holding("any A", tuple(card for card in hidden if card.rank == "A")))
    return [holding for holding in holdings if holding.cards]


class HiddenCards:
    """The weights of the deals in which a group of places has a holding.

    Attributes:
        holdings: what is counted.
        groups: the places of each other player, then of the partners and of the opponents.
        sums: float64 (3, groups, holdings), the sums of w x, of w w x and of w x w x; of the sums
            of each list where deals share lists of hands.
    """

    def __init__(self, position: Position) -> None:
        self.holdings = list_holdings(position)
        seats, opener, own = position.rules.seats, position.opener, position.seat
        places = [place for place in range(seats) if place != position.place_of(own)]
        is_partner = [
            position.teams[(opener + place) % seats] == position.teams[own] for place in places
        ]
        sides = [
            [place for place, other in zip(places, is_partner, strict=True) if other == side]
            for side in (True, False)
        ]
        self.groups = [*([place] for place in places), *sides]
        game = position.rules.game
        masks = [encode_cards(holding.cards, game) for holding in self.holdings]
        self._cards = np.array(masks, dtype=np.int64)
        self._least = np.array([holding.least for holding in self.holdings], dtype=np.int64)
        sets = [sum(1 << place for place in group) for group in self.groups]
        self._groups = np.array(sets, dtype=np.int64)
        self.sums = np.zeros((3, len(self.groups), len(self.holdings)))

    def add(self, hands: Int64Array, weights: Float64Array, lists: Int64Array) -> None:
        """Add deals: hands, int64 (places, n), natural coding; `lists` as of `Playouts`."""
        by_deal = np.ascontiguousarray(hands.T)
        add_holdings(by_deal, weights, lists, self._cards, self._least, self._groups, self.sums)
