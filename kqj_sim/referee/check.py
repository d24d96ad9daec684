"""Holding round records against the rules.

Everything a record says follows from a few of its keys: the rules, the dealer, the teams,
the cards dealt, the calls and the cards played.  The checks replay the round from these and
tell where the other keys say something else.  A stage whose own matter is unsound ends the
check, since what comes after it could not be replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kqj_sim.notation import Card
from kqj_sim.record import Record, RecordError, Trick, from_json, to_json
from kqj_sim.referee.calling import Called, Calling
from kqj_sim.referee.cards import CARD_OF_TEXT
from kqj_sim.referee.play import PlayedTrick, legal_cards, trick_winner
from kqj_sim.referee.scoring import (
    TRICKS,
    RoundScore,
    add_scores,
    is_decided,
    passed_out,
    score_round,
)
from kqj_sim.rules import SEATS, KqjRules


def check_record(record: Record) -> list[str]:
    """Every discrepancy of a record with the rules, one line each; none gives [].

    Takes whatever a Record can be made to hold and raises nothing.
    """
    try:
        # A record made in Python may hold anything: its way through JSON shows that.
        record = from_json(to_json(record))
        rules = record.game_rules()
        if not isinstance(rules, KqjRules):
            return [f"game: the referee knows the rules of kqj only, not of {record.game}"]
    except RecordError as error:
        return [str(error)]
    return _RoundCheck(record, rules).run()


def check_records(
    records: Iterable[tuple[int, Record | RecordError]],
) -> Iterator[tuple[int, str]]:
    """Every discrepancy of a file of records, with its line number.

    Takes what `read_records` gives.  Besides each record by itself this checks that rounds of
    one game (same seed and `game_id`) on consecutive lines follow from each other.
    """
    before: Record | None = None
    for line, record in records:
        if isinstance(record, RecordError):
            yield line, str(record)
            before = None
            continue
        for discrepancy in check_record(record):
            yield line, discrepancy
        if before is not None:
            for discrepancy in _continuity(before, record):
                yield line, discrepancy
        before = record


def _continuity(before: Record, after: Record) -> Iterator[str]:
    """What does not follow, if both rounds belong to one game."""
    if after.game != "kqj" or after.game_id is None or after.round == 0:
        return
    if (before.game, before.seed, before.game_id) != (after.game, after.seed, after.game_id):
        return
    source = "the line before"
    next_round = None if before.round is None else before.round + 1
    yield from _differs("round", after.round, next_round, source)
    yield from _differs("rules", after.rules, before.rules, source)
    yield from _differs("players", after.players, before.players, source)
    yield from _differs("dealer", after.dealer, (before.dealer + 1) % SEATS, source)
    yield from _differs("pending_before", after.pending_before, before.pending_after, source)
    yield from _differs("score_before", after.score_before, before.score_after, source)


def _differs(key: str, said: object, right: object, source: str) -> Iterator[str]:
    if said != right:
        yield f"{key}: {_show(said)}, by {source} {_show(right)}"


def _show(value: object) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


class _Unsound(Exception):
    """A discrepancy after which the round cannot be replayed further."""


class _RoundCheck:
    """The check of one record; `found` gathers the discrepancies."""

    def __init__(self, record: Record, rules: KqjRules) -> None:
        self.record = record
        self.rules = rules
        self.found: list[str] = []

    def run(self) -> list[str]:
        try:
            self.check_frame()
            self.teams = self.checked_teams()
            self.check_game()
            dealt, turned = self.checked_deal()
            called = self.checked_calling(turned)
            if called is None:
                self.compare("hands", self.record.hands, None, "a round passed out")
                self.compare("tricks", self.record.tricks, [], "a round passed out")
                score = passed_out(self.rules, self.record.pending_before)
            else:
                hands = self.checked_hands(dealt, turned, called)
                tricks = self.checked_tricks(hands, called)
                pending = self.record.pending_before
                score = score_round(self.rules, self.teams, called, hands, tricks, pending)
            self.check_score(score)
        except _Unsound as discrepancy:
            self.found.append(str(discrepancy))
        return self.found

    def compare(self, key: str, said: object, right: object, source: str = "the rules") -> None:
        self.found += _differs(key, said, right, source)

    def check_frame(self) -> None:
        """The keys from which nothing in the round follows."""
        record = self.record
        counts = {
            "seed": record.seed,
            "deal": record.deal,
            "game_id": record.game_id,
            "round": record.round,
        }
        for key, count in counts.items():
            if count is not None and count < 0:
                self.found.append(f"{key}: {_show(count)} is not 0 or more")
        self.compare("players: their number", len(record.players), SEATS)
        self.check_points("pending_before", [record.pending_before])

    def check_points(self, key: str, points: Sequence[int]) -> None:
        if any(number < 0 or number % 10 for number in points):
            self.found.append(f"{key}: not a multiple of 10, 0 or more, in {_show(points)}")

    def checked_teams(self) -> list[int]:
        """Section 2: the dealer and the teams."""
        record, rules = self.record, self.rules
        if not 0 <= record.dealer < SEATS:
            raise _Unsound(f"dealer: {_show(record.dealer)} is not a seat from 0 to 5")
        fixed = [rules.fixed_team_of(seat) for seat in range(SEATS)]
        if rules.partners == "fixed":
            self.compare("teams", record.teams, fixed)
            return fixed
        if sorted(record.teams) != sorted(fixed):
            raise _Unsound(
                f"teams: {_show(record.teams)} does not split the six seats into "
                f"{rules.team_count} equal teams"
            )
        return record.teams

    def check_game(self) -> None:
        """Section 8: the game that the round belongs to."""
        record, rules = self.record, self.rules
        before, after = record.score_before, record.score_after
        keys = (record.game_id, record.round, before, after)
        if all(key is None for key in keys):
            return
        if before is None or after is None or None in keys:
            self.found.append(
                "game_id: given with round, score_before and score_after, or all four are null"
            )
            return
        if len(before) != rules.score_count:
            self.compare("score_before: its length", len(before), rules.score_count)
            return
        self.check_points("score_before", before)
        if record.round == 0:
            start = [0] * rules.score_count
            self.compare("score_before", before, start, "the start of a game")
            self.compare("pending_before", record.pending_before, 0, "the start of a game")
        if is_decided(rules, before):
            self.found.append(f"score_before: with {_show(before)} the game was decided before")
        if len(record.scores) == rules.team_count:
            right = add_scores(rules, before, self.teams, record.scores)
            self.compare("score_after", after, right, "score_before and scores")

    def checked_deal(self) -> tuple[list[set[Card]], Card | None]:
        """Sections 3 and 4: the cards held before the bidding, and the Return."""
        turned = self.record.turned
        if self.rules.bidding == "auction":
            self.compare("turned", turned, None, "auctions")
            return _hands("dealt", self.record.dealt, TRICKS), None
        dealt = _hands("dealt", self.record.dealt, 5)
        if turned is None:
            raise _Unsound("turned: null, with taking there is a Return")
        returned = _card("turned", turned)
        if any(returned in hand for hand in dealt):
            raise _Unsound(f"turned: {turned} is among the cards dealt")
        return dealt, returned

    def checked_calling(self, turned: Card | None) -> Called | None:
        """Sections 3 and 4: the calls; gives what they came to, None if all passed."""
        record = self.record
        if record.imposed:
            return self.checked_imposed()
        calling = Calling(self.rules, record.dealer, self.teams, turned)
        for number, call in enumerate(record.calls):
            reason = calling.why_illegal(call)
            if reason is not None:
                self.found.append(f"calls[{number}]: {reason}")
                return self.stated_call()
            calling.add(call)
        if not calling.is_closed:
            self.found.append(f"calls: not closed, seat {calling.turn} has yet to speak")
            return self.stated_call()
        called = calling.called()
        sender, contract, amount, capot, stake = called or (None, None, None, False, 1)
        self.compare("sender", record.sender, sender, "the calls")
        self.compare("contract", record.contract, contract, "the calls")
        self.compare("amount", record.amount, amount, "the calls")
        self.compare("capot", record.capot, capot, "the calls")
        self.compare("stake", record.stake, stake, "the calls")
        return called

    def checked_imposed(self) -> Called:
        """An imposed contract: nobody calls, so that Capot and counters do not arise."""
        self.compare("calls", self.record.calls, [], "an imposed contract")
        self.compare("capot", self.record.capot, False, "an imposed contract")
        self.compare("stake", self.record.stake, 1, "an imposed contract")
        called = self.stated_call()
        if called is None:
            raise _Unsound("sender: null, an imposed contract has a Sender")
        return called._replace(capot=False, stake=1)

    def stated_call(self) -> Called | None:
        """What the record says the calling came to, where no calls tell it."""
        record, rules = self.record, self.rules
        if record.sender is None:
            return None
        if not 0 <= record.sender < SEATS:
            raise _Unsound(f"sender: {_show(record.sender)} is not a seat from 0 to 5")
        if record.contract not in rules.contracts:
            right = " ".join(rules.contracts)
            raise _Unsound(f"contract: {_show(record.contract)} is not one of {right}")
        if rules.bidding == "take":
            self.compare("amount", record.amount, None, "taking")
            return Called(record.sender, record.contract)
        amount = record.amount
        if amount is None or amount % 10 or not rules.minimum_bid <= amount <= rules.max_amount:
            raise _Unsound(
                f"amount: {_show(amount)} is not a multiple of 10 from {rules.minimum_bid} to "
                f"{rules.max_amount}"
            )
        return Called(record.sender, record.contract, amount, record.capot, record.stake)

    def checked_hands(
        self, dealt: list[set[Card]], turned: Card | None, called: Called
    ) -> list[set[Card]]:
        """Sections 3 and 4: the eight cards of each seat, which hold those dealt."""
        if self.record.hands is None:
            raise _Unsound("hands: null, but the round was not passed out")
        hands = _hands("hands", self.record.hands, TRICKS)
        for seat in range(SEATS):
            known = dealt[seat] | {turned} if turned and seat == called.sender else dealt[seat]
            missing = ", ".join(sorted(str(card) for card in known - hands[seat]))
            if missing:
                raise _Unsound(f"hands: seat {seat} lacks what it was given: {missing}")
        return hands

    def checked_tricks(self, hands: list[set[Card]], called: Called) -> list[PlayedTrick]:
        """Section 5: eight tricks, each card held and legal, leaders and winners."""
        held = [set(hand) for hand in hands]
        if len(self.record.tricks) != TRICKS:
            raise _Unsound(f"tricks: {len(self.record.tricks)}, by the rules {TRICKS}")
        leader = (self.record.dealer + 1) % SEATS
        played = []
        for number, trick in enumerate(self.record.tricks):
            where = f"tricks[{number}]"
            self.compare(f"{where}.leader", trick.leader, leader)
            cards = self.checked_cards(where, trick, leader, held, called.contract)
            winner = trick_winner(leader, cards, called.contract)
            self.compare(f"{where}.winner", trick.winner, winner)
            played.append(PlayedTrick(leader, cards, winner))
            leader = winner
        return played

    def checked_cards(
        self, where: str, trick: Trick, leader: int, held: list[set[Card]], contract: str
    ) -> tuple[Card, ...]:
        """The cards of a trick, which are taken from those `held`."""
        if len(trick.cards) != SEATS:
            raise _Unsound(f"{where}.cards: {len(trick.cards)}, by the rules {SEATS}")
        cards: list[Card] = []
        for place, text in enumerate(trick.cards):
            seat = (leader + place) % SEATS
            card = _card(f"{where}.cards", text)
            if card not in held[seat]:
                raise _Unsound(f"{where}.cards: seat {seat} does not hold {card}")
            legal = legal_cards(held[seat], cards, leader, self.teams, contract)
            if card not in legal:
                right = " ".join(sorted(str(card) for card in legal))
                self.found.append(f"{where}.cards: seat {seat} may play {right}, not {card}")
            held[seat].remove(card)
            cards.append(card)
        return tuple(cards)

    def check_score(self, score: RoundScore) -> None:
        """Sections 6 and 7: points, bonuses, result and scores."""
        for key, right in score._asdict().items():
            said = getattr(self.record, key)
            if key == "bonuses":
                said, right = sorted(said, key=repr), sorted(right, key=repr)
            self.compare(key, said, right)


def _card(key: str, text: str) -> Card:
    card = CARD_OF_TEXT.get(text)
    if card is None:
        raise _Unsound(f"{key}: {_show(text)} is not a card: rank and suit, like Th")
    return card


def _hands(key: str, texts: Sequence[Sequence[str]], size: int) -> list[set[Card]]:
    """Six hands of `size` cards, all distinct."""
    if [len(hand) for hand in texts] != [size] * SEATS:
        raise _Unsound(f"{key}: {[len(hand) for hand in texts]} cards, by the rules 6 x {size}")
    cards = [[_card(key, text) for text in hand] for hand in texts]
    seen: set[Card] = set()
    for card in (card for hand in cards for card in hand):
        if card in seen:
            raise _Unsound(f"{key}: {card} is dealt twice")
        seen.add(card)
    return [set(hand) for hand in cards]
