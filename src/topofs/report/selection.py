"""The report of a selection: one HTML file that shows the selected columns and the reasons.

The numbers come from `topofs.report.selection_summary`, the sentences from
`topofs.report.selection_words`. This module makes the page and the data of its scripts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.report.document import check_page_ending, embedded_json, render, write_document
from topofs.report.selection_summary import (
    MOST_COLUMNS,
    SelectionSummary,
    bars_of,
    score_groups,
    summarise_selection,
)
from topofs.report.selection_words import Words
from topofs.text import counted, listed, percent

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from topofs.io.types import LeftOutColumn
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Floats

__all__ = ["SelectionSummary", "summarise_selection", "write_selection_report"]

_PANELS = (
    *("data.js", "state.js", "elements.js", "scene.js", "drawing.js", "drawing_input.js"),
    *("search.js", "details.js", "size.js", "groups.js"),
)
SCRIPTS = (
    *_PANELS,
    "charts.js",
    "gains.js",
    "stability.js",
    "heat.js",
    "ranking.js",
    "start.js",
)
"""The scripts of the page; they share one scope, and the last one starts the rest."""

VIEW_SCRIPTS = (*_PANELS, "start.js")
"""The scripts of the view in a notebook."""

# Similarities, shares and places are written as whole ten-thousandths.
_SCALE = 10_000


def write_selection_report(
    path: str | os.PathLike[str],
    *,
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | Floats | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOutColumn] = (),
    passed_through: Sequence[str] = (),
    stability: Stability | None = None,
    judged: bool = False,
    notes: Sequence[str] = (),
) -> None:
    """Write a page that shows the selected columns and the reasons.

    The page is one file that opens offline. It is written completely or not at all, and the
    same input gives the same file. Names are escaped.

    Parameters
    ----------
    path : path-like
        The file to write: .html or .htm. Its folder must exist.
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable
        The table of the fit.
    similarity : SimilarityOperator or array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes of the graph before the threshold, such as
        ``topofs.selection.fit_and_compare(selector, X).operator``; by default prepared from X.
    table_name : str
        The name of the table.
    left_out : sequence of LeftOutColumn
        Columns of the table that took no part, each with a ``name`` and a ``reason``.
    passed_through : sequence of str
        Columns copied to the output without being compared.
    stability : Stability, optional
        Stability of the selector over resamples of X, from `topofs.stability`. The page then
        shows it, with the frequency of each column and each link.
    judged : bool, default=False
        Whether the selected columns are a given list: the page then rates a list instead of
        describing a selection.
    notes : sequence of str
        Sentences shown before the other notes of the page.

    Notes
    -----
    If the rule has no groups, all O(n²) similarities are computed once, in blocks. A filtered
    graph, such as a TMFG, is a second view; its layout takes about 3 s at 5,000 features, and
    beyond that the selected features and their neighbourhood are drawn.

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
    ...     "4 of 13 columns represent" in report.read_text(encoding="utf-8")
    True
    """
    check_page_ending(path)
    summary = summarise_selection(
        selector,
        X,
        similarity=similarity,
        table_name=table_name,
        left_out=left_out,
        passed_through=passed_through,
        stability=stability,
        judged=judged,
        notes=notes,
    )
    write_document(path, selection_page(summary))


def selection_page(summary: SelectionSummary) -> str:
    """Lay the numbers out as a page; UTF-8 can hold all of it."""
    words = Words(summary)
    data = {"data": embedded_json(page_data(summary, words))}
    context = page_context(summary, words) | data
    return render("selection.html.j2", context, styles=["selection.css"], scripts=SCRIPTS)


def page_context(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    """Give what the template shows, except the data of its scripts."""
    from topofs import __version__

    return {
        "title": f"{words.headline} · {summary.table_name}",
        "version": __version__,
        "summary": summary,
        "selector": summary.selector,
        "words": words,
        "notes": words.notes,
        "counted": counted,
        "percent": percent,
        "selected_names": listed(summary.selected_names, most=200),
        "least": max(1, summary.selector.n_demanded_),
    }


def page_data(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    """Give the numbers that the scripts read, as JSON values."""
    selector, running, random = summary.selector, summary.running, summary.random
    nodes, strengths = selector.nodes_, selector.strength_
    # From positions among the nodes to positions among all features.
    position_of_node = np.flatnonzero(np.isin(summary.order, nodes))
    costs = words.size.costs(list(summary.names))
    hottest, heat = summary.heat
    threshold = selector.threshold
    if threshold == "auto":
        threshold = words.rule.threshold_for(words.measure)
    tells_strength, groups, bars, representation, resampled = False, None, None, None, None
    if summary.adds is None:
        # Omit the strength of links if it is the score or is 0 everywhere.
        scores = selector.scores_[nodes]
        same = np.allclose(scores, strengths[nodes])
        tells_strength = bool(strengths.any()) and not same
        groups, (labels, bar_of) = score_groups(selector).tolist(), bars_of(scores)
        bars = {"labels": labels, "barOf": bar_of.tolist()}
    else:
        through = np.where(running.through < 0, -1, nodes[running.through])
        representation = {
            "adds": _short(summary.adds),
            "addsAreScores": summary.adds is selector.scores_,
            "isolated": summary.isolated.tolist(),
            "through": through.tolist(),
        }
    if summary.stability is not None:
        often = _whole(summary.stability.frequency)
        resampled = {"n": summary.stability.n_resamples, "frequency": often}
    return {
        "k": summary.n_selected,
        "forced": len(selector.forced_),
        "judged": summary.judged,
        "reasons": {str(feature): why for feature, why in summary.reasons.items()},
        "end": summary.end,
        "most": selector.n_selectable_,
        "excluded": summary.excluded.tolist(),
        "cost": None if costs is None else _short(costs),
        "random": {
            "sizes": random.sizes.tolist(),
            "mean": _whole(random.mean),
            "low": _whole(random.low),
            "high": _whole(random.high),
        },
        # For each substitute: the feature, the loss, the gain and the kept share.
        "alternatives": {
            "most": MOST_COLUMNS,
            "of": {
                str(feature): [
                    [one.position, *_short(np.array([one.lost, one.gained, one.share]))]
                    for one in found
                ]
                for feature, found in summary.alternatives.items()
            },
        },
        "names": list(summary.names),
        "scores": _short(selector.scores_),
        "strengths": _short(strengths),
        "order": summary.order.tolist(),
        "nodes": nodes.tolist(),
        "share": _whole(summary.share),
        "nearest": {
            "starts": running.starts.tolist(),
            "positions": position_of_node[running.positions].tolist(),
            "values": _whole(running.values),
        },
        "view": "groups" if summary.graph is None or summary.has_groups else "graph",
        "graph": _graph(summary),
        "copies": None if words.near_copy is None else {"from": words.near_copy},
        "heat": {
            "features": hottest.tolist(),
            "values": _whole(heat[np.tril_indices(len(hottest))]),
        },
        "nominal": None if summary.nominal is None else summary.nominal.tolist(),
        "words": {
            "score": words.score.name,
            "unit": words.score.unit,
            "axis": words.score.axis,
            "ties": words.rule.ties_words,
            "end": words.end,
            "alike": words.measure.means_alike,
            "cut": threshold is not None,
            "above": words.above,
            "said": words.said,
            "refine": words.refine,
            "strength": tells_strength,
        },
        "scoreGroups": groups,
        "bars": bars,
        "representation": representation,
        "resampled": resampled,
        "relevance": _relevance(selector, words),
    }


def _relevance(selector: TopologicalFeatureSelector, words: Words) -> dict[str, Any] | None:
    """What each column says about the target, and the largest value; None without relevance."""
    if not words.target:
        return None
    values = selector.relevance_
    return {
        "target": words.target,
        "values": _whole(values),
        "most": max(1, *_whole(values)),
    }


def _graph(summary: SelectionSummary) -> dict[str, Any] | None:
    """The filtered graph, and the frequency of each link in resamples."""
    graph, stability, nodes = summary.graph, summary.stability, summary.selector.nodes_
    if graph is None:
        return None
    edges, confidence = nodes[graph.edges], None
    if stability is not None:
        sure = {(edge.left, edge.right): edge.confidence for edge in stability.edges}
        ends = np.sort(edges, axis=1).tolist()
        confidence = _whole(
            np.array([sure.get((i, j), 0.0) for i, j in ends], dtype=np.float64)
        )
    return {
        "edges": edges.ravel().tolist(),
        "weights": _whole(graph.weights.astype(np.float64)),
        "drawn": nodes[summary.drawn].tolist(),
        "places": _whole(summary.places.ravel()),
        "confidence": confidence,
        "correlations": None if graph.correlations is None else _whole(graph.correlations),
    }


def _whole(values: Doubles) -> list[int]:
    whole: list[int] = np.rint(values * _SCALE).astype(np.int64).tolist()
    return whole


def _short(values: Doubles) -> list[float]:
    """Six digits; whole numbers without a point."""
    short = [float(f"{value:.6g}") for value in values.tolist()]
    return [int(value) if value.is_integer() else value for value in short]
