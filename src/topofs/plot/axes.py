"""Shared parts of the pictures: axes, colours, and the graph of a selector."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.errors import import_extra
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.report.selection_summary import filtered_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector
    from topofs.typing import Bools

COLORS = {
    "selected": "#d9480f",
    "other": "#8796aa",
    "edge": "#7c8aa0",
    "ink": "#1b2430",
    "quiet": "#566273",
    "rule": "#dde2e9",
    "stop": "#1d5fc2",
    "positive": "#1d5fc2",
    "negative": "#c2255c",
}

SERIES = (
    *("#d9480f", "#1d5fc2", "#0b7a6b", "#7c4fc4", "#b08900"),
    *("#c2255c", "#2f9e44", "#1098ad", "#862e9c", "#5f3dc4"),
)
"""Colours of groups and methods."""


def axes_for(ax: Axes | None, *, size: tuple[float, float]) -> Axes:
    """Give the axes to draw on: those given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = matplotlib_part("pyplot").subplots(figsize=size, layout="constrained")[1]
    return axes


def matplotlib_part(name: str) -> Any:
    """Import a module of matplotlib, or say which extra brings it."""
    import_extra("matplotlib", extra="plot", purpose="topofs.plot")
    return import_module(f"matplotlib.{name}")


def drawn_of(
    source: TopologicalFeatureSelector | FilteredGraph,
) -> tuple[FilteredGraph, list[str], Bools]:
    """Give the graph to draw, the names of its nodes, and which of them are selected."""
    graph: FilteredGraph | None
    if isinstance(source, FilteredGraph):
        graph, selected = source, np.zeros(source.n_nodes, dtype=np.bool_)
    elif hasattr(source, "nodes_") or hasattr(source, "graph"):
        check_is_fitted(source)
        graph, selected = filtered_graph(source), source.support_[source.nodes_]
        # For lists of links, draw the graph of the representatives.
        if graph is None and source.has_groups:
            graph = source.representation_graph()
        elif graph is None:
            graph = FilteredGraph(len(selected), np.empty((0, 2), np.int64), np.empty(0))
    else:
        raise ValueError(
            f"cannot draw {type(source).__name__}: give a fitted TopologicalFeatureSelector or "
            "a FilteredGraph"
        )
    return graph, list(graph.labels or [f"x{node}" for node in range(graph.n_nodes)]), selected


def tidy(ax: Axes) -> None:
    """Remove the frame, and draw light horizontal lines."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(COLORS["rule"])
    ax.grid(axis="y", color=COLORS["rule"], linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=COLORS["quiet"], labelcolor=COLORS["ink"])
