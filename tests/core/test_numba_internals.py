"""The internals of numba that the package relies on, and the slower ways without them.

A failure here after an update of numba means slower, not wrong: `must_be_plain` then
chooses the plain way by itself, with a warning.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import warnings
from pydoc import locate
from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
import pytest
from numba import types

from kqj_sim.core import jit, simd_int16
from kqj_sim.core.jit import (
    InlineFunction,
    address_of,
    int64_at,
    kernel,
    make_address_caller,
    make_tuple_reader,
    mark_noalias,
    scalar,
    stack_int64,
)
from kqj_sim.core.numba_internals import PLAIN_VARIABLE, must_be_plain

SIMULATION = """
import kqj_sim
from kqj_sim.core.jit import PLAIN
from kqj_sim.simulation import simulate
experiment = kqj_sim.Experiment(kqj_sim.KqjRules(), deals=300, seed=5)
print(PLAIN)
print(simulate(experiment).frame().to_csv())
"""

VECTORS = """
import numpy as np
from kqj_sim.core.jit import kernel
from kqj_sim.core.simd_int16 import *
from kqj_sim.core import simd_int16

@kernel(cache=False)
def work(numbers, bias, matrix, factors, values):
    total = add(load(numbers, 0), load(numbers, 7))
    store(numbers, 3, rectify_first(total, 40))
    write_outputs(values, 1, numbers, 2, 5, bias, matrix, 9, factors, 13)

draws = np.random.default_rng(1)
numbers = draws.integers(-1 << 15, 1 << 15, 100).astype(np.int16)
bias = draws.integers(-1 << 31, 1 << 31, 16).astype(np.int32)
matrix = draws.integers(-1 << 15, 1 << 15, 9 + 13 * 32).astype(np.int16)
factors = draws.normal(size=16).astype(np.float32)
values = np.zeros(1 + GROUP, np.float32)
given = numbers.copy()
work(numbers, bias, matrix, factors, values)
print(simd_int16.PLAIN)
print(numbers.tobytes().hex(), values.tobytes().hex())

total = given[:64] + given[7:71]
total[:40] = np.maximum(total[:40], 0)
given[3:67] = total
assert (given == numbers).all()
weights = matrix[9:].reshape(13, 16, 2).transpose(0, 2, 1).reshape(26, 16)
for member in range(GROUP):
    vector = numbers[2 + 5 * member :][:26].astype(np.int64)
    totals = (bias + vector @ weights.astype(np.int64)).astype(np.int32)
    products = np.maximum(totals, 0).astype(np.float32) * factors
    while products.size > 1:
        products = products[: products.size // 2] + products[products.size // 2 :]
    assert values[1 + member] == products[0]
"""


def _run(program: str, plain: bool, **variables: str) -> str:
    environment = os.environ | ({PLAIN_VARIABLE: "1"} if plain else {}) | variables
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("name", [*jit.INTERNALS, *simd_int16.INTERNALS])
def test_numba_has_what_is_used_of_it(name: str) -> None:
    assert locate(name) is not None, (
        f"numba {numba.__version__} has no {name}: adapt core/jit.py or core/simd_int16.py"
    )


@scalar
def _double(number: int) -> int:
    return 2 * number


def test_inline_functions_make_nothing_that_python_calls() -> None:
    assert isinstance(_double, InlineFunction), "this numba makes the package run the plain way"
    made = jit.compile_for(_double, (types.int64,))
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
    inline = jit.compile_for(_double, (types.int64,))
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


def test_a_missing_internal_makes_the_package_plain_with_one_warning() -> None:
    with pytest.warns(RuntimeWarning, match=r"it has no numba\.core\.gone.*slower") as seen:
        assert must_be_plain(["numba.types", "numba.core.gone"], lambda: True)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (lambda: False, "its internals give other results"),
        (lambda: 1 / 0, "its internals have changed .ZeroDivisionError"),
    ],
)
def test_an_unknown_numba_is_tried_out(
    work: Any, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    with pytest.warns(RuntimeWarning, match=f"numba 0.99.0 .*{reason}"):
        assert must_be_plain(jit.INTERNALS, work)


@pytest.mark.parametrize("module", [jit, simd_int16])
def test_an_unknown_numba_that_works_stays_fast(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not must_be_plain(module.INTERNALS, module.internals_work)


PROCESSORS = {
    "AVX2": {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+avx,+sse4.2"},
    "no vectors of integers": {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "+sse4.2"},
}
"""Variables that make numba compile for a processor."""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="processors of x86")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_vectors_of_integers_are_the_same_on_lesser_processors(processor: str) -> None:
    assert _run(VECTORS, plain=False) == _run(VECTORS, plain=False, **PROCESSORS[processor])


def test_plain_vectors_have_the_same_bits() -> None:
    fast, plain = _run(VECTORS, plain=False), _run(VECTORS, plain=True)
    assert fast.splitlines()[0] == "False" and plain.splitlines()[0] == "True"
    assert fast.splitlines()[1] == plain.splitlines()[1]


@pytest.mark.slow
def test_the_plain_way_gives_the_same_rows() -> None:
    (fast, *rows), (plain, *others) = (
        _run(SIMULATION, plain=plain).splitlines() for plain in (False, True)
    )
    assert (fast, plain) == ("False", "True") and len(rows) > 300
    assert rows == others


def test_without_compilation_there_is_one_clear_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import kqj_sim.core.cards"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr.endswith("kqj_sim runs compiled code only: unset NUMBA_DISABLE_JIT\n")


def test_llvmlite_has_vectors_of_sixteen() -> None:
    assert str(ir.VectorType(ir.FloatType(), simd_int16.UNITS)) == "<16 x float>"


def test_array_functions_come_without_linear_algebra_until_it_is_needed() -> None:
    program = """
import sys
from kqj_sim.core.jit import kernel
import numpy as np

@kernel(cache=False)
def add(numbers):
    return numbers.sum()

@kernel(cache=False)
def multiply(one, other):
    return np.dot(one, other)

numbers = np.arange(4.0)
print(add(numbers), "scipy.linalg" in sys.modules)
print(multiply(numbers, numbers), "scipy.linalg" in sys.modules)
"""
    assert _run(program, plain=False).split() == ["6.0", "False", "14.0", "True"]
