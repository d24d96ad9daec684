"""Temporary files and folders beside what they will replace, and those that killed runs left.

A file of our own prefix is locked as long as its run lives, and marks the folder that belongs to
it: the system drops the lock however the run ends, so that the next run can tell what was left.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path

from kqj_sim.signals import temporary_paths

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:
    # Windows refuses to delete open files, which is as good.
    flock = None  # type: ignore[assignment]

PREFIX, SUFFIX, FOLDER_SUFFIX = ".kqj-sim-", ".part", ".files"
_RANDOM = "?" * 8
"""The characters that `tempfile` chooses."""


class TemporaryPath:
    """A hidden, locked file beside its target, removed if the process ends at once.

    Attributes:
        path: its path.
        handle: the open file.
        folder: a folder for several files; the caller makes it.
        is_alone: False if another run is writing the same target.
    """

    def __init__(self, target: Path) -> None:
        # A name of its own length could be too long; the number keeps others' targets apart.
        prefix = f"{PREFIX}{zlib.crc32(os.fsencode(target.name)):08x}-"
        self.is_alone = _remove_leftovers(target.parent, prefix)
        self.handle, self.path = _create_locked(target.parent, prefix)
        self.folder = Path(self.path + FOLDER_SUFFIX)
        temporary_paths.update((self.path, str(self.folder)))

    def replace(self, target: Path, mode: int) -> None:
        """Put the complete file in the place of the target, with these permissions."""
        os.chmod(self.path, mode)
        if flock is None:
            self._close()  # Windows does not rename open files.
        os.replace(self.path, target)

    def remove(self) -> None:
        """Remove what is still there, and drop the lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if flock is None:
            self._close()
        with suppress(OSError):
            os.unlink(self.path)
        self._close()
        temporary_paths.difference_update((self.path, str(self.folder)))

    def _close(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _create_locked(folder: Path, prefix: str) -> tuple[int, str]:
    """Create and lock a file; return its descriptor and its path."""
    while True:
        handle, path = tempfile.mkstemp(prefix=prefix, suffix=SUFFIX, dir=folder)
        if flock is not None:
            with suppress(OSError):  # a file system without locks
                flock(handle, LOCK_EX)
        # Before it was locked, another run may have taken it for left and removed it.
        if os.path.exists(path):
            return handle, path
        os.close(handle)


def _remove_leftovers(folder: Path, prefix: str) -> bool:
    """Remove files of this prefix that no run has locked; return False if one has."""
    from glob import escape

    is_alone = True
    for path in folder.glob(f"{escape(prefix)}{_RANDOM}{SUFFIX}"):
        try:
            with ExitStack() as stack:
                if flock is not None:
                    # NFS locks only files that are open for writing.
                    flock(stack.enter_context(path.open("r+b")), LOCK_EX | LOCK_NB)
                path.unlink()
            shutil.rmtree(f"{path}{FOLDER_SUFFIX}", ignore_errors=True)
        except BlockingIOError:
            is_alone = False
        except OSError:
            continue
    return is_alone
