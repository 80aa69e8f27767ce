"""Trees on regression tables at fixed sizes: the columns that coverage selects beside random ones.

    python -m benchmarks.regression_tables

Five tables that come with packages, widened as business tables are (see
`benchmarks.beyond_auto`): near-copies, lags and unrelated columns. R² of gradient boosting on
folds that selection does not see; random lists are the mean of ten.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold

from benchmarks.beyond_auto import BUSINESS, business
from benchmarks.timing import machine
from topofs import TopologicalFeatureSelector

RESULTS = Path(__file__).parent / "results" / "regression_tables.json"
SIZES = (10, 20, 50)
N_RANDOM = 10


def r2(X, y, train, test, columns):
    model = HistGradientBoostingRegressor(random_state=0).fit(X[train][:, columns], y[train])
    return model.score(X[test][:, columns], y[test])


def main():
    warnings.simplefilter("ignore")
    rows = []
    for name in BUSINESS:
        X, y = (np.asarray(part, dtype=float) for part in business(name)[:2])
        rng = np.random.default_rng(0)
        for size in (k for k in SIZES if k < X.shape[1]):
            chosen, drawn = [], []
            for train, test in KFold(3, shuffle=True, random_state=0).split(X):
                selector = TopologicalFeatureSelector(size, min_carriers=0).fit(X[train])
                columns = np.flatnonzero(selector.support_)
                chosen.append(r2(X, y, train, test, columns))
                lists = [rng.permutation(X.shape[1])[:size] for _ in range(N_RANDOM)]
                drawn += [r2(X, y, train, test, some) for some in lists]
            row = {"table": name, "columns": X.shape[1], "size": size}
            row |= {"coverage": float(np.mean(chosen)), "random": float(np.mean(drawn))}
            rows.append(row)
            print(
                f"{name:10} {X.shape[1]:4} columns, {size:3} selected: R² "
                f"{row['coverage']:.3f}, random {row['random']:.3f}",
                flush=True,
            )
    RESULTS.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
