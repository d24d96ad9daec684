"""Output files and folders that appear whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from kqj_sim.errors import InputError
from kqj_sim.output.temporary import TemporaryPath, remove_left_folders
from kqj_sim.signals import temporary_paths

SIDECAR_SUFFIX = ".run.json"


class OutputFolder:
    """A folder to be filled: its files are written aside and put in place on success.

    A context manager.  Entering it raises InputError if the folder is not empty (unless `force`),
    and OSError if it cannot be written, before any work is done.  With `force` files of the same
    names are replaced and others stay.  Leaving it by an exception leaves the folder as it was.
    """

    def __init__(self, path: str | Path, force: bool = False) -> None:
        self.path = Path(path)
        self.force = force

    def __enter__(self) -> OutputFolder:
        self._made = not self.path.exists()
        try:
            if self._made:
                self.path.mkdir()
                temporary_paths.add(str(self.path))
            elif not self.path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "is there, and no folder", str(self.path))
            else:
                remove_left_folders(self.path)
            if not self._made and not self.force and any(self.path.iterdir()):
                raise InputError(
                    f"{self.path} is not empty: name another folder, or give --force to replace "
                    "files of the same names"
                )
            self._temporary = TemporaryPath.create_folder(self.path)
            self._aside = Path(self._temporary.path)
        except OSError as error:
            raise make_write_error(self.path, error) from None
        return self

    def get_path(self, name: str) -> Path:
        """Return the path to which to write a file of this name, such as `tables/taking.csv`."""
        path = self._aside / name
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        finished = False
        try:
            if kind is None:
                self._put_in_place()
                finished = True
        finally:
            self._temporary.remove()
            if self._made and not finished:
                shutil.rmtree(self.path, ignore_errors=True)
            temporary_paths.discard(str(self.path))

    def _put_in_place(self) -> None:
        files = sorted(path for path in self._aside.rglob("*") if path.is_file())
        targets = [self.path / path.relative_to(self._aside) for path in files]
        for target in targets:
            if target.exists() and not (self.force and target.is_file()):
                raise InputError(f"{target} is there already: name another folder")
        for path, target in zip(files, targets, strict=True):
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                put_in_place(path, follow_links(target))
            except OSError as error:
                raise make_write_error(self.path, error) from None


def make_sidecar_path(path: str | Path) -> Path | None:
    """Return the path of the file with the run beside a CSV file, `deals.run.json`.

    A pipe or device has none.
    """
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
    A symbolic link is followed, and hard links go on naming the same file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __enter__(self) -> IO[bytes]:
        self._temporary: TemporaryPath | None = None
        descriptor = _find_standard_stream(self.path)
        try:
            if descriptor is not None:
                handle = os.dup(descriptor)
            elif self.path.exists() and not self.path.is_file():
                # A device or a named pipe cannot be replaced by a file.
                handle = os.open(self.path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            else:
                self._claim()
                self._temporary = TemporaryPath.create_file(
                    self._target.parent, f".{self._target.name[:100]}."
                )
                handle = self._temporary.handle
        except OSError as error:
            self._release()
            raise make_write_error(self.path, error) from None
        self._stream = io.BufferedWriter(_NamedWriter(handle, self.path))
        return self._stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._stream.close()
            temporary = self._temporary
            if kind is None and temporary is not None and os.path.getsize(temporary.path):
                put_in_place(temporary.path, self._target)
        except OSError as failure:
            if kind is None:  # Else it fails again for the same reason.
                raise make_write_error(self.path, failure) from None
        finally:
            if self._temporary is not None:
                self._temporary.remove()
            self._release()

    def _claim(self) -> None:
        """Find the target and keep other outputs from it."""
        self._target = follow_links(self.path)
        self._keys: set[object] = {self._target}
        if self._target.exists():
            if not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            status = self._target.stat()
            self._keys.add((status.st_dev, status.st_ino))
        if self._keys & _OPEN_TARGETS:
            self._keys = set()
            raise InputError(f"{self.path} is the file of two outputs: give each a file of its own")
        _OPEN_TARGETS.update(self._keys)

    def _release(self) -> None:
        if hasattr(self, "_keys"):
            _OPEN_TARGETS.difference_update(self._keys)


_OPEN_TARGETS: set[object] = set()
"""The targets of the outputs that are open: their paths, and the device and number of a file."""


class _NamedWriter(io.FileIO):
    """A file whose errors name the path that the user gave."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, content: Any) -> int:
        """Write bytes and return how many; raise OSError with the path."""
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


def put_in_place(temporary: str | Path, target: Path) -> None:
    """Put a complete file in the place of the target, which keeps its permissions."""
    if target.exists() and target.stat().st_nlink > 1:
        shutil.copyfile(temporary, target)  # All its names go on naming one file.
        return
    os.chmod(temporary, _choose_mode(target))
    try:
        os.replace(temporary, target)
    except OSError:
        if not target.is_file():
            raise
        # The target is on another file system, or mounted by itself.
        shutil.copyfile(temporary, target)


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
    if reason.startswith("cannot be written"):
        return error
    if not path.parent.is_dir():
        reason = f"the folder {path.parent} does not exist"
    return OSError(error.errno, f"cannot be written: {reason}", str(path))
