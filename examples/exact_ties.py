"""
Exact ties
==========

Shuffle the rows of a table of whole numbers. The correlations should not change.
"""

import numpy as np

import topofs

# %% ties
# Count what changes with numpy's correlations, and with those of topofs.

rng = np.random.default_rng(0)
X = rng.integers(0, 2, size=(24, 200))  # 24 rows of zeros and ones
shuffled = X[rng.permutation(24)]
pairs = np.triu_indices(200, 1)


def numpy_correlation(table):
    """Correlate the columns the usual way."""
    return np.corrcoef(table, rowvar=False)


for name, correlate in (("numpy", numpy_correlation), ("topofs", topofs.pearson)):
    before, after = correlate(X) ** 2, correlate(shuffled) ** 2
    changed = np.count_nonzero(before[pairs] != after[pairs])
    links = set(map(tuple, topofs.tmfg(before).edges.tolist()))
    lost = links - set(map(tuple, topofs.tmfg(after).edges.tolist()))
    print(
        f"{name:<7}{len(np.unique(before[pairs])):>5} distinct values,"
        f"{changed:>6} of {len(pairs[0])} pairs change,{len(lost):>4} of {len(links)} links change"
    )
