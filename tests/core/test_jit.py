"""Compilation of kernels: inline functions, registers, calls by address, instructions."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from kqj_sim.core.jit import (
    address_of,
    compile_for,
    has_instructions,
    int64_at,
    kernel,
    make_address_caller,
    make_tuple_reader,
    mark_noalias,
    scalar,
    stack_int64,
)
from tests.command_line import run_python


@scalar
def _double(number: int) -> int:
    return 2 * number


def test_inline_functions_make_nothing_that_python_calls() -> None:
    made = compile_for(_double, (types.int64,))
    code = made.library.get_llvm_str()
    assert "cpython" not in code and "cfunc" not in code, "an inline function has a wrapper"
    calling = kernel(lambda number: _double(number) + 1, cache=False)
    assert calling(4) == 9 and _double(4) == 8
    (code,) = calling.inspect_llvm().values()
    calls = [line for line in code.splitlines() if " call " in line]
    assert not any("_double" in line for line in calls), "an inline function is called, not inlined"


def test_kernels_and_inline_functions_use_the_widest_registers() -> None:
    calling = kernel(lambda number: _double(number) + 1, cache=False)
    calling(4)
    inline = compile_for(_double, (types.int64,))
    for code in (*calling.inspect_llvm().values(), inline.library.get_llvm_str()):
        assert '"prefer-vector-width"="512"' in code


def test_a_kernel_is_called_by_its_address() -> None:
    signature = types.int64(types.int64[::1], types.UniTuple(types.int64, 2))
    adding = kernel(lambda numbers, pair: numbers[1] + pair[0] * pair[1], cache=False)
    call_at = make_address_caller(signature)
    calling = kernel(lambda at, numbers: call_at(at, (numbers, (5, 6))), cache=False)
    numbers = np.array([1, 2], dtype=np.int64)
    assert calling(address_of(adding, signature), numbers) == 32


def test_the_low_level_extension_api_works() -> None:
    pair = types.UniTuple(types.float64, 2)
    read = make_tuple_reader(pair)

    def work(numbers: Any, address: int) -> Any:
        room = stack_int64(3)
        for k in range(3):
            room[k] = k + 1
        part = mark_noalias(int64_at(address), 2)
        part[0] += room[0] + room[1] + room[2]
        return read(numbers, 1)

    state = np.arange(4, dtype=np.int64)
    compiled = kernel(work, cache=False)
    assert compiled(np.array([1.0, 2.0, 3.0]), state.ctypes.data) == (2.0, 3.0)
    assert list(state) == [0, 1, 8, 3]
    (code,) = compiled.inspect_llvm().values()
    assert "noalias" in code, "llvmlite does not write that pointers do not overlap"


def test_without_compilation_there_is_one_clear_line() -> None:
    done = run_python("-c", "import kqj_sim.core.cards", variables={"NUMBA_DISABLE_JIT": "1"})
    assert done.stderr.endswith("kqj_sim runs compiled code only: unset NUMBA_DISABLE_JIT\n")


def test_a_generic_processor_is_not_asked_for_pdep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CPU_NAME", "generic")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    assert not has_instructions("bmi2")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+sse4.2,+bmi2")
    assert has_instructions("bmi2")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+sse4.2,-bmi2")
    assert not has_instructions("bmi2")
