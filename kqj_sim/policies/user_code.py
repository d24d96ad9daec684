"""Users' functions: what they use, the mistakes in them, and their compilation.

A mistake is looked for in the function's syntax tree, so that it is told in the user's words.  What
numba refuses besides is told by the line and numba's first sentence.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import linecache
import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from inspect import getblock
from pathlib import Path
from textwrap import dedent
from tokenize import TokenError
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import event
from numba.core.errors import NumbaError

from kqj_sim.core.jit import compile_for
from kqj_sim.errors import InputError
from kqj_sim.messages import shorten, suggest_names
from kqj_sim.policies.binding import VIEW_OF_DECISION, Arguments
from kqj_sim.policies.card_sets import STRENGTH_TWINS, CardTextError, find_natural_constant

# Places in users' code.


def locate_source(function: Any, line: int = 0) -> str:
    """Return where a plain function's `def` is, or a line in its file or cell.

    It is `file:line`, or `cell 5, line 3 (return lowest(view.legal))`, where the line is quoted as
    cells have no file to look it up in; without any source `line 3`.
    """
    code = function.__code__
    path = code.co_filename
    if not line:
        tree = parse_function(code)
        line = tree.lineno if tree else code.co_firstlineno
    if not is_cell(path):
        return f"{shorten_path(path)}:{line}"
    text = shorten(linecache.getline(path, line).strip())
    number = _find_cell_number(path)
    cell = f"cell {number}, " if number else ""
    return f"{cell}line {line} ({text})" if text else f"{cell}line {line}"


def shorten_path(path: str | Path) -> str:
    """Return a path relative to the current folder if it is inside it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def is_cell(path: str) -> bool:
    """Return True if a code's file name stands for a notebook's cell, the prompt or a text."""
    return path.startswith("<") or Path(path).parent.name.startswith("ipykernel_")


def _find_cell_number(path: str) -> int | None:
    """Return the number that IPython shows beside a cell; None if it is not known."""
    if match := re.match(r"<(?:ipython|python)-input-(\d+)", path):
        return int(match[1])
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    number = numbers.get(path)
    return number if isinstance(number, int) else None


def parse_function(code: CodeType) -> ast.FunctionDef | None:
    """Return the syntax tree of a function with the lines of its file; None without its source."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    try:
        tree = ast.parse(dedent("".join(getblock(lines)))) if lines else ast.Module([], [])
    except (SyntaxError, TokenError):  # A lambda, or a file that has changed.
        return None
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    first = tree.body[0] if tree.body else None
    return first if isinstance(first, ast.FunctionDef) and first.name == code.co_name else None


# What functions use.


def list_used_names(code: CodeType) -> Iterator[str]:
    """Yield the global names, and those of attributes, that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from list_used_names(constant)


def get_package(function: Any) -> str:
    """Return the package of a function; texts that were run without a name count as `__main__`."""
    return (function.__module__ or "__main__").partition(".")[0]


_LIBRARIES = sys.stdlib_module_names | {"numpy", "kqj_sim"}


def _list_cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the names of enclosing functions that a function uses, with their values."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # It has no value yet.
            continue


def list_used_values(function: FunctionType) -> list[tuple[str, Any]]:
    """Return the names and values that a function uses, those in modules of users included."""
    names = dict.fromkeys(list_used_names(function.__code__))
    scope = function.__globals__
    used = [(name, scope[name]) for name in names if name in scope] + [*_list_cells(function)]
    opened = set()
    for _, value in used:  # It grows by what modules hold.
        if not isinstance(value, ModuleType) or value in opened:
            continue
        opened.add(value)
        if value.__name__.partition(".")[0] not in _LIBRARIES:
            used += [(name, vars(value)[name]) for name in names if name in vars(value)]
    return used


def find_recursion(function: FunctionType, methods: Mapping[str, FunctionType]) -> list[str]:
    """Return the names along a cycle of calls that begins and ends alike; empty without one.

    numba compiles some of these, and one that does not end overflows the stack of a thread, which
    ends the process without a word.  Helpers may be plain or compiled functions, or `methods`.
    """
    finished: set[CodeType] = set()
    package = get_package(function)

    def follow(caller: FunctionType, path: list[FunctionType]) -> list[str]:
        if caller.__code__ in finished:
            return []
        codes = [each.__code__ for each in path]
        if caller.__code__ in codes:
            return [each.__name__ for each in (*path[codes.index(caller.__code__) :], caller)]
        called = [methods[name] for name in _list_called_methods(caller.__code__, methods)]
        for value in (*called, *(value for _, value in list_used_values(caller))):
            callee = getattr(value, "py_func", value)  # A compiled function keeps the plain one.
            is_helper = isinstance(callee, FunctionType) and get_package(callee) == package
            if is_helper and (cycle := follow(callee, [*path, caller])):
                return cycle
        finished.add(caller.__code__)
        return []

    return follow(function, [])


