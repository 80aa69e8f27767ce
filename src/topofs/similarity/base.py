"""`Measure`, the base of the measures; its operator; and the dense matrix.

A measure prepares the columns of a table once, as a `SimilarityOperator`: a matrix that is never
held whole, of which any block can be computed. `dense` fills a matrix from these blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from topofs._kernels.numpy_or_numba import use_numpy
from topofs.runtime import for_each, one_blas_thread, with_progress
from topofs.terms import Term

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.io.target import Target
    from topofs.network import Scale
    from topofs.similarity.standard_columns import KnownCovariance, StandardColumns
    from topofs.typing import Doubles, Floats, Ints

__all__ = ["MatrixOperator", "Measure", "SimilarityOperator", "dense", "similarity_rows"]

# Rows and columns computed at a time: enough for a fast product, few enough for the cache.
_ROWS = 256
_COLUMNS = 4 * _ROWS


@dataclass(frozen=True, repr=False)
class Measure(Term):
    """A measure of the similarity between two columns: base of the measures.

    A subclass gives `operator`, which prepares the columns of a table, and `words`. With
    `scale` it states which similarity chance alone gives. Rules by which columns represent
    others refuse a measure without `scale`.

    Attributes
    ----------
    takes_names : bool
        Whether columns may be names and categories; such a table is a `TypedTable`.
    takes_arrays : bool
        Whether the table may be an array of numbers; False where it is always typed.
    takes_sparse : bool
        Whether the table may be sparse.
    takes_batches : bool
        Whether the table may be a stream of batches. A class that defines its own `operator` does
        not inherit this.
    takes_table : bool
        Whether X is a table; False where it is the n × n similarity itself.
    has_columns : bool
        Whether a value is a product of two standardised columns, which `standard_columns`
        gives. The rule "variance" needs them.
    products : {"values", "ranks"} or None
        Which prepared columns multiply to the similarity. "values": the values, so that chunks
        of rows can be summed (the measure then has `of_correlation`). "ranks": the ranks of
        complete columns. None: the operator gives blocks only; the matrix must then fit into
        memory, and the measure cannot compare a dask table. A class that defines its own
        `operator` does not inherit this. It inherits `has_columns` only if it also defines
        `standard_columns`.
    knows_chance : bool
        Whether `scale` sets similarities that chance explains to 0. If not, no value is
        changed.
    means_alike : bool
        Whether a high value means that columns are alike.
    needs_independent_rows : bool
        Whether its noise floor assumes independent rows and no parameter `rows` changes that.
    shares_variance : bool
        Whether a value is the share of variance that two columns have in common.
    """

    kind: ClassVar[str] = "similarity"
    takes_names: ClassVar[bool] = False
    takes_arrays: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = False
    takes_batches: ClassVar[bool] = False
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

        # A subclass with an operator of its own must not inherit what describes the old one.
        if place("operator") < place("products"):
            cls.products = None
        if place("operator") < place("takes_batches"):
            cls.takes_batches = False
        if place("operator") < min(place("has_columns"), place("standard_columns")):
            cls.has_columns = False

    @property
    def words(self) -> str:
        """Its name in a sentence, after "compared by"."""
        return self.name

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return False

    @property
    def correlation(self) -> Measure:
        """The correlation without squares or blends; used if `has_columns` or `products`."""
        return self

    @property
    def has_scale(self) -> bool:
        """Whether it defines how its values become shares of variance."""
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
        """Give the scale, which turns values into shares of variance; chance counts as 0.

        Parameters
        ----------
        operator : SimilarityOperator or None
            The result of `operator`; None where the columns lie on workers.
        n_samples, n_features : int
            Size of the table.

        Returns
        -------
        Scale or None
            None where the measure has no scale.
        """
        return None

    def standard_columns(self, table: Any) -> StandardColumns | KnownCovariance:
        """Standardise the columns of a checked table, where `has_columns`.

        Parameters
        ----------
        table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
            As for `operator`.

        Returns
        -------
        StandardColumns
            Vectors whose products are the correlations behind the measure. Their arrays are not
            shared, because the caller reorders them in place.
        """
        raise NotImplementedError

    def relevance(
        self, table: Any, target: Target, *, n_compared: int
    ) -> tuple[Doubles, Doubles]:
        """Compare columns with a target, which is compared like one more column.

        Parameters
        ----------
        table : array, sparse matrix or TypedTable, shape (n_samples, n_features)
            As for `operator`, but a column may be constant.
        target : Target
            The target, one a row of the table.
        n_compared : int
            Number of columns whose pairs are as many as the comparisons that are made.

        Returns
        -------
        shares : array, shape (n_features,)
            The share of variance that each column and the target have in common, less chance.
        floors : array, shape (n_features,)
            What chance may give.
        """
        if target.classes:
            raise ValueError(
                f"similarity {self.name!r} does not compare columns with classes: give relevance "
                "as weights or as a function, or use another similarity"
            )
        n = table.shape[1]
        operator = self.operator(np.column_stack([table, target.y]))
        scale = self.scale(operator, n_samples=len(target.y), n_features=n_compared)
        assert scale is not None
        columns, own = np.arange(n), np.full(n, n)
        values = operator.block(slice(0, n), slice(n, n + 1)).ravel()
        # Without a known chance, weights are at least 0.
        return scale.weights(values, columns, own), np.zeros(n)

    def n_standard_rows(self, table: Any) -> int:
        """Number of rows that `standard_columns` gives: one per column.

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
        """Give the measure that compares a table; "auto" chooses one, others return self.

        Parameters
        ----------
        table : array, sparse matrix, TypedTable or dask array
            The columns that take part.

        Returns
        -------
        Measure
        """
        return self

    def share_of(self, values: Floats) -> Floats:
        """Turn values into shares of variance without a correction for chance.

        Parameters
        ----------
        values : array
            Similarities.

        Returns
        -------
        array
            The caller must not change it: it may be the given array.
        """
        return values

    def of_correlation(self, correlation: Floats) -> Floats:
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


