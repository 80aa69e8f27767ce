"""The coverage of random lists, at every size that a page may show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["RandomCoverage", "random_coverage"]

_N_SIZES = 12
_N_LISTS = 50
# At the size of the selection itself, as `random_lists` draws by default.
_N_LISTS_THERE = 200
# Without groups every list looks at all pairs: fewer lists of a large table.
_PAIRS = 2.5e8
_FEWEST_LISTS = 6
# Rows at a time: fewer where they are long.
_ROWS, _ENTRIES = 512, 1 << 22


@dataclass(frozen=True, eq=False)
class RandomCoverage:
    """What random lists of some numbers of nodes cover: the mean, and the range of 95 %."""

    sizes: npt.NDArray[np.int64]
    mean: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    def at(self, size: int) -> float:
        """Give the mean at a size; between two sizes along the logarithm of the size."""
        if size < 1:
            return 0.0
        return float(np.interp(np.log(size), np.log(self.sizes), self.mean))


def random_coverage(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> RandomCoverage:
    """Draw random lists at a handful of sizes, and at that of the selection."""
    n = len(selector.nodes_)
    here = max(1, int(selector.support_[selector.nodes_].sum()))
    grid = np.rint(np.geomspace(1, n, _N_SIZES)).astype(np.int64)
    sizes = np.unique(np.append(grid, here))
    if not selector.has_groups:
        covered = _over_all(similarity, sizes)
        low, high = np.quantile(covered, [0.025, 0.975], axis=0)
        return RandomCoverage(sizes, covered.mean(axis=0), low, high)
    found = [
        selector.random_lists(size, n_lists=_N_LISTS_THERE if size == here else _N_LISTS)
        for size in sizes.tolist()
    ]
    return RandomCoverage(
        sizes,
        np.array([one.mean for one in found]),
        np.array([one.low for one in found]),
        np.array([one.high for one in found]),
    )


def _over_all(
    similarity: SimilarityOperator, sizes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The mean best similarity to the first of random orders: one row an order."""
    n = similarity.n_features
    n_lists = int(np.clip(_PAIRS / n**2, _FEWEST_LISTS, _N_LISTS))
    generator = np.random.default_rng(0)
    orders = [generator.permutation(n) for _ in range(n_lists)]
    totals = np.zeros((n_lists, n))
    step = int(np.clip(_ENTRIES // n, 32, _ROWS))
    for start in range(0, n, step):
        block = similarity.block(slice(start, min(start + step, n)), slice(0, n))
        for number, order in enumerate(orders):
            best = np.maximum.accumulate(block[:, order], axis=1)
            totals[number] += best.sum(axis=0, dtype=np.float64)
    return totals[:, sizes - 1] / n
