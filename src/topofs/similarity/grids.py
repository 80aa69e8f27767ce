"""Grids of powers of two that the values of a column lie on, so that sums of them are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ANY_GRID", "EXACT", "NO_GRID", "exact_grids_of_rows", "grids_of_runs"]

Values = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

# The grid of values that lie on none, and that of zeros, which lie on all.
NO_GRID, ANY_GRID = -(10**6), 10**6
# Below this the power of two that makes whole numbers of the values is too large for float64.
LOWEST = -1000
# Every integer up to this one is a float64, so sums of products below it are exact.
EXACT = 2.0**53
# A range of more steps has a sum of squares beyond it.
RANGE_BITS = 27
# Half a range beyond these may overflow, or have no digits left.
SMALLEST, LARGEST = 2.0**-970, 2.0**1022
# So many values of a row tell that most rows of reals lie on no grid.
FIRST = 8
# Values looked at together; they stay in the cache.
BLOCK = 1 << 15

# Values too large for a grid become infinite steps, which the sum of squares rules out.
_QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore")


@_QUIET
def exact_grids_of_rows(
    columns: Values, lowest: Doubles, highest: Doubles
) -> tuple[Ints, Doubles]:
    """Find the coarsest grid of each row on which its sums are exact, or `NO_GRID`.

    With x₀ the lowest value of a row, c = (x − x₀)·2⁻ᵉ − shift are whole numbers near 0 and
    S·Σc² < 2⁵³: given are the largest such e and the shift. Rows are finite, `lowest` and
    `highest` their extremes.
    """
    grids, shifts = np.full(len(columns), NO_GRID), np.zeros(len(columns))
    grids[lowest == highest] = 0
    half = highest / 2 - lowest / 2
    exponent = np.frexp(half)[1].astype(np.int64) + 1 - RANGE_BITS
    able = np.flatnonzero((half > SMALLEST) & (half < LARGEST))
    first = columns[able, :FIRST] * np.ldexp(1.0, -exponent[able])[:, None]
    able = able[(first == np.rint(first)).all(axis=1)]
    step = max(1, BLOCK // max(1, columns.shape[1]))
    for start in range(0, len(able), step):
        some = able[start : start + step]
        grids[some], shifts[some] = _exact_grids(columns[some], lowest[some], exponent[some])
    return grids, shifts


def _exact_grids(rows: Values, lowest: Doubles, exponent: Ints) -> tuple[Ints, Doubles]:
    """The same of rows that vary, which lie on a finer grid of 2 to the `exponent`, or on none."""
    n = rows.shape[1]
    steps = rows * np.ldexp(1.0, -exponent)[:, None]
    whole = (steps == np.rint(steps)).all(axis=1)
    np.subtract(rows, lowest[:, None], out=steps)
    steps *= np.ldexp(1.0, -exponent)[:, None]
    bits = np.bitwise_or.reduce(steps.astype(np.int64), axis=1)
    zeros = _zeros_at_end(np.where(whole, bits, 1))
    steps *= np.ldexp(1.0, -zeros)[:, None]
    shifts = np.rint(steps.sum(axis=1) / n)
    steps -= shifts[:, None]
    # Whole numbers: where a sum below the limit is exact, its order does not matter.
    exact = whole & (n * np.einsum("ij,ij->i", steps, steps) < EXACT)
    return np.where(exact, exponent + zeros, NO_GRID), np.where(exact, shifts, 0.0)


@_QUIET
def grids_of_runs(values: Values, starts: npt.NDArray[Any]) -> Ints:
    """Find the grids of runs of values: of ``values[starts[i]:starts[i + 1]]`` for each i.

    A grid is the largest e such that all values are whole multiples of 2ᵉ, at most 2⁵³ of them;
    `NO_GRID` where there is none, or a value is not finite; `ANY_GRID` for zeros, and for none.
    """
    n_runs = len(starts) - 1
    grids = np.full(n_runs, ANY_GRID)
    first = 0
    while first < n_runs:
        # As many runs as a cache holds, at least one.
        fits = np.searchsorted(starts, starts[first] + BLOCK, side="right") - 1
        last = min(max(first + 1, int(fits)), n_runs)
        lengths = np.diff(starts[first : last + 1])
        filled = lengths > 0
        if filled.any():
            part = values[starts[first] : starts[last]]
            grids[first:last][filled] = _grids_of_runs(part, lengths[filled])
        first = last
    return grids


def _grids_of_runs(values: Values, lengths: Ints) -> Ints:
    """The same of runs that follow each other; none is empty."""
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    values = values.astype(np.float64)
    peak = np.fmax.reduceat(np.abs(values), first)
    exponent = np.where(peak > 0, np.frexp(peak)[1].astype(np.int64) - 53, 0)
    able = (exponent >= LOWEST) & np.isfinite(peak)
    exponent[~able] = 0
    values *= np.repeat(np.ldexp(1.0, -exponent), lengths)
    able &= np.logical_and.reduceat(values == np.rint(values), first)
    # Where a run has no grid, its words count for nothing.
    values[np.repeat(~able, lengths)] = 0.0
    bits = np.bitwise_or.reduceat(values.astype(np.int64), first)
    found = np.where(bits == 0, ANY_GRID, exponent + _zeros_at_end(bits))
    return np.where(able, found, NO_GRID)


def _zeros_at_end(bits: Ints) -> Ints:
    """How many zeros each word ends with; 0 for the word 0."""
    lowest = (bits & -bits).astype(np.float64)
    return np.where(bits == 0, 0, np.frexp(lowest)[1].astype(np.int64) - 1)
