"""Tables in memory whose columns may be of any kind, with their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.tables.columns import read_columns
from topofs.tables.given import too_small
from topofs.tables.levels import why_left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.column import Column

__all__ = ["TypedTable", "typed_table"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TypedTable:
    """Columns of several kinds, indexed like an array: ``table[:, positions]``."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of columns."""
        return (len(self.columns[0].values) if self.columns else 0, len(self.columns))

    @property
    def has_nominal(self) -> bool:
        """Whether a column holds names."""
        return any(column.nominal for column in self.columns)

    @property
    def is_mixed(self) -> bool:
        """Whether a column of names takes part: names that repeat, in two levels or more.

        The one decision that a table is not compared as numbers alone.
        """
        nominal = np.array([column.nominal for column in self.columns], dtype=np.bool_)
        return bool((nominal & self._usable).any())

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """All columns as an array; of names only their codes."""
        return np.column_stack([column.values for column in self.columns])

    @cached_property
    def left_out(self) -> dict[int, str]:
        """Positions of the columns that take no part, with the reasons."""
        reasons = ((i, why_left_out(column)) for i, column in enumerate(self.columns))
        return {i: why for i, why in reasons if why is not None}

    @property
    def _usable(self) -> Mask:
        usable = np.ones(len(self.columns), dtype=np.bool_)
        usable[list(self.left_out)] = False
        return usable

    def __getitem__(self, key: tuple[slice, npt.NDArray[np.int64]]) -> TypedTable:
        return TypedTable(tuple(self.columns[position] for position in key[1]))

    def take(self, rows: npt.NDArray[np.intp]) -> TypedTable:
        """Give some rows, as often as they are named."""
        return TypedTable(
            tuple(replace(column, values=column.values[rows]) for column in self.columns)
        )

    def without_values(self, columns: Mask) -> TypedTable:
        """Let some columns be constant, so that they take no part."""
        return TypedTable(
            tuple(
                replace(column, values=np.zeros_like(column.values)) if out else column
                for column, out in zip(self.columns, columns, strict=True)
            )
        )

    @property
    def read_from_text(self) -> tuple[Column, ...]:
        """The columns of text of which something is to be said: see `Column`."""
        return tuple(c for c in self.columns if c.why or c.written or c.hint)

    def incomparable(self) -> tuple[Mask, Mask]:
        """Tell which columns take no part."""
        unusable = ~self._usable
        names = np.array(
            [
                c.why is not None or (c.nominal and np.unique(c.values).size > 1)
                for c in self.columns
            ],
            dtype=np.bool_,
        )
        identifiers = unusable & names
        return unusable & ~identifiers, identifiers


def typed_table(X: Any, *, names: Sequence[str] | None = None) -> TypedTable:
    """Read a table of at least two samples and one column, which are numbers or names.

    `names` say what to call the columns, where the table does not.
    """
    table = TypedTable(tuple(read_columns(X, names=names)))
    n_samples, n_features = table.shape
    if n_samples < 2 or n_features < 1:
        raise too_small(n_samples, n_features)
    return table
