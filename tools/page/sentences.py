"""Sentences of `kqj-sim odds` as JavaScript: macros of its templates become functions.

Jinja parses the template; `write_functions` knows the parts of its syntax tree that these macros
use, and refuses any other.  The runtime of a library for compiled templates (nunjucks) alone has
37 kB, four times as much as all functions here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable
from pathlib import Path

from jinja2 import Environment, nodes

_PACKAGE = Path(__file__).resolve().parents[2] / "kqj_sim"
TEMPLATES = [_PACKAGE / folder / "sentences.j2" for folder in ("output", "questions/odds")]

MACROS = (
    "decision", "game_decision", "points_decision", "against_pass", "counters",
    "card_reason", "reason", "ended_early", "errors", "high_trumps", "hint", "waiting", "left_out",
)  # fmt: skip
"""The macros that the page asks for; those that they call follow from them."""

_METHODS = ("estimate",)
"""Methods that objects have on both sides."""

_COMPARISONS = {"eq": "===", "ne": "!==", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}

_RUNTIME = """\
// Truth and sums as Python has them.
const isTrue = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
const add = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);
"""


def _quote(value: str | float | None) -> str:
    return json.dumps(value, ensure_ascii=False)


class UnknownSyntaxError(Exception):
    """A macro has what JavaScript is not written for."""

    def __init__(self, node: nodes.Node, what: str = "") -> None:
        super().__init__(f"sentences.j2, line {node.lineno}: {what or type(node).__name__}")


def read_templates() -> str:
    """Return the macros of all templates; of one name the last counts."""
    return "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)


def write_functions(template: str, names: Iterable[str] = MACROS) -> str:
    """Return JavaScript with macros of a template, and those that they call, in `SENTENCES`.

    Filters are functions of `FILTERS`; `fill` puts values into the fields of a template, `{0}`, and
    `translate` has a word in the language of the page.  These stand elsewhere.

    Raises:
        UnknownSyntaxError: a macro has syntax that is not known here.
    """
    tree = Environment().parse(template)
    macros = {macro.name: macro for macro in tree.find_all(nodes.Macro)}
    asked, functions = list(names), []
    for name in asked:
        function = _Function(macros[name], macros)
        functions.append(function.write())
        asked += sorted(function.called - {*asked})
    return f"{_RUNTIME}const SENTENCES = {{\n{''.join(functions)}}};\n"


class _Function:
    """A macro as a function that returns its text, with spaces around it.

    Attributes:
        called: the names of the macros that it calls, once it is written.
    """

    def __init__(self, macro: nodes.Macro, macros: Container[str]) -> None:
        self._macro, self._macros = macro, macros
        self._names = [argument.name for argument in macro.args]
        self._variables = ['text = ""']
        self.called: set[str] = set()

    def write(self) -> str:
        """Return the function."""
        if self._macro.defaults:
            raise UnknownSyntaxError(self._macro, "a default of a macro")
        arguments, body = ", ".join(self._names), self._block(self._macro.body)
        return (
            f"  {self._macro.name}({arguments}) {{\n"
            f"    let {', '.join(self._variables)};\n{body}    return text;\n  }},\n"
        )

    def _statement(self, node: nodes.Node) -> str:
        match node:
            case nodes.Output(nodes=parts):
                return f"    text += {self._join(parts)};\n"
            case nodes.Assign(target=nodes.Name(name=name), node=value):
                assignment = f"    {name} = {self._text(value)};\n"
                self._variables += [name] if name not in self._names else []
                self._names.append(name)
                return assignment
            case nodes.If(elif_=others, else_=otherwise):
                branches = [
                    f"if ({self._condition(branch.test)}) {{\n{self._block(branch.body)}    }}"
                    for branch in (node, *others)
                ]
                branches += [f"{{\n{self._block(otherwise)}    }}"] if otherwise else []
                return f"    {' else '.join(branches)}\n"
        raise UnknownSyntaxError(node)

    def _block(self, body: Iterable[nodes.Node]) -> str:
        return "".join(map(self._statement, body))

    def _join(self, parts: Iterable[nodes.Node]) -> str:
        """Return the text of parts: a template with fields, which is filled in each language."""
        template = ""
        fields: list[str] = []
        for part in parts:
            if isinstance(part, nodes.TemplateData):
                template += re.sub(r"\s+", " ", part.data)  # A line end is a space like any other.
            elif isinstance(part, nodes.Const):
                template += str(part.value)
            else:
                template += f"{{{len(fields)}}}"
                fields.append(self._text(part))
        core = template.strip()
        if not re.search("[A-Za-z:;]", re.sub(r"{\d+}", "", core)):
            pieces = re.split(r"{(\d+)}", template)
            texts = [
                f"translate({fields[int(piece)]})" if number % 2 else _quote(piece)
                for number, piece in enumerate(pieces)
                if piece
            ]
            return " + ".join(texts) or '""'
        before, after = template.split(core)
        filled = f"fill({', '.join([_quote(core), *fields])})"
        return " + ".join(
            [_quote(before)] * bool(before) + [filled] + [_quote(after)] * bool(after)
        )

    def _text(self, node: nodes.Node) -> str:
        """Return a value; words among its constants are said in each language."""
        match node:
            case nodes.Const(value=str(text)) if re.search("[a-z]", text):
                return f"fill({_quote(text)})"
            case nodes.CondExpr(test=test, expr1=first, expr2=second):
                other = '""' if second is None else self._text(second)
                return f"({self._condition(test)} ? {self._text(first)} : {other})"
        return self._value(node)

    def _condition(self, node: nodes.Node) -> str:
        match node:
            case nodes.Compare() | nodes.Not():
                return self._value(node)
            case nodes.And(left=left, right=right):
                return f"({self._condition(left)} && {self._condition(right)})"
            case nodes.Or(left=left, right=right):
                return f"({self._condition(left)} || {self._condition(right)})"
        return f"isTrue({self._value(node)})"

    def _value(self, node: nodes.Node) -> str:
        match node:
            case nodes.Const(value=value):
                return _quote(value)
            case nodes.Name(name=name) if name in self._names:
                return name
            case nodes.List(items=items):
                return f"[{self._values(items)}]"
            case nodes.Getattr(node=owner, attr=attribute):
                return f"{self._value(owner)}.{attribute}"
            case nodes.Getitem(node=owner, arg=nodes.Slice(start=start, stop=stop, step=None)):
                end = "" if stop is None else f", {self._value(stop)}"
                return f"{self._value(owner)}.slice({self._value(start or nodes.Const(0))}{end})"
            case nodes.Getitem(node=owner, arg=index):
                return f"{self._value(owner)}[{self._value(index)}]"
            case nodes.Not(node=operand):
                return f"!({self._condition(operand)})"
            case nodes.CondExpr():
                return self._text(node)
            case nodes.Add(left=left, right=right):
                return f"add({self._value(left)}, {self._value(right)})"
            case nodes.Sub(left=left, right=right):
                return f"({self._value(left)} - {self._value(right)})"
            case nodes.Concat(nodes=parts):
                return f"({self._join(parts)})"
            case nodes.Compare(expr=left, ops=[nodes.Operand(op="in", expr=right)]):
                return f"{self._value(right)}.includes({self._value(left)})"
            case nodes.Compare(expr=left, ops=[nodes.Operand(op=sign, expr=right)]):
                return f"({self._value(left)} {_COMPARISONS[sign]} {self._value(right)})"
            case nodes.Filter(node=nodes.Expr() as value, name=name, args=arguments, kwargs=[]):
                others = "".join(f", {self._text(argument)}" for argument in arguments)
                return f"FILTERS.{name}({self._value(value)}{others})"
            case nodes.Call(node=nodes.Name(name=name), args=arguments, kwargs=[]):
                if name in self._macros:
                    self.called.add(name)
                    return f"SENTENCES.{name}({self._values(arguments)})"
            case nodes.Call(node=nodes.Getattr(attr=name) as method, args=arguments, kwargs=[]):
                if name in _METHODS:
                    return f"{self._value(method)}({self._values(arguments)})"
        raise UnknownSyntaxError(node)

    def _values(self, many: Iterable[nodes.Node]) -> str:
        return ", ".join(map(self._value, many))
