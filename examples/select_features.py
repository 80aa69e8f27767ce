"""
Select features
===============

Select from the 30 features of a dataset of scikit-learn, and see what each represents.
"""

from sklearn.datasets import load_breast_cancer

from topofs import TopologicalFeatureSelector

data = load_breast_cancer()
selector = TopologicalFeatureSelector().fit(data.data)
graph, names = selector.graph_, data.feature_names

print(
    f"{data.data.shape[0]} samples, {graph.n_nodes} features; TMFG with {graph.n_edges} edges"
)
n_selected = selector.n_features_
print(
    f"\n{n_selected} features represent {selector.coverage_[n_selected - 1]:.0%} of the variance "
    "of all;\nthe next one would explain no more than itself:"
)
for group in selector.groups_:
    print(f"\n{group.rank:>2}  {names[group.position]}")
    for member in group.members:
        print(f"      {names[member.position]:<26}{member.share:>5.2f}")
