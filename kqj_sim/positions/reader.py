"""Positions read from typed text or from a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple, get_args

from msgspec.structs import replace as replace_struct

from kqj_sim.cards import (
    CONTRACT_PATTERN,
    NUMBER_WORDS,
    Card,
    parse_card,
    parse_cards,
    parse_contract,
    parse_single_card,
)
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import find_game, make_rules
from kqj_sim.messages import count_noun, quote
from kqj_sim.places import SeatNames, describe_turn, name_places, parse_place
from kqj_sim.positions.position import Position, split_tricks
from kqj_sim.record import AnyRecord, Call
from kqj_sim.referee.base import Calling, FinalContract, Referee, get_referee
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import GameRules

# Calls as people write them, such as `pass pass 120h` or `p, 120 hearts, x`.

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
        hand: the player's cards, `9h 8h Ah Ks 4d`; in the play all, or those that are left.
        return_card: the Return, with taking; in Kwajongen the dealer's card that is shown.
        place: the player's place; follows from `heard` or `played`, else it is 0.
        lap: the lap, with taking; follows from `heard`, else it is 1.
        heard: the calls so far, as for `add_typed_calls`; left out, everybody before has passed.
        partners_at: places of the partners, with random partners; left out, all sit alternately.
        played: the cards in the order played, trick after trick; None while calling.
        contract: in the play, where the calls are not known, the contract, with auctions after the
            amount and perhaps before `capot`: `h`, `150 h`, `400 NT capot`; not in Kwajongen.
        sender: then also the Sender's place; in Kwajongen the place of the caller, before whom all
            have passed.
        pending: litigation gratuity that waits; in Kwajongen 1 if the round is raised.

    Raises:
        InputError: one line that says what is wrong.
    """
    with _name_places(rules):
        cards = parse_cards(hand, ranks=rules.ranks)
        if played is None:
            _check_count(cards, return_card, get_referee(rules))
            if heard is None:
                place = place or 0
        before = _start_typed(rules, return_card, partners_at, place, pending)
        if played is None:
            return _read_typed_call(before, cards, place, lap, heard)
        return _read_typed_play(before, cards, place, played, heard, contract, sender)


@contextmanager
def _name_places(rules: GameRules) -> Iterator[None]:
    """Let errors within the block name places instead of seats."""
    try:
        yield
    except InputError as error:
        names = SeatNames(("",) * rules.seats, rules.seats - 1)
        raise InputError(names.describe_in(str(error))) from None


def _start_typed(
    rules: GameRules, return_card: str | None, partners_at: Sequence[int] | None,
    place: int | None, pending: int,
) -> Position:  # fmt: skip
    """Return the position before the first call, with no cards known."""
    upcard = _parse_upcard(return_card, get_referee(rules))
    return Position(
        rules, rules.seats - 1, assign_teams(rules, partners_at, place), upcard, (), None,
        ((),) * rules.seats, pending=pending, seat_term="place",
    )  # fmt: skip


def _add_calls(before: Position, heard: str, place: int | None = None) -> Calling:
    calling = before.referee.start_calling(before.dealer, before.teams, before.upcard)
    add_typed_calls(calling, heard, place)
    return calling


def _read_typed_call(
    before: Position, cards: tuple[Card, ...], place: int | None, lap: int | None,
    heard: str | None,
) -> Position:  # fmt: skip
    seats = before.rules.seats
    if lap is not None and (before.referee.question != "take" or lap not in (1, 2)):
        right = "it is 1 or 2" if before.referee.question == "take" else "it follows from the calls"
        raise InputError(f"lap {lap}: {right}")
    if heard is None:
        heard = "pass " * (seats * ((lap or 1) - 1) + (place or 0))
    calling = _add_calls(before, heard, place)
    seat, is_reply = _find_asked(calling, place)
    position = replace(
        before,
        calls=tuple(calling.calls),
        hands=_give(cards, seat, seats),
        reply=seat if is_reply else None,
    )
    if lap not in (None, position.lap):
        raise InputError(
            f"lap {lap} does not fit the {len(calling.calls)} calls so far: the next one belongs "
            f"to lap {position.lap}"
        )
    return position


def _find_asked(calling: Calling, place: int | None) -> tuple[int, bool]:
    """Return the seat that is asked after the calls, and whether it is asked to counter them."""
    asked, names = calling.list_repliers(), name_places(calling.seats)
    if calling.is_closed and not asked:
        raise InputError(
            "the bidding is over after these calls: give the cards played so far, --played, or "
            "leave the last call out"
        )
    if place is None:
        return (asked[0], True) if calling.is_closed else (calling.turn, False)
    if place == calling.turn and not calling.is_closed:
        return place, False
    if place in asked:
        return place, True
    if calling.is_closed:
        *first, last = (names[each] for each in sorted(asked))
        raise InputError(
            f"the {names[place]} is not asked now: {', '.join(first)} and {last} may "
            f"{'overcounter' if calling.calls[-1].call == 'counter' else 'counter'}"
        )
    raise InputError(
        f"after {len(calling.calls)} calls {describe_turn(calling.turn, calling.seats)}, not "
        f"the {names[place]}'s: give all calls before yours"
    )


