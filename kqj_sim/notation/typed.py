"""Positions as people type them: the hand, the calls heard and the cards played, as options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

from msgspec.structs import replace as replace_struct

from kqj_sim.cards import CONTRACT_PATTERN, Card, parse_cards, parse_contract, parse_single_card
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.messages import count_noun, quote
from kqj_sim.places import SeatNames, describe_turn, name_places, parse_place
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_calls, read_position
from kqj_sim.record import Call, PartialRecord, PartialTrick
from kqj_sim.referee.base import Calling, Referee, get_referee
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import GameRules

# Calls as people write them, such as `pass pass 120h`, `p, 120 hearts, x` or, in French,
# `je passe, 120 cœur, contre`.

CallWord = Literal["pass", "play", "take", "bid", "counter", "overcounter"]

_END = r"(?=[\s,;/]|$)"
_SEPARATORS = re.compile(r"[\s,;/]+")
_WORD_PATTERN = re.compile(
    r"(?:(?P<pass>pass(?:es|ed)?|p|(?:je\s+)?passe)|(?P<play>plays?)|(?P<take>takes?|(?:je\s+)?prends)"
    r"|(?P<overcounter>over-?counter(?:s|ed)?|xx|(?:je\s+)?surcontre)"
    rf"|(?P<counter>counter(?:s|ed)?|x|(?:je\s+)?contre)){_END}",
    re.IGNORECASE,
)
_PLACE_PATTERN = re.compile(
    rf"\s+(?:by\s+|par\s+)?(?P<place>\d(?:st|nd|rd|th)?|opener|dealer){_END}", re.IGNORECASE
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
        repliers = (seat for seat in calling.list_repliers() if seat != own_seat)
        return Call(next(repliers, calling.turn), word)
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
    match = _WORD_PATTERN.match(text, position)
    if match is not None:
        word: CallWord = next(kind for kind in get_args(CallWord) if match.groupdict().get(kind))
        pattern = _DETAIL_PATTERNS.get(word)
        detail = None if pattern is None else pattern.match(text, match.end())
        whole = text[position : (detail or match).end()]
        if detail is None:
            return TypedCall(whole, word)
        if word == "take":
            return TypedCall(whole, word, contract=parse_contract(detail["contract"]))
        return TypedCall(whole, word, place=parse_place(detail["place"], seats))
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
    bid = re.match(r"(take|\d+)\s*([^\s,;/\d]*)", text, re.IGNORECASE)
    if bid is None:
        word = re.split(r"[\s,;/]", text, maxsplit=1)[0]
        return f"{quote(word)}, is not a call: write {examples}"
    if len(bid[1]) > _MAX_DIGITS:
        return f"{quote(bid[1])}: the amount is too large"
    if not bid[2] or _WORD_PATTERN.match(bid[2]):
        return f"{quote(bid[1])}, needs a contract: write for example {bid[1]} h or {bid[1]} NT"
    return f"{quote(bid[0])}: {quote(bid[2])} is not a contract; write s, h, d, c, NT or AT"


def read_typed_position(
    hand: str,
    rules: GameRules,
    *,
    return_card: str | None = None,
    place: int | None = None,
    lap: int | None = None,
    heard: str | None = None,
    partners_at: Sequence[int] | None = None,
    played: str | None = None,
    contract: str | None = None,
    sender: int | None = None,
    pending: int = 0,
) -> Position:
    """Return a position as a player types it; seats are places, 0 the opener.

    Args:
        hand: the player's cards; in the play all, or those that are left.
        place, lap: they follow from `heard` or `played`, else they are 0 and 1.
        heard: the calls so far, as for `add_typed_calls`; left out, everybody before has passed.
        partners_at: places of the partners, with random partners; left out, all sit alternately.
        played: the cards in the order played, trick after trick; None while calling.
        contract, sender: in the play, where the calls are not known: `150 h`, `400 NT capot`; in
            Kwajongen the sender alone, the caller, before whom all have passed.
        pending: litigation gratuity that waits; in Kwajongen 1 if the round is raised.

    Raises:
        InputError: one line that says what is wrong.
    """
    with _name_places(rules):
        referee, cards = get_referee(rules), parse_cards(hand, ranks=rules.ranks)
        if played is None:
            _check_count(cards, return_card, referee)
            place = place or 0 if heard is None else place
        upcard, teams = _parse_upcard(return_card, referee), assign_teams(rules, partners_at, place)
        calling = referee.start_calling(rules.seats - 1, teams, upcard)
        record = PartialRecord(
            game=rules.game, rules=rules.to_dict(), dealer=rules.seats - 1, teams=list(teams),
            turned=None if upcard is None else str(upcard), pending_before=pending,
        )  # fmt: skip
        if played is None:
            position = _read_typed_call(record, calling, referee, cards, place, lap, heard)
        else:
            keys = _name_contract(calling, referee, heard, contract, sender)
            record = replace_struct(record, **keys)
            position = _read_typed_play(record, referee, cards, place, played)
        return replace(position, seat_term="place")


@contextmanager
def _name_places(rules: GameRules) -> Iterator[None]:
    """Let errors within the block name places and options instead of seats and keys."""
    try:
        yield
    except InputError as error:
        names = SeatNames(("",) * rules.seats, rules.seats - 1)
        text = names.describe_in(str(error)).replace("pending_before:", "`pending`:")
        raise InputError(text) from None


def _read_typed_call(
    record: PartialRecord, calling: Calling, referee: Referee, cards: tuple[Card, ...],
    place: int | None, lap: int | None, heard: str | None,
) -> Position:  # fmt: skip
    if lap is not None and (referee.question != "take" or lap not in (1, 2)):
        right = "it is 1 or 2" if referee.question == "take" else "it follows from the calls"
        raise InputError(f"lap {lap}: {right}")
    if heard is None:
        heard = "pass " * (calling.seats * ((lap or 1) - 1) + (place or 0))
    add_typed_calls(calling, heard, place)
    seat, is_reply = _find_asked(calling, place)
    dealt = [list(map(str, cards)) if other == seat else None for other in range(calling.seats)]
    position = read_calls(replace_struct(record, calls=calling.calls, dealt=dealt))
    if lap not in (None, position.lap):
        raise InputError(
            f"lap {lap} does not fit the {len(calling.calls)} calls so far: the next one belongs "
            f"to lap {position.lap}"
        )
    return replace(position, reply=seat if is_reply else None)


def _find_asked(calling: Calling, place: int | None) -> tuple[int, bool]:
    """Return the seat that is asked after the calls, and whether it is asked to counter them."""
    repliers, names = calling.list_repliers(), name_places(calling.seats)
    if calling.is_closed and not repliers:
        raise InputError(
            "the bidding is over after these calls: give the cards played so far, `played`, or "
            "leave the last call out"
        )
    if place is None:
        return (repliers[0], True) if calling.is_closed else (calling.turn, False)
    if place == calling.turn and not calling.is_closed:
        return place, False
    if place in repliers:
        return place, True
    if calling.is_closed:
        *first, last = (names[replier] for replier in sorted(repliers))
        raise InputError(
            f"the {names[place]} is not asked now: {', '.join(first)} and {last} may "
            f"{'overcounter' if calling.calls[-1].call == 'counter' else 'counter'}"
        )
    raise InputError(
        f"after {count_noun(len(calling.calls), 'call')} "
        f"{describe_turn(calling.turn, calling.seats)}, not the {names[place]}'s: give all calls "
        "before yours"
    )


def _read_typed_play(
    record: PartialRecord, referee: Referee, cards: tuple[Card, ...], place: int | None, played: str
) -> Position:
    seats, count = referee.rules.seats, referee.rules.seats * referee.rules.tricks
    with locate_errors("cards played"):
        plays = list(map(str, parse_cards(played, ranks=referee.rules.ranks)))
    if len(plays) >= count:
        raise InputError(
            f"the round is over: all {count} cards are played; leave out the last ones"
        )
    starts = range(0, len(plays), seats)
    tricks = [PartialTrick(cards=plays[start : start + seats]) for start in starts]

    def check_place(seat: int) -> tuple[Card, ...]:
        if place not in (None, seat):
            raise InputError(
                f"after {count_noun(len(plays), 'card')} {describe_turn(seat, seats)}, not the "
                f"{name_places(seats)[place or 0]}'s: give only the cards played before yours"
            )
        return cards

    return read_position(replace_struct(record, tricks=tricks), find_hand=check_place)


def _name_contract(
    calling: Calling, referee: Referee, heard: str | None, contract: str | None, sender: int | None
) -> dict[str, Any]:
    """Return the keys of a record that say what is played."""
    if heard is not None:
        if contract is not None or sender is not None:
            options = "`contract` and `sender`" if referee.names_contract else "`sender`"
            raise InputError(f"the calls say who plays: leave {options} out, or the calls")
        add_typed_calls(calling, heard)
        return {"calls": calling.calls}
    if not referee.names_contract:
        if sender is None:
            raise InputError(
                "the caller is missing: give all calls, such as `heard='pass play'`, or the "
                "caller's place, `sender='2nd'`"
            )
        passes = (Call(seat, "pass") for seat in range(sender))
        return {"calls": [*passes, Call(sender, "play")]}
    if contract is None or sender is None:
        raise InputError(
            "the contract is missing: give all calls, such as `heard='pass take'`, or "
            "`contract='h'` and `sender='opener'`"
        )
    typed = parse_typed_contract(contract, calling.seats)
    if typed is None:
        right = "h or NT" if referee.has_upcard else "150 h or 400 NT capot"
        raise InputError(f"{quote(contract)} is not a contract: write for example {right}")
    keys = ("contract", "amount", "capot")
    return {"sender": sender} | {key: getattr(typed, key) for key in keys}


def parse_typed_contract(text: str, seats: int) -> TypedCall | None:
    """Return a contract, perhaps with an amount and `capot`; None if the text is none."""
    try:
        (typed,) = split_calls(text, seats)
    except ValueError:
        return None
    return None if typed.contract is None else typed


def _parse_upcard(text: str | None, referee: Referee) -> Card | None:
    if text is not None and referee.has_upcard:
        return parse_single_card(text, ranks=referee.rules.ranks)
    if text is not None:
        raise InputError("with auctions there is no Return: leave it out")
    if referee.has_upcard:
        raise InputError(
            f"{referee.upcard_name} is missing: give the card that is turned up, such as "
            "`return_card='Jh'`"
        )
    return None


def _check_count(cards: Sequence[Card], return_card: str | None, referee: Referee) -> None:
    """Raise InputError if a player who calls does not hold so many cards."""
    if len(cards) == referee.dealt_count:
        return
    given = f"{count_noun(len(cards), 'card')} given"
    right = {
        "accept": "in Kwajongen you hold 4",
        "bid": "with auctions you hold 8 (5 with `bidding='take'`)",
        "take": "with taking you hold 5 (8 with `bidding='auction'`)",
    }[referee.question]
    if referee.question == "take" and len(cards) == 6 and return_card is None:
        last = cards[-1]
        right = f"with taking you hold 5; if the Return is {last}, write `return_card='{last}'`"
    raise InputError(f"{given}: {right}")


def assign_teams(
    rules: GameRules, partners: Sequence[int] | None, place: int | None
) -> tuple[int, ...]:
    """Return the team of each place; the player is of team 0 where their partners are named."""
    if partners is None:
        return tuple(rules.fixed_team_of(seat) for seat in range(rules.seats))
    if rules.partners != "random":
        raise InputError("partners are named only with random partners: leave them out")
    if place is None:
        raise InputError("partners are named by place: give your place, too")
    size = rules.seats // rules.team_count
    own = {place, *partners}
    if len(own) != size or len(partners) != size - 1 or not own <= {*range(rules.seats)}:
        raise InputError(
            f"{len(partners)} partners: with {rules.team_count} teams there should be {size - 1}, "
            f"at other places than the {name_places(rules.seats)[place]}'s"
        )
    others = [seat for seat in range(rules.seats) if seat not in own]
    # How the others pair up matters little; neighbours in speaking are opponents, as usual.
    return tuple(
        0 if seat in own else 1 + others.index(seat) % (rules.team_count - 1)
        for seat in range(rules.seats)
    )
