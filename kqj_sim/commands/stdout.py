"""Stdout of the commands, which is for their results only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

import click

from kqj_sim.messages import visible_lines

_RESERVED: ContextVar[TextIO | None] = ContextVar("_RESERVED", default=None)


@contextmanager
def reserve_stdout() -> Iterator[None]:
    """Keep stdout for results meanwhile: what others print, such as a policy, goes to stderr.

    A terminal shows both, so that it is left as it is.
    """
    if _RESERVED.get() is not None or sys.stdout.isatty():
        yield
        return
    token = _RESERVED.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _RESERVED.reset(token)


def get_stdout() -> TextIO:
    """Return the stream for results."""
    return _RESERVED.get() or sys.stdout


# The one way in which commands write text that has no colours.


def write_line(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write text with what a terminal might obey made visible.

    Messages, on stderr, name options as the command line does.
    """
    if err:
        # Here, since the options take help a quarter of its time.
        from kqj_sim.options import speak_shell

        text = speak_shell(text)
    click.echo(visible_lines(text), None if err else get_stdout(), nl=nl, err=err)
