"""
From a CSV file to a smaller table
==================================

The code of the tutorial: write a CSV file, read it, select from it, look at the result.
"""

# %% make
# A CSV file with an identifier, 30 measurements and a diagnosis.

import pandas as pd
from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector

data = load_breast_cancer(as_frame=True)
table = data.data.round(4)
table.insert(0, "patient", [f"P{row:03d}" for row in range(len(table))])
table["diagnosis"] = data.target_names[data.target]
table.to_csv("tumours.csv", index=False)
print(f"tumours.csv: {table.shape[0]} rows, {table.shape[1]} columns")

# %% select
# Select from the measurements, and print which columns each one represents.

table = pd.read_csv("tumours.csv")
X = table.drop(columns=["patient", "diagnosis"])

selector = TopologicalFeatureSelector().fit(X)  # no labels, no number of columns
for group in selector.groups_:
    print(f"{group.name}: {', '.join(member.name for member in group.members[:3])}")

# %% transform
# The smaller table.

smaller = selector.transform(X)
print(smaller.shape, selector.get_feature_names_out()[:3].tolist())

# %% explain
# Why is a column not selected?

print(selector.explain("mean radius"))

# %% sizes
# Another number of columns needs no other fit.

print(selector.at(3).get_feature_names_out().tolist())

# %% keep
# A column that must be selected.

forced = TopologicalFeatureSelector(3, keep=["mean area"]).fit(X)
print(forced.get_feature_names_out().tolist())
