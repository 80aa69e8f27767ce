"""
A homological network
=====================

A sparse network on a table, wired by the graph of its columns. It needs torch.
"""

# %% fit
# Fit the classifier, and score it on unseen rows.

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from topofs.torch import HomologicalClassifier, HomologicalNetwork

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = HomologicalClassifier(random_state=0).fit(X, y)
print("more than nine of ten unseen rows are right:", model.score(X_test, y_test) > 0.9)
print(f"{model.network_.n_sparse_weights} weights between its layers")

# %% units
# Each layer holds the edges, triangles or tetrahedra of the graph.

for name, layer in zip(
    ["edges", "triangles", "tetrahedra"], model.network_.layers, strict=True
):
    units, facets = layer.weight.shape
    print(f"{units} {name}, each joined to {facets} units below")

# %% own
# The network is a torch module, to be used on its own.

network = HomologicalNetwork(model.graph_, n_outputs=3)  # a torch.nn.Module like any other
print(sum(value.numel() for value in network.parameters()), "parameters with the read-outs")
