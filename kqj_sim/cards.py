"""Cards, hands and contracts as text: parsing and formatting, without any rules.

A card is written rank then suit (`Hh` is the Hero of hearts, `Ts` the ten of spades), a
contract `s h d c NT AT`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kqj_sim.messages import quote

RANKS = "ATHKQJ987654"
"""The ranks of KQJ from the highest of a plain suit down; other games use some of them."""
SUITS = "shdc"
CONTRACTS = ("s", "h", "d", "c", "NT", "AT")
NUMBER_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
"""Numbers of seats, cards and tricks in words."""

SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_SUIT_BY_TEXT = {
    **{suit: suit for suit in SUITS},
    **{sign: suit for suit, sign in SUIT_SYMBOLS.items()},
    **dict(zip("♤♡♢♧", SUITS, strict=True)),
}
_EMOJI_SELECTOR = "\ufe0f"  # follows a suit sign that is to be shown in colour
_CARD_PATTERN = re.compile(rf"(10|[{RANKS}])([{''.join(_SUIT_BY_TEXT)}])", re.IGNORECASE)


class NotationError(ValueError):
    """A text that is no card, hand or contract; one line that says what would be right."""


class Card(NamedTuple):
    """A card: `rank` is one of RANKS, `suit` one of SUITS."""

    rank: str
    suit: str

    def __str__(self) -> str:
        return self.rank + self.suit


def parse_card(text: str, *, ranks: str = RANKS) -> Card:
    """Parse a card of a pack with these ranks; raise NotationError.

    Capital and small letters, `10` for `T`, and black and white suit signs are accepted.
    """
    match = _CARD_PATTERN.fullmatch(text.replace(_EMOJI_SELECTOR, "").strip())
    card = match and _make_card(match)
    if card is None or card.rank not in ranks:
        raise NotationError(f"{quote(text)} is not a card: write {_describe_card_syntax(ranks)}")
    return card


def format_card(card: Card, *, symbols: bool = False) -> str:
    """Return the text of a card, `Th`, or with the suit's sign, `T♥`."""
    return card.rank + (SUIT_SYMBOLS[card.suit] if symbols else card.suit)


def parse_cards(text: str, *, ranks: str = RANKS) -> tuple[Card, ...]:
    """Parse cards, with or without commas and blanks between them, in the order of the text.

    `9h 8h, Ah` and `9h8hAh` are the same three cards.

    Raises:
        NotationError: a word is no card of a pack with these ranks, or a card occurs twice.
    """
    rest = text.replace(_EMOJI_SELECTOR, "")
    cards: list[Card] = []
    position = 0
    while position < len(rest):
        if rest[position].isspace() or rest[position] == ",":
            position += 1
            continue
        match = _CARD_PATTERN.match(rest, position)
        card = match and _make_card(match)
        if match is None or card is None or card.rank not in ranks:
            wrong = match[0] if match else re.split(r"[\s,]", rest[position:], maxsplit=1)[0]
            raise NotationError(
                f"{quote(wrong)} is not a card: write {_describe_card_syntax(ranks)}"
            )
        if card in cards:
            raise NotationError(f"{card} is named twice: name each card once")
        cards.append(card)
        position = match.end()
    return tuple(cards)


def format_hand(cards: Iterable[Card], *, symbols: bool = True, ranks: str = RANKS) -> str:
    """Return cards for people, by suit and in the order of `ranks`: `♠ A T 9  ♥ H 4`.

    Without `symbols` the suits are letters: `s A T 9  h H 4`.
    """
    held = set(cards)
    groups = []
    for suit in SUITS:
        held_ranks = [rank for rank in ranks if Card(rank, suit) in held]
        if held_ranks:
            groups.append(" ".join([SUIT_SYMBOLS[suit] if symbols else suit, *held_ranks]))
    return "  ".join(groups)


def parse_contract(text: str) -> str:
    """Parse a contract, one of CONTRACTS; raise NotationError."""
    plain = text.replace(_EMOJI_SELECTOR, "").strip()
    contract = _SUIT_BY_TEXT.get(plain.lower(), plain.upper())
    if contract not in CONTRACTS:
        raise NotationError(f"{quote(text)} is not a contract: write one of {' '.join(CONTRACTS)}")
    return contract


def format_contract(contract: str, *, symbols: bool = False) -> str:
    """Return the text of a contract, `h`, or with the suit's sign, `♥`; `NT` and `AT` stay."""
    return SUIT_SYMBOLS.get(contract, contract) if symbols else contract


def _make_card(match: re.Match[str]) -> Card:
    """Return the card that a match of `_CARD_PATTERN` names."""
    rank, suit = match.groups()
    return Card("T" if rank == "10" else rank.upper(), _SUIT_BY_TEXT[suit.lower()])


def _describe_card_syntax(ranks: str) -> str:
    """Return how to write a card, for errors."""
    return f"a rank of {' '.join(ranks)}, then a suit of {' '.join(SUITS)}, as in Th"
