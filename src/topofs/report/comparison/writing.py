"""Write the report of a comparison as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.report.comparison.figure import chart_of
from topofs.report.comparison.summary import ALPHA, summarise_comparison
from topofs.report.comparison.wording import words_of
from topofs.report.document import check_page_ending, render, write_document

if TYPE_CHECKING:
    import os

    from topofs.comparison.comparing import Comparison
    from topofs.report.comparison.summary import ComparisonSummary, Series

__all__ = ["comparison_page", "comparison_report", "write_comparison_report"]

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
        As `topofs.comparison.comparing` gives.
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
