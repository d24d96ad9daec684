"""The knowledge of a player who is asked to call: their cards and the calls so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kqj_sim.cards import Card, parse_cards, parse_single_card
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.places import describe_turn, name_places
from kqj_sim.positions.typed_calls import TypedCall, split_calls
from kqj_sim.record import Call
from kqj_sim.referee.kqj.calling import KqjCalling
from kqj_sim.rules import SEATS, KqjRules, KwajongenRules

Question: TypeAlias = Literal["take", "bid", "counter", "overcounter"]

DEALER_PLACE = SEATS - 1
"""Seats are counted as places here: the opener is seat 0."""
KWAJONGEN_DEALER_PLACE = KwajongenRules.seats - 1

_PLACE_NAMES = name_places(SEATS)


@dataclass(frozen=True)
class BiddingSituation:
    """The knowledge of a player of KQJ, and the question they are asked.

    Attributes:
        rules: the rules.
        hand: their cards, five, or eight with auctions.
        upcard: the Return; None with auctions.
        place: their place, 0 the opener to 5 the dealer.
        teams: team of each place.
        calls: the calls so far; a call's `seat` is the place.
        question: the question.
        pending: litigation gratuity that waits, in points.
    """

    rules: KqjRules
    hand: tuple[Card, ...]
    upcard: Card | None
    place: int
    teams: tuple[int, ...]
    calls: tuple[Call, ...]
    question: Question
    pending: int = 0

    @property
    def turn(self) -> int:
        """Turns to take or to bid before the next one."""
        return sum(call.call in ("pass", "take", "bid") for call in self.calls)

    @property
    def lap(self) -> int:
        """The lap of the next turn, from 1."""
        return self.turn // SEATS + 1

    def replay_calling(self) -> KqjCalling:
        """Return the referee's view of the calls."""
        calling = KqjCalling(self.rules, DEALER_PLACE, self.teams, self.upcard)
        for call in self.calls:
            calling.add(call)
        return calling


def parse_situation(
    hand: str,
    rules: KqjRules,
    *,
    return_card: str | None = None,
    place: int | None = None,
    lap: int | None = None,
    heard: str | None = None,
    partners_at: Sequence[int] | None = None,
    pending: int = 0,
) -> BiddingSituation:
    """Return the situation of a player of KQJ as it is typed.

    Args:
        hand: their cards, `9h 8h Ah Ks 4d`.
        rules: the rules.
        return_card: the Return, with taking.
        place: their place, 0 the opener to 5 the dealer; follows from `heard`, else it is 0.
        lap: the lap, with taking; follows from `heard`, else it is 1.
        heard: the calls so far: `pass`, `take h`, `120 h`, `400 NT capot`, `counter`, or
            `counter 4th` to say whose it is.  Left out: everybody before them has passed.
        partners_at: places of their partners, with random partners; left out, all sit alternately.
        pending: litigation gratuity that waits, in points.

    Raises:
        InputError: one line that says what is wrong.
    """
    auction = rules.bidding == "auction"
    cards, up = _parse_cards(hand, return_card, auction)
    if place is not None and not 0 <= place < SEATS:
        raise InputError(f"place {place}: it is 0 (the opener) to {SEATS - 1} (the dealer)")
    if lap is not None and (auction or lap not in (1, 2)):
        right = "with auctions it follows from the calls" if auction else "it is 1 or 2"
        raise InputError(f"lap {lap}: {right}")
    if heard is None:
        place = place or 0
        heard = "pass " * (SEATS * ((lap or 1) - 1) + place)
    teams = assign_teams(rules, partners_at, place)
    calling = parse_calls(heard, rules, teams, up, place)
    place, question = _find_question(calling, place)
    if lap is not None and lap != calling.lap:
        raise InputError(
            f"lap {lap} does not fit the {len(calling.calls)} calls so far: the next one belongs "
            f"to lap {calling.lap}"
        )
    if partners_at is not None:
        teams = assign_teams(rules, partners_at, place)
    calls = tuple(calling.calls)
    return BiddingSituation(rules, cards, up, place, teams, calls, question, pending)


@dataclass(frozen=True)
class KwajongenBiddingSituation:
    """The knowledge of a player of Kwajongen who is asked to play or pass.

    Attributes:
        rules: the rules.
        hand: their four cards.
        upcard: the dealer's card that is shown.
        place: 0 the dealer's left to 3 the dealer; all before it have passed.
        raised: whether the round is raised.
    """

    rules: KwajongenRules
    hand: tuple[Card, ...]
    upcard: Card
    place: int
    raised: bool = False


