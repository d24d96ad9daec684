"""Fallback for releases of numba that lack internals which a module uses."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from pydoc import locate

import numba

TESTED_NUMBA = "0.68."
"""Releases with which the tests were run; others are tried out at each start."""
PLAIN_VARIABLE = "_KQJ_SIM_PLAIN_NUMBA"
"""Environment variable that makes the package do without INTERNALS, without a warning."""


def must_be_plain(internals: Iterable[str], work: Callable[[], bool]) -> bool:
    """Return True if internals of numba cannot be used, with a warning unless that was asked for.

    Args:
        internals: their dotted names.
        work: tries them out; called for releases of numba that the tests do not cover.
    """
    if os.environ.get(PLAIN_VARIABLE):
        return True
    reason = ""
    missing = [name for name in internals if locate(name) is None]
    if missing:
        reason = f"it has no {', '.join(missing)}"
    elif not numba.__version__.startswith(TESTED_NUMBA):
        try:
            reason = "" if work() else "its internals give other results"
        except Exception as error:
            reason = f"its internals have changed ({type(error).__name__}: {error})"
    if reason:
        warnings.warn(
            f"numba {numba.__version__} is newer than this package knows: {reason}. Results are "
            f"the same, but simulations are slower; numba {TESTED_NUMBA}* is fast.",
            RuntimeWarning,
            stacklevel=2,
        )
    return bool(reason)
