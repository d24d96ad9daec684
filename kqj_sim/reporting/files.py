"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO


class OutputFile:
    """A file to be written: a temporary one beside it, which takes its place on success.

    A context manager that gives the file open for writing bytes.  Entering it makes the
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
                raise self._unwritable(error) from None
            return self._stream
        if self.path.exists() and not os.access(self.path, os.W_OK):
            raise self._unwritable(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        try:
            handle, self._temporary = tempfile.mkstemp(
                prefix=f".{self.path.name[:100]}.", suffix=".part", dir=self.path.parent
            )
        except OSError as error:
            raise self._unwritable(error) from None
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
                os.chmod(self._temporary, self._mode())
                os.replace(self._temporary, self.path)
        finally:
            if not self._direct:
                Path(self._temporary).unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> OSError:
        """The error with the path asked for, which alone the user knows."""
        reason = error.strerror
        if not self.path.parent.is_dir():
            reason = f"the folder {self.path.parent} does not exist"
        return OSError(error.errno, f"cannot be written: {reason}", str(self.path))

    def _mode(self) -> int:
        """Permissions of the file that is replaced, or those of any new file."""
        if self.path.exists():
            return self.path.stat().st_mode & 0o777
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
