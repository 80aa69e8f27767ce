"""How kernels are compiled, and where compiled kernels are kept.

`njit` compiles a function as `numba.njit` does. Compiled code is kept beside the kernels, in the
user's cache, or nowhere: what cannot be kept, or read again, is compiled anew in each run.

The rest tells the compiler what the code of a kernel does not; no result depends on it. `larger`
is the larger of two numbers in a form that becomes vector instructions. `fetch_entry` and
`fetch_row` load an entry or a row of an array into the cache before it is read. `NO_REFCOUNT`
compiles a kernel that does not count references to its arrays. Numba counts the owners of every
array that is handed to a function, each with a locked instruction, and a tuple of arrays hands
over all of them: in loops of short calls, such as the growth of a graph, this is a quarter of the
time. A function that allocates no array, keeps none and returns none, not even a view, has
nothing to count; nor must anything that it calls.
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
# Files that a full disk cut off, or that name classes which are gone.
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
                # The list of what is kept cannot be read: a new one is begun.
                kept.flush()
                kept.save_overload(sig, data)
        except _FAILURES as error:
            _warn(f"{self.cache_path}: {getattr(error, 'strerror', None) or error}")


def settle_cache_folder() -> None:
    """Give numba a folder for this run where it could write compiled kernels nowhere.

    numba keeps them beside the kernels or in the user's cache, and refuses to compile where
    both are read-only, as in a container without a home. A folder that is set already
    (``NUMBA_CACHE_DIR``) stays. The folder is a new one that belongs to this process: code is
    loaded from it, so it must not be one that others can guess.
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
    # In the environment for worker processes, and for numba, which has read it by now.
    os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR = folder
    _warn("the installation and the user's cache are read-only")


_said: set[str] = set()


def _warn(reason: str) -> None:
    """Say why nothing is kept, once in a run."""
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


# Before the first kernel is decorated: each of them takes `njit` from here.
settle_cache_folder()


# No NaN occurs, and the sign of zero does not matter: without both, a running maximum cannot
# be split into lanes. The flags of a whole kernel do not reach the choice inside a loop.
_FLAGS = ("nnan", "nsz")

# Bytes of a line of the cache.
LINE = 64


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
        kind_of_fetch = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind_of_fetch)
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
