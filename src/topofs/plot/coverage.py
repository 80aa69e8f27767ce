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
from topofs.report.selection.standing import standing_of

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from topofs.selection import TopologicalFeatureSelector

__all__ = ["coverage_curve"]


def coverage_curve(
    selector: TopologicalFeatureSelector,
    X: Any = None,
    *,
    similarity: npt.NDArray[np.floating[Any]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the share of the network that the k best features cover, for every k.

    .. math:: c(k) = \frac1n \sum_j \max_{i \in S_k} s_{ij}

    With rule "coverage" s is the shared variance along the network (the curve is
    `coverage_`), and the size at which the selection stops by itself is marked.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix or data frame, shape (n_samples, n_features)
        What it was fitted on; not needed with rule "coverage".
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
    >>> plot.coverage_curve(TopologicalFeatureSelector().fit(X)).get_title()
    '4 of 13 features cover 57 %'
    >>> by_degree = TopologicalFeatureSelector(4, rule="degree").fit(X)
    >>> plot.coverage_curve(by_degree, X).get_title()
    '4 of 13 features cover 45 %'
    """
    check_is_fitted(selector)
    features = features_of(selector)
    order = features.node_order()
    by_coverage = selector.rule == "coverage"
    if by_coverage:
        curve = standing_of(selector, features)[0].curve
    elif X is None and similarity is None:
        raise ValueError(
            "the curve of rule 'degree' needs the table: coverage_curve(selector, X)"
        )
    else:
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
    if by_coverage:
        _mark_stop(ax, selector.at("auto"), curve)
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
        xytext=(-5 if late else 5, 0),
        textcoords="offset points",
        ha="right" if late else "left",
        fontsize=8,
        color=COLORS["stop"],
    )
