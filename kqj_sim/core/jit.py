"""Compilation of kernels.

This module uses internals of numba, and code generated with llvmlite, that any release may change:
`pyproject.toml` names the series that the tests know.
"""

from __future__ import annotations

import functools
import inspect
import sys
import uuid
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import llvmlite.ir as ir
import numba
from numba import _dynfunc, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typeinfer import register_dispatcher
from numba.extending import intrinsic

from kqj_sim.core.code_cache import keep_on_disk
from kqj_sim.core.types import Address, Kernel, Numba

if numba.config.DISABLE_JIT:
    # Policies and stages are called by the address of their machine code, and bit operations are
    # LLVM's: neither has a Python twin.
    raise ImportError("kqj_sim runs compiled code only: unset NUMBA_DISABLE_JIT")


def kernel(
    *signature: Numba, cache: bool = True, name: str | None = None, **options: Any
) -> Kernel:
    """Decorate a function to be compiled by `numba.njit` with the package's options.

    Used as `@kernel`, `@kernel(signature)` or `@kernel(name=..., ...)`.

    Args:
        signature: nothing, the function itself, or one numba signature to compile at once.
        name: of a function that a factory makes; compiled code is kept on disk by this name.
    """

    def compile_function(function: Callable[..., Any], *signature: Numba) -> Kernel:
        if name is not None:
            function = make_forwarder(function, name)
        if not cache and function.__closure__ and "$" not in function.__qualname__:
            # Functions of one factory share their name, by which the linker finds code.  Kernels
            # that different processes left on disk would run each other's once both are loaded.
            function.__qualname__ += f"${uuid.uuid4().hex}"
        compiled = numba.njit(
            nogil=True, error_model="numpy", **{"pipeline_class": KernelCompiler} | options
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
    # The decorator `numba.cfunc` would compile it before it could be looked up on disk.
    options = {"nopython": True, "error_model": "numpy"}
    arguments = (signature.args, signature.return_type)
    compiled = CFunc(function, arguments, {}, options, pipeline_class=KernelCompiler)
    if cache:
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
            operands = [
                context.cast(builder, builder.extract_value(values[1], at), kind_given, kind_wanted)
                for at, (kind_given, kind_wanted) in enumerate(
                    zip(arguments.types, signature.args, strict=True)
                )
            ]
            # Kernels raise no exceptions, so the status is not looked at.
            convention = context.call_conv
            kind = convention.get_function_type(signature.return_type, signature.args)
            callee = builder.inttoptr(values[0], kind.as_pointer())
            _, result = convention.call_function(
                builder, callee, signature.return_type, signature.args, operands
            )
            return result

        return signature.return_type(address, arguments), codegen

    return call_at


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
        function = builder.module.globals.get("kqj_sim.noalias")
        if function is None:
            # Not inlined, since only a call can say that its result is no other pointer.
            function = ir.Function(builder.module, kind, "kqj_sim.noalias")
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


class _WideLibrary(JITCodeLibrary):  # type: ignore[misc]
    def add_ir_module(self, ir_module: Numba) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                # The set's own method would only take the attributes that llvmlite knows.
                set.add(function.attributes, _WIDE_VECTORS)
        super().add_ir_module(ir_module)


class _InlineLibrary(_WideLibrary):
    """A library without machine code: the kernel's optimisation knows the arguments."""

    def _optimize_final_module(self) -> None:
        """Do nothing."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class KernelCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler, but its results are wide libraries."""

    def compile_extra(self, function: Numba) -> Numba:
        """Compile a function."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _WideLibrary(codegen, function.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(function)


class _InlineCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler, but its results are inline libraries that Python cannot call."""

    def compile_extra(self, function: Numba) -> Numba:
        target = self.state.targetctx
        self.state.library = _InlineLibrary(target.codegen(), function.__qualname__)
        self.state.flags.no_compile = True
        result = super().compile_extra(function)
        # Kernels find the code by this name; called from Python there is nothing behind it.
        name = _dynfunc.make_function(
            sys.modules[__name__], function.__name__, "", 0, result.environment, (result.library,)
        )
        target.insert_user_function(name, result.fndesc, [result.library])
        return result._replace(entry_point=name)


class InlineFunction:
    """A function that is compiled into kernels, and into nothing else unless Python calls it.

    In a kernel it stands for its lean dispatcher, which makes no wrappers for Python: these would
    take as long to compile as all the rest.  With `always_inline` there are no separate versions
    for constant arguments either, as LLVM makes them anyway.
    """

    def __init__(self, function: Callable[..., Any], always_inline: bool) -> None:
        self.py_func = function
        self.check: Callable[..., None] | None = None
        """Called with the function and the arguments of Python; raises for wrong ones."""
        self._options: dict[str, Any] = {"forceinline": always_inline}
        functools.update_wrapper(self, function)

    # Made when needed, which is never while all kernels are found on disk.
    @cached_property
    def dispatcher(self) -> Any:
        """The dispatcher that compiles it into kernels."""
        dispatcher = kernel(
            self.py_func,
            cache=False,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=_InlineCompiler,
            **self._options,
        )
        if self._options["forceinline"]:
            _accept_constants(dispatcher)
        return dispatcher

    @property
    def _numba_type_(self) -> Numba:
        return self.dispatcher._numba_type_

    @cached_property
    def _python_dispatcher(self) -> Any:
        return kernel(self.py_func, cache=False, **self._options)

    def __call__(self, *arguments: Numba) -> Numba:
        """Compile it for Python, and call it."""
        if self.check is not None:
            self.check(self.py_func, *arguments)
        return self._python_dispatcher(*arguments)


def _accept_constants(dispatcher: Numba) -> None:
    """Have a dispatcher treat constant arguments like others."""
    template = dispatcher.get_call_template

    def get_call_template(arguments: Numba, named: Numba) -> Numba:
        named = {name: types.unliteral(kind) for name, kind in named.items()}
        return template(tuple(map(types.unliteral, arguments)), named)

    dispatcher.get_call_template = get_call_template


def compile_for(function: Kernel, signature: tuple[Numba, ...]) -> Numba:
    """Compile a function for arguments of some types and return numba's compilation result."""
    dispatcher = function.dispatcher if isinstance(function, InlineFunction) else function
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def block_loop(function: Callable[..., Any]) -> Kernel:
    """Decorate a loop over a block: it is compiled into the kernels that call it."""
    return InlineFunction(function, always_inline=False)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def scalar(function: _Function) -> _Function:
    """Decorate a function of one deal's numbers: it is inlined into the kernels that call it."""
    return cast(_Function, InlineFunction(function, always_inline=True))


def get_python_function(function: _Function) -> _Function:
    """Return the plain function that `scalar` decorates."""
    plain: _Function = cast(Any, function).py_func
    return plain


def _make_stack_allocator(dtype: Numba, element: Numba) -> Numba:
    """Return a function (constant size): an uninitialised array on the stack, indexed unchecked.

    The size is a number or a name of the caller's module: an attribute is no constant to numba.
    """

    def builder_of(typingctx: Numba, size: Numba) -> Numba:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            room = ir.Constant(ir.IntType(64), size.literal_value)
            return cgutils.alloca_once(builder, element, size=room)

        return types.CPointer(dtype)(size), codegen

    return intrinsic(prefer_literal=True)(builder_of)


stack_int32 = _make_stack_allocator(types.int32, ir.IntType(32))

stack_int64 = _make_stack_allocator(types.int64, ir.IntType(64))

stack_float32 = _make_stack_allocator(types.float32, ir.FloatType())


# The processor that numba compiles for.


def has_instructions(extension: str) -> bool:
    """Return True if compiled code may use an extension of x86, by LLVM's name, such as `avx2`."""
    features = numba.config.CPU_FEATURES
    if features is not None:
        return f"+{extension}" in features.split(",")
    if numba.config.CPU_NAME == "generic" or "x86_64" not in llvm.get_process_triple():
        return False
    return bool(llvm.get_host_cpu_features().get(extension, False))


def processor_name() -> str:
    """Return LLVM's name of the processor, such as `znver3`."""
    return str(numba.config.CPU_NAME or llvm.get_host_cpu_name())
