"""The features of a decision once more, slowly, from sets of cards: values of tables by name."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, floor, prod

from kqj_sim.cards import SUITS, Card, parse_card
from kqj_sim.policies.features import HELD_BACK_SHARE
from kqj_sim.referee.kqj.cards import PACK, card_points, is_trump, outranks
from tests.core.coding import strength_of
from tests.policies.moments import Moment

Values = tuple[str, tuple[int, ...]]


def contest(otherwise: Fraction, tries: list[tuple[bool, Fraction]]) -> Fraction:
    """The chance that a side wins, if those who try do so as (own side, chance of success).

    If any succeeds, the win is anyone's in proportion to the chances; if none, `otherwise` holds.
    """
    none = prod((1 - chance for _, chance in tries), start=Fraction(1))
    total = sum(chance for _, chance in tries)
    if total == 0:
        return otherwise
    return none * otherwise + (1 - none) * sum(chance for own, chance in tries if own) / total


def chance_bucket(chance: Fraction) -> int:
    """0 below 1/202, 9 from 201/202 on, eight alike between."""
    return floor(chance * Fraction(808, 100) + Fraction(96, 100))


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
        """The cards of a suit."""
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

    def above(self, card: Card) -> int:
        """Unseen cards that are higher in the card's suit."""
        return sum(outranks(c, card, self.contract) for c in self.of(self.unseen, card.suit))

    def points(self, cards: Iterable[Card]) -> int:
        """Card points."""
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

    def outcome(self, card: Card) -> tuple[Fraction, Fraction]:
        """The chances that the own side wins the trick after a card, and that the card does."""
        moment = self.moment
        cards = (*moment.trick, card)
        led, trump = cards[0].suit, self.contract
        winner, best = moment.winner(moment.leader, cards)
        higher = {c for c in self.unseen if moment.winner(0, (*cards, c))[1] == c}
        overs = self.of(higher, led)
        before = [seat for seat in self.others if seat not in self.behind]
        kept = floor(self._hidden(led, before) * Fraction(HELD_BACK_SHARE) + Fraction(1, 2))
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

    def relation(self) -> int:
        """Return the relation of the Sender to the player."""
        sender = self.moment.sender
        if sender == self.moment.seat:
            return 0
        return (1 if sender in self.partners else 3) + (sender not in self.behind)

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

    def card(self, card: Card) -> list[Values]:
        """The card features, in order."""
        moment, hand = self.moment, self.moment.hand
        own = self.of(hand, card.suit)
        rest = own - {card}
        leads = self.position == 0
        climbs = is_trump(card, self.contract)
        if leads:
            play = 1 if climbs else 0
        elif card.suit == moment.trick[0].suit:
            play = 3 if climbs else 2
        else:
            play = 4 if card.suit == self.contract else 5
        beats = moment.winner(0, (*moment.trick, card))[1] == card
        after = 3 if leads else 2
        if not beats:
            winner, _ = moment.winner(moment.leader, moment.trick)
            after = 0 if self.teams[winner] == moment.own_team else 1
        side_wins, card_wins = self.outcome(card)
        chance = chance_bucket(side_wins)
        worth = points_bucket(self.points((*moment.trick, card)))
        masters = {c for c in hand if self.above(c) == 0}
        best = max(rest, key=self.rank, default=None)
        highest = 0 if best is None else 1 + min(self.above(best), 2)
        unseen_trumps = len(self.of(self.unseen, self.contract))
        trumps = len(self.of(hand - {card}, self.contract))
        phase = (0, 0, 0, 1, 1, 2, 2, 2)[self.number]
        marriage = 0
        if climbs:
            court = [Card(rank, card.suit) for rank in "JQK"]
            held = sum((c in hand) << k for k, c in enumerate(court))
            gone = sum((c in self.gone) << k for k, c in enumerate(court[1:]))
            which = 1 + "JQK".index(card.rank) if card.rank in "JQK" else 0
            marriage = 1 + held * 16 + gone * 4 + which
        void = [seat for seat in self.others if self.lacks(seat, card.suit)]
        rank, above, master = self.rank(card), self.above(card), card in masters
        left = min(len(masters - {card}), 4)
        led = self.of(self.unseen, card.suit if leads else moment.trick[0].suit)
        mean = Fraction(self.points(led), len(led) or 1)
        touching = rank + 1 in map(self.rank, rest)
        under_master, unguarded = False, 0
        if best is not None and self.rank(best) > rank:
            guards, threats = len(rest) - 1, self.above(best)
            under_master = threats == 0
            unguarded = points_bucket(self.points([best])) if guards < threats else 0
        return [
            ("rank", (play, rank, self.contracting)),
            ("above", (play, min(above, 5), phase)),
            ("trick", (after, chance, worth)),
            ("chance", (rank, chance, climbs)),
            ("left", (play, min(len(rest), 4), highest)),
            ("trumps", (play, min(trumps, 5), sum(unseen_trumps >= b for b in (1, 3, 6)))),
            ("sender", (play, self.relation(), beats)),
            ("marriage", (marriage,)),
            (
                "suit",
                (
                    leads,
                    min(len(own), 6) - 1,
                    min(above, 3),
                    min(len(set(void) & set(self.opponents)), 2),
                    min(len(set(void) & set(self.partners)), 2),
                ),
            ),
            ("needed", (self.needed(), chance, self.contracting)),
            ("moment", (self.number, self.position, play, beats)),
            ("capot", (self.capot(), play, beats, master)),
            ("masters", (play, left, master)),
            ("card", (self.slots[card.suit], rank)),
            ("cash", (chance_bucket(card_wins), left, leads, unseen_trumps == 0)),
            ("haul", (chance, sum(mean >= b for b in (1, 3, 5, 8, 12)), len(self.behind))),
            ("guard", (play, touching, under_master, unguarded)),
            ("undrawn", (play, points_bucket(self.points([card])), min(unseen_trumps, 7))),
        ]

    def shared(self) -> list[Values]:
        """The shared features, in any order."""
        moment, record = self.moment, self.moment.record
        found: list[Values] = []
        for suit, slot in self.slots.items():
            lane = sorted((c for c in PACK if c.suit == suit), key=self.rank)
            for group in range(3):
                cards = lane[4 * group : 4 * group + 4]
                state = sum(
                    3**k * (1 if c in moment.hand else 2 if c in self.gone else 0)
                    for k, c in enumerate(cards)
                )
                found.append(("cards", (slot, group, state)))
            own, unseen = len(self.of(moment.hand, suit)), len(self.of(self.unseen, suit))
            found.append(("lanes", (slot, min(own, 6), unseen)))
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
