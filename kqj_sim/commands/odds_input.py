"""The options of the command `odds` that describe a position, as people write them."""

from __future__ import annotations

import re
from typing import Any

import click

from kqj_sim.places import PlaceError, parse_place
from kqj_sim.rules import GameRules

_CALL_PATTERN = re.compile(
    r"(?:pass|p|takes?|play|counter|x|xx|overcounter|(?:[89]|[1-6][02-9])0\D*),?", re.IGNORECASE
)
"""A call, such as `pass` or `120h`, but not `910h`, nine and ten of hearts."""


class TrickCardType(click.ParamType[tuple[int, int]]):
    """A card of a trick, such as `3.2`: trick 3, card 2."""

    name = "turn"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the trick (1 to 8) and the card (1 to 6); raise BadParameter for others."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([1-8])\.([1-6])", str(value).strip())
        if match is None:
            self.fail(
                f"it is a trick, 1 to 8, and a card of it, 1 to 6, such as 3.2, not {value}",
                param,
                ctx,
            )
        return int(match[1]), int(match[2])


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


def read_place(option: str, text: str | None, rules: GameRules) -> int | None:
    """Return the place that an option names; raise UsageError if there is none."""
    if text is None:
        return None
    try:
        return parse_place(text, rules.seats)
    except PlaceError as error:
        raise click.UsageError(f"{option}: {error}") from None


def read_places(option: str, text: str | None, rules: GameRules) -> tuple[int, ...] | None:
    """Return the places that an option names; raise UsageError if one does not exist."""
    if text is None:
        return None
    words = text.replace(",", " ").split() or [text]
    places = (read_place(option, word, rules) for word in words)
    return tuple(place for place in places if place is not None)
