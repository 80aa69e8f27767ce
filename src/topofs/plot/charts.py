"""How much the first k features cover.

How alike the selected features are.

How many links the features have.

How often features are chosen on data drawn anew.

How the methods do on a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.graphs.filtered_graph import FilteredGraph
from topofs.plot.axes import COLORS, axes_for, drawn_of, matplotlib_part, tidy
from topofs.report.comparison import summarise_comparison
from topofs.report.selection_views import (
    MOST_ROWS,
    bars_of,
    between,
    features_of,
    heat_map,
    similarity_of,
    ties_at,
)
from topofs.rules.base import running_over_all
from topofs.selection.results import running_groups
from topofs.text import percent

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from topofs.comparison.compare import Comparison
    from topofs.report.selection_views import Ties
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.similarity.base import SimilarityOperator


__all__ = [
    "compare",
    "coverage_curve",
    "degree_distribution",
    "similarity_heatmap",
    "stability",
]


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


def degree_distribution(
    source: TopologicalFeatureSelector | FilteredGraph, *, ax: Axes | None = None
) -> Axes:
    """Draw how many features have how many links, the selected ones marked.

    Where features were ranked by their degree and the cut goes through equal ones, a dashed
    frame and the title say so.

    Parameters
    ----------
    source : TopologicalFeatureSelector or FilteredGraph
        A fitted selector, or a graph by itself.
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
    >>> selector = TopologicalFeatureSelector(5, rule="degree").fit(X)
    >>> plot.degree_distribution(selector).get_title()
    'Tied at the cut: 6 features with 4 links, 1 of them selected'
    """
    drawn = drawn_of(source)
    degrees = drawn.graph.degree().astype(np.float64)
    bars = bars_of(degrees)
    ax = axes_for(ax, size=(7, 4))
    counts = bars.counts()
    selected = np.bincount(bars.bar_of[drawn.selected], minlength=len(counts))
    at = np.arange(len(counts))
    if selected.any():
        ax.bar(at, selected, color=COLORS["selected"], label="selected")
    ax.bar(at, counts - selected, bottom=selected, color=COLORS["other"], label="not selected")
    # About as many letters as fit under the axis.
    every = max(1, round(len(counts) * max(map(len, bars.labels)) / 50))
    ax.set_xticks(at[::every], bars.labels[::every])
    ax.set_xlabel("links of a feature (degree)")
    ax.set_ylabel("features")
    tidy(ax)
    if selected.any():
        ax.legend(frameon=False)
    ties = _ties(source)
    if ties is not None:
        bar = bars.bar_of[np.flatnonzero(degrees == ties.score)[0]]
        ax.bar(
            bar,
            counts[bar],
            fill=False,
            edgecolor=COLORS["ink"],
            linestyle=(0, (3, 2)),
            linewidth=1.5,
        )
        ax.set_title(
            f"Tied at the cut: {ties.inside + ties.outside:,} features with {ties.score:g} "
            f"links, {ties.inside:,} of them selected"
        )
    return ax


def _ties(source: TopologicalFeatureSelector | FilteredGraph) -> Ties | None:
    """Features among which the cut had to choose, where the score was the degree."""
    if isinstance(source, FilteredGraph) or source.has_groups:
        return None
    if not np.array_equal(source.scores_[source.nodes_], drawn_of(source).graph.degree()):
        return None
    return ties_at(features_of(source), int(source.support_.sum()))


def stability(found: Stability, *, most: int = 30, ax: Axes | None = None) -> Axes:
    """Draw how often each feature was chosen, the most frequent first.

    Parameters
    ----------
    found : Stability
        As `topofs.stability` gives.
    most : int, default=30
        The most features to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes
        Its title is the stability Φ with its interval.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, plot, stability
    >>> X = load_wine(as_frame=True).data
    >>> found = stability(TopologicalFeatureSelector(4), X, n_resamples=10, random_state=0)
    >>> plot.stability(found).get_xlabel()
    'chosen in share of 10 resamples'
    """
    often = np.argsort(-found.frequency, kind="stable")[:most]
    ax = axes_for(ax, size=(7, 1.2 + 0.24 * len(often)))
    at = np.arange(len(often))
    # Those that an average selection has room for are marked.
    likely = at < round(float(found.sizes.mean()))
    colors = [COLORS["selected"] if one else COLORS["other"] for one in likely]
    bars = ax.barh(at, found.frequency[often], color=colors)
    handles = [bars[int(np.argmax(likely == one))] for one in (True, False) if one in likely]
    words = ["an average selection has room for it", "it has none"]
    labels = [word for one, word in zip((True, False), words, strict=True) if one in likely]
    ax.legend(handles, labels, loc="lower right", fontsize=8, frameon=False)
    ax.set_yticks(at, [found.names[i] for i in often])
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set_xlabel(f"chosen in share of {found.n_resamples:,} resamples")
    tidy(ax)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
    ax.tick_params(axis="y", length=0, labelsize=8)
    if np.isfinite(found.phi):
        ax.set_title(
            f"Stability Φ = {found.phi:.2f} ({found.level:.0%} interval {found.lower:.2f} to "
            f"{found.upper:.2f})"
        )
    else:
        ax.set_title("Stability is not defined: every resample chose all features")
    return ax


def compare(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean score of each method at each size, with its spread over the splits.

    Parameters
    ----------
    comparison : Comparison
        As `topofs.comparison.compare.compare` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import plot
    >>> from topofs.comparison.compare import Resampling, compare
    >>> from topofs.comparison.prediction import target_of
    >>> X, y = load_wine(return_X_y=True)
    >>> few = Resampling(n_repeats=1, n_random=2)
    >>> found = compare(X, target_of(y.astype(float)), sizes=[3, 6], resampling=few)
    >>> plot.compare(found).get_ylabel()
    'balanced accuracy'
    """
    summary = summarise_comparison(comparison)
    ax = axes_for(ax, size=(7, 4.5))
    drawn = (summary.own, *summary.rivals)
    at = np.arange(len(summary.sizes))
    for number, series in enumerate(drawn):
        # A little apart, so that spreads do not cover each other.
        shift = 0.06 * (number - (len(drawn) - 1) / 2)
        own = series is summary.own
        ax.errorbar(
            at + shift,
            np.array(series.means, dtype=np.float64),
            yerr=np.array(series.spreads, dtype=np.float64),
            color=COLORS["series"][number % len(COLORS["series"])],
            marker="o",
            markersize=7 if own else 5,
            linewidth=2.4 if own else 1.3,
            elinewidth=1.2,
            zorder=4 if own else 3,
            label=series.label,
        )
    if summary.everything is not None and summary.everything.means[0] is not None:
        ax.axhline(
            summary.everything.means[0],
            color=COLORS["quiet"],
            linestyle=(0, (4, 3)),
            linewidth=1.3,
            label=summary.everything.label,
        )
    ax.set_xticks(at, summary.sizes)
    ax.set_xlabel("features selected")
    ax.set_ylabel(summary.metric)
    ax.set_title(f"Mean and spread over {summary.n_splits} splits")
    tidy(ax)
    ax.legend(frameon=False, fontsize=9)
    return ax
