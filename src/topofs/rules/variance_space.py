"""Columns as points whose variance others explain: by their covariance, or as they are.

They stand in an order that their values decide, so the order of the table plays no part, neither
in what ties nor in how sums are rounded. `nodes` says which node of the network each of them is.
"""

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
from topofs.similarity.value_order import places

if TYPE_CHECKING:
    from topofs.rules.chance_gain import ChanceGain
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["CovarianceSpace", "SampleSpace", "VarianceSpace", "variance_space"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CovarianceSpace:
    """By the covariance of all pairs of rows; `starts` says which are those of each column.

    `degrees` are the dimensions that columns span.
    """

    covariance: Doubles
    starts: Ints
    degrees: Ints
    nodes: Ints
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

    def products(self, rows: Ints, others: Ints) -> Doubles:
        """Covariance of others, one row of the result each, with some rows."""
        return np.asarray(self.covariance[np.ix_(others, rows)])

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
    nodes: Ints
    chance: ChanceGain
    with_gram: bool

    @property
    def starts(self) -> Ints:
        """The rows of each column."""
        return self.columns.starts

    @property
    def degrees(self) -> Ints:
        """Dimensions that each column spans."""
        return self.columns.degrees

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

    def products(self, rows: Ints, others: Ints) -> Doubles:
        """Covariance of others, one row of the result each, with some rows."""
        vectors = self.columns.rows(rows).T
        if len(others) == self.columns.n_rows:
            return np.asarray(self.columns.times(vectors)[others])
        return np.asarray(self.columns.rows(others) @ vectors)

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


def variance_space(
    columns: StandardColumns | ColumnsOnWorkers, memory: int, *, place: Ints | None = None
) -> VarianceSpace:
    """Choose the smaller of the two, in `memory` bytes: pairs of rows, or of samples.

    The columns stand in the order of `place`, where each node of the network has its column; by
    default in that of the nodes.
    """
    if isinstance(columns, ColumnsOnWorkers):
        n = len(columns.correlation)
        return CovarianceSpace(
            columns.correlation.astype(np.float64, copy=False),
            np.arange(n + 1),
            np.ones(n, dtype=np.int64),
            np.arange(n) if place is None else places(place),
            normal_chance(columns.n_samples, n),
            single=columns.correlation.dtype == np.float32,
        )
    chance = chance_gain(columns)
    nodes = np.arange(len(columns.degrees)) if place is None else places(place)
    n, n_samples = columns.n_rows, columns.n_samples
    # The matrix and a copy that is worked on.
    if n <= n_samples and 16 * n**2 <= memory:
        return CovarianceSpace(
            columns.gram_of_rows(),
            columns.starts,
            columns.degrees,
            nodes,
            chance,
            columns.single,
        )
    return SampleSpace(columns, nodes, chance, with_gram=16 * n_samples**2 <= memory)
