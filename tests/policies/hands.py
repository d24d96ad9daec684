"""Hands of KQJ as texts."""

from __future__ import annotations

from kqj_sim.cards import Card, parse_card

GOOD_HAND = "9h 8h 7h Ah Ks As Td 4c"
"""A hand on which every sensible player calls hearts."""

POOR_HAND = "4h 5s 6s Js Qd 4d 5c 6c"
"""A hand on which every sensible player passes."""


def parse_cards(text: str) -> list[Card]:
    """Return the cards of a text such as `Ah 9s`."""
    return [parse_card(each) for each in text.split()]
