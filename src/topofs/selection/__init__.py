"""scikit-learn estimators that put measure, graph and rule together, and questions to a fit."""

from topofs.selection.explanation import Explanation, Neighbor, Representation
from topofs.selection.from_data import tmfg_from_data
from topofs.selection.infinite import InfiniteFeatureSelector
from topofs.selection.noise import NoiseFeatures, noise_features
from topofs.selection.panel_answers import (
    Addition,
    Evaluation,
    RandomLists,
    SamePair,
    Substitute,
    Substitutes,
)
from topofs.selection.plain_settings import plain_settings
from topofs.selection.ranked_columns import RankedColumn, fitted_similarity, ranked_columns
from topofs.selection.representing import Group, Member
from topofs.selection.score_function import tfs_score
from topofs.selection.sizes import Budget, MinShare, UntilCoverage
from topofs.selection.stability import EdgeConfidence, Stability, nogueira_stability, stability
from topofs.selection.topological import TopologicalFeatureSelector, fit_and_compare
from topofs.selection.wishes import AtMost

__all__ = [
    "Addition",
    "AtMost",
    "Budget",
    "EdgeConfidence",
    "Evaluation",
    "Explanation",
    "Group",
    "InfiniteFeatureSelector",
    "Member",
    "MinShare",
    "Neighbor",
    "NoiseFeatures",
    "RandomLists",
    "RankedColumn",
    "Representation",
    "SamePair",
    "Stability",
    "Substitute",
    "Substitutes",
    "TopologicalFeatureSelector",
    "UntilCoverage",
    "fit_and_compare",
    "fitted_similarity",
    "nogueira_stability",
    "noise_features",
    "plain_settings",
    "ranked_columns",
    "stability",
    "tfs_score",
    "tmfg_from_data",
]
