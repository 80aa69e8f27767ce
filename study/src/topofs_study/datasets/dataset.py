"""`Dataset`: the table and its labels, as a value that cannot be changed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of samples, a class for each, and what is known about rows and columns.

    The arrays are read-only, also after the dataset has been sent to another process.
    They keep the number type and the memory layout of the file they come from: many of the
    paper's tables hold small unsigned integers, so convert before subtracting.

    Parameters
    ----------
    name : str
        What to call it.
    X : array, shape (n_samples, n_features)
        The table, numbers only.
    y : array, shape (n_samples,)
        The class of each sample.
    feature_names : sequence of str, optional
        A name for each column.
    test_rows : slice, optional
        The rows that the makers of the dataset set aside for testing. Without it the
        dataset comes in one piece.

    Examples
    --------
    >>> from topofs_study.datasets import Dataset
    >>> Dataset("tiny", [[1, 2], [3, 4], [5, 6]], [0, 1, 1])
    Dataset('tiny', n_samples=3, n_features=2, n_classes=2)
    """

    name: str
    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    feature_names: Sequence[str] | None = None
    test_rows: slice | None = None

    def __post_init__(self) -> None:
        X = _read_only(self.X)
        y = _read_only(self.y)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise ValueError(
                f"X of shape {X.shape} and y of shape {y.shape} do not fit together; "
                "they must be (n_samples, n_features) and (n_samples,)"
            )
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        if self.feature_names is not None:
            names = tuple(str(name) for name in self.feature_names)
            if len(names) != X.shape[1]:
                raise ValueError(f"got {len(names)} feature names for {X.shape[1]} columns")
            object.__setattr__(self, "feature_names", names)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of different labels."""
        return len(np.unique(self.y))

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        # Through the constructor, so that a copy made by pickle is read-only too.
        return Dataset, tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{size}={getattr(self, size)}" for size in ("n_samples", "n_features", "n_classes")
        )
        return f"Dataset({self.name!r}, {sizes})"


def _read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take a read-only view, so that an array of the caller's stays as it was."""
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view
