"""Rounds to review, read or played, and their decisions, each as the player saw it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from kqj_sim.arguments import parse_argument, parse_paths
from kqj_sim.cards import parse_card
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import format_rule_options
from kqj_sim.messages import join_words, one_line, quote, visible
from kqj_sim.notation import files
from kqj_sim.notation.files import ReadRound, RecordsLike
from kqj_sim.notation.sections import (
    label_seats,
    name_people_in,
    split_rounds,
    tell_people_apart,
)
from kqj_sim.places import SeatNames, normalize_name
from kqj_sim.policies.players import shorten_player
from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.position import Position, Question, list_call_positions
from kqj_sim.positions.reader import (
    add_played_hands,
    read_calls,
    read_position,
    read_round,
    score_plays,
)
from kqj_sim.record import AnyRecord, Record, any_record_from_json
from kqj_sim.referee import check_record
from kqj_sim.referee.base import RoundScore, get_referee
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.text_files import open_lines

Kind: TypeAlias = Literal["take", "bid", "counter", "play", "lead", "follow", "discard"]
"""The kind of a decision; `play` is the call in Kwajongen, `discard` a card when void."""

_CALL_KINDS: dict[Question, Kind] = {"take": "take", "bid": "bid", "accept": "play"}
"""The kind of a call in a player's turn."""


@dataclass(frozen=True)
class Decision:
    """A call or a card with a choice.

    Attributes:
        played: its round.
        number: from 1, in the round.
        at: where it is, `3.2` (trick and card), `c.4` (call) or `c.4.2` (the second player who
            could counter call 4 and did not).
        trick: 1 to 8; 0 for calls.
        choice: the call or the card.
        knowledge: what the player knew.
    """

    played: RecordedRound = field(compare=False, repr=False)
    number: int
    at: str
    seat: int
    kind: Kind
    trick: int
    choice: str
    knowledge: Position

    @property
    def is_call(self) -> bool:
        """True for a call, False for a card."""
        return self.trick == 0


