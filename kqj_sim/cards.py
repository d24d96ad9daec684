"""Cards, hands and contracts as text: parsing and formatting, without any rules.

In records a card is written rank then suit (`Hh` is the Hero of hearts, `Ts` the ten of spades), a
contract `s h d c NT AT`.  People may also write the suit first, group the ranks of a suit and use
signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from kqj_sim.errors import InputError
from kqj_sim.messages import quote

RANKS = "ATHKQJ987654"
"""The ranks of KQJ from the highest of a plain suit down; other games use some of them."""
SUITS = "shdc"
CONTRACTS = ("s", "h", "d", "c", "NT", "AT")
NUMBER_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")

SUIT_SYMBOLS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}

_SUIT_SIGNS = {
    **{sign: suit for suit, sign in SUIT_SYMBOLS.items()},
    **dict(zip("♤♡♢♧", SUITS, strict=True)),
}
_SUIT_WORDS = {
    **{name: suit for suit, name in SUIT_NAMES.items()},
    **{name.removesuffix("s"): suit for suit, name in SUIT_NAMES.items()},
    **{"pique": "s", "coeur": "h", "cœur": "h", "carreau": "d", "trefle": "c", "trèfle": "c"},
}
_SUIT_BY_TEXT = {**{suit: suit for suit in SUITS}, **_SUIT_SIGNS, **_SUIT_WORDS}
CONTRACT_PATTERN = (
    "no[- ]?trumps?|all[- ]?trumps?|NT|AT|sans[- ]atout|tout[- ]atout|SA|TA|"
    f"{'|'.join(sorted(_SUIT_BY_TEXT, key=len, reverse=True))}"
)
"""A contract as people write it, in English or French, as a regular expression without regard to
case."""

_EMOJI_SELECTOR = "\ufe0f"  # follows a suit sign that is to be shown in colour
_FRENCH_RANKS = {"R": "K", "D": "Q", "V": "J"}
_SIGNS = "".join(_SUIT_SIGNS)
# A D is the suit of the diamonds, unless the sign of a suit follows.
_RANK = rf"10|D(?=[{_SIGNS}])|[{RANKS}RV]"
_CARD_PATTERN = re.compile(rf"({_RANK})([{SUITS}{_SIGNS}])", re.IGNORECASE)
_SYMBOL_PATTERN = re.compile(rf"({_RANK}|[{SUITS}{_SIGNS}])(:?)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s,;/|.()\[\]\u2013-]+")
_SHAPES = {"r+s": -1, "sr+": 0}
"""Ranks before their suit, or after it, as patterns; and which symbol of a match is the suit."""
_MOST_UNCLEAR = len(SUITS) + len(RANKS)
"""Most letters H of a whole pack: the Heroes, and the suit of the hearts."""


class Card(NamedTuple):
    """A card: `rank` is one of RANKS, `suit` one of SUITS."""

    rank: str
    suit: str

    def __str__(self) -> str:
        return self.rank + self.suit


def parse_card(text: str, *, ranks: str = RANKS) -> Card:
    """Parse a card of a pack, rank then suit as in records; raise InputError for others.

    Capital and small letters, `10` for `T`, and black and white suit signs are accepted.
    """
    match = _CARD_PATTERN.fullmatch(text.replace(_EMOJI_SELECTOR, "").strip())
    card = match and Card(_find_rank(match[1]), _find_suit(match[2]))
    if card is None or card.rank not in ranks:
        raise InputError(f"{quote(text)} is not a card: write {_describe_card_syntax(ranks)}")
    return card


def parse_cards(text: str, *, ranks: str = RANKS) -> tuple[Card, ...]:
    """Parse cards as people write them, in the order of the text.

    Words hold ranks with their suit, `9h 8h, Ah`, `9h8hAh`, `98Ah` or `h9 h8 hA`; or the text has
    one group of ranks for each suit, `♥ 9 8 A` or `h: 98A`.  Where H may be the Hero or hearts, the
    case of the letters and the rest of the text decide.

    Raises:
        InputError: a word is no card of a pack with these ranks, can be read in two ways, or
            names a card again.
    """
    plain = re.sub(r"\s+:", ":", text.replace(_EMOJI_SELECTOR, ""))
    words = [_split_word(word, ranks) for word in _SEPARATORS.split(plain) if word]
    symbols = [symbol for word in words for symbol in word]
    if sum(symbol.role == "?" for symbol in symbols) > _MOST_UNCLEAR:
        raise InputError(f"{quote(text)} names more cards than a pack has: name each card once")
    likely = _find_likely_roles(symbols)
    readings = [_list_readings(word, likely) for word in words]
    if not all(readings):
        whole = _read_by_suit(symbols, likely)
        if not whole:
            raise InputError(_explain_unreadable(words[readings.index([])], ranks))
        words, readings = [symbols], [[whole]]
    cards: list[Card] = []
    for word, choices in zip(words, readings, strict=True):
        if len({frozenset(reading) for reading in choices}) > 1:
            raise InputError(
                f"{quote(_join_text(word))} can be read as {_join_cards(choices[0])} or "
                f"{_join_cards(choices[1])}: write rank and suit of each card, as in "
                f"{' '.join(map(str, choices[0]))}"
            )
        cards += choices[0]
    for number, card in enumerate(cards):
        if card in cards[:number]:
            raise InputError(f"{card} is named twice: name each card once")
    return tuple(cards)


def parse_single_card(text: str, *, ranks: str = RANKS) -> Card:
    """Parse one card as people write it; raise InputError."""
    cards = parse_cards(text, ranks=ranks)
    if len(cards) != 1:
        what = f"is {len(cards)} cards" if cards else "is not a card"
        raise InputError(f"{quote(text)} {what}: write one, {_describe_card_syntax(ranks)}")
    return cards[0]


def format_card(card: Card) -> str:
    """Return the text of a card with the suit's sign, `T♥`."""
    return card.rank + SUIT_SYMBOLS[card.suit]