def describe_function(
    function: FunctionType, seen: dict[FunctionType, int] | None = None
) -> object:
    """Return all that a function's machine code depends on, as a value that can be compared.

    Equal codes have the same text on the same lines, which errors name, in any cell.
    """
    seen = {} if seen is None else seen
    if function in seen:
        return seen[function]
    seen[function] = len(seen)
    values = [("", function.__defaults__), *list_used_values(function)]
    return function.__code__, tuple((name, _describe_value(each, seen)) for name, each in values)


def _describe_value(value: object, seen: dict[FunctionType, int]) -> object:
    if isinstance(value, FunctionType) and get_package(value) != "kqj_sim":
        return describe_function(value, seen)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, bool | int | float | str | bytes | np.generic | None):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), tuple(_describe_value(each, seen) for each in value)
    try:
        hash(value)
    except Exception:  # It may change, and compiled functions use no such thing.
        return type(value)
    return value


# The syntax tree of users' functions: mistakes that compiling would explain in its own words, and
# calls of helper methods.

_SET_FIELDS = frozenset(
    name
    for view in VIEW_OF_DECISION.values()
    for name, kind in view.__annotations__.items()
    if kind.__forward_arg__.removeprefix("t.") in ("CardSet", "Card")
)
"""The fields of views that are sets of cards."""

_SET_FUNCTIONS = frozenset({"hand", "in_view", "suit", "suit_cards"})

_RANDOM_MODULES = ("random", "secrets", "time", "numpy.random")
"""Modules with which a policy would choose differently when it is asked again."""


class _Mistakes:
    """The search for mistakes in a policy's functions, from the one that decides to its helpers.

    Attributes:
        fields: the names that view and parameters have, by "view" and "parameters".
        helpers: the policy's helper methods.
        by_strength: True if cards are coded by strength.
        roles: the arguments of each function that are certainly view or parameters.
    """

    def __init__(
        self, fields: Mapping[str, Collection[str]], helpers: Mapping[str, FunctionType],
        by_strength: bool,
    ) -> None:  # fmt: skip
        self.fields, self.helpers, self.by_strength = fields, helpers, by_strength
        self.roles: dict[FunctionType, dict[str, str]] = {}

    def add_roles(self, function: FunctionType, roles: Iterable[str | None]) -> None:
        """Note what the first arguments of a function are; None for anything else."""
        code = function.__code__
        for name, role in zip(code.co_varnames[: code.co_argcount], roles, strict=False):
            if role is not None:
                self.roles.setdefault(function, {}).setdefault(name, role)

    def find(self, function: FunctionType) -> tuple[int, str] | None:
        """Return the line of a function's first mistake that is certain, 0 if it is not known, and
        the end of the sentence on it; None without a mistake.

        Mistakes are names that nothing has, globals that compiled functions cannot use, assignments
        to fields of an argument, sets of cards used as lists, randomness that is not the view's,
        and sets in another coding.
        """
        tree = parse_function(function.__code__)
        body = tree.body if tree else []  # Decorators and annotations are not compiled.
        finder = _MistakeFinder(function, self, body)
        for statement in body:
            finder.visit(statement)
        if finder.mistakes:
            line, mistake = min(finder.mistakes)
            return line, f": {mistake}"
        name, mistake = self._find_wrong_name(function)
        return (find_use(function, name), mistake) if name else None

    def _find_wrong_name(self, function: FunctionType) -> tuple[str, str]:
        """Return a name that policies must not use, and what is wrong; empty without one."""
        used = list(list_used_names(function.__code__))
        for name in used:
            value = function.__globals__.get(name)
            owner = value if isinstance(value, ModuleType) else getattr(value, "__self__", None)
            module = getattr(owner, "__name__", type(owner).__module__)
            if module in _RANDOM_MODULES or (module == "numpy" and "random" in used):
                return name, (
                    f" uses {name}, which answers differently each time: use view.random, chance() "
                    "or random_card()"
                )
        constant = (find_natural_constant(used) if self.by_strength else None) or ""
        return constant, f": cards are coded by strength here: write in_view(view, {constant})"


