"""Columns as points whose variance others explain: by their covariance, or as they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.rules.chance_gain import chance_gain, normal_chance
from topofs.rules.residuals import (
    EXPLAINED,
    EXPLAINED_SINGLE,
    CovarianceResiduals,
    Residuals,
    SampleResiduals,
)
from topofs.similarity.standard_columns import ColumnsOnWorkers

if TYPE_CHECKING:
    from topofs.rules.chance_gain import ChanceGain
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["CovarianceSpace", "SampleSpace", "VarianceSpace", "variance_space"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CovarianceSpace:
    """By the covariance of all pairs of rows; `starts` says which are those of each node.

    `degrees` are the dimensions that nodes span, `marks` tell them apart by their values alone.
    """

    covariance: Doubles
    starts: Ints
    degrees: Ints
    marks: Doubles
    chance: ChanceGain
    single: bool = False

    @property
    def n_dimensions(self) -> int:
        """How many directions the nodes can span."""
        return min(len(self.covariance), self.chance.n_samples - 1)

    def residuals(self, given: Ints | None = None) -> Residuals:
        """Begin with nothing taken, or with some rows."""
        left = self.covariance.copy()
        if given is not None:
            along = self.coordinates(given)
            left -= along @ along.T
            left[given] = left[:, given] = 0.0
        return CovarianceResiduals(left, self.starts, single=self.single)

    def products(self, rows: Ints, others: slice) -> Doubles:
        """Covariance of a range of others, one row of the result each, with some rows."""
        return np.asarray(self.covariance[others][:, rows])

    def explained(self, rows: Ints) -> float:
        """The variance of all that some rows explain together."""
        return float(np.square(self.coordinates(rows)).sum())

    def coordinates(self, rows: Ints) -> Doubles:
        """All rows, one of the result each, along an orthonormal basis of some."""
        values, vectors = np.linalg.eigh(self.covariance[np.ix_(rows, rows)])
        some = values > (EXPLAINED_SINGLE if self.single else EXPLAINED)
        scaled = vectors[:, some] / np.sqrt(values[some])
        return np.asarray(self.covariance[:, rows] @ scaled)


@dataclass(frozen=True, eq=False)
class SampleSpace:
    """By the columns, and the products of all pairs of samples where they fit into memory."""

    columns: StandardColumns
    chance: ChanceGain
    with_gram: bool

    @property
    def starts(self) -> Ints:
        """The rows of each node."""
        return self.columns.starts

    @property
    def degrees(self) -> Ints:
        """Dimensions that each node spans."""
        return self.columns.degrees

    @property
    def marks(self) -> Doubles:
        """What tells nodes apart by their values alone."""
        return self.columns.marks

    @property
    def n_dimensions(self) -> int:
        """How many directions the nodes can span."""
        return min(self.columns.n_rows, self.columns.n_samples - 1)

    @cached_property
    def _prepared(self) -> tuple[Doubles | None, Doubles]:
        columns = self.columns
        if not self.with_gram:
            return None, columns.squared_products()
        gram = columns.gram_of_samples()
        return gram, columns.forms(gram)

    def residuals(self, given: Ints | None = None) -> Residuals:
        """Begin with nothing taken, or with some rows."""
        residuals = SampleResiduals(self.columns, *self._prepared)
        if given is not None:
            residuals.take_all(self._basis(given))
        return residuals

    def products(self, rows: Ints, others: slice) -> Doubles:
        """Covariance of others with some rows."""
        vectors = self.columns.rows(rows).T
        first, last, _ = others.indices(self.columns.n_rows)
        if last - first == self.columns.n_rows:
            return self.columns.times(vectors)
        return np.asarray(self.columns.rows(np.arange(first, last)) @ vectors)

    def coordinates(self, rows: Ints) -> Doubles:
        """All rows along an orthonormal basis of some."""
        return self.columns.times(self._basis(rows))

    def explained(self, rows: Ints) -> float:
        """The variance of all that some rows explain together."""
        gram, basis = self._prepared[0], self._basis(rows)
        if gram is None:
            return float(np.square(self.columns.times(basis)).sum())
        return float(np.einsum("ij,ij->", gram @ basis, basis))

    def _basis(self, rows: Ints) -> Doubles:
        """An orthonormal basis of what some rows span."""
        left, lengths, _ = np.linalg.svd(self.columns.rows(rows).T, full_matrices=False)
        least = EXPLAINED_SINGLE if self.columns.single else EXPLAINED
        return np.asarray(left[:, np.square(lengths) > least])


VarianceSpace = CovarianceSpace | SampleSpace
"""What a ranking by variance and its groups need of the columns."""


def variance_space(columns: StandardColumns | ColumnsOnWorkers, memory: int) -> VarianceSpace:
    """Choose the smaller of the two, in `memory` bytes: pairs of rows, or of samples."""
    if isinstance(columns, ColumnsOnWorkers):
        n = len(columns.correlation)
        return CovarianceSpace(
            columns.correlation.astype(np.float64),
            np.arange(n + 1),
            np.ones(n, dtype=np.int64),
            np.zeros(n),
            normal_chance(columns.n_samples, n),
            single=columns.correlation.dtype == np.float32,
        )
    chance = chance_gain(columns)
    n, n_samples = columns.n_rows, columns.n_samples
    # The matrix and a copy that is worked on.
    if n <= n_samples and 16 * n**2 <= memory:
        return CovarianceSpace(
            columns.gram_of_rows(),
            columns.starts,
            columns.degrees,
            columns.marks,
            chance,
            columns.single,
        )
    return SampleSpace(columns, chance, with_gram=16 * n_samples**2 <= memory)
