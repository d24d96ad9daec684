"""Cards that a hand cannot hold, found slowly: the player would have had to play them."""

from __future__ import annotations

from collections.abc import Iterator

from kqj_sim.cards import Card, parse_card
from kqj_sim.record import Record
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.referee.kqj import beats_master, find_current_master
from kqj_sim.rules import SEATS


def exclusions(record: Record) -> Iterator[tuple[list[set[Card]], list[set[Card]]]]:
    """After each card: what each seat lacks by the plays so far, and what it holds.

    What is yielded changes with the next card.
    """
    assert record.hands is not None and record.contract is not None
    contract = record.contract
    held = [{parse_card(text) for text in hand} for hand in record.hands]
    lacks: list[set[Card]] = [set() for _ in held]
    for trick in record.tricks:
        cards: list[Card] = []
        for position, text in enumerate(trick.cards):
            seat, card = (trick.leader + position) % SEATS, parse_card(text)
            held[seat].remove(card)
            if cards:
                place = find_current_master(cards, contract)
                better = {c for c in CARDS if beats_master(c, cards[place], contract)}
                suit = {c for c in CARDS if c.suit == cards[0].suit}
                partner = record.teams[(trick.leader + place) % SEATS] == record.teams[seat]
                if card not in suit:
                    lacks[seat] |= suit
                    if not partner and card not in better:
                        lacks[seat] |= better
                elif contract in ("AT", card.suit) and card not in better:
                    lacks[seat] |= better & suit
            cards.append(card)
            yield lacks, held
