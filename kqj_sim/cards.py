"""Cards, hands and contracts as text: parsing and formatting, without any rules.

In records a card is written rank then suit (`Hh` is the Hero of hearts, `Ts` the ten of spades), a
contract `s h d c NT AT`.  People may also write the suit first, group the ranks of a suit and use
names or signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

from kqj_sim.messages import quote

RANKS = "ATHKQJ987654"
"""The ranks of KQJ from the highest of a plain suit down; other games use some of them."""
SUITS = "shdc"
CONTRACTS = ("s", "h", "d", "c", "NT", "AT")
NUMBER_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")
"""Numbers of seats, cards and tricks in words."""

SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}

_SUIT_SIGNS = {
    **{sign: suit for suit, sign in SUIT_SYMBOLS.items()},
    **dict(zip("♤♡♢♧", SUITS, strict=True)),
}
_SUIT_WORDS = {
    **{name: suit for suit, name in SUIT_NAMES.items()},
    **{name.removesuffix("s"): suit for suit, name in SUIT_NAMES.items()},
}
_SUIT_BY_TEXT = {**{suit: suit for suit in SUITS}, **_SUIT_SIGNS, **_SUIT_WORDS}
_RANK_WORDS = {
    **{"ace": "A", "ten": "T", "10": "T", "hero": "H", "king": "K", "queen": "Q", "jack": "J"},
    **{"nine": "9", "eight": "8", "seven": "7", "six": "6", "five": "5", "four": "4"},
}
CONTRACT_PATTERN = (
    f"no[- ]?trumps?|all[- ]?trumps?|NT|AT|{'|'.join(sorted(_SUIT_BY_TEXT, key=len, reverse=True))}"
)
"""A contract as people write it, as a regular expression without regard to case."""

_EMOJI_SELECTOR = "\ufe0f"  # follows a suit sign that is to be shown in colour
_CARD_PATTERN = re.compile(rf"(10|[{RANKS}])([{SUITS}{''.join(_SUIT_SIGNS)}])", re.IGNORECASE)
_SYMBOL_PATTERN = re.compile(
    rf"({'|'.join((*_SUIT_WORDS, *_RANK_WORDS))}|[{RANKS}{SUITS}{''.join(_SUIT_SIGNS)}])(:?)",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"(?:[\s,;/|.()\[\]\u2013-]|\bof\b|\band\b)+", re.IGNORECASE)
_MAX_READINGS = 100
_MAX_SYMBOLS = 200
_DOUBT = 100
"""Weight of a sign that a letter is meant otherwise; above any number of cards."""


class NotationError(ValueError):
    """A text that is no card, hand or contract; one line that says what would be right."""


class Card(NamedTuple):
    """A card: `rank` is one of RANKS, `suit` one of SUITS."""

    rank: str
    suit: str

    def __str__(self) -> str:
        return self.rank + self.suit


def parse_card(text: str, *, ranks: str = RANKS) -> Card:
    """Parse a card of a pack with these ranks, rank then suit, as in records.

    Capital and small letters, `10` for `T`, and black and white suit signs are accepted.

    Raises:
        NotationError: the text is no such card.
    """
    match = _CARD_PATTERN.fullmatch(text.replace(_EMOJI_SELECTOR, "").strip())
    card = match and Card(_RANK_WORDS.get(match[1], match[1].upper()), _find_suit(match[2]))
    if card is None or card.rank not in ranks:
        raise NotationError(f"{quote(text)} is not a card: write {_describe_card_syntax(ranks)}")
    return card


def parse_cards(text: str, *, ranks: str = RANKS) -> tuple[Card, ...]:
    """Parse cards as people write them, in the order of the text.

    `9h 8h, Ah`, `9h8hAh`, `h9 h8 hA`, `♥ 9 8 A`, `h: 98A`, `98Ah` and `9 of hearts, 8 hearts, ace
    of hearts` are the same three cards.  Where H may be the Hero or hearts, the case of the
    letters and the rest of the text decide.

    Raises:
        NotationError: a word is no card of a pack with these ranks, can be read in two ways, or
            names a card again.
    """
    words = _split_words(text.replace(_EMOJI_SELECTOR, ""), ranks)
    reader = _CardReader([symbol for word in words for symbol in word])
    if len(reader.symbols) > _MAX_SYMBOLS:
        raise NotationError(f"{quote(text)} names more cards than a pack has: name each card once")
    segments: list[Sequence[_Symbol]] = []
    is_open = False
    for word in words:
        if reader.list_readings(word):
            segments.append(word)
            is_open = False
        elif is_open:
            segments[-1] = [*segments[-1], *word]
        else:
            segments.append(word)
            is_open = True
    readings = [reader.list_readings(segment) for segment in segments]
    if not all(readings):
        # Ranks that stand apart belong to the suit before them: `hA 9 8 sK`.
        whole = reader.list_groups(reader.symbols)
        if not whole:
            _fail_to_read(segments[[bool(each) for each in readings].index(False)], ranks)
        segments, readings = [reader.symbols], [whole]
    cards: list[Card] = []
    for segment, found in zip(segments, readings, strict=True):
        if len({frozenset(reading) for reading in found}) > 1:
            raise NotationError(
                f"{quote(_join_text(segment))} can be read as {_join_cards(found[0])} or "
                f"{_join_cards(found[1])}: write rank and suit of each card, as in "
                f"{' '.join(map(str, found[0]))}"
            )
        cards += found[0]
    for number, card in enumerate(cards):
        if card in cards[:number]:
            raise NotationError(f"{card} is named twice: name each card once")
    return tuple(cards)


def parse_single_card(text: str, *, ranks: str = RANKS) -> Card:
    """Parse one card as people write it; raise NotationError."""
    cards = parse_cards(text, ranks=ranks)
    if len(cards) != 1:
        what = f"is {len(cards)} cards" if cards else "is not a card"
        raise NotationError(f"{quote(text)} {what}: write one, {_describe_card_syntax(ranks)}")
    return cards[0]


def format_card(card: Card, *, symbols: bool = False) -> str:
    """Return the text of a card, `Th`, or with the suit's sign, `T♥`."""
    return card.rank + (SUIT_SYMBOLS[card.suit] if symbols else card.suit)


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


