"""A round of Kwajongen that is not over, from a record or typed."""

from __future__ import annotations

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
from kqj_sim.cards import Card
from kqj_sim.messages import quote
from kqj_sim.record import Call, PartialRecord
from kqj_sim.referee.kqj.calling import FinalContract
from kqj_sim.referee.kwajongen import KwajongenCalling
from kqj_sim.referee.kwajongen import find_trick_winner as kwajongen_trick_winner
from kqj_sim.referee.kwajongen import list_legal_cards as kwajongen_legal_cards
from kqj_sim.rules import KwajongenRules

KWAJONGEN_SEATS = KwajongenRules.seats


@dataclass(frozen=True)
class KwajongenPartialRound(PartialRound):
    """A round of Kwajongen in the middle of the play; `turned` is the dealer's shown card."""

    upcard_description = "the shown card, which the dealer"
    holder_description = "the dealer and has shown"

    rules: KwajongenRules
    turned: Card

    def list_legal_cards(
        self, hand: Collection[Card], trick: Sequence[Card], leader: int
    ) -> Collection[Card]:
        """As `PartialRound.may_play`."""
        return kwajongen_legal_cards(self.rules, hand, trick, self.turned.suit)

    def winner(self, leader: int, trick: Sequence[Card]) -> int:
        """As `PartialRound.winner`."""
        return kwajongen_trick_winner(leader, trick, self.turned.suit)

    @property
    def upcard_seat(self) -> int:
        """The dealer."""
        return self.dealer


def make_kwajongen_round(
    record: PartialRecord, at: tuple[int, int] | None = None
) -> KwajongenPartialRound:
    """The round of a record, as who is to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick and of a card in it (both 1 to 4): only what was played before that
            card is looked at.

    Raises:
        RoundError: what is wrong, by the record's key.
    """
    rules = read_rules(record, KwajongenRules)
    if record.pending_before not in (0, 1):
        raise RoundError(f"pending_before: {record.pending_before} is not 0 or 1 (raised)")
    if record.turned is None:
        raise RoundError("turned: null, in Kwajongen the dealer shows a card")
    turned = read_card("turned", record.turned, rules.ranks)
    calls = None
    if record.calls is not None and not record.imposed:
        calls = tuple(record.calls)
        sender = _find_caller(calls, record.dealer)
    elif record.sender is None:
        raise RoundError("sender is needed where there are no calls")
    else:
        sender = record.sender
    if not 0 <= sender < KWAJONGEN_SEATS:
        raise RoundError(f"sender: {sender} is not a seat from 0 to 3")
    plays = read_plays(record, rules, at)

    def winner(leader: int, trick: Sequence[Card]) -> int:
        return kwajongen_trick_winner(leader, trick, turned.suit)

    seat = find_seat_to_play(plays, record.dealer, KWAJONGEN_SEATS, winner)
    key, hands = ("dealt", record.dealt) if record.hands is None else ("hands", record.hands)
    return KwajongenPartialRound(
        rules, record.dealer, read_teams(rules, record.teams), turned, calls,
        FinalContract(sender, turned.suit), plays, read_hand(key, hands, rules, seat),
        record.pending_before, None if record.players is None else tuple(record.players),
    )  # fmt: skip


def parse_kwajongen_round(
    hand: str,
    rules: KwajongenRules,
    *,
    played: str = "",
    turned: str | None = None,
    heard: str | None = None,
    sender: int | None = None,
    place: int | None = None,
    raised: bool = False,
) -> KwajongenPartialRound:
    """A round as it is typed; seats are places, 0 the dealer's left to 3 the dealer.

    Args:
        hand: the own cards, all four or those that are left.
        rules: the rules.
        played: the cards in the order played, trick after trick; the dealer's left led first.
        turned: the card that the dealer has shown.
        heard: all calls, to the play: `pass, play`.
        sender: who said play, in place of the calls: it says that those before passed.
        place: the own place; it follows from the plays, and is held against them.
        raised: whether the round is raised.

    Raises:
        RoundError: one line that says what is wrong.
    """
    if turned is None:
        raise RoundError("the dealer's shown card is missing: give it, such as Kh")
    shown = read_card("the shown card", turned, rules.ranks)
    dealer = KWAJONGEN_SEATS - 1
    if heard is not None:
        if sender is not None:
            raise RoundError("who plays follows from what was heard: leave one out")
        calls = _parse_passes_and_play(heard)
        sender = _find_caller(calls, dealer, "place")
    elif sender is None:
        raise RoundError("who said play is missing: give all calls heard, or the caller's place")
    elif not 0 <= sender < KWAJONGEN_SEATS:
        raise RoundError(f"sender: {sender} is not a place from 0 to 3")
    else:
        calls = (*(Call(before, "pass") for before in range(sender)), Call(sender, "play"))
    so_far = KwajongenPartialRound(
        rules, dealer, read_teams(rules, None), shown, calls, FinalContract(sender, shown.suit),
        read_cards("played", played, rules.ranks),
        frozenset(read_cards("cards", hand, rules.ranks)), int(raised), seat_term="place",
    )  # fmt: skip
    check_place(so_far, place)
    return so_far


def _parse_passes_and_play(heard: str) -> tuple[Call, ...]:
    """The calls that were heard, by place."""
    calls = []
    for number, text in enumerate(heard.split(",")):
        said = text.strip().lower()
        if said not in ("pass", "p", "play"):
            raise RoundError(f"call {number + 1} heard, {quote(text.strip())}: write pass or play")
        calls.append(Call(number, "play" if said == "play" else "pass"))
    return tuple(calls)


def _find_caller(calls: Sequence[Call], dealer: int, seat_term: str = "seat") -> int:
    """Who said play; raises RoundError if the calls are not allowed, or nobody did."""
    calling = KwajongenCalling(dealer)
    replay_calls(calling, calls, seat_term)
    caller = calling.find_caller()
    if caller is None:
        raise RoundError(ALL_PASSED_MESSAGE)
    return caller
