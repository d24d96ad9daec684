"""The extent of a run: how much is played, which deals, how precise, and how sure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kqj_sim.errors import InputError

DEFAULT_ERROR_RATE = 0.03
"""Chance that a call or card was an error of the assumed player, unless asked otherwise."""


@dataclass(frozen=True)
class Plan:
    """The extent of a run; what a question asks besides is in classes below it.

    Attributes:
        deals: number of deals; None: as many as it takes.
        precision: half-width of the interval at which to stop; None for none.
        time: limit in seconds; None for none.
        seed: seed of the deals, 0 to 2**63 - 1.
        first: number of the first deal, or of the first game.

    Raises:
        InputError: a number is out of range.
    """

    deals: int | None = None
    precision: float | None = None
    time: float | None = None
    seed: int = 1
    first: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.deals is not None:
            check_range("deals", self.deals, 1)
        check_range("seed", self.seed, 0, 2**63 - 1)
        check_range("first", self.first, 0)
        for name, value in (("precision", self.precision), ("time", self.time)):
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{name} is {value:g}: it should be above 0, such as 0.5")
        if not 0 < self.confidence < 1:
            raise InputError(
                f"confidence is {self.confidence:g}, not between 0 and 1, such as 0.95"
            )


def check_range(name: str, value: int, least: int, most: int | None = None) -> None:
    """Raise InputError if a number is out of range."""
    if most is None and value < least:
        raise InputError(f"{name} is {value}: it should be {least} or more")
    if most is not None and not least <= value <= most:
        raise InputError(f"{name} is {value}: it should be {least} to {most}")
