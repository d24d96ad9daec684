"""Compilation of kernels.

INTERNALS lists what this module uses of numba that numba does not document.  Where a newer numba
lacks it, or it does not work as it did, the package runs without it, slower, after one warning
(`must_be_plain`): inline functions become plain `njit` functions, and functions called by address
become C functions.  Further internals are part of numba's low-level extension API, which compiled
code cannot do without: `intrinsic`, `Context.make_array`, `get_value_type`, `cast`,
`get_dummy_value`, `cgutils.alloca_once` and `alloca_once_value`, and llvmlite's `ir.IRBuilder`.
"""

from __future__ import annotations

import functools
import inspect
import sys
import uuid
from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.ir as ir
import numba
from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.typeinfer import register_dispatcher
from numba.extending import intrinsic

from kqj_sim.core import array_functions as _array_functions  # noqa: F401
from kqj_sim.core.code_cache import keep_on_disk
from kqj_sim.core.numba_internals import must_be_plain
from kqj_sim.core.types import Address, Kernel, Numba

if numba.config.DISABLE_JIT:
    # Policies and stages are called by the address of their machine code, and bit operations are
    # LLVM's: neither has a Python twin.
    raise ImportError("kqj_sim runs compiled code only: unset NUMBA_DISABLE_JIT")

INTERNALS = (
    # Inline functions: code that is linked into kernels only.
    "numba._dynfunc.make_function",
    "numba.core.codegen.JITCodeLibrary._optimize_final_module",
    "numba.core.codegen.JITCodeLibrary._finalize_final_module",
    "numba.core.codegen.JITCodeLibrary._finalize_dynamic_globals",
    "numba.core.codegen.JITCodeLibrary._verify_declare_only_symbols",
    "numba.core.codegen.JITCodeLibrary.add_ir_module",
    "numba.core.codegen.JITCodeLibrary.enable_object_caching",
    "numba.core.compiler.Compiler.compile_extra",
    "numba.core.compiler.CompileResult.entry_point",
    "numba.core.compiler.Flags.no_compile",
    "numba.core.base.BaseContext.insert_user_function",
    "numba.core.dispatcher.Dispatcher.get_call_template",
    "numba.core.dispatcher.Dispatcher._numba_type_",
    # Calls by address: numba's own calling convention.
    "numba.core.callconv.CPUCallConv.get_function_type",
    "numba.core.callconv.CPUCallConv.call_function",
    "numba.core.codegen.JITCodeLibrary.get_pointer_to_function",
    "numba.core.funcdesc.FunctionDescriptor.llvm_func_name",
)


def kernel(
    *signature: Numba, cache: bool = True, name: str | None = None, **options: Any
) -> Kernel:
    """Decorate a function to be compiled by `numba.njit` with the package's options.

    Used as `@kernel`, `@kernel(signature)` or `@kernel(name=..., ...)`.

    Args:
        signature: nothing, the function itself, or one numba signature to compile at once.
        cache: keep the compiled code on disk.
        name: of a function that a factory makes; compiled code is kept on disk by this name.
        options: further options of `numba.njit`.
    """

    def compile_function(function: Callable[..., Any], *signature: Numba) -> Kernel:
        if name is not None:
            function = make_forwarder(function, name)
        if not cache and function.__closure__ and "$" not in function.__qualname__:
            # Functions of one factory share their name, by which the linker finds code.  Kernels
            # that different processes left on disk would run each other's once both are loaded.
            function.__qualname__ += f"${uuid.uuid4().hex}"
        compiled = numba.njit(
            nogil=True, error_model="numpy", **{"pipeline_class": _make_compiler} | options
        )(function)
        if cache:
            keep_on_disk(compiled, function)
        if signature:
            # A kernel may call itself, by a name that stands for nothing yet.
            with register_dispatcher(compiled):
                compiled.compile(*signature)
            compiled.disable_compile()
        return compiled

    if len(signature) == 1 and callable(signature[0]) and not isinstance(signature[0], types.Type):
        return compile_function(signature[0])
    return lambda function: compile_function(function, *signature)


def compile_cfunc(
    signature: Numba, function: Callable[..., Any], *, cache: bool, name: str | None = None
) -> Kernel:
    """Return a function compiled by `numba.cfunc`, whose `address` compiled code can call.

    `cache` and `name` are those of `kernel`.
    """
    if name is not None:
        function = make_forwarder(function, name)
    options = {"nopython": True, "error_model": "numpy"}
    if not cache:
        return numba.cfunc(signature, pipeline_class=_make_compiler, **options)(function)
    # The decorator would compile it before anything else could be said.
    compiled = CFunc(function, (signature.args, signature.return_type), {}, options, _make_compiler)
    keep_on_disk(compiled, function)
    compiled.compile()
    return compiled


