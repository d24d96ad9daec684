"""Policies by name: their definition, their parameters, and how they are found.

A policy decides with functions named `choose_take`, `choose_bid`, `choose_counter` and
`choose_overcounter` in KQJ, `choose_accept` in Kwajongen, and `choose_card` in both.  Decisions it
leaves out are made by the game's default player (`players`).
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from kqj_sim.core.jit import scalar
from kqj_sim.core.rules import MAX_PARAMETERS
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.messages import describe_error, quote, represent, shorten, suggest_names
from kqj_sim.policies.binding import VIEW_OF_DECISION, make_parameters_type
from kqj_sim.policies.parameters import Parameter, check_parameter
from kqj_sim.policies.user_policies import compile_user_function

ENTRY_POINTS = "kqj_sim.policies"


@dataclass(eq=False, repr=False)
class Policy:
    """A policy as it was defined.

    Used as a decorator it adds a function named `choose_...`.
    """

    name: str
    summary: str
    parameters: dict[str, Parameter]
    module: str
    built_in: bool
    weights: str | None = None
    """Name of the weights that its block and its values of cards get."""
    seated: tuple[str, ...] = ()
    """Policies whose seatings its functions get, besides those that parameters name."""
    choices: dict[str, Any] = field(default_factory=dict)
    """By decision the plain function and its number of arguments."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """By decision a function that decides for a whole block (`core.dispatch.ASK_SIGNATURE`)."""
    value_function: Any = None
    """Compiled function that writes the value of each legal card; None without one."""
    bid_filter: Any = None
    """Compiled function that rules out bids (`may_bid`); None without one."""
    methods: set[str] = field(default_factory=set)
    """Decisions whose functions take (self, view), where self is the named tuple of parameters."""
    helpers: dict[str, FunctionType] = field(default_factory=dict)
    """Other methods (self, ...), which those of decisions may call."""
    tuple_type: Any = None
    """Named tuple of numbers that its functions get as their second argument."""
    origin: str = ""
    """File, or name of the cell, in which it was defined."""
    _compiled: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tuple_type = make_parameters_type(
            tuple(name for name, parameter in self.parameters.items() if parameter.is_number)
        )
        # In plain Python, where errors are looked for, self is this tuple.
        for name, helper in self.helpers.items():
            setattr(self.tuple_type, name, helper)

    def __repr__(self) -> str:
        decisions = [*self.choices, *self.blocks]
        verbs = {"card": "chooses cards", "take": "takes", "bid": "bids", "accept": "accepts"}
        told = ", ".join(verbs.get(each, f"{each}s") for each in decisions) or "no decisions yet"
        parameters = "; " + ", ".join(self.parameters) if self.parameters else ""
        return f"<Policy {self.name}: {told}{shorten(parameters)}>"

    def calls(self, game: str = "kqj") -> bool:
        """Return True if the policy makes a decision of a game's calling itself."""
        return any(self.answers(question) for question in find_game(game).call_decisions)

    @property
    def plays(self) -> bool:
        """True if the policy chooses cards itself."""
        return self.answers("card")

    def answers(self, decision: str) -> bool:
        """Return True if the policy makes a decision itself."""
        return decision in self.choices or decision in self.blocks

    def block(self, decision: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator for a function that decides for a whole block of deals.

        The function has the signature `core.dispatch.ASK_SIGNATURE`.  Only policies of the package
        may have one, as its choices are not checked.

        Raises:
            InputError: an unknown decision, or a policy that is not of the package.
        """
        if decision not in VIEW_OF_DECISION:
            raise InputError(f"policy {self.name!r}: {suggest_names(decision, VIEW_OF_DECISION)}")
        if not self.built_in:
            raise InputError(f"policy {self.name!r}: blocks are for policies of the package")

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.blocks[decision] = function
            return function

        return add

    def values(self, function: Any) -> Any:
        """Add a compiled function (view, address of the weights, values), as a decorator.

        It writes the value of each legal card, from the lowest bit on, in points up to a common
        constant, so that other policies can use the values (`core.dispatch.make_value_cards`).
        """
        self.value_function = function
        return function

    def may_bid(self, function: Any) -> Any:
        """Add a compiled function (view, bid, parameters, resource), as a decorator.

        It is False only if the policy would not make the bid, which it tells faster than
        `choose_bid` (`core.dispatch.make_rule_out_bid`).  Only policies of the package may have
        one, as it is not checked.
        """
        assert self.built_in
        self.bid_filter = function
        return function

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Add a `choose_...` function, which is compiled when it is first used.

        Raises:
            InputError: a wrong name or number of arguments.
        """
        if not isinstance(function, FunctionType):
            what = shorten(represent(function))
            raise InputError(f"policy {self.name!r} decorates functions: {what} is none")
        question = function.__name__.removeprefix("choose_")
        self.add_function("" if question == function.__name__ else question, function)
        return function

    def add_function(self, decision: str, function: FunctionType, is_method: bool = False) -> None:
        """Add or replace the function of a decision; raises InputError as a decorator does."""
        name = function.__name__
        if decision not in VIEW_OF_DECISION:
            known = [f"choose_{each}" for each in VIEW_OF_DECISION]
            raise InputError(
                f"policy {self.name!r}: {name}() should be one of {', '.join(known)}; "
                f"{suggest_names(name, known)}"
            )
        forms = ["(view)", "(view, parameters)"]
        arguments = list(inspect.signature(function).parameters.values())
        positional = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in arguments)
        if is_method:
            forms = ["(self, view)"]
            positional = positional and len(arguments) == 2
        if not (positional and len(arguments) in (1, 2)):
            raise InputError(f"policy {self.name!r}: {name}() should take {' or '.join(forms)}")
        self.choices[decision] = (function, len(arguments))
        (self.methods.add if is_method else self.methods.discard)(decision)
        self._compiled.pop(decision, None)
        _OWNERS[function] = self

    def compile_decision(self, decision: str) -> tuple[Any, int]:
        """Return the compiled function of a decision and its number of arguments.

        A built-in policy's function is compiled with the loop around it, unless that is on disk.

        Raises:
            InputError: it does not compile; the message names the line in the user's file.
        """
        function, arguments = self.choices[decision]
        if decision not in self._compiled:
            self._compiled[decision] = (
                scalar(function)
                if self.built_in
                else compile_user_function(
                    self.name,
                    function,
                    decision,
                    self.tuple_type,
                    arguments,
                    decision in self.methods,
                    self.helpers,
                )
            )
        return self._compiled[decision], arguments

    def check(self) -> None:
        """Compile a user's functions, to report errors before a run; raises InputError."""
        for question in () if self.built_in else self.choices:
            self.compile_decision(question)


