"""The measure that the table decides: one for numbers, another where there are names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.similarity.measure import Measure
from topofs.similarity.mixed import Mixed
from topofs.similarity.pearson import ROWS, ROWS_WORDS, SQUARED, Pearson
from topofs.tables.typed_table import TypedTable
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.network import Scale
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["Auto"]


@dataclass(frozen=True, repr=False)
class Auto(Measure):
    """`Mixed` where columns of names take part, else `Pearson`.

    Parameters
    ----------
    squared : bool, default=True
        As in `Pearson`; plays no part where there are names.
    rows : {"independent", "ordered"}, default="independent"
        As in `Pearson` and `Mixed`.

    Examples
    --------
    >>> import pandas as pd
    >>> from topofs import Auto
    >>> from topofs.tables import typed_table
    >>> towns = pd.DataFrame({"size": [1, 2, 3, 4], "coast": ["yes", "no", "no", "yes"]})
    >>> Auto().for_table(typed_table(towns)), Auto().for_table(towns[["size"]].to_numpy())
    (Mixed(), Pearson())
    """

    squared: bool = parameter(default=True, help=SQUARED, choices=(True, False))
    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    takes_names: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    has_columns: ClassVar[bool] = True
    products: ClassVar[str | None] = "values"

    def for_table(self, table: Any) -> Measure:
        """Give the measure that suits the columns which take part."""
        if isinstance(table, TypedTable) and table.is_mixed:
            return Mixed(rows=self.rows)
        return Pearson(squared=self.squared, rows=self.rows)

    def operator(self, table: Any) -> SimilarityOperator:
        """Prepare the columns for the measure that suits them."""
        return self.for_table(table).operator(table)

    def scale(
        self, operator: SimilarityOperator | None, *, n_samples: int, n_features: int
    ) -> Scale | None:
        """Refuse: what chance gives is known when the table has decided."""
        raise NotImplementedError


register(Auto())
