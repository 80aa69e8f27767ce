"""The work item of FSEVAL's protocol: one method on one table, forests of a seed or k-means."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from topofs_study.benchmark.fseval.protocol import (
    K_MEANS_SEEDS,
    SHARES,
    forest_accuracy,
    k_means_accuracy,
    n_columns_of,
    random_order,
)
from topofs_study.benchmark.methods import Order, rank_columns
from topofs_study.running.identity import Identity
from topofs_study.running.work_item import WorkItem

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs_study.datasets import Dataset
    from topofs_study.running.work_item import Shape

__all__ = ["FOREST", "K_MEANS", "FsevalItem", "WholeTable"]

FOREST, K_MEANS = "rf_accuracy", "kmeans_accuracy"


@dataclass
class WholeTable:
    """A dataset, with a count of the fits.

    Parameters
    ----------
    dataset : Dataset
        The whole of it.
    n_fits : int
        Forests and clusterings so far.
    """

    dataset: Dataset
    n_fits: int = 0

    def columns(self, method: str, size: int, seed: int) -> npt.NDArray[np.intp]:
        """Give the first columns of a ranking of the whole table.

        Parameters
        ----------
        method : str
            A method of the benchmark.
        size : int
            How many.
        seed : int
            Of random subsets.

        Returns
        -------
        array of int
        """
        if method == "random":
            return random_order(self.dataset.X.shape[1], seed)[:size]
        kept, order = _order(self.dataset, method)
        return kept[order.first(size)]


@dataclass(frozen=True)
class FsevalItem(WorkItem[WholeTable]):
    """One method on one table.

    The result is a list of pairs: a share of the columns, and the mean accuracy.

    Parameters
    ----------
    dataset, method : str
        Of what.
    metric : {"rf_accuracy", "kmeans_accuracy"}
        Which of the two protocols.
    seed : int
        Of the folds and the forests; k-means goes through all its seeds.

    Examples
    --------
    >>> FsevalItem("colon", "coverage", "rf_accuracy", 2).key
    'fseval/whole-table/colon/coverage/rf_accuracy/seed-2/'
    """

    kind: ClassVar[str] = "fseval"
    result_type: ClassVar[type] = list

    dataset: str
    method: str
    metric: str
    seed: int = 0

    @property
    def identity(self) -> Identity:
        """What a store knows the item by."""
        return Identity(
            kind=self.kind,
            protocol="whole-table",
            dataset=self.dataset,
            method=self.method,
            classifier=self.metric,
            part=f"seed-{self.seed}",
        )

    @classmethod
    def from_identity(cls, identity: Identity) -> FsevalItem:
        """Give back the item that has an identity."""
        seed = int(identity.part.removeprefix("seed-"))
        return cls(identity.dataset, identity.method, identity.classifier, seed)

    @property
    def label(self) -> str:
        """What a person is told while it runs."""
        return f"{self.dataset} {self.method} {self.metric} {self.seed}"

    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items."""
        columns = sum(n_columns_of(share, shape.n_features) for share in SHARES)
        per_fit = 50.0 if self.metric == FOREST else 1.0
        return per_fit * shape.n_train * (10.0 + columns / 10) + shape.n_features**2 / 50

    def workspace(self, dataset: Dataset) -> WholeTable:
        """Take the whole table."""
        return WholeTable(dataset)

    def compute(self, workspace: WholeTable) -> list[tuple[float, float]]:
        """Rank, take shares and score them."""
        X, y = np.asarray(workspace.dataset.X), np.asarray(workspace.dataset.y).ravel()
        score, seeds = forest_accuracy, range(self.seed, self.seed + 1)
        if self.metric == K_MEANS:
            score, seeds = k_means_accuracy, range(K_MEANS_SEEDS)
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # few distinct rows
            for share in SHARES:
                size = n_columns_of(share, X.shape[1])
                values = [
                    score(X[:, workspace.columns(self.method, size, seed)], y, seed)
                    for seed in seeds
                ]
                workspace.n_fits += len(values)
                found.append((share, float(np.mean(values))))
        return found


@lru_cache(maxsize=16)
def _order(dataset: Dataset, method: str) -> tuple[npt.NDArray[np.intp], Order]:
    """Rank the columns that vary, once for all seeds; where they stand, and their order."""
    X = np.asarray(dataset.X, dtype=np.float64)
    kept = np.flatnonzero(np.ptp(X, axis=0) > 0)
    sizes = sorted({n_columns_of(share, X.shape[1]) for share in SHARES})
    return kept, rank_columns(method, X[:, kept], sizes)
