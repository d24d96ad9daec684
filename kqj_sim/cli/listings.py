"""Commands that list what can be named: columns of the rows, and policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from kqj_sim.cli.options import color_option, screen_width, wants_color
from kqj_sim.columns import COLUMNS

if TYPE_CHECKING:
    from kqj_sim.reporting.grid import Grid

format_option = click.option(
    "--format",
    type=click.Choice(["table", "markdown"]),
    default="table",
    show_default=True,
    help="How to write the list.",
)


@click.command(
    epilog="""\b
Example:
  kqj-sim simulate --by lap --where "sender_trumps >= 4 and contract == 'h'"
"""
)
@format_option
@color_option
def columns(format: str, color: str) -> None:
    """List the columns of the rows, for --by, --where and --rows.

    A row is a deal.  Columns hold whole numbers or the texts listed here; a condition compares
    them with numbers or texts in quotes, and joins comparisons by and, or, not.
    """
    rows = [
        (column.name, ", ".join(column.labels) or f"{column.low} to {column.high}", column.meaning)
        for column in COLUMNS
    ]
    _list(("column", "values", "meaning"), rows, format, color)


@click.command(
    epilog="""\b
Examples:
  kqj-sim simulate --policy greedy
  kqj-sim simulate --policy standard --policy seat0=random:take=0.2
  kqj-sim simulate --policy my_policy.py:cautious
"""
)
@format_option
@color_option
def policies(format: str, color: str) -> None:
    """List the policies, for --policy, with their parameters and defaults.

    A specification is a name, then the parameters to change: NAME:PARAMETER=VALUE,...  A policy
    of your own is a Python file and a name in it, FILE.py:NAME; a TOML file sets parameters.
    """
    from kqj_sim.policies import describe

    rows = [
        (
            policy.name,
            ", ".join(
                f"{name}={parameter.write(parameter.default)}"
                for name, parameter in policy.parameters.items()
            ),
            policy.summary,
        )
        for policy in describe()
    ]
    _list(("policy", "parameters", "what it does"), rows, format, color)


def _list(
    headings: tuple[str, ...], rows: Sequence[Sequence[str]], format: str, color: str
) -> None:
    from kqj_sim.reporting.grid import Cell, Grid, to_markdown, to_rich, to_screen

    grid: Grid = Grid("", headings, tuple(tuple(Cell(text) for text in row) for row in rows))
    colored = wants_color(color)
    text = (
        to_markdown(grid)
        if format == "markdown"
        else to_screen([to_rich(grid, numbers=False)], color=colored, width=screen_width())
    )
    click.echo(text, nl=False, color=colored)
