"""A round that is not over, as who is to play sees it: checked against the rules.

What he sees are the calls, the plays and his own cards.  Of the others' hands only what follows
from these is known, so a play is wrong if what is known of the hand forbids it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kqj_sim.analysis.heard import read_calls, read_teams
from kqj_sim.notation import Card, NotationError, parse_card, parse_cards, parse_contract
from kqj_sim.record import Call, RecordSoFar
from kqj_sim.referee.kqj.calling import Called, Calling
from kqj_sim.referee.kqj.play import legal_cards, trick_winner
from kqj_sim.rules import SEATS, KqjRules, RulesError

TRICKS = 8


class RoundError(ValueError):
    """A round that cannot have come about so; one line that says what would be right."""


@dataclass(frozen=True)
class RoundSoFar:
    """A round in the middle of the play.

    Attributes:
        rules: the rules.
        dealer: seat of the dealer.
        teams: team of each seat.
        turned: the Return; None with auctions.
        calls: what was said; None if that is not known, or the contract was imposed.
        called: what it came to.
        plays: the cards in the order played, trick after trick.
        given: the cards of who is to play: all eight, or those he has left.
        pending: litigation gratuity that waits.
        players: what the seats are said to play by; None if nothing is said.
        seat_is_called: what errors call a seat, `seat` or `place`.

    Raises:
        RoundError: the rules do not allow it, or nobody is to play any more.
    """

    rules: KqjRules
    dealer: int
    teams: tuple[int, ...]
    turned: Card | None
    calls: tuple[Call, ...] | None
    called: Called
    plays: tuple[Card, ...]
    given: frozenset[Card]
    pending: int = 0
    players: tuple[str, ...] | None = None
    seat_is_called: str = "seat"

    def __post_init__(self) -> None:
        self._check_cards()
        self._check_hand()
        self._check_plays()

    @property
    def opener(self) -> int:
        """Seat of the opener, who leads to the first trick."""
        return (self.dealer + 1) % SEATS

    def place_of(self, seat: int) -> int:
        """Place of a seat: 0 the opener to 5 the dealer."""
        return (seat - self.opener) % SEATS

    @cached_property
    def tricks(self) -> tuple[tuple[int, tuple[Card, ...]], ...]:
        """Leader (a seat) and cards of each trick; the last is the one that goes on, maybe ()."""
        tricks = []
        leader = self.opener
        for start in range(0, len(self.plays) + 1, SEATS):
            cards = self.plays[start : start + SEATS]
            tricks.append((leader, cards))
            if len(cards) == SEATS:
                leader = trick_winner(leader, cards, self.called.contract)
        return tuple(tricks)

    @property
    def seat(self) -> int:
        """The seat whose turn it is to play."""
        leader, cards = self.tricks[-1]
        return (leader + len(cards)) % SEATS

    def played_by(self, seat: int) -> list[Card]:
        """What a seat has played."""
        return [card for by, _, card in self._each_play() if by == seat]

    @cached_property
    def hand(self) -> frozenset[Card]:
        """What who is to play has left."""
        return self.given - set(self.plays)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, suit by suit."""
        leader, cards = self.tricks[-1]
        legal = legal_cards(self.hand, cards, leader, self.teams, self.called.contract)
        return tuple(sorted(legal, key=lambda card: ("shdc".index(card.suit), card.rank)))

    def _each_play(self) -> list[tuple[int, int, Card]]:
        """Seat, number of the trick from 0 and card of each play."""
        return [
            ((leader + position) % SEATS, number, card)
            for number, (leader, cards) in enumerate(self.tricks)
            for position, card in enumerate(cards)
        ]

    def _who(self, seat: int) -> str:
        return f"{self.seat_is_called} {seat}"

    def _check_cards(self) -> None:
        if len(self.plays) >= SEATS * TRICKS:
            raise RoundError("the round is over: all 48 cards are played; leave out the last ones")
        seen: set[Card] = set()
        for number, card in enumerate(self.plays):
            if card in seen:
                first = self.plays.index(card)
                raise RoundError(
                    f"{card} is played twice: card {first % SEATS + 1} of trick "
                    f"{first // SEATS + 1} and card {number % SEATS + 1} of trick "
                    f"{number // SEATS + 1}"
                )
            seen.add(card)

    def _check_hand(self) -> None:
        who, own = self._who(self.seat), self.played_by(self.seat)
        left = TRICKS - len(own)
        if self.given & set(own):
            missing = [str(card) for card in own if card not in self.given]
            if missing:
                raise RoundError(
                    f"{' '.join(missing)} was played by {who}, whose turn it is, but is not among "
                    "his cards: give all eight, or only those that are left"
                )
        others = [str(card) for card in self.plays if card in self.given and card not in own]
        if others:
            raise RoundError(
                f"{' '.join(others)} is played by another: it is the turn of {who}, so give his "
                "cards"
            )
        if len(self.hand) != left:
            raise RoundError(
                f"{len(self.hand)} cards in hand: {who}, whose turn it is, has played "
                f"{len(own)} and so has {left} left"
            )
        returned, sender = self.turned, self.called.sender
        if returned is None:
            return
        holders = [by for by, _, card in self._each_play() if card == returned]
        holders += [self.seat] if returned in self.hand else []
        if self.seat == sender and not holders:
            raise RoundError(
                f"{who}, whose turn it is, is the Sender and took the Return, {returned}: it is "
                "missing among his cards"
            )
        if holders and holders != [sender]:
            raise RoundError(
                f"{returned} is the Return, which the Sender, {self._who(sender)}, has: "
                f"it cannot be a card of {self._who(holders[0])}"
            )

    def _check_plays(self) -> None:
        """Each play against what is known of its hand: later plays, own cards, the Return."""
        held: list[set[Card]] = [set(self.played_by(seat)) for seat in range(SEATS)]
        held[self.seat] |= self.hand
        if self.turned is not None:
            held[self.called.sender].add(self.turned)
        for number, (leader, cards) in enumerate(self.tricks):
            for position, card in enumerate(cards):
                seat = (leader + position) % SEATS
                right = legal_cards(
                    held[seat], cards[:position], leader, self.teams, self.called.contract
                )
                if card not in right:
                    better = " ".join(sorted(str(each) for each in right))
                    raise RoundError(
                        f"trick {number + 1}: {self._who(seat)} cannot have played {card}: "
                        f"he held {better}, which would have been right"
                    )
                held[seat].remove(card)


