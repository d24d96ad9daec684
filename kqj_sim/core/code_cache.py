"""The folder of compiled code, and how code is loaded from it.

numba's file cache notices changes of a decorated function's own file only; an edit of a function
that it calls would silently give old results.  So the cache folder's name has a hash of the
engine's sources and of the versions of numba and Python.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
import platformdirs

from kqj_sim.core.numba_internals import PLAIN_VARIABLE, TESTED_NUMBA
from kqj_sim.core.types import Kernel, Numba

PACKAGE = Path(__file__).resolve().parent.parent


ABOVE_THE_ENGINE = ("analysis", "api", "commands", "notation", "referee", "reporting")
"""Folders that no kernel outside them uses: an edit there need not compile the engine anew."""


def hash_sources(*, without: tuple[str, ...] = ()) -> str:
    """Return a hash of the package's sources, 16 hexadecimal digits.

    Sources are Python and TOML files: fitted numbers become constants of compiled code.

    Args:
        without: folders of the package to leave out.
    """
    digest = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]):
        inside = path.relative_to(PACKAGE)
        if inside.parts[0] in without:
            continue
        digest.update(inside.as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _locate_cache() -> Path:
    """Return the folder for this state of the sources, of numba and of Python."""
    root = numba.config.CACHE_DIR or platformdirs.user_cache_dir("kqj-sim", appauthor=False)
    sources = hash_sources(without=ABOVE_THE_ENGINE)
    state = f"{sources} {numba.__version__} {sys.version}{os.environ.get(PLAIN_VARIABLE, '')}"
    return Path(root) / f"compiled-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


CACHE_FOLDER = _locate_cache()


def has_cached_kernels() -> bool:
    """Return True if an earlier process left compiled kernels for these sources."""
    return CACHE_FOLDER.is_dir() and any(CACHE_FOLDER.rglob("*.nbi"))


LOADS_QUICKLY = numba.__version__.startswith(TESTED_NUMBA) and not os.environ.get(PLAIN_VARIABLE)
"""True if loading does without preparing numba to compile, which uses internals of numba."""


def keep_on_disk(compiled: Kernel) -> None:
    """Have the code of a kernel or C function kept in CACHE_FOLDER, and loaded from there."""
    with cache_folder():
        compiled.enable_caching()
    if LOADS_QUICKLY:
        compiled._cache.__class__ = _define_quick_cache()


@contextmanager
def cache_folder() -> Iterator[None]:
    """Have numba keep what is decorated meanwhile in CACHE_FOLDER."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


@functools.cache
def _define_quick_cache() -> Numba:
    """Return numba's cache, but loading from it does not prepare numba to compile.

    To prepare takes a tenth of a second, since numba then registers all that it can compile.  Of
    code on disk, only that which calls Python back ("object mode") needs it.
    """
    from numba.core.caching import FunctionCache
    from numba.core.runtime import rtsys

    class QuickCache(FunctionCache):  # type: ignore[misc]
        """A cache that loads without `context.refresh()`."""

        def load_overload(self, signature: Numba, context: Numba) -> Numba:
            """Return the compiled code for a signature, or None if there is none."""
            rtsys.initialize(context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(signature, context)

    return QuickCache
