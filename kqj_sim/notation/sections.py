"""The lines of a text in the notation, sorted into rounds and their sections, and what they say.

A section begins with its name, `Dealer: Ann`, and goes on until the next name; `#` begins a
comment.  `Game` and `Players` hold for all rounds below them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game
from kqj_sim.messages import count_noun, explain_two_readings, find_similar, quote
from kqj_sim.places import MAX_NAME, SeatNames, fold_name
from kqj_sim.record import AnyRecord
from kqj_sim.rules import GameRules

_SECTIONS = (
    "game", "players", "policies", "round", "dealer", "teams", "return", "hands", "calls",
    "contract", "tricks", "result", "points", "pending", "raised", "scores before", "seed",
)  # fmt: skip
SECTION_NAMES = {
    **{name: name for name in _SECTIONS},
    **{"rules": "game", "dealer's card": "return", "hand": "hands", "plays": "tricks"},
}
"""The sections by the names under which they may begin."""

_SHOWN_NAMES = tuple(name.capitalize() for name in _SECTIONS)
"""The names that errors suggest."""

_SHARED = ("game", "players", "policies")
_INSTEAD = {"players": "policies", "policies": "players"}
_NAMES = "|".join(sorted(map(re.escape, SECTION_NAMES), key=len, reverse=True))
_NAME_PATTERN = re.compile(rf"({_NAMES})(?:\s*:|\s|$)(.*)", re.IGNORECASE)
_UNKNOWN_NAME_PATTERN = re.compile(r"([^\W\d][\w' ]*):")


class NotationLineError(InputError):
    """A wrong line of the notation, its number from 1, and what would be right."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Piece(NamedTuple):
    """A line of a section: its number, and its text without name and comment."""

    line: int
    text: str


Section = list[Piece]


@dataclass
class RoundSections:
    """The sections of a round by name, and those of the game that hold for it.

    Attributes:
        line: line on which the round begins.
        error: the first line that belongs to no section.
        begins_game: whether `Game` stands directly before it.
    """

    line: int
    sections: dict[str, Section] = field(default_factory=dict)
    error: NotationLineError | None = None
    begins_game: bool = False

    def get(self, name: str) -> Section:
        """Return a section; empty if it is not there."""
        return self.sections.get(name, [])


def split_rounds(text: str) -> Iterator[RoundSections]:
    """Yield the rounds of a text with their sections."""
    shared: dict[str, Section] = {}
    current: RoundSections | None = None
    error: NotationLineError | None = None
    begins_game = False
    section: Section | None = None
    name = ""
    lines = textwrap.dedent(text.replace("\r", "").expandtabs()).split("\n")
    for number, line in enumerate(lines, start=1):
        plain = _strip_comment(line).rstrip()
        if not plain.strip():
            continue
        begun = _begin_section(plain, name, current)
        if begun is None:
            if section is None or (not plain[0].isspace() and _is_unknown_name(plain, name)):
                wrong_line = NotationLineError(number, _explain_unknown_line(plain))
                section = None
                if current is None:
                    error = error or wrong_line
                else:
                    current.error = current.error or wrong_line
            else:
                section.append(Piece(number, plain.strip()))
            continue
        name, rest = begun
        piece = [Piece(number, rest)]
        if name in _SHARED:
            if current is not None:
                yield current
                current = None
            if name == "game":
                begins_game = True
            shared.pop(_INSTEAD.get(name, ""), None)
            section = shared[name] = piece
            continue
        if current is None or name == "round":
            if current is not None:
                yield current
            current = RoundSections(number, dict(shared), error, begins_game)
            error, begins_game = None, False
        if name in current.sections:
            current.error = current.error or NotationLineError(
                number,
                f"{name} is given twice, first on line {current.sections[name][0].line}: begin "
                "another round with a line Round",
            )
        section = current.sections[name] = piece
    if current is not None:
        yield current
    elif error is not None or begins_game or shared:
        last = RoundSections(len(lines), dict(shared), error)
        last.error = error or NotationLineError(
            max(1, len(lines)), "there is no round: write for example Dealer, Calls and Tricks"
        )
        yield last


def _strip_comment(line: str) -> str:
    """Return a line without its comment; between quotation marks `#` begins none."""
    is_quoted = False
    for position, character in enumerate(line):
        if character == '"':
            is_quoted = not is_quoted
        elif character == "#" and not is_quoted:
            return line[:position]
    return line


