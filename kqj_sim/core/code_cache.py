"""The folder of compiled code, and how code is loaded from it.

numba's file cache notices changes of a decorated function's own file only; an edit of a function
that it calls would silently give old results.  So the cache folder's name has a hash of the
engine's sources and of all else that machine code depends on.  Whoever may write into the folder
may have code run, so it is used only if it is the user's alone.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
import platformdirs

from kqj_sim.core.types import Kernel, Numba

PACKAGE = Path(__file__).resolve().parent.parent


ABOVE_THE_ENGINE = (
    "__main__", "arguments", "cli", "commands", "env", "notation", "options", "output", "paired",
    "plan", "positions", "question", "questions", "referee", "results", "runner", "stats",
    "suffixes", "web", "games/kqj/answers", "games/kqj/call_sampler", "games/kqj/card_sampler",
    "games/kqj/report", "games/kqj/screen", "games/kqj/tables",
)  # fmt: skip
"""Parts of the package that no kernel outside them uses: an edit there need not compile the engine.
"""


def hash_sources(*, without: tuple[str, ...] = ()) -> str:
    """Return a hash of the sources, 16 hexadecimal digits, `without` some folders and modules.

    Sources are Python and TOML files: fitted numbers become constants of compiled code.
    """
    digest = hashlib.sha256()
    left_out = tuple(f"{part}{end}" for part in without for end in "/.")
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]):
        # Every start comes here: `is_relative_to` took thrice as long as all the rest, 12 ms.
        inside = path.relative_to(PACKAGE).as_posix()
        if not inside.startswith(left_out):
            digest.update(inside.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_CODE_SETTINGS = (
    "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "DEBUG_NRT", "DISABLE_INTEL_SVML",
    "EXTEND_VARIABLE_LIFETIMES", "LLVM_REFPRUNE_FLAGS", "LLVM_REFPRUNE_PASS", "LOOP_VECTORIZE",
    "OPT", "SLP_VECTORIZE",
)  # fmt: skip
"""Settings of numba that change machine code; those of the processor are in the files' names."""


def get_library_versions() -> dict[str, str]:
    """Return the versions of the libraries on which machine code depends, by name."""
    return {library.__name__: library.__version__ for library in (numba, llvmlite, np)}


def locate_cache() -> Path | None:
    """Return the folder for these sources, libraries and settings; None without a home folder."""
    try:
        root = numba.config.CACHE_DIR or platformdirs.user_cache_dir("kqj-sim", appauthor=False)
    except RuntimeError:
        return None
    state = [
        hash_sources(without=ABOVE_THE_ENGINE),
        get_library_versions(),
        sys.version,
        *(getattr(numba.config, name) for name in _CODE_SETTINGS),
    ]
    return Path(root) / f"compiled-{hashlib.sha256(repr(state).encode()).hexdigest()[:16]}"


CACHE_FOLDER = locate_cache()

DAY = 24 * 3600.0

UNUSED = 14 * DAY
"""Seconds without use after which the folder of another version is removed.

Another installed version notes each day on which it uses its folder.  If one in use is removed all
the same, its code is compiled again.
"""

SPARED = 3
"""Folders of other versions that are never removed: a clock that is wrong makes all look unused."""


def get_private_folder() -> Path:
    """Return the cache folder.

    Raises:
        OSError: it does not exist, there is no home folder, or others may write into it.
    """
    if CACHE_FOLDER is None:
        raise FileNotFoundError(errno.ENOENT, "there is no home folder")
    status = CACHE_FOLDER.stat()
    if not _is_trusted(status) or (hasattr(os, "getuid") and status.st_mode & 0o022):
        raise PermissionError(
            errno.EPERM,
            "others may write there and so have code run: NUMBA_CACHE_DIR may name a folder of "
            "yours alone",
        )
    return CACHE_FOLDER


def _is_trusted(status: os.stat_result) -> bool:
    """Return True for what belongs to this user or to root."""
    return not hasattr(os, "getuid") or status.st_uid in (0, os.getuid())


def has_cached_kernels(name: str = "*") -> bool:
    """Return True if an earlier process left kernels for these sources; or that of one name."""
    with suppress(OSError):
        return any(get_private_folder().glob(f"{name}-*.code"))
    return False


def can_keep_code() -> bool:
    """Return True if the cache folder can be written."""
    try:
        with tempfile.TemporaryFile(dir=_make_folder()) as file:
            file.write(bytes(1 << 16))
    except OSError:
        return False
    return True


def _make_folder() -> Path:
    """Return the cache folder, made if there is none; raises as `get_private_folder`."""
    if CACHE_FOLDER is not None:
        CACHE_FOLDER.parent.mkdir(parents=True, exist_ok=True)
        CACHE_FOLDER.mkdir(mode=0o700, exist_ok=True)
    return get_private_folder()


def keep(name: str, content: bytes) -> None:
    """Write a file of the cache folder, with a checksum; it appears whole or not at all."""
    folder = _make_folder()
    unfinished = folder / f"{name}.{uuid.uuid4().hex}"
    try:
        unfinished.write_bytes(_digest(content) + content)
        unfinished.replace(folder / name)
    finally:
        unfinished.unlink(missing_ok=True)


