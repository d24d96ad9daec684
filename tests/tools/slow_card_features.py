"""The features of a card once more, slowly, from sets of cards: values of tables by name."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from kqj_sim.cards import Card
from kqj_sim.referee.kqj import is_trump, outranks
from tests.policies.slow_features import Slow, Values, points_bucket
from tools.feature_network import HELD_BACK_SHARE


def chance_bucket(chance: Fraction) -> int:
    """0 below 1/202, 9 from 201/202 on, eight alike between."""
    return floor(chance * Fraction(808, 100) + Fraction(96, 100))


class SlowCards(Slow):
    """A moment, and the features of the cards that may be played."""

    def above(self, card: Card) -> int:
        """Unseen cards that are higher in the card's suit."""
        return sum(outranks(c, card, self.contract) for c in self.of(self.unseen, card.suit))

    def relation(self) -> int:
        """Return the relation of the Sender to the player."""
        sender = self.moment.sender
        if sender == self.moment.seat:
            return 0
        return (1 if sender in self.partners else 3) + (sender not in self.behind)

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
        side_wins, card_wins = self.outcome(card, HELD_BACK_SHARE)
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
                (leads, min(len(own), 6) - 1, min(above, 3),
                 min(len(set(void) & set(self.opponents)), 2),
                 min(len(set(void) & set(self.partners)), 2)),
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
        ]  # fmt: skip
