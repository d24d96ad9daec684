"""The error of everything that is wrong with a policy, and the names that come nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PolicyError(ValueError):
    """A policy that does not exist, does not compile, or is written wrongly; one line."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error line: the nearest known name, or all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known) or 'none'}"
