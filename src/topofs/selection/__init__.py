"""scikit-learn estimators that compose similarity, graph and rule."""

from topofs.selection.explanation import Explanation, Neighbor, Speaking
from topofs.selection.from_data import tmfg_from_data
from topofs.selection.groups import Group, Member
from topofs.selection.infinite import InfiniteFeatureSelector
from topofs.selection.noise import NoiseFeatures, noise_features
from topofs.selection.ranked_columns import RankedColumn, ranked_columns
from topofs.selection.score_function import tfs_score
from topofs.selection.settings import SelectionSettings
from topofs.selection.stability import EdgeConfidence, Stability, nogueira_stability, stability
from topofs.selection.topological import TopologicalFeatureSelector

__all__ = [
    "EdgeConfidence",
    "Explanation",
    "Group",
    "InfiniteFeatureSelector",
    "Member",
    "Neighbor",
    "NoiseFeatures",
    "RankedColumn",
    "SelectionSettings",
    "Speaking",
    "Stability",
    "TopologicalFeatureSelector",
    "nogueira_stability",
    "noise_features",
    "ranked_columns",
    "stability",
    "tfs_score",
    "tmfg_from_data",
]
