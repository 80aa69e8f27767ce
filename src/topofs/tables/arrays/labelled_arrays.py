"""`LabelledArrays`: a table and its labels, as the formats that keep them apart hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["LabelledArrays"]


@dataclass(frozen=True, eq=False)
class LabelledArrays:
    """What a reader has found and checked.

    Attributes
    ----------
    X : array, shape (n_samples, n_features)
        Finite real numbers, in the type and the memory layout of the file.
    y : array, shape (n_samples,)
        The class of each row: whole numbers or text.
    test_rows : slice or None
        The rows that the makers of the file set aside for testing.
    """

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    test_rows: slice | None = None
