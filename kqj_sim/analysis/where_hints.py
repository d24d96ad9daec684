"""Hints for expressions: operators of other languages, and labels without quotation marks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from kqj_sim.columns import Column
from kqj_sim.messages import find_similar, shorten

_REPAIRS = (
    (re.compile(r"(?<![<>=!])=(?![<>=])"), "=="),
    (re.compile(r"=>"), ">="),
    (re.compile(r"=<"), "<="),
    (re.compile(r"<>"), "!="),
    (re.compile(r"&&"), "and"),
    (re.compile(r"\|\|"), "or"),
    (re.compile(r"(?i)\b(and|or|not|in)\b"), None),
    (re.compile(r"!(?!=)"), "not "),
)
"""Operators of other languages, and those that are meant; None for the same in lower case."""


def repair_operators(text: str) -> str:
    """Return an expression with operators of other languages replaced, outside quotation marks."""
    return "".join(_repair_parts(text))


def _repair_parts(text: str) -> Iterator[str]:
    for number, part in enumerate(re.split(r"""('[^']*'|"[^"]*")""", text)):
        repaired = part
        if number % 2 == 0:
            for pattern, right in _REPAIRS:
                repaired = pattern.sub(right or (lambda found: found[0].lower()), repaired)
        yield repaired


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
