"""Policies by name: how they are defined and found.

A policy answers questions with functions named `choose_take`, `choose_bid`, `choose_counter` and
`choose_overcounter` in KQJ, `choose_accept` in Kwajongen, and `choose_card` in both; those it
leaves out the game's default player answers (`specification`).

Parameters of policies: what each means, what it may be, and how it is written.
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
from typing import Any, Literal

from kqj_sim.core.jit import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.messages import quote
from kqj_sim.policies.binding import CALL_DECISIONS, VIEW_OF_DECISION, make_parameters_type
from kqj_sim.policies.errors import PolicyError, suggest_names
from kqj_sim.policies.user_policies import compile_user_function
from kqj_sim.policies.weights import VERSIONS
from kqj_sim.rules import GameRules

NO_POLICY = "none"
"""What a parameter that names a policy may be if the policy can do without."""

ParameterKind = Literal["number", "whole number", "flag", "policy"]

ParameterValue = float | str
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
        only_with: fields of the rules with the values with which alone it is read, such as
            (("teams", 2), ("bidding", "take")).

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
        low = "" if self.low is None else f" from {format_parameter_number(self.low)}"
        high = "" if self.high is None else f" to {format_parameter_number(self.high)}"
        return f"a {self.kind}{low}{high}"

    @property
    def limits(self) -> str:
        """What it may be, as short as it can be said: `0 to 300`, `true or false`."""
        text = self.allowed
        closed = self.low is not None and self.high is not None
        return text.removeprefix("a number from ") if closed else text

    def applies_to(self, rules: GameRules) -> bool:
        """Whether it is read in a game by these rules."""
        return all(getattr(rules, name) == value for name, value in self.only_with)

    def read(self, given: object) -> ParameterValue:
        """The value that a text, or a value of a TOML file, stands for.

        A policy may be named with the version of its weights, `network@2`, if it is the package's.

        Raises:
            PolicyError: it is of another kind or out of range; the text says what it should be.
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
        """A value as text, which `read` takes back exactly."""
        if isinstance(value, str):
            return value
        return (
            ("false", "true")[int(value)] if self.kind == "flag" else format_parameter_number(value)
        )


def append_version(name: str) -> str:
    """The name of a policy, with the version of its weights if it has any: `network@2`."""
    return f"{name}@{VERSIONS[name]}" if name in VERSIONS else name


def _parse_float(given: object) -> float:
    """A number, or a text that is one; else NaN."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return math.nan
    try:
        return float(given)
    except (ValueError, OverflowError):
        return math.nan


def format_parameter_number(value: float) -> str:
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


KQJ_BUILT_INS = (
    "random", "greedy", "standard", "linear", "network", "pimc", "points", "always", "never",
    "rollout",
)  # fmt: skip
"""The package's policies for KQJ, modules of this package."""
BUILT_INS = {"kqj": KQJ_BUILT_INS, "kwajongen": ("random", "standard", "pimc")}
"""The package's policies for each game; those of another game than KQJ are in a folder named so."""
ENTRY_POINTS = "kqj_sim.policies"


@dataclass(eq=False)
class Policy:
    """A policy as it is defined.

    As a decorator it adds a function named `choose_...`.
    """

    name: str
    summary: str
    parameters: dict[str, Parameter]
    module: str
    built_in: bool
    weights: str | None = None
    """Name of the weights that its functions get as their third argument."""
    choices: dict[str, Any] = field(default_factory=dict)
    """For each question the function as it is written and how many arguments it takes."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """For each question a function that is asked for a whole block
    (`core.dispatch.ASK_SIGNATURE`)."""
    value_function: Any = None
    """A compiled function that writes what each legal card is worth, if the policy has one."""
    tuple_type: Any = None
    """The named tuple of numbers that its functions get as their second argument."""
    _compiled: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tuple_type = make_parameters_type(
            tuple(name for name, parameter in self.parameters.items() if parameter.is_number)
        )

    def calls(self, game: str = "kqj") -> bool:
        """Whether it answers a question of a game's calling itself."""
        return any(self.answers(question) for question in CALL_DECISIONS[game])

    @property
    def plays(self) -> bool:
        """Whether it chooses cards itself."""
        return self.answers("card")

    def answers(self, decision: str) -> bool:
        """Whether it answers a question itself."""
        return decision in self.choices or decision in self.blocks

    def block(self, decision: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator for a function that answers a question for a whole block of deals.

        It has the signature `core.dispatch.ASK_SIGNATURE`, and is there for policies of the package
        only: what it answers is not checked.

        Raises:
            PolicyError: there is no such question, or it is not a policy of the package.
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
        """A decorator for a compiled function (view, weights, values) of a policy with weights.

        It writes what each legal card is worth, from the lowest bit on, in points up to a number
        that they share, so that other policies can build on it (`core.valuing`).
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
        """The compiled function for a question, and how many arguments it takes.

        A built-in policy's is compiled with the loop around it, if that is not on disk already.

        Raises:
            PolicyError: it does not compile; the text has the place in the user's file.
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
        """Compile a user's functions, so that mistakes are told; raises PolicyError."""
        for question in () if self.built_in else self.choices:
            self.compile_decision(question)


_DEFINED: dict[tuple[str, str], Policy] = {}


def policy(
    name: str, summary: str = "", weights: str | None = None, **parameters: float | Parameter
) -> Policy:
    """Define a policy, to be used as a decorator of its `choose_...` functions.

    Args:
        name: its name: letters, digits, `_` and `-`.
        summary: one line for `kqj-sim policies`.
        weights: the name of the weights that its functions take as a third argument; their version
            becomes a parameter.
        parameters: numbers, which are defaults, or `Parameter` objects with a meaning and a range
            (`number`, `whole`, `flag`, `named`).  A function that takes a second argument gets
            them there as a named tuple of floats; names of policies it does not get.

    Defined again with the same name and parameters, or without any, it is the same policy.

    Raises:
        PolicyError: a name that cannot be written in a specification, a default that is not
            allowed, too many parameters, or other ones than the first time.
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
    """A parameter as it was declared; raises PolicyError if it cannot be one."""
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
    """Drop the policies that a module has defined, before it is run again."""
    for key in [key for key in _DEFINED if key[0] == module]:
        del _DEFINED[key]


def policies_of_module(module: ModuleType) -> dict[str, Policy]:
    """The policies that a module defines, by name."""
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def find_policy(name: str, game: str = "kqj") -> Policy:
    """A built-in policy of a game, or one that an installed package offers.

    Raises:
        PolicyError: there is none of that name, or what is offered is none.
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
    raise PolicyError(
        f"no policy {quote(name)}; {suggest_names(name, files or (*built_in, *offered))}"
    )


def _load_entry_points() -> Iterable[EntryPoint]:
    """What installed packages offer."""
    return entry_points(group=ENTRY_POINTS)


def list_names(game: str = "kqj") -> list[str]:
    """The names of all policies of a game that can be named without a file."""
    return list(dict.fromkeys([*BUILT_INS[game], *(point.name for point in _load_entry_points())]))


def describe(game: str = "kqj") -> list[Policy]:
    """All policies of a game that can be named without a file; raises as `find_policy`."""
    return [find_policy(name, game) for name in list_names(game)]