def format_hand(cards: Iterable[Card], *, ranks: str = RANKS) -> str:
    """Return cards for people, by suit and in the order of `ranks`: `♠ A T 9  ♥ H 4`."""
    held = set(cards)
    groups = []
    for suit in SUITS:
        held_ranks = [rank for rank in ranks if Card(rank, suit) in held]
        if held_ranks:
            groups.append(" ".join([SUIT_SYMBOLS[suit], *held_ranks]))
    return "  ".join(groups)


_SUIT_PATTERN = re.compile(rf"\b([{RANKS}]?)([shdc])\b")


def add_suit_signs(text: str) -> str:
    """Return calls and cards with the suits' signs: `take ♥`, `400 AT Capot`."""
    signed = _SUIT_PATTERN.sub(lambda match: match[1] + SUIT_SYMBOLS[match[2]], text)
    return signed.replace("capot", "Capot")


def parse_contract(text: str) -> str:
    """Parse `h`, `♥`, `hearts`, `no trump`, ... to one of CONTRACTS; or raise InputError."""
    plain = " ".join(text.replace(_EMOJI_SELECTOR, "").split())
    if not re.fullmatch(CONTRACT_PATTERN, plain, re.IGNORECASE):
        raise InputError(f"{quote(text)} is not a contract: write one of {' '.join(CONTRACTS)}")
    first = plain[0].upper()
    if plain.lower() in _SUIT_BY_TEXT:
        return _find_suit(plain)
    return "NT" if first in "NS" else "AT"


def format_contract(contract: str) -> str:
    """Return the text of a contract with the suit's sign, `♥`; `NT` and `AT` stay."""
    return SUIT_SYMBOLS.get(contract, contract)


class _Symbol(NamedTuple):
    """A part of a text: a rank (`r`), a suit (`s`), or a letter H that may be either (`?`)."""

    text: str
    role: str
    has_colon: bool


def _find_suit(text: str) -> str:
    return _SUIT_BY_TEXT[text.lower()]


def _find_rank(text: str) -> str:
    return "T" if text == "10" else _FRENCH_RANKS.get(text.upper(), text.upper())


