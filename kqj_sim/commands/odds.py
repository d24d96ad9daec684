"""The command `odds`: cards in several words."""

from __future__ import annotations

import re
from typing import Any

from kqj_sim.commands.from_function import prepare_answer
from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.question import CommandDescription

_CALL_PATTERN = re.compile(
    r"(?:pass|p|takes?|play|counter|x|xx|overcounter|(?:[89]|[1-6][02-9])0\D*),?", re.IGNORECASE
)
"""A call, such as `pass` or `120h`, but not `910h`, nine and ten of hearts."""


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write the answer."""
    answer = prepare_answer(asked, given)
    given["hand"] = join_cards(given["hand"])
    answer(given)


def join_cards(words: tuple[str, ...]) -> str | None:
    """Return the words of CARDS as one text, or None; raise InputError for a call (--heard)."""
    for word in words:
        if _CALL_PATTERN.fullmatch(word):
            raise InputError(
                f"{quote(word)} is a call among the cards: write calls between quotes, such as "
                "--heard 'pass, 120 h'"
            )
    return " ".join(words) or None
