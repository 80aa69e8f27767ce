"""Graph families: similarity matrix in, sparse graph out; one file per family."""

from topofs.graphs.base import AutoGraph, Graph
from topofs.graphs.clique_forest import CliqueForest, clique_forest
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.graphs.links import Links
from topofs.graphs.mst import MST, mst
from topofs.graphs.pmfg import PMFG, pmfg
from topofs.graphs.tmfg import TMFG, tmfg

__all__ = [
    "MST",
    "PMFG",
    "TMFG",
    "AutoGraph",
    "CliqueForest",
    "FilteredGraph",
    "Graph",
    "Links",
    "clique_forest",
    "mst",
    "pmfg",
    "tmfg",
]
