"""Completion of values in the shell: policies, their parameters, columns, tables and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from kqj_sim.errors import InputError
from kqj_sim.games import KQJ, get_columns
from kqj_sim.options import FLAGS

_COMPLETED: Mapping[str, str] = {
    **{name: option.completes for name, option in FLAGS.items() if option.completes is not None},
    **dict.fromkeys(("policies", "specification"), "spec"),
    **dict.fromkeys(("file", "records"), "file"),
}
"""What the value of an option or argument is, by its name."""


def complete_value(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem] | None:
    """Return the completions of a value; None for a parameter that others complete."""
    kind = _COMPLETED.get(str(parameter.name))
    if kind is None:
        return None
    if kind == "file":
        folder = parameter.make_metavar(ctx).endswith("FOLDER")
        return [CompletionItem(incomplete, type="dir" if folder else "file")]
    game = str(ctx.params.get("game") or KQJ.name)
    items = list(_COMPLETERS[kind](ctx, game, incomplete))
    if kind == "spec" and not items:
        return [CompletionItem(incomplete, type="file")]
    return items


def _list_parameters(policy: str, game: str) -> list[str]:
    """Return the names of a policy's parameters; none if there is no such policy."""
    from kqj_sim.policies.registry import find_policy

    try:
        return [
            str(getattr(parameter, "name", parameter))
            for parameter in find_policy(policy, game).parameters
        ]
    except InputError:  # A preset has none of its own.
        return []


def _complete_spec(ctx: click.Context, game: str, incomplete: str) -> Iterator[CompletionItem]:
    """Yield policies and, after a colon, parameters: `team0=random+points:take=30,la`."""
    before, text = _split_last(incomplete, r"^(?:seat|team)\d=|\+")
    policy, colon, parameters = text.partition(":")
    if not colon:
        from kqj_sim.policies.registry import list_names

        yield from _make_items(before, policy, list_names(game))
    else:
        done, name = _split_last(parameters, r",")
        yield from _make_items(
            f"{before}{policy}:{done}", name, _list_parameters(policy, game), "="
        )


def _complete_parameter(ctx: click.Context, game: str, incomplete: str) -> Iterator[CompletionItem]:
    """Yield the parameters of the policy that is searched or varied."""
    # Click keeps arguments before an option without a value as words.
    words = (str(ctx.params.get("policy") or ""), *ctx.args)
    policies = [part for word in words for part in re.split(r"[+:]", word)]
    names = [name for policy in policies for name in _list_parameters(policy, game)]
    before, name = _split_last(incomplete, r",")
    yield from _make_items(before, name, names)


def _complete_column(ctx: click.Context, game: str, incomplete: str) -> Iterator[CompletionItem]:
    before, name = _split_last(incomplete, r"[\s(,]")
    for column in get_columns(game):
        if column.name.startswith(name):
            yield CompletionItem(before + column.name, help=column.meaning)


def _complete_table(ctx: click.Context, game: str, incomplete: str) -> Iterator[CompletionItem]:
    """Yield the tables of the command, after a comma too."""
    before, name = _split_last(incomplete, r",")
    command: Any = ctx.command
    yield from _make_items(
        before, name, (*command.list_tables(ctx), *(() if before else ("all", "list")))
    )


_COMPLETERS: Mapping[str, Callable[[click.Context, str, str], Iterator[CompletionItem]]] = {
    "spec": _complete_spec,
    "parameter": _complete_parameter,
    "column": _complete_column,
    "table": _complete_table,
}


def _split_last(text: str, separator: str) -> tuple[str, str]:
    """Return the text up to the last separator, which is included, and what follows it."""
    end = max((match.end() for match in re.finditer(separator, text)), default=0)
    return text[:end], text[end:]


def _make_items(
    before: str, incomplete: str, names: Iterable[str], after: str = ""
) -> Iterator[CompletionItem]:
    for name in names:
        if name.startswith(incomplete):
            yield CompletionItem(f"{before}{name}{after}")
