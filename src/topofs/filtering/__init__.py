"""Similarity matrix in, sparse graph out: one file a graph family."""

from topofs.filtering.auto import AutoGraph
from topofs.filtering.clique_forest import CliqueForest, clique_forest
from topofs.filtering.family import Graph
from topofs.filtering.links import Links
from topofs.filtering.mst import MST, mst
from topofs.filtering.pmfg import PMFG, pmfg
from topofs.filtering.tmfg import TMFG, tmfg

__all__ = [
    "MST",
    "PMFG",
    "TMFG",
    "AutoGraph",
    "CliqueForest",
    "Graph",
    "Links",
    "clique_forest",
    "mst",
    "pmfg",
    "tmfg",
]