class SimilarityOperator(Protocol):
    """A symmetric n × n matrix that is never held whole: any block of it on demand.

    Where products of prepared columns give the entries (`Measure.products`), an operator also
    has the other methods of `topofs.similarity.correlation.Correlation`.
    """

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity, float32 or float64."""

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of rows and columns, in a new array; several threads may call it at once."""

    def diagonal(self) -> Floats:
        """The n diagonal entries, exact where the definition gives them."""


@dataclass(frozen=True, eq=False)
class MatrixOperator:
    """The operator of a given similarity matrix.

    Attributes
    ----------
    values : array, shape (n, n)
        Symmetric; never changed.
    """

    values: Floats

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.values)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the similarity."""
        return self.values.dtype

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        return self.values[rows, columns].copy()

    def diagonal(self) -> Floats:
        """The n diagonal entries."""
        return self.values.diagonal().copy()


def similarity_rows(operator: Any, some: Ints) -> Floats:
    """Compute only the rows of a similarity at the given ascending positions."""
    if hasattr(operator, "cross"):
        return np.asarray(operator.select(some).cross(slice(None), operator))
    # Neighbours together.
    runs = np.split(some, np.flatnonzero(np.diff(some) > 1) + 1)
    everyone = slice(0, operator.n_features)
    return np.concatenate(
        [operator.block(slice(run[0], run[-1] + 1), everyone) for run in runs]
    )


def dense(operator: SimilarityOperator) -> Floats:
    """Fill the matrix from the blocks of its lower triangle, and mirror them.

    The matrix is exactly symmetric. Memory beyond the result: one block per thread.
    """
    if isinstance(operator, MatrixOperator):
        return operator.values.copy()
    n = operator.n_features
    similarity = np.empty((n, n), dtype=operator.dtype)
    if hasattr(operator, "triangle"):
        _fill_triangle(operator, similarity)
    else:
        _fill_blocks(operator, similarity)
    np.fill_diagonal(similarity, operator.diagonal())
    return similarity


def _fill_blocks(operator: SimilarityOperator, similarity: Floats) -> None:
    """Fill a matrix from blocks of neighbouring rows and columns."""
    n = len(similarity)
    fill = _tile_writer(operator, similarity) or _block_writer(operator, similarity)

    def fill_from(corner: tuple[int, int]) -> None:
        first, left = corner
        last = min(first + _ROWS, n)
        fill(first, last, left, min(left + _COLUMNS, last))

    def n_pairs(corner: tuple[int, int]) -> int:
        first, left = corner
        n_rows = min(first + _ROWS, n) - first
        right = min(left + _COLUMNS, first)
        on_diagonal = left + _COLUMNS > first
        return n_rows * (right - left) + on_diagonal * (n_rows * (n_rows - 1) // 2)

    rows = range(0, n, _ROWS)
    corners = [(row, left) for row in rows for left in range(0, row + 1, _COLUMNS)]
    # Narrow blocks, at the diagonal, come last, so that the threads end at about the same time.
    corners.sort(key=lambda corner: corner[0] - corner[1] < _COLUMNS)
    with one_blas_thread():
        for_each(with_progress(fill_from, n * (n - 1) // 2, n_pairs), corners)


def _block_writer(
    operator: SimilarityOperator, similarity: Floats
) -> Callable[[int, int, int, int], None]:
    """Give a function that writes a block of the lower triangle and its mirror image."""
    above = ~np.tri(min(len(similarity), _ROWS), dtype=np.bool_)

    def fill(first: int, last: int, left: int, right: int) -> None:
        block = similarity[first:last, left:right]
        block[...] = operator.block(slice(first, last), slice(left, right))
        # A block of columns spans a whole number of blocks of rows; one of these has the
        # diagonal.
        inner = min(right, first)
        similarity[left:inner, first:last] = block[:, : inner - left].T
        if right > first:
            square = similarity[first:last, first:last]
            np.copyto(square, square.T.copy(), where=above[: last - first, : last - first])

    return fill


def _tile_writer(
    operator: Any, similarity: Floats
) -> Callable[[int, int, int, int], None] | None:
    """The same function by a kernel, with the same bits, where an entry depends on two columns.

    The kernel does everything except the product, so that threads rarely wait for the
    interpreter. None for few columns, where numpy is faster.
    """
    n = len(similarity)
    if use_numpy(n) or n <= _ROWS or not hasattr(operator, "column_weights"):
        return None
    from topofs._kernels.column_weights import finish_tile

    weights = operator.column_weights(-np.inf)
    values = weights.values

    def fill(first: int, last: int, left: int, right: int) -> None:
        gram = values[first:last] @ values[left:right].T
        finish_tile(gram, weights, first, left, similarity)

    return fill


def _fill_triangle(operator: Any, similarity: Floats) -> None:
    """Fill a matrix from the blocks that the operator prefers; each pair is computed once."""
    from topofs._kernels.column_products import write_mirrored

    def fill(corner: tuple[Ints, Ints]) -> None:
        rows, columns = corner
        write_mirrored(operator.block(rows, columns), rows, columns, similarity)

    n = len(similarity)
    with one_blas_thread():
        for_each(with_progress(fill, n * (n - 1) // 2, pairs_of_corner), operator.triangle())


def pairs_of_corner(corner: tuple[Ints, Ints]) -> int:
    """Number of pairs of a block of a triangle, whose last columns are its rows."""
    n_rows, n_columns = map(len, corner)
    return n_rows * (n_columns - n_rows) + n_rows * (n_rows - 1) // 2
