"""scikit-learn estimators that compose similarity, graph and centrality."""

from topofs.selection.explanation import Explanation, Neighbor
from topofs.selection.from_data import tmfg_from_data
from topofs.selection.infinite import InfiniteFeatureSelector
from topofs.selection.ranked_columns import RankedColumn, ranked_columns
from topofs.selection.score_function import tfs_score
from topofs.selection.settings import SelectionSettings
from topofs.selection.topological import TopologicalFeatureSelector

__all__ = [
    "Explanation",
    "InfiniteFeatureSelector",
    "Neighbor",
    "RankedColumn",
    "SelectionSettings",
    "TopologicalFeatureSelector",
    "ranked_columns",
    "tfs_score",
    "tmfg_from_data",
]