def _read_typed_play(
    before: Position, cards: tuple[Card, ...], place: int | None, played: str, heard: str | None,
    contract: str | None, sender: int | None,
) -> Position:  # fmt: skip
    rules, referee = before.rules, before.referee
    if heard is not None:
        if contract is not None or sender is not None:
            options = "--contract and --sender" if referee.names_contract else "--sender"
            raise InputError(f"the calls say who plays: leave {options} out, or the calls")
        calling = _add_calls(before, heard)
        calls, final = tuple(calling.calls), finish_calling(calling)
    else:
        calls, final = None, _parse_contract(before, contract, sender)
        if not referee.names_contract:
            passes = (Call(each, "pass") for each in range(final.sender))
            calls = (*passes, Call(final.sender, "play"))
    with locate_errors("cards played"):
        plays = parse_cards(played, ranks=rules.ranks)
    if len(plays) >= rules.seats * rules.tricks:
        raise InputError(
            f"the round is over: all {rules.seats * rules.tricks} cards are played; leave out the "
            "last ones"
        )

    def check_place(seat: int) -> tuple[Card, ...]:
        if place not in (None, seat):
            raise InputError(
                f"after {len(plays)} cards {describe_turn(seat, rules.seats)}, not the "
                f"{name_places(rules.seats)[place or 0]}'s: give all cards played before yours"
            )
        return cards

    return _play(replace(before, calls=calls), final, plays, check_place)


def _parse_contract(before: Position, contract: str | None, sender: int | None) -> FinalContract:
    referee, upcard = before.referee, before.upcard
    if not referee.names_contract:
        if sender is None:
            raise InputError(
                "the caller is missing: give all calls, such as --heard 'pass play', or the "
                "caller's place, --sender 2nd"
            )
        assert upcard is not None
        return _check_contract(FinalContract(sender, upcard.suit), referee, upcard)
    if contract is None or sender is None:
        raise InputError(
            "the contract is missing: give all calls, such as --heard 'pass take', or --contract h "
            "and --sender opener"
        )
    try:
        (typed,) = split_calls(contract, before.rules.seats)
    except ValueError:
        typed = None
    if typed is None or typed.contract is None:
        right = "h or NT" if referee.has_upcard else "150 h or 400 NT capot"
        raise InputError(f"{quote(contract)} is not a contract: write for example {right}")
    final = FinalContract(sender, typed.contract, typed.amount, typed.capot)
    return _check_contract(final, referee, upcard)


def _parse_upcard(text: str | None, referee: Referee) -> Card | None:
    if text is not None and referee.has_upcard:
        return parse_single_card(text, ranks=referee.rules.ranks)
    if text is not None:
        raise InputError("with auctions there is no Return: leave it out")
    if referee.has_upcard:
        raise InputError(
            f"{referee.upcard_name} is missing: give the card that is turned up, such as "
            "--return Jh"
        )
    return None


def _check_count(cards: Sequence[Card], return_card: str | None, referee: Referee) -> None:
    """Raise InputError if a player who calls does not hold so many cards."""
    if len(cards) == referee.dealt_count:
        return
    given = f"{count_noun(len(cards), 'card')} given"
    right = {
        "accept": "in Kwajongen you hold 4",
        "bid": "with auctions you hold 8 (5 with --bidding take)",
        "take": "with taking you hold 5 (8 with --bidding auction)",
    }[referee.question]
    if referee.question == "take" and len(cards) == 6 and return_card is None:
        last = cards[-1]
        right = f"with taking you hold 5; if the Return is {last}, write --return {last}"
    raise InputError(f"{given}: {right}")


def assign_teams(
    rules: GameRules, partners: Sequence[int] | None, place: int | None
) -> tuple[int, ...]:
    """Return the team of each place; the player is of team 0 where their partners are named."""
    if partners is None:
        return tuple(rules.fixed_team_of(each) for each in range(rules.seats))
    if rules.partners != "random":
        raise InputError("partners are named with random partners only: leave them out")
    if place is None:
        raise InputError("partners are named by place: give your place, too")
    size = rules.seats // rules.team_count
    own = {place, *partners}
    if len(own) != size or len(partners) != size - 1 or not own <= {*range(rules.seats)}:
        raise InputError(
            f"{len(partners)} partners: with {rules.team_count} teams there should be {size - 1}, "
            f"at other places than the {name_places(rules.seats)[place]}'s"
        )
    others = [each for each in range(rules.seats) if each not in own]
    # How the others pair up matters little; neighbours in speaking are opponents, as usual.
    return tuple(
        0 if each in own else 1 + others.index(each) % (rules.team_count - 1)
        for each in range(rules.seats)
    )


