"""The knowledge of a player who is asked to call: their cards and the calls so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kqj_sim.cards import Card, NotationError, parse_card, parse_cards, parse_contract
from kqj_sim.messages import quote
from kqj_sim.record import Call
from kqj_sim.referee.kqj.calling import KqjCalling
from kqj_sim.rules import SEATS, KqjRules, KwajongenRules

Question: TypeAlias = Literal["take", "bid", "counter", "overcounter"]

DEALER_PLACE = SEATS - 1
"""Seats are counted as places here: the opener is seat 0."""
KWAJONGEN_DEALER_PLACE = KwajongenRules.seats - 1

_BID_PATTERN = re.compile(r"(\d+)\s*([^\s\d]+)(\s+capot)?", re.IGNORECASE)
_COUNTER_PATTERN = re.compile(r"(over)?counter(?:\s+(\d+))?", re.IGNORECASE)


class SituationError(ValueError):
    """Cards or calls that cannot be; one line that says what would be right."""


@dataclass(frozen=True)
class BiddingSituation:
    """The knowledge of a player of KQJ, and the question they are asked.

    Attributes:
        rules: the rules.
        hand: their cards, five, or eight with auctions.
        turned: the Return; None with auctions.
        place: their place, 0 the opener to 5 the dealer.
        teams: team of each place.
        calls: the calls so far; a call's `seat` is the place.
        question: the question.
        pending: litigation gratuity that waits, in points.
    """

    rules: KqjRules
    hand: tuple[Card, ...]
    turned: Card | None
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
        calling = KqjCalling(self.rules, DEALER_PLACE, self.teams, self.turned)
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
        heard: the calls so far: `pass`, `120 h`, `400 NT capot`, `counter`, or `counter 3` to say
            whose it is.  Left out: everybody before them has passed.
        partners_at: places of their partners, with random partners; left out, all sit alternately.
        pending: litigation gratuity that waits, in points.

    Raises:
        SituationError: one line that says what is wrong.
    """
    auction = rules.bidding == "auction"
    cards, up = _parse_cards(hand, return_card, auction)
    if place is not None and not 0 <= place < SEATS:
        raise SituationError(f"place {place}: it is 0 (the opener) to {SEATS - 1} (the dealer)")
    if lap is not None and (auction or lap not in (1, 2)):
        right = "with auctions it follows from the calls" if auction else "it is 1 or 2"
        raise SituationError(f"lap {lap}: {right}")
    texts = _split_calls(heard)
    if texts is None and place is None:
        place = 0
    teams = assign_teams(rules, partners_at, place)
    if texts is None:
        texts = ["pass"] * (SEATS * ((lap or 1) - 1) + (place or 0))
    calling = _replay_call_texts(texts, rules, teams, up, place)
    place, question = _find_question(calling, place)
    if lap is not None and lap != calling.lap:
        raise SituationError(
            f"lap {lap} does not go with {len(texts)} calls heard: that is lap {calling.lap}"
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
        turned: the dealer's card that is shown.
        place: 0 the dealer's left to 3 the dealer; all before it have passed.
        raised: whether the round is raised.
    """

    rules: KwajongenRules
    hand: tuple[Card, ...]
    turned: Card
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
        SituationError: one line that says what is wrong.
    """
    try:
        cards = parse_cards(hand, ranks=rules.ranks)
        shown = None if return_card is None else parse_card(return_card, ranks=rules.ranks)
    except NotationError as error:
        raise SituationError(str(error)) from None
    if len(cards) != rules.tricks:
        raise SituationError(f"the hand has {len(cards)} cards: in Kwajongen one holds four")
    if shown is None:
        raise SituationError("the dealer's shown card is missing: give it, such as Kh")
    if place is not None and not 0 <= place <= KWAJONGEN_DEALER_PLACE:
        raise SituationError(f"place {place}: it is 0 (the dealer's left) to 3 (the dealer)")
    if heard is not None:
        texts = [text.strip() for text in heard.split(",")] if heard.strip() else []
        for number, text in enumerate(texts, start=1):
            if text.lower() not in ("pass", "p"):
                raise SituationError(
                    f"call {number} heard, {quote(text)}: nobody is asked after a play; write pass"
                )
        if len(texts) > KWAJONGEN_DEALER_PLACE:
            raise SituationError(f"{len(texts)} calls heard: nobody is asked after four passes")
        if place not in (None, len(texts)):
            raise SituationError(
                f"place {place} does not go with the {len(texts)} calls heard: it is the turn of "
                f"place {len(texts)}"
            )
        place = len(texts)
    place = place or 0
    if place == KWAJONGEN_DEALER_PLACE and shown not in cards:
        raise SituationError(f"the shown card {shown} is the dealer's own: it is one of the hand")
    if place != KWAJONGEN_DEALER_PLACE and shown in cards:
        raise SituationError(f"the shown card {shown} is in the hand, but it is the dealer's")
    return KwajongenBiddingSituation(rules, cards, shown, place, raised)


def parse_calls(
    heard: str,
    rules: KqjRules,
    teams: Sequence[int],
    turned: Card | None,
    place: int | None = None,
) -> KqjCalling:
    """Return the referee's view of calls as they are typed; raise SituationError if they cannot be.

    Args:
        heard: the calls, as for `parse_situation`.
        rules: the rules.
        teams: team of each place.
        turned: the Return; None with auctions.
        place: the player's place; a counter without a place is another's.
    """
    return _replay_call_texts(_split_calls(heard) or [], rules, teams, turned, place)


def _replay_call_texts(
    texts: Sequence[str],
    rules: KqjRules,
    teams: Sequence[int],
    turned: Card | None,
    place: int | None,
) -> KqjCalling:
    calling = KqjCalling(rules, DEALER_PLACE, teams, turned)
    for text in texts:
        _add_call(calling, text, place)
    return calling


def _split_calls(heard: str | None) -> list[str] | None:
    if heard is None:
        return None
    return [text.strip() for text in heard.split(",")] if heard.strip() else []


def _parse_cards(
    hand: str, turned: str | None, auction: bool
) -> tuple[tuple[Card, ...], Card | None]:
    """Return the hand and the Return."""
    try:
        cards = parse_cards(hand)
        up = None if turned is None else parse_card(turned)
    except NotationError as error:
        raise SituationError(str(error)) from None
    wanted = 8 if auction else 5
    if len(cards) != wanted:
        how = "auctions are played with eight" if auction else "before a take one holds five"
        raise SituationError(f"the hand has {len(cards)} cards: {how}")
    if auction and up is not None:
        raise SituationError("with auctions there is no Return: leave it out")
    if not auction and up is None:
        raise SituationError("the Return is missing: give the card that is turned up, such as 7h")
    if up in cards:
        raise SituationError(f"the Return {up} is in the hand: one of them is another card")
    return cards, up


def assign_teams(
    rules: KqjRules, partners: Sequence[int] | None, place: int | None
) -> tuple[int, ...]:
    """Return the team of each place; the player is of team 0 where their partners are named."""
    if partners is None:
        return tuple(rules.fixed_team_of(each) for each in range(SEATS))
    if rules.partners != "random":
        raise SituationError("partners are named with random partners only: leave them out")
    if place is None:
        raise SituationError("partners are named by place: give the own place, too")
    size = SEATS // rules.teams
    own = {place, *partners}
    if len(own) != size or len(partners) != size - 1 or not own <= {*range(SEATS)}:
        raise SituationError(
            f"partners {' '.join(map(str, partners))}: with {rules.teams} teams there should be "
            f"{size - 1}, at other places than {place}"
        )
    others = [each for each in range(SEATS) if each not in own]
    # How the others pair up matters little; neighbours in speaking are opponents, as usual.
    return tuple(
        0 if each in own else 1 + others.index(each) % (rules.teams - 1) for each in range(SEATS)
    )


def _add_call(calling: KqjCalling, text: str, own_place: int | None) -> None:
    """Add a call as it is typed; raise SituationError if it cannot be."""
    for each in _list_possible_calls(calling, text, own_place):
        reason = calling.explain_illegal_call(each)
        if reason is None:
            calling.add(each)
            return
    reason = re.sub(r"\bseat\b", "place", reason or "nobody may say that")
    number = len(calling.calls) + 1
    raise SituationError(f"call {number} heard, {quote(text)}, cannot be: {reason}")


def _list_possible_calls(calling: KqjCalling, text: str, own_place: int | None) -> list[Call]:
    """Return the calls that a text may stand for: a counter's place is often left out."""
    if text.lower() in ("pass", "p"):
        return [Call(calling.turn, "pass")]
    stake = _COUNTER_PATTERN.fullmatch(text)
    if stake is not None:
        kind: Literal["counter", "overcounter"] = "overcounter" if stake[1] else "counter"
        if stake[2] is not None:
            return [Call(int(stake[2]), kind)]
        bidder = calling.turn if calling.last_bid is None else calling.last_bid.seat
        first = calling.turn if calling.rules.counter_timing == "turn" else bidder
        places = [(first + step) % SEATS for step in range(SEATS)]
        found = [Call(each, kind) for each in places if each != own_place]
        legal = [call for call in found if calling.explain_illegal_call(call) is None]
        return legal or found[:1]
    take = re.fullmatch(r"take\s+(\S+)", text, re.IGNORECASE)
    bid = _BID_PATTERN.fullmatch(text)
    try:
        if take is not None:
            return [Call(calling.turn, "take", contract=parse_contract(take[1]))]
        if bid is not None and len(bid[1]) < 6:
            contract = parse_contract(bid[2])
            return [Call(calling.turn, "bid", int(bid[1]), contract, bid[3] is not None)]
    except NotationError as error:
        raise SituationError(
            f"call {len(calling.calls) + 1} heard, {quote(text)}: {error}"
        ) from None
    right = "pass, 120 h, 400 NT capot, counter" if calling.rules.bidding == "auction" else "pass"
    raise SituationError(
        f"call {len(calling.calls) + 1} heard, {quote(text)}, is none: write {right}, with commas "
        "between calls"
    )


def _find_question(calling: KqjCalling, place: int | None) -> tuple[int, Question]:
    """Return place and question of the player asked; raise SituationError if it is not `place`."""
    bid = calling.last_bid
    last = calling.calls[-1].call if calling.calls else None
    rules, teams = calling.rules, calling.teams
    if last == "counter" and bid is not None:
        return _find_counter_place(bid.seat, True, calling, place), "overcounter"
    if last == "bid" and bid is not None and bid.capot:
        return _find_counter_place(bid.seat, False, calling, place), "counter"
    if calling.is_closed:
        raise SituationError("the calling is over after what was heard: nobody is asked")
    if place is None or place == calling.turn:
        return calling.turn, "take" if rules.bidding == "take" else "bid"
    may_counter = last == "bid" and bid is not None and teams[bid.seat] != teams[place]
    if may_counter and rules.counter_timing == "any":
        return place, "counter"
    raise SituationError(
        f"place {place} does not go with the {len(calling.calls)} calls heard: it is the turn of "
        f"place {calling.turn}"
    )


def _find_counter_place(bidder: int, partner: bool, calling: KqjCalling, place: int | None) -> int:
    """Return a place that may (over)counter: `place`, else the first from the bidder on."""
    teams = calling.teams
    places = [(bidder + step) % SEATS for step in range(SEATS)]
    may = [each for each in places if (teams[each] == teams[bidder]) == partner]
    if place is None or place in may:
        return may[0] if place is None else place
    raise SituationError(
        f"place {place} is not asked now: places {' '.join(map(str, sorted(may)))} may "
        f"{'overcounter' if partner else 'counter'}"
    )
