"""Compile kernels that every round needs in a second process, while this one compiles the rest.

numba compiles one function at a time, whatever the threads; two processes use two processors, and
the first run ever is over sooner.  The second process leaves its kernels in the cache on disk.  If
it fails in any way, this process compiles them itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kqj_sim.core.code_cache import can_keep_code, has_cached_kernels
from kqj_sim.simulation.workers import count_processors

PROGRAM = """
import sys
sys.path[:] = {path!r}
from kqj_sim.core import round
from kqj_sim.core.jit import address_of
address_of(round.finish_rounds, round.STAGE_SIGNATURE)
if {whole_rounds}:
    round.play_deals.compile(round.PLAY_DEALS_SIGNATURE)
"""
PATIENCE = 60.0
"""Seconds to wait for the second process in the end."""


@contextmanager
def compile_elsewhere(*, whole_rounds: bool) -> Iterator[None]:
    """Have a second process compile the stage `core.round.finish_rounds` meanwhile; wait for it.

    With `whole_rounds` it compiles `core.round.play_deals`, too.  Does nothing if the stage is in
    the cache, no second processor is free, or the cache cannot be written.
    """
    useful = not is_cached() and has_free_processor() and can_keep_code()
    helper = start_process(whole_rounds) if useful else None
    if helper is None:
        yield
        return
    with helper:
        try:
            yield
            helper.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            helper.kill()


def is_cached() -> bool:
    """Return True if an earlier process left the stage in the cache."""
    return has_cached_kernels("core.round.finish_rounds")


def has_free_processor() -> bool:
    """Return True if a processor besides this process's has had nothing to do of late."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return busy < count_processors() - 1


def start_process(whole_rounds: bool) -> subprocess.Popen[bytes] | None:
    """Start the second process; return None if that is impossible."""
    # In a program with a Python inside, the executable is the program.
    if not sys.executable or hasattr(sys, "frozen"):
        return None
    quiet = subprocess.DEVNULL
    program = PROGRAM.format(path=sys.path, whole_rounds=whole_rounds)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=quiet, stdout=quiet, stderr=quiet
        )
    except OSError:
        return None
