"""How often features are chosen on data drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.plot.axes import COLORS, axes_for, matplotlib_part, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topofs.selection import Stability

__all__ = ["stability"]


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
