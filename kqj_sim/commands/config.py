"""Options from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kqj_sim.messages import shorten, visible

CONFIG_KEY, EXPERIMENTS_KEY = "kqj_sim.config", "kqj_sim.experiments"
"""Where a context keeps the name and text of its file, and the tables of its experiments."""

_EXPERIMENT_TABLE = "experiment"


def read_config(ctx: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """Make the values of a TOML file the defaults of a command's options.

    Keys are the options' names, with - or _ .  At the top they hold for every command that has
    the option, in a table with a command's name for that one alone, and there they come first;
    [train.linear] is the table of a command within another.  Tables [[experiment]] are kept for a
    command that takes several experiments, see `parse_option_values`.
    Raises UsageError for what is not TOML and for unknown keys, OSError if it cannot be read.
    """
    if path is None or ctx.resilient_parsing:
        return
    try:
        text = Path(path).read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except RecursionError:
        raise click.UsageError(f"{shorten(path)} is nested too deeply") from None
    except ValueError as error:  # TOML's, Unicode's, and that of numbers with too many digits
        raise click.UsageError(f"{shorten(path)} is not TOML: {error}") from None
    ctx.meta[CONFIG_KEY] = (visible(path), text)
    ctx.meta[EXPERIMENTS_KEY] = _pop_experiments(path, values)
    names: list[str] = []
    root = ctx
    while root.parent is not None:
        names.insert(0, str(root.command.name))
        root = root.parent
    own = _list_options(ctx.command)
    chosen = _select_values(path, values, root.command, names)
    ctx.default_map = {
        str(own[name].name): _convert_value(path, name, own[name], value)
        for name, value in chosen.items()
        if name in own
    }


def parse_option_values(
    ctx: click.Context, where: str, table: dict[str, Any], names: Sequence[str]
) -> dict[str, Any]:
    """The values of a table of an experiment, as the command would have them from its options.

    Args:
        ctx: the context of the command.
        where: what table it is, for errors.
        table: the values as they stand in the file.
        names: the options that it may hold.

    Raises UsageError for other keys and for values that the options do not take.
    """
    options = _list_options(ctx.command)
    found: dict[str, Any] = {}
    for key, value in table.items():
        name = _find_option(where, key, list(names))
        option = options[name]
        try:
            found[str(option.name)] = option.process_value(
                ctx, _convert_value(where, name, option, value)
            )
        except click.BadParameter as error:
            raise click.UsageError(f"{where}: {name}: {error.message}") from None
    return found


def _pop_experiments(path: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables of experiments, which are taken out of `values`."""
    tables = values.pop(_EXPERIMENT_TABLE, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise click.UsageError(
            f"{path}: {_EXPERIMENT_TABLE} is a list of tables: write [[experiment]]"
        )
    return tables


def _select_values(
    path: str, values: dict[str, Any], command: click.Command, names: list[str], where: str = ""
) -> dict[str, Any]:
    """The values in a command's table, overridden by those in the tables within it.

    Those are the tables of its commands, of which `names` says the one that runs, and then the one
    within that; `where` says which table it is.
    """
    commands = command.commands if isinstance(command, click.Group) else {}
    chosen: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and key in commands:
            continue
        name = _find_option(
            path, key, [*_list_nested_options(command), *commands], where and f"[{where}] "
        )
        if name in commands:
            raise click.UsageError(f"{path}: {key} is a table of options: write [{key}]")
        chosen[name] = value
    for key, table in values.items():
        if isinstance(table, dict) and key in commands:
            inner = f"{where}.{key}".lstrip(".")
            found = _select_values(path, table, commands[key], names[1:], inner)
            if names[:1] == [key]:
                chosen |= found
    return chosen


def _list_nested_options(command: click.Command) -> list[str]:
    """The names of the options of a command and of those within it."""
    names = [*_list_options(command)]
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        names += _list_nested_options(inner)
    return names


def _list_options(command: click.Command) -> dict[str, click.Option]:
    """The options that may stand in a file, by their long names with _ for - ."""
    return {
        name.removeprefix("--").replace("-", "_"): option
        for option in command.params
        if isinstance(option, click.Option) and not option.is_eager
        for name in option.opts
        if name.startswith("--")
    }


def _find_option(path: str, key: str, names: list[str], where: str = "") -> str:
    key = shorten(key)
    name = key.replace("-", "_")
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0)[0]
        raise click.UsageError(f"{path}: {where}{key} is no option: did you mean {near}?")
    return name


def _convert_value(path: str, name: str, option: click.Option, value: Any) -> Any:
    """The value as the command line would give it; options that repeat take a list."""
    if option.multiple:
        items = value if isinstance(value, list) else [value]
        return [_checked(path, name, str(item)) for item in items]
    if isinstance(value, dict | list) or (isinstance(value, bool) and not option.is_flag):
        raise click.UsageError(f"{path}: {name} is a single value, not {shorten(value)}")
    if option.is_flag and not isinstance(value, bool):
        raise click.UsageError(f"{path}: {name} is true or false, not {shorten(value)}")
    return _checked(path, name, value)


def _checked(path: str, name: str, value: Any) -> Any:
    """A value without the one character that no command line, and no file name, can hold."""
    if isinstance(value, str) and "\0" in value:
        raise click.UsageError(f"{path}: {name} holds a NUL character: leave it out")
    return value
