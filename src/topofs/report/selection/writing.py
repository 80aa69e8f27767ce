"""Write the report of a selection as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.report.document import embedded_json, render, write_document
from topofs.report.selection.summary import summarise_selection
from topofs.report.selection.wording import listed, percent, words_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.report.selection.summary import LeftOut, SelectionSummary
    from topofs.report.selection.wording import Words
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["SCRIPTS", "page_data", "selection_page", "write_selection_report"]

SCRIPTS = (
    "data.js",
    "state.js",
    "elements.js",
    "network.js",
    "network_labels.js",
    "network_input.js",
    "search.js",
    "details.js",
    "size.js",
    "charts.js",
    "heat.js",
    "ranking.js",
    "start.js",
)
"""The scripts of the page; they share one scope, and the last one starts the rest."""

# Similarities and places are written as whole ten-thousandths.
_SCALE = 10_000


def write_selection_report(
    path: str | os.PathLike[str],
    *,
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: npt.NDArray[np.floating[Any]] | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOut] = (),
    passed_through: Sequence[str] = (),
) -> None:
    """Write a page that shows what was selected and why.

    One file that opens offline. It appears whole or not at all; the same input gives the same
    file. Every name is printed as text, whatever it holds.

    Parameters
    ----------
    path : path-like
        The HTML file to write. Its folder must exist.
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like or sparse matrix, shape (n_samples, n_features)
        What it was fitted on.
    similarity : array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes of the graph before the threshold; computed from X
        where it is not given.
    table_name : str
        What the table is called.
    left_out : sequence of LeftOut
        Columns of the table that took no part, each with a ``name`` and a ``reason``.
    passed_through : sequence of str
        Columns that went to the output without being judged.

    Notes
    -----
    O(n²) similarities are looked at once, in blocks. The layout takes about 3 s at 5,000
    features; beyond that the selected features and their neighbourhood are drawn.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> from topofs.report.selection import write_selection_report
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(4).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     report = Path(folder) / "wine.html"
    ...     write_selection_report(report, selector=selector, X=X, table_name="wine.csv")
    ...     "Keep 4 of 13 columns" in report.read_text(encoding="utf-8")
    True
    """
    summary = summarise_selection(
        selector,
        X,
        similarity=similarity,
        table_name=table_name,
        left_out=left_out,
        passed_through=passed_through,
    )
    write_document(path, selection_page(summary))


def selection_page(summary: SelectionSummary) -> str:
    """Lay the numbers out as a page.

    Parameters
    ----------
    summary : SelectionSummary
        As `topofs.report.selection.summary.summarise_selection` gives.

    Returns
    -------
    str
        HTML.
    """
    from topofs import __version__

    words = words_of(summary)
    features, ties = summary.features, summary.ties
    selected = [features.names[i] for i in features.order[: summary.n_selected]]
    context = {
        "title": f"{words.headline} · {summary.table_name}",
        "version": __version__,
        "table_name": summary.table_name,
        "shape": f"{summary.n_samples:,} rows × {features.n_features:,} columns",
        "words": words,
        "figures": {
            "covered": percent(float(summary.share[summary.n_selected])),
            "share_kept": percent(summary.n_selected / features.n_features),
            "tied": "none" if ties is None else f"{ties.inside + ties.outside:,}",
        },
        "left_out": [(reason, listed(names, most=200)) for reason, names in summary.left_out],
        "selected_names": listed(selected, most=200),
        "least": max(1, len(features.kept)),
        "n_features": features.n_features,
        "n_selected": summary.n_selected,
        "scores_title": _scores_title(summary, words),
        "measure_sentence": f"Similarity: {words.measure}. Like stands beside like.",
        "data": embedded_json(page_data(summary, words)),
    }
    return render(
        "selection.html.j2",
        context,
        package=__package__,
        styles=["selection.css"],
        scripts=SCRIPTS,
    )


def page_data(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    """Give the numbers that the scripts read, as JSON values.

    Parameters
    ----------
    summary : SelectionSummary
        The numbers.
    words : Words
        The words for them.

    Returns
    -------
    dict
        Features are numbered as in the table; lists over nodes follow ``nodes``.
    """
    features, network = summary.features, summary.network
    # From positions among the nodes to positions among all features.
    position_of_node = np.flatnonzero(np.isin(features.order, features.nodes))
    below = np.tril_indices(len(summary.heat.rows))
    return {
        "k": summary.n_selected,
        "asked": len(features.kept),
        "names": list(features.names),
        "ranks": features.ranks.tolist(),
        "scores": _short(features.scores),
        "strengths": _short(features.strengths),
        "groups": features.score_groups.tolist(),
        "order": features.order.tolist(),
        "nodes": features.nodes.tolist(),
        "share": _whole(summary.share),
        "nearest": {
            "starts": summary.coverage.starts.tolist(),
            "positions": position_of_node[summary.coverage.positions].tolist(),
            "values": _whole(summary.coverage.values),
        },
        "edges": network.edges.ravel().tolist(),
        "weights": _whole(network.weights),
        "drawn": network.drawn.tolist(),
        "places": _whole(network.places.ravel()),
        "bars": {"labels": list(summary.bars.labels), "barOf": summary.bars.bar_of.tolist()},
        "heat": {
            "features": summary.heat.rows.tolist(),
            "values": _whole(summary.heat.values[below]),
        },
        "words": {
            "score": words.score.name,
            "unit": words.score.unit,
            "axis": words.score.axis,
            "ties": summary.method.ties,
            "likeness": summary.method.similarity != "energy",
            "threshold": summary.method.threshold,
            "strength": summary.method.centrality != "strength",
        },
    }


def _scores_title(summary: SelectionSummary, words: Words) -> str:
    if summary.method.centrality == "degree":
        return "How many links the columns have"
    return f"How {words.score.name.lower()} is distributed"


def _whole(values: npt.NDArray[np.float64]) -> list[int]:
    whole: list[int] = np.rint(values * _SCALE).astype(np.int64).tolist()
    return whole


def _short(values: npt.NDArray[np.float64]) -> list[float]:
    """Six digits; whole numbers without a point."""
    short = [float(f"{value:.6g}") for value in values.tolist()]
    return [int(value) if value.is_integer() else value for value in short]
