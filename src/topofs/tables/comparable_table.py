"""`ComparableTable`: the columns that a selector is given, and those that it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.similarity.typed_table import TypedTable
    from topofs.tables.column_roles import ColumnRoles, LeftOutColumn

__all__ = ["ComparableTable"]


@dataclass(frozen=True, eq=False)
class ComparableTable:
    """Columns of a table in the form that a similarity takes.

    Attributes
    ----------
    X : array of float64 or float32, or TypedTable, shape (n_samples, n_features)
        An array in Fortran order where all columns are numbers, NaN for a missing value.
        Every column can be compared, except those that are to be kept whatever they hold.
    names : tuple of str
        The columns of X, in the order of the table.
    left_out : tuple of LeftOutColumn
        The other columns of the table, in its order.
    roles : ColumnRoles
        The roles, as they apply to this table.
    notes : tuple of str
        What may matter to someone who trusts the result.
    """

    X: npt.NDArray[np.floating[Any]] | TypedTable
    names: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    roles: ColumnRoles
    notes: tuple[str, ...] = ()
