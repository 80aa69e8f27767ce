"""How many columns stay when only redundant ones go: MinShare beside feature-engine.

    python -m benchmarks.redundancy DATA_FOLDER

At the same threshold on the same measure: feature-engine's SmartCorrelatedSelection drops columns
whose |r| with a kept one exceeds t, MinShare(t²) those of which a selected one explains t².
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from feature_engine.selection import SmartCorrelatedSelection

from benchmarks.tables import matrix_of
from topofs import MinShare, TopologicalFeatureSelector

THRESHOLD = 0.9


def crm_table(seed: int = 0) -> pd.DataFrame:
    """A business table: amounts, their sums and shares, copies in other units, noise."""
    rng = np.random.default_rng(seed)
    n = 2000
    revenue = rng.lognormal(8, 1, size=(n, 4))
    frame = pd.DataFrame(revenue, columns=[f"revenue_q{i}" for i in range(1, 5)])
    frame["revenue_year"] = revenue.sum(axis=1)
    frame["revenue_year_k"] = (frame["revenue_year"] / 1000).round(1)
    frame["orders"] = rng.poisson(frame["revenue_year"] / 4000)
    frame["orders_online"] = rng.binomial(frame["orders"], 0.6)
    frame["visits"] = frame["orders_online"] * 9 + rng.poisson(20, n)
    frame["age_days"] = rng.integers(10, 4000, n)
    frame["age_months"] = (frame["age_days"] / 30.4).round()
    frame["tickets"] = rng.poisson(2, n)
    frame["tickets_open"] = rng.binomial(frame["tickets"], 0.3)
    for i in range(8):
        frame[f"score_{i}"] = rng.normal(size=n) + 0.2 * i * np.log(frame["revenue_year"])
    return frame


def is_a_smallest_set(X: pd.DataFrame, support: np.ndarray) -> bool:
    """By numpy: every column has a selected one with r² of the share, and each is needed."""
    explains = np.corrcoef(X.to_numpy(dtype=float), rowvar=False) ** 2 >= THRESHOLD**2 - 1e-9
    np.fill_diagonal(explains, val=True)
    n_explaining = explains[:, support].sum(axis=1)
    needed = (explains[:, support] & (n_explaining == 1)[:, None]).any(axis=0)
    return bool((n_explaining >= 1).all() and needed.all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data
    tables = {"a business table": crm_table()}
    for path in sorted([*folder.glob("*.mat"), *folder.glob("*.npz")]):
        X = np.asarray(matrix_of(path), dtype=np.float64)
        tables[path.stem] = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    fewer = 0
    print(f"{'table':18}{'columns':>9}{'MinShare':>10}{'s':>7}{'feature-engine':>16}{'s':>7}")
    for name, frame in tables.items():
        begin = time.perf_counter()
        selector = TopologicalFeatureSelector(MinShare(THRESHOLD**2)).fit(frame)
        ours, between = selector.n_features_, time.perf_counter()
        assert is_a_smallest_set(frame, selector.support_), name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rival = SmartCorrelatedSelection(threshold=THRESHOLD, selection_method="variance")
            theirs = rival.fit_transform(frame).shape[1]
        end = time.perf_counter()
        fewer += ours <= theirs
        print(
            f"{name:18}{frame.shape[1]:9,}{ours:10,}{between - begin:7.1f}{theirs:16,}"
            f"{end - between:7.1f}",
            flush=True,
        )
    print(f"as few or fewer on {fewer} of {len(tables)}")


if __name__ == "__main__":
    main()