def find_use(function: FunctionType, name: str) -> int:
    """Return the first line on which a function uses a name; 0 if there is no source."""
    tree = parse_function(function.__code__)
    return min(
        (
            node.lineno
            for node in ast.walk(tree or ast.Module([], []))
            if (isinstance(node, ast.Name) and node.id == name)
            or (isinstance(node, ast.Attribute) and node.attr == name)
        ),
        default=0,
    )


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

    def __init__(self, function: FunctionType, search: _Mistakes, body: list[ast.stmt]) -> None:
        code = function.__code__
        self.mistakes: list[tuple[int, str]] = []
        self._search = search
        nodes = [node for statement in body for node in ast.walk(statement)]
        stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
        rebound = {node.id for node in stored if isinstance(node, ast.Name)}
        rebound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        roles = search.roles.get(function, {})
        self._roles = {name: role for name, role in roles.items() if name not in rebound}
        self._sets: set[str] = set()
        self._arguments = code.co_varnames[: code.co_argcount]
        self._globals: dict[str, Any] = {**function.__globals__, **dict(_list_cells(function))}
        self._locals = {*_list_local_names(code)} | {*code.co_freevars} - {*self._globals}

    def _find_value(self, node: ast.expr) -> Any:
        """Return the value of a global name, or of one in a module; None if it is not known."""
        match node:
            case ast.Name(id=name) if name not in self._locals:
                return self._globals.get(name)
            case ast.Attribute(value=owner, attr=name):
                module = self._find_value(owner)
                return getattr(module, name, None) if isinstance(module, ModuleType) else None
        return None

    def _get_role(self, node: ast.expr) -> str | None:
        return self._roles.get(node.id) if isinstance(node, ast.Name) else None

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

    def _add(self, node: ast.expr, mistake: str) -> None:
        self.mistakes.append((node.lineno, mistake))

    def _add_list(self, node: ast.expr, wrong: str, right: str) -> None:
        self._add(node, f"{wrong}: a set of cards is a number, a bit for each card: {right}")

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if name in self._locals or not isinstance(node.ctx, ast.Load):
            return
        if name in self._globals:
            value = self._globals[name]
            if not _is_usable(value):
                self._add(node, f"{name!r} is a {type(value).__name__}; {_USABLE_TYPES}")
        elif not hasattr(builtins, name):
            known = [*self._globals, *self._locals]
            close = difflib.get_close_matches(name, known, 1)
            close = close or difflib.get_close_matches(name, dir(builtins), 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            self._add(node, f"nothing is called {name!r}{hint}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner, name, role = node.value, node.attr, self._get_role(node.value)
        module = self._find_value(owner)
        if isinstance(module, ModuleType) and not hasattr(module, name):
            self._add(node, f"module {module.__name__!r} has no attribute {name!r}")
        elif isinstance(owner, ast.Name) and owner.id in self._arguments:
            if isinstance(node.ctx, ast.Store):
                wrong = f"{owner.id}.{name} is set"
                self._add(node, f"{wrong}: a view and parameters cannot be changed")
            elif role is not None and name not in self._search.fields[role]:
                self._add_unknown(node, role)
        self.generic_visit(node)

    def _add_unknown(self, node: ast.Attribute, role: str) -> None:
        name, what = node.attr, "parameter" if role == "parameters" else "field of the view"
        if role == "view" or name not in self._search.helpers:
            self._add(node, f"no {what} {name!r}; {suggest_names(name, self._search.fields[role])}")

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
            self._add_list(
                node.iter,
                f"for {card} in {cards}",
                f"write rest = {cards}, then while rest: with {card} = lowest(rest) and "
                f"rest ^= {card}",
            )
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[cards]) if self._is_set(cards):
                self._add_list(node, ast.unparse(node), f"write count({ast.unparse(cards)})")
        callee, arguments = self._find_value(node.func), node.args
        match node.func:
            case ast.Attribute(value=owner, attr=name) if self._get_role(owner) == "parameters":
                callee, arguments = self._search.helpers.get(name), [owner, *arguments]
        if isinstance(callee, FunctionType):
            self._search.add_roles(callee, map(self._get_role, arguments))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        match node:
            case ast.Compare(left=card, ops=[ast.In() | ast.NotIn() as sign], comparators=[cards]):
                if self._is_set(cards):
                    right = f"write {_write_test(card, sign, cards)}"
                    self._add_list(node, ast.unparse(node), right)
        self.generic_visit(node)


_USABLE_TYPES = "compiled functions use numbers, tuples, numpy arrays and other functions"


def _list_local_names(code: CodeType) -> Iterator[str]:
    """Yield the names of the variables of a function, and of functions within it."""
    yield from (*code.co_varnames, *code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_local_names(constant)


def _write_test(card: ast.expr, sign: ast.cmpop, cards: ast.expr) -> str:
    """Return how to ask if a set has a card."""
    is_name = isinstance(card, ast.Constant) and isinstance(card.value, str)
    match cards:
        case ast.Attribute(value=ast.Name(id=view), attr="hand") if is_name:
            return f"{'not ' * isinstance(sign, ast.NotIn)}has({view}, {ast.unparse(card)})"
    text = f"in_view(view, hand({ast.unparse(card)}))" if is_name else ast.unparse(card)
    return f"{ast.unparse(cards)} & {text} {'==' if isinstance(sign, ast.NotIn) else '!='} 0"


def _name_helper(method: str) -> str:
    """Return the name by which compiled functions call a helper method."""
    return f"self.{method}"


def _bind_helpers(code: CodeType, helpers: Collection[str]) -> CodeType | None:
    """Return a method's code with calls of `helpers`, functions with a first argument self.

    They are global names (`_name_helper`), since a named tuple of parameters has no methods that
    numba compiles.  None without source, or without arguments.
    """
    tree = parse_function(code)
    if tree is None or not tree.args.args:
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


def _list_called_methods(code: CodeType, helpers: Collection[str]) -> list[str]:
    """Return the helper methods that a method calls."""
    named = [name for name in helpers if name in code.co_names]
    bound = _bind_helpers(code, named) if named else None
    return [name for name in named if bound and _name_helper(name) in bound.co_names]


class _HelperBinder(ast.NodeTransformer):
    """A replacement of `self.helper(x)` by a call of a function with `self` and `x`."""

    def __init__(self, self_name: str, helpers: Collection[str]) -> None:
        self._self_name, self._helpers = self_name, helpers

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=owner) as self_node, attr=name) if (
                owner == self._self_name and name in self._helpers
            ):
                node.func = ast.copy_location(ast.Name(_name_helper(name), ast.Load()), node.func)
                node.args = [self_node, *node.args]
        return node


