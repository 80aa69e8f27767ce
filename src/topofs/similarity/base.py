"""`Measure`: what every measure of similarity is, and says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.terms import Term

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.network import Scale
    from topofs.similarity.operator import SimilarityOperator
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["Measure"]


@dataclass(frozen=True, repr=False)
class Measure(Term):
    """How alike two columns are: base of the measures.

    A subclass gives `operator`, which prepares the columns of a table, and `words`. With
    `scale` it says what chance alone gives; without it, rules that represent columns by others
    refuse it.

    Attributes
    ----------
    takes_names : bool
        Whether columns may be names and categories: the table is a `TypedTable` where some are.
    takes_arrays : bool
        Whether the table may be an array of numbers; False where it is always typed.
    takes_sparse : bool
        Whether the table may be sparse.
    takes_table : bool
        Whether X is a table; False where it is the n × n similarity itself.
    has_columns : bool
        Whether it is a correlation of columns that `standard_columns` gives.
    products : {"values", "ranks"} or None
        Whether a product of prepared columns gives it, and what is prepared: the values, so that
        chunks of rows can be summed up (the measure then has `of_correlation`), or the ranks of
        whole columns. None: its operator gives blocks only, so the matrix must fit into memory,
        and a dask table cannot be compared by it. A class with an `operator` of its own does
        not inherit this, nor `has_columns` unless it has its own `standard_columns`, too.
    knows_chance : bool
        Whether `scale` counts what chance explains as 0, rather than taking all values as they
        are.
    means_alike : bool
        Whether a high value means that columns are alike.
    needs_independent_rows : bool
        Whether its noise floor rests on rows that do not depend on each other, and no parameter
        `rows` says otherwise.
    shares_variance : bool
        Whether a value is the share of variance that two columns have in common.
    """

    kind: ClassVar[str] = "similarity"
    takes_names: ClassVar[bool] = False
    takes_arrays: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = False
    takes_table: ClassVar[bool] = True
    has_columns: ClassVar[bool] = False
    products: ClassVar[str | None] = None
    knows_chance: ClassVar[bool] = True
    means_alike: ClassVar[bool] = True
    needs_independent_rows: ClassVar[bool] = False
    why_no_scale: ClassVar[str] = "does not say what chance alone gives (it has no scale)"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()

        def place(name: str) -> int:
            return next(i for i, base in enumerate(cls.__mro__) if name in vars(base))

        # Inherited from behind the operator, they tell of the columns of another one.
        if place("operator") < place("products"):
            cls.products = None
        if place("operator") < min(place("has_columns"), place("standard_columns")):
            cls.has_columns = False

    @property
    def words(self) -> str:
        """What it is called in a sentence, after "compared by"."""
        return self.name

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return False

    @property
    def correlation(self) -> Measure:
        """The plain correlation that it is made of, where `has_columns` and `products`."""
        return self

    @property
    def has_scale(self) -> bool:
        """Whether it says how its values become shares of variance."""
        return type(self).scale is not Measure.scale

    def operator(self, table: Any) -> SimilarityOperator:
        """Prepare the columns of a checked table.

        Parameters
        ----------
        table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
            Columns that vary; NaN marks a missing value.

        Returns
        -------
        SimilarityOperator
            The similarity of any block of pairs.
        """
        raise NotImplementedError

    def scale(
        self,
        operator: SimilarityOperator | None,  # noqa: ARG002
        *,
        n_samples: int,  # noqa: ARG002
        n_features: int,  # noqa: ARG002
    ) -> Scale | None:
        """Say how values become shares of variance, and which of them chance explains.

        Parameters
        ----------
        operator : SimilarityOperator or None
            What `operator` gave; None where the columns lie on workers.
        n_samples, n_features : int
            Size of the table.

        Returns
        -------
        Scale or None
            None where the measure cannot tell.
        """
        return None

    def standard_columns(self, table: Any) -> StandardColumns:
        """Standardise the columns of a checked table, where `has_columns`.

        Parameters
        ----------
        table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
            As for `operator`.

        Returns
        -------
        StandardColumns
            Vectors whose products are the correlations that the measure is made of, in arrays
            of their own: they are moved into another order.
        """
        raise NotImplementedError

    def n_standard_rows(self, table: Any) -> int:
        """How many rows `standard_columns` gives: one a column.

        Parameters
        ----------
        table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
            As for `operator`.

        Returns
        -------
        int
        """
        return int(table.shape[1])

    def for_table(self, table: Any) -> Measure:  # noqa: ARG002
        """Give the measure that a table is compared by: this one, but for "auto".

        Parameters
        ----------
        table : array, sparse matrix, TypedTable or dask array
            The columns that take part.

        Returns
        -------
        Measure
        """
        return self

    def share_of(self, values: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
        """Turn values into shares of variance as they are, chance included.

        Parameters
        ----------
        values : array
            Similarities.

        Returns
        -------
        array
            Not to be changed: it may be the one that was given.
        """
        return values

    def of_correlation(
        self, correlation: npt.NDArray[np.floating[Any]]
    ) -> npt.NDArray[np.floating[Any]]:
        """Turn plain correlations into values, where `products` is "values" or `has_columns`.

        Parameters
        ----------
        correlation : array
            A block of correlations, which may be overwritten.

        Returns
        -------
        array
        """
        raise NotImplementedError
