"""Policies by name: their definition, and how they are found.

A policy decides with functions named `choose_take`, `choose_bid`, `choose_counter` and
`choose_overcounter` in KQJ, `choose_accept` in Kwajongen, and `choose_card` in both.  Decisions it
leaves out are made by the game's default player (`players`).

A policy is built in, offered by an installed package, in a Python file, or of this session: defined
in a cell, at the prompt or in a script.  A name means the session's latest definition.  Each use
takes a copy of the policy as it is then, with the functions and constants it uses; equal copies are
one, so that nothing is compiled twice, and a change of a helper or a constant is never missed.  A
user's policy goes to other processes whole: its functions by value, with their source.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import linecache
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from importlib.util import decode_source
from pathlib import Path
from threading import RLock
from types import FunctionType, ModuleType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from kqj_sim.core.jit import scalar
from kqj_sim.core.types import MAX_PARAMETERS
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game
from kqj_sim.messages import describe_error, quote, represent, shorten, suggest_file, suggest_names
from kqj_sim.policies.binding import VIEW_OF_DECISION, Arguments, make_parameters_type
from kqj_sim.policies.parameters import Parameter, check_parameter
from kqj_sim.policies.user_code import compile_user_function, describe_function, shorten_path
from kqj_sim.text_files import convert_to_utf8, read_bytes

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
    choices: dict[str, tuple[FunctionType, Arguments]] = field(default_factory=dict)
    """By decision the plain function and its arguments."""
    blocks: dict[str, Any] = field(default_factory=dict)
    """By decision a function that decides for a whole block (`core.dispatch.ASK_SIGNATURE`); only
    policies of the package have these, as choices of blocks are not checked."""
    value_function: Any = None
    """Compiled function (view, address of the weights, values) that writes the value of each legal
    card, from the lowest bit on, in points up to a common constant, for policies that use the
    values (`core.dispatch.make_value_cards`); None without one."""
    bid_filter: Any = None
    """Compiled function (view, bid, parameters, resource) that is False only if the policy would
    not make the bid, which it tells faster than `choose_bid` (`core.dispatch.make_rule_out_bid`);
    None without one."""
    wrap_loop: Callable[[Any], Any] | None = None
    """Returns what is asked in place of a compiled loop, with its `address`
    (`core.dispatch.ASK_SIGNATURE`); None to ask the loop."""
    failure: str = ""
    """What went wrong there last, for the message on its illegal choice."""
    helpers: dict[str, FunctionType] = field(default_factory=dict)
    """Methods (self, ...) that those of decisions may call, where self is the parameters."""
    tuple_type: Any = field(init=False)
    """Named tuple of numbers that its functions get as their parameters."""
    origin: str = ""
    """File, or name of the cell, in which it was defined."""
    _compiled: dict[str, Any] = field(default_factory=dict, init=False)

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
        actions = ", ".join(verbs.get(each, f"{each}s") for each in decisions) or "no decisions yet"
        parameters = "; " + ", ".join(self.parameters) if self.parameters else ""
        return f"<Policy {self.name}: {actions}{shorten(parameters)}>"

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

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Add a `choose_...` function, which is compiled when it is first used.

        Raises:
            InputError: a wrong name or number of arguments.
        """
        if not isinstance(function, FunctionType):
            what = shorten(represent(function))
            raise InputError(f"policy {self.name!r} decorates functions; {what} is not one")
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
        forms: dict[Arguments, str] = {
            ("view",): "(view)", ("view", "parameters"): "(view, parameters)",
        }  # fmt: skip
        if is_method:
            forms = {("parameters", "view"): "(self, view)"}
        taken = list(inspect.signature(function).parameters.values())
        arguments = next((form for form in forms if len(form) == len(taken)), None)
        if not (arguments and all(each.kind is each.POSITIONAL_OR_KEYWORD for each in taken)):
            wanted = " or ".join(forms.values())
            raise InputError(f"policy {self.name!r}: {name}() should take {wanted}")
        self.choices[decision] = (function, arguments)
        self._compiled.pop(decision, None)
        _OWNERS[function] = self

    def add_functions(self, **functions: Any) -> None:
        """Add the functions of decisions, whatever their names; raises as `add_function`."""
        for decision, function in functions.items():
            self.add_function(decision, function)

    def compile_decision(self, decision: str) -> tuple[Any, Arguments]:
        """Return the compiled function of a decision and its arguments.

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
                    self.name, function, decision, arguments, self.tuple_type, self.helpers
                )
            )
        return self._compiled[decision], arguments

    def check(self) -> None:
        """Compile a user's functions, to report errors before a run; raises InputError."""
        for question in () if self.built_in else self.choices:
            self.compile_decision(question)

    def copy(self) -> Policy:
        """Return a user's policy as it is now; the same copy as before if nothing has changed."""
        content = (
            self.name,
            self.summary,
            tuple(self.parameters.items()),
            tuple(
                (name, arguments, describe_function(function))
                for name, (function, arguments) in self.choices.items()
            ),
            tuple((name, describe_function(each)) for name, each in self.helpers.items()),
        )
        with _LOCK:
            if content not in _COPIES:
                choices, helpers = dict(self.choices), dict(self.helpers)
                _COPIES[content] = replace(self, choices=choices, helpers=helpers)
            return _COPIES[content]

    def __reduce__(self) -> tuple[Callable[..., Policy], tuple[Any, ...]]:
        """Return how another process gets it: a built-in policy by name, a user's by value."""
        if self.wrap_loop is not None:
            raise InputError(f"player {self.name!r} chooses in this process: leave out the cluster")
        if self.built_in:
            return _import, (self.module, self.name)
        return _load, (_dump(self),)


