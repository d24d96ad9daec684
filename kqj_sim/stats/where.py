"""Expressions over the columns, such as `lap == 2 and sender_trumps >= 4`.

They mean what they mean as a pandas query, with comparisons, arithmetic and boolean operators over
the columns; `sender_holds('KQJ')` is besides them.  A text is parsed, each node is checked against
what is allowed and turned into functions of arrays; nothing is ever evaluated as Python.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kqj_sim.columns import NULL, SENDER_HAND, Column
from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.games import describe_listing, find_game, get_columns
from kqj_sim.messages import find_similar, quote, shorten, suggest
from kqj_sim.simulation.rows import find_held_trumps

if TYPE_CHECKING:
    from kqj_sim.simulation.rows import Rows

# Errors and hints for expressions, and the one function that they may call.

_ALLOWED_SYNTAX = (
    "comparisons, + - * / // %, and or not, columns, numbers, labels and sender_holds('KQJ') are"
)


def read_ranks(call: ast.Call, allowed: str) -> str:
    """Return the ranks, all of them `allowed`, of `sender_holds('KQJ')`, or raise InputError."""
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
    """Return what to write if a label of a column is written as a name; else nothing."""
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


MOST_CHARACTERS = 10_000
MOST_PARTS = 2_000
"""Largest number of columns, numbers, labels and operators: each is an array for each chunk."""
MOST_NESTED = 100
"""Largest depth of brackets; Python's parser gives up at twice as many."""

_MAX_INTEGER = 2**62
# The first deal and the number of deals are 2**60 at most (`simulation.experiment.MAX_DEAL`).
_DEAL_COLUMN = Column("deal", 0, 2**61, "number of the deal")
# Bounds beyond the longest possible run.
_GAME_COLUMNS = (
    Column("game", 0, 2**53, "number of the game"),
    Column("round", 0, 2**15 - 1, "number of the round in its game"),
)


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class _TruthMasks(NamedTuple):
    """The rows where a condition is known to hold or known not to hold; bool (rows,) each."""

    holds: BoolArray
    fails: BoolArray


@dataclass(frozen=True)
class _Condition:
    text: str
    truth: Callable[[Rows], _TruthMasks]


@dataclass(frozen=True)
class _Number:
    """A number for each row.

    Attributes:
        low, high: its bounds if it is an integer, else infinite.
        values: returns int64 or float64, (rows,) or a scalar, and the rows where it is known, bool
            (rows,) or None for all.
        flag: True for a column of 0 and 1, which is a condition too.
        has_null: True for a column that is null where everybody passed.
    """

    text: str
    low: float
    high: float
    values: Callable[[Rows], tuple[Any, BoolArray | None]]
    flag: bool = False
    has_null: bool = False


@dataclass(frozen=True)
class _Label:
    """A labelled column, or with `column` None a text that may be a label."""

    text: str
    column: Column | None


_Operand: TypeAlias = _Condition | _Number | _Label


class Expression:
    """A condition on rows; `columns` are the names it uses, in order of use."""

    def __init__(self, text: str, columns: tuple[str, ...], condition: _Condition) -> None:
        self.text = text
        self.columns = columns
        self._condition = condition

    def mask(self, rows: Rows) -> BoolArray:
        """Return the rows where it holds, bool (rows,)."""
        with np.errstate(all="ignore"):
            holds = self._condition.truth(rows).holds
        return np.array(np.broadcast_to(holds, (len(rows),)))


def compile_expression(text: str, *, games: bool = True, game: str = "kqj") -> Expression:
    """Compile a condition on `deal` and the columns of a game's rows; raises InputError.

    With `games` it may use the columns `game` and `round` too.
    """
    _check_size(text)
    compiler = _Compiler(games, game)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as an unknown escape in a text
            tree = ast.parse(_replace_operators(text.strip()), mode="eval")
        parts = sum(isinstance(node, ast.expr) for node in ast.walk(tree))
        if parts > MOST_PARTS:
            raise InputError(f"the expression has {parts:,} parts: at most {MOST_PARTS:,}")
        condition = compiler.compile_condition(tree.body)
    except InputError:
        raise
    except (RecursionError, MemoryError):
        raise InputError(
            f"the expression is nested too deeply: at most {MOST_NESTED} levels"
        ) from None
    except (SyntaxError, ValueError, tokenize.TokenError, Warning):
        example = find_game(game).part("analysis").examples.whole
        hint = ": write == for =" if re.search("(?<![<>=!])=(?![<>=])", text) else ""
        raise InputError(f"{quote(text)} is not an expression such as {example}{hint}") from None
    return Expression(text, tuple(compiler.used), condition)


