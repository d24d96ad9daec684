"""Calls as people write them, such as `pass pass 120h` or `p, 120 hearts, x`."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

from kqj_sim.cards import CONTRACT_PATTERN, parse_contract
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.places import parse_place

CallWord = Literal["pass", "play", "take", "bid", "counter", "overcounter"]

_END = r"(?=[\s,;/]|$)"
_SEPARATORS = re.compile(r"[\s,;/]+")
_WORD_PATTERN = re.compile(
    r"(?:(?P<pass>pass(?:es|ed)?|p)|(?P<play>plays?)|(?P<take>takes?)"
    rf"|(?P<overcounter>over-?counter(?:s|ed)?|xx)|(?P<counter>counter(?:s|ed)?|x)){_END}",
    re.IGNORECASE,
)
_PLACE_PATTERN = re.compile(
    rf"\s+(?:by\s+)?(?P<place>\d(?:st|nd|rd|th)?|opener|dealer){_END}", re.IGNORECASE
)
_CONTRACT = rf"(?P<contract>{CONTRACT_PATTERN})"
_TAKEN_PATTERN = re.compile(rf"\s+{_CONTRACT}{_END}", re.IGNORECASE)
_DETAIL_PATTERNS = {
    "take": _TAKEN_PATTERN,
    "counter": _PLACE_PATTERN,
    "overcounter": _PLACE_PATTERN,
}
_BID_PATTERN = re.compile(rf"(?P<amount>\d+)\s*{_CONTRACT}(?P<capot>\s*capot)?{_END}", re.I)
_TURNED_BID_PATTERN = re.compile(rf"{_CONTRACT}\s*(?P<amount>\d+)(?P<capot>\s*capot)?{_END}", re.I)
_BARE_CONTRACT_PATTERN = re.compile(rf"{_CONTRACT}{_END}", re.IGNORECASE)
_MAX_DIGITS = 9


class TypedCall(NamedTuple):
    """A call as it was written.

    Attributes:
        text: the text.
        word: the kind of call; a contract without an amount is a take.
        place: place of the player, if a counter names it.
        contract, amount, capot: the bid or the contract taken, as far as they are written.
    """

    text: str
    word: CallWord
    place: int | None = None
    contract: str | None = None
    amount: int | None = None
    capot: bool = False


def split_calls(text: str, seats: int) -> list[TypedCall]:
    """Return the calls in a text, with or without commas between them.

    Args:
        text: the calls, such as `pass pass 120h` or `pass, take`.
        seats: number of seats, for the place that a counter names.

    Raises:
        InputError: a word is no call; a counter names no place.
    """
    text = text.replace("\ufe0f", "").strip()
    calls: list[TypedCall] = []
    position = 0
    while position < len(text):
        separator = _SEPARATORS.match(text, position)
        if separator is not None:
            position = separator.end()
            continue
        call = _match_call(text, position, seats)
        if call is None:
            raise InputError(f"call {len(calls) + 1}, {_explain_unknown_call(text[position:])}")
        calls.append(call)
        position += len(call.text)
    return calls


def _match_call(text: str, position: int, seats: int) -> TypedCall | None:
    """Return the call that begins at a position; None if there is none."""
    found = _WORD_PATTERN.match(text, position)
    if found is not None:
        word: CallWord = next(each for each in get_args(CallWord) if found.groupdict().get(each))
        pattern = _DETAIL_PATTERNS.get(word)
        more = None if pattern is None else pattern.match(text, found.end())
        whole = text[position : (more or found).end()]
        if more is None:
            return TypedCall(whole, word)
        if word == "take":
            return TypedCall(whole, word, contract=parse_contract(more["contract"]))
        return TypedCall(whole, word, place=parse_place(more["place"], seats))
    bid = _BID_PATTERN.match(text, position) or _TURNED_BID_PATTERN.match(text, position)
    if bid is not None and len(bid["amount"]) <= _MAX_DIGITS:
        contract, amount = parse_contract(bid["contract"]), int(bid["amount"])
        return TypedCall(bid[0], "bid", None, contract, amount, bool(bid["capot"]))
    contract_alone = _BARE_CONTRACT_PATTERN.match(text, position)
    if contract_alone is not None:
        contract = parse_contract(contract_alone["contract"])
        return TypedCall(contract_alone[0], "take", contract=contract)
    return None


def _explain_unknown_call(text: str) -> str:
    """Return the beginning of a text that is no call, with what is wrong with it."""
    bid = re.match(r"(take|\d+)\s*([^\s,;/\d]*)", text, re.IGNORECASE)
    if bid is None:
        word = re.split(r"[\s,;/]", text, maxsplit=1)[0]
        return f"{quote(word)}, is not a call: write pass, take h, 120 h, 400 NT capot or counter"
    if len(bid[1]) > _MAX_DIGITS:
        return f"{quote(bid[1])}: the amount is too large"
    if not bid[2] or _WORD_PATTERN.match(bid[2]):
        return f"{quote(bid[1])}, needs a contract: write for example {bid[1]} h or {bid[1]} NT"
    return f"{quote(bid[0])}: {quote(bid[2])} is not a contract; write s, h, d, c, NT or AT"
