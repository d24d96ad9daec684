"""Output files and folders that appear whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from kqj_sim.errors import InputError
from kqj_sim.signals import temporary_paths

# Temporary files and folders beside what they will replace, and those that killed runs left.
#
# A file of our own prefix is locked as long as its run lives, and marks the folder that belongs to
# it: the system drops the lock however the run ends, so that the next run can tell what was left.

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


SIDECAR_SUFFIX = ".run.json"


class OutputFolder:
    """A folder to be filled: its files are written aside and put in place on success.

    A context manager.  Entering it raises InputError if the folder is not empty (unless `force`),
    and OSError if it cannot be written, before any work is done.  A new folder appears with all its
    files at once.  With `force` files of the same names are replaced and others stay.  Leaving it
    by an exception leaves the folder as it was.
    """

    def __init__(self, path: str | Path, force: bool = False) -> None:
        self.path = Path(path)
        self.force = force

    def __enter__(self) -> OutputFolder:
        try:
            target = self._target = follow_links(self.path)
            self._is_new = not target.exists()
            if not self._is_new:
                self._check_existing()
            with ExitStack() as stack:
                # A folder that exists may be the only one in which we may write.
                beside = target if self._is_new else target / target.name
                self._temporary = TemporaryPath(beside)
                stack.callback(self._temporary.remove)
                if not self._temporary.is_alone:
                    raise InputError(f"another run is writing {self.path}: name another folder")
                self._temporary.folder.mkdir()
                self._stack = stack.pop_all()
        except OSError as error:
            raise make_write_error(self.path, error) from None
        return self

    def _check_existing(self) -> None:
        """Raise an error unless the folder may be filled; it may hold what killed runs left."""
        if not self._target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "exists and is not a folder")
        names = os.listdir(self._target)
        if not self.force and not all(name.startswith(PREFIX) for name in names):
            raise InputError(
                f"{self.path} is not empty: name another folder, or give `force` to replace "
                "files of the same names"
            )

    def get_path(self, name: str) -> Path:
        """Return the path to which to write a file of this name, such as `tables/taking.csv`."""
        path = self._temporary.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, content: bytes) -> None:
        """Write a file; raise OSError, with the name that it would have had."""
        try:
            self.get_path(name).write_bytes(content)
        except OSError as error:
            raise OSError(
                error.errno, f"cannot be written: {error.strerror}", str(self.path / name)
            ) from None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack:
            try:
                if kind is None and self._is_new:
                    os.rename(self._temporary.folder, self._target)
                elif kind is None:
                    self._replace_files()
            except OSError as failure:
                raise make_write_error(self.path, failure) from None

    def _replace_files(self) -> None:
        """Put the files into an existing folder, only once all are written beside their targets."""
        folder = self._temporary.folder
        with ExitStack() as stack:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                target = self.path / path.relative_to(folder)
                if not self.force and target.exists():
                    raise FileExistsError(errno.EEXIST, f"{target.name} already exists")
                if not target.parent.exists():
                    target.parent.mkdir(parents=True)
                    stack.callback(_remove_empty_folder, target.parent)
                stream = stack.enter_context(OutputFile(target))
                with path.open("rb") as source:
                    shutil.copyfileobj(source, stream)


def _remove_empty_folder(path: Path) -> None:
    with suppress(OSError):
        path.rmdir()


def make_sidecar_path(path: str | Path) -> Path | None:
    """Return the path of the run of a CSV file, `deals.run.json`; None beside a pipe or device."""
    path = Path(path)
    if path.exists() and not path.is_file():
        return None
    return path.with_suffix(SIDECAR_SUFFIX)


class OutputFile:
    """A file to be written: a temporary one beside it, which takes its place on success.

    A context manager that returns the file, open for writing bytes.  Entering it makes the
    temporary file, so that a path that cannot be written raises its OSError before any work
    is done, as does the target of another open output (InputError).  Leaving it by an
    exception, or without anything written, removes the temporary file and touches nothing else.
    A symbolic link is followed; another hard link keeps the old content, since writing into the
    file could leave half of it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __enter__(self) -> IO[bytes]:
        self._temporary: TemporaryPath | None = None
        descriptor = _find_standard_stream(self.path)
        try:
            with ExitStack() as stack:
                if descriptor is not None:
                    handle = os.dup(descriptor)
                elif self.path.exists() and not self.path.is_file():
                    # A device or a named pipe cannot be replaced by a file.
                    handle = os.open(self.path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
                else:
                    self._target = follow_links(self.path)
                    self._claim(stack)
                    self._temporary = TemporaryPath(self._target)
                    stack.callback(self._temporary.remove)
                    handle = os.dup(self._temporary.handle)
                self._stack = stack.pop_all()
        except OSError as error:
            raise make_write_error(self.path, error) from None
        self._stream = io.BufferedWriter(_NamedWriter(handle, self.path))
        return self._stream

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack:
            try:
                self._stream.close()
                temporary = self._temporary
                if kind is None and temporary is not None and os.path.getsize(temporary.path):
                    temporary.replace(self._target, _choose_mode(self._target))
            except OSError as failure:
                if kind is None:  # Else it fails again for the same reason.
                    raise make_write_error(self.path, failure) from None

    def _claim(self, stack: ExitStack) -> None:
        """Keep other outputs from the target until `stack` closes."""
        keys: set[object] = {self._target}
        if self._target.exists():
            if not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            if _is_mounted(self._target):
                raise OSError(errno.EBUSY, "it is mounted by itself, so mount its folder instead")
            status = self._target.stat()
            keys.add((status.st_dev, status.st_ino))
        if keys & _OPEN_TARGETS:
            raise InputError(f"{self.path} is named for two outputs: give each its own file")
        _OPEN_TARGETS.update(keys)
        stack.callback(_OPEN_TARGETS.difference_update, keys)


_OPEN_TARGETS: set[object] = set()
"""The targets of the outputs that are open: their paths, and the device and number of a file."""


class _NamedWriter(io.FileIO):
    """A file whose errors name the path that the user gave."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise make_write_error(self._path, error) from None


def _find_standard_stream(path: Path) -> int | None:
    """Return the descriptor of stdout or stderr if `path` names the same file; else None."""
    with suppress(OSError):
        status = path.stat()
        for descriptor in (1, 2):
            with suppress(OSError):
                if os.path.samestat(status, os.fstat(descriptor)):
                    return descriptor
    return None


def follow_links(path: Path) -> Path:
    """Return the path to which symbolic links lead; raise OSError if they lead in a circle."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _is_mounted(path: Path) -> bool:
    """Return True for a file that is mounted by itself, which cannot be replaced."""
    with suppress(OSError), open("/proc/self/mountinfo", errors="surrogateescape") as lines:
        return any(line.split()[4] == str(path) for line in lines)
    return False


def _choose_mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those of any new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def make_write_error(path: Path, error: OSError) -> OSError:
    """Return the error with the path that the user gave."""
    reason = error.strerror or str(error)
    if not reason.startswith("cannot be written"):
        if not path.parent.is_dir():
            reason = f"the folder {path.parent} does not exist"
        reason = f"cannot be written: {reason}"
    return OSError(error.errno, reason, str(path))
