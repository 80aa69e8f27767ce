"""Entries of a similarity, computed from columns: one entry, a row, or a tile of the matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from topofs._kernels.compiler import NO_REFCOUNT, njit
from topofs.typing import Doubles, Floats, Ints

# The function of a correlation that gives an entry; GIVEN: the values are the similarity.
CORRELATION, SQUARED, ENERGY, GIVEN = 0, 1, 2, 3
# Rows finished before they are mirrored: one cache line per column.
ROWS = 8


class ColumnWeights(NamedTuple):
    """A similarity between n features, entry by entry, from prepared columns.

    `values`, shape (n, S), are the columns C of `topofs.similarity.correlation.Correlation`;
    `scale`, `sums` and `spreads` are S, s and v of r = (S·G_ij − s_i s_j) / √(v_i v_j). ENERGY
    adds α and the standard deviation of each column. For GIVEN, `values` are the similarity,
    shape (n, n), and nothing else counts. Entries below `level` are 0.
    """

    kind: int
    values: Floats
    scale: float
    sums: Doubles
    spreads: Doubles
    alpha: float
    deviation: Doubles
    level: float


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def weight(weights: ColumnWeights, i: int, j: int, like: Floats) -> Any:
    """Compute entry (i, j) from two columns, in the type of the array `like`.

    The operations and their order are those of `Correlation.block`, so that columns of whole
    numbers give the bits of the matrix.
    """
    if weights.kind == GIVEN:
        return like.dtype.type(weights.values[i, j])
    deviation = weights.deviation
    dispersion = max(deviation[i], deviation[j]) if weights.kind == ENERGY else 0.0
    entry = _finished(
        weights.kind,
        weights.scale * _dot(weights.values[i], weights.values[j]),
        weights.sums[i] * weights.sums[j],
        weights.spreads[i] * weights.spreads[j],
        weights.alpha,
        dispersion,
    )
    rounded = like.dtype.type(entry)
    return rounded if rounded >= weights.level else like.dtype.type(0)


# Divide as numpy does: a division that may raise prevents vector instructions.
@njit(cache=True, nogil=True, error_model="numpy", **NO_REFCOUNT)
def _finished(
    kind: int, gram: float, sums: float, spreads: float, alpha: float, dispersion: float
) -> float:
    """Turn a product of columns, with products of their sums and spreads, into an entry."""
    entry = min(1.0, max(-1.0, (gram - sums) / np.sqrt(spreads)))
    if kind == SQUARED:
        entry = entry * entry
    elif kind == ENERGY:
        entry = (1.0 - abs(entry)) * (1.0 - alpha) + alpha * dispersion
    return entry


@njit(cache=True, nogil=True)
def is_plain(weights: ColumnWeights, first: int, last: int) -> bool:
    """Whether products with the columns first … last − 1 are correlations already."""
    if weights.scale != 1.0 or weights.kind == ENERGY:
        return False
    for j in range(first, last):
        if weights.sums[j] != 0.0 or weights.spreads[j] != 1.0:
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def finish_row(
    gram: Floats,
    left: ColumnWeights,
    i: int,
    right: ColumnWeights,
    first: int,
    plain: bool,  # noqa: FBT001
    row: Floats,
) -> None:
    """Turn products of column i of `left` with columns of `right` into entries of `row`.

    `gram` holds the products with the columns first … first + len(gram) − 1; `plain` tells that
    `is_plain` holds for all of these columns. It computes what `weight` computes, except that
    plain products keep their type and the level is not applied.
    """
    kind, _, scale, left_sums, left_spreads, alpha, left_deviation, _ = left
    if plain:
        one = gram.dtype.type(1)
        squared = kind == SQUARED
        for j in range(len(gram)):
            entry = min(one, max(-one, gram[j]))
            row[j] = entry * entry if squared else entry
        return
    end = first + len(gram)
    sums, spreads = right.sums[first:end], right.spreads[first:end]
    own_sum, own_spread = left_sums[i], left_spreads[i]
    if kind != ENERGY:
        for j in range(len(gram)):
            product = scale * np.float64(gram[j])
            row[j] = _finished(
                kind, product, own_sum * sums[j], own_spread * spreads[j], 0.0, 0.0
            )
        return
    own_deviation, deviation = left_deviation[i], right.deviation[first:end]
    for j in range(len(gram)):
        product, dispersion = scale * np.float64(gram[j]), max(own_deviation, deviation[j])
        row[j] = _finished(
            kind, product, own_sum * sums[j], own_spread * spreads[j], alpha, dispersion
        )


@njit(cache=True, nogil=True)
def finish_tile(
    gram: Floats, weights: ColumnWeights, first: int, left: int, matrix: Floats
) -> None:
    """Write the entries of a tile of the lower triangle of a matrix, and their mirror image.

    `gram`, C-contiguous, are products of the columns from `first` on with those from `left` on;
    its entries above the diagonal are not read, and the level is not applied. A thread that
    fills a tile needs the interpreter only for the product and for this call.
    """
    m, width = gram.shape
    right = left + width
    plain = is_plain(weights, first, first + m) and is_plain(weights, left, right)
    for start in range(first, first + m, ROWS):
        stop = min(start + ROWS, first + m)
        for i in range(start, stop):
            end = min(right, i + 1)
            products, row = gram[i - first, : end - left], matrix[i, left:end]
            finish_row(products, weights, i, weights, left, plain, row)
        for j in range(left, min(right, stop)):
            for i in range(max(start, j + 1), stop):
                matrix[j, i] = matrix[i, j]


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"}, **NO_REFCOUNT)
def _dot(left: Floats, right: Floats) -> float:
    """Sum of products in float64; in any order, which changes no sum of whole numbers."""
    total = 0.0
    for s in range(len(left)):
        total += np.float64(left[s]) * np.float64(right[s])
    return total


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def edge_weights(
    weights: ColumnWeights, edges: Ints, first: int, last: int, found: Floats
) -> None:
    """Write the entries of the pairs first … last − 1 into `found`."""
    for e in range(first, last):
        found[e] = weight(weights, edges[e, 0], edges[e, 1], found)
