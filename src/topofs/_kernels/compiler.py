"""Compilation of kernels, and the cache of compiled kernels.

`njit` compiles a function as `numba.njit` does. Compiled code is stored beside the kernels or
in the user's cache. If neither can be written or read, every run compiles the kernels again.

The rest gives hints to the compiler; no result depends on them. `larger` is the larger of two
numbers in a form that becomes vector instructions. `fetch_entry` and `fetch_row` load an entry
or a row of an array into the cache before it is read. `NO_REFCOUNT` compiles a kernel that does
not count references to its arrays. Numba counts references to every array passed to a function,
each with a locked instruction, and a tuple of arrays passes all of them. In loops of short
calls, such as the growth of a graph, this takes a quarter of the time. The option is safe for a
function that allocates, stores and returns no array, not even a view, and calls only such
functions.
"""

from __future__ import annotations

import atexit
import os
import pickle
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")

_IS_COMPILED = not getattr(config, "DISABLE_JIT", False)
# Errors of files that a full disk truncated, or that name classes that no longer exist.
_UNREADABLE = (EOFError, AttributeError, ImportError, pickle.UnpicklingError)
# A full disk, or a folder that became read-only.
_FAILURES = (OSError, *_UNREADABLE)


def njit(*, cache: bool, **options: Any) -> Callable[[Function], Function]:
    """Compile a function as `numba.njit` does; keep it as `KeptIfPossible` does."""

    def compiled(function: Function) -> Function:
        dispatcher: Any = numba.njit(**options)(function)
        if cache and _IS_COMPILED:
            try:
                kept: Any = KeptIfPossible(function)  # type: ignore[no-untyped-call]
            except RuntimeError:  # there is no folder at all
                _warn("no folder for them can be written")
            else:
                dispatcher._cache = kept  # noqa: SLF001 - as numba does
        return dispatcher

    return compiled


class KeptIfPossible(FunctionCache):
    """Compiled code of a function on disk, where it can be written and read."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Give what was kept, or None."""
        kept: Any = super()
        try:
            return kept.load_overload(sig, target_context)
        except _FAILURES:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, or say once that it cannot be kept."""
        kept: Any = super()
        try:
            try:
                kept.save_overload(sig, data)
            except _UNREADABLE:
                # The index of the cache cannot be read: start a new one.
                kept.flush()
                kept.save_overload(sig, data)
        except _FAILURES as error:
            _warn(f"{self.cache_path}: {getattr(error, 'strerror', None) or error}")


def settle_cache_folder() -> None:
    """Give numba a cache folder for this run if it could write compiled kernels nowhere else.

    numba stores them beside the kernels or in the user's cache, and refuses to compile if both
    are read-only, as in a container without a home. A folder set with ``NUMBA_CACHE_DIR`` is
    used. Otherwise this process creates a folder with an unpredictable name, because code is
    loaded from it.
    """
    from numba.misc import appdirs

    config: Any = numba.config
    if config.CACHE_DIR or config.DISABLE_JIT:
        return
    places: Any = appdirs
    beside_kernels = Path(__file__).parent / "__pycache__"
    of_user = Path(places.AppDirs(appname="numba", appauthor=False).user_cache_dir)
    if _is_writable(beside_kernels) or _is_writable(of_user):
        return
    try:
        folder = tempfile.mkdtemp(prefix="topofs-kernels-")
    except OSError:
        return
    _temporary[folder] = os.getpid()
    atexit.register(remove_temporary_folder)
    # Set it in the environment, for worker processes, and in numba, which has read that
    # already.
    os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR = folder
    _warn("the installation and the user's cache are read-only")


_said: set[str] = set()


def _warn(reason: str) -> None:
    """Warn once per run why nothing is cached."""
    if _said:
        return
    _said.add(reason)
    warnings.warn(
        f"compiled kernels cannot be kept ({reason}), so every run compiles them anew: set "
        "NUMBA_CACHE_DIR to a folder that can be written and has room",
        # Kernels import nothing of topofs, so the warning has no class of its own.
        UserWarning,
        stacklevel=3,
    )


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, which is made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


_temporary: dict[str, int] = {}
"""The folder for this run, if there is one, and the process that made it."""


def remove_temporary_folder() -> None:
    """Remove the folder for this run; a forked worker leaves it to the process that made it."""
    for folder, owner in _temporary.items():
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)


# This runs before the first kernel is decorated, because all import `njit` from here.
settle_cache_folder()


# No NaN occurs, and the sign of zero does not matter: without both, a running maximum cannot
# be split into lanes. The flags of a whole kernel do not reach the choice inside a loop.
_FLAGS = ("nnan", "nsz")

# Bytes of a cache line.
LINE = 64


def _options() -> Any:
    """An internal option of numba; without it results are the same, but slower."""
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


# An intrinsic, not an overload: an overload is inlined only after loops are vectorised.
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
        kind_of_fetch = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind_of_fetch)
        # Arguments: for reading, into all caches, data.
        flags = [number(0), number(3), number(1)]
        builder.call(fetch, [builder.bitcast(place, pointer), *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


fetch_entry: Any = intrinsic(_fetch_compiled) if _IS_COMPILED else _fetch_plain


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def fetch_row(array: Any, i: int) -> None:
    """Prefetch row i of a C-contiguous array; no value depends on it."""
    for j in range(0, array.shape[1], LINE // array.itemsize):
        fetch_entry(array, i, j)
