"""scikit-learn estimators that compose similarity, graph and centrality."""

from topofs.selection.explanation import Explanation, Neighbor
from topofs.selection.from_data import tmfg_from_data
from topofs.selection.infinite import InfiniteFeatureSelector
from topofs.selection.score_function import tfs_score
from topofs.selection.topological import TopologicalFeatureSelector

__all__ = [
    "Explanation",
    "InfiniteFeatureSelector",
    "Neighbor",
    "TopologicalFeatureSelector",
    "tfs_score",
    "tmfg_from_data",
]
