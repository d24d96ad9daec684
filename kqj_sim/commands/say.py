"""The one way in which commands write text that has no colours."""

from __future__ import annotations

import click

from kqj_sim.commands.stdout import get_stdout
from kqj_sim.messages import visible_lines


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write text to stdout or stderr, with what a terminal might obey made visible."""
    click.echo(visible_lines(text), None if err else get_stdout(), nl=nl, err=err)