_LOCK = RLock()
_COPIES: dict[object, Policy] = {}
_DEFINED: dict[tuple[str, str], Policy] = {}
_SESSION: dict[str, Policy] = {}
"""Policies of this session, which are found by name without a file."""
_OWNERS: WeakKeyDictionary[object, Policy] = WeakKeyDictionary()
"""The policy of each function, and of each class that defines one."""


def policy(
    name: str | Callable[..., Any], summary: str = "", **parameters: float | Parameter
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
    defined = _make_policy(name, summary, parameters, module, origin)
    known = _DEFINED.get((module, name))
    same = known is not None and (not defined.parameters or known.parameters == defined.parameters)
    if known is None or (_is_session(module, origin) and not (same and known.origin == origin)):
        _add_definition(defined)
        return defined
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
        if name == "<lambda>":
            raise InputError("a lambda has no name: write def choose_card(view): ...")
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


def _define_bare(decorated: Any) -> Policy:
    """Return the policy that a function or a class below a bare `@policy` defines."""
    summary = (inspect.getdoc(decorated) or "").partition("\n")[0]
    module = str(decorated.__module__ or "__main__")
    if isinstance(decorated, FunctionType):
        is_named = decorated.__name__.startswith("choose_")
        decision = decorated.__name__.removeprefix("choose_") if is_named else "card"
        origin = decorated.__code__.co_filename
        defined = _make_policy(decorated.__name__, summary, {}, module, origin)
        defined.add_function(decision, decorated)
    else:
        attributes = {key: value for key, value in vars(decorated).items() if key[:2] != "__"}
        functions: dict[str, Any] = {
            key: getattr(value, "__func__", value)
            for key, value in attributes.items()
            if isinstance(value, FunctionType | staticmethod)
        }
        methods = [key for key in functions if isinstance(attributes[key], FunctionType)]
        helpers = {key: functions[key] for key in methods if not key.startswith("choose_")}
        origin = next((each.__code__.co_filename for each in functions.values()), "")
        parameters = {key: value for key, value in attributes.items() if key not in functions}
        defined = _make_policy(decorated.__name__, summary, parameters, module, origin, helpers)
        functions = {key: each for key, each in functions.items() if key not in helpers}
        for key, function in functions.items():
            defined.add_function(key.removeprefix("choose_"), function, key in methods)
        if not functions:
            raise InputError(
                f"policy {defined.name!r}: the class has no method choose_card(self, view), "
                "choose_take(self, view), ..."
            )
        _OWNERS[decorated] = defined
    _add_definition(defined)
    return defined


def _add_definition(defined: Policy) -> None:
    """Keep a definition, in place of an earlier one of the same name."""
    _DEFINED[defined.module, defined.name] = defined
    if _is_session(defined.module, defined.origin):
        _SESSION[defined.name] = defined


def _is_session(module: str, origin: str) -> bool:
    """Return True for definitions no specification of a file reaches: cells, prompt, script."""
    has_file = getattr(sys.modules.get(module), "__file__", None) is not None
    return module == "__main__" or origin.startswith("<") or not has_file


def policies_of_module(module: ModuleType) -> dict[str, Policy]:
    """Return the policies that a module defines, by name."""
    return {
        name: defined for (where, name), defined in _DEFINED.items() if where == module.__name__
    }


def find_given_policy(given: object) -> Policy:
    """Return a policy, or that of a function or class, as it is now.

    Raises:
        InputError: it is none of these, or has the name of a built-in policy.
    """
    if not isinstance(given, Policy):
        if not isinstance(given, FunctionType | type):
            raise InputError(
                f"{quote(given)} is not a policy: give a specification such as 'standard', "
                "or a policy or function from a cell"
            )
        given = _OWNERS.get(given) or policy(given)
    if given.built_in:
        return given
    if any(given.name in (*game.built_ins, *game.presets) for game in GAMES.values()):
        raise InputError(
            f"policy {given.name!r} has the name of a built-in policy: give yours another name"
        )
    return given.copy()


def find_policy(name: str, game: str = "kqj") -> Policy:
    """Return a game's built-in policy, one of this session, or one that a package offers.

    Raises:
        InputError: no policy has that name, or an entry point is not a policy.
    """
    built_ins = find_game(game).built_ins
    if name in built_ins:
        return _import(built_ins[name], name)
    if name in _SESSION:
        return _SESSION[name].copy()
    offered = {point.name: point for point in _load_entry_points()}
    if name in offered:
        try:
            loaded = offered[name].load()
        except Exception as error:
            raise InputError(
                f"policy {name!r} of {offered[name].value}: {describe_error(error)}"
            ) from None
        if isinstance(loaded, ModuleType):
            loaded = policies_of_module(loaded).get(name)
        if not isinstance(loaded, Policy):
            raise InputError(f"entry point {name!r} is not a policy: {offered[name].value}")
        return loaded
    files = [f"{name}{suffix}" for suffix in (".py", ".toml") if os.path.isfile(f"{name}{suffix}")]
    known = files or (*list_names(game), *_SESSION)
    raise InputError(f"no policy {quote(name)}; {suggest_names(name, {*known})}")


def _load_entry_points() -> Iterable[EntryPoint]:
    return _find_entry_points(tuple(sys.path))


@functools.cache
def _find_entry_points(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return what the packages on a path offer; a look at all of them takes 5 ms."""
    return tuple(entry_points(group=ENTRY_POINTS))


def list_names(game: str = "kqj") -> list[str]:
    """Return the names of all policies of a game that need no file, those of presets included."""
    offered = (point.name for point in _load_entry_points())
    return list(dict.fromkeys([*find_game(game).built_ins, *find_game(game).presets, *offered]))


def list_session_names() -> list[str]:
    """Return the names of the session's policies."""
    return list(_SESSION)


def describe(game: str = "kqj") -> list[Policy]:
    """Return all policies of a game that need no file, without presets; raises as `find_policy`."""
    return [
        find_policy(name, game) for name in list_names(game) if name not in find_game(game).presets
    ]


# The policies of users' Python files.

_LOAD_LOCK = RLock()
"""A file registers its policies while it runs, so only one may run at a time."""

_Content = TypeVar("_Content")


def read_policy_file(path: Path, convert: Callable[[bytes], _Content]) -> _Content:
    """Return the content of a Python or TOML file; raises InputError if it cannot be read."""
    try:
        return convert(read_bytes(path))
    except FileNotFoundError:
        raise InputError(f"policy file {path}: no such file{suggest_file(path)}") from None
    except OSError as error:
        raise InputError(f"policy file {path}: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"policy file {path}: it is nested too deeply") from None
    except ValueError as error:  # not TOML, a number with thousands of digits, or a null character
        raise InputError(f"policy file {path}: {error}") from None


def load_policy_file(path: Path, name: str) -> Policy:
    """Return a policy of a Python file; without a name the only one there.

    The file is run once, and again when it has changed.

    Raises:
        InputError: the file cannot be run, or defines no such policy.
    """
    content = read_policy_file(path, convert_to_utf8)
    with _LOAD_LOCK:
        defined = _run_policy_file(path.resolve(), content)
    where = shorten_path(path)
    if not defined:
        raise InputError(f"{where}: it defines no policy with @policy(...)")
    if not name and len(defined) == 1:
        return next(iter(defined.values()))
    if not name:
        raise InputError(f"{where}: name one of its policies: {', '.join(defined)}")
    if name not in defined:
        raise InputError(f"{where}: no policy {quote(name)}; {suggest_names(name, defined)}")
    return defined[name]


@functools.cache
def _run_policy_file(path: Path, content: bytes) -> dict[str, Policy]:
    """Return the policies that a file with this content defines, by name."""
    module = ModuleType(f"kqj_sim_user_{path.stem}_{abs(hash(path))}")
    module.__file__ = str(path)
    for key in [key for key in _DEFINED if key[0] == module.__name__]:
        del _DEFINED[key]
    sys.modules[module.__name__] = module
    recursion_limit = sys.getrecursionlimit()
    try:
        code = compile(content, str(path), "exec")
        # Places of mistakes are looked up here: the file may be on another machine.
        lines = decode_source(content).splitlines(keepends=True)
        linecache.cache[str(path)] = (len(content), None, lines, str(path))
        exec(code, module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[module.__name__]
        raise InputError(_explain_load_error(error, module)) from None
    finally:
        # The file may have set one that is too low for the compiler.
        sys.setrecursionlimit(recursion_limit)
    return policies_of_module(module)


def _explain_load_error(error: BaseException, module: ModuleType) -> str:
    path = str(module.__file__)
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]  # fmt: skip
    reason = str(error) if isinstance(error, InputError) else describe_error(error)
    if isinstance(error, SyntaxError) and error.filename == path:
        lines, reason = [error.lineno], f"{type(error).__name__}: {error.msg}"
    return f"{shorten_path(path)}{f':{lines[-1]}' if lines and lines[-1] else ''}: {reason}"


# Users' policies in other processes.


def _import(module: str, name: str) -> Policy:
    return policies_of_module(importlib.import_module(module))[name]


_KNOWN: dict[bytes, Policy] = {}
"""The policies that this process has pickled or loaded: each is one object."""


@functools.cache
def _dump(policy: Policy) -> bytes:
    """Pickle a policy with its functions by value, and with their source for messages."""
    import cloudpickle

    functions = [*(function for function, _ in policy.choices.values()), *policy.helpers.values()]
    files = {each.__code__.co_filename for each in functions}
    sources = {path: linecache.getlines(path) for path in files}
    names = {each.__module__ for each in functions} & sys.modules.keys() - {"__main__"}
    added = [sys.modules[name] for name in names - cloudpickle.list_registry_pickle_by_value()]
    for module in added:
        cloudpickle.register_pickle_by_value(module)
    fields = (policy.name, policy.summary, policy.parameters, policy.module)
    try:
        pickled = bytes(cloudpickle.dumps((fields, policy.choices, policy.helpers, sources)))
    except Exception as error:  # whatever an object that cannot be pickled raises
        reason = (
            f"policy {policy.name!r} cannot be sent to other processes: {describe_error(error)}"
        )
        raise InputError(reason.splitlines()[0]) from None
    finally:
        for module in added:
            cloudpickle.unregister_pickle_by_value(module)
    _KNOWN[pickled] = policy
    return pickled


def _load(pickled: bytes) -> Policy:
    with _LOCK:
        if pickled not in _KNOWN:
            (name, summary, parameters, module), *functions, sources = pickle.loads(pickled)
            choices, helpers = functions
            for path, lines in sources.items():
                if lines and not linecache.getlines(path):
                    linecache.cache[path] = (sum(map(len, lines)), None, lines, path)
            _KNOWN[pickled] = Policy(
                name, summary, parameters, module, False, choices=choices, helpers=helpers
            )
        return _KNOWN[pickled]
