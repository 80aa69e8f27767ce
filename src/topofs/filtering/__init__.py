"""Similarity matrix in, sparse graph out: one file a graph family."""

from topofs.filtering.mst import mst
from topofs.filtering.pmfg import pmfg
from topofs.filtering.tmfg import tmfg

__all__ = ["GRAPHS", "mst", "pmfg", "tmfg"]

GRAPHS = {"tmfg": tmfg, "pmfg": pmfg, "mst": mst}
"""The graph families by name."""
