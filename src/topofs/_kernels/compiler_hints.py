"""What the compiler is told beyond the code of a kernel; no result depends on it.

`larger` is the larger of two numbers in a form that becomes vector instructions. `fetch_entry`
and `fetch_row` ask for an entry or a row of an array before it is read, so that nobody waits for
it then. `NO_REFCOUNT` compiles a kernel without counting references to the arrays it gets.

Numba counts the owners of every array that is handed to a function, each with a locked
instruction, and a tuple of arrays hands over all of them. Where a loop consists of short calls,
as the growth of a graph does, this is a quarter of its time. A function that allocates no array,
keeps none and returns none, not even a view, has nothing to count; nor must anything that it
calls.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from topofs._kernels.cache_folder import njit

__all__ = ["NO_REFCOUNT", "fetch_entry", "fetch_row", "larger"]

# No NaN occurs, and the sign of zero does not matter: without both, a running maximum cannot
# be split into lanes. The flags of a whole kernel do not reach the choice inside a loop.
_FLAGS = ("nnan", "nsz")

# Bytes of a line of the cache.
LINE = 64

_IS_COMPILED = not getattr(config, "DISABLE_JIT", False)


def _options() -> Any:
    """An option of numba's own; without it everything is as right, but slower."""
    try:
        from numba.core.options import DefaultOptions
    except ImportError:
        return {}
    return {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


NO_REFCOUNT: Any = _options()


def _larger_plain(x: Any, y: Any) -> Any:
    """Give x or y, of the same floating-point type, neither of them NaN."""
    return x if x > y else y


def _larger_compiled(context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        exceeds = builder.fcmp_ordered(">", *values, flags=_FLAGS)
        return builder.select(exceeds, *values, flags=_FLAGS)

    return x(x, x), generate


# An intrinsic and no overload: a function of its own is inlined after loops are vectorised.
larger: Any = intrinsic(_larger_compiled) if _IS_COMPILED else _larger_plain


def _fetch_plain(array: Any, i: int, j: int) -> None:
    """Do nothing."""


def _fetch_compiled(context: Any, array: Any, i: Any, j: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, values[0])
        place = cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
            context, builder, kind, view, [values[1], values[2]], wraparound=False
        )
        pointer, number = cgutils.voidptr_t, cgutils.int32_t
        wanted = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], wanted)
        # To be read, kept in all caches, as data.
        flags = [number(0), number(3), number(1)]
        builder.call(fetch, [builder.bitcast(place, pointer), *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


fetch_entry: Any = intrinsic(_fetch_compiled) if _IS_COMPILED else _fetch_plain


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def fetch_row(array: Any, i: int) -> None:
    """Let the row i of a C-contiguous array come nearer; no value depends on it."""
    for j in range(0, array.shape[1], LINE // array.itemsize):
        fetch_entry(array, i, j)
