"""Vectors of sixty-four int16 in registers, for networks in fixed point.

LLVM splits them into what the processor has.  Whole numbers have one sum in whatever order they are
added, so every processor gives the same results.
"""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.ir as ir
from numba import types
from numba.extending import intrinsic, models, register_model

from kqj_sim.core.jit import has_instructions
from kqj_sim.core.types import Numba

WIDTH = 64

UNITS = 16
"""Totals, int32, that are as wide as half a vector."""

PAIRS_WIDTH = 2 * UNITS
"""Numbers of half a vector."""

DOT_NAME = "kqj_sim.dot"
"""Name of the function that adds products of neighbours where no instruction of x86 does."""

_SHORTS = ir.VectorType(ir.IntType(16), WIDTH)
_PAIRS = ir.VectorType(ir.IntType(16), PAIRS_WIDTH)
_TOTALS = ir.VectorType(ir.IntType(32), UNITS)
_I32, _I64 = ir.IntType(32), ir.IntType(64)


class _ShortsType(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name=f"int16x{WIDTH}")


_shorts_type = _ShortsType()


@register_model(_ShortsType)
class _ShortsModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector is an LLVM value of its own."""

    def __init__(self, manager: Numba, of_type: Numba) -> None:
        super().__init__(manager, of_type, _SHORTS)


def _point_at(
    context: Numba, builder: Numba, array_type: Numba, array: Numba, at: Numba, wanted: Numba
) -> Numba:
    """Generate a pointer to a value of an LLVM type in an array, or behind a pointer."""
    data = array
    if isinstance(array_type, types.Array):
        data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), wanted.as_pointer())


def _shuffle(builder: Numba, vector: Numba, indices: list[int]) -> Numba:
    """Generate a vector of the numbers at some indices of another."""
    mask = ir.Constant(ir.VectorType(_I32, len(indices)), indices)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


@intrinsic
def load(typingctx: Numba, array: Numba, at: Numba) -> Numba:
    """Return the numbers of a contiguous int16 array, or behind a pointer, from an index on.

    The index is not checked.
    """

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        pointer = _point_at(context, builder, signature.args[0], args[0], args[1], _SHORTS)
        return builder.load(pointer, align=2)

    return _shorts_type(array, types.int64), codegen


@intrinsic
def store(typingctx: Numba, array: Numba, at: Numba, vector: Numba) -> Numba:
    """Write a vector to a contiguous int16 array from an index on, which is not checked."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        pointer = _point_at(context, builder, signature.args[0], args[0], args[1], _SHORTS)
        builder.store(args[2], pointer, align=2)
        return context.get_dummy_value()

    return types.void(array, types.int64, _shorts_type), codegen


@intrinsic
def add(typingctx: Numba, one: Numba, other: Numba) -> Numba:
    """Return the sum of two vectors, modulo 2^16."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.add(args[0], args[1])

    return _shorts_type(_shorts_type, _shorts_type), codegen


@intrinsic
def rectify(typingctx: Numba, vector: Numba) -> Numba:
    """Return the vector with zeros in place of negative numbers."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        nothing = ir.Constant(_SHORTS, [0] * WIDTH)
        return builder.select(builder.icmp_signed(">", args[0], nothing), args[0], nothing)

    return _shorts_type(_shorts_type), codegen


