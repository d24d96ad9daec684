"""Files that are read by a command: by name, or stdin."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from kqj_sim.text_files import iterate_lines, read_stream


@contextmanager
def open_lines(file: str) -> Iterator[Iterator[bytes]]:
    """Open a file, - for stdin; give its lines as `iterate_lines`."""
    with _open_stream(file) as (stream, name):
        yield iterate_lines(stream, name)


def read_content(file: str, most: int) -> bytes:
    """Return the content of a file, - for stdin; raise OSError as `read_stream`."""
    with _open_stream(file) as (stream, name):
        return read_stream(stream, name, most)


@contextmanager
def _open_stream(file: str) -> Iterator[tuple[IO[bytes], str]]:
    """Open a file, - for stdin; give it and its name for errors."""
    if file != "-":
        with open(file, "rb") as stream:
            yield stream, file
        return
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed: name a file, or write to it", "stdin")
    yield sys.stdin.buffer, "stdin"
