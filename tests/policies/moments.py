"""The moments of recorded rounds at which a player chooses a card, with the view there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from kqj_sim.cards import CONTRACTS, Card, parse_card
from kqj_sim.core import cards as points
from kqj_sim.core.cards import PACK as ALL_CARDS
from kqj_sim.core.cards import TOP_SUIT
from kqj_sim.core.views import CardView
from kqj_sim.imposed import ImposedContract
from kqj_sim.record import Record
from kqj_sim.referee.kqj import list_legal_cards, outranks
from kqj_sim.simulation.recording import play_records
from tests.core.coding import strength_of
from tests.variants import AUCTION_2, AUCTION_3, TAKE_2, TAKE_3, lively

SEATS = range(6)


class Moment(NamedTuple):
    """A player's turn, in sets of cards, by seats; finished tricks as (leader, cards)."""

    record: Record
    seat: int
    hand: frozenset[Card]
    legal: frozenset[Card]
    finished: tuple[tuple[int, tuple[Card, ...]], ...]
    leader: int
    trick: tuple[Card, ...]

    @property
    def contract(self) -> str:
        assert self.record.contract is not None
        return self.record.contract

    @property
    def sender(self) -> int:
        assert self.record.sender is not None
        return self.record.sender

    @property
    def position(self) -> int:
        """The player's position in the trick."""
        return len(self.trick)

    @property
    def card(self) -> Card:
        return parse_card(self.record.tricks[len(self.finished)].cards[self.position])

    @property
    def own_team(self) -> int:
        return self.record.teams[self.seat]

    def winner(self, leader: int, cards: tuple[Card, ...]) -> tuple[int, Card]:
        """Return the seat that is winning a trick so far, and its card."""
        best = 0
        for number, card in enumerate(cards):
            same = card.suit == cards[best].suit
            better = same and outranks(card, cards[best], self.contract)
            trumped = card.suit == self.contract and cards[best].suit != self.contract
            best = number if better or trumped else best
        return (leader + best) % 6, cards[best]

    def won(self, team: int) -> set[Card]:
        """The cards of the finished tricks that a team has won."""
        tricks = self.finished
        return {c for t in tricks if self.record.teams[self.winner(*t)[0]] == team for c in t[1]}

    def known_void(self, seat: int, suit: str) -> bool:
        """Return True if a player did not follow suit in a finished trick."""
        return any(
            cards[0].suit == suit and cards[(seat - leader) % 6].suit != suit
            for leader, cards in self.finished
        )


def moments(record: Record) -> Iterator[Moment]:
    """Every turn of a round, but for those of the last trick."""
    assert record.hands is not None and record.contract is not None
    held = [{parse_card(text) for text in hand} for hand in record.hands]
    finished: list[tuple[int, tuple[Card, ...]]] = []
    for trick in record.tricks[:-1]:
        cards: list[Card] = []
        for position, text in enumerate(trick.cards):
            seat = (trick.leader + position) % 6
            hand = held[seat]
            legal = list_legal_cards(hand, cards, trick.leader, record.teams, record.contract)
            yield Moment(
                record, seat, frozenset(hand), frozenset(legal), tuple(finished), trick.leader,
                tuple(cards),
            )  # fmt: skip
            cards.append(parse_card(text))
            hand.remove(cards[-1])
        finished.append((trick.leader, tuple(cards)))


def view_of(moment: Moment) -> CardView:
    """Return the view of a policy at a moment, with random bits of 0."""
    record, contract = moment.record, moment.contract
    coded = strength_of(contract)
    lanes = {card.suit: (bit.bit_length() - 1) // 16 for card, bit in coded.items()}
    opener = (record.dealer + 1) % 6
    number = CONTRACTS.index(contract)
    trumps = TOP_SUIT if number < 4 else 0
    planes = points.SUIT_PLANES
    if number >= 4:
        planes = points.ALL_TRUMPS_PLANES if contract == "AT" else points.NO_TRUMP_PLANES

    def bits(cards: Iterable[Card]) -> int:
        return sum(coded[card] for card in cards)

    players = 0
    for position in SEATS:
        seat = (moment.leader + position) % 6
        voids = sum(moment.known_void(seat, suit) << lane for suit, lane in lanes.items())
        players |= (record.teams[seat] | voids << 5) << 9 * position
    led, master, winning, partner = 0, 0, -1, False
    if moment.trick:
        suit = moment.trick[0].suit
        led = 0xFFF << 16 * lanes[suit]
        seat, card = moment.winner(moment.leader, moment.trick)
        master, partner = coded[card], record.teams[seat] == moment.own_team
        winning = bits(
            other for other in coded
            if moment.winner(0, (*moment.trick, other))[1] == other and other not in moment.trick
        )  # fmt: skip
    contracting = record.teams[moment.sender]
    return CardView(
        hand=bits(moment.hand), legal=bits(moment.legal),
        trick_number=len(moment.finished), position=moment.position,
        led=led, trumps=trumps, climbing=ALL_CARDS if contract == "AT" else trumps,
        winning=winning, master=master, partner_is_master=int(partner), trick=bits(moment.trick),
        played=bits(card for _, cards in moment.finished for card in cards),
        won=bits(moment.won(moment.own_team)), won_contracting=bits(moment.won(contracting)),
        turned=0 if record.turned is None else coded[parse_card(record.turned)],
        **{f"points_{1 << k}": int(plane) for k, plane in enumerate(planes)},
        players=players, leader=(moment.leader - opener) % 6, sender=(moment.sender - opener) % 6,
        contracting=int(contracting == moment.own_team), contract=number,
        amount=record.amount or 0, capot=int(record.capot), stake=record.stake,
        team_count=len(set(record.teams)), random=0,
    )  # fmt: skip


TURN_RULES = {
    "take-2": TAKE_2, "take-3": TAKE_3, "auction-2": AUCTION_2, "auction-3-random": AUCTION_3,
}  # fmt: skip
"""The variants of `iterate_turns`, by name."""


@cache
def play_rounds(name: str) -> list[Record]:
    """Play some rounds of a variant, with contracts called and imposed."""
    rules = TURN_RULES[name]
    amount = None if rules.bidding == "take" else rules.minimum_bid
    imposed = [ImposedContract(place, c, amount) for place, c in ((0, "NT"), (3, "AT"), (5, "c"))]
    experiments = [lively(rules, deals=8), *(lively(rules, deals=2, imposed=i) for i in imposed)]
    return [r for each in experiments for r in play_records(each) if r.contract is not None]


def iterate_turns(name: str) -> Iterator[tuple[Moment, CardView]]:
    """Yield every turn to play of the rounds of a variant, with the view of its player."""
    for record in play_rounds(name):
        for moment in moments(record):
            yield moment, view_of(moment)
