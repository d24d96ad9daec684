"""Cards that are as good as each other, which are graded as one."""

from __future__ import annotations

from kqj_sim.cards import Card
from kqj_sim.positions.position import Position


def find_equivalents(position: Position) -> list[int]:
    """Return for each legal card the number of the first one that is equivalent to it.

    Two cards of a suit are if they have the same points and no card between them is in another
    hand or in the trick: whatever happens, each wins and loses where the other does.  Players may
    still take one for the other's sign, and play differently after it.
    """
    cards, contract = position.legal_cards, position.contract.contract
    referee = position.referee
    _, trick = position.tricks[-1]
    settled = {*position.hand, *position.plays} - {*trick}

    def touches(one: Card, other: Card) -> bool:
        if one.suit != other.suit:
            return False
        ranks = referee.list_ranks(one.suit, contract)
        low, high = sorted((ranks.index(one.rank), ranks.index(other.rank)))
        between = [Card(rank, one.suit) for rank in ranks[low + 1 : high]]
        points = {referee.card_points(card, contract) for card in (one, other)}
        return len(points) == 1 and settled.issuperset(between)

    return [
        next(first for first, other in enumerate(cards) if touches(card, other)) for card in cards
    ]
