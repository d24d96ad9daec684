"""Rounds of the notation as records: what follows from the lines, checked by the referee.

Eight tricks show all 48 cards, so that hands follow from the plays.  A round of which a record's
keys are not all known becomes a partial record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

from msgspec.structs import asdict, astuple
from msgspec.structs import replace as replace_struct

from kqj_sim.cards import SUITS, Card, parse_cards, parse_single_card
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import find_game
from kqj_sim.messages import quote
from kqj_sim.notation.sections import (
    NotationLineError,
    RoundSections,
    Section,
    expand_policy,
    join_text,
    parse_numbers,
    parse_players,
    parse_round_number,
    parse_rules,
    parse_seed,
    parse_teams,
    require_seat,
    split_rounds,
)
from kqj_sim.notation.typed import add_typed_calls, parse_typed_contract
from kqj_sim.places import SeatNames, name_places, normalize_name
from kqj_sim.positions.position import PositionError
from kqj_sim.positions.reader import read_round, score_plays
from kqj_sim.record import AnyRecord, Call, PartialRecord, PartialTrick, Record, Trick
from kqj_sim.referee import base
from kqj_sim.referee.base import FinalContract, Referee
from kqj_sim.rules import GameRules

_BY_PATTERN = re.compile(r"\s*\bby\s+(.+?)\s*(?=,|$)", re.IGNORECASE)
_COUNTER_PATTERN = re.compile(
    r"(counters?|countered|xx?|contre)\s+(?:(?:by|par)\s+)?(?=\S)", re.IGNORECASE
)
_ALL_PASS_PATTERN = re.compile(r"\b(?:all|everybody|everyone)\s+pass(?:ed|es)?\b", re.IGNORECASE)
_IMPOSED_PATTERN = re.compile(r",?\s*\bimposed\b", re.IGNORECASE)
_STAKE_PATTERN = re.compile(r",?\s*\b(over-?countered|countered)\b", re.IGNORECASE)
_TRICK_PATTERN = re.compile(r"(?:trick\s*)?(\d{1,2})\s*[.):]\s*", re.IGNORECASE)
_NUMBERED_PATTERN = re.compile(r"(?<=\s)(?=\d[.)]\s)")
_LEADER_PATTERN = re.compile(r"([^:]+):\s*(?=\S)")


@dataclass(frozen=True)
class KnownHand:
    """The cards of a seat, as far as they are written.

    Attributes:
        dealt: the cards held before the calls; None if they are not known apart.
        whole: the cards with which play begins; None if they are not known.
    """

    line: int
    dealt: frozenset[Card] | None
    whole: frozenset[Card] | None


_UNKNOWN_HAND = KnownHand(0, None, None)


def _parse_upcard(section: Section, referee: Referee) -> Card | None:
    """Return the Return, or the dealer's card; raise NotationLineError."""
    if not section:
        return None
    if not referee.has_upcard:
        raise NotationLineError(section[0].line, "Return: an auction has none: leave the line out")
    try:
        return parse_single_card(join_text(section), ranks=referee.rules.ranks)
    except InputError as error:
        raise NotationLineError(section[0].line, f"Return: {error}") from None


def _parse_hands(
    section: Section, referee: Referee, names: SeatNames, upcard: Card | None
) -> dict[int, KnownHand]:
    """Return the hands that are written, by seat; raise NotationLineError."""
    hands: dict[int, KnownHand] = {}
    for piece in section:
        if not piece.text:
            continue
        name, colon, text = piece.text.partition(":")
        if not colon:
            name, text = _split_name(piece.text, names)
        seat = require_seat(names, piece, name.strip(), "Hands")
        who = names.describe(seat)
        if seat in hands:
            raise NotationLineError(
                piece.line, f"Hands: {who} already has cards on line {hands[seat].line}"
            )
        hands[seat] = _parse_hand(piece.line, text, referee, upcard, who)
    return hands


