"""Options from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import click


def read_config(ctx: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """Make the values of a TOML file the defaults of a command's options.

    Keys are the options' names, with - or _ .  At the top they hold for every command that has
    the option, in a table with a command's name for that one alone, and there they come first.
    Raises UsageError for what is not TOML and for unknown keys, OSError if it cannot be read.
    """
    if path is None or ctx.resilient_parsing:
        return
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} is not TOML: {error}") from None
    assert ctx.parent is not None and isinstance(ctx.parent.command, click.Group)
    commands = ctx.parent.command.commands
    own = _options_of(ctx.command)
    everyone = {
        name: option
        for command in commands.values()
        for name, option in _options_of(command).items()
    }
    chosen: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and key in commands:
            continue
        name = _known(path, key, [*everyone, *commands])
        if name in commands:
            raise click.UsageError(f"{path}: {key} is a table of options: write [{key}]")
        if name in own:
            chosen[name] = value
    for key, table in values.items():
        if isinstance(table, dict) and key in commands:
            options = _options_of(commands[key])
            for inner, value in table.items():
                name = _known(path, inner, list(options), f"[{key}] ")
                if key == ctx.command.name:
                    chosen[name] = value
    ctx.default_map = {
        str(own[name].name): _as_given(path, name, own[name], value)
        for name, value in chosen.items()
    }


def _options_of(command: click.Command) -> dict[str, click.Option]:
    """The options that may stand in a file, by their long names with _ for - ."""
    return {
        name.removeprefix("--").replace("-", "_"): option
        for option in command.params
        if isinstance(option, click.Option) and not option.is_eager
        for name in option.opts
        if name.startswith("--")
    }


def _known(path: str, key: str, names: list[str], where: str = "") -> str:
    name = key.replace("-", "_")
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0)[0]
        raise click.UsageError(f"{path}: {where}{key} is no option: did you mean {near}?")
    return name


def _as_given(path: str, name: str, option: click.Option, value: Any) -> Any:
    """The value as the command line would give it; options that repeat take a list."""
    if option.multiple:
        items = value if isinstance(value, list) else [value]
        return [str(item) for item in items]
    if isinstance(value, dict | list) or (isinstance(value, bool) and not option.is_flag):
        raise click.UsageError(f"{path}: {name} is a single value, not {value}")
    if option.is_flag and not isinstance(value, bool):
        raise click.UsageError(f"{path}: {name} is true or false, not {value}")
    return value
