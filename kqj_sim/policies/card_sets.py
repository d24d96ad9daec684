"""Sets of cards by their names, in policies and at the prompt.

A set of cards is an integer with one bit per card.  Calling views hold it in natural coding, the
same in every deal; views of the play code cards by strength in the contract (`core.cards`), and
Kwajongen's pack has codings of its own.  The sets that this module names (`hand("9h 8h")`, `NINES`,
`suit_cards(HEARTS)`) are in the natural coding of KQJ.  `in_view` recodes them for any view of
either game, and `has` and `suit` do so themselves when they are given a view.

Compiled policies and plain Python may call all of them; `cards_text` is slow, for printing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from numba import objmode, types
from numba.extending import overload

from kqj_sim.cards import CONTRACTS, RANKS, SUITS, Card, format_hand, parse_cards
from kqj_sim.core import cards as core_cards
from kqj_sim.core.cards import ALL_TRUMPS, EACH_SUIT, NO_TRUMP, popcount
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import CardSet
from kqj_sim.core.views import AcceptView, CardView
from kqj_sim.errors import InputError
from kqj_sim.messages import represent, shorten
from kqj_sim.plain import to_plain

SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
"""The suits, as in contracts."""

RANK_ORDER = "456789JQKHTA"
"""The ranks of a suit from its lowest bit up, natural coding of KQJ."""
FOURS, FIVES, SIXES, SEVENS, EIGHTS, NINES, JACKS, QUEENS, KINGS, HEROES, TENS, ACES = (
    EACH_SUIT << bit for bit in range(len(RANK_ORDER))
)
"""The four cards of a rank, natural coding of KQJ."""

CONSTANTS: Mapping[str, int] = {
    "FOURS": FOURS, "FIVES": FIVES, "SIXES": SIXES, "SEVENS": SEVENS, "EIGHTS": EIGHTS,
    "NINES": NINES, "JACKS": JACKS, "QUEENS": QUEENS, "KINGS": KINGS, "HEROES": HEROES,
    "TENS": TENS, "ACES": ACES,
}  # fmt: skip
"""The sets of four cards by name."""

_TRUMP_ORDER = "456JQKHTA789"
_KWAJONGEN_RANKS = "9TJQKA"
_KWAJONGEN_TRUMPS = 0x3F << 48
RANK_ORDERS: Mapping[str, tuple[str, str]] = {
    "kqj": (RANK_ORDER, _TRUMP_ORDER),
    "kwajongen": (_KWAJONGEN_RANKS, _KWAJONGEN_RANKS),
}
"""Ranks by bit of a suit in natural and in trump order."""


def split_cards(cards: int) -> Iterator[int]:
    """Yield the numbers of a set's bits, lowest first."""
    while cards:
        yield (cards & -cards).bit_length() - 1
        cards &= cards - 1


def list_cards(cards: int, contract: int | None = None, game: str = "kqj") -> list[Card]:
    """Return the cards of a set in natural coding, or coded by strength for a contract (0 to 5)."""
    orders = RANK_ORDERS[game]
    return [_find_card(bit >> 4, bit & 15, contract, *orders) for bit in split_cards(cards)]


def format_cards(cards: int, contract: int | None = None, game: str = "kqj") -> list[str]:
    """Return the texts of a set in natural coding, or coded by strength for a contract (0 to 5)."""
    return [str(card) for card in list_cards(cards, contract, game)]


def encode_cards(cards: Iterable[Card], game: str = "kqj") -> int:
    """Return cards as a set in natural coding."""
    ranks, _ = RANK_ORDERS[game]
    return sum(1 << 16 * SUITS.index(suit) + ranks.index(rank) for rank, suit in cards)


def _find_card(
    lane: int, rank: int, contract: int | None, plain: Sequence[str], trump: Sequence[str]
) -> Card:
    """Return a card by its suit and rank in the coding (`core.cards.to_strength_order`)."""
    if contract is None:
        return Card(plain[rank], SUITS[lane])
    if contract >= NO_TRUMP:
        return Card((trump if contract == ALL_TRUMPS else plain)[rank], SUITS[lane])
    return Card((trump if lane == 3 else plain)[rank], SUITS[(lane + contract + 1) % 4])


