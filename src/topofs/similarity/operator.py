"""A similarity as blocks: what every measure offers, and how blocks become a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs._kernels.column_weights import ColumnWeights

__all__ = [
    "ColumnOperator",
    "MatrixOperator",
    "RowsAlike",
    "SimilarityOperator",
    "Squared",
    "Transformed",
    "dense",
    "rows_of",
]

Block = npt.NDArray[np.floating[Any]]
Columns = slice | npt.NDArray[np.int64]
Fill = Callable[[int, int, int, int], None]

# Rows and columns computed at a time: enough for a fast product, few enough for the cache.
_ROWS = 256
_COLUMNS = 4 * _ROWS


class SimilarityOperator(Protocol):
    """A symmetric n × n matrix that is never held whole: any block of it on demand."""

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity, float32 or float64."""

    def block(self, rows: slice, columns: slice) -> Block:
        """Entries of rows and columns, in a fresh array; several threads may ask at once."""

    def diagonal(self) -> Block:
        """The n diagonal entries, exact where the definition gives them."""


class ColumnOperator(SimilarityOperator, Protocol):
    """A similarity whose entries are a function of two prepared columns.

    So it needs no matrix: kernels compute entries, rows are multiplied with chosen columns.
    """

    @property
    def n_samples(self) -> int:
        """The length of a column."""

    @property
    def non_negative(self) -> bool:
        """Whether no entry can be negative."""

    def select(self, columns: Columns) -> Self:
        """The similarity among some of the columns; a slice shares their memory."""

    def cross(self, rows: Columns, other: Self) -> Block:
        """Entries between some columns of this and all of another selection of the same."""

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any entry; entries below `level` become 0."""

    def approximate_mean(self) -> float | None:
        """The mean of all entries up to rounding, where it is cheaper than all entries."""


@dataclass(frozen=True)
class Transformed:
    """A function of each entry of a correlation; a subclass gives `_transform`, in place.

    The methods of `ColumnOperator` work if they do for the correlation inside.
    """

    inner: Any

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return int(self.inner.n_features)

    @property
    def n_samples(self) -> int:
        """The length of a column."""
        return int(self.inner.n_samples)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity."""
        dtype: np.dtype[Any] = self.inner.dtype
        return dtype

    @property
    def non_negative(self) -> bool:
        """No entry is negative."""
        return True

    def block(self, rows: slice, columns: slice) -> Block:
        """Entries of the given rows and columns."""
        block = self.inner.block(rows, columns)
        self._transform(block, rows, self, columns)
        return np.asarray(block)

    def cross(self, rows: Columns, other: Self) -> Block:
        """Entries between some columns of this and all of another selection of the same."""
        block = self.inner.cross(rows, other.inner)
        self._transform(block, rows, other, slice(None))
        return np.asarray(block)

    def _transform(self, block: Block, rows: Columns, other: Self, columns: Columns) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Squared(Transformed):
    """Each entry of a correlation, squared."""

    def diagonal(self) -> Block:
        """The n diagonal entries."""
        return np.asarray(np.square(self.inner.diagonal()))

    def select(self, columns: Columns) -> Squared:
        """The similarity among some of the columns."""
        return Squared(self.inner.select(columns))

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any entry."""
        from topofs._kernels.column_weights import SQUARED

        weights: ColumnWeights = self.inner.column_weights(level)
        return weights._replace(kind=SQUARED)

    def approximate_mean(self) -> float | None:
        r"""Σᵢⱼ r²ᵢⱼ = ‖U U⊤‖² = ‖U⊤ U‖² for unit columns U: S² numbers instead of n²."""
        unit = self.inner.unit_columns()
        if 2 * self.n_samples > self.n_features:
            return None
        return float(np.square(unit.T @ unit).sum() / self.n_features**2)

    def _transform(self, block: Block, rows: Any, other: Any, columns: Any) -> None:  # noqa: ARG002
        np.square(block, out=block)


class RowsAlike:
    """A similarity of prepared columns, the rows of `values`, with ones on its diagonal."""

    values: Any
    dtype: np.dtype[Any]

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return int(self.values.shape[0])

    @property
    def n_samples(self) -> int:
        """The length of a column."""
        return int(self.values.shape[1])

    def diagonal(self) -> Block:
        """Ones."""
        return np.ones(self.n_features, dtype=self.dtype)


@dataclass(frozen=True, eq=False)
class MatrixOperator:
    """A similarity that is a matrix already.

    Attributes
    ----------
    values : array, shape (n, n)
        Symmetric; never changed.
    """

    values: Block

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.values)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the similarity."""
        return self.values.dtype

    def block(self, rows: slice, columns: slice) -> Block:
        """Entries of the given rows and columns."""
        return self.values[rows, columns].copy()

    def diagonal(self) -> Block:
        """The n diagonal entries."""
        return self.values.diagonal().copy()