_DEFINED: dict[tuple[str, str], Policy] = {}
_SESSION: dict[str, Policy] = {}
"""Policies that are found by name without a file (`session`)."""
_OWNERS: WeakKeyDictionary[object, Policy] = WeakKeyDictionary()
"""The policy of each function, and of each class that defines one."""


def policy(
    name: str | Callable[..., Any],
    summary: str = "",
    **parameters: float | Parameter,
) -> Policy:
    """Define a policy, as a decorator.

    Directly above a function, `@policy` makes a policy with this one decision and the function's
    name: `choose_take`, `choose_bid`, ... by its name; a function of any other name chooses cards.
    Directly above a class it makes a policy with the class's name, one decision per method
    `choose_...(self, view)`, and one parameter per attribute, which methods read as `self.NAME`;
    other methods are helpers, which they call as `self.NAME(...)`.
    With a name, `@policy("name")` adds a function `choose_...` to the policy of that name.

    Args:
        name: letters, digits, `_` and `-`; or the function or class.
        summary: one line for `kqj-sim policies`.
        parameters: numbers, which are defaults, or `Parameter` objects with a meaning and a range
            (`number`, `whole`, `flag`, `named`).  Functions with a second argument get the values
            as a named tuple of floats, without names of policies.

    Defined again in the same file with the same name and parameters, or without any, it is the same
    policy.  In a notebook a cell that runs again replaces the policy.

    Raises:
        InputError: a name that cannot be written in a specification, a default that is not
            allowed, too many parameters, or different ones in the second definition.

    Example:
        >>> import kqj_sim as kqj
        >>> @kqj.policy
        ... def cautious(view):
        ...     return kqj.lowest(view.legal)
        >>> cautious
        <Policy cautious: chooses cards>
    """
    if isinstance(name, FunctionType | type):
        return _define_bare(name)
    if not all(isinstance(text, str) for text in (name, summary)):
        raise InputError('write @policy, @policy("name") or @policy("name", "what it does")')
    assert isinstance(name, str)
    frame = inspect.currentframe()
    caller = frame.f_back if frame else None
    module = str(caller.f_globals.get("__name__") or "__main__") if caller else "?"
    origin = caller.f_code.co_filename if caller else ""
    made = _make_policy(name, summary, parameters, module, origin)
    known = _DEFINED.get((module, name))
    same = known is not None and (not made.parameters or known.parameters == made.parameters)
    if known is None or (_is_session(module, origin) and not (same and known.origin == origin)):
        _add_definition(made)
        return made
    if not same:
        raise InputError(f"policy {name!r} is defined twice, with other parameters")
    return known


def _make_policy(
    name: str,
    summary: str,
    parameters: Mapping[str, float | Parameter],
    module: str,
    origin: str,
    helpers: dict[str, FunctionType] | None = None,
) -> Policy:
    """Return a policy without functions; raises InputError as `policy`."""
    if not name.replace("_", "").replace("-", "").isalnum():
        raise InputError(f"policy name {name!r} should be letters, digits, '_' and '-'")
    # Examples of docstrings run in the module that they explain.
    built_in = module.startswith(("kqj_sim.policies.", "kqj_sim.games.")) and not origin.startswith(
        "<"
    )
    declared = {
        each: check_parameter(name, each, given, built_in) for each, given in parameters.items()
    }
    numbers = sum(parameter.is_number for parameter in declared.values())
    if numbers > MAX_PARAMETERS:
        raise InputError(f"policy {name!r} has {numbers} parameters, at most {MAX_PARAMETERS}")
    return Policy(name, summary, declared, module, built_in, helpers=helpers or {}, origin=origin)