def read_kept(name: str) -> memoryview:
    """Return the content of a file of the cache folder.

    Raises:
        OSError: there is no such file, or the folder or the file may be another user's.
        ValueError: it is damaged.
    """
    with open(get_private_folder() / name, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not _is_trusted(status):
            raise ValueError("a file is a device or another user's")
        content = file.read()
    kept = memoryview(content)[_DIGEST_SIZE:]
    if content[:_DIGEST_SIZE] != _digest(kept):
        raise ValueError("a file is damaged")
    return kept


def _open_at_once(path: str, flags: int) -> int:
    """Open a file; a pipe, too, without waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def keep_on_disk(compiled: Kernel, function: Callable[..., Any]) -> None:
    """Have the code compiled of a function kept in CACHE_FOLDER, and loaded from there."""
    compiled._cache = CodeCache(function)


class CodeCache:
    """A function's compiled code on disk, in place of numba's own cache.

    There is a file per signature, which begins with a checksum of the rest.  Whatever cannot be
    loaded or kept is compiled.  numba's own cache fails with the first damaged file or folder
    that cannot be written; and its files are numbered in an index, so that of two processes that
    save at once each may load the other's code.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if function.__closure__:
            raise TypeError(f"{function.__qualname__}: a factory's functions are kept by names")
        self._function = function
        self.cache_path = str(CACHE_FOLDER or "")

    def load_overload(self, signature: Numba, context: Numba) -> Numba:
        """Return the compiled code for a signature, or None if there is none."""
        from numba.core.compiler import CompileResult
        from numba.core.runtime import rtsys

        note_use()
        # `context.refresh()` would prepare numba to compile, which takes a tenth of a second.  Only
        # code that calls Python back ("object mode") needs that.
        rtsys.initialize(context)
        try:
            content = read_kept(self._name(signature, context.codegen()))
            kept_for, reduced, bitcode = pickle.loads(content)
            if kept_for != signature:  # Types of different classes can have one name.
                return None
            result = CompileResult._rebuild(context, *reduced)
            result.library._get_module_for_linking = partial(llvm.parse_bitcode, bitcode)
            return result
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:
            _warn_once(
                f"compiled code in {CACHE_FOLDER} cannot be loaded ({_explain(error)}), so it is "
                "compiled again"
            )
            return None

    def save_overload(self, signature: Numba, result: Numba) -> None:
        """Keep the compiled code of a signature, unless it holds addresses of this process."""
        from numba.core.serialize import dumps

        if result.library.has_dynamic_globals:
            return
        try:
            content = dumps((signature, *_reduce(result)))
            keep(self._name(signature, result.codegen), content)
        except Exception as error:
            place = f" in {CACHE_FOLDER}" if CACHE_FOLDER else ""
            _warn_once(
                f"compiled code cannot be kept{place} ({_explain(error)}), so every run "
                "compiles it again: NUMBA_CACHE_DIR may name another folder"
            )

    def flush(self) -> None:
        """Do nothing: what is compiled again overwrites what was kept."""

    def _name(self, signature: Numba, codegen: Numba) -> str:
        function = self._function
        code = function.__code__
        state = (
            function.__module__, function.__qualname__, code.co_firstlineno, code.co_code,
            _hash_file(code.co_filename), str(signature), codegen.magic_tuple(),
        )  # fmt: skip
        module = function.__module__.partition(".")[2]
        name = re.sub(r"\W+", "_", function.__qualname__)[:80]
        return f"{module}.{name}-{_digest(repr(state).encode()).hex()[:32]}.code"


def _reduce(result: Numba) -> tuple[tuple[Numba, ...], bytes]:
    """Return what compiled code is rebuilt from, and LLVM's form of it for kernels that call it.

    LLVM's form is set apart, and only its names are left: to read it took longer than to link the
    machine code.  Environments of functions compiled into it hold constants for Python; those that
    have none are left out, since for each its module would be imported, such as numba's for text.
    """
    (name, kind, (code, bitcode)), *others, environments = result._reduce()
    module = llvm.parse_bitcode(bitcode)
    symbols = [*module.functions, *module.global_variables]
    names = llvm.parse_assembly(
        "\n".join(f'@"{each.name}" = global i8 0' for each in symbols if not each.is_declaration)
    )
    kept = tuple(environment for environment in environments if environment.consts)
    return ((name, kind, (code, names.as_bitcode())), *others, kept), bitcode


_DIGEST_SIZE = 32


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_SIZE).digest()


@functools.cache
def _hash_file(path: str) -> bytes:
    """Return a hash of a source file: those of `ABOVE_THE_ENGINE` are not in the folder's name."""
    return _digest(Path(path).read_bytes())


@functools.cache
def note_use() -> None:
    """Note that the folder is used, and remove those that have not been for long; once a day."""
    if CACHE_FOLDER is None:
        return
    now, last_uses = time.time(), dict[Path, float]()
    with suppress(OSError):  # It does not exist yet, or cannot be written.
        if abs(now - CACHE_FOLDER.stat().st_mtime) < DAY:
            return
        os.utime(CACHE_FOLDER)
    for other in {*CACHE_FOLDER.parent.glob("compiled-" + "[0-9a-f]" * 16)} - {CACHE_FOLDER}:
        with suppress(OSError):
            last_uses[other] = other.stat().st_mtime
    for other in sorted(last_uses, key=last_uses.__getitem__)[:-SPARED]:
        if now - last_uses[other] > UNUSED:
            shutil.rmtree(other, ignore_errors=True)


_warned = False


def _warn_once(message: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(message, RuntimeWarning, stacklevel=4)


def _explain(error: Exception) -> str:
    """Return what is wrong, without the name of the file."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