# Compilation.

_EXPECTED_ANSWER = {
    "take": "a contract (0 to 5) or PASS",
    "bid": "bid_code(...) or PASS",
    "counter": "True or False",
    "overcounter": "True or False",
    "accept": "True or False",
    "card": "a card",
}

_CODED_BY_STRENGTH = ("card", "accept")
"""Decisions whose views code cards by strength."""

_TYPE_NAMES = (
    (types.Float, "it returns a float"),
    (types.NoneType, "it returns nothing"),
    (types.Optional, "one path returns nothing"),
    (types.BaseTuple, "it returns a tuple"),
    (types.Generator, "it is a generator"),
    (types.UnicodeType | types.StringLiteral, "it returns a string"),
)


def compile_user_function(
    policy: str,
    function: FunctionType,
    decision: str,
    arguments: Arguments,
    parameters: Any,
    helpers: Mapping[str, FunctionType],
) -> Any:
    """Compile a user's function for a decision, with the plain functions that it calls.

    A method may call the methods `helpers`.  Indices out of range and divisions by zero raise
    exceptions.

    Raises:
        InputError: it does not compile, or returns no integer; with the user's own line.
    """
    subject = f"policy {policy!r}, {function.__name__}()"
    if cycle := find_recursion(function, helpers):
        raise InputError(
            f"{locate_source(function)}: {subject} calls a function that calls itself "
            f"({' -> '.join(cycle)}): write a loop instead"
        )
    view: Any = VIEW_OF_DECISION[decision]
    by_strength = decision in _CODED_BY_STRENGTH
    compiled: dict[FunctionType, Any] = {}
    choice = _compile_with_helpers(function, compiled, by_strength, helpers)
    fields = {"view": view._fields, "parameters": parameters._fields}
    search = _Mistakes(fields, helpers, by_strength)
    search.add_roles(function, arguments)
    for each in compiled:
        if mistake := search.find(each):
            raise InputError(f"{locate_source(each, mistake[0])}: {subject}{mistake[1]}")
    kinds = {
        "view": types.NamedUniTuple(types.int64, len(view._fields), view),
        "parameters": types.NamedUniTuple(types.float64, len(parameters._fields), parameters),
    }
    compilations = _Compilations()
    try:
        with event.install_listener("numba:compile", compilations):
            signature = tuple(kinds[name] for name in arguments)
            answer = compile_for(choice, signature).signature.return_type
    except Exception as error:  # numba raises whatever it stumbles over
        message = _explain_compile_error(subject, [*compiled], compilations.begun, error)
        raise InputError(message) from None
    if not isinstance(answer, (types.Integer, types.Boolean)):
        names = (words for kind, words in _TYPE_NAMES if isinstance(answer, kind))
        raise InputError(
            f"{locate_source(function)}: {subject} must return {_EXPECTED_ANSWER[decision]} on "
            f"every path; {next(names, f'it returns {answer}')}"
        )
    return choice