_SUIT_PATTERN = re.compile(rf"\b([{RANKS}]?)([shdc])\b")


def add_suit_signs(text: str) -> str:
    """Return calls and cards with the suits' signs: `take ♥`, `400 AT Capot`."""
    signed = _SUIT_PATTERN.sub(lambda match: match[1] + SUIT_SYMBOLS[match[2]], text)
    return signed.replace("capot", "Capot")


def parse_contract(text: str) -> str:
    """Parse a contract as people write it, such as `h`, `hearts`, `♥`, `NT` or `no trump`.

    Returns:
        One of CONTRACTS.

    Raises:
        NotationError: the text is no contract.
    """
    plain = " ".join(text.replace(_EMOJI_SELECTOR, "").split())
    if not re.fullmatch(CONTRACT_PATTERN, plain, re.IGNORECASE):
        raise NotationError(f"{quote(text)} is not a contract: write one of {' '.join(CONTRACTS)}")
    first = plain[0].upper()
    if len(plain) > 1 and first in "NA":
        return f"{first}T"
    return _find_suit(plain)


def format_contract(contract: str, *, symbols: bool = False) -> str:
    """Return the text of a contract, `h`, or with the suit's sign, `♥`; `NT` and `AT` stay."""
    return SUIT_SYMBOLS.get(contract, contract) if symbols else contract


class _Symbol(NamedTuple):
    """A suit, a rank, or an H that may be either.

    Attributes:
        text: the text.
        suit, rank: the suit and the rank that it may stand for; empty if it cannot.
        has_colon: whether a colon marks it as the suit of the ranks that follow.
    """

    text: str
    suit: str
    rank: str
    has_colon: bool


def _find_suit(text: str) -> str:
    return _SUIT_BY_TEXT[text.lower()]


def _split_words(text: str, ranks: str) -> list[list[_Symbol]]:
    """Return the symbols of each word; raise NotationError for other characters."""
    words = []
    for word in _SEPARATORS.split(re.sub(r"\s+:", ":", text)):
        symbols: list[_Symbol] = []
        position = 0
        while position < len(word):
            match = _SYMBOL_PATTERN.match(word, position)
            symbol = match and _make_symbol(match, ranks)
            if match is None or symbol is None:
                raise NotationError(
                    f"{quote(_find_wrong_part(word, ranks))} is not a card: write "
                    f"{_describe_card_syntax(ranks)}"
                )
            symbols.append(symbol)
            position = match.end()
        if symbols:
            words.append(symbols)
    return words


def _make_symbol(match: re.Match[str], ranks: str) -> _Symbol | None:
    """Return the symbol that a match of `_SYMBOL_PATTERN` names; None if there is none."""
    text, has_colon = match[1].lower(), bool(match[2])
    rank = _RANK_WORDS.get(text, text.upper() if len(text) == 1 else "")
    suit = _SUIT_BY_TEXT.get(text, "")
    if rank not in ranks or has_colon:
        rank = ""
    return _Symbol(match[1], suit, rank, has_colon) if suit or rank else None


