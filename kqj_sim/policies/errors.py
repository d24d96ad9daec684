"""The error of everything that is wrong with a policy, and the names that come nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from kqj_sim.messages import shorten


class PolicyError(ValueError):
    """A policy that does not exist, does not compile, or is written wrongly; one line."""


_MAX_NAMES = 20
"""Known names that a line has room for."""


def suggest_names(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """The end of an error line: the nearest known name, or all of them.

    Too many for a line are those that the command line `listed_by` lists.
    """
    known = sorted(known)
    close = difflib.get_close_matches(shorten(name), known, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    if listed_by and len(known) > _MAX_NAMES:
        return f"{listed_by} lists the {len(known)} there are"
    return f"known: {', '.join(known) or 'none'}"
