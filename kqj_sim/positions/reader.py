"""Records, whole or in part, read as positions: the only place where a `Position` is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn, TypeAlias

from msgspec.structs import replace as replace_struct

from kqj_sim.cards import NUMBER_WORDS, Card, parse_card
from kqj_sim.errors import InputError
from kqj_sim.games import find_game, make_rules
from kqj_sim.positions.position import Position, PositionError, split_tricks
from kqj_sim.record import AnyRecord
from kqj_sim.referee.base import FinalContract, PlayedTrick, Referee, RoundScore, get_referee
from kqj_sim.rules import GameRules

At: TypeAlias = tuple[int, int]
"""A trick, and a card in it, both from 1."""


def read_position(
    record: AnyRecord,
    at: At | None = None,
    before: Position | None = None,
    find_hand: Callable[[int], Sequence[Card]] | None = None,
) -> Position:
    """Return the round of a record in the play, as the player to play sees it.

    Args:
        record: a record whose plays break off.
        at: read only the plays before that card, so that a whole record can be asked about, too.
        before: what `read_calls` returns of the record, if that is known.
        find_hand: returns the cards of the seat to play, all or those left, if the record has none.

    Raises:
        PositionError: what is wrong, by the record's key.
    """
    before = before or read_calls(record)
    referee, seats, size = before.referee, before.rules.seats, before.rules.tricks
    final, plays = _read_contract(record, before), _read_cards_played(record, before.rules, at)
    if len(plays) >= seats * size:
        raise PositionError(
            "the record's round is over: leave out the tricks from where the question is, or name "
            "a card of it, such as `at='3.2'`"
        )
    tricks = split_tricks(plays, before.dealer, referee, final.contract)
    leader, trick = tricks[-1]
    seat = (leader + len(trick)) % seats
    cards = find_hand(seat) if find_hand else _read_hand(record, referee, seat)
    own = [trick[(seat - leader) % seats] for leader, trick in tricks if len(trick) == seats]
    missing = [card for card in own if card not in cards]
    if missing and len(missing) < len(own):
        raise PositionError(
            f"{' '.join(map(str, missing))} was played by seat {seat}, whose turn it is, but is "
            f"not among the cards given: give all {NUMBER_WORDS[size]}, or only those left"
        )
    if len(cards) + len(missing) != size:
        raise PositionError(
            f"{len(cards) + len(missing) - len(own)} cards in hand: seat {seat}, whose turn it is, "
            f"has played {len(own)} and so has {size - len(own)} left"
        )
    hands = tuple((*missing, *cards) if other == seat else () for other in range(seats))
    return _play(record, before, final, plays, hands)


def _read_hand(record: AnyRecord, referee: Referee, seat: int) -> tuple[Card, ...]:
    """Return the cards of a seat: as played with, or as dealt if that is the same."""
    rules, keys = referee.rules, ["hands"] if referee.deals_after_calls else ["hands", "dealt"]
    cards = _find_hand(record, keys, rules, seat)
    if not cards:
        raise PositionError(
            f"{keys[-1]}: it is the turn of seat {seat}, whose {NUMBER_WORDS[rules.tricks]} cards "
            f"are needed ({NUMBER_WORDS[rules.seats]} lists, those of the others may be empty)"
        )
    return cards


def _play(
    record: AnyRecord, before: Position, final: FinalContract, plays: tuple[Card, ...],
    hands: tuple[tuple[Card, ...], ...],
) -> Position:  # fmt: skip
    """Return the position after plays; raise PositionError for a leader who is another."""
    position = replace(before, final_contract=final, plays=plays, hands=hands)
    for number, (leader, cards) in enumerate(position.tricks):
        if cards and (written := record.tricks[number].leader) not in (None, leader):
            _fail(f"tricks[{number}].leader", f"seat {leader} leads, not seat {written}")
    return position


def read_round(record: AnyRecord) -> Position:
    """Return all of a round that a record says, with every hand, whoever may see it.

    The card turned up need not be known, as where a contract stands in place of the calls.
    """
    before = _start(record, needs_upcard=False)
    rules, keys = before.rules, ["hands", "dealt"]
    hands = tuple(_find_hand(record, keys, rules, seat) for seat in range(rules.seats))
    if record.contract is None and not record.tricks:
        return replace(before, hands=hands)
    plays = _read_cards_played(record, rules, None)
    return _play(record, before, _read_contract(record, before), plays, hands)


def score_plays(position: Position) -> RoundScore | None:
    """Return the score of a round by its cards; None before the last one."""
    if position.final_contract is None or not position.is_over:
        return None
    referee, contract = position.referee, position.contract
    tricks = [
        PlayedTrick(leader, cards, referee.find_trick_winner(leader, cards, contract.contract))
        for leader, cards in position.tricks
        if cards
    ]
    return referee.score_round(
        position.teams, contract, position.known_hands, tricks, position.pending
    )


def read_calls(record: AnyRecord) -> Position:
    """Return a record's round with its calls and the cards dealt before them, without plays.

    Raises:
        PositionError: what is wrong, by the record's key.
    """
    return _start(record, needs_upcard=True)


def _start(record: AnyRecord, needs_upcard: bool) -> Position:
    try:
        rules = make_rules(record.game, record.rules)
    except InputError as error:
        _fail("rules", str(error))
    referee = get_referee(rules)
    _check_seats(record, rules.seats)
    if reason := referee.explain_wrong_pending(record.pending_before):
        _fail("pending_before", reason)
    upcard = None
    if referee.has_upcard and record.turned is not None:
        upcard = _read_card("turned", record.turned, rules)
    elif referee.has_upcard and needs_upcard:
        _fail("turned", f"null, {referee.upcard_rule}")
    calls = None if record.calls is None or record.imposed else tuple(record.calls)
    keys = ["dealt"] if referee.deals_after_calls else ["dealt", "hands"]
    position = Position(
        rules, record.dealer, _read_teams(record, rules), upcard, calls, None,
        tuple(_find_hand(record, keys, rules, seat) for seat in range(rules.seats)),
        pending=record.pending_before,
        players=None if record.players is None else tuple(record.players),
    )  # fmt: skip
    calling = referee.start_calling(record.dealer, position.teams, upcard)
    for number, call in enumerate(calls or ()):
        if reason := calling.explain_illegal_call(call):
            raise PositionError(f"call {number + 1}: {reason}", f"calls[{number}]")
        calling.add(call)
    return position


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


def _fail(key: str, reason: str) -> NoReturn:
    raise PositionError(f"{key}: {reason}", key)


def _check_seats(record: AnyRecord, seats: int) -> None:
    """Raise PositionError for a seat that does not exist, and for lists of another length."""
    for name in ("players", "teams", "dealt", "hands"):
        values = getattr(record, name)
        if values is not None and len(values) != seats:
            _fail(name, f"{len(values)} entries, there should be {seats}")
    seats_by_key = {"dealer": record.dealer, "sender": record.sender}
    for number, call in enumerate(record.calls or ()):
        seats_by_key[f"calls[{number}].seat"] = call.seat
    for number, trick in enumerate(record.tricks):
        seats_by_key[f"tricks[{number}].leader"] = trick.leader
    for key, seat in seats_by_key.items():
        if seat is not None and not 0 <= seat < seats:
            _fail(key, f"{seat} is not a seat from 0 to {seats - 1}")


def _read_teams(record: AnyRecord, rules: GameRules) -> tuple[int, ...]:
    """Return the team of each seat; raise PositionError if those of a record cannot be."""
    teams = record.teams
    fixed = [rules.fixed_team_of(seat) for seat in range(rules.seats)]
    if rules.partners == "fixed":
        if teams not in (None, fixed):
            _fail("teams", f"{teams}, with fixed partners {fixed}")
        return tuple(fixed)
    if teams is None or sorted(teams) != sorted(fixed):
        _fail("teams", f"with random partners a team for each seat, such as {fixed}, not {teams}")
    return tuple(teams)


def _read_contract(record: AnyRecord, before: Position) -> FinalContract:
    """Return the contract that the calls make, or the one of the record without calls."""
    if before.calls is not None:
        calling = before.calling
        if not calling.is_closed:
            raise PositionError(
                f"the calls are not over: seat {calling.turn} has yet to speak", "calls"
            )
        final = calling.final_contract()
        if final is None:
            raise PositionError("all have passed: there is no card to play", "calls")
        return final
    contract = record.contract
    if before.upcard is not None and not before.referee.names_contract:
        contract = before.upcard.suit
    if record.sender is None or contract is None:
        raise PositionError("sender and contract are needed where there are no calls", "sender")
    final = FinalContract(
        record.sender, contract, record.amount, bool(record.capot), record.stake or 1
    )
    reason = before.referee.explain_wrong_contract(final, before.upcard)
    if reason is None and record.imposed and (final.capot or final.stake > 1):
        reason = "an imposed contract has no Capot and no counter"
    if reason is not None:
        raise PositionError(reason, "contract")
    return final


def _read_cards_played(record: AnyRecord, rules: GameRules, at: At | None) -> tuple[Card, ...]:
    """Return the cards played in a record, up to a card of a trick."""
    seats = rules.seats
    plays: list[Card] = []
    for number, trick in enumerate(record.tricks):
        key = f"tricks[{number}].cards"
        is_last = number == len(record.tricks) - 1
        if len(trick.cards) > seats or (len(trick.cards) < seats and not is_last):
            _fail(key, f"{len(trick.cards)} cards, there should be {seats}")
        plays += [_read_card(key, text, rules) for text in trick.cards]
    if at is not None:
        wanted = seats * (at[0] - 1) + at[1] - 1
        if wanted > len(plays) or at[1] > seats:
            raise PositionError(
                f"card {at[1]} of trick {at[0]} was not reached: {len(plays)} cards are played"
            )
        plays = plays[:wanted]
    return tuple(plays)


def _find_hand(
    record: AnyRecord, keys: Sequence[str], rules: GameRules, seat: int
) -> tuple[Card, ...]:
    """Return the cards of a seat under the first key that has them; empty if none has."""
    for key in keys:
        hands = getattr(record, key)
        if hands is not None and hands[seat]:
            cards = tuple(_read_card(f"{key}[{seat}]", text, rules) for text in hands[seat])
            if len(set(cards)) != len(cards):
                _fail(f"{key}[{seat}]", "a card is given twice")
            return cards
    return ()


def _read_card(key: str, text: str, rules: GameRules) -> Card:
    try:
        return parse_card(text, ranks=rules.ranks)
    except InputError as error:
        _fail(key, str(error))
