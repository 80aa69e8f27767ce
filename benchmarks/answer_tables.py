"""The tables on which two versions of topofs are compared: small ones, made or read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmarks.business_table import TARGET, business_table
from benchmarks.tables import data_folder, factor_table, matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATASETS = ("lung_small.mat", "Yale.mat", "colon.mat", "madelon.mat", "PCMAC.mat")
MOST_ROWS, MOST_COLUMNS = 600, 200


@dataclass(frozen=True, eq=False)
class Table:
    """A table, the labels of its rows where it has some, and what makes it special."""

    name: str
    X: Any
    y: Any = None
    target: str = "target"
    file: Path | None = field(default=None)

    @property
    def shape(self) -> tuple[int, int]:
        n_samples, n_features = self.X.shape
        return n_samples, n_features

    @cached_property
    def is_numeric(self) -> bool:
        return isinstance(self.X, np.ndarray) or all(
            pd.api.types.is_numeric_dtype(kind) for kind in self.X.dtypes
        )

    @cached_property
    def is_complete(self) -> bool:
        return self.is_numeric and not np.isnan(self.matrix).any()

    @cached_property
    def matrix(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.asarray(self.X, dtype=np.float64)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table with named columns, and the labels as its last column."""
        if isinstance(self.X, np.ndarray):
            frame = pd.DataFrame(self.X, columns=[f"c{i}" for i in range(self.shape[1])])
        else:
            frame = self.X.copy()
        return frame if self.y is None else frame.assign(**{self.target: self.y})


def answer_tables(datasets: Path | None = None) -> Iterator[Table]:
    """Give all tables; those of the folder of datasets only where it has them."""
    from sklearn.datasets import load_breast_cancer, load_wine

    for name, load in (("wine", load_wine), ("cancer", load_breast_cancer)):
        found = load(as_frame=True)
        yield Table(name, found.data, y=found.target)
    business = business_table(300, 45, seed=1).to_pandas()
    yield Table("business", business.drop(columns=TARGET), y=business[TARGET], target=TARGET)
    yield from made_tables()
    folder = data_folder() if datasets is None else datasets
    for name in DATASETS:
        path = folder / name
        if path.exists():
            X = matrix_of(path)
            if path.stem != "lung_small":
                X = X[:MOST_ROWS, :MOST_COLUMNS]
            yield Table(path.stem, X, file=path)


def made_tables() -> Iterator[Table]:
    rng = np.random.default_rng(27)
    missing = factor_table(60, 200)
    missing[rng.random(missing.shape) < 0.1] = np.nan
    missing[:, 7] = 3.0
    missing[:190, 11] = np.nan
    yield Table("missing", missing)
    rates = np.exp(rng.normal(-1, 1, size=(300, 4)) @ rng.random((4, 80)))
    counts = rng.poisson(rates).astype(np.int64)
    counts[:, 70:] = rng.random((300, 10)) < 0.02
    yield Table("counts", counts)
    levels = rng.integers(0, 3, size=(120, 25))
    tied = np.hstack([levels, levels[:, :10], 2 - levels[:, 10:15]]).astype(np.float64)
    yield Table("ties", tied, y=levels[:, 0])
    yield Table("noise", rng.normal(size=(100, 50)).astype(np.float32))
    yield Table("wide", factor_table(3000, 50))
