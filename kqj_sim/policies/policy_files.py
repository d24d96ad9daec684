"""The policies of users' Python files."""

from __future__ import annotations

import linecache
import sys
import traceback
from functools import cache
from importlib.util import decode_source
from pathlib import Path
from threading import RLock
from types import ModuleType

from kqj_sim.errors import InputError
from kqj_sim.messages import describe_error, quote, suggest_file, suggest_names
from kqj_sim.policies.registry import Policy, forget_policies, policies_of_module
from kqj_sim.policies.user_policies import shorten_path
from kqj_sim.text_files import convert_to_utf8, read_bytes

_LOAD_LOCK = RLock()
"""A file registers its policies while it runs, so only one may run at a time."""


def load_policy_file(path: Path, name: str) -> Policy:
    """Return a policy of a Python file; without a name the only one there.

    The file is run once, and again when it has changed.

    Raises:
        InputError: the file cannot be run, or defines no such policy.
    """
    try:
        content = convert_to_utf8(read_bytes(path))
    except FileNotFoundError:
        raise InputError(f"policy file {path}: no such file{suggest_file(path)}") from None
    except OSError as error:
        raise InputError(f"policy file {path}: {error.strerror}") from None
    except ValueError as error:  # No file name has a null character.
        raise InputError(f"policy file {path}: {error}") from None
    with _LOAD_LOCK:
        found = _run_policy_file(path.resolve(), content)
    where = shorten_path(path)
    if not found:
        raise InputError(f"{where}: it defines no policy with @policy(...)")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        raise InputError(f"{where}: name one of its policies: {', '.join(found)}")
    if name not in found:
        raise InputError(f"{where}: no policy {quote(name)}; {suggest_names(name, found)}")
    return found[name]


@cache
def _run_policy_file(path: Path, content: bytes) -> dict[str, Policy]:
    """Return the policies that a file with this content defines, by name."""
    module = ModuleType(f"kqj_sim_user_{path.stem}_{abs(hash(path))}")
    module.__file__ = str(path)
    forget_policies(module.__name__)
    sys.modules[module.__name__] = module
    recursion_limit = sys.getrecursionlimit()
    try:
        code = compile(content, str(path), "exec")
        # Places of mistakes are looked up here: the file may be on another machine.
        lines = decode_source(content).splitlines(keepends=True)
        linecache.cache[str(path)] = (len(content), None, lines, str(path))
        exec(code, module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[module.__name__]
        raise InputError(_explain_load_error(error, module)) from None
    finally:
        # The file may have set one that is too low for the compiler.
        sys.setrecursionlimit(recursion_limit)
    return policies_of_module(module)


def _explain_load_error(error: BaseException, module: ModuleType) -> str:
    """Return the error of a file that was run, with its line."""
    path = str(module.__file__)
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]  # fmt: skip
    reason = str(error) if isinstance(error, InputError) else describe_error(error)
    if isinstance(error, SyntaxError) and error.filename == path:
        lines, reason = [error.lineno], f"{type(error).__name__}: {error.msg}"
    return f"{shorten_path(path)}{f':{lines[-1]}' if lines and lines[-1] else ''}: {reason}"