class RecordedRound:
    """A recorded round to review.

    Attributes:
        file: the file that it is read from, `-` for stdin; `FILE` for a record made in Python.
        number: its number in the file, from 1; 0 if it was read by its line.
        record: the record, as far as it is known.
        decisions: the decisions that can be graded, in order.
        skipped: where the others are, each with the seat and the reason.
    """

    def __init__(
        self,
        record: AnyRecord,
        line: int = 1,
        names: Sequence[str] | None = None,
    ) -> None:
        """Find the decisions; raise InputError if the record is no round.

        Names are those of the record's players unless they are given.
        """
        self.line, self.file, self.number = line, "FILE", line
        self.source = record
        self.record = add_played_hands(record)
        self._calls = read_calls(self.record)
        self.rules, self.teams = self._calls.rules, self._calls.teams
        self.turned = self._calls.upcard
        self.names = self._name_players(names)
        self.decisions: list[Decision] = []
        self.skipped: list[tuple[str, int, str]] = []
        self._find_calls()
        self._find_cards()

    def _name_players(self, names: Sequence[str] | None) -> tuple[str, ...]:
        seats = self.rules.seats
        if names is None:
            known = self.record.players or [""] * seats
            names = [normalize_name(shorten_player(name, self.rules)) for name in known]
        named = [name or f"seat {seat}" for seat, name in enumerate(names)]
        return tell_people_apart(named, self.record.game)

    @property
    def seat_names(self) -> SeatNames:
        """The names by which people call the seats."""
        return label_seats(self.names, self.record)

    @property
    def scores_before(self) -> list[int] | None:
        """The scores of the game before the round, by team; None if they are not known."""
        return self.source.score_before

    @property
    def title(self) -> str:
        """The round as people call it: `Game 1, round 6`, or outside of games `Round 6`."""
        game, number = self.source.game_id, self.source.round
        if game is None or number is None:
            return f"Round {self.number}" if self.number else f"Line {self.line}"
        return f"Game {game + 1}, round {number + 1}"

    @property
    def full_title(self) -> str:
        """The round after its file, if it has one: `friday.txt, game 1, round 6`."""
        return self.name_in_file(self.title)

    def name_in_file(self, title: str) -> str:
        """Return a title, such as `Game 1`, after the file of the round, if it has one."""
        return title if self.file in ("-", "FILE") else f"{self.file}, {title.lower()}"

    @cached_property
    def score(self) -> RoundScore | None:
        """The score of the round, also where only its cards tell it; None if it is not over."""
        if isinstance(self.source, Record):
            return RoundScore(*(getattr(self.source, name) for name in RoundScore._fields))
        return score_plays(read_round(self.record)) if self.record.tricks else None

    @property
    def scores_after(self) -> list[int] | None:
        """The scores of the game after the round, as `scores_before`."""
        if self.scores_before is None or self.score is None:
            return None
        referee = get_referee(self.rules)
        return referee.add_scores(self.scores_before, self.teams, self.score.scores)

    @property
    def opener(self) -> int:
        """The seat of the opener."""
        return (self.record.dealer + 1) % self.rules.seats

    def place_of(self, seat: int) -> int:
        """Return the place of a seat."""
        return (seat - self.opener) % self.rules.seats

    def seat_of(self, place: int) -> int:
        """Return the seat of a place."""
        return (self.opener + place) % self.rules.seats

    def name_side(self, team: int) -> str:
        """Return the name of a side: `opener, 3rd, 5th`, or `Ann, Cem, Eva`."""
        seats = (seat for seat, own in enumerate(self.teams) if own == team)
        return ", ".join(map(self.seat_names.describe, sorted(seats, key=self.place_of)))

    def name_scored_sides(self) -> list[str]:
        """Return the names of the sides that the scores of a game belong to, in their order."""
        if self.rules.partners == "random":
            return [*self.names]
        return [
            join_words(
                [name for name, own in zip(self.names, self.teams, strict=True) if own == team]
            )
            for team in range(self.rules.team_count)
        ]

    def describe_role(self, seat: int) -> str | None:
        """Return `sender`, `partner` or `defender`; None if the round was passed out."""
        sender = self.record.sender
        if sender is None:
            return None
        if seat == sender:
            return "sender"
        return "partner" if self.teams[seat] == self.teams[sender] else "defender"

    def _add(self, at: str, kind: Kind, trick: int, choice: str, position: Position) -> None:
        number, seat = len(self.decisions) + 1, position.seat
        self.decisions.append(Decision(self, number, at, seat, kind, trick, choice, position))

    def _find_calls(self) -> None:
        """Find the calls, and the counters that were not made."""
        for at, position, call in list_call_positions(self._calls):
            if not position.hand:
                reason = "the cards of the player are not known"
                self.skipped.append((at, position.seat, reason))
                continue
            is_reply = call is None or call.call in ("counter", "overcounter")
            kind = "counter" if is_reply else _CALL_KINDS[position.question]
            choice = f"no {position.question}" if call is None else format_call(call)
            self._add(at, kind, 0, choice, position)

    def _find_cards(self) -> None:
        """Find the cards that were not forced."""
        for number, trick in enumerate(self.record.tricks, start=1):
            for card, text in enumerate(trick.cards, start=1):
                at = f"{number}.{card}"
                try:
                    position = read_position(self.record, (number, card), self._calls)
                except InputError as error:
                    if number < self.rules.tricks:
                        leader, seats = trick.leader, self.rules.seats
                        seat = -1 if leader is None else (leader + card - 1) % seats
                        self.skipped.append((at, seat, str(error)))
                    continue
                if len(position.legal_cards) > 1:
                    choice = str(parse_card(text, ranks=self.rules.ranks))
                    self._add(at, _classify(position), number, choice, position)


def _classify(position: Position) -> Kind:
    """Return what kind of a card is asked for."""
    _, cards = position.tricks[-1]
    if not cards:
        return "lead"
    can_follow = any(card.suit == cards[0].suit for card in position.legal_cards)
    return "follow" if can_follow else "discard"


# Rounds to review: read from files or records, or played by a policy.

RoundsLike: TypeAlias = "RecordsLike | Sequence[str | os.PathLike[str]]"
"""Records, a file, a folder, or several of these."""


class UnreadRound(NamedTuple):
    """A round that takes much longer to read than its line, of which there may be more than time.

    Attributes:
        line: from 1.
        read: returns the round, or one line on what is wrong.
        file, number: as of a `RecordedRound`.
    """

    line: int
    read: Callable[[], RecordedRound | str]
    file: str = "FILE"
    number: int = 0


