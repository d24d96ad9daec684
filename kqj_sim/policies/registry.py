"""Policies by name: their definition, their parameters, and how they are found.

A policy decides with functions named `choose_take`, `choose_bid`, `choose_counter` and
`choose_overcounter` in KQJ, `choose_accept` in Kwajongen, and `choose_card` in both.  Decisions it
leaves out are made by the game's default player (`spec`).
"""

from __future__ import annotations

import importlib
import inspect
import keyword
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

from kqj_sim.core.jit import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.messages import quote
from kqj_sim.policies.binding import CALL_DECISIONS, VIEW_OF_DECISION, make_parameters_type
from kqj_sim.policies.errors import PolicyError, suggest_names
from kqj_sim.policies.user_policies import compile_user_function
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
        choices: names of the policies to choose from.
        only_with: fields of the rules and the values they need for the parameter to have an effect,
            such as (("teams", 2), ("bidding", "take")).

    Raises:
        PolicyError: the default is not allowed.
    """

    default: ParameterValue
    meaning: str = ""
    low: float | None = None
    high: float | None = None
    kind: ParameterKind = "number"
    choices: tuple[str, ...] = ()
    only_with: tuple[tuple[str, int | str], ...] = ()

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "default", self.read(self.default))
        except PolicyError as error:
            raise PolicyError(f"default {self.default}: {error}") from None

    @property
    def is_number(self) -> bool:
        """True if compiled functions get the value; they do not get names of policies."""
        return self.kind != "policy"

    @property
    def allowed(self) -> str:
        """The allowed values: `a number from 0 to 300`, `true or false`, `linear or network`."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "policy":
            *others, last = self.choices
            return f"{', '.join(others)} or {last}" if others else last
        low = "" if self.low is None else f" from {format_parameter_number(self.low)}"
        high = "" if self.high is None else f" to {format_parameter_number(self.high)}"
        return f"a {self.kind}{low}{high}"

    @property
    def limits(self) -> str:
        """The allowed values in short: `0 to 300`, `true or false`."""
        text = self.allowed
        closed = self.low is not None and self.high is not None
        return text.removeprefix("a number from ") if closed else text

    def applies_to(self, rules: GameRules) -> bool:
        """Return True if games by these rules read the parameter."""
        return all(getattr(rules, name) == value for name, value in self.only_with)

    def read(self, given: object) -> ParameterValue:
        """Return the value of a text, or of a value in a TOML file.

        The name of a policy of this package may carry the version of its weights, `network@2`.

        Raises:
            PolicyError: wrong kind or out of range; the message says what is allowed.
        """
        if self.kind == "policy":
            name = str(given).partition("@")[0]
            if isinstance(given, str) and name in self.choices:
                if given in (name, append_version(name)):
                    return name
                if name in VERSIONS:
                    raise PolicyError(f"the weights here are {append_version(name)}: write {name}")
            raise PolicyError(
                f"it should be {self.allowed}; {suggest_names(str(given), self.choices)}"
            )
        if self.kind == "flag":
            texts = {"true": 1.0, "false": 0.0}
            value = texts.get(str(given).lower(), math.nan)
        else:
            value = _parse_float(given)
        whole = self.kind != "whole number" or value.is_integer()
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not (math.isfinite(value) and low <= value <= high and whole):
            raise PolicyError(f"it should be {self.allowed}")
        return value

    def write(self, value: ParameterValue) -> str:
        """Return a value as text that `read` turns back into exactly this value."""
        if isinstance(value, str):
            return value
        return (
            ("false", "true")[int(value)] if self.kind == "flag" else format_parameter_number(value)
        )


def append_version(name: str) -> str:
    """Return the name of a policy with the version of its weights, if it has any: `network@2`."""
    return f"{name}@{VERSIONS[name]}" if name in VERSIONS else name


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
    """Return a parameter that is a number from `low` to `high`; raises PolicyError as
    `Parameter`."""
    return Parameter(default, meaning, low, high)


def whole(
    default: int, meaning: str = "", low: int | None = None, high: int | None = None
) -> Parameter:
    """Return a parameter that is a whole number from `low` to `high`; raises as `Parameter`."""
    return Parameter(default, meaning, low, high, "whole number")


def flag(default: bool, meaning: str = "") -> Parameter:
    """Return a parameter that is true or false."""
    return Parameter("true" if default else "false", meaning, kind="flag")


def named(default: str, choices: tuple[str, ...], meaning: str = "") -> Parameter:
    """Return a parameter that names one of some policies; raises as `Parameter`."""
    return Parameter(default, meaning, kind="policy", choices=choices)


