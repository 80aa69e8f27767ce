"""
Choose the similarity
=====================

See how the measures of similarity differ, on data made for it and on real data.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

import topofs
from topofs import Energy, Pearson, TopologicalFeatureSelector

# %% measures
# Four columns and what each measure says of their similarity to the first one, x.

rng = np.random.default_rng(0)
x = rng.normal(size=500)
X = np.column_stack([x, -x, np.exp(3 * x), x**2, rng.normal(size=500)])
names = ["x", "-x", "exp(3x)", "x squared", "noise"]
rows = [
    ("pearson", topofs.pearson(X)[0]),
    ("pearson, squared", topofs.pearson(X, squared=True)[0]),
    ("spearman", topofs.spearman(X)[0]),
    ("mixed", topofs.mixed(X)[0]),
    ("mutual information", topofs.mutual_information(X)[0]),
    ("energy, alpha 0.5", topofs.energy(X)[0]),
]
print("similarity of x to   " + "".join(f"{name:>11}" for name in names[1:]))
for measure, row in rows:
    print(f"{measure:<21}" + "".join(f"{value:>11.2f}" for value in row[1:]))

# %% overlap
# How many of ten columns stay the same when the measure changes.

data = load_breast_cancer(as_frame=True).data
settings = {
    "pearson, squared": {"similarity": "pearson"},
    "spearman, squared": {"similarity": "spearman"},
    "pearson, signed": {"similarity": Pearson(squared=False)},
    "mixed": {"similarity": "mixed"},
    "mutual information": {"similarity": "mutual_information"},
    # Energy is large for columns that share nothing: it needs the rule of the paper.
    "energy, by degree": {"similarity": Energy(alpha=0.5), "rule": "degree"},
}
chosen = {
    name: set(TopologicalFeatureSelector(10, **given).fit(data).get_feature_names_out())
    for name, given in settings.items()
}
print("\nof 10 columns, in common with pearson, squared:")
for name, columns in chosen.items():
    print(f"{name:<21}{len(columns & chosen['pearson, squared']):>3}")


# %% own
# A function, or a matrix that is there already, is a similarity too.


def distance_from_zero(table):
    """Correlate the absolute values: any function of a table to an n × n matrix will do."""
    return topofs.pearson(np.abs(table - table.mean(axis=0)), squared=True)


own = TopologicalFeatureSelector(10, similarity=distance_from_zero).fit(data)
print("\nwith a measure of one's own:", ", ".join(own.get_feature_names_out()[:3]), "…")

matrix = topofs.spearman(data, squared=True)
given = TopologicalFeatureSelector(10, similarity="precomputed").fit(matrix)
print("from a matrix: columns", given.get_support(indices=True).tolist())
