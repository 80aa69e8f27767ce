"""The report of a comparison: one HTML file that shows how the methods do on a table.

Top down: the numbers by method, the sentences, the chart and the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.report.document import check_page_ending, render, write_document

if TYPE_CHECKING:
    import os

    from topofs.comparison.compare import Comparison
    from topofs.typing import Doubles

__all__ = ["ComparisonSummary", "summarise_comparison", "write_comparison_report"]

ALPHA = 0.05
"""Two methods differ if the adjusted p-value is below this."""

_OWN, _ALL = "tfs", "all"

_MODELS = {"linear": "a linear model", "knn": "nearest neighbours", "tree": "a decision tree"}

# The drawing, in its own units: its height, and the room at its sides.
_HEIGHT = 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 8, 16, 52


@dataclass(frozen=True)
class Verdict:
    """TFS against one rival at one size: its mean minus the rival's, and two-sided p-values.

    `adjusted` is the p-value after Holm's correction over the sizes of this rival.
    """

    difference: float
    p_value: float
    adjusted: float

    @property
    def outcome(self) -> str:
        """``better``, ``worse`` or ``open``, for TFS."""
        if not self.adjusted < ALPHA or self.difference == 0:
            return "open"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True, eq=False)
class Series:
    """One method: mean and standard deviation over the splits, and verdict, at each size.

    NaN and None where it was not run; TFS itself has no verdicts.
    """

    method: str
    label: str
    means: Doubles
    spreads: Doubles
    verdicts: tuple[Verdict | None, ...]

    def count(self, outcome: str) -> int:
        """Number of sizes with this outcome."""
        return sum(v is not None and v.outcome == outcome for v in self.verdicts)

    @property
    def n_tests(self) -> int:
        """Number of sizes at which TFS was tested against it."""
        return sum(verdict is not None for verdict in self.verdicts)


@dataclass(frozen=True, eq=False)
class ComparisonSummary:
    """Everything the page shows.

    Attributes
    ----------
    table_name, target : str
        Untrusted text.
    metric, model : str
        The score and the model.
    n_samples, n_features, n_splits : int
        Numbers of rows, of columns and of splits.
    n_random : int
        Random subsets at each size.
    sizes : tuple of str
        Names of the sizes, ascending.
    own : Series
        TFS.
    rivals : tuple of Series
        The methods that select equal numbers of columns.
    everything : Series or None
        All columns: the same scores at each size; only the verdicts differ.
    doubts : tuple of str
        Questions about possible leaks, from `Comparison.doubts`.
    """

    table_name: str
    target: str
    metric: str
    model: str
    n_samples: int
    n_features: int
    n_splits: int
    n_random: int
    sizes: tuple[str, ...]
    own: Series
    rivals: tuple[Series, ...]
    everything: Series | None
    doubts: tuple[str, ...] = ()


def summarise_comparison(
    comparison: Comparison, *, table_name: str = "the table"
) -> ComparisonSummary:
    """Order the numbers of a comparison by method.

    Parameters
    ----------
    comparison : Comparison
        As `topofs.comparison.compare` gives.
    table_name : str
        What the table is called.

    Returns
    -------
    ComparisonSummary
    """
    methods = dict.fromkeys(score.method for score in comparison.scores)
    series = {method: _series(comparison, method) for method in methods}
    return ComparisonSummary(
        table_name=str(table_name),
        target=str(comparison.target),
        metric=comparison.metric,
        model=comparison.model,
        n_samples=comparison.n_samples,
        n_features=comparison.n_features,
        n_splits=comparison.n_folds * comparison.n_repeats,
        n_random=comparison.n_random,
        sizes=tuple(comparison.size_name(size) for size in comparison.sizes),
        own=series[_OWN],
        rivals=tuple(of for method, of in series.items() if method not in (_OWN, _ALL)),
        everything=series.get(_ALL),
        doubts=comparison.doubts,
    )


def _series(comparison: Comparison, method: str) -> Series:
    from topofs.comparison.compare import METHOD_NAMES

    scores = {s.n_features: s for s in comparison.scores if s.method == method}
    tests = {t.n_features: t for t in comparison.tests if t.rival == method}
    if method == _ALL:
        # All columns were measured once; show them at every size.
        (only,) = scores.values()
        scores = dict.fromkeys(comparison.sizes, only)
    missing = np.nan, np.nan
    measured = {size: (score.mean, score.spread) for size, score in scores.items()}
    found = np.array([measured.get(size, missing) for size in comparison.sizes])
    means, spreads = np.where(np.isfinite(found), found, np.nan).T
    against = [tests.get(size) for size in comparison.sizes]
    adjusted = iter(_holm([float(t.p_value) for t in against if t is not None]))
    verdicts = [
        None if t is None else Verdict(t.difference, t.p_value, next(adjusted)) for t in against
    ]
    return Series(method, METHOD_NAMES.get(method, method), means, spreads, tuple(verdicts))


def _holm(p_values: list[float]) -> list[float]:
    """Holm's step-down correction; a p-value that is no number counts as 1."""
    p = np.nan_to_num(np.asarray(p_values, dtype=np.float64), nan=1.0)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return [float(value) for value in np.minimum(adjusted, 1.0)]


