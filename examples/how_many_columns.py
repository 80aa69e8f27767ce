"""
How many columns
================

Let the table say how many columns it needs, and see which represents which.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from topofs import (
    Budget,
    Coverage,
    IsolatedFeatureWarning,
    MinShare,
    TopologicalFeatureSelector,
    UntilCoverage,
)
from topofs.selection import noise_features

# Shown, even where warnings are made errors: the columns of noise give one.
warnings.simplefilter("default", IsolatedFeatureWarning)

# %% auto
# Without a number, the selector stops where a further column would add only its own variance.

data = load_breast_cancer()
# Two columns of noise, to see what becomes of them.
noise = np.random.default_rng(0).normal(size=(len(data.data), 2))
X = np.column_stack([data.data, noise])
names = [*data.feature_names.tolist(), "noise 1", "noise 2"]

selector = TopologicalFeatureSelector().fit(X)
print(f"{selector.n_features_} of {X.shape[1]} columns are selected")
for group in selector.groups_:
    members = [names[member.position] for member in group.members]
    print(
        f"{names[group.position]:<24} represents {len(members):>2}: {', '.join(members[:2])}, …"
    )
print("isolated:", ", ".join(names[column] for column in selector.isolated_))

# %% curve
# The share of the variance that the first columns represent.

for size in (1, 2, 4, selector.n_features_, 16):
    print(f"{size:>2} columns represent {selector.coverage_[size - 1]:.0%} of the variance")

# %% sizes
# Other ways to say the size.

sizes = {
    "UntilCoverage(0.8)": UntilCoverage(0.8),
    "MinShare(0.9)": MinShare(0.9),
    "Budget(10, cost)": Budget(10, cost=[1.0] * 10 + [2.0] * 20 + [1.0] * 2),
}
for name, size in sizes.items():
    fitted = TopologicalFeatureSelector(size).fit(X)
    print(f"{name:<19}{fitted.n_features_:>3} columns represent {fitted.shares_.mean():.0%}")

# %% random
# What random lists of the same size represent.

lists = selector.random_lists()
print(
    f"random lists of 7: {lists.mean:.0%} of the variance ({lists.low:.0%} to {lists.high:.0%})"
)

# %% constraints
# Force a column, and exclude others.

constraints = {"keep": ["mean area"], "exclude": ["worst *"]}
frame = pd.DataFrame(X, columns=names)
given = TopologicalFeatureSelector(5, **constraints).fit(frame)
for group in given.groups_:
    print(f"{group.name}: {', '.join(member.name for member in group.members[:3])}")

# %% keep
# Isolated columns count only if you ask for them.

everyone = TopologicalFeatureSelector(rule=Coverage(isolated="keep")).fit(X)
print(f"{everyone.n_features_} with the isolated columns")

# %% noise
# Which columns are linked no better than shuffled ones?

found = noise_features(X, random_state=0)
print("no better linked than shuffled columns:", ", ".join(np.array(names)[found.noise]))
