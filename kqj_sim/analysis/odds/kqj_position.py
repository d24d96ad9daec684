"""A round of KQJ that is not over, from a record or typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kqj_sim.analysis.odds.position import (
    ALL_PASSED_MESSAGE,
    PartialRound,
    RoundError,
    check_place,
    find_seat_to_play,
    read_card,
    read_cards,
    read_hand,
    read_plays,
    read_rules,
    read_teams,
    replay_calls,
)
from kqj_sim.analysis.odds.situation import assign_teams, parse_calls
from kqj_sim.cards import Card, NotationError, parse_contract
from kqj_sim.messages import quote
from kqj_sim.record import Call, PartialRecord
from kqj_sim.referee.kqj.calling import FinalContract, KqjCalling
from kqj_sim.referee.kqj.play import find_trick_winner, list_legal_cards
from kqj_sim.rules import SEATS as KQJ_SEATS
from kqj_sim.rules import KqjRules


@dataclass(frozen=True)
class KqjPartialRound(PartialRound):
    """A round of KQJ in the middle of the play; `turned` is the Return, None with auctions."""

    upcard_description = "the Return, which the Sender"
    holder_description = "the Sender and took the Return,"

    rules: KqjRules

    def list_legal_cards(
        self, hand: Collection[Card], trick: Sequence[Card], leader: int
    ) -> Collection[Card]:
        """As `PartialRound.may_play`."""
        return list_legal_cards(hand, trick, leader, self.teams, self.final_contract.contract)

    def winner(self, leader: int, trick: Sequence[Card]) -> int:
        """As `PartialRound.winner`."""
        return find_trick_winner(leader, trick, self.final_contract.contract)

    @property
    def upcard_seat(self) -> int:
        """The Sender, who has taken the Return."""
        return self.final_contract.sender


def make_kqj_round(record: PartialRecord, at: tuple[int, int] | None = None) -> KqjPartialRound:
    """The round of a record, as who is to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick (1 to 8) and of a card in it (1 to 6): only what was played before
            that card is looked at.  So a whole record can be asked about, too.

    Raises:
        RoundError: what is wrong, by the record's key.
    """
    rules = read_rules(record, KqjRules)
    teams = read_teams(rules, record.teams)
    turned = None
    if rules.bidding == "take":
        if record.turned is None:
            raise RoundError("turned: null, with taking there is a Return")
        turned = read_card("turned", record.turned)
    called = _read_contract(record, rules, teams, turned)
    plays = read_plays(record, rules, at)

    def winner(leader: int, trick: Sequence[Card]) -> int:
        return find_trick_winner(leader, trick, called.contract)

    seat = find_seat_to_play(plays, record.dealer, KQJ_SEATS, winner)
    return KqjPartialRound(
        rules,
        record.dealer,
        teams,
        turned,
        None if record.imposed else _read_calls(record),
        called,
        plays,
        _read_own_hand(record, rules, seat),
        record.pending_before,
        None if record.players is None else tuple(record.players),
    )


def finish_calling(
    rules: KqjRules,
    dealer: int,
    teams: Sequence[int],
    turned: Card | None,
    calls: Sequence[Call],
    seat_term: str = "seat",
) -> FinalContract:
    """What calls came to; raises RoundError if they are not allowed, or nobody plays."""
    calling = KqjCalling(rules, dealer, teams, turned)
    replay_calls(calling, calls, seat_term)
    called = calling.final_contract()
    if called is None:
        raise RoundError(ALL_PASSED_MESSAGE)
    return called


def parse_kqj_round(
    hand: str,
    rules: KqjRules,
    *,
    played: str = "",
    turned: str | None = None,
    heard: str | None = None,
    contract: str | None = None,
    sender: int | None = None,
    place: int | None = None,
    partners: Sequence[int] | None = None,
    pending: int = 0,
) -> KqjPartialRound:
    """A round as it is typed; seats are places, 0 the opener to 5 the dealer.

    Args:
        hand: the own cards, all eight or those that are left.
        rules: the rules.
        played: the cards in the order played, trick after trick; the opener led first.
        turned: the Return, with taking.
        heard: all calls, to the take or the last pass, as for
            `analysis.odds.situation.parse_situation`.
        contract: where the calls are not known the contract, with auctions after the amount and
            perhaps before `capot`: `h`, `150 h`, `400 NT capot`.
        sender: then also the Sender's place.
        place: the own place; it follows from the plays, and is held against them.
        partners: places of the partners, with random partners.
        pending: litigation gratuity that waits.

    Raises:
        RoundError, SituationError: one line that says what is wrong.
    """
    dealer = KQJ_SEATS - 1
    up = None
    if rules.bidding == "take":
        if turned is None:
            raise RoundError("the Return is missing: give the card that was turned up, such as 7h")
        up = read_card("the Return", turned)
    elif turned is not None:
        raise RoundError("with auctions there is no Return: leave it out")
    teams = assign_teams(rules, partners, place)
    calls: tuple[Call, ...] | None = None
    if heard is not None:
        if contract is not None or sender is not None:
            raise RoundError(
                "the Sender and the contract follow from what was heard: leave one out"
            )
        calling = parse_calls(heard, rules, teams, up)
        calls = tuple(calling.calls)
        called = finish_calling(rules, dealer, teams, up, calls, "place")
    elif contract is None or sender is None:
        raise RoundError(
            "who plays what is missing: give all calls heard, or contract and Sender's place"
        )
    else:
        called = _parse_contract(rules, sender, contract)
    so_far = KqjPartialRound(
        rules, dealer, teams, up, calls, called, read_cards("played", played),
        frozenset(read_cards("cards", hand)), pending, seat_term="place",
    )  # fmt: skip
    check_place(so_far, place)
    return so_far


def _parse_contract(rules: KqjRules, sender: int, text: str) -> FinalContract:
    """A contract as it is typed."""
    match = re.fullmatch(r"(?:(\d{1,5})\s+)?(\S+?)(\s+capot)?", text.strip(), re.IGNORECASE)
    try:
        contract = parse_contract(match[2] if match else text)
    except NotationError as error:
        raise RoundError(f"contract: {error}") from None
    amount = int(match[1]) if match and match[1] else None
    return make_final_contract(rules, sender, contract, amount, bool(match and match[3]), 1)


def _read_calls(record: PartialRecord) -> tuple[Call, ...] | None:
    return None if record.calls is None else tuple(record.calls)


def _read_contract(
    record: PartialRecord, rules: KqjRules, teams: Sequence[int], turned: Card | None
) -> FinalContract:
    """What the calls came to, or what the record says of it."""
    if record.calls is not None and not record.imposed:
        return finish_calling(rules, record.dealer, teams, turned, record.calls)
    if record.sender is None or record.contract is None:
        raise RoundError("sender and contract are needed where there are no calls")
    return make_final_contract(
        rules, record.sender, record.contract, record.amount, bool(record.capot), record.stake or 1
    )


def make_final_contract(
    rules: KqjRules, sender: int, contract: str, amount: int | None, capot: bool, stake: int
) -> FinalContract:
    """A Sender and contract without calls; raises RoundError if the rules do not know them."""
    if not 0 <= sender < KQJ_SEATS:
        raise RoundError(f"sender: {sender} is not a seat from 0 to 5")
    if contract not in rules.contracts:
        raise RoundError(f"contract: {quote(contract)} is not one of {' '.join(rules.contracts)}")
    if rules.bidding == "take":
        if amount is not None or capot or stake != 1:
            raise RoundError("amount, Capot and stake belong to auctions: leave them out")
        return FinalContract(sender, contract)
    low, high = rules.minimum_bid, rules.max_amount
    if amount is None or amount % 10 or not low <= amount <= high:
        raise RoundError(f"amount: {amount} is not a multiple of 10 from {low} to {high}")
    if stake not in (1, 2, 4):
        raise RoundError(f"stake: {stake} is not 1, 2 (countered) or 4 (overcountered)")
    return FinalContract(sender, contract, amount, capot, stake)


def _read_own_hand(record: PartialRecord, rules: KqjRules, seat: int) -> frozenset[Card]:
    key, hands = "hands", record.hands
    if hands is None and rules.bidding == "auction":
        key, hands = "dealt", record.dealt
    return read_hand(key, hands, rules, seat)