def make_forwarder(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a plain function of a name that only calls `function`, which is compiled into it.

    A function that a factory makes is a closure.  numba finds the compiled code of a closure on
    disk by its pickled cells, which for compiled functions are others in each process.  A forwarder
    has no cells, so it is found by its name, which therefore must be unique.
    """
    parameters = ", ".join(inspect.signature(function).parameters)
    source = f"def forward({parameters}):\n    return function({parameters})\n"
    names: dict[str, Any] = {"__name__": __name__, "function": block_loop(function)}
    # numba wants a file on disk behind a function that it keeps.
    exec(compile(source, __file__, "exec"), names)
    forwarder: Callable[..., Any] = names["forward"]
    forwarder.__name__ = forwarder.__qualname__ = name
    forwarder.__doc__ = function.__doc__
    return forwarder


def address_of(function: Kernel, signature: Numba) -> Address:
    """Compile a kernel for a signature and return the address that `make_address_caller` calls."""
    if PLAIN:
        arguments = _make_argument_reader(types.Tuple(signature.args))

        def call(pointer: Numba) -> Numba:
            return function(*arguments(pointer))

        name = f"at_address_{function.__module__}_{function.__qualname__}"
        entry = compile_cfunc(signature.return_type(types.voidptr), call, cache=True, name=name)
        _kept.append(entry)
        return int(entry.address)
    function.compile(signature)
    compiled = function.overloads[signature.args]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def make_address_caller(signature: Numba) -> Kernel:
    """Return a function (address, (arguments)) for kernels that calls the kernel at an address.

    A kernel called so is compiled once, not again with each of its callers.
    """

    @intrinsic
    def call_at(typingctx: Numba, address: Numba, arguments: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, _: Numba, values: Numba) -> Numba:
            given = [
                context.cast(builder, builder.extract_value(values[1], at), kind_given, kind_wanted)
                for at, (kind_given, kind_wanted) in enumerate(
                    zip(arguments.types, signature.args, strict=True)
                )
            ]
            call = _call_by_c_convention if PLAIN else _call_by_numba_convention
            return call(context, builder, signature, values[0], given)

        return signature.return_type(address, arguments), codegen

    return call_at


def _call_by_numba_convention(
    context: Numba, builder: Numba, signature: Numba, address: Numba, arguments: list[Numba]
) -> Numba:
    """Generate the call of a kernel at an address; kernels raise no exceptions."""
    convention = context.call_conv
    kind = convention.get_function_type(signature.return_type, signature.args)
    callee = builder.inttoptr(address, kind.as_pointer())
    _, result = convention.call_function(
        builder, callee, signature.return_type, signature.args, arguments
    )
    return result


def _call_by_c_convention(
    context: Numba, builder: Numba, signature: Numba, address: Numba, arguments: list[Numba]
) -> Numba:
    """Generate the call of a C function with a pointer to the arguments, see `address_of`."""
    packed = context.make_tuple(builder, types.Tuple(signature.args), arguments)
    byte = ir.IntType(8).as_pointer()
    pointer = builder.bitcast(cgutils.alloca_once_value(builder, packed), byte)
    nothing = signature.return_type == types.void
    result_type = ir.VoidType() if nothing else context.get_value_type(signature.return_type)
    kind = ir.FunctionType(result_type, [byte])
    result = builder.call(builder.inttoptr(address, kind.as_pointer()), [pointer])
    return context.get_dummy_value() if nothing else result


def _make_argument_reader(arguments: Numba) -> Kernel:
    """Return a function (pointer) for kernels that reads a tuple of arguments behind it."""

    @intrinsic
    def read(typingctx: Numba, pointer: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            kind = context.get_value_type(arguments).as_pointer()
            value = builder.load(builder.bitcast(args[0], kind))
            context.nrt.incref(builder, arguments, value)
            return value

        return arguments(types.voidptr), codegen

    return read


_kept: list[Kernel] = []
"""Functions whose addresses are in use."""


def _make_pointer_cast(dtype: Numba) -> Numba:
    """Return a function (address) for kernels that gives a pointer to numbers of a type."""

    @intrinsic
    def at(typingctx: Numba, address: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(dtype)(types.int64), codegen

    return at


int16_at = _make_pointer_cast(types.int16)
int32_at = _make_pointer_cast(types.int32)
int64_at = _make_pointer_cast(types.int64)
float64_at = _make_pointer_cast(types.float64)
float32_at = _make_pointer_cast(types.float32)


@intrinsic
def mark_noalias(typingctx: Numba, pointer: Numba, at: Numba) -> Numba:
    """Return a pointer to the int64 from index `at` on, to memory that nothing else points to.

    A loop that uses it must not touch that memory otherwise.  LLVM then compares no addresses
    before the loop, which took as long as the loop itself takes for a hundred deals.
    """

    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        i64 = ir.IntType(64)
        kind = ir.FunctionType(i64.as_pointer(), [i64.as_pointer(), i64])
        function = builder.module.globals.get("kqj_sim.apart")
        if function is None:
            # Not inlined, since only a call can say that its result is no other pointer.
            function = ir.Function(builder.module, kind, "kqj_sim.apart")
            function.linkage = "linkonce_odr"
            function.attributes.add("noinline")
            function.return_value.add_attribute("noalias")
            body = ir.IRBuilder(function.append_basic_block())
            body.ret(body.gep(function.args[0], [function.args[1]]))
        result = builder.call(function, args)
        # LLVM takes such memory for new, and drops what is written to it and not read again.
        # Assembler that might keep the pointer prevents that.
        use = ir.FunctionType(ir.VoidType(), [i64.as_pointer()])
        builder.asm(use, "", "r", [result], side_effect=True)
        return result

    return types.CPointer(types.int64)(types.CPointer(types.int64), types.int64), codegen


def make_tuple_reader(dtype: Numba) -> Numba:
    """Return a function (array of float64, index) for kernels that reads a tuple from an index on.

    `dtype` is the type of the tuple.  One instruction reads it; an expression with an index for
    each number takes long to compile.
    """

    @intrinsic
    def read(typingctx: Numba, numbers: Numba, at: Numba) -> Numba:
        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            wanted = context.get_value_type(dtype).as_pointer()
            return builder.load(builder.bitcast(builder.gep(data, [args[1]]), wanted), align=8)

        return dtype(numbers, types.int64), codegen

    return read


_WIDE_VECTORS = '"prefer-vector-width"="512"'
"""Attribute of LLVM functions whose loops use the widest registers that the processor has.

For Intel's processors with AVX-512 LLVM prefers half the width, which protects their clock in
programs with little vector code.  Here a deal takes a fifth less time with all of it.
"""


@functools.cache
def _define_compilers() -> tuple[Numba, Numba]:
    """Return two compilers: of kernels, and of code that is linked into kernels and has no machine
    code of its own."""
    from numba import _dynfunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class WideLibrary(JITCodeLibrary):  # type: ignore[misc]
        """A library whose functions use the widest registers."""

        def add_ir_module(self, ir_module: Numba) -> None:
            """Add the functions of a module."""
            for function in ir_module.functions:
                if not function.is_declaration:
                    # The set's own method would only take the attributes that llvmlite knows.
                    set.add(function.attributes, _WIDE_VECTORS)
            super().add_ir_module(ir_module)

    class InlineLibrary(WideLibrary):
        """A library that leaves optimisation to the kernel's, which knows the arguments."""

        def _optimize_final_module(self) -> None:
            """Do nothing."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    class KernelCompiler(Compiler):  # type: ignore[misc]
        """numba's compiler, but its results are wide libraries."""

        def compile_extra(self, function: Numba) -> Numba:
            codegen = self.state.targetctx.codegen()
            self.state.library = WideLibrary(codegen, function.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)

    class InlineCompiler(Compiler):  # type: ignore[misc]
        """numba's compiler, but its results are inline libraries that Python cannot call."""

        def compile_extra(self, function: Numba) -> Numba:
            target = self.state.targetctx
            self.state.library = InlineLibrary(target.codegen(), function.__qualname__)
            self.state.flags.no_compile = True
            made = super().compile_extra(function)
            # Kernels find the code by this name; called from Python there is nothing behind it.
            name = _dynfunc.make_function(
                sys.modules[__name__], function.__name__, "", 0, made.environment, (made.library,)
            )
            target.insert_user_function(name, made.fndesc, [made.library])
            return made._replace(entry_point=name)

    return KernelCompiler, InlineCompiler


def _make_compiler(*arguments: Numba) -> Numba:
    """Make the compiler of a kernel; defined late, since most processes compile nothing."""
    if PLAIN:
        from numba.core.compiler import Compiler

        return Compiler(*arguments)
    return _define_compilers()[0](*arguments)


def _make_inline_compiler(*arguments: Numba) -> Numba:
    """Make the compiler of an inline function."""
    return _define_compilers()[1](*arguments)


class InlineFunction:
    """A function that is compiled into kernels, and into nothing else unless Python calls it.

    In a kernel it stands for its lean dispatcher, which makes no wrappers for Python: these would
    take as long to compile as all the rest.  With `always_inline` there are no separate versions
    for constant arguments either, as LLVM makes them anyway.
    """

    def __init__(self, function: Callable[..., Any], always_inline: bool) -> None:
        self.py_func = function
        self._options: dict[str, Any] = {"forceinline": always_inline}
        functools.update_wrapper(self, function)

    # Made when needed, which is never while all kernels are found on disk.
    @cached_property
    def _lean_dispatcher(self) -> Any:
        dispatcher = kernel(
            self.py_func,
            cache=False,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=_make_inline_compiler,
            **self._options,
        )
        if self._options["forceinline"]:
            _accept_constants(dispatcher)
        return dispatcher

    @property
    def _numba_type_(self) -> Numba:
        return self._lean_dispatcher._numba_type_

    @cached_property
    def _python_dispatcher(self) -> Any:
        return kernel(self.py_func, cache=False, **self._options)

    def __call__(self, *arguments: Numba) -> Numba:
        """Compile it for Python, and call it."""
        return self._python_dispatcher(*arguments)

    def get_dispatcher(self) -> Any:
        """Return the dispatcher that compiles it into kernels."""
        return self._lean_dispatcher


def _accept_constants(dispatcher: Numba) -> None:
    """Have a dispatcher treat constant arguments like others."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Numba, named: Numba) -> Numba:
        named = {name: types.unliteral(given) for name, given in named.items()}
        return template(tuple(map(types.unliteral, arguments)), named)

    dispatcher.get_call_template = get_call_template


def compile_for(function: Kernel, signature: tuple[Numba, ...]) -> Numba:
    """Compile a function for arguments of some types and return numba's compilation result."""
    dispatcher = function.get_dispatcher() if isinstance(function, InlineFunction) else function
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def block_loop(function: Callable[..., Any]) -> Kernel:
    """Decorate a loop over a block: it is compiled into the kernels that call it."""
    return kernel(function, cache=False) if PLAIN else InlineFunction(function, False)


def scalar(function: Callable[..., Any]) -> Kernel:
    """Decorate a function of one deal's numbers: it is inlined into the kernels that call it."""
    return kernel(function, cache=False) if PLAIN else InlineFunction(function, True)


def internals_work() -> bool:
    """Return True if an inline function and a call by address give the right result."""

    def add(one: int, other: int) -> int:
        return one + other

    inline = InlineFunction(add, always_inline=True)
    signature = types.int64(types.int64, types.int64)
    summing = kernel(lambda one, other: inline(one, other), cache=False)
    address = address_of(summing, signature)
    call_at = make_address_caller(signature)
    calling = kernel(lambda at, one, other: call_at(at, (one, other)), cache=False)
    return bool(calling(address, 1, 2) == 3)


PLAIN = False
PLAIN = must_be_plain(INTERNALS, internals_work)
"""True if the module does without INTERNALS."""


def _make_stack_allocator(dtype: Numba, element: Numba) -> Numba:
    """Return a function (constant size) for kernels: an uninitialised array on the stack."""

    def builder_of(typingctx: Numba, size: Numba) -> Numba:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            room = ir.Constant(ir.IntType(64), size.literal_value)
            return cgutils.alloca_once(builder, element, size=room)

        return types.CPointer(dtype)(size), codegen

    return intrinsic(prefer_literal=True)(builder_of)


stack_int16 = _make_stack_allocator(types.int16, ir.IntType(16))
"""An array of a constant number of int16 on the stack, indexed without checks."""

stack_int64 = _make_stack_allocator(types.int64, ir.IntType(64))
"""An array of a constant number of int64 on the stack, indexed without checks."""

stack_float32 = _make_stack_allocator(types.float32, ir.FloatType())
"""An array of a constant number of float32 on the stack, indexed without checks."""