def _check_size(text: str) -> None:
    """Raise InputError for a text that would take long to parse."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"the expression has {len(text):,} characters: at most {MOST_CHARACTERS:,}"
        )
    depths = itertools.accumulate((each in "([{") - (each in ")]}") for each in text)
    deepest = max(depths, default=0)
    if deepest > MOST_NESTED:
        raise InputError(f"the expression is nested {deepest:,} deep: at most {MOST_NESTED}")


class _Compiler:
    def __init__(self, games: bool, game: str) -> None:
        self.used: dict[str, None] = {}
        self._games = games
        self._game = game
        self._examples = find_game(game).part("analysis").examples
        self._columns = {column.name: column for column in (*get_columns(game), _DEAL_COLUMN)}
        if games:
            self._columns.update({column.name: column for column in _GAME_COLUMNS})

    def compile_condition(self, node: ast.expr) -> _Condition:
        """Compile a node that must be a condition; a flag is one."""
        operand = self._compile_operand(node)
        if isinstance(operand, _Condition):
            return operand
        if isinstance(operand, _Number) and operand.flag:
            number = operand

            def truth(rows: Rows) -> _TruthMasks:
                values, _ = number.values(rows)
                return _TruthMasks(values != 0, values == 0)

            return _Condition(operand.text, truth)
        if isinstance(operand, _Number):
            example = f"{operand.text} > 0"
        elif operand.column is not None:
            example = f'{operand.text} == "{operand.column.labels[0]}"'
        else:
            example = self._examples.label
        raise InputError(f"{operand.text} is not a condition: compare, as in {example}")

    def _compile_operand(self, node: ast.expr) -> _Operand:
        match node:
            case ast.BoolOp():
                return self._compile_boolean(node)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                condition = self.compile_condition(node.operand)

                def negated(rows: Rows) -> _TruthMasks:
                    holds, fails = condition.truth(rows)
                    return _TruthMasks(fails, holds)

                return _Condition(format_node(node), negated)
            case ast.UnaryOp(op=ast.USub()):
                number = self._compile_number(node.operand)

                def negative(rows: Rows) -> tuple[Any, BoolArray | None]:
                    values, known = number.values(rows)
                    return -values, known

                return _Number(format_node(node), -number.high, -number.low, negative)
            case ast.BinOp():
                return self._compile_arithmetic(node)
            case ast.Compare():
                return self._compile_comparison(node)
            case ast.Name(id=name):
                return self._get_column(name)
            case ast.Call(func=ast.Name(id="sender_holds")):
                return self._compile_holding(node)
            case ast.Constant(value=str() as label):
                return _Label(repr(label), None)
            case ast.Constant(value=bool() as truth):
                raise InputError(f"{truth} is not used here: write {int(truth)}")
            case ast.Constant(value=int() | float() as value):
                return _make_constant(value)
        raise make_syntax_error(node)

    def _compile_number(self, node: ast.expr) -> _Number:
        operand = self._compile_operand(node)
        if isinstance(operand, _Number):
            return operand
        what = "a condition" if isinstance(operand, _Condition) else "a label"
        raise InputError(f"{operand.text} is {what}, not a number: it cannot be used in arithmetic")

    def _get_column(self, name: str) -> _Operand:
        column = self._columns.get(name)
        if column is None:
            if name in {column.name for column in _GAME_COLUMNS}:
                raise InputError(f"{name} is a column of whole games only: add --games")
            if name == SENDER_HAND:
                raise InputError(f"{name} holds cards: write sender_holds('KQJ') for trumps")
            hint = suggest(name, self._columns) or describe_listing(self._game)
            raise InputError(f"{shorten(name)} is no column: {hint}")
        self.used[name] = None
        if column.labels:
            return _Label(name, column)

        def values(rows: Rows) -> tuple[Any, BoolArray | None]:
            numbers = _get_column_values(rows, name)
            return numbers, numbers != NULL if column.has_null else None

        return _Number(name, column.low, column.high, values, column.is_flag, column.has_null)

    def _compile_holding(self, node: ast.Call) -> _Condition:
        """Compile `sender_holds('KQJ')`, which is unknown where everybody passed."""
        game, ranks = self._game, read_ranks(node, find_game(self._game).rules.ranks)
        self.used[SENDER_HAND] = None

        def truth(rows: Rows) -> _TruthMasks:
            cards = rows.get_sender_cards()
            holds = find_held_trumps(cards, ranks, game)
            return _TruthMasks(holds, ~holds & (cards != 0))

        return _Condition(format_node(node), truth)

    def _compile_boolean(self, node: ast.BoolOp) -> _Condition:
        conditions = [self.compile_condition(value) for value in node.values]
        all_of = isinstance(node.op, ast.And)
        return _Condition(
            format_node(node), lambda rows: _combine_conditions(conditions, rows, all_of)
        )

    def _compile_arithmetic(self, node: ast.BinOp) -> _Number:
        operate = _ARITHMETIC.get(type(node.op))
        if operate is None:
            raise make_syntax_error(node)
        left, right = self._compile_number(node.left), self._compile_number(node.right)
        divides = isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)

        def values(rows: Rows) -> tuple[Any, BoolArray | None]:
            (a, a_known), (b, b_known) = left.values(rows), right.values(rows)
            known = _intersect_known(a_known, b_known)
            if divides:
                known = _intersect_known(known, b != 0)
                b = np.where(b == 0, 1, b)
            return operate(a, b), known

        low, high = _compute_bounds(node.op, left, right)
        if math.isfinite(low) and max(-low, high) > _MAX_INTEGER:
            raise InputError(f"{format_node(node)} can exceed 2**62, the largest integer here")
        return _Number(format_node(node), low, high, values)

    def _compile_comparison(self, node: ast.Compare) -> _Condition:
        """Compile comparisons, chained ones as the conjunction of their links."""
        links = []
        left = node.left
        for comparison, right in zip(node.ops, node.comparators, strict=True):
            links.append(self._compile_link(left, comparison, right))
            left = right
        if len(links) == 1:
            return links[0]
        return _Condition(format_node(node), lambda rows: _combine_conditions(links, rows, True))

    def _compile_link(self, left: ast.expr, comparison: ast.cmpop, right: ast.expr) -> _Condition:
        text = format_node(ast.Compare(left, [comparison], [right]))
        if isinstance(comparison, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple):
                raise InputError(f"{text}: after in comes a list, as in {self._examples.among}")
            equals = [self._compile_pair(left, ast.Eq(), element, text) for element in right.elts]
            if not equals:
                self._compile_operand(left)

            def any_of(rows: Rows) -> _TruthMasks:
                return _combine_conditions(equals, rows, False)

            def none_of(rows: Rows) -> _TruthMasks:
                holds, fails = any_of(rows)
                return _TruthMasks(fails, holds)

            return _Condition(text, any_of if isinstance(comparison, ast.In) else none_of)
        if type(comparison) not in _COMPARISONS:
            raise InputError(f"{text}: is is not used here, write == or !=")
        return self._compile_pair(left, comparison, right, text)

    def _compile_pair(
        self, left: ast.expr, comparison: ast.cmpop, right: ast.expr, text: str
    ) -> _Condition:
        for one, other in ((left, right), (right, left)):
            if hint := explain_missing_quotes(one, comparison, other, self._columns):
                raise InputError(hint)
        a, b = self._compile_operand(left), self._compile_operand(right)
        _reject_null_as_number(text, a, b)
        compare = _COMPARISONS[type(comparison)]
        if isinstance(a, _Condition) or isinstance(b, _Condition):
            raise InputError(f"{text} compares a condition: join conditions with and, or, not")
        if isinstance(a, _Label) or isinstance(b, _Label):
            if not isinstance(comparison, ast.Eq | ast.NotEq):
                raise InputError(f"{text}: labels have no order, compare them by == or !=")
            return _compare_labels(a, b, compare, text)

        def truth(rows: Rows) -> _TruthMasks:
            (x, x_known), (y, y_known) = a.values(rows), b.values(rows)
            holds = compare(x, y)
            known = _intersect_known(x_known, y_known)
            return (
                _TruthMasks(holds, ~holds)
                if known is None
                else _TruthMasks(holds & known, ~holds & known)
            )

        return _Condition(text, truth)


def _reject_null_as_number(text: str, a: _Operand, b: _Operand) -> None:
    """Raise InputError for the comparison of a column that may be null with -1."""
    match (a, b):
        case (_Number(text=name, has_null=True), _Number(low=-1, high=-1)) | (
            _Number(low=-1, high=-1),
            _Number(text=name, has_null=True),
        ):
            raise InputError(
                f"{text}: {name} is null where everybody passed: write taken, or not taken"
            )


def _compare_labels(
    a: _Operand, b: _Operand, compare: Callable[[Any, Any], Any], text: str
) -> _Condition:
    """Compile a comparison of labels by their texts: of two columns, or a column and a text."""
    if isinstance(a, _Label) and a.column is None:
        a, b = b, a
    if isinstance(a, _Number):
        raise InputError(f"{text}: {a.text} holds numbers, not labels")
    assert isinstance(a, _Label)
    if a.column is None:
        raise InputError(f"{text} compares two texts: one side must be a column")
    if not isinstance(b, _Label):
        said = ", ".join(a.column.labels)
        raise InputError(f"{text}: {a.text} has labels, not numbers; it is one of {said}")
    name, labels = a.column.name, a.column.labels
    if b.column is None:
        label = ast.literal_eval(b.text)
        if label not in labels:
            hint = suggest(label, labels)
            raise InputError(
                f"{quote(label)} is no label of {name}: "
                + (hint or f"it is one of {', '.join(labels)}")
            )
        number = labels.index(label)

        def against_label(rows: Rows) -> _TruthMasks:
            holds = compare(_get_column_values(rows, name), number)
            return _TruthMasks(holds, ~holds)

        return _Condition(text, against_label)
    other = b.column
    # The other column's labels as numbers of this one's; a label that it lacks equals nothing.
    numbers = np.array([labels.index(x) if x in labels else -1 for x in other.labels], np.int64)

    def against_column(rows: Rows) -> _TruthMasks:
        holds = compare(
            _get_column_values(rows, name), numbers[_get_column_values(rows, other.name)]
        )
        return _TruthMasks(holds, ~holds)

    return _Condition(text, against_column)


def _get_column_values(rows: Rows, name: str) -> Int64Array:
    values = getattr(rows, name) if name in ("deal", "game", "round") else rows.column(name)
    return np.asarray(values, np.int64)


def _combine_conditions(conditions: Iterable[_Condition], rows: Rows, all_of: bool) -> _TruthMasks:
    """Return where all, or any, of the conditions hold, in three-valued logic.

    Source: S. C. Kleene, Introduction to Metamathematics (1952), section 64.
    """
    one, zero = np.ones(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    holds, fails = (one, zero) if all_of else (zero, one)
    for condition in conditions:
        truth = condition.truth(rows)
        if all_of:
            holds, fails = holds & truth.holds, fails | truth.fails
        else:
            holds, fails = holds | truth.holds, fails & truth.fails
    return _TruthMasks(holds, fails)


def _intersect_known(a: BoolArray | None, b: BoolArray | None) -> BoolArray | None:
    """Return the rows where both are known; None stands for all rows."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def _make_constant(value: int | float) -> _Number:
    if not abs(value) <= _MAX_INTEGER:
        raise InputError(f"{shorten(str(value))} is too large a number: 2**62 is the largest")
    exact = isinstance(value, int)
    scalar = np.int64(value) if exact else np.float64(value)
    low, high = (value, value) if exact else (-math.inf, math.inf)
    return _Number(str(value), low, high, lambda rows: (scalar, None))


def _compute_bounds(op: ast.operator, left: _Number, right: _Number) -> tuple[float, float]:
    """Return the bounds of an integer result; infinite ones for other numbers."""
    ends = (left.low, left.high, right.low, right.high)
    if isinstance(op, ast.Div) or not all(math.isfinite(end) for end in ends):
        return -math.inf, math.inf
    if isinstance(op, ast.FloorDiv):
        largest = max(abs(left.low), abs(left.high))
        return -largest, largest
    if isinstance(op, ast.Mod):
        largest = max(abs(right.low), abs(right.high), 1)
        return -largest, largest
    operate = _ARITHMETIC[type(op)]
    corners = [operate(a, b) for a in ends[:2] for b in ends[2:]]
    return min(corners), max(corners)


def _replace_operators(text: str) -> str:
    """Replace `&` and `|` by `and` and `or`, so that they bind like these."""
    words = {"&": (tokenize.NAME, "and"), "|": (tokenize.NAME, "or")}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return tokenize.untokenize(
        words.get(token.string, (token.type, token.string)) for token in tokens
    ).strip()
