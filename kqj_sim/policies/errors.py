"""The error for everything that is wrong with a policy, with a suggestion of the nearest name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from kqj_sim.messages import shorten


class PolicyError(ValueError):
    """A policy that does not exist, does not compile or is written wrongly; the message is one
    line."""


_MAX_NAMES = 20
"""Most names to list in one line."""


def suggest_names(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """Return the end of an error line: the nearest known name, or all of them.

    If there are too many for a line, it names the command `listed_by` that lists them.
    """
    known = sorted(known)
    close = difflib.get_close_matches(shorten(name), known, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    if listed_by and len(known) > _MAX_NAMES:
        return f"{listed_by} lists the {len(known)} there are"
    return f"known: {', '.join(known) or 'none'}"