def _compile_with_helpers(
    function: Any, known: dict[Any, Any], by_strength: bool, methods: Mapping[str, FunctionType]
) -> Any:
    """Compile a copy of a function, with compiled helpers in place of those it calls.

    Helpers are plain functions of the same file, or of the same package, and `methods`.  With
    `by_strength` the functions of `card_sets` accept no sets whose coding they cannot know.
    """
    names = dict(function.__globals__)
    code, closure = function.__code__, function.__closure__
    used = methods.keys() & set(code.co_names)
    bound = _bind_helpers(code, used) if used else None
    if bound is not None:
        # Names of enclosing functions are global ones in code that is compiled alone.
        names |= dict(_list_cells(function))
        code, closure = bound, None
        names |= {_name_helper(name): methods[name] for name in used}
    copy = FunctionType(code, names, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    known[function] = compiled = numba.njit(
        boundscheck=True, error_model="python", forceinline=True, nogil=True
    )(copy)
    package = get_package(function)
    for name in list_used_names(code):
        helper = names.get(name)
        if by_strength and isinstance(helper, FunctionType | ModuleType):
            helper = names[name] = _replace_by_twin(helper)
        if isinstance(helper, FunctionType) and get_package(helper) == package:
            names[name] = (
                known[helper]
                if helper in known
                else _compile_with_helpers(helper, known, by_strength, methods)
            )
    return compiled


def _replace_by_twin(used: Any) -> Any:
    """Return what stands for a function, or for its module, where cards are coded by strength."""
    if isinstance(used, FunctionType):
        return STRENGTH_TWINS.get(used, used)
    if used.__name__.partition(".")[0] != "kqj_sim":
        return used
    module = ModuleType(used.__name__)

    def find(name: str) -> Any:
        value = getattr(used, name)
        return _replace_by_twin(value) if isinstance(value, FunctionType | ModuleType) else value

    vars(module)["__getattr__"] = find
    return module


class _Compilations(event.Listener):  # type: ignore[misc]
    """The functions that numba began to compile, each with the types of its arguments."""

    def __init__(self) -> None:
        self.begun: list[tuple[Any, Any]] = []

    def on_start(self, event: Any) -> None:
        """Note what is compiled."""
        self.begun.append((event.data["dispatcher"], event.data["args"]))

    def on_end(self, event: Any) -> None:
        """Do nothing: how it ended is not told."""


def _explain_compile_error(
    subject: str, functions: list[FunctionType], begun: list[tuple[Any, Any]], error: Exception
) -> str:
    """Return the message on functions that do not compile: the place, and numba's first sentence.

    numba's error has the line of the outermost function.  That of the function which was begun last
    and fails by itself has the innermost.
    """
    files = {each.__code__.co_filename for each in functions}
    failed = functions[0]
    for dispatcher, arguments in reversed(begun):
        if dispatcher.py_func.__code__.co_filename in files:
            try:
                dispatcher.compile(arguments)
            except Exception as inner:  # numba raises whatever it stumbles over
                failed, error = dispatcher.py_func, inner
                break
    if isinstance(error, CardTextError):
        line = find_use(failed, error.function)
        return f"{locate_source(failed, line)}: {subject}, {error}"
    line = getattr(getattr(error, "loc", None), "line", 0)
    return f"{locate_source(failed, line)}: {subject} does not compile: {_shorten_reason(error)}"


def _shorten_reason(error: Exception) -> str:
    """Return the first sentence of an error that numba raised."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, NumbaError):
        # Each function around the place puts the same line before: the step of the compiler.
        lines = [line for line in lines if line != lines[0]] or lines
    if not lines:
        return type(error).__name__
    # What follows a colon is the signature.
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
