"""The tutorial: write a CSV file, read it, select from it, look at the result."""

# --8<-- [start:make]
import pandas as pd
from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector

data = load_breast_cancer(as_frame=True)
table = data.data.round(4)
table.insert(0, "patient", [f"P{row:03d}" for row in range(len(table))])
table["diagnosis"] = data.target_names[data.target]
table.to_csv("tumours.csv", index=False)
print(f"tumours.csv: {table.shape[0]} rows, {table.shape[1]} columns")
# --8<-- [end:make]

# --8<-- [start:select]
table = pd.read_csv("tumours.csv")
X = table.drop(columns=["patient", "diagnosis"])

selector = TopologicalFeatureSelector().fit(X)  # no labels, no number of columns
for group in selector.groups_:
    print(f"{group.name}: {', '.join(member.name for member in group.members[:3])}")
# --8<-- [end:select]

# --8<-- [start:transform]
smaller = selector.transform(X)
print(smaller.shape, selector.get_feature_names_out()[:3].tolist())
# --8<-- [end:transform]

# --8<-- [start:explain]
print(selector.explain("mean radius"))
# --8<-- [end:explain]

# --8<-- [start:sizes]
print(selector.at(3).get_feature_names_out().tolist())
# --8<-- [end:sizes]

# --8<-- [start:keep]
forced = TopologicalFeatureSelector(3, keep=["mean area"]).fit(X)
print(forced.get_feature_names_out().tolist())
# --8<-- [end:keep]
