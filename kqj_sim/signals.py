"""Ctrl-C, TERM and their like: the first one asks the program to stop, the second ends it at once.

Batch systems announce the end of a job's time by XCPU, USR1, USR2 or ALRM.

Python runs signal handlers in the main thread between two of its own instructions, so compiled
code that does not return would delay them for ever.  A thread reads the signals, too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

TOGETHER_SECONDS = 0.2
"""Signals that follow the first one so soon are the same request: `timeout` sends two."""

GRACE_SECONDS = 30.0
"""Time after a signal in which the program may write its results; Ctrl-C can be repeated."""

TOLD_AFTER_SECONDS = 2.0
"""Time after the first signal in which most runs end; then a line says that it was heard."""

TOLD = "Stopping after the step that runs now; Ctrl-C again ends the program at once\n"
TOLD_IN_SCRIPTS = (
    "Stopping after the step that runs now; press Ctrl-C repeatedly to leave it unfinished\n"
)

temporary_paths: set[str] = set()
"""Files and folders to remove if the process ends at once."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGUSR1", "SIGUSR2", "SIGALRM")
"""The signals; Windows has the first two."""

_REPEATED = getattr(signal, "SIGXCPU", None)
"""The signal that the system sends again each second: it is no second request."""

_handled: tuple[int, ...] = (signal.SIGINT,)
_is_program = False
_received: int | None = None


def list_stop_signals() -> tuple[int, ...]:
    """Return the signals that ask for a stop: in a library's program Ctrl-C alone."""
    return _handled


def is_program() -> bool:
    """Return True in the program, whose signals `_watch` reads, False in that of a library."""
    return _is_program


def get_exit_status() -> int:
    """Return the exit status after the signal received: 130 for Ctrl-C, 143 for TERM."""
    return 128 + (_received or signal.SIGINT)


def note_signal(number: int) -> None:
    """Remember the first signal, which determines the exit status."""
    global _received
    if _received is None:
        _received = number


def announce_stop() -> threading.Timer:
    """Say on stderr that Ctrl-C was heard, unless the timer is cancelled before."""
    text = TOLD if _is_program else TOLD_IN_SCRIPTS
    timer = threading.Timer(TOLD_AFTER_SECONDS, _write_line, (text,))
    timer.daemon = True
    timer.start()
    return timer


def handle_signals() -> None:
    """Let the first signal raise KeyboardInterrupt and the second end the process.

    Signals that the process was started to ignore (nohup) stay ignored.
    """
    global _handled, _is_program
    _is_program = True
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    _handled = tuple(n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN)
    read_end, write_end = os.pipe()
    if os.name != "nt":
        os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(read_end,), daemon=True).start()
    report = sys.unraisablehook

    def end_or_report(error: sys.UnraisableHookArgs) -> None:
        """End the process where an interruption cannot be raised, in destructors or callbacks."""
        if issubclass(error.exc_type, KeyboardInterrupt):
            end_at_once(get_exit_status())
        report(error)

    sys.unraisablehook = end_or_report
    for number in _handled:
        signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt for the first signal; `_watch` ends the process at the second."""
    if _received is not None:
        return
    note_signal(number)
    if _is_importing(frame):
        # Extension modules print an exception raised here and go on.
        end_at_once(get_exit_status())
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _watch(read_end: int) -> None:
    """End the process at the second signal, or some time after another one than Ctrl-C."""
    began: float | None = None
    while True:
        number = os.read(read_end, 1)[0]
        if number not in _handled:
            continue
        now = time.monotonic()
        if began is None:
            began = now
            if number == signal.SIGINT:
                announce_stop()
                continue
            timer = threading.Timer(GRACE_SECONDS, end_at_once, (128 + number,))
            timer.daemon = True
            timer.start()
        elif now - began > TOGETHER_SECONDS and number != _REPEATED:
            end_at_once(128 + number)


def end_at_once(status: int) -> NoReturn:
    """Remove the temporary files and end the process, whatever its threads do."""
    import shutil

    for path in [*temporary_paths]:
        with suppress(OSError):
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
    _write_line("Interrupted\n")
    os._exit(status)


def _write_line(line: str) -> None:
    """Write a line to stderr, whatever the main thread does."""
    with suppress(OSError):
        # The progress line hides the cursor.
        show_cursor = "\x1b[?25h\r\x1b[K" if os.isatty(2) else ""
        os.write(2, (show_cursor + line).encode())
