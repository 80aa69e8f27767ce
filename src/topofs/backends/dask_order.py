"""The order of columns that their values decide, found where the chunks of a table lie."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.backends.dask_similarity import joined
from topofs.backends.dask_table import in_blocks
from topofs.errors import import_extra
from topofs.similarity.column_order import (
    DISTANCE,
    ITSELF,
    STANDING,
    HashedRows,
    order_by_keys,
    row_numbers,
    same_mirrored,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["order_on_workers"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


def order_on_workers(array: Any, varying: Flags, spans: Doubles) -> Ints:
    """Order the columns of a checked dask array that vary as `value_order` does in memory.

    Hashes are sums of whole numbers, so each chunk gives its own and they are added up: in one
    pass over the table, and in one or two more where columns have the same distances from their
    means.

    Parameters
    ----------
    array : dask.array.Array
        The table, in any chunks.
    varying : array of bool, shape (n_features,)
        The columns that vary.
    spans : array, shape (n_varying, 3)
        What is known of them, as `topofs.similarity.column_order.spans_of_columns` gives it.

    Returns
    -------
    array of int64, shape (n_varying,)
    """
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    array = in_blocks(array)
    # Where each block begins among all columns, and among those that vary.
    edges = np.cumsum([0, *array.chunks[1]]).tolist()
    starts = np.cumsum([0, *varying])[edges].tolist()
    take = dask.delayed(_varying_columns)
    blocks = [
        [dask.delayed(varying[first:last]), dask.delayed(spans[start:stop])]
        for (first, last), (start, stop) in zip(pairwise(edges), pairwise(starts), strict=True)
    ]
    bands = [
        [take(chunk, *block) for chunk, block in zip(band, blocks, strict=True)]
        for band in array.to_delayed().tolist()
    ]
    distances = dask.delayed(_distances)
    multisets = _added_up([[distances(part) for part in band] for band in bands])

    @cache
    def further_keys() -> Hashes:
        tied = _tied(multisets)
        seeds = [dask.delayed(multisets[start:stop]) for start, stop in pairwise(starts)]
        some = [
            dask.delayed(np.flatnonzero(tied[start:stop])) for start, stop in pairwise(starts)
        ]
        of_rows, add = dask.delayed(_row_hashes), dask.delayed(_sum)
        rows = [add(list(map(of_rows, band, seeds))) for band in bands]
        if len(seeds) > 1:
            # Or all blocks of some rows would have to wait for one another.
            rows = dask.persist(*rows)
        ask, begin = dask.delayed(_keys_of_tied), np.cumsum([0, *array.chunks[0]]).tolist()
        found = _added_up(
            [
                [ask(part, these, first, which) for part, which in zip(band, some, strict=True)]
                for band, these, first in zip(bands, rows, begin, strict=False)
            ]
        )
        there, back, *others = found
        keys = np.zeros((len(others) + 1, len(multisets)), np.uint64)
        keys[:, tied] = [same_mirrored(there, back), *others]
        return keys

    return order_by_keys(
        multisets, *(lambda some, k=k: further_keys()[k, some] for k in range(4))
    )


def _added_up(bands: list[list[Any]]) -> Hashes:
    """Add up the hashes of all bands of rows, and put those of the blocks side by side."""
    dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
    found = dask.compute(*[joined(list(block), _sum) for block in zip(*bands, strict=True)])
    return np.concatenate(found, axis=-1)


def _tied(keys: Hashes) -> Flags:
    """Which keys are not the only ones of their kind."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] > 1)


def _varying_columns(chunk: Floats, varying: Flags, spans: Doubles) -> HashedRows:
    """The columns of a chunk that vary (on a worker)."""
    return HashedRows(chunk if varying.all() else chunk[:, varying], spans)


def _distances(part: HashedRows) -> Hashes:
    n_samples, n_features = part.table.shape
    return part.hashes(DISTANCE, np.zeros(n_samples, np.uint64), np.arange(n_features))


def _row_hashes(part: HashedRows, seeds: Hashes) -> Hashes:
    """What tells the rows of a chunk apart, without and with the side of the mean."""
    return np.stack([part.of_rows(DISTANCE, seeds), part.of_rows(STANDING, seeds)])


def _keys_of_tied(part: HashedRows, rows: Hashes, first: int, some: Ints) -> Hashes:
    """All that tells some columns apart, from one chunk of them."""
    n_samples = part.table.shape[0]
    nothing = np.zeros(n_samples, np.uint64)
    return np.stack(
        [
            *part.hashes_both_ways(rows[0], some),
            part.hashes(STANDING, rows[1], some),
            part.hashes(ITSELF, nothing, some),
            part.hashes(ITSELF, row_numbers(first, first + n_samples), some),
        ]
    )


def _sum(parts: Sequence[Hashes]) -> Hashes:
    return np.asarray(np.sum(parts, axis=0, dtype=np.uint64))
