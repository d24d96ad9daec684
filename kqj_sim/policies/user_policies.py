"""Compilation of users' functions with their helpers, and errors that name the user's own line."""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
import linecache
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from inspect import getblock
from pathlib import Path
from textwrap import dedent
from tokenize import TokenError
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba import types

from kqj_sim.errors import InputError
from kqj_sim.messages import shorten, suggest_names
from kqj_sim.policies.binding import VIEW_OF_DECISION, compile_choice
from kqj_sim.policies.card_sets import STRENGTH_TWINS, find_natural_constant

# Refusal of user functions that call themselves.
#
# numba compiles some of them, and one that does not end overflows the stack of a thread, which
# ends the process without a word.


def find_recursion(function: Any) -> list[str]:
    """Return the names along a cycle of calls that begins and ends alike; empty without one.

    `function` is a plain function; helpers may be plain or compiled ones.
    """
    finished: set[CodeType] = set()

    def follow(caller: FunctionType, path: list[FunctionType]) -> list[str]:
        if caller.__code__ in finished:
            return []
        codes = [each.__code__ for each in path]
        if caller.__code__ in codes:
            cycle = path[codes.index(caller.__code__) :]
            return [each.__name__ for each in (*cycle, caller)]
        for callee in _list_callees(caller):
            if cycle_names := follow(callee, [*path, caller]):
                return cycle_names
        finished.add(caller.__code__)
        return []

    return follow(function, [])


def _list_callees(function: FunctionType) -> Iterator[FunctionType]:
    """Yield the Python functions of the same package that a function names."""
    package = get_package(function)
    values: list[Any] = []
    names: set[str] = set()
    for code in _list_codes(function.__code__):
        names.update(code.co_names)
    values += [function.__globals__[name] for name in sorted(names & {*function.__globals__})]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            continue  # The cell is still empty.
    for value in [*values]:
        if isinstance(value, ModuleType):
            values += [vars(value)[name] for name in sorted(names & {*vars(value)})]
    for value in values:
        # A compiled function keeps the plain one.
        plain = getattr(value, "py_func", value)
        if isinstance(plain, FunctionType) and get_package(plain) == package:
            yield plain


def _list_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_codes(constant)


def get_package(function: Any) -> str:
    """Return the package of a function; texts that were run without a name count as `__main__`."""
    return (function.__module__ or "__main__").partition(".")[0]


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


_EXPECTED_ANSWER = {
    "take": "a contract (0 to 5) or PASS",
    "bid": "bid_code(...) or PASS",
    "counter": "True or False",
    "overcounter": "True or False",
    "accept": "True or False",
    "card": "a card, such as lowest(view.legal)",
}

_CODED_BY_STRENGTH = ("card", "accept")
"""Decisions whose views code cards by strength."""

_TYPE_NAMES = (
    (types.Float, "a number with a fraction"),
    (types.NoneType, "nothing"),
    (types.Optional, "nothing on some path"),
    (types.BaseTuple, "several values"),
    (types.Generator, "one value after the other"),
    (types.UnicodeType | types.StringLiteral, "a text"),
)

_RANDOM_MODULES = ("random", "secrets", "time", "numpy.random")
"""Modules with which a policy would choose differently when it is asked again."""


def locate_source(function: Any, line: int = 0) -> str:
    """Return where a plain function's `def` is, or a line in its file or cell.

    It is `file:line`, or `cell 5, line 3 (return lowest(view.legal))`, where the line is quoted as
    cells have no file to look it up in; without any source `line 3`.
    """
    code = function.__code__
    path = code.co_filename
    if not line:
        below = enumerate(linecache.getlines(path)[code.co_firstlineno - 1 :], code.co_firstlineno)
        found = (number for number, text in below if re.match(r"\s*(async )?def ", text))
        line = next(found, code.co_firstlineno)
    if not is_cell(path):
        return f"{shorten_path(path)}:{line}"
    text = shorten(linecache.getline(path, line).strip())
    number = _find_cell_number(path)
    cell = f"cell {number}, " if number else ""
    return f"{cell}line {line} ({text})" if text else f"{cell}line {line}"


def is_cell(path: str) -> bool:
    """Return True if a code's file name stands for a notebook's cell, the prompt or a text."""
    return path.startswith("<") or Path(path).parent.name.startswith("ipykernel_")


def _find_cell_number(path: str) -> int | None:
    """Return the number that IPython shows beside a cell; None if it is not known."""
    if match := re.match(r"<(?:ipython|python)-input-(\d+)", path):
        return int(match[1])
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    found = numbers.get(path)
    return found if isinstance(found, int) else None


def _list_lines(function: Any) -> list[tuple[int, str]]:
    """Return the numbered lines of a function, decorators included; none without source."""
    first = function.__code__.co_firstlineno
    lines = linecache.getlines(function.__code__.co_filename)[first - 1 :]
    return list(enumerate(inspect.getblock(lines), first)) if lines else []


