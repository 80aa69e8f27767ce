"""What all pictures share: axes to draw on, colours, and what is drawn of a selector."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.errors import import_extra
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.report.selection_summary import filtered_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector

__all__ = ["COLORS", "Drawn", "axes_for", "drawn_of", "matplotlib_part", "tidy"]

COLORS = {
    "selected": "#d9480f",
    "other": "#8796aa",
    "edge": "#7c8aa0",
    "ink": "#1b2430",
    "quiet": "#566273",
    "rule": "#dde2e9",
    "stop": "#1d5fc2",
    "groups": (
        "#d9480f",
        "#1d5fc2",
        "#0b7a6b",
        "#7c4fc4",
        "#b08900",
        "#c2255c",
        "#2f9e44",
        "#1098ad",
        "#862e9c",
        "#5f3dc4",
    ),
    "series": ("#d9480f", "#1d5fc2", "#0b7a6b", "#7c4fc4", "#b08900"),
}


@dataclass(frozen=True)
class Drawn:
    """A graph to draw, the names of its nodes, and which of them to mark."""

    graph: FilteredGraph
    names: tuple[str, ...]
    selected: npt.NDArray[np.bool_]


def axes_for(ax: Axes | None, *, size: tuple[float, float]) -> Axes:
    """Give the axes to draw on: those given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    pyplot = matplotlib_part("pyplot")
    _, made = pyplot.subplots(figsize=size, layout="constrained")
    axes: Axes = made
    return axes


def matplotlib_part(name: str) -> Any:
    """Import a module of matplotlib, or say which extra brings it."""
    import_extra("matplotlib", extra="plot", purpose="topofs.plot")
    return import_module(f"matplotlib.{name}")


def drawn_of(source: TopologicalFeatureSelector | FilteredGraph) -> Drawn:
    """Read graph, names and selected nodes off a fitted selector or a bare graph."""
    if isinstance(source, FilteredGraph):
        graph, selected = source, np.zeros(source.n_nodes, dtype=np.bool_)
    elif hasattr(source, "nodes_") or hasattr(source, "graph"):
        check_is_fitted(source)
        graph, selected = _drawn_graph(source), source.support_[source.nodes_]
    else:
        raise ValueError(
            f"cannot draw {type(source).__name__}: give a fitted TopologicalFeatureSelector or "
            "a FilteredGraph"
        )
    labels = graph.labels or [f"x{node}" for node in range(graph.n_nodes)]
    return Drawn(graph, tuple(labels), selected)


def _drawn_graph(selector: TopologicalFeatureSelector) -> FilteredGraph:
    """The filtered graph, or who represents whom where the selector has only lists of links."""
    graph = filtered_graph(selector)
    if graph is not None:
        return graph
    if not selector.has_groups:
        return FilteredGraph(len(selector.nodes_), np.empty((0, 2), np.int64), np.empty(0))
    return selector.representation_graph()


def tidy(ax: Axes) -> None:
    """Leave out the frame, and rule lightly across."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(COLORS["rule"])
    ax.grid(axis="y", color=COLORS["rule"], linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=COLORS["quiet"], labelcolor=COLORS["ink"])