def comparison_words(summary: ComparisonSummary) -> dict[str, Any]:
    """Write the sentences: headline, meaning, method, and a note for each rival of TFS."""
    judge = next((of for of in summary.rivals if of.method == "random"), None)
    everything = [] if summary.everything is None else [summary.everything]
    return {
        "headline": _headline(judge, summary.own.label),
        "meaning": _meaning(summary, judge),
        "method": (
            "Each method selected columns on the training part only; "
            f"{_MODELS.get(summary.model, summary.model)} then predicted “{summary.target}” on "
            f"the rest, {summary.n_splits} times. Scores are {summary.metric}, higher is better. "
            "Differences are tested with the corrected resampled t test of Nadeau and Bengio; "
            f"two methods are told apart where p stays below {ALPHA:g} after Holm's correction "
            "over the sizes."
        ),
        "notes": [_note(summary.own.label, of) for of in (*summary.rivals, *everything)],
    }


def _headline(judge: Series | None, own: str) -> str:
    if judge is None or judge.n_tests == 0:
        return f"How {own} does on your data"
    better, worse = judge.count("better"), judge.count("worse")
    if better and worse:
        return f"On your data {own} beats {judge.label} at some sizes and loses at others"
    if not better and not worse:
        return f"On your data {own} cannot be told apart from {judge.label}"
    verb = "beats" if better else "does worse than"
    every = "" if max(better, worse) == judge.n_tests else " at some sizes"
    return f"On your data {own} {verb} {judge.label}{every}"


def _meaning(summary: ComparisonSummary, judge: Series | None) -> str:
    own, at = summary.own, int(np.nanargmax(summary.own.means))
    parts = [
        f"At its best {own.label} reaches {own.means[at]:.3f} with {summary.sizes[at]} of "
        f"{summary.n_features:,} columns"
    ]
    if judge is not None and np.isfinite(judge.means[at]):
        parts.append(f"{judge.label} of that size reach {judge.means[at]:.3f}")
    if summary.everything is not None:
        parts.append(f"all columns give {summary.everything.means[at]:.3f}")
    return "; ".join(parts) + "."


def _note(own: str, rival: Series) -> str:
    if rival.n_tests == 0:
        return f"{own} against {rival.label}: not tested."
    words = {"better": "better", "worse": "worse", "open": "not told apart"}
    counts = [f"{n} {word}" for outcome, word in words.items() if (n := rival.count(outcome))]
    return f"{own} against {rival.label}, {rival.n_tests} sizes: {', '.join(counts)}."


