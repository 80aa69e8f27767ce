"""Similarity of the columns of a dask array, computed where its chunks lie.

There are two methods. Blocks of complete columns are prepared as in memory, and workers
multiply their pairs. Or, for Pearson's correlation of a table chunked in rows, products are
summed over the chunks in one pass. Only the finished matrix is sent to the client.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.backends.dask_table import in_blocks, whole_columns
from topofs.errors import import_extra
from topofs.similarity.base import dense
from topofs.similarity.column_order import spans_of_columns, spans_of_sums
from topofs.similarity.correlation import (
    ANY_GRID,
    EXACT,
    NO_GRID,
    Correlation,
    finish_correlation,
    grids_of_runs,
    unit_columns,
)
from topofs.similarity.moments import MomentCorrelation, merged, moments_of
from topofs.similarity.table import is_constant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from topofs.similarity.base import Measure
    from topofs.similarity.moments import Moments
    from topofs.typing import Bools, Doubles, Floats, Ints

dask: Any = import_extra("dask", extra="dask", purpose="A dask collection as X")

# Entries of the matrix that travel to the client at a time.
_ENTRIES = 2**25
# Results that one task of the reduction adds up.
_FAN_IN = 8
# Below this a sum of squares of numbers near 1 has vanished, or the product of two such sums will;
# above its inverse, overflowed.
_VANISHED = 1e-120
# Missing and infinite values, and overflow, are handled after the extremes are known.
_QUIET = np.errstate(over="ignore", invalid="ignore", divide="ignore")


@dataclass(frozen=True)
class DaskSimilarity:
    """The symmetric similarity of the columns that vary, and a mask of the constant columns.

    It also holds the spans of the columns that vary, which determine their order by values. Where
    values are missing, `moments` of the columns that vary give the similarity.
    """

    values: Floats
    constant: Bools
    spans: Doubles
    moments: Moments | None = None


def dask_similarity(array: Any, measure: Measure) -> DaskSimilarity:
    """Compute the similarity of the columns of a checked dask array on its workers.

    Pearson's correlation of a table chunked in rows is reduced from the products of its chunks,
    G = Σ Cₖ⊤Cₖ, in one pass. A table in one chunk of rows, and every table for ranks, is cut
    into blocks of whole columns; each block is prepared once, and workers multiply all pairs of
    blocks. Whole numbers and ranks give the same bits as in memory; other columns agree up to
    rounding.
    """
    if measure.products == "values" and array.numblocks[0] > 1:
        return _similarity_of_rows(in_blocks(array), measure)
    prepared = prepare_blocks(whole_columns(array, measure).to_delayed()[0], measure)
    values = _gather(prepared.blocks, prepared.diagonals, array.dtype)
    return DaskSimilarity(values, prepared.constant, prepared.spans)


@dataclass(frozen=True)
class _Facts:
    """Facts about a block for the client; the extremes are NaN where a value is missing.

    `wide`: prepared columns are float64. `exact`: sums of products are whole numbers, of any
    column for values, of all columns for ranks. The diagonal and the spans are those of the
    columns that vary.
    """

    lowest: Floats
    highest: Floats
    wide: bool = False
    exact: bool = False
    diagonal: Floats = field(default_factory=lambda: np.empty(0))
    spans: Doubles = field(default_factory=lambda: np.empty((0, 3)))


@dataclass(frozen=True)
class PreparedBlocks:
    """Operators of blocks of columns that vary, persisted on the workers.

    A block without such columns is left out. It also gives the diagonal of each block, a mask
    of the constant columns, and the spans of the columns that vary. One task may request
    columns of `at_once` bytes.
    """

    blocks: Sequence[Any]
    diagonals: Sequence[Floats]
    constant: Bools
    spans: Doubles
    at_once: int = 0


def prepare_blocks(chunks: Sequence[Any], measure: Measure) -> PreparedBlocks:
    """Prepare blocks of whole columns where they lie, in the form of the table in memory."""
    prepare = dask.delayed(_prepare, nout=2)
    blocks = [tuple(prepare(chunk, measure)) for chunk in chunks]
    blocks = dask.persist(*blocks)
    facts: Sequence[_Facts] = dask.compute(*[fact for _, fact in blocks])
    lowest = np.concatenate([fact.lowest for fact in facts])
    highest = np.concatenate([fact.highest for fact in facts])
    check_complete(lowest, highest)
    used = [i for i, fact in enumerate(facts) if len(fact.diagonal)]
    wide = any(facts[i].wide for i in used)
    of_values = measure.products == "values"
    exact = (any if of_values else all)(facts[i].exact for i in used)
    settle = dask.delayed(_like_the_others)
    prepared = []
    for i in used:
        operator = blocks[i][0]
        if wide and not facts[i].wide:
            # float32 columns beside whole numbers become float64, as in memory.
            operator = prepare(chunks[i].astype(np.float64), measure)[0]
        prepared.append(settle(operator, of_values, exact))
    spans = np.concatenate([fact.spans for fact in facts])
    diagonals = [facts[i].diagonal for i in used]
    return PreparedBlocks(dask.persist(*prepared), diagonals, highest == lowest, spans)


def _prepare(X: Floats, measure: Measure) -> tuple[Any, _Facts]:
    """Prepare the columns of one block that vary, if there are any (on a worker)."""
    facts = _Facts(X.min(axis=0), X.max(axis=0))
    complete = (np.isfinite(facts.lowest) & np.isfinite(facts.highest)).all()
    varying = np.flatnonzero(~is_constant(X)) if complete else np.empty(0, np.int64)
    if not len(varying):
        return None, facts
    X = X if len(varying) == X.shape[1] else X[:, varying]
    operator: Any = measure.operator(X)
    of_values = measure.products == "values"
    return operator, replace(
        facts,
        wide=operator.values.dtype == np.float64,
        exact=operator.scale != 1.0 if of_values else _counts_ranks(operator),
        diagonal=operator.diagonal(),
        spans=spans_of_columns(X),
    )


def _counts_ranks(operator: Correlation) -> bool:
    """Whether the columns are ranks, and not scaled to unit length."""
    return bool((operator.spreads != 1.0).all())


def _like_the_others(operator: Correlation, of_values: bool, exact: bool) -> Correlation:  # noqa: FBT001 - a task
    """Convert a prepared block to the form that the table has in memory (on a worker)."""
    n_features, n_samples = operator.n_features, float(operator.n_samples)
    if of_values and exact and operator.scale == 1.0:
        # Unit columns beside whole numbers: Σc² = 1, so v = S·1 − 0.
        return replace(operator, scale=n_samples, spreads=np.full(n_features, n_samples))
    if not of_values and not exact and _counts_ranks(operator):
        values = unit_columns(operator.values)
        return replace(operator, values=values, spreads=np.ones(n_features))
    return operator


def gather_columns(
    chunks: Sequence[Any], wanted: Bools, n_samples: int, dtype: np.dtype[Any]
) -> Floats:
    """Load wanted columns, a block at a time, in Fortran order, which similarities need."""
    columns = np.empty((int(wanted.sum()), n_samples), dtype=dtype)
    seen = filled = 0
    for chunk in chunks:
        (block,) = dask.compute(chunk)
        some = wanted[seen : seen + block.shape[1]]
        seen += len(some)
        n_here = int(some.sum())
        columns[filled : filled + n_here] = block.T[some]
        filled += n_here
    return columns.T


def _gather(
    prepared: Sequence[Any], diagonals: Sequence[Floats], dtype: np.dtype[Any]
) -> Floats:
    """Multiply all pairs of blocks and put the entries into one matrix."""
    widths = [len(diagonal) for diagonal in diagonals]
    starts = np.cumsum([0, *widths]).tolist()
    place = [slice(first, last) for first, last in pairwise(starts)]
    similarity = np.empty((starts[-1], starts[-1]), dtype=dtype)
    product = dask.delayed(_product)
    for wave in _waves(widths):
        entries = dask.compute(*[product(prepared[i], prepared[j], dtype) for i, j in wave])
        for (i, j), block in zip(wave, entries, strict=True):
            put_block(similarity, block, place[i], place[j])
    if diagonals:
        np.fill_diagonal(similarity, np.concatenate(diagonals))
    return similarity


def _product(left: Any, right: Any, dtype: np.dtype[Any]) -> Floats:
    """Entries between two blocks (on a worker)."""
    return np.asarray(left.cross(slice(None), right), dtype=dtype)


def _waves(widths: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Cut the pairs of blocks, i ≥ j, into runs of about `_ENTRIES` entries."""
    wave: list[tuple[int, int]] = []
    entries = 0
    for i, width in enumerate(widths):
        for j in range(i + 1):
            wave.append((i, j))
            entries += width * widths[j]
            if entries >= _ENTRIES:
                yield wave
                wave, entries = [], 0
    if wave:
        yield wave