def rows_of(operator: Any, some: npt.NDArray[np.int64]) -> Block:
    """Give the rows of a similarity at some positions, ascending, and compute no others."""
    parts = operator, getattr(operator, "inner", operator)
    if all(hasattr(part, "cross") for part in parts):
        return np.asarray(operator.select(some).cross(slice(None), operator))
    # Neighbours together.
    runs = np.split(some, np.flatnonzero(np.diff(some) > 1) + 1)
    everyone = slice(0, operator.n_features)
    blocks = [operator.block(slice(run[0], run[-1] + 1), everyone) for run in runs]
    return np.concatenate(blocks)


def dense(operator: SimilarityOperator) -> Block:
    """Fill the whole matrix from the blocks of its lower triangle, which the upper one copies.

    So it is exactly symmetric. Beyond the result, memory holds one block a thread.
    """
    if isinstance(operator, MatrixOperator):
        return operator.values.copy()
    from topofs.runtime import counted, for_each, one_blas_thread

    n = operator.n_features
    similarity = np.empty((n, n), dtype=operator.dtype)
    if hasattr(getattr(operator, "inner", operator), "triangle"):
        _by_triangle(operator, similarity)
        return similarity
    fill = _by_tiles(operator, similarity) or _by_blocks(operator, similarity)

    def fill_from(corner: tuple[int, int]) -> None:
        first, left = corner
        last = min(first + _ROWS, n)
        fill(first, last, left, min(left + _COLUMNS, last))

    rows = range(0, n, _ROWS)
    corners = [(row, left) for row in rows for left in range(0, row + 1, _COLUMNS)]
    # Narrow blocks, at the diagonal, come last: then no thread waits long for another.
    corners.sort(key=lambda corner: corner[0] - corner[1] < _COLUMNS)

    def n_pairs(corner: tuple[int, int]) -> int:
        first, left = corner
        n_rows = min(first + _ROWS, n) - first
        right = min(left + _COLUMNS, first)
        on_diagonal = left + _COLUMNS > first
        return n_rows * (right - left) + on_diagonal * (n_rows * (n_rows - 1) // 2)

    with one_blas_thread():
        for_each(counted(fill_from, n * (n - 1) // 2, n_pairs), corners)
    np.fill_diagonal(similarity, operator.diagonal())
    return similarity


def _by_triangle(operator: Any, similarity: Block) -> None:
    """Fill a matrix from the blocks that the operator says are best, each pair once."""
    from topofs._kernels.sparse_products import write_mirrored
    from topofs.runtime import counted, for_each, one_blas_thread

    def fill(corner: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> None:
        rows, columns = corner
        write_mirrored(operator.block(rows, columns), rows, columns, similarity)

    def n_pairs(corner: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> int:
        n_rows, n_columns = map(len, corner)
        return n_rows * (n_columns - n_rows) + n_rows * (n_rows - 1) // 2

    n = len(similarity)
    with one_blas_thread():
        corners = getattr(operator, "inner", operator).triangle()
        for_each(counted(fill, n * (n - 1) // 2, n_pairs), corners)
    np.fill_diagonal(similarity, operator.diagonal())


def _by_blocks(operator: SimilarityOperator, similarity: Block) -> Fill:
    """What writes a block of the lower triangle and its mirror image, of any similarity."""
    above = ~np.tri(min(len(similarity), _ROWS), dtype=np.bool_)

    def fill(first: int, last: int, left: int, right: int) -> None:
        block = similarity[first:last, left:right]
        block[...] = operator.block(slice(first, last), slice(left, right))
        # Blocks of columns are whole numbers of blocks of rows: one of them has the diagonal.
        inner = min(right, first)
        similarity[left:inner, first:last] = block[:, : inner - left].T
        if right > first:
            square = similarity[first:last, first:last]
            np.copyto(square, square.T.copy(), where=above[: last - first, : last - first])

    return fill


def _by_tiles(operator: Any, similarity: Block) -> Fill | None:
    """The same where entries are a function of two columns and there are several blocks.

    A kernel does all but the product, so that threads seldom wait for the interpreter. The bits
    are those of `block`.
    """
    from topofs._kernels.dispatch import use_numpy

    parts = operator, getattr(operator, "inner", operator)
    small = use_numpy(len(similarity)) or len(similarity) <= _ROWS
    if small or not all(hasattr(part, "column_weights") for part in parts):
        return None
    from topofs._kernels.column_weights import finish_tile

    weights = operator.column_weights(-np.inf)
    values = weights.values

    def fill(first: int, last: int, left: int, right: int) -> None:
        gram = values[first:last] @ values[left:right].T
        finish_tile(gram, weights, first, left, similarity)

    return fill
