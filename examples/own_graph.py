"""
Your own graph
==============

A graph of your own: every pair that is alike enough is linked.
"""

# %% define
# A graph is a frozen dataclass with one method.

from dataclasses import dataclass

import numpy as np

from topofs import FilteredGraph, Graph, TopologicalFeatureSelector, parameter, register


@dataclass(frozen=True, repr=False)
class Strong(Graph):
    """All links of at least a similarity."""

    least: float = parameter(0.5, help="The weakest similarity that is a link.")

    @property
    def words(self):
        """What it is called after "Of all pairs"."""
        return f"those of at least {self.least:g}"

    def build(self, similarity):
        """Filter a matrix; its values are symmetric, finite and not to be changed."""
        rows, columns = np.nonzero(np.triu(similarity.values >= self.least, 1))
        return FilteredGraph(
            len(similarity.values),
            np.column_stack([rows, columns]),
            similarity.values[rows, columns],
            labels=similarity.labels,
        )


register(Strong())

# %%
if __name__ == "__main__":
    import warnings

    from topofs import IsolatedFeatureWarning

    # Shown, even where warnings are made errors: with few links, some columns have none.
    warnings.simplefilter("default", IsolatedFeatureWarning)

# %% use
# It has a short name now, beside those of topofs.

if __name__ == "__main__":
    from sklearn.datasets import load_breast_cancer

    X = load_breast_cancer(as_frame=True).data
    for graph in ("links", "tmfg", "strong", Strong(least=0.8)):
        selector = TopologicalFeatureSelector(graph=graph).fit(X)
        print(
            f"{graph!s:<18}{selector.graph_.n_edges:>4} links, {selector.n_features_} columns"
        )
