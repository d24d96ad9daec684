"""Compilation of users' functions with their helpers, and errors that name the user's own line."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba import types

from kqj_sim.errors import InputError
from kqj_sim.messages import shorten, suggest_names
from kqj_sim.policies.binding import VIEW_OF_DECISION, compile_choice
from kqj_sim.policies.card_sets import STRENGTH_TWINS, find_natural_constant
from kqj_sim.policies.mistakes import bind_helpers, find_mistake, name_helper
from kqj_sim.policies.recursion import find_recursion, get_package

_EXPECTED_ANSWER = {
    "take": "a contract (0 to 5) or PASS",
    "bid": "bid_code(...) or PASS",
    "counter": "True or False",
    "overcounter": "True or False",
    "accept": "True or False",
    "card": "a card, such as lowest(view.legal)",
}
"""The answer that each decision needs, in words."""

_CODED_BY_STRENGTH = ("card", "accept")
"""Decisions whose views code cards by strength."""

_TYPE_NAMES = (
    (types.Float, "a number with a fraction"),
    (types.NoneType, "nothing"),
    (types.Optional, "nothing on some path"),
    (types.BaseTuple, "several values"),
    (types.Generator, "one value after the other"),
    (types.UnicodeType | types.StringLiteral, "a text"),
)

_RANDOM_MODULES = ("random", "secrets", "time", "numpy.random")
"""Modules with which a policy would choose differently when it is asked again."""


def locate_source(function: Any, line: int = 0) -> str:
    """Return where a plain function's `def` is, or a line in its file or cell.

    It is `file:line`, or `cell 5, line 3 (return lowest(view.legal))`, where the line is quoted as
    cells have no file to look it up in; without any source `line 3`.
    """
    code = function.__code__
    path = code.co_filename
    if not line:
        below = enumerate(linecache.getlines(path)[code.co_firstlineno - 1 :], code.co_firstlineno)
        found = (number for number, text in below if re.match(r"\s*(async )?def ", text))
        line = next(found, code.co_firstlineno)
    if not is_cell(path):
        return f"{shorten_path(path)}:{line}"
    text = shorten(linecache.getline(path, line).strip())
    number = _find_cell_number(path)
    cell = f"cell {number}, " if number else ""
    return f"{cell}line {line} ({text})" if text else f"{cell}line {line}"


def is_cell(path: str) -> bool:
    """Return True if a code's file name stands for a notebook's cell, the prompt or a text."""
    return path.startswith("<") or Path(path).parent.name.startswith("ipykernel_")


def _find_cell_number(path: str) -> int | None:
    """Return the number that IPython shows beside a cell; None if it is not known."""
    if match := re.match(r"<(?:ipython|python)-input-(\d+)", path):
        return int(match[1])
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    found = numbers.get(path)
    return found if isinstance(found, int) else None


def _list_lines(function: Any) -> list[tuple[int, str]]:
    """Return the numbered lines of a function, decorators included; none without source."""
    first = function.__code__.co_firstlineno
    lines = linecache.getlines(function.__code__.co_filename)[first - 1 :]
    return list(enumerate(inspect.getblock(lines), first)) if lines else []


def shorten_path(path: str | Path) -> str:
    """Return a path relative to the current folder if it is inside it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def compile_user_function(
    policy: str,
    function: Any,
    decision: str,
    parameters: Any,
    arguments: int,
    is_method: bool = False,
    helpers: Mapping[str, FunctionType] | None = None,
) -> Any:
    """Compile a user's function for a decision, with the plain functions that it calls.

    A method may call the methods `helpers`; it takes (parameters, view) and is compiled as a
    function of (view, parameters).  Indices out of range and divisions by zero raise exceptions.

    Raises:
        InputError: it does not compile, or returns no integer; with the user's own line.
    """
    known: dict[Any, Any] = {}
    if cycle := find_recursion(function):
        raise InputError(
            f"{locate_source(function)}: policy {policy!r}, {function.__name__}() calls a function "
            f"that calls itself ({' -> '.join(cycle)}): write a loop instead"
        )
    choice = _compile_with_helpers(function, known, decision in _CODED_BY_STRENGTH, helpers or {})
    who = f"policy {policy!r}, {function.__name__}()"
    for each in known:
        mistake = find_mistake(each)
        if mistake is not None:
            raise InputError(f"{locate_source(each, mistake[0])}: {who}: {mistake[1]}")
        _reject_random_modules(who, each)
        if decision in _CODED_BY_STRENGTH:
            _reject_natural_constants(who, each)
    if is_method:
        choice = _swap_arguments(choice)
    try:
        answer = compile_choice(choice, decision, parameters, arguments)
    except Exception as error:  # numba raises whatever it stumbles over
        raise InputError(
            _explain_compile_error(who, list(known), decision, parameters, error)
        ) from None
    if not isinstance(answer, (types.Integer, types.Boolean)):
        raise InputError(
            f"{locate_source(function)}: {who} answers {_describe_type(answer)}: on every path "
            f"it should answer "
            f"{_EXPECTED_ANSWER[decision]}"
        )
    return choice


