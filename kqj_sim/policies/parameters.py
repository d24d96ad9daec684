"""Parameters of policies: what each means, what it may be, and how it is written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.weights import VERSIONS
from kqj_sim.rules import GameRules

NO_POLICY = "none"
"""What a parameter that names a policy may be if the policy can do without."""

Kind = Literal["number", "whole number", "flag", "policy"]

Value = float | str
"""The value of a parameter: the name of a policy as text, everything else as a float."""


@dataclass(frozen=True)
class Parameter:
    """What a policy lets its user set.

    Attributes:
        default: its value if none is given; of a flag 1.0 for true and 0.0 for false.
        meaning: one line.
        low, high: the least and the greatest value, both allowed; None: no limit.
        kind: "number", "whole number", "flag" (true or false) or "policy" (one of `choices`).
        choices: the policies that may be named.
        only: fields of the rules with the values with which alone it is read, such as
            (("teams", 2), ("bidding", "take")).

    Raises:
        PolicyError: the default is not allowed.
    """

    default: Value
    meaning: str = ""
    low: float | None = None
    high: float | None = None
    kind: Kind = "number"
    choices: tuple[str, ...] = ()
    only: tuple[tuple[str, int | str], ...] = ()

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "default", self.read(self.default))
        except PolicyError as error:
            raise PolicyError(f"default {self.default}: {error}") from None

    @property
    def is_number(self) -> bool:
        """Whether compiled functions get it; names of policies they do not."""
        return self.kind != "policy"

    @property
    def allowed(self) -> str:
        """What it may be: `a number from 0 to 300`, `true or false`, `linear or network`."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "policy":
            *others, last = self.choices
            return f"{', '.join(others)} or {last}" if others else last
        low = "" if self.low is None else f" from {write_number(self.low)}"
        high = "" if self.high is None else f" to {write_number(self.high)}"
        return f"a {self.kind}{low}{high}"

    @property
    def limits(self) -> str:
        """What it may be, as short as it can be said: `0 to 300`, `true or false`."""
        text = self.allowed
        closed = self.low is not None and self.high is not None
        return text.removeprefix("a number from ") if closed else text

    def matters(self, rules: GameRules) -> bool:
        """Whether it is read in a game by these rules."""
        return all(getattr(rules, name) == value for name, value in self.only)

    def read(self, given: object) -> Value:
        """The value that a text, or a value of a TOML file, stands for.

        A policy may be named with the version of its weights, `network@2`, if it is the package's.

        Raises:
            PolicyError: it is of another kind or out of range; the text says what it should be.
        """
        if self.kind == "policy":
            name = str(given).partition("@")[0]
            if isinstance(given, str) and name in self.choices:
                if given in (name, with_version(name)):
                    return name
                if name in VERSIONS:
                    raise PolicyError(f"the weights here are {with_version(name)}: write {name}")
            raise PolicyError(f"it should be {self.allowed}; {nearest(str(given), self.choices)}")
        if self.kind == "flag":
            texts = {"true": 1.0, "false": 0.0}
            value = texts.get(str(given).lower(), math.nan)
        else:
            value = _float(given)
        whole = self.kind != "whole number" or value.is_integer()
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not (math.isfinite(value) and low <= value <= high and whole):
            raise PolicyError(f"it should be {self.allowed}")
        return value

    def write(self, value: Value) -> str:
        """A value as text, which `read` takes back exactly."""
        if isinstance(value, str):
            return value
        return ("false", "true")[int(value)] if self.kind == "flag" else write_number(value)


def with_version(name: str) -> str:
    """The name of a policy, with the version of its weights if it has any: `network@2`."""
    return f"{name}@{VERSIONS[name]}" if name in VERSIONS else name


def _float(given: object) -> float:
    """A number, or a text that is one; else NaN."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return math.nan
    try:
        return float(given)
    except (ValueError, OverflowError):
        return math.nan


def write_number(value: float) -> str:
    """A number that reads back exactly, without the sign that stands between two policies."""
    return repr(float(value)).removesuffix(".0").replace("e+", "e")


def number(
    default: float, meaning: str = "", low: float | None = None, high: float | None = None
) -> Parameter:
    """A parameter that is a number from `low` to `high`; raises PolicyError as `Parameter`."""
    return Parameter(default, meaning, low, high)


def whole(
    default: int, meaning: str = "", low: int | None = None, high: int | None = None
) -> Parameter:
    """A parameter that is a whole number from `low` to `high`; raises as `Parameter`."""
    return Parameter(default, meaning, low, high, "whole number")


def flag(default: bool, meaning: str = "") -> Parameter:
    """A parameter that is true or false; compiled functions get 1.0 or 0.0."""
    return Parameter("true" if default else "false", meaning, kind="flag")


def named(default: str, choices: tuple[str, ...], meaning: str = "") -> Parameter:
    """A parameter that is the name of one of some policies; raises as `Parameter`."""
    return Parameter(default, meaning, kind="policy", choices=choices)
