"""Compile kernels without counting references to the arrays they get.

Numba counts the owners of every array that is handed to a function, each with a locked
instruction, and a tuple of arrays hands over all of them. Where a loop consists of short calls,
as the growth of a graph does, this is a quarter of its time. A function that allocates no array,
keeps none and returns none, not even a view, has nothing to count; nor must anything that it
calls.
"""

from __future__ import annotations

from typing import Any

__all__ = ["UNCOUNTED"]


def _options() -> Any:
    """An option of numba's own; without it everything is as right, but slower."""
    try:
        from numba.core.options import DefaultOptions
    except ImportError:
        return {}
    return {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


UNCOUNTED: Any = _options()
