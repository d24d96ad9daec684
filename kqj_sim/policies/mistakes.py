"""The syntax tree of users' functions: mistakes that compiling would explain in its own words, and
calls of helper methods."""

from __future__ import annotations

import ast
import builtins
import difflib
import linecache
from collections.abc import Collection, Iterator
from inspect import getblock
from textwrap import dedent
from tokenize import TokenError
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba

from kqj_sim.policies.binding import VIEW_OF_DECISION

_SET_FIELDS = frozenset(
    name
    for view in VIEW_OF_DECISION.values()
    for name, kind in view.__annotations__.items()
    if kind.__forward_arg__ in ("CardSet", "Card")
)
"""The fields of views that are sets of cards."""

_SET_FUNCTIONS = frozenset({"hand", "in_view", "suit", "suit_cards"})
"""Functions that return sets of cards."""


def parse_function(code: CodeType) -> ast.FunctionDef | None:
    """Return the syntax tree of a function with the lines of its file; None without its source."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    try:
        tree = ast.parse(dedent("".join(getblock(lines)))) if lines else ast.Module([], [])
    except (SyntaxError, TokenError):  # A lambda, or a file that has changed.
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.FunctionDef) and found.name == code.co_name else None


def find_mistake(function: FunctionType) -> tuple[int, str] | None:
    """Return the line of the first mistake that is certain, and what is wrong; None without one.

    Mistakes are names that nothing has, globals that compiled functions cannot use, assignments to
    fields of an argument, and sets of cards used as lists.
    """
    tree = parse_function(function.__code__)
    if tree is None:
        return None
    finder = _MistakeFinder(function)
    for statement in tree.body:  # Decorators, defaults and annotations are not compiled.
        finder.visit(statement)
    return min(finder.mistakes, default=None)


def _list_local_names(code: CodeType) -> Iterator[str]:
    """Yield the names of the variables of a function, and of functions within it."""
    yield from (*code.co_varnames, *code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_local_names(constant)


def _is_usable(value: Any) -> bool:
    """Return True unless compiled functions certainly cannot use the value of a global name."""
    if callable(value) or isinstance(value, ModuleType):
        return True
    if isinstance(value, list | dict | set):
        return False
    try:
        numba.typeof(value)
    except Exception:  # numba raises errors of several classes
        return False
    return True


class _MistakeFinder(ast.NodeVisitor):
    """A walk through a function that collects mistakes by line."""

    def __init__(self, function: FunctionType) -> None:
        code = function.__code__
        self.mistakes: list[tuple[int, str]] = []
        self._sets: set[str] = set()
        self._arguments = code.co_varnames[: code.co_argcount]
        self._locals = {*_list_local_names(code)}
        self._globals: dict[str, Any] = {**function.__globals__}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._globals[name] = cell.cell_contents
            except ValueError:  # The cell is still empty.
                self._locals.add(name)

    def _is_set(self, node: ast.expr) -> bool:
        """Return True for an expression that is certainly a set of cards."""
        match node:
            case ast.Attribute(attr=name):
                return name in _SET_FIELDS
            case ast.Name(id=name):
                return name in self._sets
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.BitXor(), right=right):
                return self._is_set(left) or self._is_set(right)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return name in _SET_FUNCTIONS
        return False

    def _add(self, node: ast.expr, wrong: str, right: str) -> None:
        self.mistakes.append(
            (node.lineno, f"{wrong}: a set of cards is a number, a bit for each card: {right}")
        )

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if name in self._locals or not isinstance(node.ctx, ast.Load):
            return
        if name in self._globals:
            value = self._globals[name]
            if not _is_usable(value):
                kind = type(value).__name__
                self.mistakes.append((node.lineno, f"{name!r} is a {kind}; {_USABLE_TYPES}"))
        elif not hasattr(builtins, name):
            known = [*self._globals, *self._locals]
            close = difflib.get_close_matches(name, known, 1)
            close = close or difflib.get_close_matches(name, dir(builtins), 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            self.mistakes.append((node.lineno, f"nothing is called {name!r}{hint}"))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        match node:
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id=owner), attr=name) if (
                owner in self._arguments
            ):
                self.mistakes.append(
                    (node.lineno, f"{owner}.{name} is set: a view and parameters cannot be changed")
                )
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._is_set(node.value):
            self._sets |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        for child in (node.target, node.value):  # The annotation is not compiled.
            if child is not None:
                self.visit(child)

    def visit_For(self, node: ast.For) -> None:
        if self._is_set(node.iter):
            cards, card = ast.unparse(node.iter), ast.unparse(node.target)
            self._add(
                node.iter,
                f"for {card} in {cards}",
                f"write rest = {cards}, then while rest: with {card} = lowest(rest) and "
                f"rest ^= {card}",
            )
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[cards]) if self._is_set(cards):
                self._add(node, ast.unparse(node), f"write count({ast.unparse(cards)})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        match node:
            case ast.Compare(left=card, ops=[ast.In() | ast.NotIn() as sign], comparators=[cards]):
                if self._is_set(cards):
                    self._add(node, ast.unparse(node), f"write {_write_test(card, sign, cards)}")
        self.generic_visit(node)


_USABLE_TYPES = "compiled functions use numbers, tuples, numpy arrays and other functions"


def _write_test(card: ast.expr, sign: ast.cmpop, cards: ast.expr) -> str:
    """Return how to ask if a set has a card."""
    is_name = isinstance(card, ast.Constant) and isinstance(card.value, str)
    match cards:
        case ast.Attribute(value=ast.Name(id=view), attr="hand") if is_name:
            return f"{'not ' * isinstance(sign, ast.NotIn)}has({view}, {ast.unparse(card)})"
    text = f"in_view(view, hand({ast.unparse(card)}))" if is_name else ast.unparse(card)
    return f"{ast.unparse(cards)} & {text} {'==' if isinstance(sign, ast.NotIn) else '!='} 0"


def name_helper(method: str) -> str:
    """Return the name by which compiled functions call a helper method."""
    return f"self.{method}"


def bind_helpers(code: CodeType, helpers: Collection[str]) -> CodeType | None:
    """Return a method's code with calls of `helpers`, functions with a first argument self.

    They are global names (`name_helper`), since a named tuple of parameters has no methods that
    numba compiles.  None without source.
    """
    tree = parse_function(code)
    if tree is None:
        return None
    tree.decorator_list, tree.returns = [], None
    _HelperBinder(tree.args.args[0].arg, helpers).visit(tree)
    module = ast.fix_missing_locations(ast.Module([tree], []))
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True)
    return next(
        each
        for each in compiled.co_consts
        if isinstance(each, CodeType) and each.co_name == code.co_name
    )


class _HelperBinder(ast.NodeTransformer):
    """A replacement of `self.helper(x)` by a call of a function with `self` and `x`."""

    def __init__(self, self_name: str, helpers: Collection[str]) -> None:
        self._self_name, self._helpers = self_name, helpers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner) as given, attr=name) if (
                owner == self._self_name and name in self._helpers
            ):
                node.func = ast.copy_location(ast.Name(name_helper(name), ast.Load()), node.func)
                node.args = [given, *node.args]
        return node
