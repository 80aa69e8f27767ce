"""
Missing values
==============

Select from a table with holes, and compare with the same table when it was whole.
"""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from topofs import ConstantFeatureWarning, TopologicalFeatureSelector

whole = load_breast_cancer(as_frame=True).data

# %% holes
# A tenth of the values is missing. Each pair of columns is compared on the rows that both have.

rng = np.random.default_rng(0)
holes = whole.mask(rng.random(whole.shape) < 0.1)
print(f"{holes.isna().to_numpy().mean():.0%} of the values are missing")
print(f"rows without a hole: {len(holes.dropna())} of {len(holes)}")

selector = TopologicalFeatureSelector(10).fit(holes)
truth = TopologicalFeatureSelector(10).fit(whole)
same = set(selector.get_feature_names_out()) & set(truth.get_feature_names_out())
print(f"pair by pair: {len(same)} of the 10 columns of the whole table")

# %% impute
# A pipeline that fills in what is left.

# Select first, on what was observed; fill in the few columns that are left.
pipeline = make_pipeline(TopologicalFeatureSelector(10), SimpleImputer())
print("after filling in:", pipeline.fit_transform(holes).shape)

# %% empty
# Columns that are empty or constant take no part, and a warning names them.

holes["all missing"] = np.nan
holes["always 1"] = 1.0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", ConstantFeatureWarning)
    TopologicalFeatureSelector(10).fit(holes)
print(caught[0].message)
