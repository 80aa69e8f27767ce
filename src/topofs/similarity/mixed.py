"""One similarity for numbers, ranks and names: shared variance between columns of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.similarity.measure import Measure
from topofs.similarity.operator import SimilarityOperator, dense
from topofs.similarity.pearson import ROWS, ROWS_WORDS
from topofs.similarity.shared_variance import FlooredScale
from topofs.tables.columns import read_columns
from topofs.tables.levels import level_codes, usable_columns
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.network import Scale
    from topofs.similarity.standard_columns import StandardColumns
    from topofs.tables.typed_table import TypedTable

__all__ = ["Mixed", "mixed"]

Doubles = npt.NDArray[np.float64]


def mixed(X: Any, *, corrected: bool = True) -> Doubles:
    r"""Shared variance between columns of numbers, ordered categories and names.

    Every column becomes a block: numbers and ordered categories the centred unit vector of
    their average ranks, a nominal column of K levels the K columns
    :math:`1[x = \text{level}] / \sqrt{n_\text{level}}`. One matrix product gives

    .. math::
       T_{ij} = \lVert Q_i^\top Q_j \rVert_F^2 \ (- 1 \text{ if both are nominal}), \qquad
       s_{ij} = \frac{T_{ij}}{\min(d_i, d_j)},

    d = 1 for numbers and K − 1 for names: Spearman's ρ², the correlation ratio η² of the
    ranks, and Cramér's V², in one formula. Chance gives T a mean of
    :math:`d_i d_j / (S-1)`, more for columns of many levels; corrected for it,

    .. math::
       \tilde s_{ij} = \max\left(0, \frac{T_{ij} - d_i d_j / (S-1)}
                                         {\min(\tilde d_i, \tilde d_j)}\right), \qquad
       \tilde d = d - \frac{d^2}{S-1},

    all three are comparable.

    Parameters
    ----------
    X : data frame or array, shape (n_samples, n_features)
        pandas or polars; or anything numpy makes a table of. See Notes for what is nominal.
    corrected : bool, default=True
        Return s̃ rather than s.

    Returns
    -------
    array of float64, shape (n_features, n_features)
        Exactly symmetric, in [0, 1], diagonal 1. A column that cannot be compared (constant,
        names that hardly repeat, or more than 1,000 different ones) has zeros.

    Notes
    -----
    Text, booleans and unordered categories are nominal; an ordered pandas categorical and a
    polars Enum are ranked. A missing name is a level of its own, a missing number has the
    middle rank. Levels of fewer than 5 samples are merged, unless the column has two. A
    column with more than 1,000 levels after that is taken for an identifier. Levels are
    counted in blocks of a fixed size, however many there are.

    The product is one of whole numbers (doubled ranks and counts), exact in float64, and
    sums over levels are rounded to 1e-12, so that no blocking or number of threads changes a
    bit.

    References
    ----------
    .. [1] W. Bergsma (2013). A bias-correction for Cramér's V and Tschuprow's T. Journal of
       the Korean Statistical Society 42(3), 323-328.
    .. [2] H. Cramér (1946). Mathematical methods of statistics, chapter 21. Princeton.

    Examples
    --------
    >>> import pandas as pd
    >>> from topofs.similarity import mixed
    >>> table = pd.DataFrame({
    ...     "mass": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    ...     "age": [2, 1, 3, 4, 6, 5],
    ...     "sex": ["f", "f", "f", "m", "m", "m"],
    ... })
    >>> mixed(table, corrected=False).round(3).tolist()
    [[1.0, 0.784, 0.771], [0.784, 1.0, 0.771], [0.771, 0.771, 1.0]]
    """
    from topofs.similarity.mixed_columns import mixed_operator

    columns = read_columns(X)
    usable = np.flatnonzero(usable_columns(columns))
    similarity = np.eye(len(columns))
    operator = mixed_operator([columns[i] for i in usable], corrected=corrected)
    similarity[np.ix_(usable, usable)] = dense(operator)
    return similarity


@dataclass(frozen=True, repr=False)
class Mixed(Measure):
    """Shared variance between columns of numbers, ordered categories and names.

    Parameters
    ----------
    rows : {"independent", "ordered"}, default="independent"
        As in `topofs.Pearson`. The levels of names count by the numbers that stay most alike
        from one row to the next.

    Examples
    --------
    >>> from topofs import Mixed
    >>> Mixed().takes_names
    True
    """

    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    takes_names: ClassVar[bool] = True
    takes_arrays: ClassVar[bool] = False
    has_columns: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return (
            "shared variance (Spearman² between numbers, η² between numbers and names, "
            "Cramér's V² between names)"
        )

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return True

    def operator(self, table: TypedTable) -> SimilarityOperator:
        """Rank the numbers and count the levels of a table."""
        from topofs.similarity.mixed_columns import mixed_operator

        return mixed_operator(table.columns, ordered_rows=self.rows == "ordered")

    def standard_columns(self, table: TypedTable) -> StandardColumns:
        """Standardise ranks, and the levels of names as blocks of indicators."""
        from topofs.similarity.mixed_columns import mixed_operator
        from topofs.similarity.standard_columns import standard_blocks

        coded = mixed_operator(table.columns)
        columns = standard_blocks(coded.all_rows(), coded.starts, coded.nominal)
        return replace(columns, ordered_rows=self.rows == "ordered")

    def n_standard_rows(self, table: TypedTable) -> int:
        """Count one row a column, and one a level of names."""
        return sum(
            int(level_codes(column.values).max()) + 1 if column.nominal else 1
            for column in table.columns
        )

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> Scale:  # noqa: ARG002
        """Count what chance explains as 0; its bias is off already."""
        return FlooredScale(operator)


register(Mixed())
