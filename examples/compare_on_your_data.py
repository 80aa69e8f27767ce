"""
Compare on your own data
========================

Is the selection any good on your table? Random subsets are the bar.
"""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from topofs import InfiniteFeatureSelector, TopologicalFeatureSelector

X, y = load_breast_cancer(return_X_y=True)
SIZE = 5
folds = StratifiedKFold(5, shuffle=True, random_state=0)


# %% compare
# Select inside the folds of a cross-validation, and score a classifier on the unseen rows.


def random_columns(seed):
    """Keep SIZE columns drawn at random: the same ones in every fold."""
    columns = np.random.default_rng(seed).choice(X.shape[1], SIZE, replace=False)
    return FunctionTransformer(np.take, kw_args={"indices": columns, "axis": 1})


def score(selector):
    """Select inside the folds, scale, classify: balanced accuracy of each fold."""
    model = make_pipeline(clone(selector), StandardScaler(), KNeighborsClassifier())
    return cross_val_score(model, X, y, cv=folds, scoring="balanced_accuracy")


print(f"all {X.shape[1]} columns      {score(FunctionTransformer()).mean():.3f}")
print(f"TFS, {SIZE} columns      {score(TopologicalFeatureSelector(SIZE)).mean():.3f}")
print(f"as published        {score(TopologicalFeatureSelector.paper(SIZE)).mean():.3f}")
print(f"Inf-FS, {SIZE} columns   {score(InfiniteFeatureSelector(SIZE)).mean():.3f}")
draws = [score(random_columns(seed)).mean() for seed in range(10)]
print(f"random, {SIZE} columns   {np.mean(draws):.3f} ({min(draws):.3f} to {max(draws):.3f})")
