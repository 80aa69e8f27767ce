"""A similarity as a matrix: checks of a given matrix, the mean threshold, sums of rows.

The sum of a row does not depend on the order of its terms, so that no answer depends on the order
of the columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import use_numpy
from topofs.runtime import for_row_ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.typing import Doubles, Floats

__all__ = [
    "SimilarityMatrix",
    "check_rows",
    "check_similarity_matrix",
    "row_sums",
    "sum_and_peak",
    "threshold_links_in_place",
    "threshold_mean",
    "threshold_mean_in_place",
    "zero_below",
]

# Entries worked on at a time: a few arrays of them stay in the cache.
_BLOCK = 1 << 14
# Sums that run side by side, as in `topofs._kernels.matrix_scan`.
_LANES = 64


@dataclass(frozen=True)
class SimilarityMatrix:
    """A matrix that passed `check_similarity_matrix`; it may be the given array.

    `values` are C-contiguous floats, finite, exactly symmetric; `mean` is that of all n²
    entries, the diagonal included; `labels` are the column names of a data frame.
    """

    values: Floats
    mean: float
    labels: tuple[str, ...] | None


def check_similarity_matrix(similarity: npt.ArrayLike | SimilarityMatrix) -> SimilarityMatrix:
    """Check that a matrix is square, finite and symmetric, and take its mean on the way.

    Symmetric means up to rounding: mirrored entries may differ by √ε times the largest entry
    (products of matrices, such as `numpy.corrcoef`, are off by the last bit). Where they do
    differ, the entry above the diagonal counts. A matrix that is symmetric, contiguous and
    of a float type is passed on as it is; the checks need no n × n temporary.
    """
    if isinstance(similarity, SimilarityMatrix):
        return similarity
    values = _square_floats(similarity)
    n, sums = len(values), np.empty(len(values))
    found = for_row_ranges(lambda i, j: check_rows(values, i, j, sums), n, n)
    total, (largest, asymmetry) = _exact_sum(sums), map(max, zip(*found, strict=True))
    # A gain is a sum of three entries, so three times the largest must be finite, too.
    if not math.isfinite(total) or 3 * largest > float(np.finfo(values.dtype).max):
        _raise_first_not_finite(values)
    if asymmetry > 0:
        tolerance = float(np.sqrt(np.finfo(values.dtype).eps)) * largest
        if asymmetry > tolerance:
            _raise_first_asymmetry(values, tolerance)
        values = _mirror_upper_half(values)
        total, _ = sum_and_peak(values)
    names = getattr(similarity, "columns", None)
    labels = None if names is None else tuple(map(_name_of, names))
    return SimilarityMatrix(values, total / values.size, labels)


def sum_and_peak(values: Floats) -> tuple[float, float]:
    """Sum of all entries and the largest absolute value; not finite if an entry is not.

    The sum of the row sums is exact (`math.fsum`), so its bits depend on the rows alone.
    """
    n, n_columns = values.shape
    sums = np.empty(n)
    peaks = for_row_ranges(lambda i, j: row_sums(values, i, j, sums), n, n_columns)
    return _exact_sum(sums), max(peaks)


def _exact_sum(sums: Doubles) -> float:
    return math.fsum(sums) if np.isfinite(sums).all() else math.nan


def _square_floats(similarity: npt.ArrayLike) -> Floats:
    if sparse.issparse(similarity):
        raise ValueError("the similarity is sparse; give a dense matrix, as by .toarray()")
    masked = np.argwhere(np.ma.getmask(similarity))
    if masked.size:
        raise ValueError(
            f"entry {tuple(masked[0].tolist())} of the similarity is masked; every entry must be "
            "a finite number (put 0 where a similarity is undefined)"
        )
    values = np.asarray(similarity)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(
            f"the similarity must be a square matrix; got the shape {values.shape}"
        )
    if values.shape[0] == 0:
        raise ValueError("the similarity is empty; give at least one feature")
    if values.dtype not in (np.float32, np.float64):
        # Data frames of nullable numbers come as objects; only trying tells if they are numbers.
        if not np.can_cast(values.dtype, np.float64, "same_kind") and values.dtype != object:
            raise ValueError(f"the similarity must hold real numbers; got {values.dtype}")
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            message = "the similarity must hold real numbers; got other objects"
            raise ValueError(message) from None
    return np.ascontiguousarray(values)


def _name_of(label: Any) -> str:
    """The name of a column of a data frame, as `topofs.io.frames.column_name` has it."""
    if not isinstance(label, tuple):
        return str(label)
    parts = list(map(str, label))
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return ", ".join(parts)


def _raise_first_not_finite(values: Floats) -> None:
    for i, row in enumerate(values):
        bad = np.flatnonzero(~np.isfinite(row))
        if bad.size:
            raise ValueError(
                f"entry ({i}, {bad[0]}) of the similarity is {row[bad[0]]}; every entry must "
                "be a finite number (put 0 where a similarity is undefined)"
            )
    raise ValueError("the entries of the similarity are so large that their sums overflow")


def _raise_first_asymmetry(values: Floats, tolerance: float) -> None:
    for i, row in enumerate(values):
        bad = np.flatnonzero(np.abs(row - values[:, i]) > tolerance)
        if bad.size:
            j = bad[0]
            raise ValueError(
                f"the similarity is not symmetric: entry ({i}, {j}) is {row[j]} but entry "
                f"({j}, {i}) is {values[j, i]}"
            )


def _mirror_upper_half(values: Floats) -> Floats:
    mirrored = values.copy()
    for i in range(1, len(values)):
        mirrored[i, :i] = values[:i, i]
    return mirrored


def threshold_mean(similarity: npt.ArrayLike) -> Floats:
    r"""Set every entry below the mean of the whole matrix, diagonal included, to 0.

    .. math:: w_{ij} = s_{ij}\,[s_{ij} \ge \bar s], \qquad \bar s = n^{-2} \sum_{ij} s_{ij}

    The authors' program does this between the similarity and the TMFG; their text does not
    mention it.

    Parameters
    ----------
    similarity : array-like of float, shape (n, n)
        Symmetric, finite.

    Returns
    -------
    array, shape (n, n)
        A new matrix; float32 for float32 input, else float64.

    Examples
    --------
    >>> from topofs.similarity import threshold_mean
    >>> threshold_mean([[1.0, 0.25], [0.25, 1.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    matrix = check_similarity_matrix(similarity)
    values = matrix.values.copy()
    _zero_below(values, matrix.mean)
    return values


def threshold_mean_in_place(similarity: Floats) -> float:
    """Apply the threshold in place to a checked matrix; return its new mean."""
    total, _ = sum_and_peak(similarity)
    return _zero_below(similarity, total / similarity.size)


def threshold_links_in_place(similarity: Floats) -> float:
    """Set entries below the mean of those off the diagonal to 0; return the new mean of all.

    Entries that are equal up to rounding are all links, or none is.
    """
    n = len(similarity)
    total = sum_and_peak(similarity)[0] - math.fsum(np.diagonal(similarity))
    mean = total / max(1, n * (n - 1))
    return _zero_below(similarity, mean - 1e-9 * abs(mean))


def _zero_below(similarity: Floats, level: float) -> float:
    """Set entries below the level to 0 and return the new mean."""
    n = len(similarity)
    sums = np.empty(n)
    for_row_ranges(lambda i, j: zero_below(similarity, level, i, j, sums), n, n)
    return math.fsum(sums) / similarity.size


def row_sums(matrix: Floats, first: int, last: int, sums: Doubles) -> float:
    """Write the sums of the rows first … last − 1 into `sums`; return their largest |w_ij|.

    A sum does not depend on the order of its terms. Each entry is split at a power of two that
    is small relative to the largest entry. The upper parts are summed without rounding, and the
    lower parts separately, so about 100 bits are correct before the sum is rounded.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs._kernels import matrix_scan

        return float(matrix_scan.row_sums(matrix, first, last, sums))
    peak = 0.0
    for i, j in _blocks(matrix, first, last):
        peak = max(peak, _row_sums(matrix[i:j], sums[i:j]))
    return peak


def check_rows(matrix: Floats, first: int, last: int, sums: Doubles) -> tuple[float, float]:
    """Largest |w_ij| and largest |w_ij − w_ji| of the rows first … last − 1; writes their sums.

    Mirrored are the columns up to the diagonal. Where an entry is not finite, a sum says so;
    sums are those of `row_sums`. The matrix is C-contiguous.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs._kernels import matrix_scan

        largest, asymmetry = matrix_scan.check_rows(matrix, first, last, sums)
        return float(largest), float(asymmetry)
    asymmetry = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for i, j in _blocks(matrix, first, last):
            apart = np.abs(matrix[i:j, :j] - matrix[:j, i:j].T)
            asymmetry = max(asymmetry, float(apart.max()))
    return row_sums(matrix, first, last, sums), asymmetry


def zero_below(matrix: Floats, level: float, first: int, last: int, sums: Doubles) -> None:
    """Set the entries of the rows first … last − 1 that are below `level` to 0.

    The sums of the rows after that go into `sums`; they are those of `row_sums`.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs._kernels import matrix_scan

        matrix_scan.zero_below(matrix, level, first, last, sums)
        return
    rows = matrix[first:last]
    # Compared in float64, also where the matrix is of float32.
    np.copyto(rows, 0, where=rows < np.float64(level))
    row_sums(matrix, first, last, sums)


def _blocks(matrix: Floats, first: int, last: int) -> list[tuple[int, int]]:
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    return [(i, min(i + step, last)) for i in range(first, last, step)]


# An entry that is not finite makes its sum not finite; the caller checks the sums.
@np.errstate(over="ignore", invalid="ignore")
def _row_sums(rows: Floats, sums: Doubles) -> float:
    """Write the sums of some rows, term by term as the kernel does; give the largest |w_ij|."""
    n = rows.shape[1]
    peaks = np.abs(rows).max(axis=1, initial=0).astype(np.float64)
    # To add it and to take it off again rounds to a multiple of its last bit.
    exponent = np.frexp(np.where(np.isfinite(peaks), peaks, 0.0))[1] + n.bit_length()
    able = np.isfinite(peaks) & (exponent < 1023)
    round_off = np.where(able, np.ldexp(1.5, np.where(able, exponent, 0)), 0.0)[:, None]
    weights = rows.astype(np.float64)
    rounded = weights + round_off
    rounded -= round_off
    np.subtract(weights, rounded, out=weights)
    n_turns, whole = n // _LANES, n - n % _LANES
    totals = np.zeros((2, len(rows), _LANES))
    for kind, terms in enumerate((rounded, weights)):
        # Along an axis that is not the last one, numpy adds one term after the other.
        turns = terms[:, :whole].reshape(len(rows), n_turns, _LANES)
        totals[kind] += np.add.reduce(turns, axis=1)
        for last in range(whole, n):
            totals[kind, :, 0] += terms[:, last]
    # One after the other, as a kernel adds them up.
    sums[:] = np.add.accumulate(totals, axis=2)[:, :, -1].sum(axis=0)
    return float(peaks.max(initial=0.0))
