"""Parameters of policies that their users can set."""

from __future__ import annotations

import keyword
import math
from dataclasses import dataclass
from typing import Any, Literal

from kqj_sim.errors import InputError, locate_errors
from kqj_sim.messages import explain_two_readings, represent, shorten, suggest_names
from kqj_sim.plain import to_plain
from kqj_sim.policies.weights import VERSIONS
from kqj_sim.rules import GameRules

NO_POLICY = "none"
"""Value of a parameter that names a policy, if the policy can do without one."""

ParameterKind = Literal["number", "whole number", "flag", "policy"]

ParameterValue = float | str
"""Value of a parameter: text for the name of a policy, a float for everything else."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a policy that its user can set.

    Attributes:
        default: the value if none is given; 1.0 for true and 0.0 for false if it is a flag.
        meaning: one line.
        low, high: the lowest and the highest value, both allowed; None for no limit.
        kind: "number", "whole number", "flag" (true or false) or "policy" (one of `choices`).
        three_teams: the default with three teams, where that has one of its own.
        bidding: the bidding without which the parameter has no effect; empty for none.

    Raises:
        InputError: the default is not allowed.
    """

    default: ParameterValue
    meaning: str = ""
    low: float | None = None
    high: float | None = None
    kind: ParameterKind = "number"
    choices: tuple[str, ...] = ()
    three_teams: float | None = None
    bidding: str = ""

    def __post_init__(self) -> None:
        for name in ("default", "low", "high", "choices"):
            object.__setattr__(self, name, to_plain(getattr(self, name)))
        values: dict[str, Any] = vars(self)
        for name in ("low", "high"):
            bound = values[name]
            if bound is not None and (isinstance(bound, str) or math.isnan(_parse_float(bound))):
                raise InputError(f"{name}: it is a number, not {shorten(represent(bound))}")
        if not isinstance(values["meaning"], str):
            raise InputError(f"meaning: it is a text, not {type(self.meaning).__name__}")
        names = values["choices"]
        is_list = isinstance(names, tuple | list) and all(isinstance(each, str) for each in names)
        if not is_list or (self.kind == "policy" and not names):
            given = shorten(represent(names))
            raise InputError(f"choices: they are names such as ('greedy', 'standard'), not {given}")
        with locate_errors(f"default {shorten(self.default)}"):
            object.__setattr__(self, "default", self.read(self.default))

    @property
    def is_number(self) -> bool:
        """True if compiled functions get the value; they do not get names of policies."""
        return self.kind != "policy"

    @property
    def allowed(self) -> str:
        """The allowed values: `a number from 0 to 300`, `true or false`, `none or network`."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "policy":
            *others, last = self.choices
            return f"{', '.join(others)} or {last}" if others else last
        if self.low is not None and self.low == self.high:
            return format_parameter_number(self.low)
        low = "" if self.low is None else f" from {format_parameter_number(self.low)}"
        high = "" if self.high is None else f" to {format_parameter_number(self.high)}"
        return f"a {self.kind}{low}{high}"

    @property
    def limits(self) -> str:
        """The allowed values in short: `0 to 300`, `true or false`."""
        text = self.allowed
        closed = self.low is not None and self.high is not None
        return text.removeprefix("a number from ") if closed else text

    @property
    def unset(self) -> ParameterValue | None:
        """The value in a policy that names none: the default, or None where rules decide."""
        return self.default if self.three_teams is None else None

    def get_default(self, rules: GameRules) -> ParameterValue:
        """Return the default by some rules."""
        if self.three_teams is not None and rules.team_count == 3:
            return self.three_teams
        return self.default

    @property
    def default_text(self) -> str:
        """The default as text, with three teams, too, if it is another there."""
        text = self.write(self.default)
        if self.three_teams is None:
            return text
        return f"{text}, with three teams {self.write(self.three_teams)}"

    def applies_to(self, rules: GameRules) -> bool:
        """Return True if games by these rules read the parameter."""
        return self.bidding in ("", getattr(rules, "bidding", ""))

    def read(self, given: object) -> ParameterValue:
        """Return the value of a text, or of a value in a TOML file.

        The name of a policy of this package may carry the version of its weights, `network@2`.

        Raises:
            InputError: wrong kind or out of range; the message says what is allowed.
        """
        given = to_plain(given)
        if self.kind == "policy":
            name = represent(given, str).partition("@")[0]
            if isinstance(given, str) and name in self.choices:
                if given in (name, append_version(name)):
                    return name
                if name in VERSIONS:
                    raise InputError(f"the weights here are {append_version(name)}: write {name}")
            raise InputError(
                f"it should be {self.allowed}; {suggest_names(represent(given, str), self.choices)}"
            )
        if self.kind == "flag":
            texts = {"true": 1.0, "false": 0.0}
            value = texts.get(represent(given, str).lower(), math.nan)
        else:
            value = _parse_float(given)
        message = self._explain_two_readings(given) if isinstance(given, str) else None
        if message is not None:
            raise InputError(message)
        whole = self.kind != "whole number" or value.is_integer()
        if not (self._is_within_limits(value) and whole):
            raise InputError(f"it should be {self.allowed}")
        return value

    def _is_within_limits(self, value: float) -> bool:
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return math.isfinite(value) and low <= value <= high

    def _explain_two_readings(self, text: str) -> str | None:
        """Return the message on a number that can mean two allowed ones, such as `1.250`."""
        message = explain_two_readings(text, is_whole=False)
        thousands = _parse_float(text.replace(".", "").replace(",", ""))
        if self.kind == "whole number" or self._is_within_limits(thousands):
            return message
        return None

    def write(self, value: ParameterValue) -> str:
        """Return a value as text that `read` turns back into exactly this value."""
        if isinstance(value, str):
            return value
        if self.kind == "flag":
            return ("false", "true")[int(value)]
        text = format_parameter_number(value)
        # Four decimals cannot be thousands.
        return text if self._explain_two_readings(text) is None else f"{text}0"


def append_version(name: str) -> str:
    """Return the name of a policy with the version of its weights, if it has any: `network@2`."""
    return f"{name}@{VERSIONS[name]}" if name in VERSIONS else name


def fix_version(policy: str) -> Parameter:
    """Return the parameter whose only value is the version of the package's weights of a policy."""
    version = VERSIONS[policy]
    return whole(version, "version of the package's weights", version, version)


