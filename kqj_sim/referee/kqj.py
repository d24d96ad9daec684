"""The rules of KQJ in plain Python (docs/rules.md, sections 1 to 8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from kqj_sim.cards import CONTRACTS, RANKS, SUITS, Card
from kqj_sim.record import Bonus, Call
from kqj_sim.referee import base
from kqj_sim.referee.base import FinalContract, PlayedTrick, RoundScore
from kqj_sim.rules import SEATS, KqjRules

# The pack, the order of the ranks and the points (section 1).

PACK = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
CARD_OF_TEXT = {str(card): card for card in PACK}

# Ranks from high to low.
PLAIN_ORDER = "ATHKQJ987654"
TRUMP_ORDER = "987ATHKQJ654"

PLAIN_POINTS = {"A": 12, "T": 10, "H": 7, "K": 5, "Q": 4, "J": 3, "9": 2, "8": 1}
TRUMP_POINTS = {"9": 27, "8": 22, "7": 14, "A": 12, "T": 10, "H": 7, "K": 5, "Q": 4, "J": 3}
NO_TRUMP_POINTS = {"A": 20, "T": 17, "H": 7, "K": 5, "Q": 4, "J": 3, "9": 2, "8": 1}
ALL_TRUMPS_POINTS = {"9": 17, "8": 14, "7": 7, "A": 6, "T": 5, "H": 4, "K": 3, "Q": 2, "J": 1}


def is_trump(card: Card, contract: str) -> bool:
    """Return True if the card is a trump; at All-Trumps every card is one."""
    return contract == "AT" or card.suit == contract


def card_points(card: Card, contract: str) -> int:
    """Return the points of a card; those of all 48 cards make 236 in every contract."""
    if contract == "NT":
        return NO_TRUMP_POINTS.get(card.rank, 0)
    if contract == "AT":
        return ALL_TRUMPS_POINTS.get(card.rank, 0)
    if card.suit == contract:
        return TRUMP_POINTS.get(card.rank, 0)
    return PLAIN_POINTS.get(card.rank, 0)


def outranks(card: Card, other: Card, contract: str) -> bool:
    """Return True if the card is higher than another card of its suit."""
    order = TRUMP_ORDER if is_trump(card, contract) else PLAIN_ORDER
    return order.index(card.rank) < order.index(other.rank)


# Play of the cards: the master of a trick and the legal cards (section 5).


def beats_master(card: Card, master: Card, contract: str) -> bool:
    """Return True if a card played later takes the trick from the master."""
    if card.suit == master.suit:
        return outranks(card, master, contract)
    # Another suit beats the master only as the one trump suit; at AT and NT none does.
    return card.suit == contract


def find_current_master(trick: Sequence[Card], contract: str) -> int:
    """Return the position in the trick, from 0 for the lead, of the master so far."""
    return base.find_master_index(trick, contract, beats_master)


def find_trick_winner(leader: int, trick: Sequence[Card], contract: str) -> int:
    """Return the seat that wins a trick led by `leader`."""
    return (leader + find_current_master(trick, contract)) % SEATS


def list_legal_cards(
    hand: Collection[Card], trick: Sequence[Card], leader: int, teams: Sequence[int], contract: str
) -> set[Card]:
    """Return the cards of a hand that may be played next, `len(trick)` seats after the leader.

    `contract` is one of `s h d c NT AT`.
    """
    if not trick:
        return set(hand)
    led = trick[0]
    following = {card for card in hand if card.suit == led.suit}
    if following:
        if not is_trump(led, contract):
            return following
        played = [card for card in trick if card.suit == led.suit]
        higher = {
            card for card in following if all(outranks(card, other, contract) for other in played)
        }
        return higher or following
    master = find_current_master(trick, contract)
    player = (leader + len(trick)) % SEATS
    if teams[(leader + master) % SEATS] == teams[player]:
        return set(hand)
    trumping = {card for card in hand if beats_master(card, trick[master], contract)}
    return trumping or set(hand)


# Calling: taking, auctions, counters (sections 3 and 4).


class KqjCalling(base.Calling):
    """The calls of a round so far; `upcard` is the Return, None with auctions."""

    examples = "pass, take h, 120 h, 400 NT capot or counter"

    def __init__(
        self, rules: KqjRules, dealer: int, teams: Sequence[int], upcard: Card | None
    ) -> None:
        super().__init__(SEATS, dealer)
        self.rules = rules
        self.teams = teams
        self.upcard = upcard

    @property
    def last_bid(self) -> Call | None:
        """The last bid; None if there is none."""
        return next((call for call in reversed(self.calls) if call.call == "bid"), None)

    @property
    def lap(self) -> int:
        """The lap of the next call, from 1."""
        return len(self.calls) // SEATS + 1

    @property
    def lowest_amount(self) -> int:
        """The lowest amount of the next bid; above `max_amount` if no bid is possible."""
        return (
            self.rules.minimum_bid if self.last_bid is None else _require_amount(self.last_bid) + 10
        )

    @property
    def is_closed(self) -> bool:
        """True if no seat has another turn.

        A Capot bid may still be countered, and a counter overcountered.
        """
        if not self.calls:
            return False
        last = self.calls[-1]
        if self.rules.bidding == "take":
            return last.call == "take" or len(self.calls) == 2 * SEATS
        if last.call in ("counter", "overcounter"):
            return True
        if self.last_bid is None:
            return len(self.calls) == SEATS
        return self.last_bid.capot is True or self._count_passes(self.last_bid) == SEATS - 1

    @property
    def remaining_passes(self) -> int:
        """The number of passes that close the auction; without a bid, the lap."""
        if self.is_closed:
            return 0
        if self.last_bid is None:
            return SEATS - len(self.calls) % SEATS
        return SEATS - 1 - self._count_passes(self.last_bid)

    def _count_passes(self, bid: Call) -> int:
        return len(self.calls) - 1 - self.calls.index(bid)

    def list_repliers(self) -> list[int]:
        """Return the seats that are asked to counter the last bid, or to overcounter, in order.

        They begin with the seat after the bidder, or with the bidder.  Where counters are made in
        one's turn, and the bid is no Capot, nobody is asked to counter besides.
        """
        bid = self.last_bid
        if bid is None:
            return []
        is_countered = self.calls[-1].call == "counter"
        at_once = self.calls[-1] is bid and (self.rules.counter_timing == "any" or bid.capot)
        if not is_countered and not at_once:
            return []
        order = ((bid.seat + step) % SEATS for step in range(SEATS))
        own = self.teams[bid.seat]
        return [seat for seat in order if (self.teams[seat] == own) == is_countered]

    def final_contract(self) -> FinalContract | None:
        if self.rules.bidding == "take":
            last = self.calls[-1]
            return (
                FinalContract(last.seat, _require_contract(last)) if last.call == "take" else None
            )
        bid = self.last_bid
        if bid is None:
            return None
        stake = {"counter": 2, "overcounter": 4}.get(self.calls[-1].call, 1)
        return FinalContract(
            bid.seat, _require_contract(bid), _require_amount(bid), bid.capot is True, stake
        )

    def explain_illegal_call(self, call: Call) -> str | None:
        keys = (call.amount is not None, call.contract is not None, call.capot is not None)
        if call.call == "bid":
            if not all(keys):
                return "a bid has an amount, a contract and capot"
        elif keys != (False, call.call == "take", False):
            details = "a contract and no more" if call.call == "take" else "no details"
            return f"the call {call.call} has {details}"
        if self.rules.bidding == "take":
            if call.call not in ("pass", "take"):
                return f"with taking there is no {call.call}: pass or take"
        elif call.call in ("take", "play"):
            return f"with auctions there is no {call.call}: pass, bid, counter or overcounter"
        if call.call == "counter":
            return self._explain_illegal_counter(call)
        if call.call == "overcounter":
            return self._explain_illegal_overcounter(call)
        if self.is_closed:
            return "the calling is already closed"
        if call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}"
        if call.call == "take":
            return self._explain_illegal_take(_require_contract(call))
        if call.call == "bid":
            return self._explain_illegal_bid(call)
        return None

    def _explain_illegal_take(self, contract: str) -> str | None:
        allowed = {self.upcard.suit} if self.upcard is not None and self.lap == 1 else set(SUITS)
        if self.rules.all_no_trump == "both_laps" or (
            self.rules.all_no_trump == "second_lap" and self.lap == 2
        ):
            allowed |= {"NT", "AT"}
        if contract not in allowed:
            right = " ".join(c for c in CONTRACTS if c in allowed)
            return f"{contract!r:.20} cannot be taken in lap {self.lap}: {right} can"
        return None

    def _explain_illegal_bid(self, call: Call) -> str | None:
        contract, amount = _require_contract(call), _require_amount(call)
        if contract not in self.rules.contracts:
            return f"{contract!r:.20} cannot be bid: {' '.join(self.rules.contracts)} can"
        if amount % 10:
            return f"the amount {amount} is not a multiple of 10"
        if not self.lowest_amount <= amount <= self.rules.max_amount:
            return (
                f"the amount {amount} is not from {self.lowest_amount} to {self.rules.max_amount}"
            )
        return None

    def _explain_illegal_counter(self, call: Call) -> str | None:
        bid = self.last_bid
        if bid is None:
            return "there is no bid to counter"
        if not 0 <= call.seat < SEATS or self.teams[call.seat] == self.teams[bid.seat]:
            return f"seat {call.seat} is no opponent of the bidder, seat {bid.seat}"
        if self.calls[-1].call in ("counter", "overcounter"):
            return "the bid is already countered"
        if self.rules.counter_timing == "any" or bid.capot:
            if self.calls[-1] is not bid:
                return "a counter comes right after the bid"
        elif self.is_closed:
            return "the calling is already closed"
        elif call.seat != self.turn:
            return f"it is the turn of seat {self.turn}, not of {call.seat}, to counter"
        return None

    def _explain_illegal_overcounter(self, call: Call) -> str | None:
        bid = self.last_bid
        if bid is None or self.calls[-1].call != "counter":
            return "an overcounter comes right after a counter"
        if not 0 <= call.seat < SEATS or self.teams[call.seat] != self.teams[bid.seat]:
            return f"seat {call.seat} is not of the team of the bidder, seat {bid.seat}"
        return None


def _require_contract(call: Call) -> str:
    assert call.contract is not None
    return call.contract


def _require_amount(call: Call) -> int:
    assert call.amount is not None
    return call.amount


# Bonuses, totals, result and scores of a round, and the game (sections 6 to 8).

TRICKS = 8
LAST_TRICK, CAPOT, KQ, KQJ = 10, 154, 20, 50


def round_to_ten(total: int) -> int:
    """Return a total rounded to the nearest ten, 5 upwards."""
    return (total + 5) // 10 * 10


def find_bonuses(
    hands: Sequence[Collection[Card]],
    tricks: Sequence[PlayedTrick],
    teams: Sequence[int],
    contract: str,
) -> list[Bonus]:
    """Return the bonuses of eight played tricks; `hands` are the eight cards of each seat."""
    winner = teams[tricks[-1].winner]
    bonuses = [Bonus("last_trick", winner, LAST_TRICK)]
    if all(teams[trick.winner] == winner for trick in tricks):
        bonuses.append(Bonus("capot", winner, CAPOT))
    trick_of = {card: number for number, trick in enumerate(tricks) for card in trick.cards}
    trump_suits = {"AT": SUITS, "NT": ""}.get(contract, contract)
    for seat in range(SEATS):
        for suit in trump_suits:
            king, queen, jack = Card("K", suit), Card("Q", suit), Card("J", suit)
            if king not in hands[seat] or queen not in hands[seat]:
                continue
            if trick_of[king] > trick_of[queen]:
                continue
            if jack in hands[seat] and trick_of[queen] < trick_of[jack]:
                bonuses.append(Bonus("kqj", teams[seat], KQJ, seat, suit))
            else:
                bonuses.append(Bonus("kq", teams[seat], KQ, seat, suit))
    return bonuses


def round_gratuities(
    rules: KqjRules, card_points: Sequence[int], trick_counts: Sequence[int]
) -> list[int]:
    """Return the three-team gratuities of each team; with two teams there are none."""
    gratuities = [0] * rules.team_count
    if rules.team_count == 2:
        return gratuities
    for team in range(3):
        if trick_counts[team] == 0:
            gratuity = 60
        elif card_points[team] <= 20:
            gratuity = 20
        else:
            continue
        for other in range(3):
            if other != team:
                gratuities[other] += gratuity
    return gratuities


def judge_contract(
    rules: KqjRules,
    called: FinalContract,
    team: int,
    totals: Sequence[int],
    trick_counts: Sequence[int],
) -> str:
    """Return the result of the contract of `team`: "made", "failed" or "litigation"."""
    total = totals[team]
    best_other = max(points for other, points in enumerate(totals) if other != team)
    if called.amount is not None:
        reached = round_to_ten(total) if rules.amount_uses == "rounded" else total
        if reached < called.amount:
            return "failed"
        if called.capot and trick_counts[team] != TRICKS:
            return "failed"
        if not rules.must_outscore:
            return "made"
    if total == best_other:
        return "litigation"
    return "made" if total > best_other else "failed"


def score_totals(
    rules: KqjRules,
    teams: Sequence[int],
    called: FinalContract,
    card_points: Sequence[int],
    trick_counts: Sequence[int],
    bonuses: Sequence[Bonus],
    pending_before: int = 0,
) -> RoundScore:
    """Score a round from the card points, tricks (per team) and bonuses won in it."""
    totals = list(card_points)
    for bonus in bonuses:
        totals[bonus.team] += bonus.points
    sending = teams[called.sender]
    defending = [team for team in range(rules.team_count) if team != sending]
    result = judge_contract(rules, called, sending, totals, trick_counts)
    scores = [0] * rules.team_count
    gratuities = round_gratuities(rules, card_points, trick_counts)
    pending_after = 0
    if result == "litigation":
        pending_after = round_to_ten(totals[sending])
        winners = []
    elif result == "made":
        winners = [sending]
        scores[sending] = _compute_reward(called, totals[sending])
    else:
        best = max(totals[team] for team in defending)
        winners = [team for team in defending if totals[team] == best]
        for team in defending:
            scores[team] = _compute_reward(called, totals[team])
    for team in winners:
        gratuities[team] += pending_before
    for team in range(rules.team_count):
        scores[team] += gratuities[team]
    return RoundScore(
        list(card_points),
        list(trick_counts),
        list(bonuses),
        totals,
        result,
        gratuities,
        pending_after,
        scores,
    )


def _compute_reward(called: FinalContract, total: int) -> int:
    """Return the points of a winner: its total, or with auctions the amount times the stake."""
    return round_to_ten(total) if called.amount is None else called.amount * called.stake


# The referee of KQJ.


class KqjReferee(base.Referee):
    """The rules of KQJ (docs/rules.md, sections 1 to 8)."""

    pack = PACK
    card_by_text = CARD_OF_TEXT
    upcard_name = "the Return"
    upcard_rule = "with taking there is a Return"
    names_contract = True
    card_points = staticmethod(card_points)
    find_trick_winner = staticmethod(find_trick_winner)
    list_legal_cards = staticmethod(list_legal_cards)

    def __init__(self, rules: KqjRules) -> None:
        self.rules: KqjRules = rules

    @property
    def has_upcard(self) -> bool:
        """True with taking: the Return (section 3)."""
        return self.rules.bidding == "take"

    @property
    def dealt_count(self) -> int:
        """Five with taking, eight with auctions."""
        return 5 if self.rules.bidding == "take" else self.rules.tricks

    @property
    def question(self) -> Literal["take", "bid"]:
        return "take" if self.rules.bidding == "take" else "bid"

    def find_upcard_seat(self, dealer: int, sender: int | None) -> int | None:
        """Return the Sender, who takes the Return."""
        return sender

    def start_calling(self, dealer: int, teams: Sequence[int], upcard: Card | None) -> KqjCalling:
        return KqjCalling(self.rules, dealer, teams, upcard)

    def explain_wrong_score(self, score: int) -> str | None:
        """Return the reason if a score is not rounded to tens (section 7)."""
        is_wrong = score < 0 or score % 10
        return f"{score} is not a multiple of 10, 0 or more" if is_wrong else None

    def explain_wrong_pending(self, pending: int) -> str | None:
        """Return the reason if this is no litigation gratuity (section 7)."""
        return self.explain_wrong_score(pending)

    def _explain_wrong_details(self, final: FinalContract, upcard: Card | None) -> str | None:
        rules, amount = self.rules, final.amount
        if final.contract not in rules.contracts:
            return f"contract: {final.contract!r:.20} is not one of {' '.join(rules.contracts)}"
        if rules.bidding == "take":
            is_bid = amount is not None or final.capot or final.stake != 1
            return "amount, Capot and stake belong to auctions: leave them out" if is_bid else None
        low, high = rules.minimum_bid, rules.max_amount
        if amount is None or amount % 10 or not low <= amount <= high:
            return f"amount: {amount} is not a multiple of 10 from {low} to {high}"
        if final.stake not in (1, 2, 4):
            return f"stake: {final.stake} is not 1, 2 (countered) or 4 (overcountered)"
        return None

    def list_ranks(self, suit: str, contract: str | None) -> str:
        """Return the ranks of a suit, which differ for trumps."""
        return TRUMP_ORDER if contract in (suit, "AT") else PLAIN_ORDER

    def score_round(
        self,
        teams: Sequence[int],
        final: FinalContract,
        hands: Sequence[Collection[Card]],
        tricks: Sequence[PlayedTrick],
        pending: int,
    ) -> RoundScore:
        """Score a round (sections 6 and 7)."""
        points, counts = self.sum_tricks(tricks, teams, final.contract)
        bonuses = find_bonuses(hands, tricks, teams, final.contract)
        return score_totals(self.rules, teams, final, points, counts, bonuses, pending)

    def score_passed_out(self, pending: int) -> RoundScore:
        """Return the score of a round in which all passed: nobody scores."""
        zeros = [0] * self.rules.team_count
        return RoundScore(zeros, zeros, [], zeros, "passed_out", zeros, pending, zeros)

    def add_scores(
        self, before: Sequence[int], teams: Sequence[int], scores: Sequence[int]
    ) -> list[int]:
        """Return the game scores per team, or with random partners per seat."""
        if self.rules.partners == "random":
            return [before[seat] + scores[teams[seat]] for seat in range(SEATS)]
        return [before[team] + scores[team] for team in range(self.rules.team_count)]

    def is_decided(self, game_scores: Sequence[int]) -> bool:
        """Return True if one side alone has the best score, at least the target (section 8)."""
        best = max(game_scores)
        return best >= self.rules.target and list(game_scores).count(best) == 1

    def find_next_dealer(self, dealer: int, is_passed_out: bool) -> int:
        """Return the opener, who deals next in any case (section 2)."""
        return (dealer + 1) % SEATS
