"""Identifiers of the quantities in tables, and the headings that people read.

Tables, CSV, JSON and Parquet name a quantity by its identifier; screens and pages by its heading.
"""

from __future__ import annotations

from collections.abc import Mapping

LABELS: Mapping[str, str] = {}
"""Headings by identifier."""


def get_label(quantity: str) -> str:
    """Return the heading of a quantity."""
    return LABELS.get(quantity, quantity)