def _give(cards: tuple[Card, ...], seat: int, seats: int) -> tuple[tuple[Card, ...], ...]:
    """Return the hands of all seats, of which one is known."""
    return tuple(cards if each == seat else () for each in range(seats))


def _play(
    before: Position, final: FinalContract, plays: tuple[Card, ...],
    find_hand: Callable[[int], tuple[Card, ...]],
) -> Position:  # fmt: skip
    """Return the position after plays; `find_hand` gives the seat's cards, all or those left."""
    seats, size = before.rules.seats, before.rules.tricks
    tricks = split_tricks(plays, before.dealer, before.referee, final.contract)
    leader, trick = tricks[-1]
    seat = (leader + len(trick)) % seats
    cards = find_hand(seat)
    own = [trick[(seat - leader) % seats] for leader, trick in tricks if len(trick) == seats]
    missing = [card for card in own if card not in cards]
    if missing and len(missing) < len(own):
        raise InputError(
            f"{' '.join(map(str, missing))} was played by seat {seat}, whose turn it is, but is "
            f"not among the cards given: give all {NUMBER_WORDS[size]}, or only those left"
        )
    if len(cards) + len(missing) != size:
        raise InputError(
            f"{len(cards) + len(missing) - len(own)} cards in hand: seat {seat}, whose turn it is, "
            f"has played {len(own)} and so has {size - len(own)} left"
        )
    hands = _give((*missing, *cards), seat, seats)
    return replace(before, final_contract=final, plays=plays, hands=hands)


def _check_contract(final: FinalContract, referee: Referee, upcard: Card | None) -> FinalContract:
    """Return a contract without calls; raise InputError if the rules forbid it."""
    reason = referee.explain_wrong_contract(final, upcard)
    if reason is not None:
        raise InputError(reason)
    return final


# Records.


def add_played_hands(record: AnyRecord) -> AnyRecord:
    """Return a record with the hands that follow from its plays, if all cards are played."""
    rules, tricks = find_game(record.game).rules, record.tricks
    if (record.hands and all(record.hands)) or len(tricks) < rules.tricks:
        return record
    if any(trick.leader is None or len(trick.cards) < rules.seats for trick in tricks):
        return record
    hands = [
        [trick.cards[(seat - (trick.leader or 0)) % rules.seats] for trick in tricks]
        for seat in range(rules.seats)
    ]
    return replace_struct(record, hands=hands)


def read_calls(record: AnyRecord) -> Position:
    """Return a record's round with its calls and the cards dealt before them, without plays.

    Raises:
        InputError: what is wrong, by the record's key.
    """
    with locate_errors("rules"):
        rules = make_rules(record.game, record.rules)
    _check_lengths(record, rules.seats)
    referee = get_referee(rules)
    if not 0 <= record.dealer < rules.seats:
        raise InputError(f"dealer: {record.dealer} is not a seat from 0 to {rules.seats - 1}")
    reason = referee.explain_wrong_pending(record.pending_before)
    if reason is not None:
        raise InputError(f"pending_before: {reason}")
    upcard = None
    if referee.has_upcard:
        if record.turned is None:
            raise InputError(f"turned: null, {referee.upcard_rule}")
        upcard = _read_card("turned", record.turned, rules)
    calls = None if record.calls is None or record.imposed else tuple(record.calls)
    players = None if record.players is None else tuple(record.players)
    keys = ["dealt"] if referee.deals_after_calls else ["dealt", "hands"]
    hands = tuple(_find_hand(record, keys, rules, seat) for seat in range(rules.seats))
    position = Position(
        rules, record.dealer, _read_teams(record, rules), upcard, calls, None, hands,
        pending=record.pending_before, players=players,
    )  # fmt: skip
    calling = referee.start_calling(record.dealer, position.teams, upcard)
    for number, call in enumerate(calls or (), start=1):
        reason = calling.explain_illegal_call(call)
        if reason is not None:
            raise InputError(f"call {number}: {reason}")
        calling.add(call)
    return position


def _check_lengths(record: AnyRecord, seats: int) -> None:
    """Raise InputError if a list of a round in progress has another length than there are seats."""
    for name in ("players", "teams", "dealt", "hands"):
        found = getattr(record, name)
        if found is not None and len(found) != seats:
            raise InputError(f"{name}: {len(found)} entries, there should be {seats}")
    for number, call in enumerate(record.calls or ()):
        if not 0 <= call.seat < seats:
            raise InputError(f"calls[{number}].seat: {call.seat} is not 0 to {seats - 1}")
    for number, trick in enumerate(record.tricks):
        if trick.leader is not None and not 0 <= trick.leader < seats:
            raise InputError(f"tricks[{number}].leader: {trick.leader} is not 0 to {seats - 1}")
    if record.sender is not None and not 0 <= record.sender < seats:
        raise InputError(f"sender: {record.sender} is not 0 to {seats - 1}")