def _begin_section(
    line: str, previous: str, current: RoundSections | None
) -> tuple[str, str] | None:
    """Return the name of the section that a line begins, and the rest; None if it begins none."""
    text = line.strip()
    match = _NAME_PATTERN.match(text)
    if match is None:
        return None
    name = SECTION_NAMES[match[1].lower()]
    is_place = previous == "hands" and current is not None and name == "dealer"
    if is_place and (line[0].isspace() or (current and "dealer" in current.sections)):
        return None
    return name, match[2].strip()


def _is_unknown_name(line: str, section: str) -> bool:
    """Return True if a line at the margin looks like the name of a section that does not exist."""
    return section not in ("hands", "tricks") and bool(_UNKNOWN_NAME_PATTERN.match(line))


def _explain_unknown_line(line: str) -> str:
    word = line.strip().partition(":")[0]
    near = find_similar(word, _SHOWN_NAMES)[:1] if len(word) <= 40 else []
    hint = f"did you mean {near[0]}? " if near else ""
    names = f"{', '.join(_SHOWN_NAMES[:-1])} or {_SHOWN_NAMES[-1]}"
    return f"{quote(word)} is not a section: {hint}A section begins with {names}, and a colon"


# The sections of the notation that are not cards: rules, players, seats, contract and numbers.

_COUNTS = {"2": 2, "two": 2, "3": 3, "three": 3}
_WORDS: dict[str, tuple[str, Any]] = {
    "taking": ("bidding", "take"),
    "take": ("bidding", "take"),
    "auctions": ("bidding", "auction"),
    "auction": ("bidding", "auction"),
    "fixed partners": ("partners", "fixed"),
    "random partners": ("partners", "random"),
}
"""Rules in words: field and value."""

_RULE_SEPARATOR = re.compile(r",(?!\d{3}\b)")
_TARGET_PATTERN = re.compile(r"(?:to|target)\s+(\d[\d.,]{0,12})(?:\s+points)?", re.IGNORECASE)
_TEAMS_PATTERN = re.compile(rf"({'|'.join(_COUNTS)})[\s-]+teams?", re.IGNORECASE)
_FIELD_PATTERN = re.compile(r"([\w-]+)\s*=\s*([\w-]+)")
_ROUND_PATTERN = re.compile(r"(\d{1,6})(?:\s+of\s+game\s+(\d{1,15}))?", re.IGNORECASE)
_SEED_PATTERN = re.compile(r"(\d{1,20})\s*,?\s*deal\s*:?\s*(\d{1,20})", re.IGNORECASE)
_NUMBER_PATTERN = re.compile(r"[+-]?\d{1,15}")
_ITEM_PATTERN = re.compile(r'\s*(?:"([^"]*)"|([^",]*[^",\s]))\s*(?:,|$)')
_ALL_PATTERN = re.compile(r'all:?\s+("[^"]*"|[^",]+)$', re.IGNORECASE)
_GAME_EXAMPLE = "KQJ, two teams, taking"


def join_text(section: Section) -> str:
    """Return the text of a section on one line."""
    return " ".join(piece.text for piece in section if piece.text)


def parse_rules(section: Section) -> GameRules:
    """Return the rules that `Game` names, `KQJ, two teams, auctions`; raise NotationLineError."""
    game, values = "kqj", {}
    for line, text in section:
        for item in filter(None, map(str.strip, _RULE_SEPARATOR.split(text))):
            if item.lower() in GAMES:
                game = item.lower()
                continue
            target = _TARGET_PATTERN.fullmatch(item)
            message = target and explain_two_readings(target[1], is_whole=True)
            if message:
                raise NotationLineError(line, f"Game: {message}")
            rule = _parse_rule(item)
            if rule is None:
                raise NotationLineError(
                    line,
                    f"{quote(item)} is not a game or a rule: write for example {_GAME_EXAMPLE}, "
                    "or a rule as counter_timing=turn, with commas between",
                )
            values[rule[0]] = rule[1]
    line = section[0].line if section else 1
    kind = find_game(game).rules
    try:
        return kind.from_dict({name: _convert(kind, name, text) for name, text in values.items()})
    except InputError as error:
        raise NotationLineError(line, str(error)) from None


def _parse_rule(item: str) -> tuple[str, Any] | None:
    plain = " ".join(item.lower().split())
    if plain in _WORDS:
        return _WORDS[plain]
    if teams := _TEAMS_PATTERN.fullmatch(plain):
        return "teams", _COUNTS[teams[1]]
    if target := _TARGET_PATTERN.fullmatch(plain):
        digits = target[1].replace(",", "")
        return ("target", int(digits)) if digits.isdecimal() else None
    if rule := _FIELD_PATTERN.fullmatch(plain):
        return rule[1].replace("-", "_"), rule[2].replace("-", "_")
    return None


