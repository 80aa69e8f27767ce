"""How alike the selected features are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.plot.axes import COLORS, axes_for, matplotlib_part
from topofs.report.selection.features import features_of
from topofs.report.selection.heat_map import MOST_ROWS, heat_map
from topofs.report.selection.similarity import between, similarity_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["similarity_heatmap"]


def similarity_heatmap(
    selector: TopologicalFeatureSelector,
    X: Any,
    *,
    similarity: SimilarityOperator | npt.NDArray[np.floating[Any]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the similarity between the selected features, like ones side by side.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted. Of its selected features the first 60 are drawn.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable
        What it was fitted on.
    similarity : SimilarityOperator or array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes of its graph, where it was prepared already.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, plot
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot.similarity_heatmap(TopologicalFeatureSelector(4).fit(X), X)
    >>> sorted(text.get_text() for text in ax.get_yticklabels())
    ['alcohol', 'ash', 'flavanoids', 'hue']
    """
    check_is_fitted(selector)
    features = features_of(selector)
    n_selected = int(selector.support_[selector.nodes_].sum())
    first = features.node_order()[: min(n_selected, MOST_ROWS)]
    heat = heat_map(between(similarity_of(selector, X, similarity), first))
    names = [features.names[features.nodes[node]] for node in first[heat.rows]]
    side = 2.5 + 0.28 * len(names)
    ax = axes_for(ax, size=(side + 2.0, side))
    colors = matplotlib_part("colors")
    ends = ("#1d5fc2", "#f3f5f8", "#b93a06")
    negative = bool((heat.values < 0).any())
    scale = colors.LinearSegmentedColormap.from_list("topofs", ends if negative else ends[1:])
    image = ax.imshow(heat.values, cmap=scale, vmin=-1.0 if negative else 0.0, vmax=1.0)
    at = np.arange(len(names))
    ax.set_yticks(at, names)
    ax.set_xticks(at, names, rotation=90)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        text.set_parse_math(False)
    ax.tick_params(length=0, labelcolor=COLORS["ink"], labelsize=8)
    ax.spines[:].set_visible(False)
    if len(names) <= 12:
        _write_values(ax, heat.values)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="similarity")
    bar.outline.set_visible(False)
    more = f", the first {len(names)}" if len(names) < n_selected else ""
    ax.set_title(f"Similarity of the {n_selected:,} selected features{more}")
    return ax


def _write_values(ax: Axes, values: npt.NDArray[np.float64]) -> None:
    for (row, column), value in np.ndenumerate(values):
        ax.text(
            column,
            row,
            f"{value:.2f}",
            ha="center",
            va="center",
            fontsize=7,
            color="white" if abs(value) > 0.6 else COLORS["ink"],
        )