def _split_name(text: str, names: SeatNames) -> tuple[str, str]:
    """Return the name at the beginning of a line without a colon, and the rest."""
    words = text.split()
    for length in range(len(words) - 1, 0, -1):
        if names.find(" ".join(words[:length])) is not None:
            return " ".join(words[:length]), " ".join(words[length:])
    return words[0], " ".join(words[1:])


def _parse_hand(line: int, text: str, referee: Referee, upcard: Card | None, who: str) -> KnownHand:
    """Return a hand of a line: `♠ K 4 ♥ A 9 8`, with taking `five cards + three cards`."""
    try:
        parts = [
            frozenset(parse_cards(part, ranks=referee.rules.ranks)) for part in text.split("+")
        ]
    except InputError as error:
        raise NotationLineError(line, f"Hands: {error}") from None
    size = referee.rules.tricks
    counts = [len(part) for part in parts]
    if not referee.deals_after_calls:
        if counts != [size]:
            raise NotationLineError(
                line, f"Hands: {who} has {sum(counts)} cards; there should be {size}"
            )
        return KnownHand(line, parts[0], parts[0])
    if counts == [size]:
        return KnownHand(line, None, parts[0])
    dealt = referee.dealt_count
    if counts not in ([dealt], [dealt, size - dealt - 1], [dealt, size - dealt]):
        raise NotationLineError(
            line,
            f"Hands: {who} has {' + '.join(map(str, counts))} cards; with taking write the 5 "
            "dealt, all 8, or 5 + 3",
        )
    if upcard in parts[0]:
        raise NotationLineError(line, f"Hands: {upcard} is the Return: {who} was not dealt it")
    if len(counts) == 1:
        return KnownHand(line, parts[0], None)
    whole = parts[0] | parts[1]
    if sum(counts) < size and upcard is not None:
        whole |= {upcard}
    if len(whole) != size:
        raise NotationLineError(
            line, f"Hands: {who} has {len(whole)} cards; with the Return there should be {size}"
        )
    return KnownHand(line, parts[0], whole)


def _parse_calls(
    section: Section, names: SeatNames, start: Callable[[], base.Calling]
) -> base.Calling:
    """Return the calls of a section; raise NotationLineError with the line of the wrong one.

    `start` returns the calling before the first call.
    """
    try:
        return _add_calls(start(), join_text(section), names)
    except InputError as error:
        wrong = error
    line = section[-1].line
    for last in range(len(section)):
        try:
            _add_calls(start(), join_text(section[: last + 1]), names)
        except InputError as error:
            line, wrong = section[last].line, error
            break
    raise NotationLineError(line, f"Calls: {names.describe_in(str(wrong))}")


def _add_calls(calling: base.Calling, text: str, names: SeatNames) -> base.Calling:
    text = _COUNTER_PATTERN.sub(r"\1 ", _name_places_in(text, names))
    first, *others = _ALL_PASS_PATTERN.split(text)
    add_typed_calls(calling, first)
    for part in others:
        for _ in range(calling.remaining_passes):
            calling.add(Call(calling.turn, "pass"))
        add_typed_calls(calling, part)
    return calling


def _name_places_in(text: str, names: SeatNames) -> str:
    """Return calls with places for the names of players who counter."""
    text = normalize_name(text)
    places = name_places(names.seats)
    for seat in sorted(range(names.seats), key=lambda other: -len(names.describe(other))):
        place = places[(seat - (names.dealer or 0) - 1) % names.seats]
        name = re.escape(names.describe(seat))
        text = re.sub(
            rf"\b(countere?[ds]?|xx?|(?:sur)?contre)\s+(?:(?:by|par)\s+)?{name}(?=[\s,;/]|$)",
            rf"\1 {place}",
            text,
            flags=re.IGNORECASE,
        )
    return text


