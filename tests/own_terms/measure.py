"""Two measures of one's own: the twin of Spearman's, and one that does not know chance."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from topofs import Measure, parameter, register
from topofs.similarity.base import MatrixOperator
from topofs.similarity.correlation import (
    correlation_of_ranks,
    doubled_centred_ranks,
    pairwise_correlation,
)
from topofs.similarity.noise_floor import correlation_scale


@dataclass(frozen=True, repr=False)
class Grades(Measure):
    """The correlation of ranks, pair by pair where values are missing."""

    squared: bool = parameter(
        default=True, help="Let opposite columns count as alike.", choices=(True, False)
    )

    products: ClassVar[str | None] = "ranks"

    @property
    def words(self):
        return "correlation of grades"

    @property
    def shares_variance(self):
        return self.squared

    def operator(self, table):
        ranks = doubled_centred_ranks(table)
        correlate = pairwise_correlation if np.isnan(ranks).any() else correlation_of_ranks
        correlation = correlate(ranks, table.dtype)
        return replace(correlation, kind="squared") if self.squared else correlation

    def scale(self, operator, *, n_samples, n_features):
        size = {"n_samples": n_samples, "n_features": n_features}
        return correlation_scale(operator, **size, squared=self.squared, ranks=True)


@dataclass(frozen=True, repr=False)
class Cosine(Measure):
    """The cosine of two columns: nothing tells what chance gives it."""

    power: float = parameter(1.0, help="Raise it to this power.")

    def operator(self, table):
        unit = table / np.linalg.norm(table, axis=0)
        return MatrixOperator(np.abs(unit.T @ unit) ** self.power)


register(Grades())
register(Cosine())