@dataclass(frozen=True)
class _Basis:
    """Shift and scale of the columns of a block: c = x·2⁻ᵉ − centre.

    The centre is the mean of the first rows; if they lie on a grid plus a constant, it is a
    point of that grid.
    """

    exponent: Ints
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
    """Facts about each column of some rows: Σc, the extremes of x, the grid of c, and c."""

    sums: Doubles
    lowest: Doubles
    highest: Doubles
    grid: Ints
    exponent: Ints
    centre: Doubles


def _similarity_of_rows(array: Any, measure: Measure) -> DaskSimilarity:
    """Reduce the products of all chunks to a function of r.

    With c the columns shifted by the mean of the first rows, and over all S rows G = Σ c c⊤ and
    s = Σ c, shifted once more by d = s / S, G' = G − d s⊤ − s d⊤ + S d d⊤ and
    rᵢⱼ = (S G'ᵢⱼ − s'ᵢ s'ⱼ) / √(vᵢ vⱼ), where v = S G'ᵢᵢ − s'ᵢ².

    A column on a grid is shifted by multiples of it (d is rounded), so every sum is exact and r
    has the same bits as `Correlation` in memory, on the same condition S·Σc² < 2⁵³. For other
    columns the first m of S rows bound the loss: they lie about d from the mean, so S·Σ(x −
    x̄)² ≥ m·S·d², and the error of r is at most about S/m roundings.

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
    if np.isnan(moments.lowest).any():
        return _pairwise_similarity(array, groups, measure)
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
    return DaskSimilarity(similarity, constant, _spans(moments, array.shape[0])[~constant])


def _pairwise_similarity(
    array: Any, groups: Sequence[slice], measure: Measure
) -> DaskSimilarity:
    """Merge the moments of all chunks, pair by pair over the rows that have both columns."""
    columns = [block.tolist() for block in array.to_delayed().T]
    of_rows = dask.delayed(_moments_of_rows)
    parts = [of_rows([block[group] for block in columns]) for group in groups]
    (moments,) = dask.compute(joined(parts, merged))
    infinite = np.flatnonzero(np.isinf(moments.lowest) | np.isinf(moments.highest))
    if infinite.size:
        raise ValueError(f"column {infinite[0]} of X holds an infinite value")
    varying = moments.select(np.flatnonzero(~moments.constant))
    plain = MomentCorrelation(moments=varying, dtype=array.dtype)
    values = measure.of_correlation(dense(plain))
    return DaskSimilarity(values, moments.constant, varying.spans(), varying)


def _moments_of_rows(blocks: list[list[Floats]]) -> Moments:
    """Moments of some chunks of rows, each of blocks of columns (on a worker)."""
    rows = np.concatenate([np.concatenate(chunks) for chunks in blocks], axis=1)
    return moments_of(np.ascontiguousarray(rows.T))


def _row_groups(lengths: Sequence[int], least: int) -> list[slice]:
    """Runs of chunks with at least this many rows, as every product is n × n."""
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
    exponents: Sequence[Ints | None],
) -> tuple[_Moments, dict[tuple[int, int], Doubles]]:
    """Moments of all columns, and G for each pair of column blocks i ≥ j."""
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
    product = dask.delayed(_row_product)
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
    """Join results in groups of neighbours, in a fixed order."""
    task = dask.delayed(join)
    while len(parts) > 1:
        parts = [task(parts[k : k + _FAN_IN]) for k in range(0, len(parts), _FAN_IN)]
    return parts[0]


@_QUIET
def _basis(chunks: list[Floats], exponent: Ints | None) -> _Basis:
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


def _grids(rows: Doubles) -> Ints:
    """The grid of each column."""
    return grids_of_runs(rows.T.ravel(), len(rows) * np.arange(rows.shape[1] + 1))


def _exponents(largest: Floats) -> Ints:
    """A power of two that brings each column near 1."""
    largest = np.where(np.isfinite(largest), largest, 0.0).astype(np.float64)
    return np.frexp(largest)[1].astype(np.int64)


@_QUIET
def _shifted(chunks: list[Floats], basis: _Basis) -> Doubles:
    """The rows of a group, shifted (on a worker)."""
    return basis.shifted(chunks[0] if len(chunks) == 1 else np.concatenate(chunks))


@_QUIET
def _moments(chunks: list[Floats], shifted: Doubles, basis: _Basis) -> _Moments:
    """Facts about the columns of a group (on a worker)."""
    return _Moments(
        shifted.sum(axis=0),
        reduce(np.minimum, [chunk.min(axis=0) for chunk in chunks]).astype(np.float64),
        reduce(np.maximum, [chunk.max(axis=0) for chunk in chunks]).astype(np.float64),
        _grids(shifted),
        basis.exponent,
        basis.centre,
    )


@_QUIET
def _row_product(left: Doubles, right: Doubles) -> Doubles:
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
def _exact_shifts(moments: _Moments, squares: Doubles, n_samples: int) -> tuple[Bools, Doubles]:
    """The shift along the grid, and which sums float64 holds before and after it."""
    on_grid = moments.grid > NO_GRID
    # A column of zeros lies on any grid.
    step = np.ldexp(1.0, np.where(on_grid & (moments.grid < ANY_GRID), moments.grid, 0))
    sums, squares = moments.sums / step, squares / step / step
    shift = np.rint(sums / n_samples)
    moved = n_samples * shift * shift
    exact = on_grid & (squares < EXACT / 4) & (moved < EXACT / 4)
    after = squares - 2 * shift * sums + moved
    return exact & (n_samples * after < EXACT), shift * step


def check_complete(lowest: Floats, highest: Floats) -> None:
    """Refuse missing and infinite values by the extremes of columns, NaN where one is missing."""
    n_features = len(lowest)
    missing = np.flatnonzero(np.isnan(lowest) | np.isnan(highest))
    if missing.size:
        raise ValueError(
            f"{missing.size} of {n_features} columns of X have missing values (the first is "
            f"column {missing[0]}), which workers compare by 'pearson' and in chunks of rows only: "
            "fill them in first (as by X.fillna), or load the table with X.compute()"
        )
    infinite = np.flatnonzero(np.isinf(lowest) | np.isinf(highest))
    if infinite.size:
        raise ValueError(f"column {infinite[0]} of X holds an infinite value")


def put_block(similarity: Floats, block: Floats, rows: slice, columns: slice) -> None:
    """Put a block of the lower triangle, and its mirror image, into the matrix.

    Of a block on the diagonal only the entries below the diagonal count.
    """
    if rows == columns:
        above = np.triu_indices(len(block), k=1)
        block[above] = block.T[above]
        similarity[rows, rows] = block
    else:
        similarity[rows, columns] = block
        similarity[columns, rows] = block.T
