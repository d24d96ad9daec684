"""Play of the cards: the master of a trick and the legal cards (RULES.md, section 10, 3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import Card
from kqj_sim.referee.kwajongen.cards import outranks
from kqj_sim.referee.trick import find_master_index
from kqj_sim.rules import KwajongenRules

SEATS = KwajongenRules.seats


def beats_master(card: Card, master: Card, trump: str) -> bool:
    """Return True if a card played later takes the trick from the master."""
    if card.suit == master.suit:
        return outranks(card, master)
    return card.suit == trump


def find_trick_winner(leader: int, trick: Sequence[Card], trump: str) -> int:
    """Return the seat that wins a trick led by `leader`."""
    return (leader + find_master_index(trick, trump, beats_master)) % SEATS


def list_legal_cards(
    rules: KwajongenRules, hand: Collection[Card], trick: Sequence[Card], trump: str
) -> set[Card]:
    """Return the cards of a hand that may be played next to the cards of a trick so far."""
    if not trick:
        return set(hand)
    following = {card for card in hand if card.suit == trick[0].suit}
    if following:
        return following
    trumps = {card for card in hand if card.suit == trump}
    if trumps and rules.void_rule == "must_trump":
        return trumps
    return set(hand)
