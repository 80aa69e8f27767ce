"""scikit-learn estimators that combine measure, graph and rule, and queries on a fit."""

from topofs.constraints import AtLeast, AtMost, Budget, MinShare, UntilCoverage
from topofs.selection.answers import (
    Addition,
    Evaluation,
    Explanation,
    Group,
    Member,
    Neighbor,
    RandomLists,
    RankedColumn,
    Representation,
    SamePair,
    Substitute,
    Substitutes,
    fitted_similarity,
    ranked_columns,
)
from topofs.selection.base import InfiniteFeatureSelector
from topofs.selection.compatibility import plain_settings
from topofs.selection.functions import NoiseFeatures, noise_features, tfs_score, tmfg_from_data
from topofs.selection.network_stability import (
    Intervals,
    NetworkStability,
    network_stability,
)
from topofs.selection.reliability import (
    Reliabilities,
    ScaleReliability,
    reliability,
    rest_scores,
)
from topofs.selection.selector import TopologicalFeatureSelector, fit_and_compare
from topofs.selection.stability import EdgeConfidence, Stability, nogueira_stability, stability

__all__ = [
    "Addition",
    "AtLeast",
    "AtMost",
    "Budget",
    "EdgeConfidence",
    "Evaluation",
    "Explanation",
    "Group",
    "InfiniteFeatureSelector",
    "Intervals",
    "Member",
    "MinShare",
    "Neighbor",
    "NetworkStability",
    "NoiseFeatures",
    "RandomLists",
    "RankedColumn",
    "Reliabilities",
    "Representation",
    "SamePair",
    "ScaleReliability",
    "Stability",
    "Substitute",
    "Substitutes",
    "TopologicalFeatureSelector",
    "UntilCoverage",
    "fit_and_compare",
    "fitted_similarity",
    "network_stability",
    "nogueira_stability",
    "noise_features",
    "plain_settings",
    "ranked_columns",
    "reliability",
    "rest_scores",
    "stability",
    "tfs_score",
    "tmfg_from_data",
]
