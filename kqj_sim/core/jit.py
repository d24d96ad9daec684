"""How kernels are compiled, and where the compiled code is kept.

numba's file cache notices changes of a decorated function's own file only; an edit of a
function that it calls would give old results, silently.  So the cache folder carries a hash
of all sources of the package and of the versions of numba and Python.

Small arrays on the stack, for functions of one decision: nothing is allocated on the heap.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import llvmlite.ir as ir
import numba
import platformdirs
from numba import _dynfunc, types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from kqj_sim.core.types import Kernel, NumbaObject

PACKAGE = Path(__file__).resolve().parent.parent


def hash_sources() -> str:
    """Hash of the package's sources, as 16 digits.

    Sources are Python and TOML files: fitted numbers become constants of compiled code.
    """
    digest = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _locate_cache() -> Path:
    """The folder for this state of the sources, of numba and of Python."""
    root = numba.config.CACHE_DIR or platformdirs.user_cache_dir("kqj-sim", appauthor=False)
    state = f"{hash_sources()} {numba.__version__} {sys.version}"
    return Path(root) / f"compiled-{hashlib.sha256(state.encode()).hexdigest()[:16]}"


CACHE_FOLDER = _locate_cache()


def has_cached_kernels() -> bool:
    """True if an earlier process left compiled kernels for these sources."""
    return CACHE_FOLDER.is_dir() and any(CACHE_FOLDER.rglob("*.nbi"))


def kernel(*signature: Any, cache: bool = True, name: str | None = None, **options: Any) -> Any:
    """Decorate a function to be compiled by `numba.njit` with the package's options.

    Used as `@kernel`, `@kernel(signature)` or `@kernel(name=..., ...)`.

    Args:
        signature: nothing, the function itself, or one numba signature to compile at once.
        cache: keep the compiled code on disk.
        name: of a function that a factory makes; compiled code is kept on disk by this name.
        options: further options of `numba.njit`.
    """

    def compile_function(function: Callable[..., Any], *signature: Any) -> Any:
        if name is not None:
            function = make_forwarder(function, name)
        with _cache_folder():
            return numba.njit(*signature, cache=cache, nogil=True, error_model="numpy", **options)(
                function
            )

    if len(signature) == 1 and callable(signature[0]) and not isinstance(signature[0], types.Type):
        return compile_function(signature[0])
    return lambda function: compile_function(function, *signature)


def compile_cfunc(
    signature: NumbaObject, function: Callable[..., Any], *, cache: bool, name: str | None = None
) -> Kernel:
    """Return a function compiled by `numba.cfunc`, whose `address` compiled code can call.

    `cache` and `name` are those of `kernel`.
    """
    if name is not None:
        function = make_forwarder(function, name)
    with _cache_folder():
        return numba.cfunc(signature, cache=cache, nopython=True, error_model="numpy")(function)


@contextmanager
def _cache_folder() -> Iterator[None]:
    """Have numba keep what is decorated meanwhile in CACHE_FOLDER."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


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


