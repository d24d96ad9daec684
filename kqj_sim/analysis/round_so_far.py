"""A round of KQJ that is not over, from a record or typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kqj_sim.analysis.heard import read_calls, read_teams
from kqj_sim.analysis.so_far import (
    ALL_PASSED,
    RoundError,
    SoFar,
    check_place,
    hand_of,
    hear,
    plays_of,
    read_card,
    read_cards,
    rules_in,
    seat_to_play,
    teams_of,
)
from kqj_sim.messages import quote
from kqj_sim.notation import Card, NotationError, parse_contract
from kqj_sim.record import Call, RecordSoFar
from kqj_sim.referee.kqj.calling import Called, Calling
from kqj_sim.referee.kqj.play import legal_cards, trick_winner
from kqj_sim.rules import SEATS, KqjRules


@dataclass(frozen=True)
class RoundSoFar(SoFar):
    """A round of KQJ in the middle of the play; `turned` is the Return, None with auctions."""

    turned_is = "the Return, which the Sender"
    holder_is = "the Sender and took the Return,"

    rules: KqjRules

    def may_play(
        self, hand: Collection[Card], trick: Sequence[Card], leader: int
    ) -> Collection[Card]:
        """As `SoFar.may_play`."""
        return legal_cards(hand, trick, leader, self.teams, self.called.contract)

    def winner(self, leader: int, trick: Sequence[Card]) -> int:
        """As `SoFar.winner`."""
        return trick_winner(leader, trick, self.called.contract)

    @property
    def holder(self) -> int:
        """The Sender, who has taken the Return."""
        return self.called.sender


def from_record(record: RecordSoFar, at: tuple[int, int] | None = None) -> RoundSoFar:
    """The round of a record, as who is to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick (1 to 8) and of a card in it (1 to 6): only what was played before
            that card is looked at.  So a whole record can be asked about, too.

    Raises:
        RoundError: what is wrong, by the record's key.
    """
    rules = rules_in(record, KqjRules)
    teams = teams_of(rules, record.teams)
    turned = None
    if rules.bidding == "take":
        if record.turned is None:
            raise RoundError("turned: null, with taking there is a Return")
        turned = read_card("turned", record.turned)
    called = _called(record, rules, teams, turned)
    plays = plays_of(record, rules, at)

    def winner(leader: int, trick: Sequence[Card]) -> int:
        return trick_winner(leader, trick, called.contract)

    seat = seat_to_play(plays, record.dealer, SEATS, winner)
    return RoundSoFar(
        rules, record.dealer, teams, turned, None if record.imposed else _calls(record), called,
        plays, _hand(record, rules, seat), record.pending_before,
        None if record.players is None else tuple(record.players),
    )  # fmt: skip


def close_calls(
    rules: KqjRules,
    dealer: int,
    teams: Sequence[int],
    turned: Card | None,
    calls: Sequence[Call],
    seat_is_called: str = "seat",
) -> Called:
    """What calls came to; raises RoundError if they are not allowed, or nobody plays."""
    calling = Calling(rules, dealer, teams, turned)
    hear(calling, calls, seat_is_called)
    called = calling.called()
    if called is None:
        raise RoundError(ALL_PASSED)
    return called


def read_round(
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
) -> RoundSoFar:
    """A round as it is typed; seats are places, 0 the opener to 5 the dealer.

    Args:
        hand: the own cards, all eight or those that are left.
        rules: the rules.
        played: the cards in the order played, trick after trick; the opener led first.
        turned: the Return, with taking.
        heard: all calls, to the take or the last pass, as for `analysis.heard.read_situation`.
        contract: where the calls are not known the contract, with auctions after the amount and
            perhaps before `capot`: `h`, `150 h`, `400 NT capot`.
        sender: then also the Sender's place.
        place: the own place; it follows from the plays, and is held against them.
        partners: places of the partners, with random partners.
        pending: litigation gratuity that waits.

    Raises:
        RoundError, SituationError: one line that says what is wrong.
    """
    dealer = SEATS - 1
    up = None
    if rules.bidding == "take":
        if turned is None:
            raise RoundError("the Return is missing: give the card that was turned up, such as 7h")
        up = read_card("the Return", turned)
    elif turned is not None:
        raise RoundError("with auctions there is no Return: leave it out")
    teams = read_teams(rules, partners, place)
    calls: tuple[Call, ...] | None = None
    if heard is not None:
        if contract is not None or sender is not None:
            raise RoundError(
                "the Sender and the contract follow from what was heard: leave one out"
            )
        calling = read_calls(heard, rules, teams, up)
        calls = tuple(calling.calls)
        called = close_calls(rules, dealer, teams, up, calls, "place")
    elif contract is None or sender is None:
        raise RoundError(
            "who plays what is missing: give all calls heard, or contract and Sender's place"
        )
    else:
        called = _stated_contract(rules, sender, contract)
    so_far = RoundSoFar(
        rules, dealer, teams, up, calls, called, read_cards("played", played),
        frozenset(read_cards("cards", hand)), pending, seat_is_called="place",
    )  # fmt: skip
    check_place(so_far, place)
    return so_far


def _stated_contract(rules: KqjRules, sender: int, text: str) -> Called:
    """A contract as it is typed."""
    match = re.fullmatch(r"(?:(\d{1,5})\s+)?(\S+?)(\s+capot)?", text.strip(), re.IGNORECASE)
    try:
        contract = parse_contract(match[2] if match else text)
    except NotationError as error:
        raise RoundError(f"contract: {error}") from None
    amount = int(match[1]) if match and match[1] else None
    return stated(rules, sender, contract, amount, bool(match and match[3]), 1)


def _calls(record: RecordSoFar) -> tuple[Call, ...] | None:
    return None if record.calls is None else tuple(record.calls)


def _called(
    record: RecordSoFar, rules: KqjRules, teams: Sequence[int], turned: Card | None
) -> Called:
    """What the calls came to, or what the record says of it."""
    if record.calls is not None and not record.imposed:
        return close_calls(rules, record.dealer, teams, turned, record.calls)
    if record.sender is None or record.contract is None:
        raise RoundError("sender and contract are needed where there are no calls")
    return stated(
        rules, record.sender, record.contract, record.amount, bool(record.capot), record.stake or 1
    )


def stated(
    rules: KqjRules, sender: int, contract: str, amount: int | None, capot: bool, stake: int
) -> Called:
    """A Sender and contract without calls; raises RoundError if the rules do not know them."""
    if not 0 <= sender < SEATS:
        raise RoundError(f"sender: {sender} is not a seat from 0 to 5")
    if contract not in rules.contracts:
        raise RoundError(f"contract: {quote(contract)} is not one of {' '.join(rules.contracts)}")
    if rules.bidding == "take":
        if amount is not None or capot or stake != 1:
            raise RoundError("amount, Capot and stake belong to auctions: leave them out")
        return Called(sender, contract)
    low, high = rules.minimum_bid, rules.max_amount
    if amount is None or amount % 10 or not low <= amount <= high:
        raise RoundError(f"amount: {amount} is not a multiple of 10 from {low} to {high}")
    if stake not in (1, 2, 4):
        raise RoundError(f"stake: {stake} is not 1, 2 (countered) or 4 (overcountered)")
    return Called(sender, contract, amount, capot, stake)


def _hand(record: RecordSoFar, rules: KqjRules, seat: int) -> frozenset[Card]:
    key, hands = "hands", record.hands
    if hands is None and rules.bidding == "auction":
        key, hands = "dealt", record.dealt
    return hand_of(key, hands, rules, seat)
