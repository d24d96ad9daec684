"""The sections of the notation that are the round itself: hands, calls, contract and tricks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from kqj_sim.cards import Card, parse_cards, parse_single_card
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.notation.header import join_text, require_seat
from kqj_sim.notation.sections import NotationLineError, Piece, Section
from kqj_sim.places import SeatNames, name_places, normalize_name
from kqj_sim.positions.typed_calls import add_typed_calls, split_calls
from kqj_sim.record import Call
from kqj_sim.referee.base import Calling, FinalContract, Referee
from kqj_sim.rules import GameRules

_BY_PATTERN = re.compile(r"\s*\bby\s+(.+?)\s*(?=,|$)", re.IGNORECASE)
_COUNTER_PATTERN = re.compile(r"(counters?|countered|xx?)\s+(?:by\s+)?(?=\S)", re.IGNORECASE)
_ALL_PASS_PATTERN = re.compile(r"\b(?:all|everybody|everyone)\s+pass(?:ed|es)?\b", re.IGNORECASE)
_IMPOSED_PATTERN = re.compile(r",?\s*\bimposed\b", re.IGNORECASE)
_STAKE_PATTERN = re.compile(r",?\s*\b(over-?countered|countered)\b", re.IGNORECASE)
_TRICK_PATTERN = re.compile(r"(?:trick\s*)?(\d{1,2})\s*[.):]\s*", re.IGNORECASE)
_NUMBERED_PATTERN = re.compile(r"(?<=\s)(?=\d[.)]\s)")
_LEADER_PATTERN = re.compile(r"([^:]+):\s*(?=\S)")
_NO_CARDS = frozenset[Card]()


@dataclass(frozen=True)
class KnownHand:
    """The cards of a seat, as far as they are written.

    Attributes:
        line: the line.
        dealt: the cards held before the calls; None if they are not known apart.
        whole: the cards with which play begins; None if they are not known.
    """

    line: int
    dealt: frozenset[Card] | None
    whole: frozenset[Card] | None

    @property
    def cards(self) -> frozenset[Card]:
        """All cards that are known."""
        return (self.dealt or _NO_CARDS) | (self.whole or _NO_CARDS)


class WrittenTrick(NamedTuple):
    """A trick as written; the leader only if it was named."""

    line: int
    cards: tuple[Card, ...]
    leader: int | None


def parse_upcard(section: Section, referee: Referee) -> Card | None:
    """Return the Return, or the dealer's card; raise NotationLineError."""
    if not section:
        return None
    if not referee.has_upcard:
        raise NotationLineError(
            section[0].line, "Return: with auctions there is none: leave the line out"
        )
    try:
        return parse_single_card(join_text(section), ranks=referee.rules.ranks)
    except InputError as error:
        raise NotationLineError(section[0].line, f"Return: {error}") from None


def parse_hands(
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
                piece.line, f"Hands: {who} has cards on line {hands[seat].line}, too"
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


def parse_calls(section: Section, names: SeatNames, start: Callable[[], Calling]) -> Calling:
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


def _add_calls(calling: Calling, text: str, names: SeatNames) -> Calling:
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
    for seat in sorted(range(names.seats), key=lambda each: -len(names.describe(each))):
        place = places[(seat - (names.dealer or 0) - 1) % names.seats]
        name = re.escape(names.describe(seat))
        text = re.sub(
            rf"\b(countere?[ds]?|xx?)\s+(?:by\s+)?{name}(?=[\s,;/]|$)",
            rf"\1 {place}",
            text,
            flags=re.IGNORECASE,
        )
    return text


def parse_contract(
    section: Section, referee: Referee, names: SeatNames, upcard: Card | None
) -> tuple[FinalContract, bool]:
    """Return a contract and whether it was imposed: `150 h by Ann, countered`."""
    line, text = section[0].line, join_text(section)
    text, imposed = _IMPOSED_PATTERN.subn("", text)
    stakes = [each.lower() for each in _STAKE_PATTERN.findall(text)]
    by = _BY_PATTERN.search(text := _STAKE_PATTERN.sub("", text))
    example = "h by Ann" if referee.has_upcard else "150 h by Ann, countered"
    if by is None:
        raise NotationLineError(line, f"Contract: say who plays it: write for example {example}")
    sender = require_seat(names, section[0], by[1], "Contract")
    rest = _BY_PATTERN.sub("", text).strip(" ,")
    if not rest and upcard is not None and not referee.names_contract:
        rest = upcard.suit
    try:
        (given,) = split_calls(rest, referee.rules.seats)
    except ValueError:
        given = None
    if given is None or given.contract is None or (given.amount is None) != referee.has_upcard:
        raise NotationLineError(
            line, f"Contract: {quote(rest)} is not one: write for example {example}"
        )
    stake = 1 if not stakes else 4 if stakes[0].startswith("over") else 2
    final = FinalContract(sender, given.contract, given.amount, given.capot, stake)
    reason = referee.explain_wrong_contract(final, upcard)
    if reason is None and imposed and (stake > 1 or given.capot):
        reason = "an imposed contract has no Capot and no counter"
    if reason is not None:
        raise NotationLineError(line, f"Contract: {reason.removeprefix('contract: ')}")
    return final, bool(imposed)


def parse_tricks(section: Section, rules: GameRules, names: SeatNames) -> list[WrittenTrick]:
    """Return the tricks as written; raise NotationLineError."""
    tricks: list[WrittenTrick] = []
    for piece in section:
        for text in _NUMBERED_PATTERN.split(piece.text):
            if text.strip():
                tricks.append(_parse_trick(Piece(piece.line, text.strip()), tricks, rules, names))
    return tricks


def _parse_trick(
    piece: Piece, before: list[WrittenTrick], rules: GameRules, names: SeatNames
) -> WrittenTrick:
    """Return a trick of a line: `3. Ann: A♥ 9♥ 4♥`, with or without number and leader."""
    number, text, line = len(before) + 1, piece.text, piece.line
    if number > rules.tricks:
        raise NotationLineError(line, f"Tricks: there are only {rules.tricks} tricks")
    numbered = _TRICK_PATTERN.match(text) or re.match(rf"(?:trick\s*)?({number})\s+", text, re.I)
    if numbered is not None:
        if int(numbered[1]) != number:
            raise NotationLineError(
                line, f"Tricks: {quote(text)}: this is trick {number}, not {numbered[1]}"
            )
        text = text[numbered.end() :]
    if before and len(before[-1].cards) < rules.seats:
        raise NotationLineError(
            before[-1].line,
            f"Tricks: trick {number - 1} has {len(before[-1].cards)} cards; there should be "
            f"{rules.seats}",
        )
    leader = None
    named = _LEADER_PATTERN.match(text)
    if named is not None and (seat := names.find(named[1])) is not None:
        leader, text = seat, text[named.end() :]
    try:
        cards = parse_cards(text, ranks=rules.ranks)
    except InputError as error:
        raise NotationLineError(line, f"Tricks: trick {number}: {error}") from None
    if len(cards) > rules.seats:
        raise NotationLineError(
            line,
            f"Tricks: trick {number} has {len(cards)} cards; there should be {rules.seats}, one "
            "trick on a line",
        )
    return WrittenTrick(line, cards, leader)
