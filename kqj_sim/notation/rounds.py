"""Rounds of the notation as records: what follows from the lines, checked by the referee.

Eight tricks show all 48 cards, so that hands follow from the plays.  A round of which a record's
keys are not all known becomes a partial record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import msgspec

from kqj_sim.errors import RecordError
from kqj_sim.games import find_game, make_rules
from kqj_sim.notation.header import (
    NotedPlayer,
    expand_player,
    join_text,
    name_seats,
    parse_numbers,
    parse_players,
    parse_round_number,
    parse_rules,
    parse_seed,
    require_seat,
)
from kqj_sim.notation.reader import RoundReader
from kqj_sim.notation.sections import NotationLineError, RoundSections, split_rounds
from kqj_sim.record import PartialRecord, Record, read_records
from kqj_sim.referee.base import get_referee
from kqj_sim.rules import GameRules
from kqj_sim.text_files import MAX_RECORD_BYTES, WRONG_ENCODING, is_utf8


@dataclass
class _Game:
    """The state of a game between two rounds.

    Attributes:
        number: number of the game in the text; -1 before the first one.
        next_round: number of the next round, from 1.
        dealer: seat of the next dealer; None if it is not known.
        scores: scores so far; None if they are not known.
        pending: what is pending.
        rounds: number of rounds in the text so far.
    """

    number: int = -1
    next_round: int = 1
    dealer: int | None = None
    scores: list[int] | None = None
    pending: int = 0
    rounds: int = 0


def read_rounds(text: str) -> Iterator[tuple[int, Record | PartialRecord | RecordError]]:
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


def _read_round(sections: RoundSections, game: _Game) -> Record | PartialRecord:
    """Return the record of a round; raise NotationLineError."""
    rules = parse_rules(sections.get("game"))
    policies, people = sections.get("policies"), sections.get("players")
    if policies or people:
        players = parse_players(policies or people, rules.seats, bool(policies))
    else:
        players = [NotedPlayer(f"seat {seat}") for seat in range(rules.seats)]
    number, game_number = parse_round_number(sections.get("round"))
    if number == 1:
        game.pending, game.scores = 0, [rules.start_score] * rules.score_count
        game.number += 1
        game.dealer = game.dealer if sections.get("dealer") else None
    elif number != game.next_round or (sections.begins_game and game.rounds):
        game.pending, game.scores = 0, None
    game.number = game.number if game_number is None else game_number
    names = name_seats(players)
    dealer_lines = sections.get("dealer")
    if dealer_lines:
        dealer = require_seat(names, dealer_lines[0], join_text(dealer_lines), "Dealer")
    else:
        dealer = rules.seats - 1 if game.dealer is None else game.dealer
    names = name_seats(players, dealer)
    before = parse_numbers(
        sections.get("scores before"), "Scores before", rules.score_count,
        " ".join(["10" if rules.start_score else "340"] * rules.score_count),
    )  # fmt: skip
    game.scores = before or game.scores
    game.pending = _read_pending(sections, rules, game.pending)
    reader = RoundReader(sections, rules, names, game.pending)
    record = reader.make_record()
    seed, deal = parse_seed(sections.get("seed")) or (0, game.rounds)
    known: dict[str, Any] = {
        "game": rules.game,
        "rules": rules.to_dict(),
        "players": [expand_player(each, rules) for each in players],
        "dealer": dealer,
        "pending_before": game.pending,
    }
    score, scores_before = reader.score, game.scores
    after = None
    if score is not None and scores_before is not None:
        after = reader.referee.add_scores(scores_before, reader.teams, score.scores)
    passed = score is not None and score.result == "passed_out"
    game.dealer = reader.referee.find_next_dealer(dealer, passed)
    game.next_round = (number or 0) + 1
    game.scores = after
    game.pending = 0 if score is None else score.pending_after
    if reader.explain_missing() or score is None:
        return PartialRecord(**known, **record)
    belongs = number is not None and after is not None
    return Record(
        seed=seed,
        deal=deal,
        game_id=max(game.number, 0) if belongs else None,
        round=number - 1 if belongs and number is not None else None,
        score_before=scores_before if belongs else None,
        score_after=after if belongs else None,
        **known,
        **record,
        **score._asdict(),
    )


def _read_pending(sections: RoundSections, rules: GameRules, inferred: int) -> int:
    """Return the pending litigation gratuity; in Kwajongen 1 if the round is raised."""
    pending, raised = sections.get("pending"), sections.get("raised")
    raises = find_game(rules.game).raises
    wrong = pending if raises else raised
    if wrong:
        right = "Raised: yes" if raises else "Pending: 120"
        raise NotationLineError(wrong[0].line, f"this game has no such line: write {right}")
    if not raises:
        points = parse_numbers(pending, "Pending", 1, "120")
        reason = points and get_referee(rules).explain_wrong_pending(points[0])
        if reason:
            raise NotationLineError(pending[0].line, f"Pending: {reason}")
        return inferred if points is None else points[0]
    if not raised:
        return inferred
    answers = {"": 1, "yes": 1, "no": 0}
    answer = answers.get(join_text(raised).lower())
    if answer is None:
        raise NotationLineError(raised[0].line, "Raised: write yes or no")
    return answer


# Files of rounds: JSON Lines, or the notation, told apart by how they begin.

ReadRound: TypeAlias = Record | PartialRecord | RecordError
"""A round of a file: its record, what is known of it, or what is wrong with it."""


class FoundRound(NamedTuple):
    """A round of a file: where it begins, the round, and whether it is in the notation."""

    line: int
    record: ReadRound
    is_text: bool


_JSON_STARTS = (b"{", b"[", b'"')


def read_file(lines: Iterable[bytes]) -> Iterator[tuple[int, ReadRound]]:
    """Yield the line, from 1, and the record of each round of the lines of a file, in UTF-8.

    Rounds in the notation of which not all is known are partial records.  A round that cannot be
    read yields its error, with the line that is wrong.
    """
    _, found = _open(lines)
    yield from found


def find_round(lines: Iterable[bytes], line: int) -> FoundRound | None:
    """Return the round on a line, from 1; None if there is none.

    In the notation a round goes on to the next one, and the first one begins with the file.
    """
    is_text, rounds = _open(lines)
    before: FoundRound | None = None
    for number, record in rounds:
        found = FoundRound(number, record, is_text)
        if number == line:
            return found
        if is_text and number > line:
            return before or found
        before = found
    return before if is_text else None


def _open(lines: Iterable[bytes]) -> tuple[bool, Iterator[tuple[int, ReadRound]]]:
    """Return whether a file is in the notation, and its rounds."""
    rest = iter(lines)
    read: list[bytes] = []
    for line in rest:
        read.append(line)
        if line.strip():
            break
    if not read or not is_notation(read[-1]):
        return False, read_records(chain(read, rest))
    return True, _read_text(chain(read, rest))


def is_notation(line: bytes) -> bool:
    """Return True if a file whose first line with text is this one is in the notation."""
    return not line.lstrip().startswith(_JSON_STARTS)


def make_partial(record: Record | PartialRecord) -> PartialRecord:
    """Return a record as a partial one."""
    if isinstance(record, PartialRecord):
        return record
    return msgspec.convert(msgspec.to_builtins(record), PartialRecord)


def explain_missing(record: PartialRecord) -> str:
    """Return what a partial record lacks to be a record, in a clause."""
    if record.calls is None and not record.imposed:
        return "the calls are not known" if record.contract else "the calls are missing"
    rules = make_rules(record.game, record.rules)
    dealt = record.dealt or []
    cards = sum(len(trick.cards) for trick in record.tricks)
    seats = len(dealt)
    if record.contract is not None and cards < seats * rules.tricks:
        return f"the play breaks off after {cards} cards"
    names = [
        (record.players or [])[seat] if record.players else f"seat {seat}"
        for seat, hand in enumerate(dealt)
        if hand is None
    ]
    if names and rules.bidding == "take":
        return f"the five cards dealt to {', '.join(names)} are not known"
    if names:
        return f"the cards of {', '.join(names)} are not known"
    return "the calls are not over"


def _read_text(lines: Iterable[bytes]) -> Iterator[tuple[int, ReadRound]]:
    content = bytearray()
    for number, line in enumerate(lines, start=1):
        if not is_utf8(line):
            yield number, RecordError(WRONG_ENCODING)
            return
        content += line
        if len(content) > MAX_RECORD_BYTES:
            yield (
                number,
                RecordError(
                    f"the rounds up to here have more than {MAX_RECORD_BYTES >> 20} MB: write them "
                    "to several files, or as JSON"
                ),
            )
            return
    # Here, since JSON needs nothing of it.

    yield from read_rounds(content.decode())
