"""The error for everything that is wrong with a policy, with a suggestion of the nearest name."""

from __future__ import annotations

from collections.abc import Iterable

from kqj_sim.messages import find_similar, visible


class PolicyError(ValueError):
    """A policy that does not exist, does not compile or is written wrongly; the message is one
    line.

    Example:
        >>> import kqj_sim as kqj
        >>> try:
        ...     kqj.simulate(policy="standart")
        ... except kqj.PolicyError as error:
        ...     print(error)
        no policy 'standart'; did you mean 'standard'?
    """

    def __init__(self, message: str) -> None:
        # It may quote a file.
        super().__init__(visible(message))


_MAX_NAMES = 20
"""Most names to list in one line."""


def suggest_names(name: str, known: Iterable[str], listed_by: str = "") -> str:
    """Return the end of an error line: the nearest known name, or all of them.

    If there are too many for a line, it names the command `listed_by` that lists them.
    """
    known = sorted(known)
    similar = find_similar(name, known)
    if similar:
        return f"did you mean {' or '.join(map(repr, similar))}?"
    if listed_by and len(known) > _MAX_NAMES:
        return f"{listed_by} lists the {len(known)} there are"
    return f"known: {', '.join(known) or 'none'}"
