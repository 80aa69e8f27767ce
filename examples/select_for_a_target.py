"""
Select for a target
===================

Columns that say much about the target count more; near-copies of them do not.
"""

# %% data
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from topofs import NoRelevanceWarning, TopologicalFeatureSelector

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"}).rename("diagnosis")

# %% select
selector = TopologicalFeatureSelector(5, relevance="target").fit(X, y)
for name in selector.get_feature_names_out():
    print(f"{name:22} {selector.relevance_[X.columns.get_loc(name)]:.0%} of diagnosis")

# %% explain
print(selector.explain("mean radius"))

# %% evaluate
print(selector.evaluate(["mean radius", "mean texture", "mean area"]))

# %% pipeline
model = make_pipeline(
    StandardScaler(),
    TopologicalFeatureSelector(relevance="target"),
    KNeighborsClassifier(),
)
sizes = {"topologicalfeatureselector__n_features_to_select": [3, 5, 10, "auto"]}
search = GridSearchCV(model, sizes, scoring="balanced_accuracy", cv=5)
scores = cross_val_score(search, X, y, scoring="balanced_accuracy", cv=5)
print(
    f"balanced accuracy on rows that neither selection nor size has seen: {scores.mean():.2f}"
)

# %% wrong
columns = TopologicalFeatureSelector(5, relevance="target").fit(X, y).transform(X)
noise = np.random.default_rng(0).normal(size=(60, 2000))
coin = np.random.default_rng(1).integers(0, 2, 60)
with warnings.catch_warnings():
    # topofs warns: no column says more about such a target than chance gives.
    warnings.simplefilter("ignore", NoRelevanceWarning)
    chosen = TopologicalFeatureSelector(10, relevance="target").fit_transform(noise, coin)
knn = KNeighborsClassifier()
wrong = cross_val_score(knn, chosen, coin, scoring="balanced_accuracy", cv=5).mean()
inside = make_pipeline(TopologicalFeatureSelector(10, relevance="target"), knn)
right = cross_val_score(inside, noise, coin, scoring="balanced_accuracy", cv=5).mean()
print(f"noise, columns selected before the folds: {wrong:.2f}; inside the folds: {right:.2f}")

# %% few
rng = np.random.default_rng(0)
known = rng.permutation(len(y))[:30]
few = y.where(y.index.isin(known))  # None for the others
by_few = TopologicalFeatureSelector(5, relevance="target").fit(X, few)
print(f"with {few.notna().sum()} labels:", ", ".join(by_few.get_feature_names_out()))

# %% weights
prices = np.where(X.columns.str.startswith("worst"), 1.0, 3.0)
cheap = TopologicalFeatureSelector(3, relevance=1 / prices).fit(X)
print("by weights:", ", ".join(cheap.get_feature_names_out()))

# %% function
forest = RandomForestClassifier(random_state=0)
by_forest = TopologicalFeatureSelector(
    3, relevance=lambda X, y: forest.fit(X, y).feature_importances_
).fit(X, y)
print("by a forest:", ", ".join(by_forest.get_feature_names_out()))
