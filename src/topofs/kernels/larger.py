"""The larger of two numbers, in a form that the compiler turns into vector instructions."""

from __future__ import annotations

from typing import Any

from numba.extending import intrinsic, overload

__all__ = ["larger"]

# No NaN occurs, and the sign of zero does not matter: without both, a running maximum cannot
# be split into lanes. The flags of a whole kernel do not reach the choice inside a loop.
_FLAGS = ("nnan", "nsz")


def larger(x: Any, y: Any) -> Any:
    """Give x or y, of the same floating-point type, neither of them NaN."""
    return x if x > y else y


@intrinsic  # type: ignore[untyped-decorator]
def _choose(context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        exceeds = builder.fcmp_ordered(">", *values, flags=_FLAGS)
        return builder.select(exceeds, *values, flags=_FLAGS)

    return x(x, x), generate


@overload(larger, strict=False)
def _larger(x: Any, y: Any) -> Any:  # noqa: ARG001
    return lambda x, y: _choose(x, y)  # noqa: PLW0108
