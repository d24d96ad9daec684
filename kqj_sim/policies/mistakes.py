"""The syntax tree of users' functions: mistakes that compiling would explain in its own words, and
calls of helper methods."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection
from inspect import getblock
from textwrap import dedent
from types import CodeType

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
    except SyntaxError:  # A lambda, or a file that has changed.
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.FunctionDef) and found.name == code.co_name else None


def find_mistake(code: CodeType) -> tuple[int, str] | None:
    """Return the line, and what to write instead, of the first use of a set of cards as a list."""
    tree = parse_function(code)
    if tree is None:
        return None
    finder = _MistakeFinder()
    finder.visit(tree)
    return min(finder.mistakes, default=None)


class _MistakeFinder(ast.NodeVisitor):
    """A walk through a function that collects mistakes by line."""

    def __init__(self) -> None:
        self.mistakes: list[tuple[int, str]] = []
        self._sets: set[str] = set()

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

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._is_set(node.value):
            self._sets |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        self.generic_visit(node)

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
