"""Code that different processes left on disk can be loaded into one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kqj_sim.core.jit import PLAIN_VARIABLE

SCRIPT = """
import sys
from kqj_sim.core.dispatch import TAKE
from kqj_sim.policies.binding import bind_policy
from kqj_sim.policies.registry import find_policy

policy = find_policy(sys.argv[1])
choice, arguments = policy.compile_decision("take")
loop = bind_policy(
    TAKE, choice, policy.tuple_type, arguments, 0, policy.name, sole_policy=True, checked=False
)
for line in loop._library.get_llvm_str().splitlines():
    if line.startswith("define") and "3clocals" in line:
        print(line.partition("@")[2].partition("(")[0])
"""


def _list_closures(cache: Path, policy: str, plain: str) -> set[str]:
    """Return the symbols of a factory's functions in a policy's loop, compiled by a new process."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, policy],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), PLAIN_VARIABLE: plain},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("plain", ["", "1"])
def test_functions_of_a_factory_have_a_symbol_of_their_own_in_each_process(
    tmp_path: Path, plain: str
) -> None:
    # The linker takes equal symbols for the same code: the second policy would call as the first.
    one, other = (_list_closures(tmp_path, each, plain) for each in ("points", "standard"))
    assert one
    assert other
    assert not one & other
