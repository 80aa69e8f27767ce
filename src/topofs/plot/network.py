"""The network of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.graphs.filtered_graph import FilteredGraph
from topofs.layout import layout
from topofs.plot.axes import COLORS, axes_for, drawn_of, matplotlib_part

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.plot.axes import Drawn
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["network"]

_MOST_LABELS = 60
# Where a label may be: offset from its dot in points, and how it is aligned.
_SIDES = (
    ((1, 0), "left", "center"),
    ((-1, 0), "right", "center"),
    ((0, 1), "center", "bottom"),
    ((0, -1), "center", "top"),
)


def network(
    source: TopologicalFeatureSelector | FilteredGraph,
    *,
    labels: str | None = "auto",
    groups: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the graph of the features, the selected ones marked.

    A selector that ranked by lists of links is drawn as who represents whom.

    Parameters
    ----------
    source : TopologicalFeatureSelector or FilteredGraph
        A fitted selector, or a graph by itself.
    labels : {"auto", "selected", "all", None}, default="auto"
        Whose names to write, where there is room. "auto" is all up to 40 nodes, the selected
        ones beyond.
    groups : bool, default=False
        Whether to colour each selected feature and those it represents alike, where the rule
        has groups. The largest groups have colours of their own; the others share grey.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, plot
    >>> selector = TopologicalFeatureSelector(4).fit(load_wine(as_frame=True).data)
    >>> plot.network(selector).get_title()
    '13 features, 9 links, 4 selected'
    """
    if labels not in ("auto", "selected", "all", None):
        raise ValueError(f"labels is {labels!r}; known are 'auto', 'selected', 'all' and None")
    drawn = drawn_of(source)
    colors = np.where(drawn.selected, COLORS["selected"], COLORS["other"]).astype(object)
    if groups:
        colors = _group_colors(source)
    ax = axes_for(ax, size=(8, 6))
    places = layout(drawn.graph)
    # Screens draw upwards, and the report downwards: the same picture in both.
    places = places * [1, -1]
    _draw_edges(ax, drawn, places)
    size = float(np.clip(9000 / max(drawn.graph.n_nodes, 1), 8, 110))
    for marked, scale in ((False, 1.0), (True, 2.2 if groups else 1.6)):
        of = drawn.selected == marked
        ax.scatter(
            places[of, 0],
            places[of, 1],
            s=scale * size,
            color=colors[of],
            edgecolors=COLORS["ink"] if groups and marked else "white",
            linewidths=1.2 if groups and marked else 0.6,
            zorder=3 if marked else 2,
            label="selected" if marked else "not selected",
        )
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.axis("off")
    n_selected = int(drawn.selected.sum())
    selected = f", {n_selected:,} selected" if n_selected else ""
    ax.set_title(f"{drawn.graph.n_nodes:,} features, {drawn.graph.n_edges:,} links{selected}")
    _write_names(ax, drawn, places, _labelled(drawn, labels), np.sqrt(size) / 2 + 3)
    return ax


def _group_colors(
    source: TopologicalFeatureSelector | FilteredGraph,
) -> npt.NDArray[np.object_]:
    """A colour for each node: that of its group, the largest groups first."""
    if isinstance(source, FilteredGraph) or not source.has_groups:
        raise ValueError(
            "groups=True needs a selector fitted by a rule with groups, as rule='coverage'"
        )
    colors = np.full(source.n_features_in_, COLORS["other"], dtype=object)
    largest = sorted(source.groups_, key=lambda group: -len(group.members))
    for group, color in zip(largest, COLORS["groups"], strict=False):
        if group.members:
            colors[[group.position, *(member.position for member in group.members)]] = color
    return colors[source.nodes_]


def _draw_edges(ax: Axes, drawn: Drawn, places: npt.NDArray[np.float64]) -> None:
    if not drawn.graph.n_edges:
        return
    collections = matplotlib_part("collections")
    weights = np.clip(drawn.graph.weights.astype(np.float64), 0, None)
    share = weights / max(weights.max(initial=0.0), 1e-12)
    crowd = float(np.clip(20 / np.sqrt(max(len(weights), 1)), 0.25, 1))
    ax.add_collection(
        collections.LineCollection(
            list(places[drawn.graph.edges]),
            colors=COLORS["edge"],
            linewidths=crowd * (0.5 + 1.8 * share),
            alpha=np.clip(0.25 + 0.5 * share, 0, 1),
            zorder=1,
        )
    )


def _labelled(drawn: Drawn, labels: str | None) -> npt.NDArray[np.int64]:
    """Nodes to name: the selected ones first, the best connected of them before."""
    if labels is None:
        return np.empty(0, dtype=np.int64)
    selected = np.flatnonzero(drawn.selected)
    selected = selected[np.argsort(-drawn.graph.degree()[selected], kind="stable")]
    if labels == "selected" or (labels == "auto" and drawn.graph.n_nodes > 40):
        return selected[:_MOST_LABELS]
    return np.concatenate([selected, np.flatnonzero(~drawn.selected)])


def _write_names(
    ax: Axes,
    drawn: Drawn,
    places: npt.NDArray[np.float64],
    nodes: npt.NDArray[np.int64],
    gap: float,
) -> None:
    """Write each name on the first free side of its dot, or not at all."""
    if not len(nodes):
        return
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    effects = matplotlib_part("patheffects")
    halo = [effects.withStroke(linewidth=2.5, foreground="white")]
    # Among thousands of dots no name would be free of them all.
    taken: list[Any] = _dot_boxes(ax, places, gap) if len(places) <= 150 else []
    page = ax.figure.bbox
    for node in nodes.tolist():
        for (right, up), across, along in _SIDES:
            text = ax.annotate(
                drawn.names[node],
                places[node],
                xytext=(right * gap, up * gap),
                textcoords="offset points",
                ha=across,
                va=along,
                fontsize=8,
                fontweight="bold" if drawn.selected[node] else "normal",
                color=COLORS["selected"] if drawn.selected[node] else COLORS["ink"],
                path_effects=halo,
                parse_math=False,
                zorder=4,
            )
            box = text.get_window_extent()
            inside = page.x0 <= box.x0 and box.x1 <= page.x1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()


def _dot_boxes(ax: Axes, places: npt.NDArray[np.float64], gap: float) -> list[Any]:
    """Boxes around the dots, a little smaller than the gap to their names."""
    transforms = matplotlib_part("transforms")
    half = 0.6 * gap * ax.figure.dpi / 72
    return [
        transforms.Bbox.from_extents(x - half, y - half, x + half, y + half)
        for x, y in ax.transData.transform(places)
    ]
