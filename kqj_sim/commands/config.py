"""Values of options from a TOML file."""

from __future__ import annotations

import tomllib
from typing import Any

import click

from kqj_sim.messages import shorten, suggest, visible
from kqj_sim.text_files import read_text

CONFIG_KEY = "kqj_sim.config"
"""Key under which a context keeps its file's name and text."""


def read_config(ctx: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """Make the values of a TOML file the defaults of a command's options.

    Keys are the options' names, with - or _.  At the top they hold for every command that has the
    option.  In a table with a command's name they hold for that command and override those at the
    top; [policies.show] is the table of a command within another.

    Raises:
        UsageError: the file is not TOML, or has an unknown key.
        OSError: the file cannot be read, or is not text in UTF-8 or UTF-16.
    """
    if path is None or ctx.resilient_parsing:
        return
    try:
        text = read_text(path)
        # Numbers stay text, so that 1.000 does not become 1.
        values = tomllib.loads(text, parse_float=str)
    except RecursionError:
        raise click.UsageError(f"{shorten(path)} is nested too deeply") from None
    except ValueError as error:  # not TOML, or a number with too many digits
        raise click.UsageError(f"{shorten(path)} is not TOML: {error}") from None
    ctx.meta[CONFIG_KEY] = (visible(path), text)
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


def _select_values(
    path: str, values: dict[str, Any], command: click.Command, names: list[str], where: str = ""
) -> dict[str, Any]:
    """Return the values in a command's table, overridden by the table of the subcommand.

    Args:
        names: the subcommand that runs, then the one within it, and so on.
        where: name of the table, such as policies.show; empty at the top.
    """
    commands = command.commands if isinstance(command, click.Group) else {}
    known = [*_list_nested_options(command), *commands]
    chosen: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and key in commands:
            continue
        name = shorten(key).replace("-", "_")
        if name not in known:
            hint = suggest(name, known) or "--help-all lists them"
            section = where and f"[{where}] "
            raise click.UsageError(f"{path}: {section}{shorten(key)} is not an option: {hint}")
        if name in commands:
            raise click.UsageError(f"{path}: {key} is a table of options: write [{key}]")
        chosen[name] = value
    for key, table in values.items():
        if isinstance(table, dict) and key in commands:
            inner = f"{where}.{key}".lstrip(".")
            inner_values = _select_values(path, table, commands[key], names[1:], inner)
            if names[:1] == [key]:
                chosen |= inner_values
    return chosen


def _list_nested_options(command: click.Command) -> list[str]:
    names = [*_list_options(command)]
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        names += _list_nested_options(inner)
    return names


def _list_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options that a file may set, by their long names with _ for -."""
    return {
        name.removeprefix("--").replace("-", "_"): option
        for option in command.params
        if isinstance(option, click.Option) and not option.is_eager
        for name in option.opts
        if name.startswith("--")
    }


def _convert_value(path: str, name: str, option: click.Option, value: Any) -> Any:
    """Return a value as the command line would give it; repeatable options take a list."""
    if option.multiple:
        items = value if isinstance(value, list) else [value]
        return [_check_value(path, name, str(item)) for item in items]
    if isinstance(value, dict | list) or (isinstance(value, bool) and not option.is_flag):
        raise click.UsageError(f"{path}: {name} is a single value, not {shorten(value)}")
    if option.is_flag and not isinstance(value, bool):
        raise click.UsageError(f"{path}: {name} is true or false, not {shorten(value)}")
    return _check_value(path, name, value)


def _check_value(path: str, name: str, value: Any) -> Any:
    """Return the value; raise UsageError for NUL, which no command line can hold."""
    if isinstance(value, str) and "\0" in value:
        raise click.UsageError(f"{path}: {name} holds a NUL character: leave it out")
    return value