def _parse_contract(
    section: Section, referee: Referee, names: SeatNames, upcard: Card | None
) -> tuple[FinalContract, bool]:
    """Return a contract and whether it was imposed: `150 h by Ann, countered`."""
    line, text = section[0].line, join_text(section)
    text, imposed = _IMPOSED_PATTERN.subn("", text)
    stakes = [word.lower() for word in _STAKE_PATTERN.findall(text)]
    by = _BY_PATTERN.search(text := _STAKE_PATTERN.sub("", text))
    example = "h by Ann" if referee.has_upcard else "150 h by Ann, countered"
    if by is None:
        raise NotationLineError(line, f"Contract: say who plays it, for example {example}")
    sender = require_seat(names, section[0], by[1], "Contract")
    rest = _BY_PATTERN.sub("", text).strip(" ,")
    if not rest and upcard is not None and not referee.names_contract:
        rest = upcard.suit
    typed = parse_typed_contract(rest, referee.rules.seats)
    if typed is None or typed.contract is None or (typed.amount is None) != referee.has_upcard:
        raise NotationLineError(
            line, f"Contract: {quote(rest)} is not a contract: write for example {example}"
        )
    stake = 1 if not stakes else 4 if stakes[0].startswith("over") else 2
    return FinalContract(sender, typed.contract, typed.amount, typed.capot, stake), bool(imposed)


def _parse_tricks(
    section: Section, rules: GameRules, names: SeatNames
) -> list[tuple[int, PartialTrick]]:
    """Return line and cards of each trick as written; raise NotationLineError."""
    tricks: list[tuple[int, PartialTrick]] = []
    for piece in section:
        for text in filter(str.strip, _NUMBERED_PATTERN.split(piece.text)):
            number = len(tricks) + 1
            if number > rules.tricks:
                raise NotationLineError(piece.line, f"Tricks: there are only {rules.tricks} tricks")
            if tricks and (count := len(tricks[-1][1].cards)) != rules.seats:
                raise NotationLineError(
                    tricks[-1][0],
                    f"Tricks: trick {number - 1} has {count} cards; there should be {rules.seats}, "
                    "one trick on a line",
                )
            trick = _parse_trick(piece.line, text.strip(), number, rules, names)
            tricks.append((piece.line, trick))
    return tricks


