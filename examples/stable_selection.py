"""See whether another sample of the same kind would have given the same columns."""

from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector, stability

# --8<-- [start:stability]
X = load_breast_cancer(as_frame=True).data
for selector in (TopologicalFeatureSelector(6), TopologicalFeatureSelector.paper(6)):
    found = stability(selector, X, n_resamples=20, random_state=0)
    print(f"rule {selector.rule!r}")
    print(found)
# --8<-- [end:stability]

# --8<-- [start:edges]
sure = sum(edge.confidence == 1 for edge in found.edges)
print(f"{sure} of {3 * X.shape[1] - 6} links of the graph came back in every resample")
# --8<-- [end:edges]