def parse_kwajongen_situation(
    hand: str,
    rules: KwajongenRules,
    *,
    return_card: str | None,
    place: int | None = None,
    heard: str | None = None,
    raised: bool = False,
) -> KwajongenBiddingSituation:
    """Return the situation of a player of Kwajongen as it is typed.

    Args:
        hand: their cards, `Ah Kh 9s Ts`.
        rules: the rules.
        return_card: the dealer's card that is shown; one of the hand if the player is the dealer.
        place: their place; follows from `heard`, else it is 0.
        heard: the calls so far, which can only be `pass, pass`.
        raised: whether the round is raised.

    Raises:
        InputError: one line that says what is wrong.
    """
    cards = parse_cards(hand, ranks=rules.ranks)
    shown = None if return_card is None else parse_single_card(return_card, ranks=rules.ranks)
    if len(cards) != rules.tricks:
        raise InputError(f"{_count_cards(cards)} given: in Kwajongen you hold {rules.tricks}")
    if shown is None:
        raise InputError("the dealer's card is missing: give it, such as --return Kh")
    if place is not None and not 0 <= place <= KWAJONGEN_DEALER_PLACE:
        raise InputError(f"place {place}: it is 0 (the opener) to 3 (the dealer)")
    if heard is not None:
        calls = parse_kwajongen_calls(heard)
        if "play" in calls:
            raise InputError(
                f"call {calls.index('play') + 1}, 'play': nobody is asked after that; write pass, "
                "or give the cards played so far"
            )
        if len(calls) > KWAJONGEN_DEALER_PLACE:
            raise InputError(f"{len(calls)} passes: nobody is asked after four")
        if place not in (None, len(calls)):
            turn = describe_turn(len(calls), rules.seats)
            raise InputError(
                f"after {len(calls)} calls {turn}, not the {name_places(rules.seats)[place]}'s"
            )
        place = len(calls)
    place = place or 0
    if place == KWAJONGEN_DEALER_PLACE and shown not in cards:
        raise InputError(f"the dealer's card {shown} is your own: it is one of your cards")
    if place != KWAJONGEN_DEALER_PLACE and shown in cards:
        raise InputError(f"the dealer's card {shown} is among your cards: write another")
    return KwajongenBiddingSituation(rules, cards, shown, place, raised)


def parse_kwajongen_calls(heard: str) -> list[Literal["pass", "play"]]:
    """Return the calls of a round of Kwajongen; raise InputError if a word is none."""
    words: list[Literal["pass", "play"]] = []
    try:
        calls = split_calls(heard, KwajongenRules.seats)
    except InputError as error:
        text = str(error).partition(":")[0].removesuffix(", is not a call")
        raise InputError(f"{text}, is not a call of Kwajongen: write pass or play") from None
    for number, call in enumerate(calls, start=1):
        if call.word not in ("pass", "play"):
            raise InputError(
                f"call {number}, {quote(call.text)}, is not a call of Kwajongen: write pass or play"
            )
        words.append(call.word)
    return words


def parse_calls(
    heard: str,
    rules: KqjRules,
    teams: Sequence[int],
    upcard: Card | None,
    place: int | None = None,
) -> KqjCalling:
    """Return the referee's view of calls as they are typed; raise InputError if they cannot be.

    Args:
        heard: the calls, as for `parse_situation`.
        rules: the rules.
        teams: team of each place.
        upcard: the Return; None with auctions.
        place: the player's place; a counter without a place is another's.
    """
    calling = KqjCalling(rules, DEALER_PLACE, teams, upcard)
    for call in split_calls(heard, SEATS):
        _add_call(calling, call, place)
    return calling


def _parse_cards(
    hand: str, upcard: str | None, auction: bool
) -> tuple[tuple[Card, ...], Card | None]:
    """Return the hand and the Return."""
    cards = parse_cards(hand)
    up = None if upcard is None else parse_single_card(upcard)
    wanted = 8 if auction else 5
    if len(cards) != wanted:
        raise InputError(f"{_count_cards(cards)} given: {_describe_hand_size(cards, up, auction)}")
    if auction and up is not None:
        raise InputError("with auctions there is no Return: leave it out")
    if not auction and up is None:
        raise InputError(
            "the Return is missing: give the card that is turned up, such as --return 7h"
        )
    if up in cards:
        raise InputError(f"the Return {up} is among your cards: one of them is another card")
    return cards, up


def _count_cards(cards: Sequence[Card]) -> str:
    return f"{len(cards)} card{'s' * (len(cards) != 1)}"


def _describe_hand_size(cards: Sequence[Card], up: Card | None, auction: bool) -> str:
    """Return how many cards there should be, for errors."""
    if auction:
        return "with auctions you hold 8 (5 with --bidding take)"
    held = "with taking you hold 5"
    if len(cards) == 6 and up is None:
        return f"{held}; if the Return is {cards[-1]}, write --return {cards[-1]}"
    return f"{held} (8 with --bidding auction)"