def check_arguments(function: Callable[..., Any], *arguments: object) -> None:
    """Raise InputError if a function of views and sets of cards gets something else."""
    for name, given in zip(inspect.signature(function).parameters, arguments, strict=False):
        value = to_plain(given)
        is_number = isinstance(value, int) and abs(value) < 1 << 63
        is_set = is_number and value >= 0
        if name == "view":
            is_right = hasattr(type(value), "hand") or (is_set and function in (has, suit))
            kind = "the view that a policy gets"
        elif name == "cards":
            is_right, kind = is_set, "a set of cards, as of hand('9h 8h')"
        else:
            is_right, kind = is_number, "a whole number"
        if not is_right:
            what = shorten(represent(given))
            raise InputError(f"{function.__name__}(): {name} should be {kind}, not {what}")


def hand(cards: str) -> int:
    """Return cards as a set for policies, natural coding of KQJ.

    A compiled policy needs the text in quotes right there, since it is read when compiling.

    Raises:
        InputError: the text names no cards.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.count(kqj.hand("9h 8h Ad"))
        3
        >>> kqj.cards_text(kqj.hand("9h 8h Ad"))
        '♥ 9 8  ♦ A'
    """
    if not isinstance(cards, str):
        raise InputError(f"hand(): cards should be a text such as '9h 8h', not {shorten(cards)}")
    return encode_cards(parse_cards(cards))


def in_view(view: Any, cards: int) -> int:
    """Return a set of named cards in the coding of a view, of any kind and game.

    Cards that the game does not have are left out.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def nines_first(view):
        ...     nines = view.legal & kqj.in_view(view, kqj.NINES)
        ...     return kqj.lowest(nines) if nines != 0 else kqj.lowest(view.legal)
        >>> kqj.simulate(deals=50, policy=nines_first).deals
        50
    """
    check_arguments(in_view, view, cards)
    return int(_recode(view)(view, cards))


def has(view: Any, cards: Any) -> bool:
    """Return True if a hand holds all of some cards: a text such as "9h", or a named set.

    `view` is a view, whose hand it is, or in decisions of the calling a set of cards.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.has(kqj.hand("9h 8h"), "9h"), kqj.has(kqj.hand("9h 8h"), "9h Ah")
        (True, False)
    """
    view, wanted = to_plain(view), hand(cards) if isinstance(cards, str) else to_plain(cards)
    check_arguments(has, view, wanted)
    if isinstance(view, int):
        return bool(view & wanted == wanted)
    coded = in_view(view, wanted)
    return bool(view.hand & coded == coded and count(coded) == count(wanted))


def suit(view: Any, number: int) -> int:
    """Return the cards of a suit (`SPADES` to `CLUBS`) in a hand.

    `view` is a view, whose hand it is, or in decisions of the calling a set of cards.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.cards_text(kqj.suit(kqj.hand("9h 8h Ad"), kqj.HEARTS))
        '♥ 9 8'
    """
    view, number = to_plain(view), to_plain(number)
    check_arguments(suit, view, number)
    if not 0 <= number < len(SUITS):
        raise InputError(f"suit(): number should be 0 to {len(SUITS) - 1}, not {number}")
    cards = core_cards.SUIT_MASK << 16 * number
    return view & cards if isinstance(view, int) else view.hand & in_view(view, cards)


def count(cards: int) -> int:
    """Return the number of cards in a set, whatever its coding.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.count(kqj.ACES)
        4
    """
    check_arguments(count, cards)
    return int(cards).bit_count()


