"""Select 10 of the 30 features of a dataset that ships with scikit-learn, and print them."""

from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector

X = load_breast_cancer(as_frame=True).data
selector = TopologicalFeatureSelector(10).fit(X)
strength = selector.graph_.strength()

print(f"{len(X)} samples, {X.shape[1]} features, {selector.graph_}")
print("\nSelected by degree in the TMFG of squared Pearson correlations:\n")
print(f"{'rank':>4}  {'feature':<26}{'degree':>6}{'strength':>10}")
best_first = sorted(range(X.shape[1]), key=lambda column: selector.ranking_[column])
for column in best_first[:10]:
    name, degree = X.columns[column], selector.scores_[column]
    print(f"{selector.ranking_[column]:>4}  {name:<26}{degree:>6.0f}{strength[column]:>10.2f}")
print("\nWhy the next one was not selected:\n")
print(selector.explain(X.columns[best_first[10]]))
