"""The picture of accuracy against stability, one dot a method."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.plot.axes import COLORS, tidy
from topofs_study.benchmark.methods import METHOD_NAMES, SELECTORS
from topofs_study.report.reproduction.figures import STYLE, svg

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["trade_off_svg"]

_SIZE = (8.6, 6.0)
_GAP = 7.0
_PLACES = tuple(product((1, -1), (0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4)))


def trade_off_svg(measures: pd.DataFrame) -> str:
    """Draw mean accuracy against mean stability.

    Parameters
    ----------
    measures : pandas.DataFrame
        Methods by at least ``accuracy`` and ``stability``.

    Returns
    -------
    str
        An SVG drawing on a white ground, with its own letters.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        ours = measures.index.isin(SELECTORS)
        for own, color in ((False, COLORS["other"]), (True, COLORS["selected"])):
            some = measures[ours == own]
            axes.scatter(some["stability"], some["accuracy"], s=42, color=color, zorder=3)
        axes.set_xlabel("stability of 50 columns over 80 % resamples (Nogueira)")
        axes.set_ylabel("mean balanced accuracy")
        axes.margins(x=0.16, y=0.08)
        tidy(axes)
        axes.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
        figure.draw_without_rendering()
        _label(axes, measures, ours)
        return svg(figure)


def _label(axes: Any, measures: pd.DataFrame, ours: Any) -> None:
    """Write the names beside the dots, the first place where one covers nothing."""
    dots = axes.transData.transform(measures[["stability", "accuracy"]].to_numpy())
    taken = [_box(dot - 5, dot + 5) for dot in dots]
    for (method, row), dot, own in zip(measures.iterrows(), dots, ours, strict=True):
        for side, rows in _PLACES:
            text = axes.annotate(
                METHOD_NAMES[str(method)],
                (row["stability"], row["accuracy"]),
                xytext=(side * _GAP, rows * 11.0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=9,
                color=COLORS["selected" if own else "ink"],
            )
            extent = text.get_window_extent()
            box = _box(extent.min, extent.max)
            inside = axes.bbox.x0 <= box[0, 0] and box[1, 0] <= axes.bbox.x1
            others = [other for other in taken if not _same(other, dot)]
            if (inside and not any(_overlap(box, other) for other in others)) or (
                (side, rows) == _PLACES[-1]
            ):
                taken.append(box)
                break
            text.remove()


def _box(low: Any, high: Any) -> Any:
    return np.array([low, high])


def _same(box: Any, dot: Any) -> bool:
    """Whether a box is the dot's own."""
    return bool(np.allclose(box.mean(axis=0), dot))


def _overlap(one: Any, other: Any) -> bool:
    return bool((one[0] < other[1]).all() and (other[0] < one[1]).all())
