"""Feature selection by the shape of the dependency network.

Names are imported when they are first used, so that ``import topofs`` and ``topofs --help``
do not wait for numba and scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topofs.centrality import (
        betweenness,
        closeness,
        degree,
        eigenvector,
        pagerank,
        strength,
    )
    from topofs.errors import (
        ColumnReadingWarning,
        ConstantFeatureWarning,
        DependentRowsWarning,
        IdentifierFeatureWarning,
        IsolatedFeatureWarning,
        MissingExtraError,
        NoRelevanceWarning,
        NoStructureWarning,
        RareFeatureWarning,
    )
    from topofs.graphs import (
        MST,
        PMFG,
        TMFG,
        CliqueForest,
        Graph,
        Links,
        clique_forest,
        mst,
        pmfg,
        tmfg,
    )
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.models import Conditional, LoGoCovariance
    from topofs.network import Needs, Network
    from topofs.report.notebook_view import view
    from topofs.rules import Centrality, Coverage, Ranking, Rule, Variance
    from topofs.selection import (
        AtLeast,
        AtMost,
        Budget,
        Evaluation,
        Explanation,
        InfiniteFeatureSelector,
        MinShare,
        NetworkStability,
        Stability,
        TopologicalFeatureSelector,
        UntilCoverage,
        network_stability,
        reliability,
        rest_scores,
        stability,
        tfs_score,
        tmfg_from_data,
    )
    from topofs.similarity import (
        Auto,
        Energy,
        Function,
        Given,
        Measure,
        Mixed,
        MutualInformation,
        Pearson,
        Relevance,
        Spearman,
        energy,
        mixed,
        mutual_information,
        pearson,
        spearman,
        threshold_mean,
    )
    from topofs.terms import parameter, register, registered

__all__ = [
    "MST",
    "PMFG",
    "TMFG",
    "AtLeast",
    "AtMost",
    "Auto",
    "Budget",
    "Centrality",
    "CliqueForest",
    "ColumnReadingWarning",
    "Conditional",
    "ConstantFeatureWarning",
    "Coverage",
    "DependentRowsWarning",
    "Energy",
    "Evaluation",
    "Explanation",
    "FilteredGraph",
    "Function",
    "Given",
    "Graph",
    "IdentifierFeatureWarning",
    "InfiniteFeatureSelector",
    "IsolatedFeatureWarning",
    "Links",
    "LoGoCovariance",
    "Measure",
    "MinShare",
    "MissingExtraError",
    "Mixed",
    "MutualInformation",
    "Needs",
    "Network",
    "NetworkStability",
    "NoRelevanceWarning",
    "NoStructureWarning",
    "Pearson",
    "Ranking",
    "RareFeatureWarning",
    "Relevance",
    "Rule",
    "Spearman",
    "Stability",
    "TopologicalFeatureSelector",
    "UntilCoverage",
    "Variance",
    "__version__",
    "betweenness",
    "clique_forest",
    "closeness",
    "degree",
    "eigenvector",
    "energy",
    "mixed",
    "mst",
    "mutual_information",
    "network_stability",
    "pagerank",
    "parameter",
    "pearson",
    "pmfg",
    "register",
    "registered",
    "reliability",
    "rest_scores",
    "spearman",
    "stability",
    "strength",
    "tfs_score",
    "threshold_mean",
    "tmfg",
    "tmfg_from_data",
    "view",
]

__version__ = "0.2.0"

_ROOMS = (
    *("errors", "terms", "network"),
    *("similarity", "graphs", "centrality", "rules", "selection", "models"),
    "report.notebook_view",
)


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"topofs.{name}")
    if name in __all__:
        for room in _ROOMS:
            module = import_module(f"topofs.{room}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'topofs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
