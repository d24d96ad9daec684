"""The lines of a text in the notation, sorted into rounds and their sections.

A section begins with its name, `Dealer: Ann`, and goes on until the next name; `#` begins a
comment.  `Game` and `Players` hold for all rounds below them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kqj_sim.errors import InputError
from kqj_sim.messages import find_similar, quote

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
                found = NotationLineError(number, _explain_unknown_line(plain))
                section = None
                if current is None:
                    error = error or found
                else:
                    current.error = current.error or found
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
    found = _NAME_PATTERN.match(text)
    if found is None:
        return None
    name = SECTION_NAMES[found[1].lower()]
    is_place = previous == "hands" and current is not None and name == "dealer"
    if is_place and (line[0].isspace() or (current and "dealer" in current.sections)):
        return None
    return name, found[2].strip()


def _is_unknown_name(line: str, section: str) -> bool:
    """Return True if a line at the margin looks like the name of a section that does not exist."""
    return section not in ("hands", "tricks") and bool(_UNKNOWN_NAME_PATTERN.match(line))


def _explain_unknown_line(line: str) -> str:
    word = line.strip().partition(":")[0]
    near = find_similar(word, _SHOWN_NAMES)[:1] if len(word) <= 40 else []
    hint = f"did you mean {near[0]}? " if near else ""
    names = f"{', '.join(_SHOWN_NAMES[:-1])} or {_SHOWN_NAMES[-1]}"
    return f"{quote(word)} is not a section: {hint}A section begins with {names}, and a colon"
