"""Hint for expressions: labels without quotation marks."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from kqj_sim.columns import Column
from kqj_sim.messages import find_similar, shorten


def explain_missing_quotes(
    column: ast.expr, comparison: ast.cmpop, label: ast.expr, columns: Mapping[str, Column]
) -> str:
    """Return what to write if a label of a column is written as a name; else nothing.

    Args:
        column, comparison, label: the nodes of a comparison.
        columns: the columns by name.
    """
    if not (isinstance(column, ast.Name) and isinstance(label, ast.Name)):
        return ""
    labels = columns[column.id].labels if column.id in columns else ()
    if label.id in columns or not labels:
        return ""
    name = label.id.casefold()
    starts = [each for each in labels if name.startswith(each.casefold())]  # h for hearts
    near = next(iter(find_similar(name, labels) or starts), labels[0])
    sign = "!=" if isinstance(comparison, ast.NotEq) else "=="
    return f"{shorten(label.id)} without quotes is no label: write {column.id} {sign} '{near}'"