def play_rounds(experiment: Experiment) -> tuple[Iterator[UnreadRound], int | None, str]:
    """Return the rounds of an experiment, their number if known, and the command to record one.

    The command has `{first}` for the number of the deal, or game.
    """
    policies = [player.given for player in experiment.players]
    rounds = (
        UnreadRound(number, partial(RecordedRound, record, number, policies), number=number)
        for number, record in enumerate(play_records(experiment), start=1)
    )
    played = "--deals" if experiment.games is None else "--games"
    words = ["kqj-sim", "records", played, "1", "--first", "{first}"]
    if len(set(policies)) == 1:
        words += ["--policy", policies[0]]
    else:
        for seat, policy in enumerate(policies):
            words += ["--policy", f"seat{seat}={policy}"]
    words += ["--seed", str(experiment.seed)]
    if experiment.imposed_text is not None:
        words += ["--impose", experiment.imposed_text]
    words += format_rule_options(experiment.rules)
    command = " ".join(word if word == "{first}" else shlex.quote(word) for word in words)
    return rounds, experiment.deals if experiment.games is None else None, command


def list_rounds(
    records: RoundsLike, line: int | None
) -> tuple[Iterator[UnreadRound], int | None, str]:
    """Return the rounds, or that of `line`; their number if known; and the names of the files."""
    given = [records] if isinstance(records, str | os.PathLike) else records
    if not isinstance(given, list | tuple) or not _are_paths(given):
        unread = (
            UnreadRound(number, partial(_prepare, record, number), number=number)
            for number, record in files.list_records(records)
        )
        return unread, len(records) if isinstance(records, Sized) else None, "FILE"
    given = parse_argument("records", parse_paths, given)
    paths = [*_list_files(given)]
    if line is not None and len(paths) > 1:
        raise InputError(f"`line` {line} can be of any of {len(paths)} files: give one")
    counts = [_count_rounds(path, line) for path in paths]
    known = [count for count in counts if count is not None]
    rounds = chain.from_iterable(_read_file(path, line, len(paths) > 1) for path in paths)
    return rounds, sum(known) if len(known) == len(paths) else None, ", ".join(given)


_SUFFIXES = (".txt", ".jsonl", ".json")
"""The files of a folder that are taken as rounds."""


def _are_paths(records: Sequence[object]) -> bool:
    return bool(records) and all(isinstance(path, str | os.PathLike) for path in records)


def _list_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield files, and those of folders in order; raise OSError for one that does not exist."""
    for path in paths:
        if not os.path.isdir(path):
            if path != "-":
                os.stat(path)  # Before the work on others.
            yield path
            continue
        names = sorted(name for name in os.listdir(path) if name.endswith(_SUFFIXES))
        if not names:
            raise InputError(f"{quote(path)} has no file that ends in {', '.join(_SUFFIXES)}")
        yield from (os.path.join(path, name) for name in names if not name.startswith("."))


def _count_rounds(path: str, line: int | None) -> int | None:
    """Return the number of rounds of a file, or 1 for those of a line; None of stdin.

    In an empty file there is one error.
    """
    if line is not None:
        return 1
    if not os.path.isfile(path):
        return None
    with open_lines(path) as lines:
        is_text, lines = files.recognise(lines)
        if is_text:
            return sum(1 for _ in split_rounds(b"".join(lines).decode(errors="replace")))
        return max(1, sum(1 for text in lines if text.strip()))


def _read_file(path: str, line: int | None, is_one_of_several: bool) -> Iterator[UnreadRound]:
    """Yield rounds as they are read; raise RecordError for none, InputError for none on `line`."""
    is_empty = True
    with open_lines(path) as lines:
        if line is not None:
            first, record, _ = files.require_round(lines, line, any_record_from_json)
            yield UnreadRound(first, partial(_prepare, record, first), path)
            return
        rounds = files.read_file(lines, any_record_from_json)
        for number, (first, record) in enumerate(rounds, start=1):
            yield UnreadRound(first, partial(_prepare, record, first), path, number)
            is_empty = False
    if is_empty and is_one_of_several:
        yield UnreadRound(1, lambda: "there are no records", path)
    elif is_empty:
        raise RecordError(f"{visible(path)} has no records")


def _prepare(record: ReadRound, number: int) -> RecordedRound | str:
    """Return the round of a record, or one line that says what is wrong with it."""
    if isinstance(record, RecordError):
        return str(record)
    discrepancies = check_record(record) if isinstance(record, Record) else []
    if discrepancies:
        more = f" (and {len(discrepancies) - 1} more)" if len(discrepancies) > 1 else ""
        return one_line(f"{name_people_in(discrepancies[0], record)}{more}")
    try:
        return RecordedRound(record, number)
    except InputError as error:
        return name_people_in(str(error), record)