def chart_of(summary: ComparisonSummary, *, width: int = 820) -> dict[str, Any]:
    """Place the means and spreads of all methods on a drawing.

    Places of lines, labels and dots, as the template reads them.
    """
    drawn, everything = (summary.own, *summary.rivals), summary.everything
    ends = [series.means + side * series.spreads for series in drawn for side in (-1, 1)]
    ends += [] if everything is None else [everything.means]
    ticks = round_ticks(float(np.nanmin(ends)), float(np.nanmax(ends)))
    low, high = ticks[0], ticks[-1]

    def up(value: float) -> float:
        share = (float(value) - low) / (high - low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP), 1)

    room = (width - _LEFT - _RIGHT) / len(summary.sizes)
    centres = [_LEFT + room * (at + 0.5) for at in range(len(summary.sizes))]
    apart = min(9.0, room / (len(drawn) + 1))
    curves = []
    for number, series in enumerate(drawn):
        shift = apart * (number - (len(drawn) - 1) / 2)
        points = [
            {
                "x": round(centre + shift, 1),
                "y": up(mean),
                "low": up(mean - spread),
                "high": up(mean + spread),
                "text": f"{series.label}, {size} columns: {mean:.3f} ± {spread:.3f}",
            }
            for centre, size, mean, spread in zip(
                centres, summary.sizes, series.means, series.spreads, strict=True
            )
            if np.isfinite([mean, spread]).all()
        ]
        path = "L".join(f"{point['x']},{point['y']}" for point in points)
        style = f"series-{number % 6 + 1} round-{number // 6 + 1}"
        curve = {"label": series.label, "style": style, "points": points}
        curves.append(curve | {"path": f"M{path}" if points else ""})
    level = None
    if everything is not None and np.isfinite(everything.means[0]):
        mean = everything.means[0]
        level = {"at": up(mean), "text": f"{everything.label}: {mean:.3f}"}
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    return {
        "width": width,
        "height": _HEIGHT,
        "left": _LEFT,
        "right": width - _RIGHT,
        "top": _TOP,
        "bottom": _HEIGHT - _BOTTOM,
        "middle": (_LEFT + width - _RIGHT) / 2,
        "x_ticks": [
            {"at": round(centre, 1), "text": size}
            for centre, size in zip(centres, summary.sizes, strict=True)
        ],
        "y_ticks": [{"at": up(tick), "text": f"{tick:.{decimals}f}"} for tick in ticks],
        "curves": curves,
        "level": level,
    }


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

    words = comparison_words(summary)
    methods = [of for of in (summary.own, *summary.rivals, summary.everything) if of]
    context = {
        "title": f"{words['headline']} · {summary.table_name}",
        "version": __version__,
        "summary": summary,
        "words": words,
        "broad": chart_of(summary),
        "narrow": chart_of(summary, width=330),
        "heads": [method.label for method in methods],
        "rows": [
            (size, [_cell(method, at) for method in methods])
            for at, size in enumerate(summary.sizes)
        ],
        "alpha": f"{ALPHA:g}",
    }
    return render("comparison.html.j2", context, styles=["comparison.css"])


def _cell(series: Series, at: int) -> dict[str, str]:
    mean, spread, verdict = series.means[at], series.spreads[at], series.verdicts[at]
    cell = {"score": "–", "spread": "", "test": "", "outcome": "open", "sign": ""}
    if np.isfinite([mean, spread]).all():
        cell |= {"score": f"{mean:.3f}", "spread": f"± {spread:.3f}"}
    if verdict is not None:
        p = "p < 0.001" if verdict.p_value < 0.001 else f"p = {verdict.p_value:.3f}"
        difference = f"{verdict.difference:+.3f}".replace("-", "−")
        if not round(verdict.difference, 3):
            difference = "±0.000"
        cell |= {"test": f"{difference}, {p}", "outcome": verdict.outcome}
        cell["sign"] = {"better": "▲", "worse": "▼", "open": ""}[verdict.outcome]
    return cell
