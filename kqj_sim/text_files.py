"""Files to be read: text in the encodings in which people save it, and bounds for what is read.

UTF-8 with or without a byte order mark, and UTF-16 with one, are read alike.  Whatever is wrong
with a file is an OSError with its name, as of a file that does not exist.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

MAX_BYTES = 1 << 24
"""Most bytes of a file that is read as a whole, and of a line of the others."""
MAX_RECORD_BYTES = 1 << 28
"""Most bytes of a typed file of rounds, or of a record on several lines: read as a whole."""

WRONG_ENCODING = "not text in UTF-8: save the file as UTF-8"

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


@contextmanager
def open_stream(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], str]]:
    """Open a file, - for stdin; give it and its name for errors."""
    if path != "-":
        with open(path, "rb") as stream:
            yield stream, os.fspath(path)
        return
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed: name a file, or write to it", "stdin")
    yield sys.stdin.buffer, "stdin"


@contextmanager
def open_lines(path: str | os.PathLike[str]) -> Iterator[Iterator[bytes]]:
    """Open a file, - for stdin; give its lines as `iterate_lines`."""
    with open_stream(path) as (stream, name):
        yield iterate_lines(stream, name)


def count_lines(path: str | os.PathLike[str]) -> int:
    """Return the number of lines of a file; 0 for what can be read only once, such as a pipe."""
    if not os.path.isfile(path):
        return 0
    with open(path, "rb") as stream:
        return sum(1 for _ in stream)


def read_bytes(path: str | os.PathLike[str], most: int = MAX_BYTES) -> bytes:
    """Return the content of a file; raise OSError for a device, and for more than `most` bytes."""
    with open(path, "rb") as stream:
        _refuse_device(stream, os.fspath(path))
        content = stream.read(most + 1)
    if len(content) > most:
        raise _make_size_error("it", most, os.fspath(path))
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file; raise OSError as `read_bytes`, and for another encoding."""
    return decode_text(read_bytes(path), os.fspath(path))


def decode_text(content: bytes, name: str) -> str:
    """Return the text of the file `name`; raise OSError for another encoding."""
    content = convert_to_utf8(content)
    if not is_utf8(content):
        raise OSError(errno.EILSEQ, WRONG_ENCODING, name)
    return content.decode()


def is_utf8(content: bytes) -> bool:
    """Return True for text in UTF-8; a NUL, as in other encodings, is no part of a text."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def convert_to_utf8(content: bytes) -> bytes:
    """Return text in UTF-8 without byte order mark; other encodings as they are."""
    if content.startswith(_UTF16_MARKS) and not content.startswith(_UTF32_MARKS):
        try:
            return content.decode("utf-16").encode()
        except UnicodeError:
            return content
    return content.removeprefix(codecs.BOM_UTF8)


def iterate_lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of a file in UTF-8, without byte order mark, as they are read.

    A line that is not UTF-8 is yielded as it is, so that the others can be read.

    Raises:
        OSError: it cannot be read, is a device, is UTF-16 with wrong characters, or has a line of
            more than MAX_BYTES bytes.
    """
    _refuse_device(stream, name)
    first = _read_line(stream, name)
    if first.startswith(_UTF16_MARKS) and not first.startswith(_UTF32_MARKS):
        yield from _iterate_utf16(first, stream, name)
        return
    line = first.removeprefix(codecs.BOM_UTF8)
    while line:
        yield line
        line = _read_line(stream, name)


def _refuse_device(stream: IO[bytes], name: str) -> None:
    """Raise OSError for a device other than a terminal and the empty one: it has no end."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # a stream in memory
        return
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    is_empty = os.path.exists(os.devnull) and os.path.samestat(status, os.stat(os.devnull))
    if is_device and not is_empty and not stream.isatty():
        raise OSError(errno.EINVAL, "a device, not a file of text", name)


def _read_line(stream: IO[bytes], name: str) -> bytes:
    line = stream.readline(MAX_BYTES + 1)
    if len(line) > MAX_BYTES:
        raise _make_size_error("a line", MAX_BYTES, name)
    return line


def _iterate_utf16(first: bytes, stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of a file in UTF-16, which goes on after the bytes `first`."""
    decoder = codecs.getincrementaldecoder("utf-16")()
    block, rest = first, ""
    try:
        while block:
            *lines, rest = (rest + decoder.decode(block)).split("\n")
            yield from (f"{line}\n".encode() for line in lines)
            block = _read_line(stream, name)
            if len(rest) > MAX_BYTES:
                raise _make_size_error("a line", MAX_BYTES, name)
        rest += decoder.decode(b"", final=True)
        if rest:
            yield rest.encode()
    except UnicodeError:
        raise OSError(errno.EILSEQ, WRONG_ENCODING, name) from None


def _make_size_error(part: str, most: int, name: str) -> OSError:
    return OSError(errno.EFBIG, f"{part} has more than {most >> 20:,} MB", name)