def _convert(kind: type[GameRules], name: str, value: Any) -> Any:
    """Return a value of a rule as its type; as it is if the rule has no such value."""
    for rule in fields(kind):
        if rule.name == name:
            choices = rule.metadata["choices"]
            if choices is None:
                digits = str(value)
                return int(digits) if digits.isdecimal() and len(digits) < 10 else value
            return next((choice for choice in choices if str(choice).lower() == str(value)), value)
    return value


def parse_players(section: Section, seats: int, key: str) -> list[str]:
    """Return the player of each seat, of `Players` or `Policies`; raise NotationLineError."""
    text = join_text(section)
    if every := _ALL_PATTERN.match(text):
        return [every[1].strip().strip('"')] * seats
    if '"' not in text and "," not in text:
        players = text.split()
    else:
        players = []
        position = 0
        while position < len(text):
            item = _ITEM_PATTERN.match(text, position)
            if item is None or item.end() == position:
                raise NotationLineError(
                    section[0].line,
                    f"{key}: {quote(text[position:])} is not a name: write names with commas "
                    "between, clockwise",
                )
            players.append(item[1] or item[2] or "")
            position = item.end()
    if len(players) != seats:
        raise NotationLineError(
            section[0].line,
            f"{key}: {len(players)} names; there should be {seats}, clockwise, with commas between",
        )
    for player in players:
        if not player or not player.isprintable():
            raise NotationLineError(section[0].line, f"{key}: {quote(player)} is not a name")
    return players


def require_seat(names: SeatNames, piece: Piece, text: str, key: str) -> int:
    """Return the seat that a text names; raise NotationLineError if it names none."""
    seat = names.find(text)
    if seat is None:
        raise NotationLineError(piece.line, f"{key}: {names.explain_unknown(text)}")
    return seat


def parse_teams(section: Section, rules: GameRules, names: SeatNames) -> tuple[int, ...]:
    """Return the team of each seat; raise NotationLineError."""
    fixed = tuple(rules.fixed_team_of(seat) for seat in range(rules.seats))
    if not section:
        return fixed
    line, text = section[0].line, join_text(section)
    teams = [-1] * rules.seats
    for number, side in enumerate(re.split(r"\s*[/|]\s*|\s+vs?\.?\s+|\s+against\s+", text)):
        for name in _split_names(side, names):
            seat = require_seat(names, section[0], name, "Teams")
            if teams[seat] >= 0:
                raise NotationLineError(line, f"Teams: {quote(name)} is named twice")
            teams[seat] = number
    if sorted(teams) != sorted(fixed):
        size = rules.seats // rules.team_count
        raise NotationLineError(
            line,
            f"Teams: there should be {rules.team_count} teams of {size}: write for example "
            f"{format_teams(fixed, names)}",
        )
    if rules.partners == "fixed" and tuple(teams) != fixed:
        raise NotationLineError(
            line,
            f"Teams: with fixed partners they are {format_teams(fixed, names)}; name the players "
            "clockwise, or write Game: KQJ, random partners",
        )
    return tuple(teams)


def _split_names(text: str, names: SeatNames) -> list[str]:
    """Return the names in a text, with commas or only spaces between them."""
    if "," in text:
        return [name.strip() for name in text.split(",") if name.strip()]
    split: list[str] = []
    words = text.split()
    while words:
        length = next((n for n in range(len(words), 0, -1) if _is_seat(words[:n], names)), 1)
        split.append(" ".join(words[:length]))
        words = words[length:]
    return split


def _is_seat(words: list[str], names: SeatNames) -> bool:
    return names.find(" ".join(words)) is not None


def format_teams(teams: Sequence[int], names: SeatNames) -> str:
    """Return the text of teams: `Ann, Cem, Eva / Ben, Dora, Finn`."""
    return " / ".join(
        ", ".join(names.describe(seat) for seat, own_team in enumerate(teams) if own_team == team)
        for team in sorted(set(teams))
    )


def parse_round_number(section: Section) -> tuple[int | None, int | None]:
    """Return the number of a round in its game, from 1, and that of the game, if they are given."""
    text = join_text(section)
    if not text:
        return None, None
    match = _ROUND_PATTERN.fullmatch(text)
    if match is None or int(match[1]) < 1:
        raise NotationLineError(
            section[0].line,
            f"Round: {quote(text)} is not a number: write Round, Round 3 or Round 3 of game 0",
        )
    return int(match[1]), None if match[2] is None else int(match[2])