def address_of(function: Any, signature: Any) -> int:
    """Compile a kernel for a signature; the address that `call_at` takes."""
    function.compile(signature)
    compiled = function.overloads[signature.args]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def make_address_caller(signature: Any) -> Any:
    """A function (address, *arguments) for kernels: it calls the kernel at an address.

    What is called so is compiled and kept apart, and not again with each of its callers.
    """

    @intrinsic
    def call_at(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, values: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(signature.return_type, signature.args)
            callee = builder.inttoptr(values[0], kind.as_pointer())
            given = [
                context.cast(builder, builder.extract_value(values[1], at), kind_given, kind_wanted)
                for at, (kind_given, kind_wanted) in enumerate(
                    zip(arguments.types, signature.args, strict=True)
                )
            ]
            _, result = convention.call_function(
                builder, callee, signature.return_type, signature.args, given
            )
            return result

        return signature.return_type(address, arguments), codegen

    return call_at


def _make_pointer_cast(dtype: Any) -> Any:
    """A function for kernels: an address as a pointer to numbers of a kind, for `numba.carray`."""

    @intrinsic
    def at(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(dtype)(types.int64), codegen

    return at


int64_at = _make_pointer_cast(types.int64)
float64_at = _make_pointer_cast(types.float64)
float32_at = _make_pointer_cast(types.float32)


@intrinsic
def mark_noalias(typingctx: Any, pointer: Any, at: Any) -> Any:
    """The int64 behind a pointer from a place on, as a pointer to memory that nothing else is in.

    A loop that goes through it may not touch that memory otherwise.  LLVM then compares no
    addresses before the loop; that took as long as the loop itself takes for a hundred deals.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        kind = ir.FunctionType(i64.as_pointer(), [i64.as_pointer(), i64])
        function = builder.module.globals.get("kqj_sim.apart")
        if function is None:
            # Not inlined, since only a call can say that what it returns is no other pointer.
            function = ir.Function(builder.module, kind, "kqj_sim.apart")
            function.linkage = "linkonce_odr"
            function.attributes.add("noinline")
            function.return_value.add_attribute("noalias")
            body = ir.IRBuilder(function.append_basic_block())
            body.ret(body.gep(function.args[0], [function.args[1]]))
        return builder.call(function, args)

    return types.CPointer(types.int64)(types.CPointer(types.int64), types.int64), codegen


def make_tuple_reader(dtype: Any) -> Any:
    """A function (array of float64, index) for kernels: its numbers from there on as a tuple.

    `dtype` is the type of the tuple.  One instruction for all: an expression with an index for each
    takes long to compile.
    """

    @intrinsic
    def read(typingctx: Any, numbers: Any, at: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            wanted = context.get_value_type(dtype).as_pointer()
            return builder.load(builder.bitcast(builder.gep(data, [args[1]]), wanted), align=8)

        return dtype(numbers, types.int64), codegen

    return read


class _InlineLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into that of kernels: machine code of its own would be never run."""

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel's library, which knows what the arguments are."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _InlineCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler, but what it makes is a `_InlineLibrary` and nothing that Python can
    call."""

    def compile_extra(self, function: Any) -> Any:
        self.state.library = _InlineLibrary(self.state.targetctx.codegen(), function.__qualname__)
        self.state.flags.no_compile = True
        made = super().compile_extra(function)
        # Kernels find the code by this; called from Python there is nothing behind it.
        name = _dynfunc.make_function(
            sys.modules[__name__], function.__name__, "", 0, made.environment, (made.library,)
        )
        self.state.targetctx.insert_user_function(name, made.fndesc, [made.library])
        return made._replace(entry_point=name)


class InlineFunction:
    """A function that is compiled into kernels, and into nothing else unless Python calls it.

    A kernel takes it for its lean dispatcher, which makes nothing that Python could call: that
    would take as long as all the rest.  If it is inlined, there are no versions of their own for
    arguments that are constants either, as LLVM makes them anyway.
    """

    def __init__(self, function: Callable[..., Any], always_inline: bool) -> None:
        self.py_func = function
        self._options: dict[str, Any] = {"forceinline": always_inline}
        self._lean_dispatcher = kernel(
            function,
            cache=False,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=_InlineCompiler,
            **self._options,
        )
        if always_inline:
            self._accept_constants()
        self._numba_type_ = self._lean_dispatcher._numba_type_
        functools.update_wrapper(self, function)

    def _accept_constants(self) -> None:
        """Have the lean dispatcher take constants for numbers like others."""
        template = self._lean_dispatcher.get_call_template

        def get_call_template(arguments: Any, named: Any) -> Any:
            named = {name: types.unliteral(given) for name, given in named.items()}
            return template(tuple(map(types.unliteral, arguments)), named)

        self._lean_dispatcher.get_call_template = get_call_template

    @cached_property
    def _python_dispatcher(self) -> Any:
        return kernel(self.py_func, cache=False, **self._options)

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        return self._python_dispatcher(*arguments)

    def get_dispatcher(self) -> Any:
        """What compiles it."""
        return self._lean_dispatcher


def compile_for(function: Any, signature: tuple[Any, ...]) -> Any:
    """Compile a part, or numba's own dispatcher, for arguments of types; the compilation result."""
    dispatcher = function.get_dispatcher() if isinstance(function, InlineFunction) else function
    dispatcher.compile(signature)
    return dispatcher.overloads[signature]


def block_loop(function: Callable[..., Any]) -> Any:
    """A loop over a block, compiled into the kernels that call it and not kept apart on disk."""
    return InlineFunction(function, always_inline=False)


def scalar(function: Callable[..., Any]) -> Any:
    """A function of one deal's numbers, compiled into the kernels that call it."""
    return InlineFunction(function, always_inline=True)


def _make_stack_allocator(dtype: Any, element: Any) -> Any:
    """A function (constant size) for kernels: room for so many numbers, not initialised."""

    def builder_of(typingctx: Any, size: Any) -> Any:
        if not isinstance(size, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            room = ir.Constant(ir.IntType(64), size.literal_value)
            return cgutils.alloca_once(builder, element, size=room)

        return types.CPointer(dtype)(size), codegen

    return intrinsic(prefer_literal=True)(builder_of)


stack_int64 = _make_stack_allocator(types.int64, ir.IntType(64))
"""Room for a constant number of int64; it is indexed like an array, and not checked."""

stack_float32 = _make_stack_allocator(types.float32, ir.FloatType())
"""Room for a constant number of float32; it is indexed like an array, and not checked."""
