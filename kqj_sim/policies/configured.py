"""Policies with values for their parameters, and their specifications.

`standard`, `standard:take=45,lap2=38`, `bold` (a preset), `my_policy.py`,
`my_policy.py:cautious`, `my_policy.py:cautious:take=3`.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import decode_source
from pathlib import Path
from threading import RLock
from types import ModuleType

from kqj_sim.errors import InputError, locate_errors
from kqj_sim.games import find_game, list_game_options
from kqj_sim.messages import describe_error, quote, shell_join, shorten, suggest_file, suggest_names
from kqj_sim.policies import session
from kqj_sim.policies.parameters import Parameter, ParameterValue, append_version
from kqj_sim.policies.registry import Policy, find_policy, forget_policies, policies_of_module
from kqj_sim.policies.user_policies import shorten_path
from kqj_sim.rules import GameRules
from kqj_sim.text_files import convert_to_utf8, read_bytes

# The policies of users' Python files.

_LOAD_LOCK = RLock()
"""A file registers its policies while it runs, so only one may run at a time."""


def load_policy_file(path: Path, name: str) -> Policy:
    """Return a policy of a Python file; without a name the only one there.

    The file is run once, and again when it has changed.

    Raises:
        InputError: the file cannot be run, or defines no such policy.
    """
    try:
        content = convert_to_utf8(read_bytes(path))
    except FileNotFoundError:
        raise InputError(f"policy file {path}: no such file{suggest_file(path)}") from None
    except OSError as error:
        raise InputError(f"policy file {path}: {error.strerror}") from None
    except ValueError as error:  # No file name has a null character.
        raise InputError(f"policy file {path}: {error}") from None
    with _LOAD_LOCK:
        found = _run_policy_file(path.resolve(), content)
    where = shorten_path(path)
    if not found:
        raise InputError(f"{where}: it defines no policy with @policy(...)")
    if not name and len(found) == 1:
        return next(iter(found.values()))
    if not name:
        raise InputError(f"{where}: name one of its policies: {', '.join(found)}")
    if name not in found:
        raise InputError(f"{where}: no policy {quote(name)}; {suggest_names(name, found)}")
    return found[name]


@cache
def _run_policy_file(path: Path, content: bytes) -> dict[str, Policy]:
    """Return the policies that a file with this content defines, by name."""
    module = ModuleType(f"kqj_sim_user_{path.stem}_{abs(hash(path))}")
    module.__file__ = str(path)
    forget_policies(module.__name__)
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


@dataclass(frozen=True)
class ConfiguredPolicy:
    """A policy with values for its parameters."""

    policy: Policy
    values: tuple[ParameterValue | None, ...]
    """In the order of `policy.parameters`; None where the rules decide on the default."""
    source: str
    """The specification without parameters: a name or a file."""
    game: str = "kqj"

    def under(self, rules: GameRules) -> ConfiguredPolicy:
        """Return the policy with a value for every parameter, by the rules at hand."""
        if None not in self.values:
            return self
        values = (
            parameter.get_default(rules) if value is None else value
            for parameter, value in zip(self.policy.parameters.values(), self.values, strict=True)
        )
        return replace(self, values=tuple(values))

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that compiled functions get: all but names of policies; see `under`."""
        assert None not in self.values, "the rules decide on some values"
        return tuple(value for value in self.values if isinstance(value, float))

    @property
    def others(self) -> tuple[str, ...]:
        """The policies whose seatings its functions get: those that parameters name come first."""
        named = (value for value in self.values if isinstance(value, str))
        return (*named, *self.policy.seated)

    @property
    def values_by_name(self) -> dict[str, ParameterValue | None]:
        """The values by name of parameter."""
        return dict(zip(self.policy.parameters, self.values, strict=True))

    @property
    def text(self) -> str:
        """The specification with every value and the versions of weights."""
        return self._format(self.values_by_name)

    def shorten(self, rules: GameRules) -> str:
        """Return the specification with the values that differ from the defaults by some rules."""
        parameters = self.policy.parameters
        return self._format(
            {
                name: value
                for name, value in self.values_by_name.items()
                if value != parameters[name].get_default(rules)
            }
        )

    def _format(self, values: Mapping[str, ParameterValue | None]) -> str:
        given = ",".join(
            f"{name}={append_version(self.policy.parameters[name].write(value))}"
            for name, value in values.items()
            if value is not None
        )
        return f"{self.source}:{given}" if given else self.source

    def parameter(self, name: str) -> Parameter:
        """Return a parameter; raises InputError if there is none of that name."""
        parameters = self.policy.parameters
        if name not in parameters:
            raise InputError(
                f"policy {self.policy.name!r} has no parameter {quote(name)}; "
                f"{suggest_names(name, parameters, format_show_command(self.source, self.game))}"
            )
        return parameters[name]

    def without_effect(self, name: str, rules: GameRules) -> str:
        """Return why a parameter has no effect by these rules; empty if it has one."""
        parameter = self.parameter(name)
        if parameter.applies_to(rules):
            return ""
        return f"{name} has no effect here: it is read with --bidding {parameter.bidding} only"

    def with_parameters(self, given: Mapping[str, object]) -> ConfiguredPolicy:
        """Return the same policy with other values, given as texts or as values of a TOML file.

        Raises:
            InputError: an unknown parameter, or a value that is not allowed.
        """
        values = self.values_by_name
        for name, value in given.items():
            parameter = self.parameter(name)
            with locate_errors(f"policy {self.policy.name!r}: {name}={shorten(value)}"):
                values[name] = parameter.read(value)
        return replace(self, values=tuple(values.values()))


