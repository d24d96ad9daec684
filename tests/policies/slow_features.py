"""The features of a decision, the outputs and the chances of its cards once more, slowly, from sets
of cards: values of tables by name."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, floor, prod

import numpy as np

from kqj_sim.cards import SUITS, Card, parse_card
from kqj_sim.referee.kqj import PACK, card_points, outranks
from tests.core.coding import strength_of
from tests.policies.moments import Moment

Values = tuple[str, tuple[int, ...]]


def index_of(tables: dict[str, tuple[int, ...]], values: Values) -> int:
    name, each = values
    sizes = tables[name]
    assert len(each) == len(sizes)
    start = 0
    for other, dimensions in tables.items():
        if other == name:
            break
        start += prod(dimensions)
    return start + int(np.ravel_multi_index([int(value) for value in each], sizes))


def contest(otherwise: Fraction, tries: list[tuple[bool, Fraction]]) -> Fraction:
    """The chance that a side wins, if those who try do so as (own side, chance of success).

    If any succeeds, the win is anyone's in proportion to the chances; if none, `otherwise` holds.
    """
    none = prod((1 - chance for _, chance in tries), start=Fraction(1))
    total = sum(chance for _, chance in tries)
    if total == 0:
        return otherwise
    return none * otherwise + (1 - none) * sum(chance for own, chance in tries if own) / total


def points_bucket(points: int) -> int:
    """Return the number of bounds that are reached."""
    return sum(points >= bound for bound in (3, 7, 12, 18, 25, 34, 46))


class Slow:
    """A moment and what follows from it."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.contract = moment.contract
        self.bits = strength_of(moment.contract)
        self.gone = set(moment.trick).union(*(cards for _, cards in moment.finished))
        self.unseen = set(PACK) - self.gone - moment.hand
        self.position = len(moment.trick)
        self.number = len(moment.finished)
        self.teams = moment.record.teams
        others = [(moment.seat + k) % 6 for k in range(1, 6)]
        self.others = others
        self.behind = others[: 5 - self.position]
        self.partners = [s for s in others if self.teams[s] == moment.own_team]
        self.opponents = [s for s in others if self.teams[s] != moment.own_team]
        self.contracting = int(self.teams[moment.sender] == moment.own_team)
        turned = moment.record.turned
        self.returned: Card | None = None
        if turned is not None and parse_card(turned) in self.unseen:
            self.returned = parse_card(turned)
        self.slots = self._slots()

    def rank(self, card: Card) -> int:
        """0 the weakest to 11 the strongest of its suit."""
        suit = [other for other in PACK if other.suit == card.suit]
        return sum(outranks(card, other, self.contract) for other in suit)

    def of(self, cards: set[Card] | frozenset[Card], suit: str) -> set[Card]:
        return {card for card in cards if card.suit == suit}

    def lacks(self, seat: int, suit: str) -> bool:
        """Return True if a player cannot hold a suit."""
        return self.moment.known_void(seat, suit) or not self.of(self.unseen, suit)

    def _slots(self) -> dict[str, int]:
        moment = self.moment

        def weight(cards: set[Card]) -> int:
            return sum(2 ** self.rank(card) for card in cards)

        def key(suit: str) -> tuple[object, ...]:
            own = self.of(moment.hand, suit)
            turned = moment.record.turned
            returned = turned is not None and parse_card(turned) in self.of(
                self.unseen | moment.hand, suit
            )
            around = [(moment.leader + k) % 6 for k in range(5, -1, -1)]
            return (
                suit == self.contract,
                bool(moment.trick) and moment.trick[0].suit == suit,
                len(own),
                weight(own),
                weight(self.of(self.gone, suit)),
                returned,
                [self.lacks(seat, suit) for seat in around],
                self.bits[Card("A", suit)],
            )

        return {suit: k for k, suit in enumerate(sorted(SUITS, key=key, reverse=True))}

    def points(self, cards: Iterable[Card]) -> int:
        return sum(card_points(c, self.contract) for c in cards)

    def _hidden(self, suit: str, seats: Iterable[int]) -> int:
        """Cards in the hands of those of some players who may hold a suit."""
        may = [seat for seat in seats if not self.lacks(seat, suit)]
        return sum(8 - self.number - (seat not in self.behind) for seat in may)

    def _has(self, seat: int, wanted: set[Card], hidden: int) -> Fraction:
        """The chance that a player behind has one of the wanted, if they are among the hidden."""
        held = 8 - self.number
        if seat == self.moment.sender and self.returned is not None:
            if self.returned in wanted:
                return Fraction(1)
            held -= 1
        return 1 - Fraction(comb(max(hidden - len(wanted), 0), held), comb(hidden, held))

    def outcome(self, card: Card, held_back: float) -> tuple[Fraction, Fraction]:
        """The chances that the own side wins the trick after a card, and that the card does."""
        moment = self.moment
        cards = (*moment.trick, card)
        led, trump = cards[0].suit, self.contract
        winner, best = moment.winner(moment.leader, cards)
        higher = {c for c in self.unseen if moment.winner(0, (*cards, c))[1] == c}
        overs = self.of(higher, led)
        before = [seat for seat in self.others if seat not in self.behind]
        kept = floor(self._hidden(led, before) * Fraction(held_back) + Fraction(1, 2))
        places = self._hidden(led, self.behind) + kept
        follows, ruffs = [], []
        for seat in self.behind:
            own, void = seat in self.partners, Fraction(1)
            if not self.lacks(seat, led):
                follows.append((own, self._has(seat, overs, places)))
                suit = self.of(self.unseen, led)
                void -= self._has(seat, suit, self._hidden(led, self.others))
            if higher - overs and not self.lacks(seat, trump):
                has = self._has(seat, higher - overs, self._hidden(trump, self.others))
                ruffs.append((own, void * has))

        ours = Fraction(self.teams[winner] == moment.own_team)
        alone = Fraction(best == card)
        nobody = [[(False, chance) for _, chance in each] for each in (follows, ruffs)]
        return contest(contest(ours, follows), ruffs), contest(contest(alone, nobody[0]), nobody[1])

    def missing(self) -> int:
        """Points that the contracting team needs."""
        record = self.moment.record
        target = record.amount or (124 if len(set(self.teams)) == 2 else 98)
        return target - self.points(self.moment.won(self.teams[self.moment.sender]))

    def needed(self) -> int:
        """The same by what is left."""
        missing = self.missing()
        left = 246 - self.points(c for _, cards in self.moment.finished for c in cards)
        if missing <= 0 or missing > left:
            return 0 if missing <= 0 else 7
        return 1 + floor(Fraction(6 * missing, left + 1))

    def capot(self) -> int:
        """Return the side that has won all tricks."""
        moment = self.moment
        won = len(moment.won(moment.own_team)) // 6
        contracting = len(moment.won(self.teams[moment.sender])) // 6
        if self.number == 0:
            return 3
        if won == self.number:
            return 1
        return 2 if won == 0 and contracting in (0, self.number) else 0

    def output(self, card: Card) -> tuple[int, int, int]:
        """The way, the slot and the rank of a card."""
        moment = self.moment
        beats = moment.winner(0, (*moment.trick, card))[1] == card
        if not moment.trick:
            way = 0
        elif card.suit == moment.trick[0].suit:
            way = 2 if beats else 1
        else:
            way = 3 if beats else 4
        return way, self.slots[card.suit], self.rank(card)

    def features(self) -> list[Values]:
        moment, record = self.moment, self.moment.record
        found: list[Values] = []
        for suit, slot in self.slots.items():
            lane = sorted((c for c in PACK if c.suit == suit), key=self.rank)
            for group in range(3):
                cards = lane[4 * group : 4 * group + 4]
                state = sum(
                    2**k * ((c in moment.hand) + 16 * (c in self.gone)) for k, c in enumerate(cards)
                )
                found.append(("cards", (slot, group, state)))
            own, unseen = len(self.of(moment.hand, suit)), len(self.of(self.unseen, suit))
            found.append(("lengths", (slot, min(own, 6), unseen)))
        for number, seat in enumerate(self.others):
            void = sum(self.lacks(seat, suit) << slot for suit, slot in self.slots.items())
            found.append(
                ("players", (number, seat in self.partners, seat not in self.behind, void))
            )
        missing = self.missing()
        steps = 0 if missing <= 0 else min(1 + (missing - 1) // 10, 15)
        amount = 0 if record.amount is None else 1 + min((record.amount - 80) // 20, 11)
        returned = 0
        if self.returned is not None:
            returned = 1 + 12 * self.slots[self.returned.suit] + self.rank(self.returned)
        master = 0
        if moment.trick:
            seat, card = moment.winner(moment.leader, moment.trick)
            trump, partner = card.suit == self.contract, self.teams[seat] == moment.own_team
            master = 1 + 24 * partner + 12 * trump + self.rank(card)
        on_table = self.points(moment.trick)
        own_points = self.points(moment.won(moment.own_team))
        sender = (moment.sender - moment.seat) % 6
        return [
            *found,
            ("sender", (sender, self.position)),
            ("trick", (self.number, self.position)),
            ("own", (min(own_points // 16, 15), self.capot())),
            ("missing", (steps, self.contracting)),
            ("needed", (self.needed(), self.contracting, self.number)),
            ("amount", (amount, (1, 2, 4).index(record.stake), record.capot)),
            ("return", (returned,)),
            ("master", (master,)),
            ("table", (points_bucket(on_table), self.position)),
        ]
