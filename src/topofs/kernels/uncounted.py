"""Compile kernels that make no arrays without counting references to those they get.

Numba counts the owners of every array that is handed to a function, each with a locked
instruction, and a tuple of arrays hands over all of them. Where a loop consists of short calls,
as the growth of a graph does, this is a third of its time. A function that makes no array, keeps
none and returns none has nothing to count.
"""

from __future__ import annotations

from typing import Any

from numba.core.options import DefaultOptions

__all__ = ["UNCOUNTED"]

# An option of numba's own; without it everything is as right, but slower.
UNCOUNTED: Any = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
