"""The picture of accuracy against stability, one dot a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from topofs.plot.axes import COLORS, tidy
from topofs_study.benchmark.methods import METHOD_NAMES, SELECTORS
from topofs_study.report.reproduction.figures import STYLE, svg

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["trade_off_svg"]

_SIZE = (8.6, 6.0)
_GAP = 10.0
_DOT = 7.0
_ROWS = (0.0, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0, 2.5, -2.5, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0)


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
        axes.margins(x=0.16, y=0.16)
        tidy(axes)
        axes.grid(axis="x", color=COLORS["rule"], linewidth=0.8)
        figure.draw_without_rendering()
        _label(axes, measures, ours)
        return svg(figure)


def _label(axes: Any, measures: pd.DataFrame, ours: Any) -> None:
    """Write the names beside the dots; one that has to stand apart gets a line to its dot."""
    points = measures[["stability", "accuracy"]].to_numpy()
    dots = axes.transData.transform(points)
    taken = [_Box(*(dot - _DOT), *(dot + _DOT)) for dot in dots]
    room = _Box(*axes.bbox.extents)
    unit = axes.figure.dpi / 72
    for place in np.argsort(~np.asarray(ours), kind="stable"):
        text = axes.annotate(
            METHOD_NAMES[str(measures.index[place])],
            points[place],
            xytext=(0, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=9,
            color=COLORS["selected" if ours[place] else "ink"],
            arrowprops={"arrowstyle": "-", "color": COLORS["edge"], "linewidth": 0.6},
        )
        extent = text.get_window_extent()
        shift, box = _best_place(dots[place], extent.width, extent.height, taken, room)
        text.set_position((shift[0] / unit, shift[1] / unit))
        text.arrow_patch.set_visible(shift[1] != 0)
        taken.append(box)


def _best_place(
    dot: Any, width: float, height: float, taken: list[_Box], room: _Box
) -> tuple[tuple[float, float], _Box]:
    """The shift of a name from its dot that covers least, then the nearest; in pixels."""
    shifts = [
        (across, rows * height)
        for rows in _ROWS
        for across in (_GAP, -_GAP - width, 4 * _GAP, -4 * _GAP - width, -width / 2)
        if rows or across in (_GAP, -_GAP - width)
    ]
    places = []
    for across, up in shifts:
        left, middle = dot[0] + across, dot[1] + up
        box = _Box(left, middle - height / 2, left + width, middle + height / 2)
        hidden = sum(box.covers(other) for other in taken) + (not box.within(room))
        places.append((hidden, abs(across + width / 2) / 4 + abs(up), (across, up), box))
    return min(places)[2:]


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: _Box) -> bool:
        """Whether the two have a point in common."""
        across = self.left < other.right and other.left < self.right
        return bool(across and self.bottom < other.top and other.bottom < self.top)

    def within(self, other: _Box) -> bool:
        """Whether this box lies in another."""
        across = other.left <= self.left and self.right <= other.right
        return bool(across and other.bottom <= self.bottom and self.top <= other.top)
