"""The point count, computed slowly from the texts of cards, as `policies.points` has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kqj_sim.cards import SUITS, Card


def slow_count(hand: Iterable[Card], contract: str, points: Mapping[str, float]) -> float:
    """The count of a hand, for a contract `s h d c NT AT`, by the parameters of `points`."""
    suits = {suit: {card.rank for card in hand if card.suit == suit} for suit in SUITS}
    if contract in suits:
        return _slow_suit(suits, contract, points)
    prefix, ranks = ("nt", "ATH") if contract == "NT" else ("at", "987")
    total = 0.0
    for held in suits.values():
        total += sum(points[f"{prefix}_{rank}"] for rank in ranks if rank in held)
        if held.issuperset(ranks):
            total += points[f"{prefix}_{ranks}"]
        elif held.issuperset(ranks[:2]):
            total += points[f"{prefix}_{ranks[:2]}"]
        if contract == "AT" and held.issuperset("KQ"):
            total += points["at_KQJ" if "J" in held else "at_KQ"]
    return total + points[f"{prefix}_long"] * max(map(len, suits.values()))


def _slow_suit(suits: dict[str, set[str]], trump: str, points: Mapping[str, float]) -> float:
    trumps = suits[trump]
    total = points["trump"] * len(trumps) + points["long"] * len(sorted(trumps)[3:])
    total += sum(points[f"trump_{rank}"] for rank in "987AT" if rank in trumps)
    if trumps.issuperset("KQ"):
        total += points["trump_KQJ" if "J" in trumps else "trump_KQ"]
    for suit, held in suits.items():
        if suit != trump:
            total += points["plain_A"] * ("A" in held) + points["plain_T"] * ("T" in held)
            total += points["void"] * (not held)
    return total
