"""How the methods do on a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.plot.axes import COLORS, axes_for, tidy
from topofs.report.comparison.summary import summarise_comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.comparison.comparing import Comparison

__all__ = ["compare"]


def compare(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the mean score of each method at each size, with its spread over the splits.

    Parameters
    ----------
    comparison : Comparison
        As `topofs.comparison.comparing.compare` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes otherwise.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import plot
    >>> from topofs.comparison.comparing import Resampling, compare
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