def _compile_with_helpers(
    function: Any, known: dict[Any, Any], by_strength: bool, methods: Mapping[str, FunctionType]
) -> Any:
    """Compile a copy of a function, with compiled helpers in place of those it calls.

    Helpers are plain functions of the same file, or of the same package, and `methods`.  With
    `by_strength` the functions of `card_sets` accept no sets whose coding they cannot know.
    """
    names = dict(function.__globals__)
    code, closure = function.__code__, function.__closure__
    used = methods.keys() & set(code.co_names)
    bound = bind_helpers(code, used) if used else None
    if bound is not None:
        # Names of enclosing functions are global ones in code that is compiled alone.
        for name, cell in zip(code.co_freevars, closure or (), strict=True):
            names[name] = cell.cell_contents
        code, closure = bound, None
        names |= {name_helper(name): methods[name] for name in used}
    copy = FunctionType(code, names, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    known[function] = compiled = _compile_checked(copy)
    package = get_package(function)
    for name in list_used_names(code):
        helper = names.get(name)
        if by_strength and isinstance(helper, FunctionType | ModuleType):
            helper = names[name] = _replace_by_twin(helper)
        if isinstance(helper, FunctionType) and get_package(helper) == package:
            names[name] = (
                known[helper]
                if helper in known
                else _compile_with_helpers(helper, known, by_strength, methods)
            )
    return compiled


def _replace_by_twin(used: Any) -> Any:
    """Return what stands for a function, or for a module that has it, where cards are coded by
    strength."""
    if isinstance(used, FunctionType):
        return STRENGTH_TWINS.get(used, used)
    if used.__name__.partition(".")[0] != "kqj_sim":
        return used
    module = ModuleType(used.__name__)

    def find(name: str) -> Any:
        found = getattr(used, name)
        return _replace_by_twin(found) if isinstance(found, FunctionType | ModuleType) else found

    vars(module)["__getattr__"] = find
    return module


def _compile_checked(function: Any) -> Any:
    """Return a compiled function that raises exceptions for indices out of range and for
    divisions by zero."""
    return numba.njit(boundscheck=True, error_model="python", forceinline=True, nogil=True)(
        function
    )


def _swap_arguments(method: Any) -> Any:
    """Return a compiled method of (parameters, view) as a function of (view, parameters)."""
    return _compile_checked(lambda view, parameters: method(parameters, view))


def list_used_names(code: CodeType) -> Iterator[str]:
    """Yield the global names, and those of attributes, that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from list_used_names(constant)


def _reject_random_modules(subject: str, function: Any) -> None:
    """Raise InputError for a function that draws random numbers of its own."""
    used = list(list_used_names(function.__code__))
    for name in used:
        found = function.__globals__.get(name)
        owner = found if isinstance(found, ModuleType) else getattr(found, "__self__", None)
        module = getattr(owner, "__name__", type(owner).__module__)
        if module in _RANDOM_MODULES or (module == "numpy" and "random" in used):
            raise InputError(
                f"{_locate_name([function], name)}: {subject} uses {name}, which answers "
                f"differently "
                "each time: use view.random, chance() or random_card()"
            )


def _reject_natural_constants(subject: str, function: Any) -> None:
    """Raise InputError for sets such as NINES where cards are coded by strength."""
    name = find_natural_constant(list_used_names(function.__code__))
    if name is not None:
        raise InputError(
            f"{_locate_name([function], name)}: {subject}: cards are coded by strength here: "
            f"write in_view(view, {name})"
        )


def _describe_type(answer: Any) -> str:
    """Return the type of a function's answer in words."""
    for kind, words in _TYPE_NAMES:
        if isinstance(answer, kind):
            return words
    return str(answer)


def _locate_name(functions: list[Any], name: str) -> str:
    """Return `file:line` of a name's first use in some functions, else of the first function."""
    for function in functions:
        for line, text in _list_lines(function):
            if re.search(rf"\b{re.escape(name)}\b", text.partition("#")[0]):
                return locate_source(function, line)
    return locate_source(functions[0])


def _locate_numba_error(functions: list[Any], error_text: str) -> str:
    """The innermost place in the functions' files that numba tells."""
    files = {os.path.realpath(each.__code__.co_filename): each for each in functions}
    for path, line in re.findall(r'File "(.*?)", line (\d+)', error_text):
        if os.path.realpath(path) in files:
            return locate_source(files[os.path.realpath(path)], int(line))
    return locate_source(functions[0])


def _explain_compile_error(
    subject: str, functions: list[Any], decision: str, parameters: Any, error: Exception
) -> str:
    """One line on why a function does not compile."""
    text = str(error)
    place = _locate_numba_error(functions, text)
    view: Any = VIEW_OF_DECISION[decision]
    if match := re.search(r"Unknown attribute '(\w+)' of type (\w+)\(", text):
        name, kind = match.groups()
        fields = {view.__name__: view._fields, parameters.__name__: parameters._fields}.get(kind)
        if fields is not None:
            what = "parameter" if kind == parameters.__name__ else "field of the view"
            return f"{place}: {subject}: no {what} {name!r}; {suggest_names(name, fields)}"
    if match := re.search(r"(\w+)\(\): \[(.*?)\]", text):
        place = _locate_name(functions, match[1])
        return f"{place}: {subject}, {match[1]}(): {match[2]}"
    if match := re.search(r"has no attribute '(\w+)'", text):
        place = _locate_name(functions, match[1])
    return f"{place}: {subject} does not compile: {_shorten_reason(text)}"


def _shorten_reason(text: str) -> str:
    """Return numba's reason without its surroundings."""
    if match := re.search(r"function Function\((.*?)\) found for signature:\s*>>> (.*)", text):
        return f"there is no {match[2].strip()}"
    noise = ("Failed", "-", "File", "During", ">>>")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(noise)), text)
