"""Policies by name: how they are defined, found and written.

A policy answers five questions with functions named `choose_take`, `choose_bid`, `choose_counter`,
`choose_overcounter` and `choose_card`; those it leaves out are answered as `standard` does.

A specification names one: `standard`, `standard:take=45,lap2=38`, `bold.toml`, `my_policy.py`,
`my_policy.py:cautious`; `A+B` calls like A and plays like B.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import math
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import types
from numba.core.errors import NumbaError

from kqj_sim.core.compile import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.policies.compiled import VIEW, compile_choice, parameters_type

BUILT_IN = ("random", "greedy", "standard")
ENTRY_POINTS = "kqj_sim.policies"
FALLBACK = "standard"


class PolicyError(ValueError):
    """A policy that does not exist, does not compile, or is written wrongly; one line."""


@dataclass(eq=False)
class Policy:
    """A policy as it is defined.

    Calling it with a function named `choose_...` (as a decorator) adds that function.
    """

    name: str
    summary: str
    parameters: dict[str, float]
    module: str
    built_in: bool
    weights: str | None = None
    """Name of the weights that its functions get as their third argument."""
    choices: dict[str, Any] = field(default_factory=dict)
    """For each question the compiled function and how many arguments it takes."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """For each question a function that is asked for a whole block (`core.asking.ASKING`)."""
    tuple_type: Any = None

    def answers(self, question: str) -> bool:
        """Whether it answers a question itself."""
        return question in self.choices or question in self.blocks

    def block(self, question: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator for a function that answers a question for a whole block of deals."""

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


def policy(name: str, summary: str = "", weights: str | None = None, **parameters: float) -> Policy:
    """Define a policy, to be used as a decorator of its `choose_...` functions.

    Args:
        name: its name: letters, digits, `_` and `-`.
        summary: one line for `kqj-sim policies`.
        weights: the name of the weights that its functions take as a third argument.
        parameters: numbers with their defaults; a function that takes a second argument gets them
            there as a named tuple of floats.

    Raises:
        PolicyError: a name that cannot be written in a specification, or too many parameters.
    """
    if not name.replace("_", "").replace("-", "").isalnum():
        raise PolicyError(f"policy name {name!r} should be letters, digits, '_' and '-'")
    if len(parameters) > MAX_PARAMETERS:
        raise PolicyError(
            f"policy {name!r} has {len(parameters)} parameters, at most {MAX_PARAMETERS}"
        )
    frame = inspect.currentframe()
    module = frame.f_back.f_globals["__name__"] if frame and frame.f_back else "?"
    key = (module, name)
    built_in = module.startswith("kqj_sim.policies.")
    values = {parameter: float(value) for parameter, value in parameters.items()}
    if key not in _DEFINED or _DEFINED[key].parameters != values:
        made = Policy(name, summary, values, module, built_in, weights)
        made.tuple_type = parameters_type(tuple(values))
        _DEFINED[key] = made
    return _DEFINED[key]


def _of_module(module: ModuleType) -> dict[str, Policy]:
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def _nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error line: the nearest known name, or all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known) or 'none'}"


def _named(name: str) -> Policy:
    """A built-in policy, or one that an installed package offers."""
    if name in BUILT_IN:
        return _of_module(importlib.import_module(f"kqj_sim.policies.{name}"))[name]
    offered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name in offered:
        found = offered[name].load()
        if isinstance(found, ModuleType):
            found = _of_module(found).get(name)
        if not isinstance(found, Policy):
            raise PolicyError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return found
    raise PolicyError(f"no policy {name!r}; {_nearest(name, (*BUILT_IN, *offered))}")


@cache
def _from_file(path: Path, name: str) -> Policy:
    """A policy of a user's Python file."""
    module_name = f"kqj_sim_user_{path.stem}_{abs(hash(path.resolve()))}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise PolicyError(f"policy file {path}: no such file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(f"policy file {path}: {type(error).__name__}: {error}") from None
    found = _of_module(module)
    if not found:
        raise PolicyError(f"policy file {path}: it defines no policy with @policy(...)")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        raise PolicyError(f"policy file {path}: name one of its policies: {', '.join(found)}")
    if name not in found:
        raise PolicyError(f"policy file {path}: no policy {name!r}; {_nearest(name, found)}")
    return found[name]


def _number(value: float) -> str:
    """A number that reads back exactly, without the sign that stands between two policies."""
    return repr(value).removesuffix(".0").replace("e+", "e")


