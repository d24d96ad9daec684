"""Policies of this session: defined in a cell, at the prompt or in a script, and used by name.

A specification names such a policy as it names a built-in one: `cautious`, `cautious:least=3`,
`cautious+network`.  The name means the latest definition.  Each use takes a copy of the policy as
it is then, with the functions and constants it uses; equal copies are one, so that nothing is
compiled twice, and a change of a helper or a constant is never missed.
"""

from __future__ import annotations

import functools
import linecache
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from kqj_sim.errors import InputError
from kqj_sim.messages import quote
from kqj_sim.policies.registry import (
    BUILT_INS,
    PRESETS,
    Policy,
    find_owner,
    find_session_policy,
    list_session_names,
    name_session_policy,
    policy,
)
from kqj_sim.policies.user_policies import list_used_names

PolicyLike: TypeAlias = str | Path | Policy | Callable[..., Any]
"""A specification, a policy, or a function or class that defines one."""

_LOCK = RLock()
_COPIES: dict[object, Policy] = {}
_USED: dict[str, Policy] = {}
"""Copy that each name meant when it was last looked up."""
_SENT: ContextVar[Mapping[str, bytes] | None] = ContextVar("_SENT", default=None)


def as_spec(given: PolicyLike) -> str:
    """Return the specification that names a policy, a function or a class; texts stay as they are.

    A policy that a later definition of the same name has replaced is named `NAME@1`, `NAME@2`, ...

    Raises:
        InputError: it is none of these, or has the name of a built-in policy.
    """
    if isinstance(given, str | Path):
        return str(given)
    if not isinstance(given, Policy):
        given = _define(given)
    if given.built_in:
        return given.name
    return name_session_policy(given)


def _define(given: object) -> Policy:
    """Return the policy to which a function belongs, or that a function or class defines."""
    if not isinstance(given, FunctionType | type):
        raise InputError(
            f"{quote(str(given))} is not a policy: give a specification such as 'standard', or a "
            "policy or function from a cell"
        )
    owner = find_owner(given)
    return policy(given) if owner is None else owner


def find(name: str, game: str) -> Policy | None:
    """Return a copy of the session's policy of a name as it is now; None if there is none."""
    if name in BUILT_INS[game] or name in PRESETS[game]:
        return None
    sent = _SENT.get()
    if sent is not None and name in sent:
        return _load(sent[name])
    found = find_session_policy(name)
    if found is None:
        return None
    with _LOCK:
        copy = _USED[name] = _copy(found)
    return copy


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
    if content not in _COPIES:
        _COPIES[content] = Policy(
            found.name,
            found.summary,
            found.parameters,
            found.module,
            built_in=False,
            choices=dict(found.choices),
            methods=set(found.methods),
            helpers=dict(found.helpers),
        )
    return _COPIES[content]


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
    if isinstance(value, FunctionType) and not value.__module__.startswith("kqj_sim."):
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


def list_pickled() -> dict[str, bytes]:
    """Return the session's policies that were used, pickled, by name."""
    with _LOCK:
        return {name: _dump(each) for name, each in _USED.items()}


def pickle_policies(configured: Iterable[tuple[str, Policy]]) -> dict[str, bytes]:
    """Return those of some policies that belong to this session, pickled, by name.

    Args:
        configured: the name in specifications, and the policy, of each.
    """
    mine = {id(each) for each in _COPIES.values()}
    return {name: _dump(each) for name, each in configured if id(each) in mine}


@contextmanager
def supply_policies(pickled: Mapping[str, bytes]) -> Iterator[None]:
    """Find policies that another process pickled within the block, in this thread."""
    token = _SENT.set({**(_SENT.get() or {}), **pickled})
    try:
        yield
    finally:
        _SENT.reset(token)


@functools.cache
def _dump(copy: Policy) -> bytes:
    """Pickle a policy with its functions by value, and with their source for messages."""
    import cloudpickle

    functions = [*(function for function, _ in copy.choices.values()), *copy.helpers.values()]
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
        content = (copy.name, copy.summary, copy.parameters, copy.module, copy.choices)
        return bytes(cloudpickle.dumps((content, copy.methods, copy.helpers, sources)))
    except Exception as error:  # whatever an object that cannot be pickled raises
        reason = f"policy {copy.name!r} cannot be sent to other processes: {error}"
        return pickle.dumps(InputError(reason.splitlines()[0]))
    finally:
        for each in added:
            cloudpickle.unregister_pickle_by_value(each)


def _list_by_value() -> set[str]:
    import cloudpickle

    return set(cloudpickle.list_registry_pickle_by_value())


@functools.cache
def _load(pickled: bytes) -> Policy:
    """Return the policy that `_dump` pickled; the same one each time."""
    loaded = pickle.loads(pickled)
    if isinstance(loaded, InputError):
        raise loaded
    (name, summary, parameters, module, choices), methods, helpers, sources = loaded
    for path, lines in sources.items():
        if lines and not linecache.getlines(path):
            linecache.cache[path] = (sum(map(len, lines)), None, lines, path)
    return Policy(
        name, summary, parameters, module, False, choices=choices, methods=methods, helpers=helpers
    )