def _find_wrong_part(word: str, ranks: str) -> str:
    """Return the part of a word that is no card, if cards are run together, else the word."""
    for part in re.findall(rf"(?:\d+|\w)[{SUITS}{''.join(_SUIT_SIGNS)}]", word, re.IGNORECASE):
        try:
            parse_card(part, ranks=ranks)
        except NotationError:
            return str(part)
    return word


class _CardReader:
    """A reader of the symbols of one text, whose cases and signs tell hearts from the Hero."""

    def __init__(self, symbols: Sequence[_Symbol]) -> None:
        self.symbols = symbols
        letters = "".join(symbol.text for symbol in symbols if len(symbol.text) == 1)
        self._case_tells = not (letters.islower() or letters.isupper())
        self._is_styled = any(
            symbol.has_colon or (symbol.suit and symbol.text.lower() not in SUITS)
            for symbol in symbols
        )

    def list_readings(self, symbols: Sequence[_Symbol]) -> list[tuple[Card, ...]]:
        """Return the likeliest readings: suits before their ranks, or after them."""
        after = self._read_suits_first(symbols[::-1])
        return _keep_best(
            [
                *((cost, cards[::-1]) for cost, cards in after),
                *self._read_suits_first(symbols),
            ]
        )

    def list_groups(self, symbols: Sequence[_Symbol]) -> list[tuple[Card, ...]]:
        """Return the readings as one group of ranks after each suit that nothing speaks against."""
        found = self._read_suits_first(symbols, groups_only=True)
        return _keep_best([reading for reading in found if reading[0] < _DOUBT])

    def _read_suits_first(
        self, symbols: Sequence[_Symbol], groups_only: bool = False
    ) -> list[tuple[int, tuple[Card, ...]]]:
        """Return the readings as ranks after suits, each with what speaks against it."""
        found: list[tuple[int, tuple[Card, ...], tuple[str, ...], int]] = [(0, (), (), 1)]
        for symbol in symbols:
            longer = []
            for cost, cards, suits, count in found:
                # `count` cards have the last suit: none yet, if a suit has just been read.
                if symbol.suit and count > 0 and not (groups_only and symbol.suit in suits):
                    seen = (*suits, symbol.suit)
                    longer.append((cost + self._doubt_suit(symbol), cards, seen, 0))
                if symbol.rank and suits:
                    card = Card(symbol.rank, suits[-1])
                    doubt = self._doubt_rank(symbol, groups_only) + 10 * _DOUBT * (card in cards)
                    # Cards one by one, `h 9 h 8`, are likelier than groups, `h 9 H 8`.
                    doubt += count > 0 and not groups_only
                    longer.append((cost + doubt, (*cards, card), suits, count + 1))
            found = sorted(longer, key=lambda each: each[0])[:_MAX_READINGS]
        return [(cost, cards) for cost, cards, _, count in found if cards and count > 0]

    def _doubt_suit(self, symbol: _Symbol) -> int:
        """Return how much speaks against a symbol as a suit."""
        is_doubtful = self._is_styled or (self._case_tells and symbol.text.isupper())
        return _DOUBT if symbol.rank and is_doubtful else 0

    def _doubt_rank(self, symbol: _Symbol, groups_only: bool) -> int:
        """Return how much speaks against a symbol as a rank."""
        is_lower = self._case_tells and symbol.text.islower()
        is_unclear = groups_only and not (self._case_tells or self._is_styled)
        return _DOUBT if symbol.suit and (is_lower or is_unclear) else 0


def _keep_best(readings: Sequence[tuple[int, tuple[Card, ...]]]) -> list[tuple[Card, ...]]:
    """Return the readings that least speaks against."""
    best = min((cost for cost, _ in readings), default=0)
    return [cards for cost, cards in readings if cost == best]


def _fail_to_read(symbols: Sequence[_Symbol], ranks: str) -> NoReturn:
    """Raise NotationError for symbols that are no cards."""
    text = quote(_join_text(symbols))
    if not any(symbol.suit for symbol in symbols):
        first = symbols[0].rank
        cards = f"{first}s, {first}h, {first}d or {first}c"
        raise NotationError(f"{text} has no suit: write {cards}")
    if not any(symbol.rank for symbol in symbols):
        raise NotationError(f"{text} has no rank: write {_describe_card_syntax(ranks)}")
    raise NotationError(f"{text} is not a card: write {_describe_card_syntax(ranks)}")


def _join_text(symbols: Sequence[_Symbol]) -> str:
    return "".join(symbol.text for symbol in symbols)


def _join_cards(cards: Iterable[Card]) -> str:
    return " ".join(format_card(card, symbols=True) for card in cards)


def _describe_card_syntax(ranks: str) -> str:
    """Return how to write a card, for errors."""
    return f"a rank of {' '.join(ranks)}, then a suit of {' '.join(SUITS)}, as in Th"
