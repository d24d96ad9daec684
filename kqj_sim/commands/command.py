"""The class of all commands: help in sections, and errors that name the right option.

A class of our own: cloup, rich-click and click-option-group make sections, but none has options
that only --help-all lists or that depend on the game, and importing one of the first two takes
longer than importing Click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import click
from click.shell_completion import CompletionItem

from kqj_sim.commands.errors import HintingGroup
from kqj_sim.commands.stdout import reserve_stdout, write_line
from kqj_sim.games import GAMES, KQJ
from kqj_sim.messages import find_similar
from kqj_sim.options import FLAGS

_GAME_KEY, _ALL_KEY = "kqj_sim.help_game", "kqj_sim.help_all"
"""Keys under which a context keeps the game whose options help lists, and whether it lists all."""

_MAX_OPTION_WIDTH = 26
"""Widest option in the first column of the help; a wider one has a line of its own."""


class Command(click.Command):
    """A command with options in sections, some of which only --help-all lists."""

    list_tables: Callable[[click.Context], Iterable[str]] = staticmethod(lambda _: ())
    """Returns the names of the tables that the command writes with the options of a context."""
    _help_all_option: click.Option | None = None

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            parameter.shell_complete = _make_completer(parameter)  # type: ignore[assignment, method-assign]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line, with the game whose options help lists."""
        if any(parameter.name == "game" for parameter in self.params):
            ctx.meta[_GAME_KEY] = _find_game(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            names = [name for parameter in self.get_params(ctx) for name in parameter.opts]
            similar = find_similar(error.option_name, names)
            raise click.NoSuchOption(error.option_name, possibilities=similar, ctx=ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, with stdout for its results only."""
        if isinstance(self, click.Group):  # The help of its commands is a result, too.
            return super().invoke(ctx)
        with reserve_stdout():
            return super().invoke(ctx)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, --help and --help-all included."""
        params = super().get_params(ctx)
        if self._list_rare(ctx):
            if self._help_all_option is None:
                self._help_all_option = click.Option(
                    ["--help-all"], is_flag=True, is_eager=True, expose_value=False,
                    callback=_show_all_help, help="Also list the options that are rarely used.",
                )  # fmt: skip
            params = [*params, self._help_all_option]
        return params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections, then the commands of a group."""
        sections = list(self._list_sections(ctx))
        width = min(max(len(name) for _, rows in sections for name, _ in rows), _MAX_OPTION_WIDTH)
        for title, rows in sections:
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), text) for name, text in rows], _MAX_OPTION_WIDTH
                )
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def list_all_sections(self, ctx: click.Context) -> list[tuple[str, Sequence[tuple[str, str]]]]:
        """Return the sections that --help-all lists: titles, and options with their help."""
        ctx.meta[_ALL_KEY] = True
        return list(self._list_sections(ctx))

    def _list_sections(self, ctx: click.Context) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
        listed = {option.name: option for option in self.params if self._is_listed(option, ctx)}
        for title in dict.fromkeys(option.section for option in FLAGS.values()):
            rows = [
                record
                for name, option in FLAGS.items()
                if option.section == title
                and name in listed
                and (record := listed[name].get_help_record(ctx)) is not None
            ]
            if rows:
                yield title, rows
        added = [option for option in self.get_params(ctx) if option not in self.params]
        yield "Help", [row for option in added if (row := option.get_help_record(ctx)) is not None]

    def _is_listed(self, parameter: click.Parameter, ctx: click.Context) -> bool:
        if isinstance(parameter, click.Argument):
            return False
        if ctx.meta.get(_ALL_KEY, False):
            return True
        option = FLAGS[str(parameter.name)]
        is_rare = option.rare if isinstance(option.rare, bool) else self.name in option.rare
        return not is_rare and option.game in (None, ctx.meta.get(_GAME_KEY, option.game))

    def _list_rare(self, ctx: click.Context) -> list[click.Parameter]:
        return [
            option
            for option in self.params
            if isinstance(option, click.Option) and not self._is_listed(option, ctx)
        ]


class Group(Command, HintingGroup):
    """A group of commands whose own help has sections."""


def _make_completer(
    parameter: click.Parameter,
) -> Callable[[click.Context, str], list[CompletionItem]]:
    complete_by_type = parameter.shell_complete

    def complete(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from kqj_sim.commands.completion import complete_value

        items = complete_value(ctx, parameter, incomplete)
        return complete_by_type(ctx, incomplete) if items is None else items

    return complete


def _show_all_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL_KEY] = True
        write_line(ctx.get_help())
        ctx.exit()


def _find_game(args: Sequence[str]) -> str:
    """Return the game that the words of a command line name; --help is run before they are read."""
    default = KQJ.name
    for word, following in pairwise((*args, "")):
        name, _, value = word.partition("=")
        if name == "--game" and (value or following) in GAMES:
            default = value or following
    return default
