"""Vectors of sixteen float32 in registers, for small networks.

LLVM splits them into what the processor has.  Each operation is that of its sixteen numbers, sums
have a fixed order and nothing is fused, so every processor gives the same results.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.extending import intrinsic, models, register_model

WIDTH = 16
"""Numbers of a vector."""

_FLOATS = ir.VectorType(ir.FloatType(), WIDTH)
_I32 = ir.IntType(32)


class _VectorType(types.Type):  # type: ignore[misc]
    """The numba type of a vector."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{WIDTH}")


_vector_type = _VectorType()


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector is an LLVM value of its own."""

    def __init__(self, manager: Any, of_type: Any) -> None:
        super().__init__(manager, of_type, _FLOATS)


def _point_at(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """Where sixteen numbers of an array of float32 (or behind a pointer) are, from an index on."""
    data = array
    if isinstance(array_type, types.Array):
        data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _FLOATS.as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """The sixteen numbers at a `_point_at`."""
    return builder.load(_point_at(context, builder, array_type, array, at), align=4)


def _store(context: Any, builder: Any, array_type: Any, array: Any, at: Any, vector: Any) -> None:
    """Write a vector to a `_point_at`."""
    builder.store(vector, _point_at(context, builder, array_type, array, at), align=4)


def _shuffle(builder: Any, vector: Any, lanes: list[int]) -> Any:
    """The numbers of a vector at these places."""
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


@intrinsic
def load(typingctx: Any, array: Any, at: Any) -> Any:
    """The numbers of a contiguous float32 array from index `at` on; not checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(context, builder, signature.args[0], args[0], args[1])

    return _vector_type(array, types.int64), codegen


@intrinsic
def add(typingctx: Any, one: Any, other: Any) -> Any:
    """The sum of two vectors."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(args[0], args[1])

    return _vector_type(_vector_type, _vector_type), codegen


@intrinsic
def rectify(typingctx: Any, vector: Any) -> Any:
    """The vector with zeros in place of its negative numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_FLOATS, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[0], zero)

    return _vector_type(_vector_type), codegen


@intrinsic
def add_matrix_product(typingctx: Any, total: Any, vector: Any, matrix: Any, at: Any) -> Any:
    """`total` plus the product of a vector and the 16 x 16 matrix (by rows) from index `at` on.

    Even and odd rows are summed apart, so that one addition need not wait for the other.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = [args[0], None]
        for row in range(WIDTH):
            start = builder.add(args[3], ir.Constant(ir.IntType(64), row * WIDTH))
            weights = _load(context, builder, signature.args[2], args[2], start)
            product = builder.fmul(_shuffle(builder, args[1], [row] * WIDTH), weights)
            before = sums[row % 2]
            sums[row % 2] = product if before is None else builder.fadd(before, product)
        return builder.fadd(*sums)

    return _vector_type(_vector_type, _vector_type, matrix, types.int64), codegen


@intrinsic
def dot(typingctx: Any, one: Any, other: Any) -> Any:
    """The scalar product of two vectors; products are added at distance 8, then 4, 2 and 1."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        products = builder.fmul(args[0], args[1])
        width = WIDTH
        while width > 1:
            width //= 2
            low = _shuffle(builder, products, list(range(width)))
            high = _shuffle(builder, products, list(range(width, 2 * width)))
            products = builder.fadd(low, high)
        return builder.extract_element(products, ir.Constant(_I32, 0))

    return types.float32(_vector_type, _vector_type), codegen


@intrinsic
def store(typingctx: Any, array: Any, at: Any, vector: Any) -> Any:
    """Write a vector to a contiguous float32 array from index `at` on; not checked."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _store(context, builder, signature.args[0], args[0], args[1], args[2])
        return context.get_dummy_value()

    return types.void(array, types.int64, _vector_type), codegen


@intrinsic
def broadcast(typingctx: Any, number: Any) -> Any:
    """A vector of sixteen times a number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = builder.insert_element(
            ir.Constant(_FLOATS, ir.Undefined), args[0], ir.Constant(_I32, 0)
        )
        return _shuffle(builder, vector, [0] * WIDTH)

    return _vector_type(types.float32), codegen


@intrinsic
def multiply(typingctx: Any, one: Any, other: Any) -> Any:
    """The products of two vectors' numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(args[0], args[1])

    return _vector_type(_vector_type, _vector_type), codegen


@intrinsic
def select_where_positive(typingctx: Any, gate: Any, vector: Any) -> Any:
    """The vector with zeros where `gate` is not positive."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_FLOATS, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[1], zero)

    return _vector_type(_vector_type, _vector_type), codegen


@intrinsic
def add_outer(typingctx: Any, matrix: Any, at: Any, column: Any, row: Any) -> Any:
    """Add the outer product of two vectors to the 16 x 16 matrix (by rows) from index `at` on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for number in range(WIDTH):
            start = builder.add(args[1], ir.Constant(ir.IntType(64), number * WIDTH))
            before = _load(context, builder, signature.args[0], args[0], start)
            product = builder.fmul(_shuffle(builder, args[2], [number] * WIDTH), args[3])
            after = builder.fadd(before, product)
            _store(context, builder, signature.args[0], args[0], start, after)
        return context.get_dummy_value()

    return types.void(matrix, types.int64, _vector_type, _vector_type), codegen
