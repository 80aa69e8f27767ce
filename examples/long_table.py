"""
A long table
============

Select columns of a table of more rows than memory holds, in batches of rows.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from topofs import TopologicalFeatureSelector
from topofs.io import scan_table

# %% folder
# Four files stand for a folder of any size.

temporary = TemporaryDirectory()
folder = Path(temporary.name)
rng = np.random.default_rng(0)
weights = rng.normal(size=(3, 8))
for month in range(4):
    factors = rng.normal(size=(5000, 3))
    X = factors @ weights + rng.normal(size=(5000, 8)) / 2
    X[rng.random(X.shape) < 0.05] = np.nan
    pl.DataFrame(X, schema=list("abcdefgh")).write_parquet(folder / f"{month}.parquet")

selector = TopologicalFeatureSelector().fit(scan_table(folder))
print(", ".join(selector.get_feature_names_out()))

# %% lazy
# A LazyFrame gives the same columns, and the smaller table is a LazyFrame again.

frame = pl.scan_parquet(folder)
same = TopologicalFeatureSelector().fit(frame)
print((same.ranking_ == selector.ranking_).all(), type(same.transform(frame)).__name__)

# %% batches
# Rows that come one batch after the other.

running = TopologicalFeatureSelector()
for path in sorted(folder.glob("*.parquet")):
    running.partial_fit(pl.read_parquet(path))
print((running.support_ == selector.support_).all())
temporary.cleanup()
