"""The engine on processors with fewer instructions than this one: their speed, and their rows.

`python benchmarks/processors.py` measures the processor that the variables NUMBA_CPU_NAME and
NUMBA_CPU_FEATURES tell numba of, and prints a `Processor` in JSON; `measure` runs it for each.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import Processor

AVX2 = "+avx2,+avx,+fma,+bmi,+popcnt,+lzcnt,+sse4.2"
PATHS: tuple[tuple[str, dict[str, str]], ...] = (
    ("as it is", {}),
    ("AVX2", {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": f"{AVX2},+bmi2"}),
    ("AVX2, no pdep", {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": f"{AVX2},-bmi2"}),
)
"""Names, and the variables that make numba compile for them.

The lesser ones need AVX2 themselves: elsewhere only the first is measured."""


def measure(policies: tuple[str, ...], passes: int) -> list[Processor]:
    """Measure each path in processes of its own, one in each pass; the least times count."""
    import llvmlite.binding as llvm

    paths = PATHS if llvm.get_host_cpu_features().get("avx2", False) else PATHS[:1]
    found: dict[str, Processor] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, variables in paths * passes:
            made = subprocess.run(
                [sys.executable, __file__, name, *policies],
                capture_output=True,
                check=True,
                env={**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / name), **variables},
            )
            now = msgspec.json.decode(made.stdout, type=Processor)
            before = found.get(name, now)
            least = [min(pair) for pair in zip(now.ns, before.ns, strict=True)]
            found[name] = msgspec.structs.replace(now, ns=least)
    return list(found.values())


def play(name: str, policies: list[str]) -> Processor:
    """Play two-team taking on the processor that this process compiles for."""
    from benchmarks.speed import DEALS, Nothing, least_time
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.run import reduce_rows, simulate

    found, digest = [], hashlib.sha256()
    for policy in policies:
        experiment = Experiment(players=(policy,) * 6, deals=DEALS)
        digest.update(simulate(experiment).values.tobytes())

        def engine(count: int, experiment: Experiment = experiment) -> int:
            return reduce_rows(replace(experiment, deals=count), Nothing, 1).deals

        found.append(least_time(engine, DEALS).ns)
    return Processor(name, found, digest.hexdigest())


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(play(sys.argv[1], sys.argv[2:])))