def _parse_trick(
    line: int, text: str, number: int, rules: GameRules, names: SeatNames
) -> PartialTrick:
    """Return a trick of a line: `3. Ann: A♥ 9♥ 4♥`, with or without number and leader."""
    numbered = _TRICK_PATTERN.match(text) or re.match(rf"(?:trick\s*)?({number})\s+", text, re.I)
    if numbered is not None:
        if int(numbered[1]) != number:
            raise NotationLineError(
                line, f"Tricks: {quote(text)}: this is trick {number}, not {numbered[1]}"
            )
        text = text[numbered.end() :]
    leader = None
    named = _LEADER_PATTERN.match(text)
    if named is not None and (seat := names.find(named[1])) is not None:
        leader, text = seat, text[named.end() :]
    try:
        cards = parse_cards(text, ranks=rules.ranks)
    except InputError as error:
        raise NotationLineError(line, f"Tricks: trick {number}: {error}") from None
    return PartialTrick(leader=leader, cards=list(map(str, cards)))


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
        position: the round as far as it went.
        score: the score of the round; None if it is not over.
        record: the keys of a round in progress, with what follows from the lines.
    """

    def __init__(
        self, sections: RoundSections, rules: GameRules, names: SeatNames, players: list[str],
        pending: int,
    ) -> None:  # fmt: skip
        assert names.dealer is not None
        self.sections, self.rules, self.names = sections, rules, names
        self.referee = base.get_referee(rules)
        teams = parse_teams(sections.get("teams"), rules, names)
        if not sections.get("teams") and rules.partners == "random":
            self._raise_missing_teams()
        upcard = _parse_upcard(sections.get("return"), self.referee)
        self.hands = _parse_hands(sections.get("hands"), self.referee, names, upcard)
        calls = self._read_calls(teams, upcard)
        tricks = _parse_tricks(sections.get("tricks"), rules, names)
        if tricks and calls["contract"] is None:
            self._raise_no_contract(tricks[0][0], calls["calls"])
        hands = [self.hands.get(seat, _UNKNOWN_HAND) for seat in range(rules.seats)]
        written = PartialRecord(
            game=rules.game, rules=rules.to_dict(), players=players, dealer=names.dealer,
            teams=list(teams), turned=None if upcard is None else str(upcard), **calls,
            dealt=[_sort_cards(hand.dealt, None, self.referee) for hand in hands],
            hands=[_sort_cards(hand.whole, None, self.referee) for hand in hands],
            tricks=[trick for _, trick in tricks], pending_before=pending,
        )  # fmt: skip
        try:
            self.position = read_round(written)
        except PositionError as error:
            raise self._locate(error, [line for line, _ in tricks]) from None
        self.whole = [
            cards if len(cards) == rules.tricks else None for cards in self.position.known_hands
        ]
        self._add_last_trick()
        self.score = self._compute_score()
        self._check_result()
        self.record = self._complete(written)

    def _read_calls(self, teams: tuple[int, ...], upcard: Card | None) -> dict[str, Any]:
        """Return the keys of a record on calls and contract."""
        referee, calls, contract = self.referee, *map(self.sections.get, ("calls", "contract"))
        if upcard is None and referee.has_upcard and (calls or not contract):
            line, key = (calls[0].line, "Calls: ") if calls else (self.sections.line, "")
            raise NotationLineError(
                line, f"{key}{referee.upcard_name} is missing: write Return: 9h"
            )
        final, imposed = None, False
        if contract:
            final, imposed = _parse_contract(contract, referee, self.names, upcard)
        self.is_closed = bool(contract)
        spoken: list[Call] | None = [] if imposed else None
        if calls:
            assert self.names.dealer is not None
            start = partial(referee.start_calling, self.names.dealer, teams, upcard)
            calling = _parse_calls(calls, self.names, start)
            spoken, imposed, self.is_closed = calling.calls, False, calling.is_closed
            called = calling.final_contract() if calling.is_closed else None
            if contract and called != final:
                raise NotationLineError(
                    contract[0].line,
                    "Contract: the calls make another one, or none: leave this line out, or "
                    "correct them",
                )
            final = called
        keys = (final or FinalContract(-1, ""))._asdict()
        if final is None:
            keys |= {"sender": None, "contract": None}
        return {"calls": spoken, "imposed": imposed, **keys}

    def _raise_no_contract(self, line: int, calls: list[Call] | None) -> NoReturn:
        if calls is None:
            reason = "the calls are missing: write Calls, or Contract: h by Ann"
        elif self.is_closed:
            reason = "everybody passed: there are none"
        else:
            assert self.names.dealer is not None
            turn = self.names.describe((self.names.dealer + 1 + len(calls)) % self.rules.seats)
            hint = ": write all pass for the last ones" if calls else ""
            reason = f"the calls are not over, it is the turn of {turn}{hint}"
        raise NotationLineError(line, f"Tricks: {reason}")

    def _locate(self, error: PositionError, trick_lines: Sequence[int]) -> NotationLineError:
        """Return an error of a record's key with the line that says it."""
        text = self.names.describe_in(str(error))
        key, _, rest = error.key.partition("[")
        number = int(rest.partition("]")[0] or 0)
        if key == "tricks":
            text = re.sub(r"^tricks\[\d+\]\.\w+", f"trick {number + 1}", text)
            return NotationLineError(trick_lines[number], f"Tricks: {text}")
        if key == "hands":
            hand = self.hands.get(number)
            return NotationLineError(hand.line if hand else self.sections.line, f"Hands: {text}")
        name = {"pending_before": "pending"}.get(key, "contract")
        text = text.removeprefix(f"{key}: ")
        return NotationLineError(self.sections.get(name)[0].line, f"{name.capitalize()}: {text}")

    def _raise_missing_teams(self) -> NoReturn:
        teams = range(self.rules.team_count)
        raise NotationLineError(
            self.sections.line,
            "Teams: with random partners say who plays with whom, such as Teams: "
            f"{' / '.join(' '.join(self._list_names(team)) for team in teams)}",
        )

    def _list_names(self, team: int) -> list[str]:
        return [
            self.names.describe(seat)
            for seat in range(self.rules.seats)
            if self.rules.fixed_team_of(seat) == team
        ]

    @property
    def _tricks(self) -> list[tuple[int, tuple[Card, ...]]]:
        return [trick for trick in self.position.tricks if trick[1]]

    def _find_winner(self, leader: int, cards: Sequence[Card]) -> int:
        contract = self.position.contract.contract
        return self.referee.find_trick_winner(leader, cards, contract)

    def _add_last_trick(self) -> None:
        """Add the last trick, which is forced, if it is left out and all hands are known."""
        position, seats = self.position, self.rules.seats
        if len(position.plays) != seats * (self.rules.tricks - 1) or None in self.whole:
            return
        left = [min(hand - set(position.plays)) for hand in position.known_hands]
        last = (left[(position.seat + step) % seats] for step in range(seats))
        self.position = replace(position, plays=(*position.plays, *last))

    def _compute_score(self) -> base.RoundScore | None:
        position = self.position
        if position.final_contract is None and self.is_closed:
            return self.referee.score_passed_out(position.pending)
        return score_plays(position)

    def _check_result(self) -> None:
        result, points = self.sections.get("result"), self.sections.get("points")
        count = self.rules.team_count
        if result:
            text = " ".join(join_text(result).lower().replace(",", " ").split())
            words = sorted(_RESULT_WORDS, key=len, reverse=True)
            word = next((beginning for beginning in words if text.startswith(beginning)), None)
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
                scores = parse_numbers(pieces, "Result", count, "made, 220 : 0")
                if self.score is not None:
                    self._compare(result[0].line, "Result", scores, self.score.scores)
        totals = parse_numbers(points, "Points", count, " : ".join(["168", "88", "0"][:count]))
        if totals is not None and self.score is not None:
            self._compare(points[0].line, "Points", totals, self.score.totals)

    def _compare(self, line: int, key: str, written: object, right: object) -> None:
        """Raise NotationLineError if a result is not the one of the plays."""
        if written != right:
            texts = [
                " : ".join(map(str, value))
                if isinstance(value, list)
                else str(value).replace("_", " ")
                for value in (written, right)
            ]
            raise NotationLineError(
                line, f"{key}: {texts[0]} is written, but the plays give {texts[1]}"
            )

    @property
    def is_whole(self) -> bool:
        """True if all that a record has is known."""
        dealt = self._list_dealt()
        return self.score is not None and self.record.calls is not None and None not in dealt

    def _list_dealt(self) -> list[frozenset[Card] | None]:
        if not self.referee.deals_after_calls:
            return self.whole
        return [
            self.hands[seat].dealt if seat in self.hands else None
            for seat in range(self.rules.seats)
        ]

    def _complete(self, written: PartialRecord) -> PartialRecord:
        """Return a record with what follows from its lines: hands, leaders and winners."""
        contract = written.contract
        whole = [_sort_cards(hand, contract, self.referee) for hand in self.whole]
        return replace_struct(
            written,
            dealt=[_sort_cards(hand, None, self.referee) for hand in self._list_dealt()],
            hands=whole if contract is not None else None,
            tricks=[self._make_trick(leader, cards) for leader, cards in self._tricks],
        )

    def _make_trick(self, leader: int, cards: Sequence[Card]) -> PartialTrick:
        is_whole = len(cards) == self.rules.seats
        winner = self._find_winner(leader, cards) if is_whole else None
        return PartialTrick(leader=leader, cards=list(map(str, cards)), winner=winner)


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


