"""The referee of Kwajongen."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kqj_sim.cards import SUITS, Card
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.record import Call
from kqj_sim.referee import base
from kqj_sim.referee.base import FinalContract, PlayedTrick, RoundScore

# The rules of Kwajongen: the pack, the calls, the play and the score (docs/kwajongen_rules.md).

SEATS, TEAMS, TRICKS = KwajongenRules.seats, KwajongenRules.team_count, KwajongenRules.tricks

ORDER = KwajongenRules.ranks
"""The ranks from high to low, the same in every suit, trump too."""

PACK = tuple(Card(rank, suit) for suit in SUITS for rank in ORDER)
CARD_OF_TEXT = {str(card): card for card in PACK}
POINTS = {"A": 4, "K": 3, "Q": 2, "J": 1}
"""The points of the cards by rank; those of all 24 make 40."""


class KwajongenCalling(base.Calling):
    """The calls of a round so far; `upcard` is the dealer's card, whose suit is trump."""

    examples = "pass or play"

    def __init__(self, dealer: int, upcard: Card) -> None:
        super().__init__(SEATS, dealer)
        self.upcard = upcard

    @property
    def is_closed(self) -> bool:
        """True if no seat has another turn: one said play, or all four passed."""
        return len(self.calls) == SEATS or self.final_contract() is not None

    @property
    def remaining_passes(self) -> int:
        return 0 if self.is_closed else SEATS - len(self.calls)

    def final_contract(self) -> FinalContract | None:
        """Return the seat that said play, with the trump suit; None if none did."""
        callers = (call.seat for call in self.calls if call.call == "play")
        return next((FinalContract(seat, self.upcard.suit) for seat in callers), None)

    def explain_illegal_call(self, call: Call) -> str | None:
        if call.call not in ("pass", "play"):
            return f"there is no {call.call}: pass or play"
        if (call.amount, call.contract, call.capot) != (None, None, None):
            return f"the call {call.call} has no details"
        if self.is_closed:
            return "the calling is already closed"
        if call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}"
        return None


def beats_master(card: Card, master: Card, trump: str) -> bool:
    """Return True if a card played later takes the trick from the master."""
    if card.suit == master.suit:
        return ORDER.index(card.rank) < ORDER.index(master.rank)
    return card.suit == trump


def score_totals(
    caller_team: int, card_points: Sequence[int], trick_counts: Sequence[int], raised: int
) -> RoundScore:
    """Score a round from the card points and tricks of each team; `raised` is 0 or 1."""
    other_team = 1 - caller_team
    scores = [0, 0]
    if card_points[0] != card_points[1]:
        winner = 0 if card_points[0] > card_points[1] else 1
        scores[winner] = -1 - raised - (1 if trick_counts[winner] == TRICKS else 0)
    if card_points[caller_team] > card_points[other_team]:
        result = "made"
    else:
        result = "tie" if card_points[0] == card_points[1] else "failed"
        scores[caller_team] = 1
    totals = list(card_points)
    return RoundScore(totals, list(trick_counts), [], totals, result, [0, 0], 0, scores)


class KwajongenReferee(base.Referee):
    """The rules of Kwajongen (docs/kwajongen_rules.md)."""

    pack = PACK
    card_by_text = CARD_OF_TEXT
    upcard_name = "the dealer's card"
    upcard_rule = "one of the dealer's cards is turned up"
    has_upcard = True
    names_contract = False
    question = "accept"
    dealt_count = KwajongenRules.tricks

    def __init__(self, rules: KwajongenRules) -> None:
        self.rules: KwajongenRules = rules

    def find_upcard_seat(self, dealer: int, sender: int | None) -> int | None:
        """Return the dealer, who keeps the card."""
        return dealer

    def start_calling(
        self, dealer: int, teams: Sequence[int], upcard: Card | None
    ) -> KwajongenCalling:
        assert upcard is not None
        return KwajongenCalling(dealer, upcard)

    def explain_wrong_score(self, score: int) -> str | None:
        """Return None: scores have no upper limit, and the last one may be negative."""
        return None

    def explain_wrong_pending(self, pending: int) -> str | None:
        """Return the reason if this does not say whether the round is raised."""
        is_wrong = pending not in (0, 1)
        return f"{pending} is not 1 if the round is raised, else 0" if is_wrong else None

    def _explain_wrong_details(self, final: FinalContract, upcard: Card | None) -> str | None:
        if upcard is None or final.contract != upcard.suit:
            return f"contract: {final.contract!r:.20} is not the suit of the dealer's card"
        if (final.amount, final.capot, final.stake) != (None, False, 1):
            return "amount, Capot and stake belong to auctions: leave them out"
        return None

    def list_legal_cards(
        self,
        hand: Collection[Card],
        trick: Sequence[Card],
        leader: int,
        teams: Sequence[int],
        contract: str,
    ) -> set[Card]:
        """Return the legal cards, for which leader and teams do not matter."""
        if not trick:
            return set(hand)
        following = {card for card in hand if card.suit == trick[0].suit}
        if following:
            return following
        trumps = {card for card in hand if card.suit == contract}
        if trumps and self.rules.void_rule == "must_trump":
            return trumps
        return set(hand)

    def find_trick_winner(self, leader: int, trick: Sequence[Card], contract: str) -> int:
        return (leader + base.find_master_index(trick, contract, beats_master)) % SEATS

    def list_ranks(self, suit: str, contract: str | None) -> str:
        """Return the ranks, the same in every suit."""
        return self.rules.ranks

    def card_points(self, card: Card, contract: str) -> int:
        """Return the points of a card, the same in every contract."""
        return POINTS.get(card.rank, 0)

    def score_round(
        self,
        teams: Sequence[int],
        final: FinalContract,
        hands: Sequence[Collection[Card]],
        tricks: Sequence[PlayedTrick],
        pending: int,
    ) -> RoundScore:
        """Score a round; a raised one counts for more."""
        points, counts = self.sum_tricks(tricks, teams, final.contract)
        return score_totals(teams[final.sender], points, counts, pending)

    def score_passed_out(self, pending: int) -> RoundScore:
        """Return the score of a round in which all passed: the next one is raised."""
        zeros = [0] * TEAMS
        return RoundScore(zeros, zeros, [], zeros, "passed_out", zeros, 1, zeros)

    def find_next_dealer(self, dealer: int, is_passed_out: bool) -> int:
        """Return the next dealer: the same one if all passed, else the next in turn."""
        return dealer if is_passed_out else (dealer + 1) % SEATS

    def add_scores(
        self, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
    ) -> list[int]:
        return [score + change for score, change in zip(before, scores, strict=True)]

    def is_decided(self, game_scores: Sequence[int]) -> bool:
        """Return True if the game is over: a team is at 0 or below.

        No round brings both teams down, so that the winner is unique.
        """
        return min(game_scores) <= 0
