"""Drawings of the report, as SVG that is the same for the same numbers."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from topofs_study.report.reproduction.page import LABELS

if TYPE_CHECKING:
    from topofs_study.paper.across_datasets import RankComparison

__all__ = ["STYLE", "critical_difference_svg", "svg"]

STYLE: dict[Any, Any] = {"svg.hashsalt": "topofs", "svg.fonttype": "path", "font.size": 11}
"""Settings of matplotlib that make a drawing the same everywhere."""


def critical_difference_svg(comparison: RankComparison, *, width: float = 6.4) -> str:
    """Draw the average ranks; a bar joins methods that Nemenyi's test does not tell apart.

    Parameters
    ----------
    comparison : RankComparison
        As `topofs_study.paper.across_datasets.compare_methods` gives.
    width : float, default 6.4
        Of the drawing, in inches; long names need more.

    Returns
    -------
    str
        An SVG drawing on a white ground, with its own letters.
    """
    import matplotlib as mpl
    import scikit_posthocs
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        n_methods = len(comparison.average_ranks)
        figure = Figure(figsize=(width, 1.1 + 0.28 * n_methods), layout="constrained")
        axes = figure.subplots()
        drawn = scikit_posthocs.critical_difference_diagram(
            comparison.average_ranks.rename(index=LABELS),
            comparison.nemenyi.rename(index=LABELS, columns=LABELS),
            alpha=comparison.alpha,
            ax=axes,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
        )
        for bar in (line for lines in drawn["crossbars"] for line in lines):
            # Its points come in the order of a set of names, which follows the hash seed.
            bar.set_xdata(sorted(bar.get_xdata()))
        return svg(figure)


def svg(figure: Any) -> str:
    """Give a drawing as SVG that is the same for the same numbers.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The drawing.

    Returns
    -------
    str
    """
    stream = StringIO()
    figure.savefig(stream, format="svg", facecolor="white", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
