"""Feature selection by the shape of the dependency network."""

from topofs.centrality import betweenness, closeness, degree, eigenvector, pagerank, strength
from topofs.errors import (
    ConstantFeatureWarning,
    IdentifierFeatureWarning,
    MissingExtraError,
    NoStructureWarning,
)
from topofs.filtering import mst, pmfg, tmfg
from topofs.graph import FilteredGraph
from topofs.selection import (
    Explanation,
    InfiniteFeatureSelector,
    Stability,
    TopologicalFeatureSelector,
    stability,
    tfs_score,
    tmfg_from_data,
)
from topofs.similarity import (
    energy,
    mixed,
    mutual_information,
    pearson,
    spearman,
    threshold_mean,
)

__all__ = [
    "ConstantFeatureWarning",
    "Explanation",
    "FilteredGraph",
    "IdentifierFeatureWarning",
    "InfiniteFeatureSelector",
    "MissingExtraError",
    "NoStructureWarning",
    "Stability",
    "TopologicalFeatureSelector",
    "__version__",
    "betweenness",
    "closeness",
    "degree",
    "eigenvector",
    "energy",
    "mixed",
    "mst",
    "mutual_information",
    "pagerank",
    "pearson",
    "pmfg",
    "spearman",
    "stability",
    "strength",
    "tfs_score",
    "threshold_mean",
    "tmfg",
    "tmfg_from_data",
]

__version__ = "0.1.0"
