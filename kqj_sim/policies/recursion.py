"""Refusal of user functions that call themselves.

numba compiles some of them, and one that does not end overflows the stack of a thread, which ends
the process without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any


def find_recursion(function: Any) -> list[str]:
    """Return the names along a cycle of calls that begins and ends alike; empty without one.

    Args:
        function: a plain function; helpers may be plain or compiled ones.
    """
    finished: set[CodeType] = set()

    def follow(caller: FunctionType, path: list[FunctionType]) -> list[str]:
        if caller.__code__ in finished:
            return []
        codes = [each.__code__ for each in path]
        if caller.__code__ in codes:
            cycle = path[codes.index(caller.__code__) :]
            return [each.__name__ for each in (*cycle, caller)]
        for callee in _list_callees(caller):
            if cycle_names := follow(callee, [*path, caller]):
                return cycle_names
        finished.add(caller.__code__)
        return []

    return follow(function, [])


def _list_callees(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the Python functions of the same package that a function names."""
    package = get_package(function)
    values: list[Any] = []
    names: set[str] = set()
    for code in _list_codes(function.__code__):
        names.update(code.co_names)
    values += [function.__globals__[name] for name in sorted(names & {*function.__globals__})]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            continue  # The cell is still empty.
    for value in [*values]:
        if isinstance(value, ModuleType):
            values += [vars(value)[name] for name in sorted(names & {*vars(value)})]
    for value in values:
        # A compiled function keeps the plain one.
        plain = getattr(value, "py_func", value)
        if isinstance(plain, FunctionType) and get_package(plain) == package:
            yield plain


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_codes(constant)


def get_package(function: Any) -> str:
    """Return the package of a function; texts that were run without a name count as `__main__`."""
    return (function.__module__ or "__main__").partition(".")[0]