def format_show_command(spec: str, game: str = "kqj") -> str:
    """Return the command that lists the parameters of a policy, in backticks."""
    options = list_game_options(game)
    return f"`{shell_join(['kqj-sim', 'policies', 'show', *options, spec])}`"


def configure_with_defaults(policy: Policy, source: str, game: str = "kqj") -> ConfiguredPolicy:
    """Return a policy with the defaults of its parameters."""
    return ConfiguredPolicy(
        policy, tuple(each.unset for each in policy.parameters.values()), source, game
    )


def configure_checked(policy: Policy, source: str, game: str) -> ConfiguredPolicy:
    """Return a policy with the defaults of its parameters, checked before a run.

    Raises:
        InputError: it makes no decision of the game, or a user's function does not compile.
    """
    if not (policy.calls(game) or policy.plays):
        first, *others = find_game(game).call_decisions
        wanted = f"choose_{first}{', ...' if others else ''} or choose_card"
        raise InputError(f"{source}: it has no function {wanted}")
    policy.check()
    return configure_with_defaults(policy, source, game)


def split_file(
    spec: str, is_file: Callable[[str], bool] = os.path.isfile
) -> tuple[str, str] | None:
    """Split `FILE.py:REST` or `FILE.toml:REST` into the file and the rest; None without a file.

    A folder may have such a name, too: the file is the first for which `is_file` is true.
    """
    ends = [match.end() for match in re.finditer(r"\.(?:py|toml)(?=:|\Z)", spec)]
    if not ends:
        return None
    end = next((end for end in ends if is_file(spec[:end])), ends[0])
    return spec[:end], spec[end + 1 :]


def parse_assignments(text: str, spec: str) -> dict[str, str]:
    """Parse `a=1,b=2` into a dictionary.

    Raises:
        InputError: not of this form, or a parameter is given twice.
    """
    given: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise InputError(f"policy {quote(spec)}: {quote(part)} should be parameter=value")
        if name in given:
            raise InputError(f"policy {quote(spec)}: {shorten(name)} is given twice")
        given[name] = value
    return given


def parse_policy(spec: str, folder: Path | None = None, game: str = "kqj") -> ConfiguredPolicy:
    """Parse a policy of a game with its parameters; a relative path of its file is from `folder`.

    Raises:
        InputError: one line that says what is wrong and what would be right.
    """
    of_file = split_file(spec, lambda path: os.path.isfile(Path(folder or "", path)))
    if of_file is not None and of_file[0].endswith(".py"):
        path, rest = of_file
        name, _, given = rest.partition(":")
        if "=" in name and not given:
            name, given = "", rest
        source = path if folder is None else str(folder / path)
        found = load_policy_file(Path(source), name)
        source = f"{source}:{found.name}"
    else:
        source, _, given = spec.partition(":")
        if not source:
            raise InputError("an empty policy; " + suggest_names("", find_game(game).built_ins))
        if source in find_game(game).presets:
            preset = parse_policy(find_game(game).presets[source].specification, folder, game)
            return preset.with_parameters(parse_assignments(given, spec))
        found = session.find(source, game) or find_policy(source, game)
    return configure_checked(found, source, game).with_parameters(parse_assignments(given, spec))
