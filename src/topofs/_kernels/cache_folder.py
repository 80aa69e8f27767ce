"""Where compiled kernels are kept: beside them, for the user, or nowhere.

Kernels take `njit` from here: what cannot be kept, or read again, is compiled and used all the
same.
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
from numba.core.caching import FunctionCache

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["njit", "remove_temporary_folder", "settle_cache_folder"]

Function = TypeVar("Function", bound="Callable[..., Any]")

# A full disk, a folder that became read-only, files that such a disk cut off.
_FAILURES = (OSError, EOFError, pickle.UnpicklingError)


def njit(*, cache: bool, **options: Any) -> Callable[[Function], Function]:
    """Compile a function as `numba.njit` does; keep it as `KeptIfPossible` does.

    Parameters
    ----------
    cache : bool
        Whether compiled code is kept.
    **options
        Those of `numba.njit`.

    Returns
    -------
    callable
        The decorator.
    """
    config: Any = numba.config

    def compiled(function: Function) -> Function:
        dispatcher: Any = numba.njit(**options)(function)
        if cache and not config.DISABLE_JIT:
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
            except (EOFError, pickle.UnpicklingError):
                # The list of what is kept was cut off: a new one is begun.
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