@dataclass(frozen=True)
class Chosen:
    """A policy with values for all its parameters."""

    policy: Policy
    parameters: tuple[float, ...]
    source: str
    """What was written before the parameters: a name or a file."""

    @property
    def others(self) -> tuple[str, ...]:
        """The policies that its parameters name."""
        return ()

    @property
    def text(self) -> str:
        """The specification with every parameter written out."""
        values = ",".join(
            f"{name}={_number(value)}"
            for name, value in zip(self.policy.parameters, self.parameters, strict=True)
        )
        return f"{self.source}:{values}" if values else self.source


@dataclass(frozen=True)
class Player:
    """Who calls and who plays at a seat."""

    calling: Chosen
    playing: Chosen

    @property
    def text(self) -> str:
        """The specification, parameters included: reading it gives the same player."""
        if self.calling == self.playing:
            return self.calling.text
        return f"{self.calling.text}+{self.playing.text}"

    def answering(self, question: str) -> Chosen:
        """Who answers a question; what a policy leaves out `standard` answers."""
        chosen = self.playing if question == "card" else self.calling
        return chosen if chosen.policy.answers(question) else _chosen(FALLBACK)


def _with_parameters(found: Policy, source: str, given: dict[str, Any]) -> Chosen:
    values = dict(found.parameters)
    for name, value in given.items():
        if name not in values:
            raise PolicyError(
                f"policy {found.name!r} has no parameter {name!r}; {_nearest(name, values)}"
            )
        try:
            values[name] = float(value)
        except (TypeError, ValueError):
            values[name] = math.nan
        if not math.isfinite(values[name]):
            raise PolicyError(f"policy {found.name!r}: {name}={value} should be a number")
    return Chosen(found, tuple(values.values()), source)


def _assignments(text: str, specification: str) -> dict[str, str]:
    """`a=1,b=2` as a dictionary."""
    given: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise PolicyError(f"policy {specification!r}: {part!r} should be parameter=number")
        if name.strip() in given:
            raise PolicyError(f"policy {specification!r}: {name.strip()} is given twice")
        given[name.strip()] = value.strip()
    return given


def _from_toml(path: Path) -> Chosen:
    """`policy = "standard"` and a table `[parameters]`."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PolicyError(f"policy file {path}: no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PolicyError(f"policy file {path}: {error}") from None
    for key in content:
        if key not in ("policy", "parameters"):
            nearest = _nearest(key, ("policy", "parameters"))
            raise PolicyError(f"policy file {path}: unknown key {key!r}; {nearest}")
    base, given = content.get("policy"), content.get("parameters", {})
    if not isinstance(base, str) or not isinstance(given, dict):
        raise PolicyError(f'policy file {path}: it should have policy = "NAME" and [parameters]')
    chosen = _chosen(base)
    values = dict(zip(chosen.policy.parameters, chosen.parameters, strict=True))
    return _with_parameters(chosen.policy, chosen.source, {**values, **given})


def _chosen(specification: str) -> Chosen:
    """One policy with its parameters."""
    source, _, rest = specification.partition(":")
    if source.endswith(".toml"):
        if rest:
            raise PolicyError(f"policy {specification!r}: a TOML file takes no further parameters")
        return _from_toml(Path(source))
    if source.endswith(".py"):
        name, _, given = rest.partition(":")
        if "=" in name and not given:
            name, given = "", rest
        found = _from_file(Path(source), name)
        source = f"{source}:{found.name}"
        return _with_parameters(found, source, _assignments(given, specification) if given else {})
    if not source:
        raise PolicyError("an empty policy; " + _nearest("", BUILT_IN))
    return _with_parameters(
        _named(source), source, _assignments(rest, specification) if rest else {}
    )


def player(specification: str) -> Player:
    """Read a specification.

    Raises:
        PolicyError: one line that says what is wrong and what would be right.
    """
    calling, plus, playing = specification.strip().partition("+")
    caller = _chosen(calling)
    return Player(caller, _chosen(playing) if plus else caller)


@dataclass(frozen=True)
class Description:
    """A policy as `kqj-sim policies` lists it."""

    name: str
    summary: str
    parameters: dict[str, float]


def describe() -> list[Description]:
    """All policies that can be named without a file."""
    names = [*BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))]
    found = [_named(name) for name in dict.fromkeys(names)]
    return [Description(each.name, each.summary, dict(each.parameters)) for each in found]