def _split_word(word: str, ranks: str) -> list[_Symbol]:
    symbols: list[_Symbol] = []
    position = 0
    while position < len(word):
        match = _SYMBOL_PATTERN.match(word, position)
        is_rank = is_suit = False
        if match is not None:
            is_diamonds = (
                match[1] in "dD" and word[match.end() : match.end() + 1] not in _SUIT_SIGNS
            )
            is_rank = not match[2] and not is_diamonds and _find_rank(match[1]) in ranks
            is_suit = is_diamonds or (match[1] not in "dD" and match[1].lower() in _SUIT_BY_TEXT)
        if match is None or not (is_rank or is_suit):
            raise InputError(f"{quote(word)} is not a card: write {_describe_card_syntax(ranks)}")
        role = "?" if is_rank and is_suit else "r" if is_rank else "s"
        symbols.append(_Symbol(match[1], role, bool(match[2])))
        position = match.end()
    return symbols


def _find_likely_roles(symbols: Sequence[_Symbol]) -> dict[str, str]:
    """Return the role of h and of H as the whole text suggests it; empty if it does not."""
    letters = "".join(symbol.text for symbol in symbols)
    if not (letters.islower() or letters.isupper()):
        return {"h": "s", "H": "r"}
    has_signs = any(symbol.has_colon or symbol.text in _SUIT_SIGNS for symbol in symbols)
    return {"h": "r", "H": "r"} if has_signs else {}


def _list_readings(word: Sequence[_Symbol], likely: dict[str, str]) -> list[tuple[Card, ...]]:
    """Return the likeliest readings of a word: no card twice, H as it is likely, small groups."""
    readings: list[tuple[tuple[int, int, int], tuple[Card, ...]]] = []
    for roles in product(*("rs" if symbol.role == "?" else symbol.role for symbol in word)):
        if cards := tuple(_read_shape(word, "".join(roles))):
            unlikely = sum(
                symbol.role == "?" and likely.get(symbol.text, role) != role
                for symbol, role in zip(word, roles, strict=True)
            )
            doubt = (len(cards) - len(set(cards)), unlikely, len(cards) - roles.count("s"))
            readings.append((doubt, cards))
    least = min((doubt for doubt, _ in readings), default=None)
    return [cards for doubt, cards in readings if doubt == least]


def _read_by_suit(symbols: Sequence[_Symbol], likely: dict[str, str]) -> tuple[Card, ...]:
    """Return the cards of a text with one group of ranks after each suit; empty if it is none."""
    roles = [
        likely.get(symbol.text, "s") if symbol.role == "?" else symbol.role for symbol in symbols
    ]
    suits = [
        _find_suit(symbol.text) for symbol, role in zip(symbols, roles, strict=True) if role == "s"
    ]
    if roles[0] != "s" or len(set(suits)) != len(suits):
        return ()
    return tuple(_read_shape(symbols, "".join(roles)))


def _read_shape(symbols: Sequence[_Symbol], shape: str) -> Iterator[Card]:
    """Yield the cards of symbols with these roles, if all are ranks before or after their suit."""
    for pattern, suit_at in _SHAPES.items():
        if re.fullmatch(f"(?:{pattern})+", shape):
            for group in re.finditer(pattern, shape):
                members = [symbol.text for symbol in symbols[group.start() : group.end()]]
                suit = _find_suit(members.pop(suit_at))
                yield from (Card(_find_rank(rank), suit) for rank in members)


def _explain_unreadable(word: Sequence[_Symbol], ranks: str) -> str:
    text, roles = quote(_join_text(word)), {symbol.role for symbol in word}
    if roles == {"r"}:
        rank = _find_rank(word[0].text)
        return f"{text} has no suit: write {rank}s, {rank}h, {rank}d or {rank}c"
    what = "has no rank" if roles == {"s"} else "is not a card"
    return f"{text} {what}: write {_describe_card_syntax(ranks)}"


def _join_text(symbols: Sequence[_Symbol]) -> str:
    return "".join(symbol.text for symbol in symbols)


def _join_cards(cards: Iterable[Card]) -> str:
    return " ".join(format_card(card) for card in cards)


def _describe_card_syntax(ranks: str) -> str:
    return f"a rank of {' '.join(ranks)}, then a suit of {' '.join(SUITS)}, as in Th"
