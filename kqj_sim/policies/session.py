"""Policies of this session: defined in a cell, at the prompt or in a script, and used by name.

A specification names such a policy as it names a built-in one: `cautious`, `cautious:least=3`,
`cautious+network`.  The name means the latest definition.  Each use takes a copy of the policy as
it is then, with the functions and constants it uses; equal copies are one, so that nothing is
compiled twice, and a change of a helper or a constant is never missed.

A user's policy goes to other processes whole: its functions by value, with their source.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import linecache
import pickle
import sys
from collections.abc import Callable
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game
from kqj_sim.messages import describe_error, quote
from kqj_sim.policies.registry import (
    Policy,
    find_owner,
    find_session_policy,
    list_session_names,
    policies_of_module,
    policy,
)
from kqj_sim.policies.user_policies import list_used_names

_LOCK = RLock()
_COPIES: dict[object, Policy] = {}


def find_given_policy(given: object) -> Policy:
    """Return a policy, or that of a function or class, as it is now.

    Raises:
        InputError: it is none of these, or has the name of a built-in policy.
    """
    if not isinstance(given, Policy):
        if not isinstance(given, FunctionType | type):
            raise InputError(
                f"{quote(given)} is not a policy: give a specification such as 'standard', "
                "or a policy or function from a cell"
            )
        given = find_owner(given) or policy(given)
    if given.built_in:
        return given
    if any(given.name in (*game.built_ins, *game.presets) for game in GAMES.values()):
        raise InputError(
            f"policy {given.name!r} has the name of a built-in policy: give yours another name"
        )
    return _copy(given)


def find(name: str, game: str) -> Policy | None:
    """Return a copy of the session's policy of a name as it is now; None if there is none."""
    if name in (*find_game(game).built_ins, *find_game(game).presets):
        return None
    found = find_session_policy(name)
    return None if found is None else _copy(found)


def list_names() -> list[str]:
    """Return the names of the session's policies."""
    return list_session_names()


def _copy(found: Policy) -> Policy:
    """Return the copy of a policy as it is now; the same one as before if nothing has changed."""
    content = (
        found.name,
        found.summary,
        tuple(found.parameters.items()),
        tuple(sorted(found.methods)),
        tuple((name, _describe_function(each, {})) for name, (each, _) in found.choices.items()),
        tuple((name, _describe_function(each, {})) for name, each in found.helpers.items()),
    )
    with _LOCK:
        if content in _COPIES:
            return _COPIES[content]
        copy = _COPIES[content] = Policy(
            found.name,
            found.summary,
            found.parameters,
            found.module,
            built_in=False,
            choices=dict(found.choices),
            methods=set(found.methods),
            helpers=dict(found.helpers),
        )
    return copy


class _Same:
    """An object that equals only itself, kept so that its identity is not reused."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def _describe_function(function: FunctionType, seen: dict[FunctionType, int]) -> object:
    """Return all that a function's machine code depends on, as a value that can be compared."""
    if function in seen:
        return ("again", seen[function])
    seen[function] = len(seen)
    code = function.__code__
    used = list(dict.fromkeys(list_used_names(code)))
    cells = [
        (name, _get_cell(cell))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
    ]
    values = [
        (name, function.__globals__[name]) for name in used if name in function.__globals__
    ] + cells
    return (
        _describe_code(code),
        _describe_value(function.__defaults__, used, seen),
        tuple((name, _describe_value(value, used, seen)) for name, value in values),
    )


def _get_module(function: FunctionType) -> str:
    """Return the module of a function; code that `exec` runs may have none."""
    return str(function.__module__ or "__main__")


def _get_cell(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # A name of an enclosing function that has no value yet.
        return None


def _describe_code(code: CodeType) -> object:
    constants = tuple(
        _describe_code(each) if isinstance(each, CodeType) else (type(each), repr(each))
        for each in code.co_consts
    )
    # Errors name lines, so a function that moved within its cell is another one.
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_linetable,
        (code.co_firstlineno),
    )


def _describe_value(value: object, used: list[str], seen: dict[FunctionType, int]) -> object:
    if isinstance(value, FunctionType) and not _get_module(value).startswith("kqj_sim."):
        return _describe_function(value, seen)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, bool | int | float | str | bytes | np.generic | None):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), tuple(_describe_value(each, used, seen) for each in value)
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] in sys.stdlib_module_names | {"numpy", "kqj_sim"}:
            return value.__name__
        attributes = [(name, vars(value)[name]) for name in used if name in vars(value)]
        described = ((name, _describe_value(each, used, seen)) for name, each in attributes)
        return value.__name__, tuple(described)
    return _Same(value)


def _reduce(policy: Policy) -> tuple[Callable[..., Policy], tuple[Any, ...]]:
    """Return how another process finds a policy: by name in its module, or from `_dump`."""
    module = sys.modules.get(policy.module)
    # A file's module has no specification, as it was run and not imported.
    is_imported = (
        module is not None and module.__spec__ is not None and module.__name__ != "__main__"
    )
    # A session's copy is not the module's policy: that may be defined in a function, or differ.
    if module and is_imported and policies_of_module(module).get(policy.name) is policy:
        return _import, (policy.module, policy.name)
    return _load, (_dump(policy),)


copyreg.pickle(Policy, _reduce)


def _import(module: str, name: str) -> Policy:
    return policies_of_module(importlib.import_module(module))[name]


_KNOWN: dict[bytes, Policy] = {}
"""The policies that this process has pickled or loaded: each is one object."""


@functools.cache
def _dump(policy: Policy) -> bytes:
    """Pickle a policy with its functions by value, and with their source for messages."""
    import cloudpickle

    functions = [*(function for function, _ in policy.choices.values()), *policy.helpers.values()]
    files = {each.__code__.co_filename for each in functions}
    sources = {path: linecache.getlines(path) for path in files}
    modules = [
        sys.modules[name]
        for name in {each.__module__ for each in functions} - {"__main__"}
        if name in sys.modules
    ]
    added = [each for each in modules if each.__name__ not in _list_by_value()]
    for each in added:
        cloudpickle.register_pickle_by_value(each)
    try:
        content = (policy.name, policy.summary, policy.parameters, policy.module, policy.choices)
        pickled = bytes(cloudpickle.dumps((content, policy.methods, policy.helpers, sources)))
    except Exception as error:  # whatever an object that cannot be pickled raises
        reason = (
            f"policy {policy.name!r} cannot be sent to other processes: {describe_error(error)}"
        )
        raise InputError(reason.splitlines()[0]) from None
    finally:
        for each in added:
            cloudpickle.unregister_pickle_by_value(each)
    _KNOWN[pickled] = policy
    return pickled


def _list_by_value() -> set[str]:
    import cloudpickle

    return set(cloudpickle.list_registry_pickle_by_value())


def _load(pickled: bytes) -> Policy:
    with _LOCK:
        if pickled not in _KNOWN:
            (name, summary, parameters, module, choices), methods, helpers, sources = pickle.loads(
                pickled
            )
            for path, lines in sources.items():
                if lines and not linecache.getlines(path):
                    linecache.cache[path] = (sum(map(len, lines)), None, lines, path)
            _KNOWN[pickled] = Policy(
                name, summary, parameters, module, False, choices=choices, methods=methods,
                helpers=helpers,
            )  # fmt: skip
        return _KNOWN[pickled]
