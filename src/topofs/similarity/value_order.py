"""An order of columns that their values decide: what tells apart columns that tie otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.row_threads import for_each
from topofs.similarity.value_hashes import (
    DISTANCE,
    ITSELF,
    MIRRORED,
    MOST_BITS,
    STANDING,
    hash_columns,
    hash_rows,
    mixed,
    spans_of_rows,
    take_columns,
)
from topofs.tables.typed_table import TypedTable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "HashedRows",
    "matrix_order",
    "move_rows",
    "order_by_keys",
    "permute_in_place",
    "places",
    "row_numbers",
    "same_mirrored",
    "spans_of_columns",
    "spans_of_sums",
    "value_order",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]

# Values held at a time: few enough for a cache.
_BLOCK = 1 << 17
# Columns of a table that lie in one line of the cache.
_LEAST = 8

_ODD = np.uint64(0x9E3779B97F4A7C15)


def value_order(table: Any) -> Ints:
    """Order the columns of a table by their values only; exact copies by position.

    The order has no meaning, but wherever a column stands in the table, it is the same. Scaled,
    shifted and mirrored columns keep their places, unless they are copies but for that; rows may
    stand in any order, unless nothing else tells two columns apart.
    """
    n_samples = table.shape[0]
    spans, multisets = _first_look(table)
    rows, nothing = HashedRows(table, spans), np.zeros(n_samples, np.uint64)

    def both_ways(some: Ints) -> Hashes:
        return same_mirrored(*rows.hashes_both_ways(rows.of_rows(DISTANCE, multisets), some))

    return order_by_keys(
        multisets,
        both_ways,
        lambda some: rows.hashes(STANDING, rows.of_rows(STANDING, multisets), some),
        lambda some: rows.hashes(ITSELF, nothing, some),
        lambda some: rows.hashes(ITSELF, row_numbers(0, n_samples), some),
    )


def spans_of_columns(table: Any) -> Doubles:
    """Give the span of each column: its extremes, and its mean as a share of the range.

    One row a column, as `topofs.similarity.value_hashes` has them; all columns vary.
    """
    return _first_look(table)[0]


def spans_of_sums(
    lowest: Doubles, highest: Doubles, sums: Doubles, exponent: Ints, n_samples: int
) -> Doubles:
    """Give the same from Σ(x − lowest)·2⁻ᵉ: the very bits where this sum is exact."""
    half_range = highest / 2 - lowest / 2
    bits = np.clip(np.frexp(half_range)[1].astype(np.int64), -MOST_BITS, MOST_BITS)
    means = np.ldexp(sums, exponent - 1 - bits) / n_samples / np.ldexp(half_range, -bits)
    return np.column_stack([lowest, highest, means])


def _first_look(table: Any) -> tuple[Doubles, Hashes]:
    """The spans of all columns, and hashes of their distances from the mean."""
    n_samples, n_features = table.shape
    spans, hashes = np.empty((n_features, 3)), np.empty(n_features, np.uint64)
    nothing = np.zeros(n_samples, np.uint64)

    def look(some: slice) -> None:
        columns = _columns(table, np.arange(n_features)[some])
        spans[some] = spans_of_rows(columns)
        hashes[some] = hash_columns(columns, DISTANCE, spans[some], nothing)

    for_each(look, _parts(n_samples, n_features))
    return spans, hashes


@dataclass(frozen=True)
class HashedRows:
    """Hashes of some rows of a table whose columns have known spans.

    Those of a column, or of a row, add up over rows, or columns, of other parts of the table.
    """

    table: Any
    spans: Doubles

    def hashes(self, what: int, seeds: Hashes, some: Ints) -> Hashes:
        """What counts of some columns; the seeds tell rows apart."""
        found = np.empty(len(some), np.uint64)

        def hash_part(part: slice) -> None:
            columns, spans = _columns(self.table, some[part]), self.spans[some[part]]
            found[part] = hash_columns(columns, what, spans, seeds)

        for_each(hash_part, _parts(self.table.shape[0], len(some)))
        return found

    def hashes_both_ways(self, seeds: Hashes, some: Ints) -> tuple[Hashes, Hashes]:
        """The same of columns as they stand, and of their mirror images."""
        return self.hashes(STANDING, seeds, some), self.hashes(MIRRORED, seeds, some)

    def of_rows(self, what: int, seeds: Hashes) -> Hashes:
        """What tells rows apart, wherever they stand: what counts of the values in them.

        The seeds tell the columns apart.
        """
        n_samples, n_features = self.table.shape
        found = np.zeros(n_samples, np.uint64)
        for part in _parts(n_samples, n_features):
            columns = _columns(self.table, np.arange(n_features)[part])
            values = take_columns(columns, what, self.spans[part])
            found += hash_rows(values.T, seeds[part])
        return found


def row_numbers(first: int, last: int) -> Hashes:
    """Seeds that tell rows apart by where they stand."""
    return np.arange(first, last, dtype=np.uint64) * _ODD


def same_mirrored(there: Hashes, back: Hashes) -> Hashes:
    """The same for a column and its mirror image, by the hashes of both."""
    found: Hashes = mixed(there) + mixed(back)
    return found


def matrix_order(matrix: npt.NDArray[np.floating[Any]]) -> Ints:
    """Order the columns that a similarity compares by their similarities, as `value_order` does."""
    n = len(matrix)
    own = hash_rows(matrix.diagonal()[:, None], np.zeros(1, np.uint64))

    def hashes(seeds: Hashes, some: Ints) -> Hashes:
        found = np.empty(len(some), np.uint64)
        step = max(1, _BLOCK // n)
        for first in range(0, len(some), step):
            rows = some[first : first + step]
            found[first : first + step] = hash_rows(matrix[rows], seeds)
        return found + own[some]

    first = hashes(np.zeros(n, np.uint64), np.arange(n))
    # What the others are like tells apart columns that are alike equally much.
    return order_by_keys(first, lambda some: hashes(first, some))


def order_by_keys(first: Hashes, *others: Callable[[Ints], Hashes]) -> Ints:
    """Sort by the first key; by each further one only what is equal so far."""
    keys = [first]
    for other in others:
        order = np.lexsort(keys[::-1])
        equal = np.ones(len(order) - 1, np.bool_)
        for key in keys:
            equal &= key[order[1:]] == key[order[:-1]]
        tied = np.zeros(len(order), np.bool_)
        tied[order[1:][equal]] = tied[order[:-1][equal]] = True
        if not tied.any():
            return order
        keys.append(np.zeros(len(order), np.uint64))
        keys[-1][tied] = other(np.flatnonzero(tied))
    return np.lexsort(keys[::-1])


def places(order: Ints) -> Ints:
    """Where each stands in an order: the inverse of a permutation."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def permute_in_place(matrix: npt.NDArray[Any], order: Ints) -> None:
    """Make row and column ``order[i]`` of a square matrix its i-th, without a second matrix."""
    move_rows(matrix, order, columns=order)


