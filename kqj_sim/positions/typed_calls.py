"""Calls as people write them, such as `pass pass 120h` or `p, 120 hearts, x`."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

from kqj_sim.cards import CONTRACT_PATTERN, parse_contract
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.places import parse_place
from kqj_sim.record import Call
from kqj_sim.referee.base import Calling, FinalContract
from kqj_sim.referee.kqj import KqjCalling

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


def add_typed_calls(calling: Calling, text: str, own_seat: int | None = None) -> None:
    """Add calls as they are typed; raise InputError if one cannot be.

    Args:
        calling: the calls before.
        text: the calls: `pass`, `take h`, `120 h`, `400 NT capot`, `counter`, or `counter 4th` to
            say whose it is.
        own_seat: the seat of the player who writes; a counter without a place is another's.
    """
    for typed in split_calls(text, calling.seats, len(calling.calls), calling.examples):
        call = _make_call(calling, typed, own_seat)
        reason = calling.explain_illegal_call(call)
        if reason is not None:
            raise InputError(
                f"call {len(calling.calls) + 1}, {quote(typed.text)}, is impossible: {reason}"
            )
        calling.add(call)


def _make_call(calling: Calling, typed: TypedCall, own_seat: int | None) -> Call:
    """Return the call that a text stands for; a suit or the place of a counter may be left out."""
    word, contract = typed.word, typed.contract
    if word in ("counter", "overcounter"):
        if typed.place is not None:
            return Call((calling.opener + typed.place) % calling.seats, word)
        asked = (seat for seat in calling.list_repliers() if seat != own_seat)
        return Call(next(asked, calling.turn), word)
    if word == "bid":
        return Call(calling.turn, word, typed.amount, contract, typed.capot)
    if word == "take" and isinstance(calling, KqjCalling):
        where = f"call {len(calling.calls) + 1}, {quote(typed.text)}"
        if contract is None and calling.upcard is not None and calling.lap == 1:
            contract = calling.upcard.suit
        elif contract is None:
            raise InputError(
                f"{where}, needs a contract in lap {calling.lap}: write for example take h or "
                "take NT"
            )
        elif calling.rules.bidding == "auction":
            raise InputError(
                f"{where}: with auctions a bid has an amount; write for example "
                f"{calling.lowest_amount} {contract}"
            )
    return Call(calling.turn, word, contract=contract)


def split_calls(
    text: str, seats: int, before: int = 0, examples: str = KqjCalling.examples
) -> list[TypedCall]:
    """Return the calls in a text, with or without commas between them.

    Args:
        text: the calls, such as `pass pass 120h` or `pass, take`.
        seats: number of seats, for the place that a counter names.
        before: number of calls before the text, for errors.
        examples: the calls that errors propose.

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
            reason = _explain_unknown_call(text[position:], examples)
            raise InputError(f"call {before + len(calls) + 1}, {reason}")
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


def _explain_unknown_call(text: str, examples: str) -> str:
    """Return the beginning of a text that is no call, with what is wrong with it."""
    bid = re.match(r"(take|\d+)\s*([^\s,;/\d]*)", text, re.IGNORECASE)
    if bid is None:
        word = re.split(r"[\s,;/]", text, maxsplit=1)[0]
        return f"{quote(word)}, is not a call: write {examples}"
    if len(bid[1]) > _MAX_DIGITS:
        return f"{quote(bid[1])}: the amount is too large"
    if not bid[2] or _WORD_PATTERN.match(bid[2]):
        return f"{quote(bid[1])}, needs a contract: write for example {bid[1]} h or {bid[1]} NT"
    return f"{quote(bid[0])}: {quote(bid[2])} is not a contract; write s, h, d, c, NT or AT"


def finish_calling(calling: Calling) -> FinalContract:
    """Return the contract of calls; raise InputError if they are not over, or all passed."""
    if not calling.is_closed:
        raise InputError(f"the calls are not over: seat {calling.turn} has yet to speak")
    final = calling.final_contract()
    if final is None:
        raise InputError("all have passed: there is no card to play")
    return final
