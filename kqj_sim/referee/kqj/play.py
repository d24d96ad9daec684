"""Play of the cards: the master, the legal cards (RULES.md, section 5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import Card
from kqj_sim.referee.kqj.cards import is_trump, outranks
from kqj_sim.referee.trick import find_master_index
from kqj_sim.rules import SEATS


def beats_master(card: Card, master: Card, contract: str) -> bool:
    """Whether the card, played later, takes the trick from the one that is master."""
    if card.suit == master.suit:
        return outranks(card, master, contract)
    # Another suit beats the master only as the one trump suit; at AT and NT none does.
    return card.suit == contract


def find_current_master(trick: Sequence[Card], contract: str) -> int:
    """Which card of the trick, counted from 0 for the lead, is master so far."""
    return find_master_index(trick, contract, beats_master)


def find_trick_winner(leader: int, trick: Sequence[Card], contract: str) -> int:
    """The seat whose card is master of the trick that `leader` led."""
    return (leader + find_current_master(trick, contract)) % SEATS


def list_legal_cards(
    hand: Collection[Card],
    trick: Sequence[Card],
    leader: int,
    teams: Sequence[int],
    contract: str,
) -> set[Card]:
    """The cards of `hand` that may be played next to `trick`.

    `trick` has the cards played so far, from the seat `leader` on, so that the player is the
    seat len(trick) places after it; `teams` is the team of each of the six seats.
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
    place = find_current_master(trick, contract)
    player = (leader + len(trick)) % SEATS
    if teams[(leader + place) % SEATS] == teams[player]:
        return set(hand)
    trumping = {card for card in hand if beats_master(card, trick[place], contract)}
    return trumping or set(hand)
