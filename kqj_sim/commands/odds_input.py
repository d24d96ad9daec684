"""The options of the command `odds` that describe a position, as people write them."""

from __future__ import annotations

import re
from typing import Any

import click

from kqj_sim.arguments import ArgumentError, parse_turn

_CALL_PATTERN = re.compile(
    r"(?:pass|p|takes?|play|counter|x|xx|overcounter|(?:[89]|[1-6][02-9])0\D*),?", re.IGNORECASE
)
"""A call, such as `pass` or `120h`, but not `910h`, nine and ten of hearts."""


class TurnType(click.ParamType["tuple[int, int] | str"]):
    """A card of a trick, such as `3.2`: trick 3, card 2; or a call, such as `c.4`."""

    name = "turn"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int] | str:
        """Return trick (1 to 8) and card (1 to 6), or a call; raise BadParameter for others."""
        try:
            return parse_turn(value)
        except ArgumentError as error:
            self.fail(str(error), param, ctx)


def join_cards(words: tuple[str, ...]) -> str | None:
    """Return the words of CARDS as one text; None if there are none.

    Raises:
        UsageError: a word is a call, which belongs to --heard.
    """
    for word in words:
        if _CALL_PATTERN.fullmatch(word):
            raise click.UsageError(
                f"'{word}' is a call among the cards: write calls between quotes, such as --heard "
                "'pass, 120 h'"
            )
    return " ".join(words) or None
