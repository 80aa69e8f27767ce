"""The graph of the columns of a table: one that is given, or one of a family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.engines.choosing import build_network, compare_columns
from topofs.graph import FilteredGraph, LinkGraph
from topofs.memory_size import parse_memory
from topofs.network import Needs
from topofs.selection.short_names import graph_of
from topofs.similarity.pearson import Pearson

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["graph_of_table"]


def graph_of_table(X: npt.NDArray[np.float64], graph: Any, *, memory: Any) -> FilteredGraph:
    """Filter the squared correlations of checked columns; a `FilteredGraph` is taken as it is.

    Where their matrix needs more than `memory`, a graph that can do without it does.
    """
    if isinstance(graph, FilteredGraph):
        if graph.n_nodes != X.shape[1]:
            raise ValueError(
                f"the graph has {graph.n_nodes} nodes and X {X.shape[1]} columns: give the "
                "graph of these columns"
            )
        return graph
    columns = compare_columns(X, Pearson(), memory=parse_memory(memory))
    built = build_network(columns, graph_of(graph), needs=Needs(), cut=None).graph
    assert built is not None
    # What gives whole rows, which nobody asks for here, is as large as the table or the matrix.
    return LinkGraph(built.shares, built.sums) if isinstance(built, LinkGraph) else built
