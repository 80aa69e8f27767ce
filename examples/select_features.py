"""Select 10 of the 30 features of a dataset that ships with scikit-learn, and print them."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector

data = load_breast_cancer()
selector = TopologicalFeatureSelector(10).fit(data.data)
graph, strength = selector.graph_, selector.graph_.strength()

print(
    f"{data.data.shape[0]} samples, {graph.n_nodes} features; TMFG with {graph.n_edges} edges"
)
print("\nSelected by degree in the TMFG of squared Pearson correlations (ties by strength):\n")
print(f"{'rank':>4}  {'feature':<26}{'degree':>6}{'strength':>10}")
best_first = np.argsort(selector.ranking_)
for column in best_first[:13]:
    if selector.ranking_[column] == 11:
        print("\nThe next ones, not selected:\n")
    name, degree = data.feature_names[column], selector.scores_[column]
    print(f"{selector.ranking_[column]:>4}  {name:<26}{degree:>6.0f}{strength[column]:>10.2f}")