KQJ_BUILT_INS = (
    "random", "greedy", "standard", "linear", "network", "pimc", "points", "always", "never",
    "rollout",
)  # fmt: skip
"""The package's policies for KQJ; each is the module of that name in this folder."""
BUILT_INS = {"kqj": KQJ_BUILT_INS, "kwajongen": ("random", "standard", "pimc")}
"""The package's policies for each game; those of other games than KQJ are in a folder of its
name."""


class Preset(NamedTuple):
    """A policy with other defaults, under a name of its own."""

    specification: str
    summary: str


PRESETS = {
    "kqj": {
        "bold": Preset(
            "points:take=0,lap2=0,three_take=0,three_lap2=0",
            "calls like points, but takes at once with any hand",
        )
    },
    "kwajongen": {},
}
"""The presets for each game, by name."""
ENTRY_POINTS = "kqj_sim.policies"


@dataclass(eq=False)
class Policy:
    """A policy as it was defined.

    Used as a decorator it adds a function named `choose_...`.
    """

    name: str
    summary: str
    parameters: dict[str, Parameter]
    module: str
    built_in: bool
    weights: str | None = None
    """Name of the weights that its functions get as their third argument."""
    choices: dict[str, Any] = field(default_factory=dict)
    """By decision the plain function and its number of arguments."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """By decision a function that decides for a whole block (`core.dispatch.ASK_SIGNATURE`)."""
    value_function: Any = None
    """Compiled function that writes the value of each legal card; None without one."""
    tuple_type: Any = None
    """Named tuple of numbers that its functions get as their second argument."""
    _compiled: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tuple_type = make_parameters_type(
            tuple(name for name, parameter in self.parameters.items() if parameter.is_number)
        )

    def calls(self, game: str = "kqj") -> bool:
        """Return True if the policy makes a decision of a game's calling itself."""
        return any(self.answers(question) for question in CALL_DECISIONS[game])

    @property
    def plays(self) -> bool:
        """True if the policy chooses cards itself."""
        return self.answers("card")

    def answers(self, decision: str) -> bool:
        """Return True if the policy makes a decision itself."""
        return decision in self.choices or decision in self.blocks

    def block(self, decision: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator for a function that decides for a whole block of deals.

        The function has the signature `core.dispatch.ASK_SIGNATURE`.  Only policies of the package
        may have one, as its choices are not checked.

        Raises:
            PolicyError: an unknown decision, or a policy that is not of the package.
        """
        if decision not in VIEW_OF_DECISION:
            raise PolicyError(f"policy {self.name!r}: {suggest_names(decision, VIEW_OF_DECISION)}")
        if not self.built_in:
            raise PolicyError(f"policy {self.name!r}: blocks are for policies of the package")

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.blocks[decision] = function
            return function

        return add

    def values(self, function: Any) -> Any:
        """Add a compiled function (view, weights, values) to a policy with weights, as a decorator.

        It writes the value of each legal card, from the lowest bit on, in points up to a common
        constant, so that other policies can use the values (`core.dispatch.value_cards`).
        """
        self.value_function = function
        return function

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Add a `choose_...` function, which is compiled when it is first used.

        Raises:
            PolicyError: a wrong name or number of arguments.
        """
        name = getattr(function, "__name__", str(function))
        question = name.removeprefix("choose_")
        if question not in VIEW_OF_DECISION or question == name:
            known = [f"choose_{each}" for each in VIEW_OF_DECISION]
            raise PolicyError(
                f"policy {self.name!r}: {name}() should be one of {', '.join(known)}; "
                f"{suggest_names(name, known)}"
            )
        wanted = ("view", "parameters", "weights")[: 2 if self.weights is None else 3]
        arguments = list(inspect.signature(function).parameters.values())
        positional = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in arguments)
        if not (positional and 1 <= len(arguments) <= len(wanted)):
            forms = [f"({', '.join(wanted[:count])})" for count in range(1, len(wanted) + 1)]
            raise PolicyError(f"policy {self.name!r}: {name}() should take {' or '.join(forms)}")
        self.choices[question] = (function, len(arguments))
        return function

    def compile_decision(self, decision: str) -> tuple[Any, int]:
        """Return the compiled function of a decision and its number of arguments.

        A built-in policy's function is compiled with the loop around it, unless that is on disk
        already.

        Raises:
            PolicyError: it does not compile; the message names the line in the user's file.
        """
        function, arguments = self.choices[decision]
        if decision not in self._compiled:
            self._compiled[decision] = (
                scalar(function)
                if self.built_in
                else compile_user_function(
                    self.name, function, decision, self.tuple_type, arguments
                )
            )
        return self._compiled[decision], arguments

    def check(self) -> None:
        """Compile a user's functions, to report errors before a run; raises PolicyError."""
        for question in () if self.built_in else self.choices:
            self.compile_decision(question)


_DEFINED: dict[tuple[str, str], Policy] = {}