def from_record(record: RecordSoFar, at: tuple[int, int] | None = None) -> RoundSoFar:
    """The round of a record, as who is to play sees it.

    Args:
        record: a record whose plays break off.
        at: number of a trick (1 to 8) and of a card in it (1 to 6): only what was played before
            that card is looked at.  So a whole record can be asked about, too.

    Raises:
        RoundError: what is wrong, by the record's key.
    """
    try:
        rules = KqjRules.from_dict(record.rules)
    except RulesError as error:
        raise RoundError(f"rules: {error}") from None
    if not 0 <= record.dealer < SEATS:
        raise RoundError(f"dealer: {record.dealer} is not a seat from 0 to 5")
    teams = _teams(rules, record.teams)
    turned = None
    if rules.bidding == "take":
        if record.turned is None:
            raise RoundError("turned: null, with taking there is a Return")
        turned = _card("turned", record.turned)
    called = _called(record, rules, teams, turned)
    plays = _plays(record)
    if at is not None:
        wanted = SEATS * (at[0] - 1) + at[1] - 1
        if wanted > len(plays):
            raise RoundError(
                f"card {at[1]} of trick {at[0]} was not reached: {len(plays)} cards are played"
            )
        plays = plays[:wanted]
    if len(plays) >= SEATS * TRICKS:
        raise RoundError(
            "the record's round is over: leave out the tricks from where the question is, "
            "or name a card of it, such as --at 3.2"
        )
    leader, before = (record.dealer + 1) % SEATS, plays
    while len(before) >= SEATS:
        leader = trick_winner(leader, before[:SEATS], called.contract)
        before = before[SEATS:]
    seat = (leader + len(before)) % SEATS
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
    for number, call in enumerate(calls):
        reason = calling.why_illegal(call)
        if reason is not None:
            raise RoundError(f"call {number + 1}: {reason}")
        calling.add(call)
    if not calling.is_closed:
        who = f"{seat_is_called} {calling.turn}"
        raise RoundError(f"the calls are not over: {who} has yet to speak")
    called = calling.called()
    if called is None:
        raise RoundError("all have passed: there is no card to play")
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
        up = _card("the Return", turned)
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
        rules, dealer, teams, up, calls, called, _parse("played", played),
        frozenset(_parse("cards", hand)), pending, seat_is_called="place",
    )  # fmt: skip
    if place is not None and place != so_far.seat:
        raise RoundError(
            f"after {len(so_far.plays)} cards it is the turn of place {so_far.seat}, not of "
            f"place {place}: there is no card to choose"
        )
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


def _parse(key: str, text: str) -> tuple[Card, ...]:
    try:
        return parse_cards(text)
    except NotationError as error:
        raise RoundError(f"{key}: {error}") from None


def _teams(rules: KqjRules, given: Sequence[int] | None) -> tuple[int, ...]:
    fixed = tuple(rules.fixed_team_of(seat) for seat in range(SEATS))
    if rules.partners == "fixed":
        if given is not None and tuple(given) != fixed:
            raise RoundError(f"teams: {list(given)}, with fixed partners {list(fixed)}")
        return fixed
    if given is None or sorted(given) != sorted(fixed):
        raise RoundError(
            f"teams: with random partners a team for each seat, such as {list(fixed)}, "
            f"not {None if given is None else list(given)}"
        )
    return tuple(given)


def _card(key: str, text: str) -> Card:
    try:
        return parse_card(text)
    except NotationError as error:
        raise RoundError(f"{key}: {error}") from None


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
        raise RoundError(f"contract: {contract!r} is not one of {' '.join(rules.contracts)}")
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


def _plays(record: RecordSoFar) -> tuple[Card, ...]:
    plays: list[Card] = []
    for number, trick in enumerate(record.tricks):
        key = f"tricks[{number}].cards"
        last = number == len(record.tricks) - 1
        if len(trick.cards) > SEATS or (len(trick.cards) < SEATS and not last):
            raise RoundError(f"{key}: {len(trick.cards)} cards, there should be {SEATS}")
        plays += [_card(key, text) for text in trick.cards]
    return tuple(plays)


def _hand(record: RecordSoFar, rules: KqjRules, seat: int) -> frozenset[Card]:
    key, hands = "hands", record.hands
    if hands is None and rules.bidding == "auction":
        key, hands = "dealt", record.dealt
    texts = hands[seat] if hands is not None and len(hands) == SEATS else None
    if not texts:
        raise RoundError(
            f"{key}: it is the turn of seat {seat}, whose eight cards are needed "
            "(six lists, those of the others may be empty)"
        )
    cards = [_card(f"{key}[{seat}]", text) for text in texts]
    if len(set(cards)) != len(cards):
        raise RoundError(f"{key}[{seat}]: a card is there twice")
    return frozenset(cards)