@dataclass
class _Game:
    """The state of a game between two rounds.

    Attributes:
        number: number of the game in the text; -1 before the first one.
        next_round: number of the next round, from 1.
        dealer: seat of the next dealer; None if it is not known.
        rounds: number of rounds in the text so far.
    """

    number: int = -1
    next_round: int = 1
    dealer: int | None = None
    scores: list[int] | None = None
    pending: int = 0
    rounds: int = 0


def read_rounds(text: str) -> Iterator[tuple[int, AnyRecord | RecordError]]:
    """Yield the line, from 1, and the record of each round of a text.

    A round that is wrong yields its error, with the number of the wrong line.
    """
    game = _Game()
    for sections in split_rounds(text):
        try:
            if sections.error is not None:
                raise sections.error
            yield sections.line, _read_round(sections, game)
        except NotationLineError as error:
            game.pending, game.scores, game.dealer = 0, None, None
            yield error.line, RecordError(str(error))
        game.rounds += 1


def _read_round(sections: RoundSections, game: _Game) -> AnyRecord:
    rules = parse_rules(sections.get("game"))
    policies, people = sections.get("policies"), sections.get("players")
    if policies or people:
        key = "Policies" if policies else "Players"
        players = parse_players(policies or people, rules.seats, key)
    else:
        players = [f"seat {seat}" for seat in range(rules.seats)]
    # Policies are no names.
    own_names = ("",) * rules.seats if policies else tuple(players)
    number, game_number = parse_round_number(sections.get("round"))
    if number == 1:
        game.pending, game.scores = 0, [rules.start_score] * rules.score_count
        game.number += 1
        game.dealer = game.dealer if sections.get("dealer") else None
    elif number != game.next_round or (sections.begins_game and game.rounds):
        game.pending, game.scores = 0, None
    game.number = game.number if game_number is None else game_number
    dealer_lines = sections.get("dealer")
    if dealer_lines:
        names = SeatNames(own_names)
        dealer = require_seat(names, dealer_lines[0], join_text(dealer_lines), "Dealer")
    else:
        dealer = rules.seats - 1 if game.dealer is None else game.dealer
    names = SeatNames(own_names, dealer)
    before = parse_numbers(
        sections.get("scores before"), "Scores before", rules.score_count,
        " ".join(["10" if rules.start_score else "340"] * rules.score_count),
    )  # fmt: skip
    game.scores = before or game.scores
    game.pending = _read_pending(sections, rules, game.pending)
    if policies:
        players = [expand_policy(text, rules) for text in players]
    reader = RoundReader(sections, rules, names, players, game.pending)
    record = reader.record
    seed, deal = parse_seed(sections.get("seed")) or (0, game.rounds)
    score, scores_before, after = reader.score, game.scores, None
    if number is not None and scores_before is not None:
        game_id = max(game.number, 0)
        record = replace_struct(
            record, game_id=game_id, round=number - 1, score_before=scores_before
        )
    if score is not None and scores_before is not None:
        after = reader.referee.add_scores(scores_before, record.teams or (), score.scores)
    passed = score is not None and score.result == "passed_out"
    game.dealer = reader.referee.find_next_dealer(dealer, passed)
    game.next_round = (number or 0) + 1
    game.scores = after
    game.pending = 0 if score is None else score.pending_after
    if not reader.is_whole or score is None:
        return record
    return Record(
        seed=seed,
        deal=deal,
        score_after=after if number is not None else None,
        **asdict(record) | {"tricks": [Trick(*astuple(trick)) for trick in record.tricks]},
        **score._asdict(),
    )


def _read_pending(sections: RoundSections, rules: GameRules, inferred: int) -> int:
    pending, raised = sections.get("pending"), sections.get("raised")
    raises = find_game(rules.game).raises
    wrong = pending if raises else raised
    if wrong:
        right = "Raised: yes" if raises else "Pending: 120"
        raise NotationLineError(wrong[0].line, f"this game has no such line: write {right}")
    if not raises:
        points = parse_numbers(pending, "Pending", 1, "120")
        return inferred if points is None else points[0]
    if not raised:
        return inferred
    answers = {"": 1, "yes": 1, "no": 0}
    answer = answers.get(join_text(raised).lower())
    if answer is None:
        raise NotationLineError(raised[0].line, "Raised: write yes or no")
    return answer
