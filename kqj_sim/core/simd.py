"""Vectors of sixteen float32 in registers, for small networks.

LLVM splits them into what the processor has.  Each operation is that of its sixteen numbers, sums
have a fixed order and nothing is fused, so every processor gives the same results.

INTERNALS lists what this module uses of numba and llvmlite beyond the low-level extension API that
`core.jit` names.  Where a newer numba lacks it, a vector is an array, and the plain functions below
are compiled: they add in the same order, so the results are the same bit for bit, but each vector
is allocated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic, models, register_model

from kqj_sim.core.jit import kernel
from kqj_sim.core.numba_internals import must_be_plain
from kqj_sim.core.types import Float32Array, Kernel, Numba, Vector

INTERNALS = (
    "numba.extending.register_model",
    "numba.extending.models.PrimitiveModel",
    "numba.core.types.Type",
    "llvmlite.ir.VectorType",
    "llvmlite.ir.Undefined",
    "llvmlite.ir.IRBuilder.shuffle_vector",
    "llvmlite.ir.IRBuilder.insert_element",
    "llvmlite.ir.IRBuilder.extract_element",
    "llvmlite.ir.IRBuilder.fcmp_ordered",
)

WIDTH = 16
"""Numbers of a vector."""
_FLOATS = ir.VectorType(ir.FloatType(), WIDTH)
_I32 = ir.IntType(32)


class _VectorType(types.Type):  # type: ignore[misc]
    """The numba type of a vector."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{WIDTH}")


vector_type = _VectorType()
"""The numba type of a vector."""


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector is an LLVM value of its own."""

    def __init__(self, manager: Numba, of_type: Numba) -> None:
        super().__init__(manager, of_type, _FLOATS)


def point_at(
    context: Numba, builder: Numba, array_type: Numba, array: Numba, at: Numba, wanted: Numba
) -> Numba:
    """Generate a pointer to a value of an LLVM type in an array, or behind a pointer."""
    data = array
    if isinstance(array_type, types.Array):
        data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), wanted.as_pointer())


def _generate_load(
    context: Numba, builder: Numba, array_type: Numba, array: Numba, at: Numba
) -> Numba:
    """Generate the loading of sixteen numbers."""
    return builder.load(point_at(context, builder, array_type, array, at, _FLOATS), align=4)


def _generate_store(
    context: Numba, builder: Numba, array_type: Numba, array: Numba, at: Numba, vector: Numba
) -> None:
    """Generate the writing of a vector."""
    builder.store(vector, point_at(context, builder, array_type, array, at, _FLOATS), align=4)


def shuffle(builder: Numba, vector: Numba, indices: list[int]) -> Numba:
    """Generate a vector of the numbers at some indices of another."""
    mask = ir.Constant(ir.VectorType(_I32, len(indices)), indices)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def splat(builder: Numba, number: Numba, wanted: Numba) -> Numba:
    """Generate a vector of an LLVM type, all of whose numbers are the same."""
    nothing = ir.Constant(wanted, ir.Undefined)
    vector = builder.insert_element(nothing, number, ir.Constant(_I32, 0))
    return shuffle(builder, vector, [0] * wanted.count)


def make_loader(kind: Numba, llvm_kind: Numba, align: int) -> Numba:
    """Return a function (array, index) for kernels that loads a vector of a type.

    Args:
        kind: the vector's numba type.
        llvm_kind: its LLVM type.
        align: bytes of one of its numbers.
    """

    @intrinsic
    def load_vector(typingctx: Numba, array: Numba, at: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            pointer = point_at(context, builder, signature.args[0], args[0], args[1], llvm_kind)
            return builder.load(pointer, align=align)

        return kind(array, types.int64), codegen

    return load_vector


def make_storer(kind: Numba, llvm_kind: Numba, align: int) -> Numba:
    """Return a function (array, index, vector) for kernels that writes a vector; see
    `make_loader`."""

    @intrinsic
    def store_vector(typingctx: Numba, array: Numba, at: Numba, vector: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            pointer = point_at(context, builder, signature.args[0], args[0], args[1], llvm_kind)
            builder.store(args[2], pointer, align=align)
            return context.get_dummy_value()

        return types.void(array, types.int64, kind), codegen

    return store_vector


_load = make_loader(vector_type, _FLOATS, 4)
_store = make_storer(vector_type, _FLOATS, 4)


@intrinsic
def _add(typingctx: Numba, one: Numba, other: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.fadd(args[0], args[1])

    return vector_type(vector_type, vector_type), codegen


@intrinsic
def _rectify(typingctx: Numba, vector: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        zero = ir.Constant(_FLOATS, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[0], zero)

    return vector_type(vector_type), codegen


@intrinsic
def _add_matrix_product(
    typingctx: Numba, total: Numba, vector: Numba, matrix: Numba, at: Numba
) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        sums = [args[0], None]
        for row in range(WIDTH):
            start = builder.add(args[3], ir.Constant(ir.IntType(64), row * WIDTH))
            weights = _generate_load(context, builder, signature.args[2], args[2], start)
            product = builder.fmul(shuffle(builder, args[1], [row] * WIDTH), weights)
            before = sums[row % 2]
            sums[row % 2] = product if before is None else builder.fadd(before, product)
        return builder.fadd(*sums)

    return vector_type(vector_type, vector_type, matrix, types.int64), codegen


@intrinsic
def _dot(typingctx: Numba, one: Numba, other: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        products = builder.fmul(args[0], args[1])
        width = WIDTH
        while width > 1:
            width //= 2
            low = shuffle(builder, products, list(range(width)))
            high = shuffle(builder, products, list(range(width, 2 * width)))
            products = builder.fadd(low, high)
        return builder.extract_element(products, ir.Constant(_I32, 0))

    return types.float32(vector_type, vector_type), codegen


@intrinsic
def _broadcast(typingctx: Numba, number: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return splat(builder, args[0], _FLOATS)

    return vector_type(types.float32), codegen


@intrinsic
def _multiply(typingctx: Numba, one: Numba, other: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.fmul(args[0], args[1])

    return vector_type(vector_type, vector_type), codegen


@intrinsic
def _select_where_positive(typingctx: Numba, gate: Numba, vector: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        zero = ir.Constant(_FLOATS, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[1], zero)

    return vector_type(vector_type, vector_type), codegen


@intrinsic
def _add_outer(typingctx: Numba, matrix: Numba, at: Numba, column: Numba, row: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        for number in range(WIDTH):
            start = builder.add(args[1], ir.Constant(ir.IntType(64), number * WIDTH))
            before = _generate_load(context, builder, signature.args[0], args[0], start)
            product = builder.fmul(shuffle(builder, args[2], [number] * WIDTH), args[3])
            after = builder.fadd(before, product)
            _generate_store(context, builder, signature.args[0], args[0], start, after)
        return context.get_dummy_value()

    return types.void(matrix, types.int64, vector_type, vector_type), codegen


def internals_work() -> bool:
    """Return True if the scalar product of two vectors is right."""
    numbers = np.arange(WIDTH, dtype=np.float32)

    @kernel(cache=False)
    def square(numbers: Float32Array) -> float:
        return _dot(_load(numbers, 0), _add(_load(numbers, 0), _broadcast(np.float32(1))))

    return bool(square(numbers) == np.dot(numbers, numbers + 1))


PLAIN = must_be_plain(INTERNALS, internals_work)
"""True if vectors are arrays."""


def vector_code(fast: Kernel) -> Callable[[Callable[..., Any]], Kernel]:
    """Return a decorator that replaces a plain function by its vector code, unless PLAIN."""
    return lambda function: kernel(function, cache=False) if PLAIN else fast


@vector_code(_load)
def load(array: Float32Array, at: int) -> Vector:
    """Return the numbers of a contiguous float32 array, or behind a pointer, from an index on.

    The index is not checked.
    """
    vector = np.empty(WIDTH, np.float32)
    for k in range(WIDTH):
        vector[k] = array[at + k]
    return vector


@vector_code(_store)
def store(array: Float32Array, at: int, vector: Vector) -> None:
    """Write a vector to a contiguous float32 array from an index on, which is not checked."""
    for k in range(WIDTH):
        array[at + k] = vector[k]


@vector_code(_broadcast)
def broadcast(number: float) -> Vector:
    """Return a vector of sixteen times a number."""
    return np.full(WIDTH, np.float32(number), np.float32)


@vector_code(_add)
def add(one: Vector, other: Vector) -> Vector:
    """Return the sum of two vectors."""
    return one + other


@vector_code(_multiply)
def multiply(one: Vector, other: Vector) -> Vector:
    """Return the products of two vectors' numbers."""
    return one * other


