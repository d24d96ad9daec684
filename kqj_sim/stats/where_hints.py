"""Errors and hints for expressions, and the one function that they may call."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from kqj_sim.columns import Column
from kqj_sim.errors import InputError
from kqj_sim.messages import find_similar, shorten

_ALLOWED_SYNTAX = (
    "comparisons, + - * / // %, and or not, columns, numbers, labels and sender_holds('KQJ') are"
)


def read_ranks(call: ast.Call, allowed: str) -> str:
    """Return the ranks of `sender_holds('KQJ')`; raise InputError if there are none.

    Args:
        call: the call.
        allowed: the ranks of the game.
    """
    match call:
        case ast.Call(args=[ast.Constant(value=str() as text)], keywords=[]):
            ranks = re.sub(r"[\s,]", "", text).replace("10", "T")
        case _:
            ranks = ""
    if not ranks or {*ranks} - {*allowed}:
        raise InputError(
            f"{format_node(call)}: write ranks of trumps in quotes, as in sender_holds('KQJ'); the "
            f"ranks are {allowed}"
        )
    return ranks


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


def make_syntax_error(node: ast.expr) -> InputError:
    """Return the error of a node that is not allowed."""
    kinds: dict[type[ast.expr], str] = {
        ast.Call: "a call",
        ast.Attribute: "an attribute",
        ast.Subscript: "a subscript",
        ast.Lambda: "a function",
        ast.NamedExpr: "an assignment",
        ast.JoinedStr: "a formatted text",
        ast.IfExp: "a choice by if",
        ast.List: "a list outside of in",
        ast.Tuple: "a list outside of in",
    }
    what = kinds.get(type(node), "")
    said = f"is {what}, which is not allowed" if what else "is not allowed"
    return InputError(f"{format_node(node)} {said}: only {_ALLOWED_SYNTAX}")


def format_node(node: ast.expr) -> str:
    """Return a node as text for a message."""
    return shorten(ast.unparse(node))
