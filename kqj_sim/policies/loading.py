"""Policies of a user's Python file."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType

from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.own import short_path
from kqj_sim.policies.registry import Policy, forget, of_module


def policy_of_file(path: Path, name: str) -> Policy:
    """A policy of a Python file; without a name the only one there.

    The file is run once, and again when it has been changed.

    Raises:
        PolicyError: the file cannot be run, or defines no such policy.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        told = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise PolicyError(f"policy file {path}: {told}") from None
    found = _policies(path.resolve(), changed)
    where = short_path(path)
    if not found:
        raise PolicyError(f"{where}: it defines no policy with @policy(...)")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        raise PolicyError(f"{where}: name one of its policies: {', '.join(found)}")
    if name not in found:
        raise PolicyError(f"{where}: no policy {name!r}; {nearest(name, found)}")
    return found[name]


@cache
def _policies(path: Path, changed: int) -> dict[str, Policy]:
    """The policies that a file defines, as it was when it was `changed` (nanoseconds)."""
    module_name = f"kqj_sim_user_{path.stem}_{abs(hash(path))}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    forget(module_name)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise PolicyError(_told(error, module)) from None
    return of_module(module)


def _told(error: BaseException, module: ModuleType) -> str:
    """What went wrong while a file was run, with its line."""
    path = str(module.__file__)
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]  # fmt: skip
    reason = str(error) if isinstance(error, PolicyError) else f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename == path:
        lines, reason = [error.lineno], f"{type(error).__name__}: {error.msg}"
    return f"{short_path(path)}{f':{lines[-1]}' if lines and lines[-1] else ''}: {reason}"