def parse_seed(section: Section) -> tuple[int, int] | None:
    """Return the seed and the number of the deal; None if they are not given."""
    if not section:
        return None
    match = _SEED_PATTERN.fullmatch(join_text(section))
    if match is None:
        raise NotationLineError(
            section[0].line,
            f"Seed: {quote(join_text(section))} is not a seed and a deal: write Seed: 7, deal 12",
        )
    return int(match[1]), int(match[2])


def parse_numbers(section: Section, key: str, count: int, example: str) -> list[int] | None:
    """Return the numbers of a section; None if it is not there."""
    if not section:
        return None
    text = join_text(section)
    for word in text.split():
        message = explain_two_readings(word.strip(",;:"), is_whole=False)
        if message is not None:
            raise NotationLineError(section[0].line, f"{key}: {message}")
    numbers = [int(number) for number in _NUMBER_PATTERN.findall(text)]
    rest = re.sub(r"\bto\b|[\s,:;/+-]", "", _NUMBER_PATTERN.sub("", text))
    if len(numbers) != count or rest:
        raise NotationLineError(
            section[0].line,
            f"{key}: {quote(text)} is not {count_noun(count, 'number')}: write for example "
            f"{key}: {example}",
        )
    return numbers


# Policies in the notation: with all parameters in records, with few in texts.

_BUILT_IN_PATTERN = re.compile(r"[a-z_]+(?::[\w=.,-]*)?(?:\+[a-z_]+(?::[\w=.,-]*)?)?")
"""Policies whose parameters can be written out without reading a file."""


def expand_policy(text: str, rules: GameRules) -> str:
    """Return a policy of a record: a built-in one with all its parameters, others as written."""
    if not _BUILT_IN_PATTERN.fullmatch(text):
        return text
    # Here, since numba takes half a second.
    from kqj_sim.policies.players import parse_recorded_player

    try:
        return parse_recorded_player(text, rules.game).under(rules).text
    except InputError:
        return text


def shorten_policy(text: str, rules: GameRules) -> str | None:
    """Return the shortest policy that `expand_policy` expands to a text; None if there is none."""
    if not _BUILT_IN_PATTERN.fullmatch(text):
        return None
    from kqj_sim.policies.players import parse_recorded_player

    try:
        short = parse_recorded_player(text, rules.game).shorten(rules)
    except InputError:
        return None
    return short if expand_policy(short, rules) == text else None


# Names of the people who sit at the table of a recorded round, in texts about it.

_POLICY_SIGNS = frozenset(":/\\+")


def is_policy(name: str, game: str) -> bool:
    """Return True for the name of a policy, built-in or of a file, and False for people's, such as
    Dr. Ann."""
    described = find_game(game)
    if _POLICY_SIGNS & set(name) or name.endswith((".py", ".toml")):
        return True
    if name in described.built_ins or name in described.presets:
        return True
    # Here, since numba takes half a second, and a look at the installed packages 5 ms.
    from kqj_sim.policies.registry import list_names, list_session_names

    return name in {*list_names(game), *list_session_names()}


def label_seats(players: Sequence[str], record: AnyRecord) -> SeatNames:
    """Return the names for the seats of a record; policies are names only if all have their own."""
    names = SeatNames(
        tuple(player if len(player) <= MAX_NAME else "" for player in players), record.dealer
    )
    if all(names.own_names):
        return names
    people = ("" if is_policy(name, record.game) else name for name in names.players)
    return SeatNames(tuple(people), record.dealer)


def tell_people_apart(names: Sequence[str], game: str) -> tuple[str, ...]:
    """Return names with the seat after those of people of whom a table has two, as `Ann (seat 2)`.

    Seats, since places change from round to round.  One name for all seats is nobody's.
    """
    spellings = [*map(fold_name, names)]
    if len({*spellings}) in (1, len(names)):
        return tuple(names)
    return tuple(
        f"{name} (seat {seat})"
        if spellings.count(fold_name(name)) > 1 and not is_policy(name, game)
        else name
        for seat, name in enumerate(names)
    )


def find_people(record: AnyRecord) -> SeatNames | None:
    """Return the names of the people at the seats; None where a policy sits, or nobody is named."""
    players = record.players or []
    if len(players) != find_game(record.game).rules.seats:
        return None
    names = label_seats(players, record)
    if not names.has_names or any(is_policy(name, record.game) for name in players):
        return None
    return names


def name_people_in(text: str, record: AnyRecord) -> str:
    """Return a text about a record with the names of its people for their seats."""
    people = find_people(record)
    return text if people is None else people.name_in(text)
