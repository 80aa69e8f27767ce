"""Pictures of the stability of a network: intervals, and correlations as rows are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.plot.axes import COLORS, SERIES, axes_for, matplotlib_part, tidy
from topofs.selection.network_stability import EDGE, LEAST_CORRELATION, PROBABILITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.selection import NetworkStability


def intervals(
    found: NetworkStability,
    statistic: str = "edge",
    *,
    most: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the bootstrap intervals of the edges or of a centrality, the largest values first.

    Parameters
    ----------
    found : NetworkStability
        As `topofs.network_stability` gives.
    statistic : str, default="edge"
        "edge", or one of its centralities.
    most : int, default=40
        The most edges or features to draw.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, network_stability, plot
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(graph="mst")
    >>> found = network_stability(selector, X, n_resamples=20, random_state=0)
    >>> plot.intervals(found).get_title()
    '12 edges with 95% intervals from 20 bootstrap samples'
    """
    if statistic not in found.intervals:
        known = ", ".join(map(repr, found.intervals))
        raise ValueError(f"statistic is {statistic!r}; known are {known}")
    of = found.intervals[statistic]
    order = np.argsort(-of.values, kind="stable")
    shown = order
    if len(order) > most:
        # The largest and the smallest, where negative ones may be strong.
        strongest = np.argsort(-np.abs(of.values), kind="stable")[:most]
        shown = order[np.isin(order, strongest)]
    ax = axes_for(ax, size=(7, 1.4 + 0.2 * len(shown)))
    at, values = np.arange(len(shown)), of.values[shown]
    colors = np.where(values < 0, COLORS["negative"], COLORS["positive"])
    ax.hlines(at, of.lower[shown], of.upper[shown], color=colors, linewidth=5, alpha=0.3)
    ax.scatter(values, at, s=22, color=colors, zorder=3)
    if (of.lower[shown] < 0).any():
        ax.axvline(0, color=COLORS["quiet"], linewidth=1)
    ax.set_yticks(at, [_label(found, statistic, i) for i in shown.tolist()], parse_math=False)
    ax.invert_yaxis()
    what = "edges" if statistic == EDGE else "features"
    first = f"the {len(shown)} strongest of " if len(shown) < len(order) else ""
    of_edges = "correlation" if found.signed else "weight"
    ax.set_xlabel(of_edges if statistic == EDGE else statistic)
    ax.set_title(
        f"{first}{len(order):,} {what} with {found.level:.0%} intervals from "
        f"{found.n_resamples:,} bootstrap samples"
    )
    tidy(ax)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
    ax.tick_params(axis="y", length=0, labelsize=8)
    return ax


def _label(found: NetworkStability, statistic: str, number: int) -> str:
    if statistic != EDGE:
        return found.names[number]
    return " – ".join(found.names[column] for column in found.edges[number])


def case_dropping(found: NetworkStability, *, ax: Axes | None = None) -> Axes:
    """Draw how well edges and centralities of fewer rows agree with those of all rows.

    Lines are mean correlations, areas their central 95 %. A statistic of which 95 % of the
    correlations are 0.7 or more may lose that many rows.

    Parameters
    ----------
    found : NetworkStability
        As `topofs.network_stability` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, network_stability, plot
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(graph="mst")
    >>> found = network_stability(selector, X, n_resamples=20, random_state=0)
    >>> plot.case_dropping(found).get_xlabel()
    'rows dropped'
    """
    ax = axes_for(ax, size=(7, 4.5))
    for number, (name, values) in enumerate(found.correlations.items()):
        color = SERIES[number % len(SERIES)]
        low, high = np.quantile(values, [0.025, 0.975], axis=1)
        label = f"{name}: {found.coefficient[name]:.0%} can be dropped"
        ax.fill_between(found.dropped, low, high, color=color, alpha=0.12, linewidth=0)
        style: dict[str, Any] = {"color": color, "marker": "o", "markersize": 4}
        ax.plot(found.dropped, values.mean(axis=1), label=label, **style)
    ax.axhline(LEAST_CORRELATION, color=COLORS["quiet"], linewidth=1, linestyle=(0, (4, 3)))
    lowest = min(float(values.min()) for values in found.correlations.values())
    ax.set(ylim=(max(-1.0, min(lowest, 0.0)), 1.02))
    ax.xaxis.set_major_formatter(matplotlib_part("ticker").PercentFormatter(1.0))
    ax.set(xlabel="rows dropped", ylabel="correlation with all rows")
    ax.set_title(
        f"Rows that can be dropped: correlation {LEAST_CORRELATION:g} with probability "
        f"{PROBABILITY:.0%}"
    )
    tidy(ax)
    ax.legend(loc="lower left", frameon=False, fontsize=8)
    return ax
