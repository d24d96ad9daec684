"""Reasons for cards, of `odds` and `review`: what one card does that another does not.

The build of the page in `web/` compiles `find_reasons`, so it is written as kernels are.
"""

from __future__ import annotations

from enum import IntEnum

from kqj_sim.cards import SUITS, Card
from kqj_sim.output.sentences import say
from kqj_sim.positions.position import Position


class Reason(IntEnum):
    """A reason for a card, as a bit; `sentences.j2` has the words."""

    WINS_TRICK = 1 << 0
    IS_AHEAD = 1 << 1
    LEAVES_TRICK = 1 << 2
    LEAVES_TRICK_TO_PARTNER = 1 << 3
    GIVES_MORE = 1 << 4
    GIVES_LESS = 1 << 5
    CANNOT_BE_BEATEN = 1 << 6
    IS_HIGHEST = 1 << 7
    DRAWS_TRUMPS = 1 << 8
    BEGINS_KQ = 1 << 9
    KEEPS_QUEEN = 1 << 10
    KEEPS_TRUMP = 1 << 11
    KEEPS_HIGHEST = 1 << 12
    KEEPS_HIGHEST_TRUMP = 1 << 13
    EMPTIES_SUIT = 1 << 14


_SUIT = 0x0FFF
"""The cards of the first suit; each suit takes sixteen bits."""


def find_reasons(
    better: int,
    other: int,
    points: int,
    hand: int,
    out: int,
    trumps: int,
    kings: int,
    trick: int,
    best: int,
    is_last: bool,
    is_partner: bool,
) -> int:
    """Return the first two reasons for a card rather than another, a bit for each.

    Each reason is a fact of the position; whether it is what makes the card better is not known.

    Args:
        better, other: the cards.  Cards are bits of sets: of a suit a higher bit is a stronger
            card, and a single suit of trumps is above the others.
        points: those of `better`, less those of `other`.
        hand: the cards that the player has left.
        out: the cards of which the player does not know where they are.
        trumps: all cards of the trump suits.
        kings: the Kings that score with their Queens, which are the next lower cards.
        trick, best: the card led to the trick, and the one that wins it so far; 0 for a lead.
        is_partner: whether `best` is a partner's.
    """
    suit = other_suit = led = _SUIT
    while better & suit == 0:
        suit <<= 16
    while other & other_suit == 0:
        other_suit <<= 16
    while trick != 0 and trick & led == 0:
        led <<= 16
    # In No-Trump and All-Trumps nobody ruffs.
    ruffs = trumps if trumps & (trumps >> 16) == 0 else 0
    is_highest = out & suit & -better == 0
    other_is_highest = out & other_suit & -other == 0
    reasons = 0
    if trick == 0:
        can_ruff = ruffs & out != 0
        if is_highest and not other_is_highest:
            is_safe = better & trumps != 0 or not can_ruff
            reasons |= Reason.CANNOT_BE_BEATEN if is_safe else Reason.IS_HIGHEST
        if can_ruff and better & trumps != 0 and other & trumps == 0:
            reasons |= Reason.DRAWS_TRUMPS
    else:
        stronger = (led | ruffs) & -best
        wins, other_wins = better & stronger != 0, other & stronger != 0
        if wins and not other_wins:
            reasons |= Reason.WINS_TRICK if is_last else Reason.IS_AHEAD
        elif other_wins and not wins:
            reasons |= (
                Reason.LEAVES_TRICK_TO_PARTNER if is_partner and is_last else Reason.LEAVES_TRICK
            )
        elif not wins and points > 0 and is_partner:
            reasons |= Reason.GIVES_MORE
        elif not wins and points < 0 and not is_partner:
            reasons |= Reason.GIVES_LESS
    if better & kings != 0 and hand & (better >> 1) != 0:
        reasons |= Reason.BEGINS_KQ
    if (other << 1) & kings & hand & ~better != 0:
        reasons |= Reason.KEEPS_QUEEN
    keeps_trump = other & ruffs != 0 and better & ruffs == 0
    if other_is_highest and not is_highest:
        reasons |= Reason.KEEPS_HIGHEST_TRUMP if other & ruffs != 0 else Reason.KEEPS_HIGHEST
    elif keeps_trump:
        reasons |= Reason.KEEPS_TRUMP
    left, other_left = hand & suit & ~better, hand & other_suit & ~other
    if hand & ruffs != 0 and (better | other) & ruffs == 0 and left == 0 and other_left != 0:
        reasons |= Reason.EMPTIES_SUIT
    first = reasons & -reasons
    rest = reasons ^ first
    return first | (rest & -rest)


def compare_cards(position: Position, better: Card, other: Card) -> str:
    """Return what a card does that another does not, as a predicate; empty if there is nothing."""
    points = _count_points(position, better, other)
    return " and ".join(
        say(__name__, "reason", reason.name.lower(), better, other, points)
        for reason in list_reasons(position, better, other)
    )


def list_reasons(position: Position, better: Card, other: Card) -> list[Reason]:
    """Return the reasons for a card rather than another (`find_reasons`)."""
    referee, contract = position.referee, position.contract.contract
    trump_suits = {"AT": SUITS, "NT": ""}.get(contract, contract)
    suits = sorted(SUITS, key=lambda suit: suit in trump_suits)

    def encode(*cards: Card) -> int:
        ranks = [referee.list_ranks(card.suit, contract)[::-1].index(card.rank) for card in cards]
        numbers = [16 * suits.index(card.suit) for card in cards]
        return sum(1 << number + rank for number, rank in zip(numbers, ranks, strict=True))

    seats, (leader, cards) = position.rules.seats, position.tricks[-1]
    winner = referee.find_trick_winner(leader, cards, contract) if cards else leader
    trumps = [card for card in referee.pack if card.suit in trump_suits]
    seen = {*position.plays, *position.hand}
    reasons = find_reasons(
        encode(better),
        encode(other),
        _count_points(position, better, other),
        encode(*position.hand),
        encode(*(card for card in referee.pack if card not in seen)),
        encode(*trumps),
        encode(*(card for card in trumps if card.rank == "K" and position.rules.scores_kq)),
        encode(*cards[:1]),
        encode(cards[(winner - leader) % seats]) if cards else 0,
        len(cards) == seats - 1,
        position.teams[winner] == position.teams[position.seat],
    )
    return [reason for reason in Reason if reason & reasons]


def _count_points(position: Position, better: Card, other: Card) -> int:
    count, contract = position.referee.card_points, position.contract.contract
    return count(better, contract) - count(other, contract)