def read_position(
    record: AnyRecord, at: tuple[int, int] | None = None, before: Position | None = None
) -> Position:
    """Return the round of a record in the play, as the player to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick and of a card in it, both from 1: only the plays before that card are
            read, so that a whole record can be asked about, too.
        before: what `read_calls` returns of the record, if that is known.

    Raises:
        InputError: what is wrong, by the record's key.
    """
    before = before or read_calls(record)
    final = (
        finish_calling(before.calling)
        if before.calls is not None
        else _read_contract(record, before)
    )
    plays = _read_plays(record, before.rules, at)
    return _play(before, final, plays, partial(_read_hand, record, before.referee))


def _read_teams(record: AnyRecord, rules: GameRules) -> tuple[int, ...]:
    """Return the team of each seat; raise InputError if those of a record cannot be."""
    teams = record.teams
    fixed = tuple(rules.fixed_team_of(seat) for seat in range(rules.seats))
    if rules.partners == "fixed":
        if teams is not None and tuple(teams) != fixed:
            raise InputError(f"teams: {list(teams)}, with fixed partners {list(fixed)}")
        return fixed
    if teams is None or sorted(teams) != sorted(fixed):
        raise InputError(
            f"teams: with random partners a team for each seat, such as {list(fixed)}, "
            f"not {None if teams is None else list(teams)}"
        )
    return tuple(teams)


def _read_contract(record: AnyRecord, before: Position) -> FinalContract:
    contract = record.contract
    if before.upcard is not None and not before.referee.names_contract:
        contract = before.upcard.suit
    if record.sender is None or contract is None:
        raise InputError("sender and contract are needed where there are no calls")
    amount, capot, stake = record.amount, bool(record.capot), record.stake or 1
    final = FinalContract(record.sender, contract, amount, capot, stake)
    return _check_contract(final, before.referee, before.upcard)


def _read_plays(
    record: AnyRecord, rules: GameRules, at: tuple[int, int] | None
) -> tuple[Card, ...]:
    """Return the cards played in a record, up to a card of a trick (both from 1)."""
    seats = rules.seats
    plays: list[Card] = []
    for number, trick in enumerate(record.tricks):
        key = f"tricks[{number}].cards"
        last = number == len(record.tricks) - 1
        if len(trick.cards) > seats or (len(trick.cards) < seats and not last):
            raise InputError(f"{key}: {len(trick.cards)} cards, there should be {seats}")
        plays += [_read_card(key, text, rules) for text in trick.cards]
    if at is not None:
        wanted = seats * (at[0] - 1) + at[1] - 1
        if wanted > len(plays) or at[1] > seats:
            raise InputError(
                f"card {at[1]} of trick {at[0]} was not reached: {len(plays)} cards are played"
            )
        plays = plays[:wanted]
    if len(plays) >= seats * rules.tricks:
        raise InputError(
            "the record's round is over: leave out the tricks from where the question is, "
            "or name a card of it, such as --at 3.2"
        )
    return tuple(plays)


def _read_hand(record: AnyRecord, referee: Referee, seat: int) -> tuple[Card, ...]:
    """Return the cards of a seat: as played with, or as dealt if that is the same."""
    rules, keys = referee.rules, ["hands"] if referee.deals_after_calls else ["hands", "dealt"]
    cards = _find_hand(record, keys, rules, seat)
    if not cards:
        raise InputError(
            f"{keys[-1]}: it is the turn of seat {seat}, whose {NUMBER_WORDS[rules.tricks]} cards "
            f"are needed ({NUMBER_WORDS[rules.seats]} lists, those of the others may be empty)"
        )
    return cards


def _find_hand(
    record: AnyRecord, keys: Sequence[str], rules: GameRules, seat: int
) -> tuple[Card, ...]:
    """Return the cards of a seat under the first key that has them; empty if none has."""
    for key in keys:
        hands = getattr(record, key)
        if hands is not None and hands[seat]:
            return _read_cards(f"{key}[{seat}]", hands[seat], rules)
    return ()


def _read_cards(key: str, texts: Sequence[str], rules: GameRules) -> tuple[Card, ...]:
    cards = tuple(_read_card(key, text, rules) for text in texts)
    if len(set(cards)) != len(cards):
        raise InputError(f"{key}: a card is there twice")
    return cards


def _read_card(key: str, text: str, rules: GameRules) -> Card:
    """Return a card; raise InputError with its key."""
    with locate_errors(key):
        return parse_card(text, ranks=rules.ranks)
