"""A table of numbers and names: what the measure 'mixed' takes where others take an array."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.similarity.columns import read_columns
from topofs.similarity.mixed import usable_columns

if TYPE_CHECKING:
    from topofs.similarity.columns import Column

__all__ = ["TypedTable", "typed_table"]


@dataclass(frozen=True, eq=False)
class TypedTable:
    """Columns of several kinds, indexed like an array: ``table[:, positions]``.

    Attributes
    ----------
    columns : tuple of Column
        The columns.
    """

    columns: tuple[Column, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of columns."""
        return (len(self.columns[0].values) if self.columns else 0, len(self.columns))

    @property
    def has_nominal(self) -> bool:
        """Whether a column holds names."""
        return any(column.nominal for column in self.columns)

    def __getitem__(self, key: tuple[slice, npt.NDArray[np.int64]]) -> TypedTable:
        return TypedTable(tuple(self.columns[position] for position in key[1]))

    def take(self, rows: npt.NDArray[np.intp]) -> TypedTable:
        """Give some rows, as often as they are named.

        Parameters
        ----------
        rows : array of int
            Their positions.

        Returns
        -------
        TypedTable
        """
        return TypedTable(
            tuple(replace(column, values=column.values[rows]) for column in self.columns)
        )

    def without_values(self, columns: npt.NDArray[np.bool_]) -> TypedTable:
        """Let some columns be constant, so that they take no part.

        Parameters
        ----------
        columns : array of bool, shape (n_features,)
            Which.

        Returns
        -------
        TypedTable
            As many columns, of the same kinds.
        """
        return TypedTable(
            tuple(
                replace(column, values=np.zeros_like(column.values)) if out else column
                for column, out in zip(self.columns, columns, strict=True)
            )
        )

    def incomparable(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Tell which columns take no part.

        Returns
        -------
        constant, identifiers : arrays of bool, shape (n_features,)
            Columns of a single value; and columns of names that hardly repeat.
        """
        unusable = ~usable_columns(self.columns)
        varied = [np.unique(column.values).size > 1 for column in self.columns]
        identifiers = unusable & [column.nominal for column in self.columns] & varied
        return unusable & ~identifiers, identifiers


def typed_table(X: Any) -> TypedTable:
    """Read a table whose columns are numbers or names.

    Parameters
    ----------
    X : data frame or array, shape (n_samples, n_features)
        At least two samples and one column.

    Returns
    -------
    TypedTable

    Examples
    --------
    >>> import pandas as pd
    >>> table = typed_table(pd.DataFrame({"id": ["a", "b", "c"], "x": [1, 2, 3]}))
    >>> table.shape, table.incomparable()[1].tolist()
    ((3, 2), [True, False])
    """
    table = TypedTable(tuple(read_columns(X)))
    n_samples, n_features = table.shape
    if n_samples < 2 or n_features < 1:
        raise ValueError(
            f"X has {n_samples} samples and {n_features} columns, while a minimum of 2 "
            "samples and 1 column is required"
        )
    return table
