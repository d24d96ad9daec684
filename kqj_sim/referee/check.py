"""Check round records, and files of them, by replaying the rounds.

A few keys determine a record: the rules, the dealer, the teams, the cards dealt, the calls and the
cards played.  A check replays the round from these and reports where the other keys differ.  A
step that cannot be replayed ends the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kqj_sim.cards import NUMBER_WORDS, Card
from kqj_sim.errors import RecordError
from kqj_sim.record import AnyRecord, PartialRecord, Record, Trick
from kqj_sim.referee.base import FinalContract, PlayedTrick, Referee, RoundScore, get_referee


def check_record(record: Record) -> list[str]:
    """Return the discrepancies of a record with the rules, one line each; [] if there are none.

    The types of its values are right, as `from_json` and `check_types` see to.
    """
    try:
        return _RoundCheck(record, get_referee(record.game_rules())).run()
    except RecordError as error:
        return [str(error)]


def check_records(
    records: Iterable[tuple[int, AnyRecord | RecordError]], before: Record | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the line number and text of every discrepancy of a file of records.

    Besides each record, check that rounds of one game (same seed and `game_id`) on consecutive
    lines follow from each other.

    Args:
        records: line numbers and records, as `notation.files.read_file` yields them; rounds of
            which not all is known were checked when they were read.
        before: the record on the line before the first; None if there is none.
    """
    for line, record in records:
        if isinstance(record, RecordError):
            yield line, str(record)
            before = None
            continue
        if isinstance(record, PartialRecord):
            before = None
            continue
        for discrepancy in check_record(record):
            yield line, discrepancy
        if before is not None:
            for discrepancy in _check_continuity(before, record):
                yield line, discrepancy
        before = record


def _check_continuity(before: Record, after: Record) -> Iterator[str]:
    """Yield the keys of a round that do not follow from the round before, if one game has both."""
    if after.game_id is None or after.round == 0:
        return
    if (before.game, before.seed, before.game_id) != (after.game, after.seed, after.game_id):
        return
    try:
        referee = get_referee(before.game_rules())
    except RecordError:
        return
    next_dealer = referee.find_next_dealer(before.dealer, before.sender is None)
    source = "the line before"
    next_round = None if before.round is None else before.round + 1
    yield from _compare("round", after.round, next_round, source)
    yield from _compare("rules", after.rules, before.rules, source)
    yield from _compare("players", after.players, before.players, source)
    yield from _compare("dealer", after.dealer, next_dealer, source)
    yield from _compare("pending_before", after.pending_before, before.pending_after, source)
    yield from _compare("score_before", after.score_before, before.score_after, source)


class _ReplayError(Exception):
    """A discrepancy that prevents replaying the rest of the round."""


def _compare(key: str, recorded: object, expected: object, source: str) -> Iterator[str]:
    """Yield a line that names the expected value if the recorded one differs."""
    if recorded != expected:
        yield f"{key}: {_format(recorded)}, by {source} {_format(expected)}"


