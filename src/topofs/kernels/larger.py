"""The larger of two numbers, in a form that the compiler turns into vector instructions."""

from __future__ import annotations

from typing import Any

from numba import config
from numba.extending import intrinsic

__all__ = ["larger"]

# No NaN occurs, and the sign of zero does not matter: without both, a running maximum cannot
# be split into lanes. The flags of a whole kernel do not reach the choice inside a loop.
_FLAGS = ("nnan", "nsz")


def _plain(x: Any, y: Any) -> Any:
    """Give x or y, of the same floating-point type, neither of them NaN."""
    return x if x > y else y


def _compiled(context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        exceeds = builder.fcmp_ordered(">", *values, flags=_FLAGS)
        return builder.select(exceeds, *values, flags=_FLAGS)

    return x(x, x), generate


# An intrinsic and no overload: a function of its own is inlined after loops are vectorised.
larger: Any = _plain if getattr(config, "DISABLE_JIT", False) else intrinsic(_compiled)
