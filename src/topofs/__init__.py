"""Feature selection by the shape of the dependency network."""

from topofs.centrality import betweenness, closeness, degree, eigenvector, pagerank, strength
from topofs.errors import ConstantFeatureWarning, MissingExtraError
from topofs.filtering import mst, pmfg, tmfg
from topofs.graph import FilteredGraph
from topofs.selection import (
    Explanation,
    InfiniteFeatureSelector,
    TopologicalFeatureSelector,
    tfs_score,
    tmfg_from_data,
)
from topofs.similarity import energy, pearson, spearman, threshold_mean

__all__ = [
    "ConstantFeatureWarning",
    "Explanation",
    "FilteredGraph",
    "InfiniteFeatureSelector",
    "MissingExtraError",
    "TopologicalFeatureSelector",
    "__version__",
    "betweenness",
    "closeness",
    "degree",
    "eigenvector",
    "energy",
    "mst",
    "pagerank",
    "pearson",
    "pmfg",
    "spearman",
    "strength",
    "tfs_score",
    "threshold_mean",
    "tmfg",
    "tmfg_from_data",
]

__version__ = "0.1.0"