def assign_teams(
    rules: KqjRules, partners: Sequence[int] | None, place: int | None
) -> tuple[int, ...]:
    """Return the team of each place; the player is of team 0 where their partners are named."""
    if partners is None:
        return tuple(rules.fixed_team_of(each) for each in range(SEATS))
    if rules.partners != "random":
        raise InputError("partners are named with random partners only: leave them out")
    if place is None:
        raise InputError("partners are named by place: give your place, too")
    size = SEATS // rules.teams
    own = {place, *partners}
    if len(own) != size or len(partners) != size - 1 or not own <= {*range(SEATS)}:
        raise InputError(
            f"{len(partners)} partners: with {rules.teams} teams there should be {size - 1}, at "
            f"other places than the {_PLACE_NAMES[place]}'s"
        )
    others = [each for each in range(SEATS) if each not in own]
    # How the others pair up matters little; neighbours in speaking are opponents, as usual.
    return tuple(
        0 if each in own else 1 + others.index(each) % (rules.teams - 1) for each in range(SEATS)
    )


def _add_call(calling: KqjCalling, typed: TypedCall, own_place: int | None) -> None:
    """Add a call as it is typed; raise InputError if it cannot be."""
    reason: str | None = None
    number = len(calling.calls) + 1
    if typed.word == "take" and typed.contract is None:
        if calling.rules.bidding == "take" and (calling.lap > 1 or calling.upcard is None):
            raise InputError(
                f"call {number}, {quote(typed.text)}, needs a contract in lap {calling.lap}: write "
                "for example take h or take NT"
            )
        typed = typed._replace(contract=None if calling.upcard is None else calling.upcard.suit)
    elif typed.word == "take" and calling.rules.bidding == "auction":
        raise InputError(
            f"call {number}, {quote(typed.text)}: with auctions a bid has an amount; write for "
            f"example {calling.lowest_amount} {typed.contract}"
        )
    for each in _list_possible_calls(calling, typed, own_place):
        reason = calling.explain_illegal_call(each)
        if reason is None:
            calling.add(each)
            return
    reason = re.sub(
        r"\bseat (\d)", lambda match: f"the {_PLACE_NAMES[int(match[1])]}", reason or ""
    )
    raise InputError(
        f"call {number}, {quote(typed.text)}, is impossible: {reason or 'nobody may say that'}"
    )


def _list_possible_calls(
    calling: KqjCalling, typed: TypedCall, own_place: int | None
) -> list[Call]:
    """Return the calls that a text may stand for: a counter's place is often left out."""
    if typed.word in ("pass", "play"):
        return [Call(calling.turn, typed.word)]
    if typed.word == "take":
        return [Call(calling.turn, "take", contract=typed.contract)]
    if typed.word == "bid":
        return [Call(calling.turn, "bid", typed.amount, typed.contract, typed.capot)]
    if typed.place is not None:
        return [Call(typed.place, typed.word)]
    bidder = calling.turn if calling.last_bid is None else calling.last_bid.seat
    first = calling.turn if calling.rules.counter_timing == "turn" else bidder
    places = [(first + step) % SEATS for step in range(SEATS)]
    found = [Call(each, typed.word) for each in places if each != own_place]
    legal = [call for call in found if calling.explain_illegal_call(call) is None]
    return legal or found[:1]


def _find_question(calling: KqjCalling, place: int | None) -> tuple[int, Question]:
    """Return place and question of the player asked; raise InputError if it is not `place`."""
    bid = calling.last_bid
    last = calling.calls[-1].call if calling.calls else None
    rules, teams = calling.rules, calling.teams
    if last == "counter" and bid is not None:
        return _find_counter_place(bid.seat, True, calling, place), "overcounter"
    if last == "bid" and bid is not None and bid.capot:
        return _find_counter_place(bid.seat, False, calling, place), "counter"
    if calling.is_closed:
        raise InputError(
            "the bidding is over after these calls: give the cards played so far, --played, or "
            "leave the last call out"
        )
    if place is None or place == calling.turn:
        return calling.turn, "take" if rules.bidding == "take" else "bid"
    may_counter = last == "bid" and bid is not None and teams[bid.seat] != teams[place]
    if may_counter and rules.counter_timing == "any":
        return place, "counter"
    raise InputError(
        f"after {len(calling.calls)} calls {describe_turn(calling.turn, SEATS)}, not the "
        f"{_PLACE_NAMES[place]}'s: give all calls before yours"
    )


def _find_counter_place(bidder: int, partner: bool, calling: KqjCalling, place: int | None) -> int:
    """Return a place that may (over)counter: `place`, else the first from the bidder on."""
    teams = calling.teams
    places = [(bidder + step) % SEATS for step in range(SEATS)]
    may = [each for each in places if (teams[each] == teams[bidder]) == partner]
    if place is None or place in may:
        return may[0] if place is None else place
    raise InputError(
        f"the {_PLACE_NAMES[place]} is not asked now: {_join_places(may)} may "
        f"{'overcounter' if partner else 'counter'}"
    )


def _join_places(places: Sequence[int]) -> str:
    """Return the names of places: `opener, 3rd and 5th`."""
    *first, last = (_PLACE_NAMES[place] for place in sorted(places))
    return f"{', '.join(first)} and {last}"
