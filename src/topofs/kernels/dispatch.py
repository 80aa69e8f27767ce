"""The one place that decides between numpy and the kernels, which give the same bits."""

from __future__ import annotations

__all__ = ["LARGEST_FOR_NUMPY", "use_numpy"]

LARGEST_FOR_NUMPY = 2048
"""Up to so many columns numpy takes less time than numba takes to be imported and to compile."""


def use_numpy(n_columns: int) -> bool:
    """Whether a table of so many columns is worked on without numba."""
    return n_columns <= LARGEST_FOR_NUMPY
