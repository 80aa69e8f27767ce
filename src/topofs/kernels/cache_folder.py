"""Where compiled kernels are kept: beside them, for the user, or nowhere."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

__all__ = ["settle_cache_folder"]


def settle_cache_folder() -> None:
    """Give numba a folder for this run where it could write compiled kernels nowhere.

    numba keeps them beside the kernels or in the user's cache, and refuses to compile where
    both are read-only, as in a container without a home. A folder that is set already
    (``NUMBA_CACHE_DIR``) stays. The folder is a new one that belongs to this process: code is
    loaded from it, so it must not be one that others can guess.
    """
    import numba
    from numba.misc import appdirs

    config: Any = numba.config
    if config.CACHE_DIR or config.DISABLE_JIT:
        return
    places: Any = appdirs
    beside_kernels = Path(__file__).parent / "__pycache__"
    of_user = Path(places.AppDirs(appname="numba", appauthor=False).user_cache_dir)
    if _is_writable(beside_kernels) or _is_writable(of_user):
        return
    folder = tempfile.mkdtemp(prefix="topofs-kernels-")
    atexit.register(_remove, folder, os.getpid())
    # In the environment for worker processes, and for numba, which has read it by now.
    os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR = folder
    warnings.warn(
        "compiled kernels cannot be kept (the installation and the user's cache are read-only), "
        "so every run compiles them anew: set NUMBA_CACHE_DIR to a folder that can be written",
        # Kernels import nothing of topofs, so the warning has no class of its own.
        UserWarning,
        stacklevel=2,
    )


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made in a folder, which is made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _remove(folder: str, owner: int) -> None:
    # A forked worker leaves it to the process that made it.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
