"""Ctrl-C: where the work in hand must be finished first, and how a command ends after it."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import NoReturn

import click

INTERRUPTED = 130
"""The exit status after Ctrl-C."""


class Interruption:
    """Makes a first Ctrl-C a request to stop, true in `asked`; a second one is as ever.

    A context manager, for the main thread.
    """

    asked = False

    def __enter__(self) -> Interruption:
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._before)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)


def end_interrupted(told: str) -> NoReturn:
    """End a command that was interrupted and has shown what was finished; `told` says how much."""
    click.echo(f"Interrupted: {told}", err=True)
    click.get_current_context().exit(INTERRUPTED)
