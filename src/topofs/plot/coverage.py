"""How much of the network the first k features cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.plot.axes import COLORS, axes_for, matplotlib_part, tidy
from topofs.report.selection.coverage import coverage
from topofs.report.selection.features import features_of
from topofs.report.selection.phrases import percent
from topofs.report.selection.similarity import similarity_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector

__all__ = ["coverage_curve"]


def coverage_curve(
    selector: TopologicalFeatureSelector,
    X: Any,
    *,
    similarity: npt.NDArray[np.floating[Any]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the share of the network that the k best features cover, for every k.

    .. math:: c(k) = \frac1n \sum_j \max_{i \in S_k} s_{ij}

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like or sparse matrix, shape (n_samples, n_features)
        What it was fitted on.
    similarity : array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes of its graph, where it was computed already.
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
    >>> plot.coverage_curve(TopologicalFeatureSelector(4).fit(X), X).get_title()
    '4 of 13 features cover 45 %'
    """
    check_is_fitted(selector)
    features = features_of(selector)
    order = features.node_order()
    curve = coverage(similarity_of(selector, X, similarity), order).curve
    n_selected = int(selector.support_[selector.nodes_].sum())
    ax = axes_for(ax, size=(7, 4))
    sizes = np.arange(len(curve))
    ax.plot(sizes, curve, color=COLORS["selected"], linewidth=2.2)
    ax.fill_between(sizes, curve, color=COLORS["selected"], alpha=0.12)
    ax.plot(
        [n_selected, n_selected],
        [0, curve[n_selected]],
        color=COLORS["ink"],
        linewidth=1,
        linestyle=(0, (3, 3)),
    )
    ax.plot(n_selected, curve[n_selected], "o", color=COLORS["selected"], markersize=8)
    ax.yaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set_xlim(0, len(order))
    ax.set_ylim(min(0.0, curve.min()), max(1.02, curve.max()))
    ax.set_xlabel("features kept, in the order of selection")
    ax.set_ylabel("network covered")
    ax.set_title(
        f"{n_selected:,} of {len(order):,} features cover {percent(float(curve[n_selected]))}"
    )
    tidy(ax)
    return ax