def _add_products_of_pairs(builder: Numba, total: Numba, one: Numba, other: Numba) -> Numba:
    """Generate int32 (16,) plus the sums of the products of neighbours, int16 (32,) twice."""
    if has_instructions("avx512bw"):
        sums = _call_intrinsic(builder, "llvm.x86.avx512.pmaddw.d.512", _TOTALS, [one, other])
        return builder.add(total, sums)
    if has_instructions("avx2"):
        result, vectors = ir.VectorType(_I32, UNITS // 2), (one, other)
        low, high = (
            _call_intrinsic(
                builder,
                "llvm.x86.avx2.pmadd.wd",
                result,
                [
                    _shuffle(builder, vector, list(range(first, first + UNITS)))
                    for vector in vectors
                ],
            )
            for first in (0, UNITS)
        )
        return builder.add(total, _join(builder, low, high, list(range(UNITS))))
    dot = _get_dot_function(builder.module)
    parts = []
    for first in range(0, PAIRS_WIDTH, 8):
        eight = list(range(first, first + 8))
        parts.append(
            builder.call(dot, [_shuffle(builder, vector, eight) for vector in (one, other)])
        )
    low, high = (_join(builder, parts[at], parts[at + 1], list(range(8))) for at in (0, 2))
    return builder.add(total, _join(builder, low, high, list(range(UNITS))))


def _get_dot_function(module: Numba) -> Numba:
    """Return the function that adds the products of neighbours, int16 (8,) twice, to int32 (4,).

    It has a name, by which `tools/page/module.py` finds it and puts one instruction in its place.
    """
    function = module.globals.get(DOT_NAME)
    if function is None:
        eight, four = ir.VectorType(ir.IntType(16), 8), ir.VectorType(_I32, 4)
        function = ir.Function(module, ir.FunctionType(four, [eight, eight]), DOT_NAME)
        function.linkage = "linkonce_odr"
        function.attributes.add("alwaysinline")
        body = ir.IRBuilder(function.append_basic_block())
        pairs = [body.bitcast(argument, four) for argument in function.args]
        half = ir.Constant(four, [16] * 4)
        low = [body.ashr(body.shl(argument, half), half) for argument in pairs]
        high = [body.ashr(argument, half) for argument in pairs]
        body.ret(body.add(body.mul(*low), body.mul(*high)))
    return function


def _call_intrinsic(builder: Numba, name: str, result: Numba, arguments: list[Numba]) -> Numba:
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(builder.module.declare_intrinsic(name, [], function_type), arguments)


def _join(builder: Numba, one: Numba, other: Numba, indices: list[int]) -> Numba:
    """Generate a vector of the numbers at some indices of two others, one behind the other."""
    mask = ir.Constant(ir.VectorType(_I32, len(indices)), indices)
    return builder.shuffle_vector(one, other, mask)


def _sum_each(builder: Numba, vectors: list[Numba], add: Callable[..., Numba]) -> Numba:
    """Generate a vector of the sums of some vectors' numbers; their number is a power of two.

    In each vector numbers are added at distance 8, 4, 2 and 1.
    """
    width = UNITS  # Of each vector's numbers so many still wait to be added.
    while width > 1:
        half = width // 2
        joined = len(vectors) > 1
        pairs = zip(vectors[::2], vectors[1::2], strict=True) if joined else [(vectors[0],) * 2]
        count = vectors[0].type.count * (2 if joined else 1)
        low = [start + k for start in range(0, count, width) for k in range(half)]
        high = [at + half for at in low]
        vectors = [
            add(_join(builder, one, other, low), _join(builder, one, other, high))
            for one, other in pairs
        ]
        width = half
    return vectors[0]


@intrinsic(prefer_literal=True)
def write_dots(
    typingctx: Numba, totals: Numba, at: Numba, vector: Numba, matrix: Numba, start: Numba,
    bias: Numba, first: Numba, count: Numba,
) -> Numba:  # fmt: skip
    """Write a bias plus the dot product with a vector for some rows, int32 modulo 2^32.

    Args:
        totals: int32, gets the sums from `at` on.
        matrix: holds the rows from `start` on.
        bias: int32, holds the biases from `first` on.
        count: number of rows, a constant and a power of two.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None
    rows = count.literal_value

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        totals, at, vector, matrix, start, bias, first, _ = args
        kinds = signature.args
        halves = [list(range(PAIRS_WIDTH)), list(range(PAIRS_WIDTH, WIDTH))]
        products = []
        for row in range(rows):
            place = builder.add(start, ir.Constant(_I64, row * WIDTH))
            pointer = _point_at(context, builder, kinds[3], matrix, place, _SHORTS)
            numbers = builder.load(pointer, align=2)
            total = ir.Constant(_TOTALS, [0] * UNITS)
            for half in halves:
                pair = [_shuffle(builder, operand, half) for operand in (vector, numbers)]
                total = _add_products_of_pairs(builder, total, *pair)
            products.append(total)
        sums = _sum_each(builder, products, builder.add)
        pointer = _point_at(context, builder, kinds[5], bias, first, sums.type)
        sums = builder.add(sums, builder.load(pointer, align=2))
        pointer = _point_at(context, builder, kinds[0], totals, at, sums.type)
        builder.store(sums, pointer, align=4)
        return context.get_dummy_value()

    i64 = types.int64
    return types.void(totals, i64, _shorts_type, matrix, i64, bias, i64, count), codegen


@intrinsic
def find_positive(typingctx: Numba, numbers: Numba, at: Numba) -> Numba:
    """Return a mask of the positive ones among sixteen int32 from an index on."""

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        pointer = _point_at(context, builder, signature.args[0], args[0], args[1], _TOTALS)
        nothing = ir.Constant(_TOTALS, [0] * UNITS)
        positive = builder.icmp_signed(">", builder.load(pointer, align=4), nothing)
        return builder.zext(builder.bitcast(positive, ir.IntType(UNITS)), _I64)

    return types.int64(numbers, types.int64), codegen
