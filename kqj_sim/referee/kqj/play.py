"""Play of the cards: the master of a trick and the legal cards (docs/rules.md, section 5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import Card
from kqj_sim.referee.kqj.cards import is_trump, outranks
from kqj_sim.referee.trick import find_master_index
from kqj_sim.rules import SEATS


def beats_master(card: Card, master: Card, contract: str) -> bool:
    """Return True if a card played later takes the trick from the master."""
    if card.suit == master.suit:
        return outranks(card, master, contract)
    # Another suit beats the master only as the one trump suit; at AT and NT none does.
    return card.suit == contract


def find_current_master(trick: Sequence[Card], contract: str) -> int:
    """Return the position in the trick, from 0 for the lead, of the master so far."""
    return find_master_index(trick, contract, beats_master)


def find_trick_winner(leader: int, trick: Sequence[Card], contract: str) -> int:
    """Return the seat that wins a trick led by `leader`."""
    return (leader + find_current_master(trick, contract)) % SEATS


def list_legal_cards(
    hand: Collection[Card],
    trick: Sequence[Card],
    leader: int,
    teams: Sequence[int],
    contract: str,
) -> set[Card]:
    """Return the cards of a hand that may be played next, `len(trick)` seats after the leader.

    `contract` is one of `s h d c NT AT`.
    """
    if not trick:
        return set(hand)
    led = trick[0]
    following = {card for card in hand if card.suit == led.suit}
    if following:
        if not is_trump(led, contract):
            return following
        played = [card for card in trick if card.suit == led.suit]
        higher = {
            card for card in following if all(outranks(card, other, contract) for other in played)
        }
        return higher or following
    master = find_current_master(trick, contract)
    player = (leader + len(trick)) % SEATS
    if teams[(leader + master) % SEATS] == teams[player]:
        return set(hand)
    trumping = {card for card in hand if beats_master(card, trick[master], contract)}
    return trumping or set(hand)
