"""The machine and the versions on which times were measured."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from kqj_sim.version import __version__


def load() -> float:
    """Return the mean number of running processes in the last minute; 0 if not known."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def has_avx512() -> bool:
    """Return True if the processor, as numba uses it, has 512-bit vectors."""
    import llvmlite.binding as llvm

    return bool(llvm.get_host_cpu_features().get("avx512f", False))


def describe() -> dict[str, str]:
    """Return the processor, the threads and the versions."""
    import llvmlite.binding as llvm
    import numba

    from kqj_sim.simulation.workers import count_processors

    vectors = "AVX-512" if has_avx512() else "no AVX-512"
    return {
        "processor": f"{_processor()} ({llvm.get_host_cpu_name()}, {vectors})",
        "threads": str(count_processors()),
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "versions": f"kqj-sim {__version__}, numba {numba.__version__}",
    }


def _processor() -> str:
    """Return the processor's name."""
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
