"""
A big table
===========

Build a TMFG and select columns under a limit of memory, without the matrix of similarities.
"""

import numpy as np

import topofs
from topofs import TopologicalFeatureSelector

# %% graph
# A table of 2,000 columns, and its TMFG in at most 10 MB of working memory.

rng = np.random.default_rng(0)
factors = rng.normal(size=(100, 20))
X = factors @ rng.normal(size=(20, 2000)) + rng.normal(size=(100, 2000))
X = X.astype(np.float32)  # float32 stays float32

graph = topofs.tmfg_from_data(X, threshold=None, memory="10MB")
print(f"{graph.n_nodes} columns, {graph.n_edges} links")
print(f"the matrix would have taken {2000 * 2000 * 4 / 1e6:.0f} MB")

# %% selector
# The selector takes the same limit. The last lines compare two graphs.

selector = TopologicalFeatureSelector(50, memory="24MB").fit(X)
print(f"50 columns represent {selector.coverage_[49]:.0%} of the variance, by links")
planar = TopologicalFeatureSelector(50, graph="tmfg", memory="24MB").fit(X)
print("the same TMFG in the selector:", np.array_equal(planar.graph_.edges, graph.edges))
print(f"50 columns represent {planar.coverage_[49]:.0%} of the variance, along its paths")
