"""The extent of one run, in which files are read and specifications parsed once.

A run is one command, or one call of `odds`, `compare`, `sweep` or `tune`.  A user's file that
changes meanwhile does not change the policy: every part of the results comes from one content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_RESULTS: ContextVar[dict[object, object] | None] = ContextVar("_RESULTS", default=None)


@contextmanager
def run_scope() -> Iterator[None]:
    """Begin a run that lasts as long as the block; inside another run, be a part of that one."""
    if _RESULTS.get() is not None:
        yield
        return
    token = _RESULTS.set({})
    try:
        yield
    finally:
        _RESULTS.reset(token)


def once_per_run(
    function: Callable[_Parameters, _Result],
) -> Callable[_Parameters, _Result]:
    """Decorate a function of hashable positional arguments so that a run calls it once for each.

    Outside a run, and in other threads, every call is made.  Exceptions are not kept.
    """

    @wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        results = _RESULTS.get()
        key = (function, args, tuple(kwargs.items()))
        if results is None:
            return function(*args, **kwargs)
        if key not in results:
            results[key] = function(*args, **kwargs)
        return results[key]  # type: ignore[return-value]

    return call
