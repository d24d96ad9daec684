"""Reasons for cards, of `odds` and `review`: what one card does that another does not."""

from __future__ import annotations

from collections.abc import Iterator

from kqj_sim.cards import SUITS, Card
from kqj_sim.output.sentences import say
from kqj_sim.positions.position import Position

_MOST = 2
"""Reasons that are given, at most."""


def compare_cards(position: Position, better: Card, other: Card) -> str:
    """Return what a card does that another does not, as a predicate; empty if nothing stands out.

    Each reason is a fact of the position; whether it is what makes the card better is not known.
    """
    starts = not position.tricks[-1][1]
    in_trick = _compare_leads if starts else _compare_in_trick
    facts = (
        *in_trick(position, better, other),
        *_compare_kq(position, better, other),
        *_compare_hands(position, better, other),
    )
    return " and ".join(facts[:_MOST])


def _compare_in_trick(position: Position, better: Card, other: Card) -> Iterator[str]:
    """Yield what a card does in the trick that the other does not."""
    leader, cards = position.tricks[-1]
    contract, find_winner = position.contract.contract, position.referee.find_trick_winner
    is_last = len(cards) == position.rules.seats - 1
    wins, other_wins = (
        find_winner(leader, (*cards, card), contract) == position.seat for card in (better, other)
    )
    winner = find_winner(leader, cards, contract)
    is_partner = position.teams[winner] == position.teams[position.seat]
    if wins and not other_wins:
        yield say(__name__, "wins_trick", is_last)
    elif other_wins and not wins:
        yield say(__name__, "leaves_trick", is_partner and is_last)
    elif not wins:
        points = _count_points(position, better) - _count_points(position, other)
        if points > 0 if is_partner else points < 0:
            yield say(__name__, "gives_points", points, is_partner)


def _compare_leads(position: Position, better: Card, other: Card) -> Iterator[str]:
    """Yield what the lead of a card does that the lead of the other does not."""
    trumps = _find_trumps(position)
    # In No-Trump and All-Trumps nobody ruffs.
    can_ruff = len(trumps) == 1 and any(card.suit in trumps for card in _list_out(position))
    if _is_master(position, better) and not _is_master(position, other):
        yield say(__name__, "is_master", better.suit, better.suit in trumps or not can_ruff)
    if can_ruff and better.suit in trumps and other.suit not in trumps:
        yield say(__name__, "draws_trumps")


def _compare_hands(position: Position, better: Card, other: Card) -> Iterator[str]:
    """Yield what a card leaves in the hand that the other does not."""
    trumps = _find_trumps(position)
    has_suit = len(trumps) == 1
    keeps_trump = has_suit and other.suit in trumps and better.suit not in trumps
    keeps_master = _is_master(position, other) and not _is_master(position, better)
    if keeps_trump or keeps_master:
        yield say(__name__, "keeps", other, has_suit and other.suit in trumps, keeps_master)
    suits = [card.suit for card in position.hand]
    ruffs = has_suit and trumps in suits and trumps not in (better.suit, other.suit)
    if ruffs and suits.count(better.suit) == 1 < suits.count(other.suit):
        yield say(__name__, "empties_suit", better)


def _list_out(position: Position) -> list[Card]:
    """Return the cards of which the player does not know where they are."""
    seen = {*position.plays, *position.hand}
    return [card for card in position.referee.pack if card not in seen]


def _is_master(position: Position, card: Card) -> bool:
    """Return whether no card of its suit that is still out beats a card."""
    seat, contract = position.seat, position.contract.contract
    return all(
        position.referee.find_trick_winner(seat, (card, each), contract) == seat
        for each in _list_out(position)
        if each.suit == card.suit
    )


def _find_trumps(position: Position) -> str:
    """Return the trump suits."""
    contract = position.contract.contract
    return {"AT": SUITS, "NT": ""}.get(contract, contract)


def _count_points(position: Position, card: Card) -> int:
    return position.referee.card_points(card, position.contract.contract)


def _compare_kq(position: Position, better: Card, other: Card) -> Iterator[str]:
    """Yield what a card does for KQ and KQJ of trump: these need the King before the Queen."""
    if not position.rules.scores_kq:
        return
    for suit in _find_trumps(position):
        king, queen = Card("K", suit), Card("Q", suit)
        if {king, queen} <= set(position.hand):
            if better == king and other != king:
                yield say(__name__, "begins_kq")
            elif other == queen and better not in (king, queen):
                yield say(__name__, "keeps_queen", queen)