def policy(
    name: str, summary: str = "", weights: str | None = None, **parameters: float | Parameter
) -> Policy:
    """Define a policy, to be used as a decorator of its `choose_...` functions.

    Args:
        name: letters, digits, `_` and `-`.
        summary: one line for `kqj-sim policies`.
        weights: name of the weights that its functions take as a third argument; their version
            becomes a parameter.
        parameters: numbers, which are defaults, or `Parameter` objects with a meaning and a range
            (`number`, `whole`, `flag`, `named`).  Functions with a second argument get the values
            as a named tuple of floats, without names of policies.

    Defined again with the same name and parameters, or without any, it is the same policy.

    Raises:
        PolicyError: a name that cannot be written in a specification, a default that is not
            allowed, too many parameters, or different ones in the second definition.
    """
    if not all(isinstance(text, str) for text in (name, summary)):
        raise PolicyError('write @policy("name") or @policy("name", "what it does")')
    if not name.replace("_", "").replace("-", "").isalnum():
        raise PolicyError(f"policy name {name!r} should be letters, digits, '_' and '-'")
    declared = {each: _check_parameter(name, each, given) for each, given in parameters.items()}
    if weights is not None:
        version = VERSIONS[weights]
        declared["weights"] = whole(version, "version of the package's weights", version, version)
    numbers = sum(parameter.is_number for parameter in declared.values())
    if numbers > MAX_PARAMETERS:
        raise PolicyError(f"policy {name!r} has {numbers} parameters, at most {MAX_PARAMETERS}")
    frame = inspect.currentframe()
    module = frame.f_back.f_globals["__name__"] if frame and frame.f_back else "?"
    key = (module, name)
    if key not in _DEFINED:
        built_in = module.startswith("kqj_sim.policies.")
        _DEFINED[key] = Policy(name, summary, declared, module, built_in, weights)
    elif declared and _DEFINED[key].parameters != declared:
        raise PolicyError(f"policy {name!r} is defined twice, with other parameters")
    return _DEFINED[key]


def _check_parameter(policy: str, name: str, value: object) -> Parameter:
    """Return a declared parameter as a `Parameter`; raises PolicyError if it cannot be one."""
    if name.startswith("_") or keyword.iskeyword(name) or name == "policy":
        raise PolicyError(f"policy {policy!r}: a parameter cannot be called {name!r}")
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool):
        return Parameter(str(value), kind="flag")
    if not isinstance(value, int | float):
        raise PolicyError(
            f"policy {policy!r}: parameter {name} should have a number as its default, or be "
            "number(...), whole(...), flag(...) or named(...)"
        )
    try:
        return Parameter(value)
    except PolicyError as error:
        raise PolicyError(f"policy {policy!r}: parameter {name}: {error}") from None


def forget_policies(module: str) -> None:
    """Drop the policies that a module has defined, before it runs again."""
    for key in [key for key in _DEFINED if key[0] == module]:
        del _DEFINED[key]


def policies_of_module(module: ModuleType) -> dict[str, Policy]:
    """Return the policies that a module defines, by name."""
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def find_policy(name: str, game: str = "kqj") -> Policy:
    """Return a built-in policy of a game, or one that an installed package offers.

    Raises:
        PolicyError: no policy has that name, or an entry point is not a policy.
    """
    built_in = BUILT_INS[game]
    if name in built_in:
        package = "kqj_sim.policies" if game == "kqj" else f"kqj_sim.policies.{game}"
        return policies_of_module(importlib.import_module(f"{package}.{name}"))[name]
    offered = {point.name: point for point in _load_entry_points()}
    if name in offered:
        try:
            found = offered[name].load()
        except Exception as error:
            raise PolicyError(
                f"policy {name!r} of {offered[name].value}: {type(error).__name__}: {error}"
            ) from None
        if isinstance(found, ModuleType):
            found = policies_of_module(found).get(name)
        if not isinstance(found, Policy):
            raise PolicyError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return found
    files = [f"{name}{suffix}" for suffix in (".py", ".toml") if Path(f"{name}{suffix}").is_file()]
    known = files or (*built_in, *PRESETS[game], *offered)
    raise PolicyError(f"no policy {quote(name)}; {suggest_names(name, known)}")


def _load_entry_points() -> Iterable[EntryPoint]:
    """Return the entry points of installed packages that offer policies."""
    return entry_points(group=ENTRY_POINTS)


def list_names(game: str = "kqj") -> list[str]:
    """Return the names of all policies of a game that need no file, those of presets included."""
    offered = (point.name for point in _load_entry_points())
    return list(dict.fromkeys([*BUILT_INS[game], *PRESETS[game], *offered]))


def describe(game: str = "kqj") -> list[Policy]:
    """Return all policies of a game that need no file, without presets; raises as `find_policy`."""
    return [find_policy(name, game) for name in list_names(game) if name not in PRESETS[game]]
