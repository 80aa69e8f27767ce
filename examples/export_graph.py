"""
Export the graph
================

Take the graph of the columns to networkx, to scipy, and to a GraphML file for Gephi.
"""

from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.datasets import load_wine

from topofs import TopologicalFeatureSelector

X = load_wine(as_frame=True).data
selector = TopologicalFeatureSelector(4, graph="tmfg").fit(X)
graph = selector.graph_

# %% networkx
# A networkx graph, with the column names as labels.

network = graph.to_networkx()
print(network)
print("planar:", nx.is_planar(network), " chordal:", nx.is_chordal(network))
hub = max(network, key=network.degree)
print("hub:", network.nodes[hub]["label"], "with", network.degree[hub], "links")

# %% attributes
# Add an attribute, and write the graph with networkx.

# Node i of the graph is column nodes_[i] of the table: constant columns have no node.
selected = dict(enumerate(selector.support_[selector.nodes_].tolist()))
nx.set_node_attributes(network, selected, "selected")
nx.write_graphml(network, "wine-selected.graphml")

# %% graphml
# Or write GraphML directly.

graph.write_graphml("wine.graphml")  # needs no networkx
print(Path("wine.graphml").read_text(encoding="utf-8").count("<edge"), "links written")

# %% arrays
# A sparse matrix for scipy, and plain arrays.

adjacency = graph.to_scipy()  # a sparse matrix of weights
print(adjacency.shape, "with", adjacency.nnz, "entries")
strongest = int(np.argmax(graph.weights))
i, j = graph.edges[strongest]
print(f"strongest link: {graph.labels[i]}, {graph.labels[j]}: {graph.weights[strongest]:.3f}")
