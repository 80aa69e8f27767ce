"""How much the first k features cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.plot.axes import COLORS, axes_for, matplotlib_part, tidy
from topofs.report.selection.features import features_of
from topofs.report.selection.phrases import percent
from topofs.report.selection.similarity import similarity_of
from topofs.rules.running_groups import running_over_all
from topofs.selection.representing import running_groups

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["coverage_curve"]


def coverage_curve(
    selector: TopologicalFeatureSelector,
    X: Any = None,
    *,
    similarity: SimilarityOperator | npt.NDArray[np.floating[Any]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the share of all features that the k best of them cover, for every k.

    .. math:: c(k) = \frac1n \sum_j \max_{i \in S_k} s_{ij}

    s is the similarity; where the rule has groups, it is the share of j's variance that i
    explains as its representative (the curve is `coverage_`). Where the rule has an end, the
    size at which the selection stops by itself is marked.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, optional
        What it was fitted on; not needed where the rule has groups.
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
    >>> plot.coverage_curve(TopologicalFeatureSelector().fit(X)).get_title()
    '3 of 13 features cover 50 %'
    >>> by_degree = TopologicalFeatureSelector(4, rule="degree").fit(X)
    >>> plot.coverage_curve(by_degree, X).get_title()
    '4 of 13 features cover 45 %'
    """
    check_is_fitted(selector)
    features = features_of(selector)
    if selector.has_groups:
        curve = running_groups(selector).curve
    elif X is None and similarity is None:
        raise ValueError(
            f"the curve of rule {selector.rule_.name!r} needs the table: "
            "coverage_curve(selector, X)"
        )
    else:
        blocks = similarity_of(selector, X, similarity)
        curve = running_over_all(blocks, features.node_order()).curve
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
    if selector.rule_.has_end:
        _mark_stop(ax, selector.at("auto"), curve)
    ax.yaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set_xlim(0, len(curve) - 1)
    ax.set_ylim(min(0.0, curve.min()), max(1.02, curve.max()))
    ax.set_xlabel("features selected, best first")
    ax.set_ylabel("covered")
    ax.set_title(
        f"{n_selected:,} of {len(curve) - 1:,} features cover {percent(float(curve[n_selected]))}"
    )
    tidy(ax)
    return ax


def _mark_stop(
    ax: Axes, stopped: TopologicalFeatureSelector, curve: npt.NDArray[np.float64]
) -> None:
    """Mark where the selection stops by itself."""
    stop = int(stopped.support_[stopped.nodes_].sum())
    ax.axvline(stop, color=COLORS["stop"], linewidth=1, linestyle=(0, (2, 3)))
    ax.plot(stop, curve[stop], "D", color=COLORS["stop"], markersize=5)
    late = stop > 0.6 * len(curve)
    ax.annotate(
        f"stops by itself at {stop:,}",
        (stop, 0.03),
        xytext=(-8 if late else 8, 0),
        textcoords="offset points",
        ha="right" if late else "left",
        fontsize=8,
        color=COLORS["stop"],
        # The line of the number that is selected may stand just beside it.
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
        zorder=4,
    )