def _define_bare(given: Any) -> Policy:
    """Return the policy that a function or a class below a bare `@policy` defines."""
    summary = (inspect.getdoc(given) or "").partition("\n")[0]
    module = str(given.__module__ or "__main__")
    if isinstance(given, FunctionType):
        is_named = given.__name__.startswith("choose_")
        decision = given.__name__.removeprefix("choose_") if is_named else "card"
        origin = given.__code__.co_filename
        made = _make_policy(given.__name__, summary, {}, module, origin)
        made.add_function(decision, given)
    else:
        attributes = {name: each for name, each in vars(given).items() if name[:2] != "__"}
        plain = {name: getattr(each, "__func__", each) for name, each in attributes.items()}
        functions = {
            name: each
            for name, each in plain.items()
            if isinstance(each, FunctionType)
            and isinstance(attributes[name], FunctionType | staticmethod)
        }
        origin = next((each.__code__.co_filename for each in functions.values()), "")
        parameters = {name: attributes[name] for name in attributes if name not in functions}
        helpers = {
            name: functions.pop(name)
            for name in list(functions)
            if isinstance(attributes[name], FunctionType) and not name.startswith("choose_")
        }
        made = _make_policy(given.__name__, summary, parameters, module, origin, helpers)
        for name, each in functions.items():
            is_method = isinstance(attributes[name], FunctionType)
            made.add_function(name.removeprefix("choose_"), each, is_method)
        if not functions:
            raise InputError(
                f"policy {made.name!r}: the class has no method choose_card(self, view), "
                "choose_take(self, view), ..."
            )
        _OWNERS[given] = made
    _add_definition(made)
    return made


def _add_definition(made: Policy) -> None:
    """Keep a definition, in place of an earlier one of the same name."""
    _DEFINED[made.module, made.name] = made
    if _is_session(made.module, made.origin):
        _SESSION[made.name] = made


def _is_session(module: str, origin: str) -> bool:
    """Return True for definitions no specification of a file reaches: cells, prompt, script."""
    has_file = getattr(sys.modules.get(module), "__file__", None) is not None
    return module == "__main__" or origin.startswith("<") or not has_file


def find_owner(function: object) -> Policy | None:
    """Return the policy to which a function or class belongs; None if it belongs to none."""
    return _OWNERS.get(function)


def find_session_policy(name: str) -> Policy | None:
    """Return the policy that a name means in this session; None if there is none."""
    return _SESSION.get(name)


def list_session_names() -> list[str]:
    """Return the names of the session's policies."""
    return list(_SESSION)


def forget_policies(module: str) -> None:
    """Drop the policies that a module has defined, before it runs again."""
    for key in [key for key in _DEFINED if key[0] == module]:
        del _DEFINED[key]


def policies_of_module(module: ModuleType) -> dict[str, Policy]:
    """Return the policies that a module defines, by name."""
    return {name: found for (where, name), found in _DEFINED.items() if where == module.__name__}


def find_policy(name: str, game: str = "kqj") -> Policy:
    """Return a built-in policy of a game, or one that an installed package offers.

    Raises:
        InputError: no policy has that name, or an entry point is not a policy.
    """
    known_game = find_game(game)
    if name in known_game.built_ins:
        module = importlib.import_module(f"{known_game.policies_package}.{name}")
        return policies_of_module(module)[name]
    offered = {point.name: point for point in _load_entry_points()}
    if name in offered:
        try:
            found = offered[name].load()
        except Exception as error:
            raise InputError(
                f"policy {name!r} of {offered[name].value}: {describe_error(error)}"
            ) from None
        if isinstance(found, ModuleType):
            found = policies_of_module(found).get(name)
        if not isinstance(found, Policy):
            raise InputError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return found
    files = [f"{name}{suffix}" for suffix in (".py", ".toml") if os.path.isfile(f"{name}{suffix}")]
    known = files or (*list_names(game), *list_session_names())
    raise InputError(f"no policy {quote(name)}; {suggest_names(name, {*known})}")


def _load_entry_points() -> Iterable[EntryPoint]:
    return entry_points(group=ENTRY_POINTS)


def list_names(game: str = "kqj") -> list[str]:
    """Return the names of all policies of a game that need no file, those of presets included."""
    offered = (point.name for point in _load_entry_points())
    return list(dict.fromkeys([*find_game(game).built_ins, *find_game(game).presets, *offered]))


def describe(game: str = "kqj") -> list[Policy]:
    """Return all policies of a game that need no file, without presets; raises as `find_policy`."""
    return [
        find_policy(name, game) for name in list_names(game) if name not in find_game(game).presets
    ]
