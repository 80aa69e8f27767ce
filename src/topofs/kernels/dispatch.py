"""Which tables numpy works on alone: small ones, so that a first answer waits for no compiler."""

from __future__ import annotations

__all__ = ["use_numpy"]

LARGEST_FOR_NUMPY = 2048
"""Tables of up to so many columns are compared and ranked by numpy and scipy alone."""


def use_numpy(n_columns: int) -> bool:
    """Whether a table of so many columns is worked on by numpy alone, without a kernel."""
    return n_columns <= LARGEST_FOR_NUMPY
