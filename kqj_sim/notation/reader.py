"""The cards, calls and tricks of a round in the notation, checked against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from kqj_sim.cards import SUITS, Card
from kqj_sim.notation.cards import (
    WrittenTrick,
    parse_calling,
    parse_hands,
    parse_tricks,
    parse_upcard,
)
from kqj_sim.notation.header import join_text, parse_numbers, parse_teams
from kqj_sim.notation.sections import NotationLineError, RoundSections
from kqj_sim.places import SeatNames
from kqj_sim.record import PartialTrick, Trick
from kqj_sim.referee.base import Referee
from kqj_sim.referee.games import get_referee
from kqj_sim.referee.trick import PlayedTrick, RoundScore
from kqj_sim.rules import GameRules

_RESULT_WORDS = {
    "made": "made",
    "won": "made",
    "failed": "failed",
    "lost": "failed",
    "litigation": "litigation",
    "tie": "tie",
    "tied": "tie",
    "passed out": "passed_out",
    "passed": "passed_out",
}


class RoundReader:
    """The cards, calls and tricks of a round, checked against each other.

    Attributes:
        score: the score of the round; None if it is not over.
    """

    def __init__(
        self, sections: RoundSections, rules: GameRules, names: SeatNames, pending: int
    ) -> None:
        self.sections, self.rules, self.names = sections, rules, names
        self.referee = get_referee(rules)
        self.pending = pending
        self.seats = rules.seats
        self.teams = parse_teams(sections.get("teams"), rules, names)
        if not sections.get("teams") and rules.partners == "random":
            self._raise_missing_teams()
        self.upcard = parse_upcard(sections.get("return"), self.referee)
        self.hands = parse_hands(sections.get("hands"), self.referee, names, self.upcard)
        self.calling = parse_calling(
            sections.get("calls"), sections.get("contract"), self.referee, names, self.teams,
            self.upcard,
        )  # fmt: skip
        if self.calling is None and self.upcard is None and self.referee.has_upcard:
            raise NotationLineError(
                sections.line, f"{self.referee.upcard_name} is missing: write Return: 9h"
            )
        self.tricks = self._follow_tricks(parse_tricks(sections.get("tricks"), rules, names))
        self.whole = self._complete_hands()
        self._check_legal()
        self.score = self._compute_score()
        self._check_result()

    def _raise_missing_teams(self) -> None:
        teams = range(self.rules.team_count)
        raise NotationLineError(
            self.sections.line,
            "Teams: with random partners say who plays with whom, such as Teams: "
            f"{' / '.join(' '.join(self._list_names(team)) for team in teams)}",
        )

    def _list_names(self, team: int) -> list[str]:
        return [
            self.names.describe(seat)
            for seat in range(self.seats)
            if self.rules.fixed_team_of(seat) == team
        ]

    def _find_winner(self, leader: int, cards: Sequence[Card]) -> int:
        assert self.calling is not None and self.calling.final is not None
        return self.referee.find_trick_winner(leader, cards, self.calling.final.contract)

    def _list_legal(self, hand: Collection[Card], trick: Sequence[Card], leader: int) -> set[Card]:
        assert self.calling is not None and self.calling.final is not None
        contract = self.calling.final.contract
        return self.referee.list_legal_cards(hand, trick, leader, self.teams, contract)

    def _follow_tricks(self, written: list[WrittenTrick]) -> list[WrittenTrick]:
        """Return the tricks with their leaders; raise NotationLineError."""
        calling = self.calling
        if written and calling is None:
            raise NotationLineError(
                written[0].line, "Tricks: the calls are missing: write Calls, or Contract: h by Ann"
            )
        if written and calling is not None and calling.final is None:
            if calling.is_closed:
                raise NotationLineError(written[0].line, "Tricks: everybody passed: there are none")
            who = self.names.describe(calling.turn)
            hint = ": write all pass for the last ones" if calling.calls else ""
            raise NotationLineError(
                written[0].line, f"Tricks: the calls are not over, it is the turn of {who}{hint}"
            )
        assert self.names.dealer is not None
        leader, seen = (self.names.dealer + 1) % self.seats, dict[Card, int]()
        tricks = []
        for number, trick in enumerate(written, start=1):
            if trick.leader not in (None, leader):
                raise NotationLineError(
                    trick.line,
                    f"Tricks: trick {number}: {self.names.describe(leader)} leads, not "
                    f"{self.names.describe(trick.leader or 0)}",
                )
            for card in trick.cards:
                if card in seen:
                    raise NotationLineError(
                        trick.line,
                        f"Tricks: trick {number}: {card} was played in trick {seen[card]}",
                    )
                seen[card] = number
            tricks.append(trick._replace(leader=leader))
            if len(trick.cards) == self.seats:
                leader = self._find_winner(leader, trick.cards)
        return tricks

    def _list_tricks(self) -> Iterator[tuple[int, tuple[Card, ...], int]]:
        """Yield the line, cards and leader of each trick."""
        for line, cards, leader in self.tricks:
            assert leader is not None
            yield line, cards, leader

    def _list_plays(self) -> Iterator[tuple[int, int, int, Card]]:
        """Yield the line, number of the trick, seat and card of each play."""
        for number, (line, cards, leader) in enumerate(self._list_tricks(), start=1):
            for position, card in enumerate(cards):
                yield line, number, (leader + position) % self.seats, card

    def _complete_hands(self) -> list[frozenset[Card] | None]:
        """Return the cards with which each seat plays, None where they are not known."""
        size, names = self.rules.tricks, self.names
        known = [self._list_known(seat) for seat in range(self.seats)]
        owner = {card: seat for seat, cards in enumerate(known) for card in cards}
        whole = [
            self.hands[seat].whole if seat in self.hands else None for seat in range(self.seats)
        ]
        whole = [
            cards if cards is None else frozenset(known[seat]) for seat, cards in enumerate(whole)
        ]
        for line, number, seat, card in self._list_plays():
            holder = owner.get(card, seat)
            if holder != seat:
                raise NotationLineError(
                    line,
                    f"Tricks: trick {number}: {names.describe(seat)} cannot play {card}: "
                    f"{names.describe(holder)} has it",
                )
            owner[card] = seat
            known[seat].add(card)
            if len(known[seat]) > size:
                given = self.hands.get(seat)
                unplayed = (given.cards if given else frozenset()) or known[seat]
                raise NotationLineError(
                    line,
                    f"Tricks: trick {number}: {names.describe(seat)} does not have {card}: they "
                    f"had {' '.join(sorted(map(str, unplayed)))}",
                )
        found = [frozenset(cards) if len(cards) == size else None for cards in known]
        self._add_last_trick(found)
        return found

    def _list_known(self, seat: int) -> set[Card]:
        """Return the cards that a seat has according to hands and Return."""
        cards = set(self.hands[seat].cards) if seat in self.hands else set()
        final = None if self.calling is None else self.calling.final
        if self.upcard is None:
            return cards
        assert self.names.dealer is not None
        holder = self.referee.find_upcard_seat(
            self.names.dealer, None if final is None else final.sender
        )
        if holder == seat:
            cards.add(self.upcard)
            if len(cards) > self.rules.tricks:
                raise NotationLineError(
                    self.hands[seat].line,
                    f"Hands: {self.names.describe(seat)} has the Return {self.upcard}: it is "
                    "missing among the cards",
                )
        elif holder is not None and self.upcard in cards:
            raise NotationLineError(
                self.hands[seat].line,
                f"Hands: {self.upcard} is held by {self.names.describe(holder)}, not by "
                f"{self.names.describe(seat)}",
            )
        return cards

    def _add_last_trick(self, whole: Sequence[frozenset[Card] | None]) -> None:
        """Add the last trick, which is forced, if it is left out and all hands are known."""
        if len(self.tricks) != self.rules.tricks - 1 or None in whole:
            return
        *_, (line, cards, before) = self._list_tricks()
        if len(cards) < self.seats:
            return
        leader = self._find_winner(before, cards)
        played = {card for _, _, _, card in self._list_plays()}
        left = [min((hand or frozenset()) - played) for hand in whole]
        last = tuple(left[(leader + position) % self.seats] for position in range(self.seats))
        self.tricks.append(WrittenTrick(line, last, leader))

    def _check_legal(self) -> None:
        """Check each play against the cards that its player is known to have held."""
        held: list[set[Card]] = [
            set(cards) if cards is not None else self._list_known(seat)
            for seat, cards in enumerate(self.whole)
        ]
        for _, _, seat, card in self._list_plays():
            held[seat].add(card)
        for number, (line, cards, leader) in enumerate(self._list_tricks(), start=1):
            for position, card in enumerate(cards):
                seat = (leader + position) % self.seats
                legal = self._list_legal(held[seat], cards[:position], leader)
                if card not in legal:
                    right = " ".join(sorted(map(str, legal)))
                    raise NotationLineError(
                        line,
                        f"Tricks: trick {number}: {self.names.describe(seat)} may not play "
                        f"{card}: they held {right}",
                    )
                held[seat].remove(card)

    @property
    def _is_played(self) -> bool:
        plays = sum(len(trick.cards) for trick in self.tricks)
        return plays == self.seats * self.rules.tricks

    def _compute_score(self) -> RoundScore | None:
        calling = self.calling
        if calling is None or not calling.is_closed:
            return None
        if calling.final is None:
            return self.referee.score_passed_out(self.pending)
        if not self._is_played:
            return None
        tricks = [
            PlayedTrick(
                trick.leader or 0, trick.cards, self._find_winner(trick.leader or 0, trick.cards)
            )
            for trick in self.tricks
        ]
        hands = [cards or frozenset() for cards in self.whole]
        return self.referee.score_round(self.teams, calling.final, hands, tricks, self.pending)

    def _check_result(self) -> None:
        """Check the result and the points that are written."""
        result, points = self.sections.get("result"), self.sections.get("points")
        count = self.rules.team_count
        if result:
            text = " ".join(join_text(result).lower().replace(",", " ").split())
            words = sorted(_RESULT_WORDS, key=len, reverse=True)
            word = next((each for each in words if text.startswith(each)), None)
            numbers = text.removeprefix(word or "").replace("score", "").strip()
            if word is None and not numbers.lstrip("+-")[:1].isdigit():
                raise NotationLineError(
                    result[0].line,
                    "Result: write made, failed, litigation, tie or passed out, and the scores of "
                    f"the teams, such as made, {' : '.join(['220', '0', '0'][:count])}",
                )
            if word is not None and self.score is not None:
                self._compare(result[0].line, "Result", _RESULT_WORDS[word], self.score.result)
            if numbers:
                pieces = [result[0]._replace(text=numbers)]
                given = parse_numbers(pieces, "Result", count, "made, 220 : 0")
                if self.score is not None:
                    self._compare(result[0].line, "Result", given, self.score.scores)
        totals = parse_numbers(points, "Points", count, " : ".join(["168", "88", "0"][:count]))
        if totals is not None and self.score is not None:
            self._compare(points[0].line, "Points", totals, self.score.totals)

    def _compare(self, line: int, key: str, written: object, right: object) -> None:
        """Raise NotationLineError if a result is not the one of the plays."""
        if written != right:
            given, found = (
                " : ".join(map(str, each))
                if isinstance(each, list)
                else str(each).replace("_", " ")
                for each in (written, right)
            )
            raise NotationLineError(line, f"{key}: {given} is written, the plays make {found}")

    def explain_missing(self) -> str:
        """Return what a record needs and the text does not say; empty if nothing is missing."""
        calling = self.calling
        if calling is None or not calling.is_closed:
            return "the calls are not over"
        if calling.calls is None:
            return "the calls are not known"
        if calling.final is not None and not self._is_played:
            return "the tricks are not over"
        if None in self._list_dealt():
            return "cards dealt are not known"
        return ""

    def _list_dealt(self) -> list[frozenset[Card] | None]:
        """Return the cards that each seat held before the calls."""
        if not self.referee.deals_after_calls:
            return self.whole
        given = [self.hands.get(seat) for seat in range(self.seats)]
        return [None if each is None else each.dealt for each in given]

    def make_record(self) -> dict[str, Any]:
        """Return the keys of a record about cards, calls and tricks."""
        final = None if self.calling is None else self.calling.final
        contract = None if final is None else final.contract
        calling = self.calling
        dealt = [_sort_cards(each, None, self.referee) for each in self._list_dealt()]
        whole = [_sort_cards(each, contract, self.referee) for each in self.whole]
        is_partial = bool(self.explain_missing())
        return {
            "teams": list(self.teams),
            "turned": None if self.upcard is None else str(self.upcard),
            "calls": None if calling is None or calling.calls is None else list(calling.calls),
            "imposed": calling is not None and calling.imposed,
            "sender": None if final is None else final.sender,
            "contract": contract,
            "amount": None if final is None else final.amount,
            "capot": False if final is None else final.capot,
            "stake": 1 if final is None else final.stake,
            "dealt": dealt,
            "hands": whole if final is not None else None,
            "tricks": [
                self._make_trick(cards, leader, is_partial)
                for _, cards, leader in self._list_tricks()
            ],
        }

    def _make_trick(
        self, cards: Sequence[Card], leader: int, is_partial: bool
    ) -> Trick | PartialTrick:
        texts = [str(card) for card in cards]
        is_whole = len(cards) == self.seats
        winner = self._find_winner(leader, cards) if is_whole else None
        if is_partial or winner is None:
            return PartialTrick(texts, leader, winner)
        return Trick(leader, texts, winner)


def _sort_cards(
    cards: Collection[Card] | None, contract: str | None, referee: Referee
) -> list[str] | None:
    """Return cards in the order of simulated records: by suit, trumps last, lowest cards first."""
    if cards is None:
        return None
    first = SUITS.find(contract or "-") + 1

    def rank(card: Card) -> tuple[int, int]:
        order = referee.list_ranks(card.suit, contract)
        return (SUITS.index(card.suit) - first) % len(SUITS), -order.index(card.rank)

    return [str(card) for card in sorted(cards, key=rank)]
