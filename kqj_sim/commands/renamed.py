"""Earlier names of options, so that a command line of an earlier version gets the new name."""

from __future__ import annotations

from collections.abc import Mapping

RENAMED_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "compare": {"field": "opponents", "until": "precision", "cap": "max-deals"},
    "odds": {
        "players": "policy",
        "with": "partners-at",
        "until": "precision",
        "turned": "return",
        "seconds": "time",
    },
    "report": {"rows": "save-rows"},
    "show": {"field": "opponents"},
    "sweep": {"field": "opponents", "until": "precision"},
    "tune": {"field": "opponents"},
}
"""The new name of an option by command and earlier name, without the leading dashes."""


def find_renamed_option(command: str, name: str) -> str | None:
    """Return the new name of an option, without dashes; None if it was never renamed.

    `name` may be written as on the command line (`--max-deals`) or as in files (`max_deals`).
    """
    return RENAMED_OPTIONS.get(command, {}).get(name.removeprefix("--").replace("_", "-").lower())
