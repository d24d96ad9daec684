"""Text in messages: the user's, shortened and visible; nouns, lists and names like another."""

from __future__ import annotations

import decimal
import difflib
import json
import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

WIDTH = 60
"""Most characters of a value that a message repeats."""

LONGEST_LINE = 360
"""Most characters of a message."""

_SLIP = 0.8
"""Similarity, of 0 to 1, from which a name differs by a slip of the finger."""

_SAME_LETTER = 0.5
"""Similarity from which a name with the same first letter may be meant, as `take` by `took`."""

_MOST_SUGGESTIONS = 6

_MAX_NAMES = 20

_LONG_WORD = re.compile(r"\S{121,}")
"""A word too long for a sentence: input that a message repeats without shortening it."""


def visible(text: str) -> str:
    r"""Return `text` with escapes in place of control characters, line ends and lone surrogates.

    A byte of a file name that is not UTF-8 is shown as that byte, `\xff`.
    """
    return text if text.isprintable() else "".join(map(_visible_character, text))


def visible_lines(text: str) -> str:
    """Return `text` as `visible`, with its line ends."""
    return "\n".join(map(visible, text.split("\n")))


def format_json(value: object, indent: int | None = None, compact: bool = False) -> str:
    """Return a value as JSON, as people read it but for what a terminal might obey."""
    separators = (",", ":") if compact else None
    return escape_json(json.dumps(value, ensure_ascii=False, indent=indent, separators=separators))


def escape_json(text: str) -> str:
    r"""Return JSON that says the same, with escapes such as `\u009b` for control characters."""
    return _UNUSUAL.sub(_escape_unprintable, text)


_UNUSUAL = re.compile(r"[^\n -~]")


def _escape_unprintable(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def represent(value: object, write: Callable[[object], str] = repr) -> str:
    """Return a value as Python writes it, or its class in angle brackets if that fails.

    Numbers of thousands of digits and deeply nested lists cannot be written.
    """
    try:
        return write(value)
    except Exception:  # whatever the user's class raises
        return f"<{type(value).__name__}>"


def shorten(value: object, width: int = WIDTH) -> str:
    """Return a value as a message repeats it: visible, cut in the middle to `width` characters."""
    text = represent(value, str)
    cut = len(text) > width
    # An escape is at least as long as its character: no more than `width` are ever needed.
    first, last = visible(text[:width]), visible(text[-width:])
    if not cut and len(first) <= width:
        return first
    tail = (width - 3) // 2
    head = width - 3 - tail
    return f"{first[:head]}...{last[-tail:]}"


def quote(value: object) -> str:
    """Return a shortened value between quotation marks."""
    return f"'{shorten(value)}'"


def count_noun(count: int, noun: str) -> str:
    """Return a number with its noun: `1 take`, `13 takes`."""
    return f"{count:,} {inflect(count, noun)}"


def inflect(count: int, noun: str) -> str:
    """Return a noun for a number of things: `take` of 1, `takes` of any other."""
    return noun if count == 1 else f"{noun}s"


def join_words(words: Collection[str], last: str = "and") -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def capitalize(text: str) -> str:
    """Return the text with its first letter in upper case, the others as they are."""
    return text[:1].upper() + text[1:]


@contextmanager
def use_own_decimals() -> Iterator[None]:
    """Compute with the same decimals whatever precision and traps the caller's program has set."""
    traps = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    rounding = decimal.ROUND_HALF_EVEN
    with decimal.localcontext(decimal.Context(28, rounding, -999_999, 999_999, 1, 0, [], traps)):
        yield


@use_own_decimals()
def explain_two_readings(text: str, *, is_whole: bool) -> str | None:
    """Return the message on a number that can be meant in two ways, such as `1.000`; else None.

    Whole numbers take commas between thousands: 12,500.
    """
    match = _TWO_READINGS.fullmatch(text.strip())
    if match is None or (is_whole and match["mark"] == "," and not match["unit"]):
        return None
    unit = 1000 ** ("kmg".index(match["unit"].lower()) + 1 if match["unit"] else 0)
    digits = match["digits"].replace(",", ".")
    small, large = decimal.Decimal(digits) * unit, decimal.Decimal(digits.replace(".", "")) * unit
    readings = f"{small.normalize():f} or {large.normalize():f}"
    return f"{shorten(text.strip())} can mean {readings}: write one of these"


_TWO_READINGS = re.compile(
    r"[+-]?(?P<digits>[1-9]\d{0,2}(?P<mark>[.,])\d{3})\s*(?P<unit>[kmg])?", re.ASCII | re.IGNORECASE
)
"""A decimal number, or thousands with a mark between."""


def find_similar(wrong: str, right: Iterable[str]) -> list[str]:
    """Return a name that differs by a slip, those that contain the wrong one, or the nearest.

    The slip may be in one word of several names.  Names that begin with the wrong one come before
    those that contain it elsewhere.  Case does not matter; less than three characters are contained
    in too many names.
    """
    names = {name.casefold(): name for name in right}
    text = shorten(wrong).casefold()
    slip = difflib.get_close_matches(text, names, n=1, cutoff=_SLIP)
    words = {word for name in names for word in name.split("_")}
    part = next(iter(difflib.get_close_matches(text, sorted(words), n=1, cutoff=_SLIP)), text)
    containing = [name for name in names if len(part) > 2 and part in name]
    beginning = [name for name in names if len(text) > 2 and name.startswith(text)]
    similar = slip or beginning or containing or difflib.get_close_matches(text, names, n=1)
    if not similar and text:
        alike = [name for name in names if name.startswith(text[0])]
        similar = difflib.get_close_matches(text, alike, n=1, cutoff=_SAME_LETTER)
    return [names[name] for name in similar[:_MOST_SUGGESTIONS]]


def suggest(wrong: str, right: Iterable[str]) -> str:
    """Return "did you mean this, that or those?" for a wrong name; empty if nothing is similar."""
    similar = find_similar(wrong, right)
    return f"did you mean {join_words(similar, 'or')}?" if similar else ""


def suggest_names(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """Return the end of an error: the nearest known name, all, or the command that lists them."""
    known = sorted(known)
    similar = find_similar(name, known)
    if similar:
        return f"did you mean {' or '.join(map(repr, similar))}?"
    if listed_by and len(known) > _MAX_NAMES:
        return f"{listed_by} lists the {len(known)} there are"
    return f"known: {', '.join(known) or 'none'}"


def describe_error(error: BaseException) -> str:
    """Return the class and the text of an exception of a user's program, whose text may fail."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(message: str) -> str:
    """Return a message on one line of at most `LONGEST_LINE` characters.

    This is the last guard: values are shortened where a message repeats them.
    """
    words = [
        visible(_LONG_WORD.sub(lambda word: shorten(word[0]), word)) for word in message.split()
    ]
    return shorten(" ".join(words), LONGEST_LINE)


def suggest_file(path: str | os.PathLike[str]) -> str:
    """Return the end of an error about a missing file: a similar name, or a missing folder."""
    folder, name = os.path.split(os.fspath(path))
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return f"; there is no folder {shorten(folder)}"
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {shorten(os.path.join(folder, near[0]))}?" if near else ""


def shell_join(words: list[str]) -> str:
    """Return a command line that a shell splits into these words, all in printable characters.

    A word with control characters or bytes that are not UTF-8 is written as bash, ksh and zsh
    read them, $'a\\xff'.
    """
    return " ".join(map(_shell_quote, words))


def _shell_quote(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{visible(escaped)}'"


def _visible_character(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return repr(character)[1:-1]
