"""Small arrays on the stack, for functions of one decision: nothing is allocated on the heap."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _on_stack(kind: Any, element: Any) -> Any:
    """A function (constant size) for kernels: room for so many numbers, not initialised."""

    def builder_of(typingctx: Any, size: Any) -> Any:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            room = ir.Constant(ir.IntType(64), size.literal_value)
            return cgutils.alloca_once(builder, element, size=room)

        return types.CPointer(kind)(size), codegen

    return intrinsic(prefer_literal=True)(builder_of)


stack_int64 = _on_stack(types.int64, ir.IntType(64))
"""Room for a constant number of int64; it is indexed like an array, and not checked."""

stack_float32 = _on_stack(types.float32, ir.FloatType())
"""Room for a constant number of float32; it is indexed like an array, and not checked."""
