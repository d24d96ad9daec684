"""Users' own functions: compiled with their helpers, their mistakes told by their own lines."""

from __future__ import annotations

import builtins
import difflib
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba import types

from kqj_sim.policies.compiled import VIEW, compile_choice
from kqj_sim.policies.errors import PolicyError, nearest

_ANSWER = {
    "take": "a contract (0 to 5) or PASS",
    "bid": "bid_code(...) or PASS",
    "counter": "True or False",
    "overcounter": "True or False",
    "accept": "True or False",
    "card": "a card, such as lowest(view.legal)",
}
"""What each question wants to hear."""

_KINDS = (
    (types.Float, "a number with a fraction"),
    (types.NoneType, "nothing"),
    (types.Optional, "nothing on some path"),
    (types.BaseTuple, "several values"),
    (types.Generator, "one value after the other"),
    (types.UnicodeType | types.StringLiteral, "a text"),
)

_CHANCE = ("random", "secrets", "time", "numpy.random")
"""Modules that would make a policy choose otherwise when it is asked again."""


def place_of(function: Any, line: int = 0) -> str:
    """`file:line` of a plain function (of its `def`), or of a line in its file."""
    lines, first = inspect.getsourcelines(function)
    own = next(
        (n for n, text in enumerate(lines, first) if text.lstrip().startswith("def ")), first
    )
    return f"{short_path(function.__code__.co_filename)}:{line or own}"


def short_path(path: str | Path) -> str:
    """A path as a user knows it: relative to the current folder if it is in there."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def compile_own(
    policy: str, function: Any, question: str, parameters: Any, arguments: int
) -> tuple[Any, Any]:
    """A user's function compiled for a question, with the plain functions that it calls.

    Indices out of range and divisions by zero raise exceptions.

    Raises:
        PolicyError: it does not compile, or answers no integer; with the user's own line.
    """
    known: dict[Any, Any] = {}
    choice = _with_helpers(function, known)
    who = f"policy {policy!r}, {function.__name__}()"
    for each in known:
        _refuse_chance(who, each)
    try:
        answer = compile_choice(choice, question, parameters, arguments)
    except Exception as error:  # numba raises whatever it stumbles over
        raise PolicyError(_told(who, list(known), question, parameters, error)) from None
    if not isinstance(answer, (types.Integer, types.Boolean)):
        raise PolicyError(
            f"{place_of(function)}: {who} answers {_kind(answer)}: on every path it should answer "
            f"{_ANSWER[question]}"
        )
    return choice


def _with_helpers(function: Any, known: dict[Any, Any]) -> Any:
    """A compiled copy of a function in which the helpers that it calls are compiled too.

    Helpers are plain functions of the same file, or of the same package.
    """
    names = dict(function.__globals__)
    copy = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    known[function] = compiled = numba.njit(
        boundscheck=True, error_model="python", forceinline=True, nogil=True
    )(copy)
    package = function.__module__.partition(".")[0]
    for name in _names(function.__code__):
        helper = names.get(name)
        if isinstance(helper, FunctionType) and helper.__module__.partition(".")[0] == package:
            names[name] = known[helper] if helper in known else _with_helpers(helper, known)
    return compiled


def _names(code: CodeType) -> Iterator[str]:
    """The global names, and those of attributes, that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _refuse_chance(who: str, function: Any) -> None:
    """Raise PolicyError for a function that draws lots by itself."""
    used = list(_names(function.__code__))
    for name in used:
        found = function.__globals__.get(name)
        owner = found if isinstance(found, ModuleType) else getattr(found, "__self__", None)
        module = getattr(owner, "__name__", type(owner).__module__)
        if module in _CHANCE or (module == "numpy" and "random" in used):
            raise PolicyError(
                f"{_place_of_name([function], name)}: {who} uses {name}, which answers differently "
                "each time: use view.random, chance() or random_card()"
            )


def _kind(answer: Any) -> str:
    """A type that a function answers, in words."""
    for kind, words in _KINDS:
        if isinstance(answer, kind):
            return words
    return str(answer)


def _place_of_name(functions: list[Any], name: str) -> str:
    """Where a name stands first in one of some functions; else where the first begins."""
    for function in functions:
        lines, first = inspect.getsourcelines(function)
        for line, text in enumerate(lines, first):
            if re.search(rf"\b{re.escape(name)}\b", text.partition("#")[0]):
                return place_of(function, line)
    return place_of(functions[0])


def _place_in(functions: list[Any], told: str) -> str:
    """The innermost place in the functions' files that numba tells."""
    files = {os.path.realpath(function.__code__.co_filename) for function in functions}
    for path, line in re.findall(r'File "(.*?)", line (\d+)', told):
        if os.path.realpath(path) in files:
            return f"{short_path(os.path.realpath(path))}:{line}"
    return place_of(functions[0])


def _told(who: str, functions: list[Any], question: str, parameters: Any, error: Exception) -> str:
    """One line on why a function does not compile."""
    text = str(error)
    place = _place_in(functions, text)
    view: Any = VIEW[question]
    if match := re.search(r"Unknown attribute '(\w+)' of type (\w+)\(", text):
        name, kind = match.groups()
        fields = {view.__name__: view._fields, parameters.__name__: parameters._fields}.get(kind)
        if fields is not None:
            what = "parameter" if kind == parameters.__name__ else "field of the view"
            return f"{place}: {who}: no {what} {name!r}; {nearest(name, fields)}"
    if match := re.search(r"NameError: name '(\w+)' is not defined", text):
        name = match[1]
        known = [each for at in functions for each in (*at.__globals__, *at.__code__.co_varnames)]
        close = difflib.get_close_matches(name, known, 1)
        close = close or difflib.get_close_matches(name, dir(builtins), 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"{_place_of_name(functions, name)}: {who}: nothing is called {name!r}{hint}"
    if match := re.search(r"Untyped global name '(\w+)':.*?<class '(\w+)'>", text):
        return f"{place}: {who} cannot use {match[1]!r}, a {match[2]}; {_USABLE}"
    if match := re.search(r"use of a (?:reflected )?(\w+).*? assigned to variable '(\w+)'", text):
        return f"{place}: {who} cannot use {match[2]!r}, a {match[1]}; {_USABLE}"
    if match := re.search(r"No definition for lowering \w+\(.*\)\.(\w+) = ", text):
        place = _place_of_name(functions, match[1])
        return f"{place}: {who} sets {match[1]}: a view and parameters cannot be changed"
    if match := re.search(r"has no attribute '(\w+)'", text):
        place = _place_of_name(functions, match[1])
    return f"{place}: {who} does not compile: {_reason(text)}"


_USABLE = "compiled functions use numbers, tuples, numpy arrays and other functions"


def _reason(text: str) -> str:
    """numba's reason without its surroundings."""
    if match := re.search(r"function Function\((.*?)\) found for signature:\s*>>> (.*)", text):
        return f"there is no {match[2].strip()}"
    noise = ("Failed", "-", "File", "During", ">>>")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(noise)), text)
