"""Policies of a user's Python file."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from kqj_sim.policies.errors import PolicyError, nearest
from kqj_sim.policies.registry import Policy, of_module


@cache
def policy_of_file(path: Path, name: str) -> Policy:
    """A policy of a Python file; without a name the only one there.

    Raises:
        PolicyError: the file cannot be run, or defines no such policy.
    """
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
    found = of_module(module)
    if not found:
        raise PolicyError(f"policy file {path}: it defines no policy with @policy(...)")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        raise PolicyError(f"policy file {path}: name one of its policies: {', '.join(found)}")
    if name not in found:
        raise PolicyError(f"policy file {path}: no policy {name!r}; {nearest(name, found)}")
    return found[name]
