"""Round records: a whole round as one JSON object, written and read.

The structs have the keys of docs/records.md under the same names; cards and contracts are texts.
Reading checks the form of a record only; the referee checks that it obeys the rules of the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec

from kqj_sim.cards import format_contract
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import GAMES, find_game, make_rules
from kqj_sim.messages import escape_json, one_line, suggest_names, visible
from kqj_sim.rules import GameRules
from kqj_sim.text_files import WRONG_ENCODING, is_utf8

R = TypeVar("R", bound="Record | PartialRecord")
T = TypeVar("T")

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer that numpy and sums of a few such integers can hold."""


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call; keys that do not belong to it are None and are not written."""

    seat: Int64
    call: Literal["pass", "take", "bid", "counter", "overcounter", "play"]
    amount: Int64 | None = None
    contract: str | None = None
    capot: bool | None = None


class PartialTrick(msgspec.Struct, frozen=True, kw_only=True):
    """A trick, finished or not, its cards in the order played; leader and winner may be missing."""

    leader: Int64 | None = None
    cards: list[str]
    winner: Int64 | None = None


class Trick(PartialTrick, frozen=True):
    """A trick of a whole round."""

    leader: Int64
    cards: list[str]
    winner: Int64


class Bonus(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bonus; only those for KQ and KQJ have a seat and a suit."""

    bonus: Literal["last_trick", "capot", "kq", "kqj"]
    team: Int64
    points: Int64
    seat: Int64 | None = None
    suit: str | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round; lists are per seat (seat 0 first) or per team (team 0 first).

    `score_before` and `score_after` are per team, or in KQJ with random partners per seat.  They,
    `game_id` and `round` are None if the round belongs to no game.
    """

    game: str
    rules: dict[str, Any]
    seed: int
    deal: int
    players: list[str]
    game_id: Int64 | None
    round: Int64 | None
    score_before: list[Int64] | None
    score_after: list[Int64] | None
    dealer: Int64
    teams: list[Int64]
    dealt: list[list[str]]
    turned: str | None
    imposed: bool = False
    calls: list[Call]
    sender: Int64 | None
    contract: str | None
    amount: Int64 | None
    capot: bool
    stake: Int64
    hands: list[list[str]] | None
    tricks: list[Trick]
    card_points: list[Int64]
    trick_counts: list[Int64]
    bonuses: list[Bonus]
    totals: list[Int64]
    result: Literal["made", "failed", "litigation", "passed_out", "tie"]
    gratuities: list[Int64]
    pending_before: Int64
    pending_after: Int64
    scores: list[Int64]

    def __repr__(self) -> str:
        return f"<Record of {self.describe()}>"

    def describe(self) -> str:
        """Return a line such as `deal 3: ♥ failed, 0 to 290`."""
        if self.contract is None:
            return f"deal {self.deal}: passed out"
        contract = format_contract(self.contract)
        scores = " to ".join(map(str, self.scores))
        return f"deal {self.deal}: {contract} {self.result}, {scores}"

    def game_rules(self) -> GameRules:
        """Return the rules of the round; raise RecordError if a field is missing or wrong."""
        values = {}
        for rule in fields(find_game(self.game).rules):
            if rule.name not in self.rules:
                raise RecordError(f"rules: the key {rule.name} is missing")
            values[rule.name] = self.rules[rule.name]
        try:
            return make_rules(self.game, values)
        except InputError as error:
            raise RecordError(f"rules: {error}") from None


class PartialRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A round in progress: the keys of a record that one player needs; any record is one, too.

    `hands`, or with auctions and in Kwajongen `dealt`, need only the cards of the player to move;
    those of the others may be empty or null.  `sender`, `contract`, `amount`, `capot` and `stake`
    are for rounds without `calls`.
    """

    game: str
    rules: dict[str, Any]
    dealer: Int64
    players: list[str] | None = None
    game_id: Int64 | None = None
    round: Int64 | None = None
    score_before: list[Int64] | None = None
    teams: list[Int64] | None = None
    turned: str | None = None
    calls: list[Call] | None = None
    imposed: bool = False
    sender: Int64 | None = None
    contract: str | None = None
    amount: Int64 | None = None
    capot: bool | None = None
    stake: Int64 | None = None
    dealt: list[list[str] | None] | None = None
    hands: list[list[str] | None] | None = None
    tricks: list[PartialTrick] = []
    pending_before: Int64 = 0


AnyRecord: TypeAlias = Record | PartialRecord
"""A whole round, or a round in progress: every key of the second is one of the first."""

_FINISHED = re.compile(rb'"(?:result|scores|totals)"\s*:')
"""Keys of a finished round: a text with one of them is a whole record, or a damaged one."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode
_decode_partial = msgspec.json.Decoder(PartialRecord).decode


def to_json(record: AnyRecord) -> str:
    """Return a record as one line of JSON; raise RecordError for a value that JSON cannot hold."""
    try:
        return escape_json(_encode(record).decode())
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RecordError(f"the record cannot be written: {_format_error(error)}") from None


def from_json(text: str | bytes) -> Record:
    """Parse a record from text or UTF-8 bytes; ignore unknown keys; raise RecordError if wrong."""
    return _parse(_decode, text)


def partial_record_from_json(text: str | bytes) -> PartialRecord:
    """Parse a round in progress, as `from_json`."""
    return _parse(_decode_partial, text)


def any_record_from_json(text: bytes) -> AnyRecord:
    """Parse a record or a round in progress, as `from_json`."""
    return from_json(text) if _FINISHED.search(text) else partial_record_from_json(text)


def check_types(record: AnyRecord) -> AnyRecord:
    """Return a record made in Python; raise RecordError if a value is none that JSON can hold."""
    return _parse(lambda made: msgspec.convert(msgspec.to_builtins(made), type(made)), record)


def _parse(parse: Callable[[T], R], source: T) -> R:
    try:
        record = parse(source)
    except msgspec.ValidationError as error:
        raise RecordError(_reorder_message(str(error))) from None
    except (TypeError, UnicodeEncodeError) as error:
        raise RecordError(f"not a record: {_format_error(error)}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        if isinstance(source, bytes) and not is_utf8(source):
            raise RecordError(WRONG_ENCODING) from None
        raise RecordError(f"not a line of JSON: {_format_error(error)}") from None
    except RecursionError:
        raise RecordError("not a record: nested too deeply") from None
    if record.game not in GAMES:
        raise RecordError(f"game: {suggest_names(record.game, GAMES)}")
    return record


def _reorder_message(message: str) -> str:
    """Return a message of msgspec with the key first: `calls[0].seat: expected int, got str`."""
    reason, _, path = visible(message).partition(" - at `$")
    missing = re.fullmatch(r"Object missing required field `(\w+)`", reason)
    reason = f"the key {missing[1]} is missing" if missing else reason[:1].lower() + reason[1:]
    key = path.strip("`.")
    return f"{key}: {reason}" if key else f"not a record: {reason}"


def _format_error(error: Exception) -> str:
    return one_line(str(error))