def cards_text(
    cards: Any, view: Any = None, *, contract: str | None = None, game: str = "kqj"
) -> str:
    """Return the cards of a set as text, by suit and rank.

    A compiled policy may print it: `print(cards_text(view.legal, view))`.

    Args:
        cards: a set of cards, or a view, whose hand it is.
        view: the view from which the set comes; it knows its coding.
        contract: the contract (`s h d c NT AT`) of a set coded by strength, without a view.
        game: the game of a set without a view.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.cards_text(kqj.hand("Ad 8h 9h"))
        '♥ 9 8  ♦ A'
    """
    if hasattr(type(cards), "hand"):
        cards, view = cards.hand, cards
    check_arguments(cards_text, cards)
    for name, given, known in (("contract", contract, CONTRACTS), ("game", game, RANK_ORDERS)):
        if given is not None and represent(given, str) not in known:
            what = f"one of {' '.join(known)}, not {shorten(given)}"
            raise InputError(f"cards_text(): {name} should be {what}")
    number = None if contract is None else CONTRACTS.index(contract)
    if view is not None and isinstance(view, CardView | AcceptView):
        number = view.contract
        is_kwajongen = view.trumps == _KWAJONGEN_TRUMPS
        game = "kwajongen" if is_kwajongen else "kqj"
    order = RANKS
    if number is not None and game == "kqj" and number == ALL_TRUMPS:
        order = _TRUMP_ORDER[::-1]
    try:
        return format_hand(list_cards(int(cards), number, game), ranks=order)
    except IndexError:
        raise InputError(f"cards_text(): {cards:#x} is not a set of cards of {game}") from None


@scalar
def _recode_kwajongen(cards: CardSet, trump: int) -> int:
    """Return a set in natural coding of KQJ by strength in Kwajongen."""
    # 9 T J Q K A are the bits 5 10 6 7 8 11 in KQJ.
    cards = (
        (cards & NINES) >> 5
        | (cards & TENS) >> 9
        | (cards & (JACKS | QUEENS | KINGS)) >> 4
        | (cards & ACES) >> 6
    )
    return core_cards.order_by_strength(cards, core_cards.suit_shift(trump), 0)


@scalar
def _recode_played(view: Any, cards: CardSet) -> int:
    """Return a set in natural coding of KQJ by strength for a card view of either game."""
    if view.trumps == _KWAJONGEN_TRUMPS:
        return _recode_kwajongen(cards, view.contract)
    return core_cards.to_strength_order(cards, view.contract)


@scalar
def _recode_accepted(view: Any, cards: CardSet) -> int:
    """Return a set in natural coding of KQJ by strength for a view of Kwajongen's calling."""
    return _recode_kwajongen(cards, view.contract)


@scalar
def _keep(view: Any, cards: CardSet) -> int:
    """Return a set as it is: calling views have natural coding."""
    return cards


def _recode(view: Any) -> Any:
    """Return the function that recodes sets for a kind of view."""
    kind: Any = type(view)
    return _recode_for(kind)


@cache
def _recode_for(kind: Any) -> Any:
    return {CardView: _recode_played, AcceptView: _recode_accepted}.get(kind, _keep)


class CardTextError(InputError):
    """A wrong argument of a function of sets of cards in a compiled policy.

    numba passes it on as it is, since it is no error of numba's.

    Attributes:
        function: the name of the function.
    """

    def __init__(self, function: str, message: str) -> None:
        self.function = function
        super().__init__(f"{function}(): {message}")


def read_literal(function: str, given: Any) -> int | None:
    """Return the cards of a text in a compiled function; None if its type is no text.

    Raises:
        CardTextError: the text names no cards, or is not known when compiling.
    """
    if isinstance(given, types.StringLiteral):
        try:
            return hand(given.literal_value)
        except InputError as error:
            raise CardTextError(function, str(error)) from None
    if isinstance(given, types.UnicodeType):
        advice = "the cards should be a text in quotes right there, as in"
        raise CardTextError(function, f'{advice} {function}("9h")')
    return None


