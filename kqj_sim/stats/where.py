"""Expressions over the columns, such as `lap == 2 and sender_trumps >= 4`.

They mean what they mean as a pandas query, with comparisons, arithmetic and boolean operators over
the columns; `sender_holds('KQJ')` is besides them.  A text is parsed, and its nodes, if their kinds
are allowed, are evaluated on rows, first on none to find every error; Python evaluates nothing.

As in pandas, `&` and `|` bind like `and` and `or`.  Unlike there, a number divided by zero is
unknown, and so is null: a deal is selected only if the expression holds whatever the number is.
"""

from __future__ import annotations

import ast
import io
import itertools
import math
import operator
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from kqj_sim.columns import NO_LABEL, SENDER_HAND, Column
from kqj_sim.core.types import BoolArray
from kqj_sim.errors import InputError
from kqj_sim.games import describe_listing, find_game, get_columns
from kqj_sim.messages import find_similar, quote, shorten, suggest
from kqj_sim.simulation.rows import Rows, find_held_trumps

MOST_CHARACTERS = 10_000
MOST_PARTS = 2_000
"""Largest number of columns, numbers, labels and operators: each is an array for each chunk."""
MOST_NESTED = 100
"""Largest depth of brackets; Python's parser gives up at twice as many."""

_MAX_INTEGER = 2**62
_NUMBERS = (
    # The first deal and the number of deals are 2**60 at most (`simulation.experiment.MAX_DEAL`).
    Column("deal", 0, 2**61, "number of the deal"),
    # Of whole games, with bounds beyond the longest possible run.
    Column("game", 0, 2**53, "number of the game"),
    Column("round", 0, 2**15 - 1, "number of the round in its game"),
)
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_REFUSED: dict[type[ast.AST], str] = {
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


class Expression:
    """A condition on rows; `columns` are the names it uses, in order of use."""

    def __init__(self, text: str, tree: ast.expr, games: bool, game: str) -> None:
        self.text = text
        self._tree = tree
        columns = (*get_columns(game), *(_NUMBERS if games else _NUMBERS[:1]))
        self._known_columns = {column.name: column for column in columns}
        nothing = np.zeros(0, np.int64)
        values = np.zeros((len(get_columns(game)), 0), np.int16)
        no_rows = Rows(nothing, values, nothing, nothing, None, nothing, game_name=game)
        evaluation = _Evaluation(no_rows, self._known_columns)
        evaluation.find_condition(tree)
        self.columns = tuple(evaluation.used)

    def mask(self, rows: Rows) -> BoolArray:
        """Return the rows where it holds, bool (rows,)."""
        with np.errstate(all="ignore"):
            condition = _Evaluation(rows, self._known_columns).find_condition(self._tree)
        holds: BoolArray = condition.values & condition.known
        return holds


def compile_expression(text: str, *, games: bool = True, game: str = "kqj") -> Expression:
    """Compile a condition on `deal` and the columns of a game's rows; raises InputError.

    With `games` it may use the columns `game` and `round` too.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"the expression has {len(text):,} characters: at most {MOST_CHARACTERS:,}"
        )
    depths = itertools.accumulate((sign in "([{") - (sign in ")]}") for sign in text)
    deepest = max(depths, default=0)
    if deepest > MOST_NESTED:
        raise InputError(f"the expression is nested {deepest:,} deep: at most {MOST_NESTED}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as an unknown escape in a text
            tree = ast.parse(_replace_operators(text.strip()), mode="eval").body
        parts = sum(isinstance(node, ast.expr) for node in ast.walk(tree))
        if parts > MOST_PARTS:
            raise InputError(f"the expression has {parts:,} parts: at most {MOST_PARTS:,}")
        _format_node(tree)  # needs more of Python's stack than `mask`, which may be called deeper
        return Expression(text, tree, games, game)
    except InputError:
        raise
    except (RecursionError, MemoryError):
        raise InputError(
            f"the expression is nested too deeply: at most {MOST_NESTED} levels"
        ) from None
    except (SyntaxError, ValueError, tokenize.TokenError, Warning):
        example = find_game(game).example_expression
        hint = ": write == for =" if re.search("(?<![<>=!])=(?![<>=])", text) else ""
        raise InputError(f"{quote(text)} is not an expression such as {example}{hint}") from None


def _replace_operators(text: str) -> str:
    """Replace `&` and `|` by `and` and `or`, so that they bind like these."""
    words = {"&": (tokenize.NAME, "and"), "|": (tokenize.NAME, "or")}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return tokenize.untokenize(
        words.get(token.string, (token.type, token.string)) for token in tokens
    ).strip()


def _format_node(node: ast.expr) -> str:
    return shorten(ast.unparse(node))


def _make_error(node: ast.expr, words: str) -> InputError:
    return InputError(f"{_format_node(node)}{words}")


class _Operand(NamedTuple):
    """A node with its values on rows.

    Attributes:
        values: (rows,) or a scalar: bool of a condition, int64 or float64 of a number, int64 of a
            column with labels; or a text that may be a label.
        known: the rows where the values hold, bool (rows,).
        low, high: the bounds of an integer; infinite for other numbers.
        column: the column that the node is, or None.
    """

    node: ast.expr
    kind: Literal["condition", "number", "label"]
    values: Any
    known: BoolArray
    low: float = -math.inf
    high: float = math.inf
    column: Column | None = None


class _Evaluation:
    """The evaluation of expressions on rows; raises InputError for what means nothing.

    Attributes:
        used: names of the columns, in order of use.
    """

    def __init__(self, rows: Rows, columns: Mapping[str, Column]) -> None:
        self.used: dict[str, None] = {}
        self._rows = rows
        self._columns = columns
        self._game = find_game(rows.game_name)
        # An array, since `&` with a single True takes numpy forty times as long.
        self._every_row = np.ones(len(rows), np.bool_)

    def find_condition(self, node: ast.expr) -> _Operand:
        """Evaluate a node that must be a condition; a flag is one."""
        operand = self._evaluate(node)
        if operand.kind == "condition":
            return operand
        column = operand.column
        if column is not None and column.is_flag:
            return _Operand(node, "condition", operand.values != 0, operand.known)
        if operand.kind == "number":
            example = f"{_format_node(node)} > 0"
        elif column is not None:
            example = f'{column.name} == "{column.categories[0]}"'
        else:
            example = self._game.example_label
        raise _make_error(node, f" is not a condition: compare, as in {example}")

    def _find_number(self, node: ast.expr) -> _Operand:
        operand = self._evaluate(node)
        if operand.kind == "number":
            return operand
        raise _make_error(
            node, f" is a {operand.kind}, not a number: it cannot be used in arithmetic"
        )

    def _evaluate(self, node: ast.expr) -> _Operand:
        match node:
            case ast.BoolOp(op=ast.And(), values=parts):
                return self._join_all(node, map(self.find_condition, parts))
            case ast.BoolOp(values=parts):
                return self._join_any(node, map(self.find_condition, parts))
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=part):
                return _negate(node, self.find_condition(part))
            case ast.UnaryOp(op=ast.USub(), operand=part):
                _, _, values, known, low, high, _ = self._find_number(part)
                return _Operand(node, "number", -values, known, -high, -low)
            case ast.BinOp(op=op) if type(op) in _OPERATORS:
                return _calculate(node, self._find_number(node.left), self._find_number(node.right))
            case ast.Compare(ops=ops, comparators=rights):
                links = zip((node.left, *rights), ops, rights, strict=False)
                return self._join_all(node, (self._compare(*link) for link in links))
            case ast.Name(id=name):
                return self._find_column(node, name)
            case ast.Call(func=ast.Name(id="sender_holds")):
                ranks = _read_ranks(node, self._game.rules.ranks)
                self.used[SENDER_HAND] = None
                cards = self._rows.get_sender_cards()  # 0 where everybody passed
                holds = find_held_trumps(cards, ranks, self._game.name)
                return _Operand(node, "condition", holds, cards != 0)
            case ast.Constant(value=str() as label):
                return _Operand(node, "label", label, self._every_row)
            case ast.Constant(value=bool() as truth):
                raise InputError(f"{truth} is not used here: write {int(truth)}")
            case ast.Constant(value=int() | float() as number):
                if not abs(number) <= _MAX_INTEGER:
                    raise InputError(
                        f"{shorten(str(number))} is too large a number: 2**62 is the largest"
                    )
                if isinstance(number, float):
                    return _Operand(node, "number", np.float64(number), self._every_row)
                return _Operand(node, "number", np.int64(number), self._every_row, number, number)
        refused = next((words for kind, words in _REFUSED.items() if isinstance(node, kind)), "")
        raise _make_error(
            node,
            f" is {refused}{', which is ' if refused else ''}not allowed: only comparisons, "
            "+ - * / // %, and or not, columns, numbers, labels and sender_holds('KQJ') are",
        )

    def _find_column(self, node: ast.expr, name: str) -> _Operand:
        column = self._columns.get(name)
        if column is None:
            if name in [number.name for number in _NUMBERS]:
                raise InputError(f"{name} is a column of whole games only: add `games`")
            if name == SENDER_HAND:
                raise InputError(f"{name} holds cards: write sender_holds('KQJ') for trumps")
            hint = suggest(name, self._columns) or describe_listing(self._game.name)
            raise InputError(f"{shorten(name)} is not a column: {hint}")
        self.used[name] = None
        is_number = column in _NUMBERS
        values = getattr(self._rows, name) if is_number else self._rows.column(name)
        values = np.asarray(values, np.int64)
        nulls = self._rows.find_nulls(column)
        known = self._every_row if nulls is None else ~nulls
        kind: Literal["label", "number"] = "label" if column.labels else "number"
        return _Operand(node, kind, values, known, column.low, column.high, column)

    def _compare(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> _Operand:
        node = ast.Compare(left, [comparison], [right])
        if isinstance(comparison, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple):
                example = self._game.example_choice
                raise _make_error(node, f": after in comes a list, as in {example}")
            if not right.elts:
                self._evaluate(left)
            pairs = (self._compare_pair(node, left, ast.Eq(), part) for part in right.elts)
            among = self._join_any(node, pairs)
            return among if isinstance(comparison, ast.In) else _negate(node, among)
        if type(comparison) not in _OPERATORS:
            raise _make_error(node, ": `is` is not used here: write == or !=")
        return self._compare_pair(node, left, comparison, right)

    def _compare_pair(
        self, node: ast.expr, left: ast.expr, comparison: ast.cmpop, right: ast.expr
    ) -> _Operand:
        """Compare two operands; `node` is what messages call the comparison."""
        self._check_quotes(left, comparison, right)
        self._check_quotes(right, comparison, left)
        a, b = self._evaluate(left), self._evaluate(right)
        is_equality = isinstance(comparison, ast.Eq | ast.NotEq)
        for one, other in ((a, b), (b, a)):
            column = one.column
            number = other.low if other.low == other.high else None
            value = other.values if isinstance(other.values, str) else number
            if column is None or value is None or (column.rule and column.labels):
                continue  # The labels of columns of some rules are null under the others.
            if is_equality and value == column.null_value:
                said = f"{column.name} is null where everybody passed: write taken, or not taken"
                raise _make_error(node, f": {said}")
        if "condition" in (a.kind, b.kind):
            raise _make_error(node, " compares a condition: join conditions with and, or, not")
        x, y = a.values, b.values
        if "label" in (a.kind, b.kind):
            columns = [operand.column for operand in (a, b) if operand.column is not None]
            is_ordered = len(columns) == 1 and columns[0].is_ordered
            if not (is_equality or is_ordered):
                raise _make_error(node, ": labels have no order: compare them with == or !=")
            x, y = _number_labels(node, a, b)
        holds = _OPERATORS[type(comparison)](x, y)
        return _Operand(node, "condition", holds, a.known & b.known)

    def _check_quotes(self, column: ast.expr, comparison: ast.cmpop, label: ast.expr) -> None:
        """Raise InputError if a label of a column is written as a name."""
        if not (isinstance(column, ast.Name) and isinstance(label, ast.Name)):
            return
        labels = self._columns[column.id].categories if column.id in self._columns else ()
        if label.id in self._columns or not labels:
            return
        name = label.id.casefold()
        starts = [known for known in labels if name.startswith(known.casefold())]  # h for hearts
        near = next(iter(find_similar(name, labels) or starts), labels[0])
        sign = "!=" if isinstance(comparison, ast.NotEq) else "=="
        raise InputError(
            f"{shorten(label.id)} without quotes is no label: write {column.id} {sign} '{near}'"
        )

    def _join_all(self, node: ast.expr, conditions: Iterable[_Operand]) -> _Operand:
        """Return where all conditions hold, in three-valued logic.

        Source: S. C. Kleene, Introduction to Metamathematics (1952), section 64.
        """
        holds = may_hold = self._every_row
        for condition in conditions:
            holds = holds & condition.values & condition.known
            may_hold = may_hold & (condition.values | ~condition.known)
        return _Operand(node, "condition", holds, holds == may_hold)

    def _join_any(self, node: ast.expr, conditions: Iterable[_Operand]) -> _Operand:
        opposites = (_negate(node, condition) for condition in conditions)
        return _negate(node, self._join_all(node, opposites))


def _negate(node: ast.expr, condition: _Operand) -> _Operand:
    return _Operand(node, "condition", ~condition.values, condition.known)


def _calculate(node: ast.BinOp, left: _Operand, right: _Operand) -> _Operand:
    low, high = _compute_bounds(node.op, left, right)
    if math.isfinite(low) and max(-low, high) > _MAX_INTEGER:
        raise _make_error(node, " can exceed 2**62, the largest integer here")
    known, divisor = left.known & right.known, right.values
    if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
        known = known & (divisor != 0)
        divisor = np.where(divisor == 0, 1, divisor)
    values = _OPERATORS[type(node.op)](left.values, divisor)
    return _Operand(node, "number", values, known, low, high)


def _compute_bounds(op: ast.operator, left: _Operand, right: _Operand) -> tuple[float, float]:
    """Return the bounds of an integer result; infinite ones for other numbers."""
    ends = (left.low, left.high, right.low, right.high)
    if isinstance(op, ast.Div) or not all(map(math.isfinite, ends)):
        return -math.inf, math.inf
    if isinstance(op, ast.FloorDiv | ast.Mod):
        largest = max(map(abs, ends[:2] if isinstance(op, ast.FloorDiv) else (*ends[2:], 1)))
        return -largest, largest
    corners = [_OPERATORS[type(op)](a, b) for a in ends[:2] for b in ends[2:]]
    return min(corners), max(corners)


def _number_labels(node: ast.expr, a: _Operand, b: _Operand) -> tuple[Any, Any]:
    """Return numbers of labels to compare: of two columns, or of a column and a text."""
    if isinstance(a.values, str):
        if isinstance(b.values, str):
            raise _make_error(node, " compares two texts: one side must be a column")
        return _number_labels(node, b, a)[::-1]
    labels = () if a.column is None else a.column.categories
    if a.column is None or not labels:
        raise _make_error(node, f": {_format_node(a.node)} holds numbers, not labels")
    others = () if b.column is None else b.column.categories
    if others:
        # A label of the other column that this one lacks equals nothing.
        numbers = [labels.index(label) if label in labels else -1 for label in (*others, NO_LABEL)]
        return a.values, np.array(numbers, np.int64)[b.values]
    one_of = f"it is one of {', '.join(labels)}"
    if b.kind == "number":
        raise _make_error(node, f": {a.column.name} has labels, not numbers; {one_of}")
    if b.values not in labels:
        hint = suggest(b.values, labels) or one_of
        raise InputError(f"{quote(b.values)} is not a label of {a.column.name}: {hint}")
    return a.values, labels.index(b.values)


def _read_ranks(call: ast.Call, allowed: str) -> str:
    """Return the ranks, all of them `allowed`, of `sender_holds('KQJ')`, or raise InputError."""
    match call:
        case ast.Call(args=[ast.Constant(value=str() as text)], keywords=[]):
            ranks = re.sub(r"[\s,]", "", text).replace("10", "T")
        case _:
            ranks = ""
    if not ranks or {*ranks} - {*allowed}:
        hint = "write ranks of trumps in quotes, as in sender_holds('KQJ'); the ranks are"
        raise _make_error(call, f": {hint} {allowed}")
    return ranks