def _parse_float(given: object) -> float:
    """Return a number or a text as a float, NaN if it is neither."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return math.nan
    try:
        return float(given)
    except (ValueError, OverflowError):
        return math.nan


def format_parameter_number(value: float) -> str:
    """Return a number as text that reads back exactly and has no `+`, which separates policies."""
    return repr(float(value)).removesuffix(".0").replace("e+", "e")


def number(
    default: float, meaning: str = "", low: float | None = None, high: float | None = None
) -> Parameter:
    """Return a parameter that is a number from `low` to `high`; raises InputError as
    `Parameter`.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.number(10, "points that make a trick worth winning", 0, 150).allowed
        'a number from 0 to 150'
    """
    return Parameter(default, meaning, low, high)


def whole(
    default: int, meaning: str = "", low: int | None = None, high: int | None = None
) -> Parameter:
    """Return a parameter that is a whole number from `low` to `high`; raises as `Parameter`.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.whole(4, "cards of a suit to take with", 1, 6).kind
        'whole number'
    """
    return Parameter(default, meaning, low, high, "whole number")


def flag(default: bool, meaning: str = "") -> Parameter:
    """Return a parameter that is true or false.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.flag(True, "lead trumps first").kind
        'flag'
    """
    return Parameter(represent(default, str), meaning, kind="flag")


def named(default: str, choices: tuple[str, ...], meaning: str = "") -> Parameter:
    """Return a parameter that names one of some policies; raises as `Parameter`.

    Example:
        >>> import kqj_sim as kqj
        >>> kqj.named("greedy", ("greedy", "standard"), "player of the playouts").choices
        ('greedy', 'standard')
    """
    return Parameter(default, meaning, kind="policy", choices=choices)


def check_parameter(policy: str, name: str, value: object, built_in: bool = False) -> Parameter:
    """Return a declared parameter as a `Parameter`; raises InputError if it cannot be one.

    Keywords of Python are for policies of the package that read their parameters by number.
    """
    keyword_refused = keyword.iskeyword(name) and not built_in
    if name.startswith("_") or keyword_refused or name == "policy":
        raise InputError(f"policy {policy!r}: a parameter cannot be called {name!r}")
    value = to_plain(value)
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool):
        return Parameter(str(value), kind="flag")
    if not isinstance(value, int | float):
        raise InputError(
            f"policy {policy!r}: parameter {name} should have a number as its default, or be "
            "number(...), whole(...), flag(...) or named(...)"
        )
    with locate_errors(f"policy {policy!r}: parameter {name}"):
        return Parameter(value)
