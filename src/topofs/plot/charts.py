"""The pictures: the network of features, and the charts of a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from topofs.graphs.filtered_graph import FilteredGraph
from topofs.plot.axes import COLORS, SERIES, axes_for, drawn_of, matplotlib_part, tidy
from topofs.report.comparison import summarise_comparison
from topofs.report.selection_summary import (
    MOST_ROWS,
    WithDiagonal,
    bars_of,
    heat_map,
    similarity_of,
    ties_at_cut,
)
from topofs.rules.base import running_over_all
from topofs.selection.results import running_groups
from topofs.text import counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.comparison.compare import Comparison
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Floats, Ints

_MOST_LABELS = 60
# Positions of a label: offset from its dot in points, and alignment.
_SIDES = [(1, 0), (-1, 0), (0, 1), (0, -1)]
_ACROSS, _ALONG = {1: "left", -1: "right"}, {1: "bottom", -1: "top"}


def network(
    source: TopologicalFeatureSelector | FilteredGraph,
    X: Any = None,
    *,
    labels: str | None = "auto",
    groups: bool = False,
    communities: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw the graph of the features, the selected ones marked.

    For a selector that ranked by lists of links, the links join columns to their
    representatives. If the graph has correlations, positive and negative ones have colours of
    their own.

    Parameters
    ----------
    source : TopologicalFeatureSelector or FilteredGraph
        A fitted selector, or a graph by itself.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, optional
        What the selector was fitted on: the links of its graph get their correlations
        (`signed_graph`).
    labels : {"auto", "selected", "all", None}, default="auto"
        The names to write, if there is room. "auto": all names up to 40 nodes, the selected
        ones beyond.
    groups : bool, default=False
        Whether to colour each selected feature and those it represents alike, where the rule
        has groups. The largest groups have colours of their own; the others share grey.
    communities : bool, default=False
        Whether to colour the features by their community (`FilteredGraph.communities`). The
        largest communities have colours of their own; the others share grey.
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
    from topofs.layout import layout

    if groups and communities:
        raise ValueError("groups and communities both colour the features: set one of them")
    graph, names, selected = drawn_of(source)
    if X is not None:
        if isinstance(source, FilteredGraph):
            raise ValueError(
                "X is for a fitted selector, and a graph is given: give its correlations to "
                "FilteredGraph"
            )
        graph = source.signed_graph(X)
    colors = np.where(selected, COLORS["selected"], COLORS["other"]).astype(object)
    if groups:
        colors = _group_colors(source)
    number = graph.communities() if communities else None
    if number is not None:
        shared = np.full(max(0, graph.n_nodes - len(SERIES)), COLORS["other"])
        colors = np.array([*SERIES, *shared], dtype=object)[number]
    ax = axes_for(ax, size=(8, 6))
    # Screens draw upwards, and the report downwards: the same picture in both.
    places = layout(graph) * [1, -1]
    if graph.n_edges:
        weights = np.clip(graph.weights.astype(np.float64), 0, None)
        share = weights / max(weights.max(), 1e-12)
        crowd = float(np.clip(20 / np.sqrt(len(weights)), 0.25, 1))
        widths, opacity = crowd * (0.5 + 1.8 * share), np.clip(0.25 + 0.5 * share, 0, 1)
        lines = matplotlib_part("collections").LineCollection(places[graph.edges], zorder=1)
        lines.set(color=_link_colors(graph), linewidths=widths, alpha=opacity)
        ax.add_collection(lines)
    size = float(np.clip(9000 / max(graph.n_nodes, 1), 8, 110))
    by_color = groups or communities
    for marked, scale in ((False, 1.0), (True, 2.2 if by_color else 1.6)):
        of, framed = selected == marked, by_color and marked
        ax.scatter(
            places[of, 0],
            places[of, 1],
            s=scale * size,
            color=colors[of],
            edgecolors=COLORS["ink"] if framed else "white",
            linewidths=1.2 if framed else 0.6,
            zorder=3 if marked else 2,
            label="selected" if marked else "not selected",
        )
    ax.set_aspect("equal")
    ax.margins(0.08)
    ax.axis("off")
    n_selected = int(selected.sum())
    many = f", {n_selected:,} selected" if n_selected else ""
    ax.set_title(f"{graph.n_nodes:,} features, {graph.n_edges:,} links{many}")
    if labels is not None:
        # The selected nodes with most links first.
        best_first = np.argsort(-graph.degree(), kind="stable")
        named = best_first[selected[best_first]]
        if labels == "selected" or (labels == "auto" and graph.n_nodes > 40):
            named = named[:_MOST_LABELS]
        else:
            named = np.concatenate([named, np.flatnonzero(~selected)])
        _write_names(ax, places, named, names, selected, gap=np.sqrt(size) / 2 + 3)
    handles = _link_handles(graph) + _community_handles(number)
    if handles:
        ax.legend(handles=handles, loc="best", fontsize=8, frameon=False)
    return ax


def _link_colors(graph: FilteredGraph) -> Any:
    """A colour for each link, by the sign of its correlation; one colour without signs."""
    if graph.correlations is None:
        return COLORS["edge"]
    return np.where(graph.correlations < 0, COLORS["negative"], COLORS["positive"])


def _link_handles(graph: FilteredGraph) -> list[Any]:
    """The entries of the legend for the signs of the links."""
    if graph.correlations is None or not graph.n_edges:
        return []
    line = matplotlib_part("lines").Line2D
    found = [("positive", graph.correlations >= 0), ("negative", graph.correlations < 0)]
    return [
        line([], [], color=COLORS[sign], linewidth=2, label=f"{sign} correlation")
        for sign, has in found
        if has.any()
    ]


def _community_handles(number: Ints | None) -> list[Any]:
    """The entries of the legend for the communities."""
    if number is None:
        return []
    sizes, line = np.bincount(number).tolist(), matplotlib_part("lines").Line2D
    style = {"linestyle": "none", "marker": "o"}
    found = [
        line([], [], color=color, label=f"community {i}: {counted(size, 'feature')}", **style)
        for i, (size, color) in enumerate(zip(sizes, SERIES, strict=False))
    ]
    if len(sizes) > len(SERIES):
        n_others = len(sizes) - len(SERIES)
        label = f"{n_others} smaller communities"
        found.append(line([], [], color=COLORS["other"], label=label, **style))
    return found


def _group_colors(source: TopologicalFeatureSelector | FilteredGraph) -> Any:
    """A colour for each node: that of its group, the largest groups first."""
    if isinstance(source, FilteredGraph) or not source.has_groups:
        raise ValueError(
            "groups=True needs a selector fitted by a rule with groups, as rule='coverage'"
        )
    colors = np.full(source.n_features_in_, COLORS["other"], dtype=object)
    largest = sorted(source.groups_, key=lambda group: -len(group.members))
    for group, color in zip(largest, SERIES, strict=False):
        if group.members:
            colors[[group.position, *(member.position for member in group.members)]] = color
    return colors[source.nodes_]


def _write_names(
    ax: Axes, places: Doubles, nodes: Ints, names: list[str], selected: Any, *, gap: float
) -> None:
    """Write each name on the first free side of its dot, or not at all."""
    if not len(nodes):
        return
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    halo = [matplotlib_part("patheffects").withStroke(linewidth=2.5, foreground="white")]
    taken: list[Any] = []
    # Among thousands of dots no position is free.
    if len(places) <= 150:
        # Boxes around the dots, a little smaller than the gap to their names.
        half, box_of = 0.6 * gap * ax.figure.dpi / 72, matplotlib_part("transforms").Bbox
        corners = ax.transData.transform(places)
        taken = [box_of([at - half, at + half]) for at in corners]
    page = ax.figure.bbox
    for node in nodes.tolist():
        for right, up in _SIDES:
            text = ax.annotate(
                names[node],
                places[node],
                xytext=(right * gap, up * gap),
                textcoords="offset points",
                ha=_ACROSS.get(right, "center"),
                va=_ALONG.get(up, "center"),
                fontsize=8,
                fontweight="bold" if selected[node] else "normal",
                color=COLORS["selected" if selected[node] else "ink"],
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


def coverage_curve(
    selector: TopologicalFeatureSelector,
    X: Any = None,
    *,
    similarity: SimilarityOperator | Floats | None = None,
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
    if selector.has_groups:
        curve = running_groups(selector).curve
    elif X is None and similarity is None:
        raise ValueError(
            f"the curve of rule {selector.rule_.name!r} needs the table: "
            "coverage_curve(selector, X)"
        )
    else:
        blocks = WithDiagonal(similarity_of(selector, X, similarity))
        ranked = np.argsort(selector.ranking_[selector.nodes_])
        curve = running_over_all(blocks, ranked).curve
    n_selected = int(selector.support_[selector.nodes_].sum())
    ax = axes_for(ax, size=(7, 4))
    sizes = np.arange(len(curve))
    ax.plot(sizes, curve, color=COLORS["selected"], linewidth=2.2)
    ax.fill_between(sizes, curve, color=COLORS["selected"], alpha=0.12)
    covered = curve[n_selected]
    ax.vlines(n_selected, 0, covered, color=COLORS["ink"], linewidth=1, linestyle=(0, (3, 3)))
    ax.plot(n_selected, covered, "o", color=COLORS["selected"], markersize=8)
    if selector.rule_.has_end:
        _mark_stop(ax, selector.at("auto"), curve)
    ax.yaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set(xlim=(0, len(curve) - 1), ylim=(min(0.0, curve.min()), max(1.02, curve.max())))
    ax.set(xlabel="features selected, best first", ylabel="covered")
    share = percent(float(covered))
    ax.set_title(f"{n_selected:,} of {len(curve) - 1:,} features cover {share}")
    tidy(ax)
    return ax


def _mark_stop(ax: Axes, stopped: TopologicalFeatureSelector, curve: Doubles) -> None:
    """Mark the automatic end."""
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
    similarity: SimilarityOperator | Floats | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the similarity between the selected features, ordered so that similar ones are adjacent.

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
    n_selected = int(selector.support_[selector.nodes_].sum())
    ranked = np.argsort(selector.ranking_[selector.nodes_])
    first = ranked[: min(n_selected, MOST_ROWS)]
    rows, values = heat_map(similarity_of(selector, X, similarity), first)
    columns = selector._column_names()  # noqa: SLF001 - as every message names them
    names = [str(name) for name in columns[selector.nodes_[rows]]]
    side = 2.5 + 0.28 * len(names)
    ax = axes_for(ax, size=(side + 2.0, side))
    colors = matplotlib_part("colors")
    ends = ("#1d5fc2", "#f3f5f8", "#b93a06")
    negative = bool((values < 0).any())
    scale = colors.LinearSegmentedColormap.from_list("topofs", ends if negative else ends[1:])
    image = ax.imshow(values, cmap=scale, vmin=-1.0 if negative else 0.0, vmax=1.0)
    at = np.arange(len(names))
    ax.set_yticks(at, names, parse_math=False)
    ax.set_xticks(at, names, rotation=90, parse_math=False)
    ax.tick_params(length=0, labelcolor=COLORS["ink"], labelsize=8)
    ax.spines[:].set_visible(False)
    if len(names) <= 12:
        for (row, column), value in np.ndenumerate(values):
            ink = "white" if abs(value) > 0.6 else COLORS["ink"]
            centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
            ax.text(column, row, f"{value:.2f}", color=ink, **centred)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="similarity")
    bar.outline.set_visible(False)
    more = f", the first {len(names)}" if len(names) < n_selected else ""
    ax.set_title(f"Similarity of the {n_selected:,} selected features{more}")
    return ax


def degree_distribution(
    source: TopologicalFeatureSelector | FilteredGraph, *, ax: Axes | None = None
) -> Axes:
    """Draw how many features have how many links, the selected ones marked.

    If features were ranked by degree and the cut divides features of equal degree, a dashed
    frame and the title show it.

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
    graph, _, marked = drawn_of(source)
    degrees = graph.degree().astype(np.float64)
    labels, bar_of = bars_of(degrees)
    ax = axes_for(ax, size=(7, 4))
    counts = np.bincount(bar_of, minlength=len(labels))
    selected = np.bincount(bar_of[marked], minlength=len(labels))
    at = np.arange(len(labels))
    if selected.any():
        ax.bar(at, selected, color=COLORS["selected"], label="selected")
    ax.bar(at, counts - selected, bottom=selected, color=COLORS["other"], label="not selected")
    # About as many letters as fit under the axis.
    every = max(1, round(len(labels) * max(map(len, labels)) / 50))
    ax.set_xticks(at[::every], labels[::every])
    ax.set(xlabel="links of a feature (degree)", ylabel="features")
    tidy(ax)
    if selected.any():
        ax.legend(frameon=False)
    ties = None
    # The cut divides equal degrees only if the score was the degree.
    if not isinstance(source, FilteredGraph) and not source.has_groups:
        by_degree = np.array_equal(source.scores_[source.nodes_], degrees)
        ties = ties_at_cut(source) if by_degree else None
    if ties is not None:
        bar = bar_of[np.flatnonzero(degrees == ties.score)[0]]
        dashed: dict[str, Any] = {"linestyle": (0, (3, 2)), "linewidth": 1.5}
        ax.bar(bar, counts[bar], fill=False, edgecolor=COLORS["ink"], **dashed)
        ax.set_title(
            f"Tied at the cut: {ties.inside + ties.outside:,} features with {ties.score:g} "
            f"links, {ties.inside:,} of them selected"
        )
    return ax


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
    words = {True: "an average selection has room for it", False: "it has none"}
    for one in (True, False):
        if one in likely:
            color, of = COLORS["selected" if one else "other"], likely == one
            ax.barh(at[of], found.frequency[often][of], color=color, label=words[one])
    ax.legend(loc="lower right", fontsize=8, frameon=False)
    ax.set_yticks(at, [found.names[i] for i in often], parse_math=False)
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set(xlim=(0, 1), xlabel=f"chosen in share of {found.n_resamples:,} resamples")
    tidy(ax)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
    ax.tick_params(axis="y", length=0, labelsize=8)
    interval = f"{found.level:.0%} interval {found.lower:.2f} to {found.upper:.2f}"
    title = f"Stability Φ = {found.phi:.2f} ({interval})"
    if not np.isfinite(found.phi):
        title = "Stability is not defined: every resample chose all features"
    ax.set_title(title)
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
    >>> from topofs.comparison import target_of
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
        shift = min(0.06, 0.6 / len(drawn)) * (number - (len(drawn) - 1) / 2)
        own = series is summary.own
        ax.errorbar(
            at + shift,
            series.means,
            yerr=series.spreads,
            color=SERIES[number % len(SERIES)],
            linestyle=("-", "--")[number // len(SERIES)],
            marker="o",
            markersize=7 if own else 5,
            linewidth=2.4 if own else 1.3,
            elinewidth=1.2,
            zorder=4 if own else 3,
            label=series.label,
        )
    every = summary.everything
    if every is not None and np.isfinite(every.means[0]):
        dashes, quiet = (0, (4, 3)), COLORS["quiet"]
        ax.axhline(every.means[0], color=quiet, ls=dashes, lw=1.3, label=every.label)
    ax.set_xticks(at, summary.sizes)
    ax.set(xlabel="features selected", ylabel=summary.metric)
    ax.set_title(f"Mean and spread over {summary.n_splits} splits")
    tidy(ax)
    ax.legend(frameon=False, fontsize=9)
    return ax