def shorten_path(path: str | Path) -> str:
    """Return a path relative to the current folder if it is inside it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


def compile_user_function(
    policy: str,
    function: Any,
    decision: str,
    parameters: Any,
    arguments: int,
    is_method: bool = False,
    helpers: Mapping[str, FunctionType] | None = None,
) -> Any:
    """Compile a user's function for a decision, with the plain functions that it calls.

    A method may call the methods `helpers`; it takes (parameters, view) and is compiled as a
    function of (view, parameters).  Indices out of range and divisions by zero raise exceptions.

    Raises:
        InputError: it does not compile, or returns no integer; with the user's own line.
    """
    known: dict[Any, Any] = {}
    if cycle := find_recursion(function):
        raise InputError(
            f"{locate_source(function)}: policy {policy!r}, {function.__name__}() calls a function "
            f"that calls itself ({' -> '.join(cycle)}): write a loop instead"
        )
    choice = _compile_with_helpers(function, known, decision in _CODED_BY_STRENGTH, helpers or {})
    who = f"policy {policy!r}, {function.__name__}()"
    for each in known:
        mistake = find_mistake(each)
        if mistake is not None:
            raise InputError(f"{locate_source(each, mistake[0])}: {who}: {mistake[1]}")
        _reject_random_modules(who, each)
        if decision in _CODED_BY_STRENGTH:
            _reject_natural_constants(who, each)
    if is_method:
        choice = _swap_arguments(choice)
    try:
        answer = compile_choice(choice, decision, parameters, arguments)
    except Exception as error:  # numba raises whatever it stumbles over
        raise InputError(
            _explain_compile_error(who, list(known), decision, parameters, error)
        ) from None
    if not isinstance(answer, (types.Integer, types.Boolean)):
        raise InputError(
            f"{locate_source(function)}: {who} answers {_describe_type(answer)}: on every path "
            f"it should answer "
            f"{_EXPECTED_ANSWER[decision]}"
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
    bound = bind_helpers(code, used) if used else None
    if bound is not None:
        # Names of enclosing functions are global ones in code that is compiled alone.
        for name, cell in zip(code.co_freevars, closure or (), strict=True):
            names[name] = cell.cell_contents
        code, closure = bound, None
        names |= {name_helper(name): methods[name] for name in used}
    copy = FunctionType(code, names, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    known[function] = compiled = _compile_checked(copy)
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
        found = getattr(used, name)
        return _replace_by_twin(found) if isinstance(found, FunctionType | ModuleType) else found

    vars(module)["__getattr__"] = find
    return module


def _compile_checked(function: Any) -> Any:
    """Compile a function to raise exceptions for indices out of range and divisions by zero."""
    return numba.njit(boundscheck=True, error_model="python", forceinline=True, nogil=True)(
        function
    )


def _swap_arguments(method: Any) -> Any:
    """Return a compiled method of (parameters, view) as a function of (view, parameters)."""
    return _compile_checked(lambda view, parameters: method(parameters, view))


def list_used_names(code: CodeType) -> Iterator[str]:
    """Yield the global names, and those of attributes, that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from list_used_names(constant)


def _reject_random_modules(subject: str, function: Any) -> None:
    used = list(list_used_names(function.__code__))
    for name in used:
        found = function.__globals__.get(name)
        owner = found if isinstance(found, ModuleType) else getattr(found, "__self__", None)
        module = getattr(owner, "__name__", type(owner).__module__)
        if module in _RANDOM_MODULES or (module == "numpy" and "random" in used):
            raise InputError(
                f"{_locate_name([function], name)}: {subject} uses {name}, which answers "
                f"differently "
                "each time: use view.random, chance() or random_card()"
            )


def _reject_natural_constants(subject: str, function: Any) -> None:
    """Raise InputError for sets such as NINES where cards are coded by strength."""
    name = find_natural_constant(list_used_names(function.__code__))
    if name is not None:
        raise InputError(
            f"{_locate_name([function], name)}: {subject}: cards are coded by strength here: "
            f"write in_view(view, {name})"
        )


def _describe_type(answer: Any) -> str:
    for kind, words in _TYPE_NAMES:
        if isinstance(answer, kind):
            return words
    return str(answer)


def _locate_name(functions: list[Any], name: str) -> str:
    """Return `file:line` of a name's first use in some functions, else of the first function."""
    for function in functions:
        for line, text in _list_lines(function):
            if re.search(rf"\b{re.escape(name)}\b", text.partition("#")[0]):
                return locate_source(function, line)
    return locate_source(functions[0])


def _locate_numba_error(functions: list[Any], error_text: str) -> str:
    """The innermost place in the functions' files that numba tells."""
    files = {os.path.realpath(each.__code__.co_filename): each for each in functions}
    for path, line in re.findall(r'File "(.*?)", line (\d+)', error_text):
        if os.path.realpath(path) in files:
            return locate_source(files[os.path.realpath(path)], int(line))
    return locate_source(functions[0])


def _explain_compile_error(
    subject: str, functions: list[Any], decision: str, parameters: Any, error: Exception
) -> str:
    text = str(error)
    place = _locate_numba_error(functions, text)
    view: Any = VIEW_OF_DECISION[decision]
    if match := re.search(r"Unknown attribute '(\w+)' of type (\w+)\(", text):
        name, kind = match.groups()
        fields = {view.__name__: view._fields, parameters.__name__: parameters._fields}.get(kind)
        if fields is not None:
            what = "parameter" if kind == parameters.__name__ else "field of the view"
            return f"{place}: {subject}: no {what} {name!r}; {suggest_names(name, fields)}"
    if match := re.search(r"(\w+)\(\): \[(.*?)\]", text):
        place = _locate_name(functions, match[1])
        return f"{place}: {subject}, {match[1]}(): {match[2]}"
    if match := re.search(r"has no attribute '(\w+)'", text):
        place = _locate_name(functions, match[1])
    return f"{place}: {subject} does not compile: {_shorten_reason(text)}"


def _shorten_reason(text: str) -> str:
    """Return numba's reason without its surroundings."""
    if match := re.search(r"function Function\((.*?)\) found for signature:\s*>>> (.*)", text):
        return f"there is no {match[2].strip()}"
    noise = ("Failed", "-", "File", "During", ">>>")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith(noise)), text)