@vector_code(_rectify)
def rectify(vector: Vector) -> Vector:
    """Return the vector with zeros in place of its negative numbers."""
    result = np.zeros(WIDTH, np.float32)
    for k in range(WIDTH):
        if vector[k] > 0:
            result[k] = vector[k]
    return result


@vector_code(_select_where_positive)
def select_where_positive(gate: Vector, vector: Vector) -> Vector:
    """Return the vector with zeros where `gate` is not positive."""
    result = np.zeros(WIDTH, np.float32)
    for k in range(WIDTH):
        if gate[k] > 0:
            result[k] = vector[k]
    return result


@vector_code(_add_matrix_product)
def add_matrix_product(total: Vector, vector: Vector, matrix: Float32Array, at: int) -> Vector:
    """Return `total` plus the product of a vector and the 16 x 16 matrix (by rows) from `at` on.

    Even and odd rows are summed apart, so that one addition need not wait for the other.
    """
    even, odd = np.empty(WIDTH, np.float32), np.empty(WIDTH, np.float32)
    for k in range(WIDTH):
        even[k] = total[k] + vector[0] * matrix[at + k]
        odd[k] = vector[1] * matrix[at + WIDTH + k]
        for row in range(2, WIDTH, 2):
            even[k] += vector[row] * matrix[at + row * WIDTH + k]
            odd[k] += vector[row + 1] * matrix[at + (row + 1) * WIDTH + k]
    return even + odd


@vector_code(_add_outer)
def add_outer(matrix: Float32Array, at: int, column: Vector, row: Vector) -> None:
    """Add the outer product of two vectors to the 16 x 16 matrix (by rows) from `at` on."""
    for number in range(WIDTH):
        for k in range(WIDTH):
            matrix[at + number * WIDTH + k] += column[number] * row[k]


@vector_code(_dot)
def dot(one: Vector, other: Vector) -> float:
    """Return the scalar product of two vectors; products are added at distance 8, 4, 2 and 1."""
    products = one * other
    width = WIDTH
    while width > 1:
        width //= 2
        for k in range(width):
            products[k] += products[width + k]
    number: float = products[0]
    return number
