"""Temporary files and folders beside what they will replace, and those that killed runs left.

Each is locked as long as its run lives: the system drops the lock however the run ends, so that the
next run can tell what was left.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kqj_sim.signals import temporary_paths

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:
    # Windows refuses to delete open files, which is as good for files; left folders stay.
    flock = None  # type: ignore[assignment]

SUFFIX = ".part"
_RANDOM = "?" * 8
"""The characters that `tempfile` chooses."""


class TemporaryPath:
    """A file or folder that is locked, and removed if the process ends at once.

    Attributes:
        path: its path.
        handle: the open file; of a folder, the descriptor that holds the lock, or -1.
    """

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self.handle = handle
        self._lock = handle
        temporary_paths.add(path)

    @classmethod
    def create_file(cls, folder: Path, prefix: str) -> TemporaryPath:
        """Create a file; remove those of the same prefix that killed runs left."""
        _remove_leftovers(folder, prefix)
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=SUFFIX, dir=folder)
        found = cls(name, handle)
        # A descriptor of its own keeps the lock when the file is closed, until it is replaced.
        found._lock = os.dup(handle) if _lock(handle) else -1
        return found

    @classmethod
    def create_folder(cls, folder: Path) -> TemporaryPath:
        """Create a folder; the caller removes those that killed runs left."""
        name = tempfile.mkdtemp(prefix=".", suffix=SUFFIX, dir=folder)
        handle = -1
        if flock is not None:
            handle = os.open(name, os.O_RDONLY)
            _lock(handle)
        return cls(name, handle)

    def remove(self) -> None:
        """Remove it if it is still there, and drop the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            os.unlink(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        temporary_paths.discard(self.path)


def remove_left_folders(folder: Path) -> None:
    """Remove the temporary folders in a folder that killed runs left."""
    if flock is not None:
        _remove_leftovers(folder, ".")


def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove files or folders of this prefix that no process has locked."""
    from glob import escape

    for path in folder.glob(f"{escape(prefix)}{_RANDOM}{SUFFIX}"):
        with suppress(OSError):
            remove: Callable[[Path], object] = shutil.rmtree if path.is_dir() else os.unlink
            if flock is None:
                remove(path)
                continue
            handle = os.open(path, os.O_RDONLY)
            try:
                if _lock(handle):
                    remove(path)
            finally:
                os.close(handle)


def _lock(handle: int) -> bool:
    """Lock an open file or folder; return False if another process has, or there are no locks."""
    if flock is None:
        return False
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True
