"""Whole runs are the same, to the byte, on every processor: each path is forced.

numba compiles for the processor that its variables name.  What this machine's own processor makes
is held against one with AVX2, and against one that has neither AVX nor `pdep` nor `popcnt`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import simulate
from tests.command_line import run_python

pytestmark = pytest.mark.slow

X86 = "x86_64" in llvm.get_process_triple()
AVX2 = "+avx2,+avx,+fma,+bmi,+bmi2,+popcnt,+lzcnt,+sse4.2"
PROCESSORS = {
    "AVX2": pytest.param(
        {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": AVX2},
        marks=pytest.mark.skipif(
            not (X86 and llvm.get_host_cpu_features().get("avx2")), reason="needs AVX2 itself"
        ),
    ),
    "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
}

MIXED = ("random:take=0.09", "random:take=0.09+greedy", "random:take=0.09") * 2
RUNS: dict[str, tuple[dict[str, object], tuple[str, ...], int]] = {
    "taking": ({}, MIXED, 3000),
    "learned players": ({}, ("points+network",) * 6, 300),
    "learned calls": ({"bidding": "auction"}, ("learned+network",) * 6, 300),
    "auctions": ({"bidding": "auction", "teams": 3, "partners": "random"}, ("random",) * 6, 1000),
}
"""Rules, players and number of deals."""


def hashes() -> dict[str, str]:
    found = {}
    for name, (rules, players, deals) in RUNS.items():
        rows = simulate(Experiment(KqjRules.from_dict(rules), players, deals=deals, seed=11))
        assert rows.column("taken").any()
        assert len(np.unique(rows.deal)) == deals
        found[name] = hashlib.sha256(rows.values.tobytes()).hexdigest()
    return found


@pytest.fixture(scope="module")
def own() -> dict[str, str]:
    return hashes()


@pytest.mark.parametrize("variables", PROCESSORS.values(), ids=PROCESSORS)
def test_every_processor_gives_the_same_rows(
    variables: dict[str, str], own: dict[str, str], tmp_path: Path
) -> None:
    made = run_python(__file__, variables={"NUMBA_CACHE_DIR": str(tmp_path), **variables})
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == own


if __name__ == "__main__":
    print(json.dumps(hashes()))
