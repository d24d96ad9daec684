"""The contents of users' files, which go along where their policies play on another machine."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_READ: dict[str, bytes] = {}
_SENT: ContextVar[Mapping[str, bytes] | None] = ContextVar("_SENT", default=None)


def read(path: Path) -> bytes:
    """The content of a file, or what was sent in its place; raises OSError."""
    sent = _SENT.get()
    if sent is None:
        if "\0" in str(path):  # No file name has it, and Python would raise a ValueError.
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        content = _READ[str(path)] = path.read_bytes()
        return content
    if str(path) not in sent:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return sent[str(path)]


def all_read() -> dict[str, bytes]:
    """The files that this process has read, by their paths as they were written."""
    return dict(_READ)


@contextmanager
def in_place_of_files(sent: Mapping[str, bytes]) -> Iterator[None]:
    """Meanwhile, in this thread, these contents are what there is, and no file is read."""
    token = _SENT.set(sent)
    try:
        yield
    finally:
        _SENT.reset(token)