def _format(value: object) -> str:
    """Return a value as text, cut at 200 characters."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


class _RoundCheck:
    def __init__(self, record: Record, referee: Referee) -> None:
        self.record, self.referee, self.rules = record, referee, referee.rules
        self.seats = referee.rules.seats
        self.discrepancies: list[str] = []

    def run(self) -> list[str]:
        record, referee = self.record, self.referee
        try:
            self.check_header()
            if not 0 <= record.dealer < self.seats:
                raise _ReplayError(
                    f"dealer: {_format(record.dealer)} is not a seat from 0 to {self.seats - 1}"
                )
            self.teams = self.check_teams()
            self.check_game()
            self.check_deal()
            final = self.check_calling()
            if final is None:
                self.compare("hands", record.hands, None, "a round passed out")
                self.compare("tricks", record.tricks, [], "a round passed out")
                score = referee.score_passed_out(record.pending_before)
            else:
                hands = self.check_hands(final)
                tricks = self.check_tricks(hands, final.contract)
                score = referee.score_round(self.teams, final, hands, tricks, record.pending_before)
            self.check_score(score)
        except _ReplayError as error:
            self.discrepancies.append(str(error))
        return self.discrepancies

    def compare(
        self, key: str, recorded: object, expected: object, source: str = "the rules"
    ) -> None:
        self.discrepancies += _compare(key, recorded, expected, source)

    def check_header(self) -> None:
        """Check the keys that do not bear on the round."""
        record = self.record
        counts = {
            "seed": record.seed,
            "deal": record.deal,
            "game_id": record.game_id,
            "round": record.round,
        }
        for key, count in counts.items():
            if count is not None and count < 0:
                self.discrepancies.append(f"{key}: {_format(count)} is not 0 or more")
        self.compare("players: their number", len(record.players), self.seats)
        reason = self.referee.explain_wrong_pending(record.pending_before)
        if reason is not None:
            self.discrepancies.append(f"pending_before: {reason}")

    def check_teams(self) -> list[int]:
        teams = self.record.teams
        fixed = [self.rules.fixed_team_of(seat) for seat in range(self.seats)]
        if self.rules.partners == "fixed":
            self.compare("teams", teams, fixed)
            return fixed
        if sorted(teams) != sorted(fixed):
            raise _ReplayError(
                f"teams: {_format(teams)} does not split the {NUMBER_WORDS[self.seats]} seats "
                f"into {self.rules.team_count} equal teams"
            )
        return teams

    def check_game(self) -> None:
        """Check the keys of the game to which the round belongs."""
        record = self.record
        before, after = record.score_before, record.score_after
        keys = (record.game_id, record.round, before, after)
        if all(key is None for key in keys):
            return
        if before is None or after is None or None in keys:
            self.discrepancies.append(
                "game_id: given with round, score_before and score_after, or all four are null"
            )
            return
        if len(before) != self.rules.score_count:
            self.compare("score_before: its length", len(before), self.rules.score_count)
            return
        reason = next(filter(None, map(self.referee.explain_wrong_score, before)), None)
        if reason is not None:
            self.discrepancies.append(f"score_before: {reason}")
        if record.round == 0:
            start = [self.rules.start_score] * self.rules.score_count
            self.compare("score_before", before, start, "the start of a game")
            self.compare("pending_before", record.pending_before, 0, "the start of a game")
        if self.referee.is_decided(before):
            self.discrepancies.append(
                f"score_before: with {_format(before)} the game was decided before"
            )
        if len(record.scores) == self.rules.team_count:
            expected = self.referee.add_scores(before, self.teams, record.scores)
            self.compare("score_after", after, expected, "score_before and scores")

    def parse_card(self, key: str, text: str) -> Card:
        """Return the card that a key names; raise _ReplayError if there is none."""
        card = self.referee.card_by_text.get(text)
        if card is None:
            raise _ReplayError(f"{key}: {_format(text)} is not a card: rank and suit, like Th")
        return card

    def parse_hands(self, key: str, texts: Sequence[Sequence[str]], size: int) -> list[set[Card]]:
        """Return the hand of each seat; raise _ReplayError unless each has `size` cards."""
        if [len(hand) for hand in texts] != [size] * self.seats:
            sizes = [len(hand) for hand in texts]
            raise _ReplayError(f"{key}: {sizes} cards, by the rules {self.seats} x {size}")
        cards = [[self.parse_card(key, text) for text in hand] for hand in texts]
        seen: set[Card] = set()
        for card in (card for hand in cards for card in hand):
            if card in seen:
                raise _ReplayError(f"{key}: {card} is dealt twice")
            seen.add(card)
        return [set(hand) for hand in cards]

    def check_deal(self) -> None:
        """Check the cards held before the calling, and the card turned up."""
        turned, referee = self.record.turned, self.referee
        if not referee.has_upcard:
            self.compare("turned", turned, None, "auctions")
        self.dealt = self.parse_hands("dealt", self.record.dealt, referee.dealt_count)
        self.upcard: Card | None = None
        if not referee.has_upcard:
            return
        if turned is None:
            raise _ReplayError(f"turned: null, {referee.upcard_rule}")
        self.upcard = self.parse_card("turned", turned)
        holder = referee.find_upcard_seat(self.record.dealer, None)
        if holder is None and any(self.upcard in hand for hand in self.dealt):
            raise _ReplayError(f"turned: {turned} is among the cards dealt")
        if holder is not None and self.upcard not in self.dealt[holder]:
            raise _ReplayError(f"turned: {turned} is not among the dealer's cards")

    def check_calling(self) -> FinalContract | None:
        """Check the calls and the contract; return it, or None if all passed."""
        record = self.record
        if record.imposed:
            self.compare("calls", record.calls, [], "an imposed contract")
            self.compare("capot", record.capot, False, "an imposed contract")
            self.compare("stake", record.stake, 1, "an imposed contract")
            final = self.read_contract()
            if final is None:
                raise _ReplayError("sender: null, a round with an imposed contract has one")
            return final._replace(capot=False, stake=1)
        calling = self.referee.start_calling(record.dealer, self.teams, self.upcard)
        for number, call in enumerate(record.calls):
            reason = calling.explain_illegal_call(call)
            if reason is not None:
                self.discrepancies.append(f"calls[{number}]: {reason}")
                return self.read_contract()
            calling.add(call)
        if not calling.is_closed:
            self.discrepancies.append(f"calls: not closed, seat {calling.turn} has yet to speak")
            return self.read_contract()
        final = calling.final_contract()
        values = (None, None, None, False, 1) if final is None else final
        for key, expected in zip(FinalContract._fields, values, strict=True):
            self.compare(key, getattr(record, key), expected, "the calls")
        return final

    def read_contract(self) -> FinalContract | None:
        """Return the contract under the record's keys; None without a Sender."""
        record = self.record
        if record.sender is None:
            return None
        if record.contract is None:
            raise _ReplayError("contract: null, but there is a Sender")
        final = FinalContract(
            record.sender, record.contract, record.amount, record.capot, record.stake
        )
        reason = self.referee.explain_wrong_contract(final, self.upcard)
        if reason is not None:
            raise _ReplayError(reason)
        return final

    def check_hands(self, final: FinalContract) -> list[set[Card]]:
        """Check that the hands with which play begins include the cards dealt; return them."""
        if self.record.hands is None:
            raise _ReplayError("hands: null, but the round was not passed out")
        hands = self.parse_hands("hands", self.record.hands, self.rules.tricks)
        holder = self.referee.find_upcard_seat(self.record.dealer, final.sender)
        for seat, hand in enumerate(hands):
            upcard = {self.upcard} if self.upcard and seat == holder else set()
            missing = (self.dealt[seat] | upcard) - hand
            if missing:
                cards = ", ".join(sorted(str(card) for card in missing))
                raise _ReplayError(f"hands: seat {seat} lacks what it was given: {cards}")
        return hands

    def check_tricks(self, hands: Sequence[set[Card]], contract: str) -> list[PlayedTrick]:
        """Check that each card is held and legal, and leaders and winners; return the tricks."""
        held = [set(hand) for hand in hands]
        if len(self.record.tricks) != self.rules.tricks:
            raise _ReplayError(
                f"tricks: {len(self.record.tricks)}, by the rules {self.rules.tricks}"
            )
        leader = (self.record.dealer + 1) % self.seats
        played = []
        for number, trick in enumerate(self.record.tricks):
            where = f"tricks[{number}]"
            self.compare(f"{where}.leader", trick.leader, leader)
            cards = self.check_trick_cards(where, trick, leader, held, contract)
            winner = self.referee.find_trick_winner(leader, cards, contract)
            self.compare(f"{where}.winner", trick.winner, winner)
            played.append(PlayedTrick(leader, cards, winner))
            leader = winner
        return played

    def check_trick_cards(
        self, where: str, trick: Trick, leader: int, held: list[set[Card]], contract: str
    ) -> tuple[Card, ...]:
        """Check the cards of a trick, remove them from `held` and return them."""
        if len(trick.cards) != self.seats:
            raise _ReplayError(f"{where}.cards: {len(trick.cards)}, by the rules {self.seats}")
        cards: list[Card] = []
        for place, text in enumerate(trick.cards):
            seat = (leader + place) % self.seats
            card = self.parse_card(f"{where}.cards", text)
            if card not in held[seat]:
                raise _ReplayError(f"{where}.cards: seat {seat} does not hold {card}")
            legal = self.referee.list_legal_cards(held[seat], cards, leader, self.teams, contract)
            if card not in legal:
                right = " ".join(sorted(str(card) for card in legal))
                self.discrepancies.append(
                    f"{where}.cards: seat {seat} may play {right}, not {card}"
                )
            held[seat].remove(card)
            cards.append(card)
        return tuple(cards)

    def check_score(self, score: RoundScore) -> None:
        for key, expected in score._asdict().items():
            recorded = getattr(self.record, key)
            if key == "bonuses":
                recorded, expected = sorted(recorded, key=repr), sorted(expected, key=repr)
            self.compare(key, recorded, expected)
