"""Columns of any kind prepared for `mixed`: ranks and levels as rows of one product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.similarity.noise_floor import correlation_floors, degrees_floor
from topofs.similarity.ranks import doubled_centred_ranks
from topofs.tables.columns import Column
from topofs.tables.levels import level_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MixedSimilarity", "mixed_operator"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ROUNDING = 2.0**40
"""Shared variance with names is rounded to a multiple of 1 / ROUNDING, about 1e-12."""

RANKED_ENTRIES = 2**23
"""Entries that are ranked at a time."""


@dataclass(frozen=True, eq=False)
class MixedSimilarity:
    """The similarity of `mixed`, any block on demand.

    Attributes
    ----------
    values : array of float64, shape (n_rows, n_samples)
        Doubled centred ranks of numbers, 0/1 rows of levels: whole numbers.
    spreads : array of float64, shape (n_rows,)
        Sum of squares of each row.
    starts : array of int, shape (n_features + 1,)
        Rows ``starts[i] … starts[i + 1] - 1`` belong to column i.
    nominal : array of bool, shape (n_features,)
        Which columns are names of three levels or more.
    corrected : bool
        Whether the bias of chance is taken off.
    """

    values: Doubles
    spreads: Doubles
    starts: Ints
    nominal: npt.NDArray[np.bool_]
    corrected: bool

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.nominal)

    @property
    def n_samples(self) -> int:
        """The number S of samples."""
        return int(self.values.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity."""
        return np.dtype(np.float64)

    @property
    def degrees(self) -> Ints:
        """Degrees of freedom: 1 for numbers, K − 1 for names."""
        return np.asarray(np.diff(self.starts) - self.nominal, dtype=np.int64)

    def block(self, rows: slice, columns: slice) -> Doubles:
        """Entries of the given rows and columns."""
        i, j = range(*rows.indices(self.n_features)), range(*columns.indices(self.n_features))
        shared = self._shared(i, j)
        left, right = self.degrees[i.start : i.stop], self.degrees[j.start : j.stop]
        if not self.nominal.any():
            # Numbers alone: what is taken off is the same for all pairs.
            left, right = left[:1], right[:1]
        if not self.corrected:
            shared /= np.minimum.outer(left, right)
            return np.clip(shared, 0.0, 1.0, out=shared)
        shared -= np.multiply.outer(left, right) / (self.n_samples - 1)
        shared /= np.minimum.outer(
            self._corrected_degrees(left), self._corrected_degrees(right)
        )
        return np.clip(shared, 0.0, 1.0, out=shared)

    def diagonal(self) -> Doubles:
        """Ones."""
        return np.ones(self.n_features)

    def floors(self, left: Ints, right: Ints) -> Doubles:
        """Noise floors of pairs of columns, on the scale of the entries.

        Parameters
        ----------
        left, right : arrays of int
            The two columns of each pair.

        Returns
        -------
        array of float64
        """
        d, e = self.degrees[left], self.degrees[right]
        floors = degrees_floor(self.n_samples, self.n_features, d, e)
        samples = np.array([float(self.n_samples)])
        if np.isinf(correlation_floors(samples, self.n_features, ranks=True))[0]:
            # So few samples that ranks agree fully by chance.
            floors[(d == 1) & (e == 1)] = np.inf
        if not self.corrected:
            return floors
        smaller = np.minimum(self._corrected_degrees(d), self._corrected_degrees(e))
        shared = floors * np.minimum(d, e) - d * e / (self.n_samples - 1)
        return np.asarray(np.maximum(shared / smaller, 0.0))

    def _corrected_degrees(self, degrees: Ints) -> Doubles:
        # With as many levels as samples nothing is left to judge by: everything becomes 0.
        rest = degrees - degrees**2 / (self.n_samples - 1)
        return np.asarray(np.where(rest > 0, rest, np.inf))

    def _shared(self, i: range, j: range) -> Doubles:
        """T for the columns i and j."""
        top = slice(self.starts[i.start], self.starts[i.stop])
        side = slice(self.starts[j.start], self.starts[j.stop])
        gram = self.values[top] @ self.values[side].T
        np.square(gram, out=gram)
        gram /= np.multiply.outer(self.spreads[top], self.spreads[side])
        for axis, part in enumerate((i, j)):
            starts = self.starts[part.start : part.stop]
            if len(starts) < gram.shape[axis]:
                gram = np.add.reduceat(gram, starts - starts[0], axis=axis)
        if self.nominal.any():
            gram -= np.logical_and.outer(
                self.nominal[i.start : i.stop], self.nominal[j.start : j.stop]
            )
            # Cells are summed in another order where i and j change places.
            np.rint(gram * ROUNDING, out=gram)
            gram /= ROUNDING
        return gram


def mixed_operator(columns: Sequence[Column], *, corrected: bool = True) -> MixedSimilarity:
    """Prepare the similarity of columns that can be compared (see `usable_columns`).

    Parameters
    ----------
    columns : sequence of Column
        At least two samples.
    corrected : bool, default=True
        Whether to take off the bias of chance.

    Returns
    -------
    MixedSimilarity
    """
    coded = [_coded(column) for column in columns]
    n_rows = np.array([_n_rows(column) for column in coded], dtype=np.int64)
    nominal = n_rows > 1
    starts = np.concatenate([[0], np.cumsum(n_rows)]).astype(np.int64)
    n_samples = len(coded[0].values) if coded else 0
    values = np.zeros((int(starts[-1]), n_samples))
    numbers = np.flatnonzero(~nominal)
    # A few at a time: ranking takes several times the memory of what is ranked.
    n_ranked = max(1, RANKED_ENTRIES // max(1, n_samples))
    for first in range(0, len(numbers), n_ranked):
        some = numbers[first : first + n_ranked]
        amounts = np.column_stack([coded[i].values for i in some])
        values[starts[some]] = np.nan_to_num(doubled_centred_ranks(amounts), copy=False)
    for i in np.flatnonzero(nominal):
        levels = coded[i].values.astype(np.int64)
        values[starts[i] + levels, np.arange(n_samples)] = 1.0
    spreads = np.einsum("ij,ij->i", values, values)
    return MixedSimilarity(values, spreads, starts, nominal, corrected)


def _coded(column: Column) -> Column:
    """The column with its rare levels merged; two levels are a number, for all formulas."""
    if not column.nominal:
        return column
    levels = level_codes(column.values)
    return Column(column.name, nominal=levels.max() > 1, values=levels.astype(np.float64))


def _n_rows(column: Column) -> int:
    """Rows that a coded column takes in the product: one, or one a level."""
    return int(column.values.max()) + 1 if column.nominal else 1
