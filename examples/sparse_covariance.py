"""
A sparse covariance
===================

A sparse Gaussian model of 400 assets from 250 days, and what 20 of them say about the rest.
"""

# %% data
# Returns with a market, twenty sectors and noise.

import numpy as np
from sklearn.covariance import LedoitWolf

from topofs import CliqueForest, LoGoCovariance, TopologicalFeatureSelector

rng = np.random.default_rng(0)
n_assets, n_sectors = 400, 20
sector = rng.integers(n_sectors, size=n_assets)
market = rng.normal(size=(750, 1))
sectors = rng.normal(size=(750, n_sectors))
returns = 0.6 * market + 0.6 * sectors[:, sector] + 0.6 * rng.normal(size=(750, n_assets))
past, future = returns[:250], returns[250:]

# %% fit
# Fit the model on a TMFG.

model = LoGoCovariance().fit(past)
print(model.graph_)
print(f"the precision matrix has {model.precision_.nnz:,} of {n_assets**2:,} entries")
print(f"correlations were pulled towards 0 by {model.shrinkage_:.0%}")

# %% compare
# The likelihood of unseen days, beside three rivals.

rivals = {
    "LoGo on a TMFG": model,
    "LoGo on a tree": LoGoCovariance("mst").fit(past),
    "LoGo on a clique forest": LoGoCovariance(CliqueForest(max_clique=6)).fit(past),
    "Ledoit-Wolf": LedoitWolf().fit(past),
}
print("\nlog-likelihood of an unseen day:")
for name, rival in rivals.items():
    print(f"{name:<24}{rival.score(future):>8.1f}")

# %% panel
# Given 20 selected assets, predict the other 380.

panel = TopologicalFeatureSelector(20).fit(past).get_support(indices=True)
known = model.conditional(panel, future[:, panel])
others = future[:, known.columns]
error = others - known.mean
print(f"\n20 assets are known, {len(known.columns)} are not")
print(f"variance they explain, by the model: {known.share.mean():.0%}")
print(f"variance they explain, on unseen days: {1 - error.var() / others.var():.0%}")
