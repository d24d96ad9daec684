"""Output files and folders that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO

SIDECAR_SUFFIX = ".run.json"


class FolderError(ValueError):
    """A folder that is not empty; one line that says what to do."""


class OutputFolder:
    """A folder to be filled: its files are written aside and put in place on success.

    A context manager.  Entering it raises FolderError if the folder is not empty (unless `force`),
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
            elif not self.path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "is there, and no folder", str(self.path))
            elif not self.force and any(self.path.iterdir()):
                raise FolderError(
                    f"{self.path} is not empty: name another folder, or give --force to replace "
                    "files of the same names"
                )
            self._aside = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=self.path))
        except OSError as error:
            raise self._make_write_error(error) from None
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
            shutil.rmtree(self._aside, ignore_errors=True)
            if self._made and not finished:
                shutil.rmtree(self.path, ignore_errors=True)

    def _put_in_place(self) -> None:
        files = sorted(path for path in self._aside.rglob("*") if path.is_file())
        targets = [self.path / path.relative_to(self._aside) for path in files]
        for target in targets:
            if target.exists() and not (self.force and target.is_file()):
                raise FolderError(f"{target} is there already: name another folder")
        for path, target in zip(files, targets, strict=True):
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(path, target)
            except OSError as error:
                raise self._make_write_error(error) from None

    def _make_write_error(self, error: OSError) -> OSError:
        reason = error.strerror
        if not self.path.parent.is_dir():
            reason = f"the folder {self.path.parent} does not exist"
        return OSError(error.errno, f"cannot be written: {reason}", str(self.path))


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
    is done.  Leaving it by an exception removes the temporary file and touches nothing else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __enter__(self) -> IO[bytes]:
        # What is not a regular file (/dev/stdout, a named pipe) cannot be replaced by one.
        self._direct = self.path.exists() and not self.path.is_file()
        if self._direct:
            try:
                self._stream: IO[bytes] = self.path.open("wb")
            except OSError as error:
                raise self._make_write_error(error) from None
            return self._stream
        if self.path.exists() and not os.access(self.path, os.W_OK):
            raise self._make_write_error(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        try:
            handle, self._temporary = tempfile.mkstemp(
                prefix=f".{self.path.name[:100]}.", suffix=".part", dir=self.path.parent
            )
        except OSError as error:
            raise self._make_write_error(error) from None
        self._stream = os.fdopen(handle, "wb")
        return self._stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._stream.close()
            if kind is None and not self._direct:
                os.chmod(self._temporary, self._choose_mode())
                os.replace(self._temporary, self.path)
        finally:
            if not self._direct:
                Path(self._temporary).unlink(missing_ok=True)

    def _make_write_error(self, error: OSError) -> OSError:
        """Return the error with the path that the user gave."""
        reason = error.strerror
        if not self.path.parent.is_dir():
            reason = f"the folder {self.path.parent} does not exist"
        return OSError(error.errno, f"cannot be written: {reason}", str(self.path))

    def _choose_mode(self) -> int:
        """Return the permissions of the file that is replaced, or those of any new file."""
        if self.path.exists():
            return self.path.stat().st_mode & 0o777
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
