"""Functions of Pearson's correlation of a dask array chunked in rows, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.engines.dask_values import check_complete, put_block
from topofs.errors import import_extra
from topofs.similarity.correlation import finish_correlation
from topofs.similarity.grids import ANY_GRID, EXACT, NO_GRID, grids_of_runs
from topofs.similarity.value_order import spans_of_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topofs.similarity.measure import Measure

__all__ = ["joined", "similarity_of_rows"]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]

# Results that one task of the reduction adds up.
_FAN_IN = 8
# Below this a sum of squares of numbers near 1 has vanished, or the product of two such sums will;
# above its inverse, overflowed.
_VANISHED = 1e-120
# Missing and infinite values, and overflow, are dealt with when the extremes are known.
_QUIET = np.errstate(over="ignore", invalid="ignore", divide="ignore")


@dataclass(frozen=True)
class _Basis:
    """Where the columns of a block are shifted and scaled to: c = x·2⁻ᵉ − centre.

    The centre is the mean of the first rows; where they lie on a grid but for a constant, a
    place on it.
    """

    exponent: npt.NDArray[np.int64]
    centre: Doubles

    def shifted(self, chunk: Floats) -> Doubles:
        """The columns of a chunk, c above."""
        shifted = chunk.astype(np.float64)
        if self.exponent.any():
            np.ldexp(shifted, -self.exponent, out=shifted)
        shifted -= self.centre
        return shifted


@dataclass(frozen=True)
class _Moments:
    """What is known of each column of some rows: Σc, the extremes of x, the grid of c, and c."""

    sums: Doubles
    lowest: Doubles
    highest: Doubles
    grid: npt.NDArray[np.int64]
    exponent: npt.NDArray[np.int64]
    centre: Doubles


def similarity_of_rows(
    array: Any, measure: Measure
) -> tuple[Floats, npt.NDArray[np.bool_], Doubles]:
    """Reduce the products of all chunks to a function of r.

    Tells which columns are constant, and gives the spans of the others, as
    `topofs.similarity.value_order.spans_of_columns` does.

    With c the columns shifted by the mean of the first rows, and over all S rows G = Σ c c⊤ and
    s = Σ c, shifted once more by d = s / S, G' = G − d s⊤ − s d⊤ + S d d⊤ and
    rᵢⱼ = (S G'ᵢⱼ − s'ᵢ s'ⱼ) / √(vᵢ vⱼ), where v = S G'ᵢᵢ − s'ᵢ².

    A column on a grid is shifted by multiples of it (d is rounded), so that every sum is exact
    and r has the very bits of `Correlation` in memory, on the same condition S·Σc² < 2⁵³. For
    other columns the first m of S rows bound the loss: they lie about d from the mean, so
    S·Σ(x − x̄)² ≥ m·S·d² and r is off by at most about S/m roundings.

    A worker holds a few n × n matrices, or blocks of them if the columns are chunked, too. A
    second pass is made only if the first rows are so untypical that squares overflow or vanish.
    """
    if 0 in array.chunks[0]:
        array = array.rechunk(
            (tuple(rows for rows in array.chunks[0] if rows), array.chunks[1])
        )
    chunks = array.to_delayed()
    groups = _row_groups(array.chunks[0], least=array.shape[1])
    moments, grams = _one_pass(chunks, groups, [None] * chunks.shape[1])
    check_complete(moments.lowest, moments.highest)
    constant = moments.lowest == moments.highest
    squares = _squares(grams)[~constant]
    if not ((squares > _VANISHED) & (squares < 1 / _VANISHED)).all():
        exponent = _exponents(np.maximum(-moments.lowest, moments.highest))
        widths = np.cumsum(array.chunks[1])[:-1]
        moments, grams = _one_pass(chunks, groups, np.split(exponent, widths))
    edges = np.cumsum([0, *array.chunks[1]]).tolist()
    similarity = np.empty((np.sum(~constant),) * 2, dtype=array.dtype)
    for rows, columns, block in _correlation_blocks(moments, grams, edges, array.shape[0]):
        put_block(similarity, measure.of_correlation(block), rows, columns)
    ones = np.ones(len(similarity), dtype=array.dtype)
    np.fill_diagonal(similarity, measure.of_correlation(ones))
    return similarity, constant, _spans(moments, array.shape[0])[~constant]


def _row_groups(lengths: Sequence[int], least: int) -> list[slice]:
    """Runs of chunks with at least so many rows: a product is n × n however few they are."""
    edges, rows = [0], 0
    for position, length in enumerate(lengths, start=1):
        rows += length
        if rows >= least:
            edges.append(position)
            rows = 0
    if edges[-1] < len(lengths):
        edges.append(len(lengths))
    return [slice(first, last) for first, last in pairwise(edges)]


def _one_pass(
    chunks: npt.NDArray[np.object_],
    groups: Sequence[slice],
    exponents: Sequence[npt.NDArray[np.int64] | None],
) -> tuple[_Moments, dict[tuple[int, int], Doubles]]:
    """Moments of all columns, and G for each pair of column blocks i ≥ j."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    n_blocks = chunks.shape[1]
    basis = [
        dask.delayed(_basis)(chunks[groups[0], block].tolist(), exponent)
        for block, exponent in enumerate(exponents)
    ]
    shifted = dask.delayed(_shifted)
    rows = [[chunks[group, block].tolist() for block in range(n_blocks)] for group in groups]
    prepared = [[shifted(row[k], basis[k]) for k in range(n_blocks)] for row in rows]
    moments = dask.delayed(_moments)
    columns = [
        joined(
            [
                moments(row[k], ready[k], basis[k])
                for row, ready in zip(rows, prepared, strict=True)
            ],
            _join,
        )
        for k in range(n_blocks)
    ]
    product = dask.delayed(_product)
    grams = {
        (i, j): joined([product(ready[i], ready[j]) for ready in prepared], _add)
        for i in range(n_blocks)
        for j in range(i + 1)
    }
    found, products = dask.compute(columns, list(grams.values()))
    fields = zip(*(vars(part).values() for part in found), strict=True)
    whole_table = _Moments(*(np.concatenate(field) for field in fields))
    return whole_table, dict(zip(grams, products, strict=True))


def joined(parts: list[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Join results in groups of neighbours, in an order that never varies."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    task = dask.delayed(join)
    while len(parts) > 1:
        parts = [task(parts[k : k + _FAN_IN]) for k in range(0, len(parts), _FAN_IN)]
    return parts[0]


@_QUIET
def _basis(chunks: list[Floats], exponent: npt.NDArray[np.int64] | None) -> _Basis:
    """Choose shift and scale from the first rows (on a worker)."""
    chunk = np.concatenate(chunks).astype(np.float64)
    grid = _grids(chunk - chunk[0])
    on_grid = (grid > NO_GRID) & (grid < ANY_GRID)
    if exponent is None:
        exponent = np.where(on_grid, grid, _exponents(np.abs(chunk).max(axis=0)))
    scaled = _Basis(exponent, np.zeros(chunk.shape[1])).shifted(chunk)
    centre, first = scaled.mean(axis=0), scaled[0]
    # A shift along the grid keeps values on it; missing values are reported later.
    step = np.ldexp(1.0, np.where(on_grid, grid - exponent, 0))
    place = first + step * np.rint((centre - first) / step)
    centre = np.where(on_grid & (step > 0), place, np.where(grid == ANY_GRID, first, centre))
    return _Basis(exponent, np.where(np.isfinite(centre), centre, 0.0))


def _grids(rows: Doubles) -> npt.NDArray[np.int64]:
    """The grid of each column."""
    return grids_of_runs(rows.T.ravel(), len(rows) * np.arange(rows.shape[1] + 1))


def _exponents(largest: Floats) -> npt.NDArray[np.int64]:
    """A power of two that brings each column near 1."""
    largest = np.where(np.isfinite(largest), largest, 0.0).astype(np.float64)
    return np.frexp(largest)[1].astype(np.int64)


@_QUIET
def _shifted(chunks: list[Floats], basis: _Basis) -> Doubles:
    """The rows of a group, shifted (on a worker)."""
    return basis.shifted(chunks[0] if len(chunks) == 1 else np.concatenate(chunks))


@_QUIET
def _moments(chunks: list[Floats], shifted: Doubles, basis: _Basis) -> _Moments:
    """What is known of the columns of a group (on a worker)."""
    return _Moments(
        shifted.sum(axis=0),
        reduce(np.minimum, [chunk.min(axis=0) for chunk in chunks]).astype(np.float64),
        reduce(np.maximum, [chunk.max(axis=0) for chunk in chunks]).astype(np.float64),
        _grids(shifted),
        basis.exponent,
        basis.centre,
    )


@_QUIET
def _product(left: Doubles, right: Doubles) -> Doubles:
    return np.asarray(left.T @ right)


@_QUIET
def _join(parts: list[_Moments]) -> _Moments:
    return _Moments(
        reduce(np.add, [part.sums for part in parts]),
        reduce(np.minimum, [part.lowest for part in parts]),
        reduce(np.maximum, [part.highest for part in parts]),
        reduce(np.minimum, [part.grid for part in parts]),
        parts[0].exponent,
        parts[0].centre,
    )


@_QUIET
def _add(parts: list[Doubles]) -> Doubles:
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def _correlation_blocks(
    moments: _Moments,
    grams: dict[tuple[int, int], Doubles],
    edges: Sequence[int],
    n_samples: int,
) -> Iterator[tuple[slice, slice, Doubles]]:
    """Turn the blocks of G into correlations of the columns that vary, with their places."""
    sums, squares = moments.sums, _squares(grams)
    exact, shift = _exact_shifts(moments, squares, n_samples)
    shift = np.where(exact, shift, sums / n_samples)
    rest = np.where(exact, sums - n_samples * shift, 0.0)
    spreads = n_samples * (squares - shift * (sums + rest)) - rest * rest
    varying = moments.lowest != moments.highest
    starts = np.cumsum([0, *varying])[edges].tolist()
    for i, j in list(grams):
        rows, columns = (np.flatnonzero(varying[edges[k] : edges[k + 1]]) for k in (i, j))
        block = grams.pop((i, j))[np.ix_(rows, columns)]
        rows, columns = rows + edges[i], columns + edges[j]
        block -= np.multiply.outer(shift[rows], sums[columns])
        block -= np.multiply.outer(rest[rows], shift[columns])
        pair = (rest[rows], rest[columns]), (spreads[rows], spreads[columns])
        finish_correlation(block, float(n_samples), *pair)
        yield slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1]), block


@_QUIET
def _spans(moments: _Moments, n_samples: int) -> Doubles:
    """The extremes and the mean of each column, from sums that are exact on a grid."""
    lowest = np.ldexp(moments.lowest, -moments.exponent)
    above = moments.sums + n_samples * (moments.centre - lowest)
    return spans_of_sums(moments.lowest, moments.highest, above, moments.exponent, n_samples)


def _squares(grams: dict[tuple[int, int], Doubles]) -> Doubles:
    """Σc² of each column, from the diagonal of G."""
    return np.concatenate([gram.diagonal() for (i, j), gram in grams.items() if i == j])


@_QUIET
def _exact_shifts(
    moments: _Moments, squares: Doubles, n_samples: int
) -> tuple[npt.NDArray[np.bool_], Doubles]:
    """Columns whose sums float64 holds before and after a shift along their grid, and it."""
    on_grid = moments.grid > NO_GRID
    # What is zero everywhere lies on any grid.
    step = np.ldexp(1.0, np.where(on_grid & (moments.grid < ANY_GRID), moments.grid, 0))
    sums, squares = moments.sums / step, squares / step / step
    shift = np.rint(sums / n_samples)
    moved = n_samples * shift * shift
    exact = on_grid & (squares < EXACT / 4) & (moved < EXACT / 4)
    after = squares - 2 * shift * sums + moved
    return exact & (n_samples * after < EXACT), shift * step