def move_rows(
    matrix: npt.NDArray[Any], order: Ints, *, columns: Ints | slice = slice(None)
) -> None:
    """Make row ``order[i]`` of a matrix its i-th, without a second matrix.

    `columns` are those of each row, in the order that they get.
    """
    done = np.zeros(len(order), np.bool_)
    for start in range(len(order)):
        if done[start]:
            continue
        # Along a cycle each row moves once; the first waits until its place is free.
        row, kept = start, matrix[start, columns].copy()
        while order[row] != start:
            matrix[row] = matrix[order[row], columns]
            done[row] = True
            row = order[row]
        matrix[row] = kept
        done[row] = True


def _parts(n_samples: int, n_columns: int) -> list[slice]:
    """Cut columns into parts that a cache holds."""
    step = max(_LEAST, _BLOCK // max(1, n_samples))
    return [slice(first, first + step) for first in range(0, n_columns, step)]


def _columns(table: Any, some: Ints) -> Doubles:
    """A copy of some columns, ascending, one a row; codes of names become negative."""
    if isinstance(table, TypedTable):
        columns = [table.columns[position] for position in some]
        parts = [-1 - column.values if column.nominal else column.values for column in columns]
        return np.array(parts, dtype=np.float64)
    together = some[-1] - some[0] == len(some) - 1
    # A slice takes less time than as many positions.
    part = table[:, some[0] : some[-1] + 1] if together else table[:, some]
    part = part.toarray() if sparse.issparse(part) else part
    return np.array(part.T, dtype=np.float64, order="C")
