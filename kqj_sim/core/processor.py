"""The processor that numba compiles for."""

from __future__ import annotations

import llvmlite.binding as llvm
import numba


def has_instructions(extension: str) -> bool:
    """Return True if compiled code may use an extension of x86, by LLVM's name, such as `avx2`."""
    features = numba.config.CPU_FEATURES
    if features is not None:
        return f"+{extension}" in features.split(",")
    if numba.config.CPU_NAME == "generic" or "x86_64" not in llvm.get_process_triple():
        return False
    return bool(llvm.get_host_cpu_features().get(extension, False))
