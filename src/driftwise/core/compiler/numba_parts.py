"""Private parts of Numba, each behind a function that says what it needs of them.

Numba promises to keep none of this, hence its highest version in `pyproject.toml`; the rest of the
package uses `numba` and `numba.extending` only. What builds code is called by the compiler, with its
context and the builder of the function at work.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, event
from numba.core.caching import _Cache as Cache  # the base of what a dispatcher has as its `_cache`
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.errors import TypingError  # what the compiler explains to its caller
from numba.core.runtime import _nrt_python
from numba.core.serialize import dumps
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, register_model

__all__ = [
    "Cache", "CompiledWithCallers", "TypingError", "array_struct", "call_intrinsic", "item_of", "keep_in",
    "kept_for", "layer_of", "machine_of", "methods_by_class", "packed", "unpacked", "when_compiling",
    "without_owner",
]  # fmt: skip

# Methods of named tuples.


class _Bound(types.BoundFunction):  # type: ignore[misc]  # numba has no types
    """The type of a method of one class, bound to a named tuple.

    Needs that the compiler hands what a bound function is bound to on as its first argument, and
    that the key of a compiled function leads to its code.
    """

    def __init__(self, function: Any, this: Any) -> None:
        self.function, self.this = function, this
        types.Opaque.__init__(self, f"{function.dispatcher.py_func.__qualname__} of {this}")

    @property
    def key(self) -> Any:
        return self.function, self.this

    def copy(self, this: Any) -> _Bound:
        return _Bound(self.function, this)

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        return self.function.get_call_type(context, (self.this, *args), kws).as_method()

    def get_call_signatures(self) -> Any:
        return self.function.get_call_signatures()

    def get_impl_key(self, sig: Any) -> Any:
        return self.function.get_impl_key(sig)


@register_model(_Bound)  # type: ignore[untyped-decorator]  # numba has no types
def _model(manager: Any, kind: _Bound) -> Any:
    return manager[kind.this]  # there is nothing but the named tuple


def methods_by_class(
    find: Callable[[type[Any], str], Callable[..., Any] | None], **options: Any
) -> None:
    """Let compiled code call the methods of named tuples that ``find(class, name)`` returns.

    Where it returns None, Numba looks for a field. Needs that what is declared for the types of
    named tuples is asked before what is declared for their base, which is how Numba finds fields.
    """

    @cache
    def compiled(method: Callable[..., Any]) -> Any:
        return njit(no_cpython_wrapper=True, **options)(method)

    def resolve(_: Any, this: Any, name: str) -> _Bound | None:
        method = find(this.instance_class, name)
        return None if method is None else _Bound(types.Dispatcher(compiled(method)), this)

    for kind in (types.NamedTuple, types.NamedUniTuple):
        members = {"key": kind, "generic_resolve": resolve}
        infer_getattr(type("MethodsByClass", (AttributeTemplate,), members))


# Machine code.


class _Part(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a rule and of what it calls, as LLVM reads it, to be linked into that of its callers.

    Needs that a library is linked first, then finished by what is overridden here.
    """

    def _optimize_final_module(self) -> None:
        pass  # LLVM does that where all is linked

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # null: there is no machine code

    @property
    def codegen(self) -> _Part:
        return self  # which is asked for `set_env` alone

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: that is for what is called from Python."""


class CompiledWithCallers(Compiler):  # type: ignore[misc]  # numba has no types
    """The compiler for what only compiled code calls: it ends before LLVM makes machine code.

    Numba makes machine code of every function, with all that it calls inlined. Of rules that call rules
    LLVM would do the innermost once for each of those around it, and nobody would ever run that. Needs
    that the compiler makes no library where there is one.
    """

    def compile_extra(self, function: Any) -> Any:
        """Compile a function as a part of others."""
        self.state.library = _Part(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


def keep_in(compiled: Any, kept: Cache) -> None:
    """Let a compiled function look for its machine code somewhere: its field ``_cache``."""
    compiled._cache = kept


def kept_for(compiled: Any) -> tuple[Any, Any]:
    """Return where a compiled function looks for its machine code, and the code generator it has."""
    return compiled._cache, compiled.targetctx.codegen()


def machine_of(codegen: Any) -> object:
    """Return what machine code is made for: the processor and what it can do."""
    return codegen.magic_tuple()


def packed(result: Any) -> bytes | None:
    """Return a compiled function, to be kept as bytes; None if it holds on to this process.

    Needs the parts that Numba's own cache keeps of a result, `_reduce`, and the module of LLVM that
    the machine code was made from, `_final_module`, which tells what that refers to.
    """
    if result.lifted or result.library.has_dynamic_globals:
        return None
    return bytes(dumps((_symbols_of(result.library), result._reduce())))


def unpacked(kept: bytes, target_context: Any) -> Any:
    """Return the compiled function of which `packed` made bytes."""
    symbols, parts = pickle.loads(kept)
    _supply(symbols, target_context)
    return CompileResult._rebuild(target_context, *parts)


def _symbols_of(library: Any) -> list[str]:
    """Return the names of all that machine code refers to outside itself."""
    module = library._final_module
    outside = (
        part.name
        for part in chain(module.functions, module.global_variables)
        if part.is_declaration
    )
    return sorted(name for name in outside if not name.startswith("llvm."))


def _supply(symbols: Iterable[str], target_context: Any) -> None:
    """Load what machine code refers to; a reference that leads nowhere would end the process.

    Numba's own cache loads the whole compiler each time, and SciPy with it where that is installed:
    as long again as to import Numba.
    """
    # Of Numba's runtime, what is written in C. What is compiled, which takes a while, is part of all
    # machine code that uses it.
    for name, address in _nrt_python.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    if not all(llvmlite.binding.address_of_symbol(name) for name in symbols):
        target_context.refresh()


def when_compiling(begun: Callable[[str, Any], None], ended: Callable[[], None]) -> None:
    """Have functions called when a compilation begins, with name and types of arguments, and ends.

    Needs the events that Numba documents, and the names of what they carry.
    """

    class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: Any) -> None:
            begun(event.data["dispatcher"].py_func.__name__, event.data["args"])

        def on_end(self, event: Any) -> None:
            ended()

    event.register("numba:compile", Listener())


# Arrays and calls, while code is built.


def array_struct(context: Any, builder: Any, kind: types.Array, value: Any = None) -> Any:
    """Return the struct of an array, to read or to fill in.

    Of its fields, data, shape and strides are needed, and meminfo and parent, which own it.
    """
    return context.make_array(kind)(context, builder, value)


def without_owner(context: Any, builder: Any, kind: types.Array, value: Any) -> Any:
    """Return the same array with nobody whose references are counted."""
    array = array_struct(context, builder, kind, value)
    array.meminfo = array.meminfo.type(None)
    array.parent = array.parent.type(None)
    return array._getvalue()


def layer_of(context: Any, builder: Any, kind: types.Array, value: Any, index: Any) -> Any:
    """Return ``array[index]``, for an array of two axes or more, as a view without an owner."""
    from numba.np.arrayobj import populate_array  # a part of the compiler, loaded with it

    whole = array_struct(context, builder, kind, value)
    shape = cgutils.unpack_tuple(builder, whole.shape, kind.ndim)
    strides = cgutils.unpack_tuple(builder, whole.strides, kind.ndim)
    view = array_struct(context, builder, kind.copy(ndim=kind.ndim - 1))
    populate_array(
        view,
        data=cgutils.pointer_add(builder, whole.data, builder.mul(index, strides[0])),
        shape=shape[1:],
        strides=strides[1:],
        itemsize=whole.itemsize,
        meminfo=None,  # without an owner there is nothing to count
    )
    return view._getvalue()


def item_of(
    context: Any, builder: Any, kind: types.Array, array: Any, indices: Sequence[Any]
) -> Any:
    """Return the number at some indices, none of them negative; ``array`` is an `array_struct`."""
    return builder.load(cgutils.get_item_pointer(context, builder, kind, array, indices))


def call_intrinsic(builder: Any, name: str, argument: Any) -> Any:
    """Return what a function of LLVM gives for one value: a value of the same type."""
    kind = ir.FunctionType(argument.type, [argument.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [argument])
