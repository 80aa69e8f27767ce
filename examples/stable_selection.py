"""
How stable is a selection
=========================

Would another sample of the same kind have given the same columns?
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import TimeSeriesSplit

from topofs import TopologicalFeatureSelector, stability

# %% stability
# Fit to bootstrap samples, and compare what is selected.

X = load_breast_cancer(as_frame=True).data
for selector in (TopologicalFeatureSelector(6), TopologicalFeatureSelector.paper(6)):
    found = stability(selector, X, n_resamples=20, random_state=0)
    print(f"rule {selector.rule!r}")
    print(found)

# %% ordered
# Rows in an order need other resamples.

rng = np.random.default_rng(0)
days = rng.normal(size=(500, 3)).cumsum(axis=0)  # three things that drift
series = days @ rng.normal(size=(3, 12)) + rng.normal(size=(500, 12))
drift = TopologicalFeatureSelector(3)
for name, splits in [
    ("rows one by one", None),
    ("blocks of rows", "blocks"),
    ("walking forward", TimeSeriesSplit(10)),
]:
    ordered = stability(drift, series, splits=splits, n_resamples=20, random_state=0)
    print(f"{name:<17}{ordered.phi:.2f}")

# %% edges
# How often each link of the graph came back.

sure = sum(edge.confidence == 1 for edge in found.edges)
print(f"{sure} of {3 * X.shape[1] - 6} links of the graph came back in every resample")
