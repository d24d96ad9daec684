"""Code that processes left on disk: loading it is quick, and different ones' fits together."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from kqj_sim.core.dispatch import TAKE
from kqj_sim.policies.binding import bind_policy
from kqj_sim.policies.registry import find_policy

policy = find_policy(sys.argv[1])
choice, arguments = policy.compile_decision("take")
loop = bind_policy(
    TAKE, choice, policy.tuple_type, arguments, policy.name, sole_policy=True, checked=False
)
for line in loop._library.get_llvm_str().splitlines():
    if line.startswith("define") and "3clocals" in line:
        print(line.partition("@")[2].partition("(")[0])
"""


PREPARATIONS_SCRIPT = f"""
from numba.core.base import BaseContext

prepare, count = BaseContext.refresh, 0

def refresh(context):
    global count
    count += 1
    prepare(context)

BaseContext.refresh = refresh
import kqj_sim.stats.tally
{SCRIPT}
loop.address
print("prepared", count, "times")
"""


def _run(script: str, cache: Path, policy: str) -> list[str]:
    """Run a script for a policy in a new process, and return its words."""
    done = subprocess.run(
        [sys.executable, "-c", script, policy],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def _list_closures(cache: Path, policy: str) -> set[str]:
    """Return the symbols of a factory's functions in a policy's loop, compiled by a new process."""
    return set(_run(SCRIPT, cache, policy))


@pytest.mark.slow
def test_functions_of_a_factory_have_a_symbol_of_their_own_in_each_process(
    tmp_path: Path,
) -> None:
    # The linker takes equal symbols for the same code: the second policy would call as the first.
    one, other = (_list_closures(tmp_path, each) for each in ("points", "standard"))
    assert one
    assert other
    assert not one & other


@pytest.mark.slow
def test_numba_is_prepared_to_compile_only_where_something_is_not_on_disk(tmp_path: Path) -> None:
    # To prepare it takes a tenth of a second, which would be a sixth of the time of `odds`.
    first, second = (_run(PREPARATIONS_SCRIPT, tmp_path, "points")[-3:] for _ in range(2))
    assert first[0] == second[0] == "prepared"
    assert int(first[1]) > 0
    assert int(second[1]) == 0
