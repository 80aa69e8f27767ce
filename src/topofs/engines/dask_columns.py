"""Similarity of a dask array in blocks of whole columns: pairs of blocks on the workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.engines.dask_values import check_complete, put_block
from topofs.errors import import_extra
from topofs.similarity.correlation import Correlation, unit_columns
from topofs.similarity.table import is_constant
from topofs.similarity.value_order import spans_of_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topofs.similarity.measure import Measure

__all__ = [
    "PreparedBlocks",
    "gather_columns",
    "prepare_blocks",
    "similarity_of_columns",
]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]

# Entries of the matrix that travel to the client at a time.
_ENTRIES = 2**25


@dataclass(frozen=True)
class _Facts:
    """What the client must know of a block; its extremes are NaN where a value is missing.

    `wide` is whether prepared columns are float64, `exact` whether sums of products are whole
    numbers: of any column for values, of all for ranks. The diagonal and the spans are those of
    the columns that vary.
    """

    lowest: Floats
    highest: Floats
    wide: bool
    exact: bool
    diagonal: Floats
    spans: Doubles


@dataclass(frozen=True)
class _Block:
    """The varying columns of a block, prepared; None where it has none or misses values."""

    operator: Any
    facts: _Facts


def similarity_of_columns(
    array: Any, measure: Measure
) -> tuple[Floats, npt.NDArray[np.bool_], Doubles]:
    """Compute a similarity from the products of all pairs of column blocks.

    The array has one chunk of rows. A block is prepared once, as C_I, and stays on its worker;
    entries between two blocks come from C_I·C_J⊤ on a worker, too. The client gathers those of
    the lower triangle. Gives the matrix of the columns that vary, which of all columns do not,
    and the spans of those that do.
    """
    prepared = prepare_blocks(array.to_delayed()[0], measure)
    values = _gather(prepared.blocks, prepared.diagonals, array.dtype)
    return values, prepared.constant, prepared.spans


@dataclass(frozen=True)
class PreparedBlocks:
    """Operators of blocks of columns that vary, persisted on the workers.

    A block without any is left out. Beside them the diagonal of each, which of all columns are
    constant, and the spans of those that vary.
    """

    blocks: Sequence[Any]
    diagonals: Sequence[Floats]
    constant: npt.NDArray[np.bool_]
    spans: Doubles


def prepare_blocks(chunks: Sequence[Any], measure: Measure) -> PreparedBlocks:
    """Prepare blocks of whole columns where they lie, in the form of the table in memory."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    prepare = dask.delayed(_prepare)
    blocks = dask.persist(*[prepare(chunk, measure) for chunk in chunks])
    facts: Sequence[_Facts] = dask.compute(*[block.facts for block in blocks])
    lowest = np.concatenate([fact.lowest for fact in facts])
    highest = np.concatenate([fact.highest for fact in facts])
    check_complete(lowest, highest)
    used = [i for i, fact in enumerate(facts) if len(fact.diagonal)]
    wide = any(facts[i].wide for i in used)
    of_values = measure.products == "values"
    exact = (any if of_values else all)(facts[i].exact for i in used)
    # float32 columns beside whole numbers count in float64, as in memory.
    again = {i: prepare(chunks[i].astype(np.float64), measure) for i in used}
    settle = dask.delayed(_like_the_others)
    prepared = [
        settle((again if wide and not facts[i].wide else blocks)[i].operator, of_values, exact)
        for i in used
    ]
    prepared = dask.persist(*prepared)
    spans = np.concatenate([fact.spans for fact in facts])
    diagonals = [facts[i].diagonal for i in used]
    return PreparedBlocks(prepared, diagonals, highest == lowest, spans)


def gather_columns(
    chunks: Sequence[Any],
    wanted: npt.NDArray[np.bool_],
    form: tuple[int, np.dtype[Any]],
) -> Floats:
    """Bring wanted columns here, a block at a time, in Fortran order as similarities like it."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    n_samples, dtype = form
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


def _prepare(X: Floats, measure: Measure) -> _Block:
    """Prepare the columns of one block that vary (on a worker)."""
    lowest, highest = X.min(axis=0), X.max(axis=0)
    complete = (np.isfinite(lowest) & np.isfinite(highest)).all()
    varying = np.flatnonzero(~is_constant(X)) if complete else np.empty(0, np.int64)
    if not len(varying):
        nothing = _Facts(
            lowest,
            highest,
            wide=False,
            exact=False,
            diagonal=np.empty(0),
            spans=np.empty((0, 3)),
        )
        return _Block(None, nothing)
    X = X if len(varying) == X.shape[1] else X[:, varying]
    operator: Any = measure.operator(X)
    correlation: Correlation = getattr(operator, "inner", operator)
    of_values = measure.products == "values"
    exact = correlation.scale != 1.0 if of_values else _counts_ranks(correlation)
    facts = _Facts(
        lowest,
        highest,
        wide=correlation.values.dtype == np.float64,
        exact=exact,
        diagonal=operator.diagonal(),
        spans=spans_of_columns(X),
    )
    return _Block(operator, facts)


def _counts_ranks(correlation: Correlation) -> bool:
    """Whether the columns are ranks, and not scaled to unit length."""
    return bool((correlation.spreads != 1.0).all())


def _like_the_others(operator: Any, of_values: bool, exact: bool) -> Any:  # noqa: FBT001 - a task
    """Bring a prepared block to the form that the whole table has in memory (on a worker)."""
    correlation: Correlation = getattr(operator, "inner", operator)
    same = correlation
    if of_values and exact and correlation.scale == 1.0:
        # Unit columns beside whole numbers: Σc² = 1, so v = S·1 − 0.
        n_samples = float(correlation.n_samples)
        same = replace(
            correlation, scale=n_samples, spreads=np.full(correlation.n_features, n_samples)
        )
    elif not of_values and not exact and _counts_ranks(correlation):
        same = replace(
            correlation,
            values=unit_columns(correlation.values),
            spreads=np.ones(correlation.n_features),
        )
    return same if operator is correlation else replace(operator, inner=same)


def _gather(
    prepared: Sequence[Any], diagonals: Sequence[Floats], dtype: np.dtype[Any]
) -> Floats:
    """Multiply all pairs of blocks and put the entries into one matrix."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
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
