"""How many links the features have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.graph import FilteredGraph
from topofs.plot.axes import COLORS, axes_for, drawn_of, tidy
from topofs.report.selection.distribution import bars_of
from topofs.report.selection.features import features_of, ties_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.report.selection.features import Ties
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["degree_distribution"]


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
