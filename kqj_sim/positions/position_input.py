"""Rounds in progress of either game, read from a record or typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kqj_sim.cards import NUMBER_WORDS, Card, parse_cards, parse_single_card
from kqj_sim.cards import parse_card as parse_card_text
from kqj_sim.errors import InputError, locate_errors
from kqj_sim.messages import quote
from kqj_sim.places import describe_turn, name_places
from kqj_sim.positions.position import PartialRound, describe_seat, split_tricks
from kqj_sim.positions.situation import assign_teams, parse_calls, parse_kwajongen_calls
from kqj_sim.positions.typed_calls import split_calls
from kqj_sim.record import Call, PartialRecord
from kqj_sim.referee.base import FinalContract
from kqj_sim.referee.games import get_referee
from kqj_sim.rules import GameRules, KqjRules, KwajongenRules, make_rules

_ALL_PASSED_MESSAGE = "all have passed: there is no card to play"


def read_position(record: PartialRecord, at: tuple[int, int] | None = None) -> PartialRound:
    """Return the round of a record of either game, as the player to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick and of a card in it, both from 1: only the plays before that card are
            read, so that a whole record can be asked about, too.

    Raises:
        InputError: what is wrong, by the record's key.
    """
    rules = read_record_rules(record)
    teams = _read_teams(rules, record.teams)
    upcard = _read_upcard(record, rules)
    called = None if record.calls is None or record.imposed else tuple(record.calls)
    if called is not None:
        final = _finish_calling(rules, record.dealer, teams, upcard, called, "seat")
    else:
        final = _read_contract(record, rules, upcard)
    plays = _read_plays(record, rules, at)
    leader, cards = split_tricks(plays, record.dealer, rules, final.contract)[-1]
    hand = _read_hand(record, rules, (leader + len(cards)) % rules.seats)
    players = None if record.players is None else tuple(record.players)
    return PartialRound(
        rules, record.dealer, teams, upcard, called, final, plays, hand, record.pending_before,
        players,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TypedPosition:
    """A round in progress as a player types it; seats are places, 0 the opener.

    Attributes:
        hand: the player's cards, all or those that are left.
        played: the cards in the order played, trick after trick; the opener led first.
        return_card: the Return, with taking; in Kwajongen the dealer's card that is shown.
        heard: all calls, as for `positions.situation.parse_situation`; in Kwajongen `pass, play`.
        contract: where the calls are not known the contract, with auctions after the amount and
            perhaps before `capot`: `h`, `150 h`, `400 NT capot`; not in Kwajongen.
        sender: then also the Sender's place; in Kwajongen the place of the caller, before whom all
            have passed.
        place: the player's place; it follows from the plays, and is checked against them.
        partners_at: places of the partners, with random partners.
        pending: litigation gratuity that waits; in Kwajongen 1 if the round is raised.
    """

    hand: str
    played: str = ""
    return_card: str | None = None
    heard: str | None = None
    contract: str | None = None
    sender: int | None = None
    place: int | None = None
    partners_at: Sequence[int] | None = None
    pending: int = 0


def parse_position(rules: GameRules, typed: TypedPosition) -> PartialRound:
    """Return a round of either game as it is typed.

    Raises:
        InputError: one line that says what is wrong.
    """
    place = typed.place
    if isinstance(rules, KqjRules):
        upcard = _parse_return(rules, typed.return_card)
        teams = assign_teams(rules, typed.partners_at, place)
        calls, final = _parse_kqj_calls(rules, teams, upcard, typed)
    else:
        if typed.return_card is None:
            raise InputError("the dealer's card is missing: give it, such as --return Kh")
        upcard = parse_single_card(typed.return_card, ranks=rules.ranks)
        teams = _read_teams(rules, None)
        calls, final = _parse_kwajongen_calls(rules, teams, upcard, typed.heard, typed.sender)
    plays = _parse_typed_cards("cards played", typed.played, rules.ranks)
    leader, trick = split_tricks(plays, rules.seats - 1, rules, final.contract)[-1]
    turn = (leader + len(trick)) % rules.seats
    if place is not None and place != turn:
        raise InputError(
            f"after {len(plays)} cards {describe_turn(turn, rules.seats)}, not the "
            f"{name_places(rules.seats)[place]}'s: give all cards played before yours"
        )
    cards = frozenset(_parse_typed_cards("your cards", typed.hand, rules.ranks))
    return PartialRound(
        rules, rules.seats - 1, teams, upcard, calls, final, plays, cards, typed.pending,
        seat_term="place",
    )  # fmt: skip


def _parse_return(rules: KqjRules, upcard: str | None) -> Card | None:
    if rules.bidding == "take":
        if upcard is None:
            raise InputError(
                "the Return is missing: give the card that was turned up, such as --return 7h"
            )
        return parse_single_card(upcard, ranks=rules.ranks)
    if upcard is not None:
        raise InputError("with auctions there is no Return: leave it out")
    return None


def _parse_kqj_calls(
    rules: KqjRules, teams: tuple[int, ...], upcard: Card | None, typed: TypedPosition
) -> tuple[tuple[Call, ...] | None, FinalContract]:
    """Return the calls, if they are known, and the Sender and contract."""
    heard, contract, sender = typed.heard, typed.contract, typed.sender
    if heard is not None:
        if contract is not None or sender is not None:
            raise InputError(
                "the calls say who the Sender is and what the contract: leave --contract and "
                "--sender out, or the calls"
            )
        calls = tuple(parse_calls(heard, rules, teams, upcard).calls)
        return calls, _finish_calling(rules, rules.seats - 1, teams, upcard, calls, "place")
    if contract is None or sender is None:
        raise InputError(
            "the contract is missing: give all calls, such as --heard 'pass take', or --contract h "
            "and --sender opener"
        )
    try:
        given = split_calls(contract, rules.seats)
    except InputError:
        given = []
    if len(given) != 1 or given[0].contract is None:
        right = "h or NT" if rules.bidding == "take" else "150 h or 400 NT capot"
        raise InputError(f"{quote(contract)} is not a contract: write for example {right}")
    (final,) = given
    assert final.contract is not None
    contract_alone = FinalContract(sender, final.contract, final.amount, final.capot)
    return None, _check_contract(rules, contract_alone, upcard)


def _parse_kwajongen_calls(
    rules: KwajongenRules, teams: tuple[int, ...], upcard: Card, heard: str | None,
    sender: int | None,
) -> tuple[tuple[Call, ...], FinalContract]:  # fmt: skip
    """Return the calls, and the caller with the trump suit."""
    if heard is None:
        if sender is None:
            raise InputError(
                "the caller is missing: give all calls, such as --heard 'pass play', or the "
                "caller's place, --sender 2nd"
            )
        _check_contract(rules, FinalContract(sender, upcard.suit), upcard)
        heard = "pass " * sender + "play"
    elif sender is not None:
        raise InputError("the calls say who plays: leave --sender out, or the calls")
    calls = tuple(Call(place, word) for place, word in enumerate(parse_kwajongen_calls(heard)))
    return calls, _finish_calling(rules, rules.seats - 1, teams, upcard, calls, "place")


def _finish_calling(
    rules: GameRules, dealer: int, teams: Sequence[int], upcard: Card | None,
    calls: Sequence[Call], seat_term: str,
) -> FinalContract:  # fmt: skip
    """Return the Sender and contract; raise InputError if calls are illegal, or all passed."""
    calling = get_referee(rules).start_calling(dealer, teams, upcard)
    for number, call in enumerate(calls, start=1):
        reason = calling.explain_illegal_call(call)
        if reason is not None:
            raise InputError(f"call {number}: {reason}")
        calling.add(call)
    if not calling.is_closed:
        who = describe_seat(calling.turn, seat_term, rules.seats)
        raise InputError(f"the calls are not over: {who} has yet to speak")
    final = calling.final_contract()
    if final is None:
        raise InputError(_ALL_PASSED_MESSAGE)
    return final


def _check_contract(rules: GameRules, final: FinalContract, upcard: Card | None) -> FinalContract:
    """Return a contract without calls; raise InputError if the rules forbid it."""
    reason = get_referee(rules).explain_wrong_contract(final, upcard)
    if reason is not None:
        raise InputError(reason)
    return final


def read_record_rules(record: PartialRecord) -> GameRules:
    """Return the rules of a record; raise InputError if its dealer has no seat there."""
    with locate_errors("rules"):
        rules = make_rules(record.game, record.rules)
    if not 0 <= record.dealer < rules.seats:
        raise InputError(f"dealer: {record.dealer} is not a seat from 0 to {rules.seats - 1}")
    reason = get_referee(rules).explain_wrong_pending(record.pending_before)
    if reason is not None:
        raise InputError(f"pending_before: {reason}")
    return rules


def _read_teams(rules: GameRules, teams: Sequence[int] | None) -> tuple[int, ...]:
    """Return the team of each seat; raise InputError if those of a record cannot be."""
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


def _read_upcard(record: PartialRecord, rules: GameRules) -> Card | None:
    """Return the upcard; None with auctions."""
    referee = get_referee(rules)
    if not referee.has_upcard:
        return None
    if record.turned is None:
        raise InputError(f"turned: null, {referee.upcard_rule}")
    return _parse_card("turned", record.turned, rules.ranks)


def _read_contract(record: PartialRecord, rules: GameRules, upcard: Card | None) -> FinalContract:
    """Return the Sender and contract of a record without calls."""
    contract = record.contract
    if upcard is not None and get_referee(rules).find_upcard_seat(record.dealer, None) is not None:
        contract = upcard.suit
    if record.sender is None or contract is None:
        raise InputError("sender and contract are needed where there are no calls")
    final = FinalContract(
        record.sender, contract, record.amount, bool(record.capot), record.stake or 1
    )
    return _check_contract(rules, final, upcard)


def _read_plays(
    record: PartialRecord, rules: GameRules, at: tuple[int, int] | None
) -> tuple[Card, ...]:
    """Return the cards played in a record, up to a card of a trick (both from 1)."""
    seats = rules.seats
    plays: list[Card] = []
    for number, trick in enumerate(record.tricks):
        key = f"tricks[{number}].cards"
        last = number == len(record.tricks) - 1
        if len(trick.cards) > seats or (len(trick.cards) < seats and not last):
            raise InputError(f"{key}: {len(trick.cards)} cards, there should be {seats}")
        plays += [_parse_card(key, text, rules.ranks) for text in trick.cards]
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


def _read_hand(record: PartialRecord, rules: GameRules, seat: int) -> frozenset[Card]:
    """Return the cards of a seat: as played with, or as dealt if that is the same."""
    key, hands = "hands", record.hands
    if hands is None and not get_referee(rules).deals_after_calls:
        key, hands = "dealt", record.dealt
    texts = hands[seat] if hands is not None and len(hands) == rules.seats else None
    if not texts:
        raise InputError(
            f"{key}: it is the turn of seat {seat}, whose {NUMBER_WORDS[rules.tricks]} cards are "
            f"needed ({NUMBER_WORDS[rules.seats]} lists, those of the others may be empty)"
        )
    cards = [_parse_card(f"{key}[{seat}]", text, rules.ranks) for text in texts]
    if len(set(cards)) != len(cards):
        raise InputError(f"{key}[{seat}]: a card is there twice")
    return frozenset(cards)


def _parse_card(key: str, text: str, ranks: str) -> Card:
    """Return a card; raise InputError with its key."""
    with locate_errors(key):
        return parse_card_text(text, ranks=ranks)


def _parse_typed_cards(name: str, text: str, ranks: str) -> tuple[Card, ...]:
    """Return cards as they are typed; raise InputError with their name."""
    with locate_errors(name):
        return parse_cards(text, ranks=ranks)
