"""Python's own numbers, texts and lists in place of those of numpy and pandas."""

from __future__ import annotations

from typing import Any

_LEVELS = 5
"""Levels of lists and mappings in the arguments of a function."""


def to_plain(value: Any, levels: int = _LEVELS) -> Any:
    """Return a value of numpy or pandas as Python's, also within lists and mappings.

    Neither library is imported.  Other values are returned as they are.
    """
    if callable(getattr(type(value), "tolist", None)):
        value = value.tolist()
    if levels and type(value) in (list, tuple):
        return type(value)(to_plain(item, levels - 1) for item in value)
    if levels and type(value) is dict:
        return {to_plain(key): to_plain(item, levels - 1) for key, item in value.items()}
    return value


def to_mapping(value: Any) -> Any:
    """Return a Series of pandas whose labels are texts as a mapping; other values as they are."""
    if not (callable(getattr(value, "to_dict", None)) and hasattr(type(value), "tolist")):
        return value
    mapping = value.to_dict()
    return mapping if any(isinstance(label, str) for label in mapping) else value
