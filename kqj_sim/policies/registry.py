"""Policies by name: how they are defined and found.

A policy answers five questions with functions named `choose_take`, `choose_bid`, `choose_counter`,
`choose_overcounter` and `choose_card`; those it leaves out the default player answers
(`specification`).
"""

from __future__ import annotations

import importlib
import inspect
import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import types
from numba.core.errors import NumbaError

from kqj_sim.core.compile import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.policies.compiled import VIEW, compile_choice, parameters_type
from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.parameters import Parameter

BUILT_IN = ("random", "greedy", "standard", "linear", "network", "points", "always", "never")
ENTRY_POINTS = "kqj_sim.policies"
CALLS = ("take", "bid", "counter", "overcounter")
"""The questions of the calling; the other one is about a card."""


@dataclass(eq=False)
class Policy:
    """A policy as it is defined.

    Calling it with a function named `choose_...` (as a decorator) adds that function.
    """

    name: str
    summary: str
    parameters: dict[str, Parameter]
    module: str
    built_in: bool
    weights: str | None = None
    """Name of the weights that its functions get as their third argument."""
    choices: dict[str, Any] = field(default_factory=dict)
    """For each question the compiled function and how many arguments it takes."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """For each question a function that is asked for a whole block (`core.asking.ASKING`)."""
    tuple_type: Any = None
    """The named tuple of numbers that its functions get as their second argument."""

    def __post_init__(self) -> None:
        self.tuple_type = parameters_type(
            tuple(name for name, parameter in self.parameters.items() if parameter.is_number)
        )

    @property
    def calls(self) -> bool:
        """Whether it answers a question of the calling itself."""
        return any(self.answers(question) for question in CALLS)

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

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Add a `choose_...` function; it is compiled at once, or when a built-in is first used.

        Raises:
            PolicyError: a wrong name or number of arguments, or it does not compile.
        """
        question = function.__name__.removeprefix("choose_")
        if question not in VIEW or question == function.__name__:
            known = ", ".join(f"choose_{name}" for name in VIEW)
            raise PolicyError(
                f"policy {self.name!r}: {function.__name__}() should be one of {known}"
            )
        arguments = len(inspect.signature(function).parameters)
        if not 1 <= arguments <= (2 if self.weights is None else 3):
            raise PolicyError(
                f"policy {self.name!r}: {function.__name__}() takes (view) or (view, parameters)"
            )
        self.choices[question] = (function, arguments)
        if not self.built_in:
            self.compiled(question)
        return function

    def compiled(self, question: str) -> tuple[Any, int]:
        """The compiled function for a question, and how many arguments it takes.

        A built-in policy's is compiled with the loop around it, if that is not on disk already.

        Raises:
            PolicyError: it does not compile; the text has the place in the user's file.
        """
        function, arguments = self.choices[question]
        if not hasattr(function, "overloads"):
            plain, function = function, scalar(function)
            if not self.built_in:
                self._check(question, plain, function, arguments)
            self.choices[question] = (function, arguments)
        return function, arguments

    def _check(self, question: str, plain: Any, function: Any, arguments: int) -> None:
        """Compile a user's function now, so that a mistake is told with its own line."""
        try:
            answer = compile_choice(function, question, self.tuple_type, arguments)
        except NumbaError as error:
            raise PolicyError(_compile_failure(self.name, plain, error)) from None
        if not isinstance(answer, (types.Integer, types.Boolean)):
            raise PolicyError(
                f"policy {self.name!r}: {plain.__name__}() answers {answer}: it should answer an "
                "integer on every path"
            )


def _compile_failure(name: str, function: Any, error: NumbaError) -> str:
    """One line on why a function does not compile, with the line of the user's file."""
    text = str(error)
    source = Path(inspect.getsourcefile(function) or "?")
    place = f"{source.name}:{function.__code__.co_firstlineno}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    at = [line for line in lines if line.startswith("File ")]
    if at:
        path, _, rest = at[-1].removeprefix('File "').partition('", line ')
        place = f"{Path(path).name}:{rest.split(',')[0].rstrip(':')}"
    noise = ("Failed", "-", "File", "During")
    reason = next((line for line in lines if not line.startswith(noise)), text)
    return f"policy {name!r}: {place}: {function.__name__}() does not compile: {reason}"


_DEFINED: dict[tuple[str, str], Policy] = {}


def policy(
    name: str, summary: str = "", weights: str | None = None, **parameters: float | Parameter
) -> Policy:
    """Define a policy, to be used as a decorator of its `choose_...` functions.

    Args:
        name: its name: letters, digits, `_` and `-`.
        summary: one line for `kqj-sim policies`.
        weights: the name of the weights that its functions take as a third argument.
        parameters: numbers, which are defaults, or `Parameter` objects with a meaning and a range
            (`number`, `whole`, `flag`, `named`).  A function that takes a second argument gets
            them there as a named tuple of floats; names of policies it does not get.

    Raises:
        PolicyError: a name that cannot be written in a specification, a default that is not
            allowed, or too many parameters.
    """
    if not name.replace("_", "").replace("-", "").isalnum():
        raise PolicyError(f"policy name {name!r} should be letters, digits, '_' and '-'")
    declared = {each: _declared(name, each, given) for each, given in parameters.items()}
    numbers = sum(parameter.is_number for parameter in declared.values())
    if numbers > MAX_PARAMETERS:
        raise PolicyError(f"policy {name!r} has {numbers} parameters, at most {MAX_PARAMETERS}")
    frame = inspect.currentframe()
    module = frame.f_back.f_globals["__name__"] if frame and frame.f_back else "?"
    key = (module, name)
    if key not in _DEFINED or _DEFINED[key].parameters != declared:
        built_in = module.startswith("kqj_sim.policies.")
        _DEFINED[key] = Policy(name, summary, declared, module, built_in, weights)
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


def of_module(module: ModuleType) -> dict[str, Policy]:
    """The policies that a module defines, by name."""
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def find(name: str) -> Policy:
    """A built-in policy, or one that an installed package offers.

    Raises:
        PolicyError: there is none of that name, or what is offered is none.
    """
    if name in BUILT_IN:
        return of_module(importlib.import_module(f"kqj_sim.policies.{name}"))[name]
    offered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name in offered:
        found = offered[name].load()
        if isinstance(found, ModuleType):
            found = of_module(found).get(name)
        if not isinstance(found, Policy):
            raise PolicyError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return found
    raise PolicyError(f"no policy {name!r}; {nearest(name, (*BUILT_IN, *offered))}")


def describe() -> list[Policy]:
    """All policies that can be named without a file."""
    names = [*BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))]
    return [find(name) for name in dict.fromkeys(names)]
