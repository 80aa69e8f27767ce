"""Ask for an entry or a row of an array before it is read, so that nobody waits for it then."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from topofs.kernels.uncounted import UNCOUNTED

__all__ = ["fetch_entry", "fetch_row"]

# Bytes of a line of the cache.
LINE = 64


def _plain(array: Any, i: int, j: int) -> None:
    """Do nothing."""


def _compiled(context: Any, array: Any, i: Any, j: Any) -> Any:  # noqa: ARG001
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


fetch_entry: Any = _plain if getattr(config, "DISABLE_JIT", False) else intrinsic(_compiled)


@njit(cache=True, nogil=True, **UNCOUNTED)
def fetch_row(array: Any, i: int) -> None:
    """Let the row i of a C-contiguous array come nearer; no value depends on it."""
    for j in range(0, array.shape[1], LINE // array.itemsize):
        fetch_entry(array, i, j)
