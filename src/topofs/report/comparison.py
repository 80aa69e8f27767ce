"""The report of a comparison: numbers first, then a page of its own.

The chart of the page: where each line, bar and label goes.

Write the report of a comparison as one HTML file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topofs.report.comparison_summary import (
    ALPHA,
    ComparisonSummary,
    summarise_comparison,
    words_of,
)
from topofs.report.document import check_page_ending, render, write_document

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from topofs.comparison.compare import Comparison
    from topofs.report.comparison_summary import Series


__all__ = [
    "Chart",
    "ComparisonSummary",
    "Curve",
    "Point",
    "Tick",
    "chart_of",
    "comparison_page",
    "comparison_report",
    "round_ticks",
    "summarise_comparison",
    "write_comparison_report",
]


_HEIGHT = 340


_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 8, 16, 52


@dataclass(frozen=True)
class Tick:
    """A label on an axis and its place along it."""

    at: float
    text: str


@dataclass(frozen=True)
class Point:
    """A mean with its spread: places on the drawing, and what it says."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Curve:
    """One method: its points, and the path through them."""

    label: str
    style: str
    path: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Chart:
    """All that the drawing holds, in its own units."""

    width: int
    height: int
    left: float
    right: float
    top: float
    bottom: float
    middle: float
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    level: Tick | None


def chart_of(summary: ComparisonSummary, *, width: int = 820) -> Chart:
    """Place the means and spreads of all methods on a drawing."""
    drawn = (summary.own, *summary.rivals)
    ticks = round_ticks(*_limits(summary))
    low, high = ticks[0], ticks[-1]

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _BOTTOM - _TOP)

    room = (width - _LEFT - _RIGHT) / len(summary.sizes)
    centres = [_LEFT + room * (at + 0.5) for at in range(len(summary.sizes))]
    apart = min(9.0, room / (len(drawn) + 1))
    curves = []
    for number, series in enumerate(drawn):
        shift = apart * (number - (len(drawn) - 1) / 2)
        points = tuple(
            Point(
                x=round(centre + shift, 1),
                y=round(up(mean), 1),
                low=round(up(mean - spread), 1),
                high=round(up(mean + spread), 1),
                text=f"{series.label}, {size} columns: {mean:.3f} ± {spread:.3f}",
            )
            for centre, size, mean, spread in zip(
                centres, summary.sizes, series.means, series.spreads, strict=True
            )
            if mean is not None and spread is not None
        )
        path = "M" + "L".join(f"{point.x},{point.y}" for point in points) if points else ""
        curves.append(Curve(series.label, f"series-{number % 5 + 1}", path, points))
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    return Chart(
        width=width,
        height=_HEIGHT,
        left=_LEFT,
        right=width - _RIGHT,
        top=_TOP,
        bottom=_HEIGHT - _BOTTOM,
        middle=(_LEFT + width - _RIGHT) / 2,
        x_ticks=tuple(
            Tick(round(c, 1), size) for c, size in zip(centres, summary.sizes, strict=True)
        ),
        y_ticks=tuple(Tick(round(up(tick), 1), f"{tick:.{decimals}f}") for tick in ticks),
        curves=tuple(curves),
        level=_level(summary.everything, up),
    )


def round_ticks(low: float, high: float, *, most: int = 6) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`."""
    if not high > low:
        low, high = low - 0.1, high + 0.1
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(
        unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _limits(summary: ComparisonSummary) -> tuple[float, float]:
    ends = []
    for series in (summary.own, *summary.rivals):
        for mean, spread in zip(series.means, series.spreads, strict=True):
            if mean is not None and spread is not None:
                ends += [mean - spread, mean + spread]
    if summary.everything is not None and summary.everything.means[0] is not None:
        ends.append(summary.everything.means[0])
    return min(ends), max(ends)


def _level(everything: Series | None, up: Callable[[float], float]) -> Tick | None:
    if everything is None or everything.means[0] is None:
        return None
    mean = everything.means[0]
    return Tick(round(up(mean), 1), f"{everything.label}: {mean:.3f}")


_MISSING = "–"


_SIGNS = {"better": "▲", "worse": "▼", "open": ""}


def write_comparison_report(
    path: str | os.PathLike[str], *, comparison: Comparison, table_name: str = "the table"
) -> None:
    """Write a page that shows how the methods do on a table.

    One file that opens offline. It appears whole or not at all; the same input gives the same
    file. Every name is printed as text, whatever it holds.

    Parameters
    ----------
    path : path-like
        The file to write: .html or .htm. Its folder must exist.
    comparison : Comparison
        As `topofs.comparison.compare` gives.
    table_name : str
        What the table is called.
    """
    check_page_ending(path)
    write_document(path, comparison_report(comparison=comparison, table_name=table_name))


def comparison_report(*, comparison: Comparison, table_name: str = "the table") -> str:
    """Give the page that `write_comparison_report` writes; UTF-8 can hold all of it."""
    return comparison_page(summarise_comparison(comparison, table_name=table_name))


def comparison_page(summary: ComparisonSummary) -> str:
    """Lay the numbers out as a page."""
    from topofs import __version__

    words = words_of(summary)
    everything = [] if summary.everything is None else [summary.everything]
    methods = [summary.own, *summary.rivals, *everything]
    context: dict[str, Any] = {
        "title": f"{words.headline} · {summary.table_name}",
        "version": __version__,
        "table_name": summary.table_name,
        "shape": f"{summary.n_samples:,} rows × {summary.n_features:,} columns",
        "words": words,
        "doubts": summary.doubts,
        "metric": summary.metric,
        "broad": chart_of(summary),
        "narrow": chart_of(summary, width=330),
        "heads": [method.label for method in methods],
        "rows": [
            (size, [_cell(method, at) for method in methods])
            for at, size in enumerate(summary.sizes)
        ],
        "n_splits": summary.n_splits,
        "n_random": summary.n_random,
        "own": summary.own.label,
        "alpha": f"{ALPHA:g}",
    }
    return render("comparison.html.j2", context, package=__package__, styles=["comparison.css"])


def _cell(series: Series, at: int) -> dict[str, str]:
    mean, spread, verdict = series.means[at], series.spreads[at], series.verdicts[at]
    cell = {"score": _MISSING, "spread": "", "test": "", "outcome": "open", "sign": ""}
    if mean is not None and spread is not None:
        cell |= {"score": f"{mean:.3f}", "spread": f"± {spread:.3f}"}
    if verdict is not None:
        p = "p < 0.001" if verdict.p_value < 0.001 else f"p = {verdict.p_value:.3f}"
        cell |= {
            "test": f"{_signed(verdict.difference)}, {p}",
            "outcome": verdict.outcome,
            "sign": _SIGNS[verdict.outcome],
        }
    return cell


def _signed(difference: float) -> str:
    text = f"{difference:+.3f}"
    return "±0.000" if float(text) == 0 else text.replace("-", "−")
