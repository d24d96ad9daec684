"""Rows into answers: tables with intervals, expressions that choose rows.

The public names load at first use, so that an expression or a table's type costs no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kqj_sim.analysis.expression import Expression, ExpressionError, compile_expression
    from kqj_sim.analysis.table import Table
    from kqj_sim.analysis.tally import Tally

__all__ = ["Expression", "ExpressionError", "Table", "Tally", "compile_expression"]

_MODULE_OF = {
    "Expression": "expression",
    "ExpressionError": "expression",
    "Table": "table",
    "Tally": "tally",
    "compile_expression": "expression",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
