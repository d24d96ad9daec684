"""Interruptions on the command line, and progress in lines with the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NoReturn

import click

from kqj_sim.commands.say import say
from kqj_sim.signals import get_exit_status


def exit_interrupted(message: str) -> NoReturn:
    """Exit a command that was interrupted; `message` says how much it has finished."""
    say(f"Interrupted: {message}", err=True)
    click.get_current_context().exit(get_exit_status())


def make_timed_printer(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints a line with the seconds since now; no output if `quiet`."""
    began = time.monotonic()

    def print_line(line: str) -> None:
        if not quiet:
            say(f"{time.monotonic() - began:7.0f} s  {line}", err=True)

    return print_line