def _compile_as(function: Any) -> Callable[[Any], Any]:
    """Return a decorator for what `function` is in compiled code, by the types of its arguments."""

    def register(typer: Any) -> Any:
        typer.__annotations__.clear()  # numba compares them with those of what it returns.
        return overload(function, prefer_literal=True)(typer)

    return register


def _is_set(given: Any) -> bool:
    return isinstance(given, types.Integer)


@_compile_as(hand)
def _overload_hand(cards: Any) -> Any:
    held = read_literal("hand", cards)
    return None if held is None else lambda cards: held


@_compile_as(in_view)
def _overload_in_view(view: Any, cards: Any) -> Any:
    if _is_set(view) or not _is_set(cards):
        return None
    recode = _recode_for(view.instance_class)
    return lambda view, cards: recode(view, cards)


@_compile_as(has)
def _overload_has(view: Any, cards: Any) -> Any:
    wanted = read_literal("has", cards)
    if wanted is None and not _is_set(cards):
        return None
    if _is_set(view):
        if wanted is None:
            return lambda view, cards: (view & cards) == cards
        return lambda view, cards: (view & wanted) == wanted
    return _hold_in_view(view, wanted)


def _hold_in_view(view: Any, wanted: int | None) -> Any:
    """Return the function for numba that compares a view's hand with cards."""
    recode = _recode_for(view.instance_class)

    def holds(view: Any, wanted: Any) -> Any:
        coded = recode(view, wanted)
        # Kwajongen lacks some cards, and nobody holds these.
        return (view.hand & coded) == coded and popcount(coded) == popcount(wanted)

    compare = scalar(holds)
    if wanted is None:
        return lambda view, cards: compare(view, cards)
    return lambda view, cards: compare(view, wanted)


@overload(cards_text, strict=False)
def _overload_cards_text(cards: Any, view: Any = None) -> Any:
    def format_in_python(cards: Any, view: Any = None) -> Any:
        with objmode(text="unicode_type"):
            text = cards_text(cards, view)
        return text

    return format_in_python


@_compile_as(suit)
def _overload_suit(view: Any, number: Any) -> Any:
    mask = core_cards.SUIT_MASK
    if _is_set(view):
        return lambda view, number: view & (mask << 16 * number)
    return _keep_suit_of_view(view)


def _keep_suit_of_view(view: Any) -> Any:
    """Return the function for numba that finds the cards of a suit in a view's hand."""
    mask = core_cards.SUIT_MASK
    recode = _recode_for(view.instance_class)
    return lambda view, number: view.hand & recode(view, mask << 16 * number)


@_compile_as(count)
def _overload_count(cards: Any) -> Any:
    return lambda cards: popcount(cards)


def _has_of_view(view: Any, cards: Any) -> bool:
    """Stand for `has` where cards are coded by strength."""
    return has(view, cards)


def _suit_of_view(view: Any, number: int) -> int:
    """Stand for `suit` where cards are coded by strength."""
    return suit(view, number)


@_compile_as(_has_of_view)
def _overload_has_of_view(view: Any, cards: Any) -> Any:
    wanted = read_literal("has", cards)
    _require_view("has", view)
    return None if wanted is None and not _is_set(cards) else _hold_in_view(view, wanted)


@_compile_as(_suit_of_view)
def _overload_suit_of_view(view: Any, number: Any) -> Any:
    _require_view("suit", view)
    return _keep_suit_of_view(view)


def _require_view(function: str, given: Any) -> None:
    """Raise CardTextError for a set of which the coding is not known."""
    if _is_set(given):
        advice = "cards are coded by strength here, so it needs the view instead of a set"
        raise CardTextError(function, f"{advice}: {function}(view, ...)")


STRENGTH_TWINS = {has: _has_of_view, suit: _suit_of_view}
"""What stands for functions where cards are coded by strength."""


def find_natural_constant(names: Iterable[str]) -> str | None:
    """Return a named set among the names that a function uses, if it recodes none."""
    names = set(names)
    if names & {"in_view", "has"}:
        return None
    return next((name for name in sorted(names) if name in CONSTANTS), None)
