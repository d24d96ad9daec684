"""Policies by name: how they are defined and found.

A policy answers questions with functions named `choose_take`, `choose_bid`, `choose_counter` and
`choose_overcounter` in KQJ, `choose_accept` in Kwajongen, and `choose_card` in both; those it
leaves out the game's default player answers (`specification`).
"""

from __future__ import annotations

import importlib
import inspect
import keyword
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from kqj_sim.core.compile import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.messages import quote
from kqj_sim.policies.compiled import CALLS, VIEW, parameters_type
from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.own import compile_own
from kqj_sim.policies.parameters import Parameter, whole
from kqj_sim.policies.weights import VERSIONS

BUILT_IN = (
    "random", "greedy", "standard", "linear", "network", "pimc", "points", "always", "never",
    "rollout",
)  # fmt: skip
"""The package's policies for KQJ, modules of this package."""
BUILT_INS = {"kqj": BUILT_IN, "kwajongen": ("random", "standard", "pimc")}
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
    """For each question a function that is asked for a whole block (`core.asking.ASKING`)."""
    valuing: Any = None
    """A compiled function that writes what each legal card is worth, if the policy has one."""
    tuple_type: Any = None
    """The named tuple of numbers that its functions get as their second argument."""
    _compiled: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tuple_type = parameters_type(
            tuple(name for name, parameter in self.parameters.items() if parameter.is_number)
        )

    def calls(self, game: str = "kqj") -> bool:
        """Whether it answers a question of a game's calling itself."""
        return any(self.answers(question) for question in CALLS[game])

    @property
    def plays(self) -> bool:
        """Whether it chooses cards itself."""
        return self.answers("card")

    def answers(self, question: str) -> bool:
        """Whether it answers a question itself."""
        return question in self.choices or question in self.blocks

    def block(self, question: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator for a function that answers a question for a whole block of deals.

        It has the signature `core.asking.ASKING`, and is there for policies of the package only:
        what it answers is not checked.

        Raises:
            PolicyError: there is no such question, or it is not a policy of the package.
        """
        if question not in VIEW:
            raise PolicyError(f"policy {self.name!r}: {nearest(question, VIEW)}")
        if not self.built_in:
            raise PolicyError(f"policy {self.name!r}: blocks are for policies of the package")

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.blocks[question] = function
            return function

        return add

    def values(self, function: Any) -> Any:
        """A decorator for a compiled function (view, weights, values) of a policy with weights.

        It writes what each legal card is worth, from the lowest bit on, in points up to a number
        that they share, so that other policies can build on it (`core.valuing`).
        """
        self.valuing = function
        return function

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Add a `choose_...` function, which is compiled when it is first used.

        Raises:
            PolicyError: a wrong name or number of arguments.
        """
        name = getattr(function, "__name__", str(function))
        question = name.removeprefix("choose_")
        if question not in VIEW or question == name:
            known = [f"choose_{each}" for each in VIEW]
            raise PolicyError(
                f"policy {self.name!r}: {name}() should be one of {', '.join(known)}; "
                f"{nearest(name, known)}"
            )
        wanted = ("view", "parameters", "weights")[: 2 if self.weights is None else 3]
        arguments = list(inspect.signature(function).parameters.values())
        positional = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in arguments)
        if not (positional and 1 <= len(arguments) <= len(wanted)):
            forms = [f"({', '.join(wanted[:count])})" for count in range(1, len(wanted) + 1)]
            raise PolicyError(f"policy {self.name!r}: {name}() should take {' or '.join(forms)}")
        self.choices[question] = (function, len(arguments))
        return function

    def compiled(self, question: str) -> tuple[Any, int]:
        """The compiled function for a question, and how many arguments it takes.

        A built-in policy's is compiled with the loop around it, if that is not on disk already.

        Raises:
            PolicyError: it does not compile; the text has the place in the user's file.
        """
        function, arguments = self.choices[question]
        if question not in self._compiled:
            self._compiled[question] = (
                scalar(function)
                if self.built_in
                else compile_own(self.name, function, question, self.tuple_type, arguments)
            )
        return self._compiled[question], arguments

    def check(self) -> None:
        """Compile a user's functions, so that mistakes are told; raises PolicyError."""
        for question in () if self.built_in else self.choices:
            self.compiled(question)


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
    declared = {each: _declared(name, each, given) for each, given in parameters.items()}
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


def _declared(policy: str, name: str, given: object) -> Parameter:
    """A parameter as it was declared; raises PolicyError if it cannot be one."""
    if name.startswith("_") or keyword.iskeyword(name) or name == "policy":
        raise PolicyError(f"policy {policy!r}: a parameter cannot be called {name!r}")
    if isinstance(given, Parameter):
        return given
    if isinstance(given, bool):
        return Parameter(str(given), kind="flag")
    if not isinstance(given, int | float):
        raise PolicyError(
            f"policy {policy!r}: parameter {name} should have a number as its default, or be "
            "number(...), whole(...), flag(...) or named(...)"
        )
    try:
        return Parameter(given)
    except PolicyError as error:
        raise PolicyError(f"policy {policy!r}: parameter {name}: {error}") from None


def forget(module: str) -> None:
    """Drop the policies that a module has defined, before it is run again."""
    for key in [key for key in _DEFINED if key[0] == module]:
        del _DEFINED[key]


def of_module(module: ModuleType) -> dict[str, Policy]:
    """The policies that a module defines, by name."""
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def find(name: str, game: str = "kqj") -> Policy:
    """A built-in policy of a game, or one that an installed package offers.

    Raises:
        PolicyError: there is none of that name, or what is offered is none.
    """
    built_in = BUILT_INS[game]
    if name in built_in:
        package = "kqj_sim.policies" if game == "kqj" else f"kqj_sim.policies.{game}"
        return of_module(importlib.import_module(f"{package}.{name}"))[name]
    offered = {point.name: point for point in _offered()}
    if name in offered:
        try:
            found = offered[name].load()
        except Exception as error:
            raise PolicyError(
                f"policy {name!r} of {offered[name].value}: {type(error).__name__}: {error}"
            ) from None
        if isinstance(found, ModuleType):
            found = of_module(found).get(name)
        if not isinstance(found, Policy):
            raise PolicyError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return found
    files = [f"{name}{suffix}" for suffix in (".py", ".toml") if Path(f"{name}{suffix}").is_file()]
    raise PolicyError(f"no policy {quote(name)}; {nearest(name, files or (*built_in, *offered))}")


def _offered() -> Iterable[EntryPoint]:
    """What installed packages offer."""
    return entry_points(group=ENTRY_POINTS)


def names(game: str = "kqj") -> list[str]:
    """The names of all policies of a game that can be named without a file."""
    return list(dict.fromkeys([*BUILT_INS[game], *(point.name for point in _offered())]))


def describe(game: str = "kqj") -> list[Policy]:
    """All policies of a game that can be named without a file; raises as `find`."""
    return [find(name, game) for name in names(game)]
