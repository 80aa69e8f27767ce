"""The report of a selection: numbers first, then a page of its own.

Write the report of a selection as one HTML file.

The numbers that the scripts of the page read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.report.document import check_page_ending, embedded_json, render, write_document
from topofs.report.selection_summary import SelectionSummary, summarise_selection
from topofs.report.selection_views import MOST_COLUMNS
from topofs.report.selection_words import words_of
from topofs.text import counted, listed, percent

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.report.selection_summary import LeftOut
    from topofs.report.selection_words import Words
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.similarity.base import SimilarityOperator


__all__ = [
    "SCRIPTS",
    "SelectionSummary",
    "page_data",
    "selection_page",
    "selection_report",
    "summarise_selection",
    "write_selection_report",
]


SCRIPTS = (
    "data.js",
    "state.js",
    "elements.js",
    "scene.js",
    "drawing.js",
    "drawing_input.js",
    "search.js",
    "details.js",
    "size.js",
    "groups.js",
    "charts.js",
    "gains.js",
    "stability.js",
    "heat.js",
    "ranking.js",
    "start.js",
)


"""The scripts of the page; they share one scope, and the last one starts the rest."""


def write_selection_report(
    path: str | os.PathLike[str],
    *,
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | npt.NDArray[np.floating[Any]] | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOut] = (),
    passed_through: Sequence[str] = (),
    stability: Stability | None = None,
    judged: bool = False,
    notes: Sequence[str] = (),
) -> None:
    """Write a page that shows what was selected and why.

    One file that opens offline. It appears whole or not at all; the same input gives the same
    file. Every name is printed as text, whatever it holds.

    Parameters
    ----------
    path : path-like
        The file to write: .html or .htm. Its folder must exist.
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable
        What it was fitted on.
    similarity : SimilarityOperator or array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes of the graph before the threshold, as
        ``topofs.selection.fit_and_compare(selector, X).operator`` has it; prepared from X
        where it is not given.
    table_name : str
        What the table is called.
    left_out : sequence of LeftOut
        Columns of the table that took no part, each with a ``name`` and a ``reason``.
    passed_through : sequence of str
        Columns that went to the output without being judged.
    stability : Stability, optional
        Of the selector over resamples of X, as `topofs.stability` gives: the page then shows
        it, and how often each column and each link came back.
    judged : bool, default=False
        Whether the selected columns are a list that somebody else made: the page then speaks of
        a list that it judges, and not of a selection.
    notes : sequence of str
        Sentences that stand before the other notes of the page.

    Notes
    -----
    Where the rule has no groups, O(n²) similarities are looked at once, in blocks. A filtered
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
    page = selection_report(
        selector=selector,
        X=X,
        similarity=similarity,
        table_name=table_name,
        left_out=left_out,
        passed_through=passed_through,
        stability=stability,
        judged=judged,
        notes=notes,
    )
    write_document(path, page)


def selection_report(
    *,
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | npt.NDArray[np.floating[Any]] | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOut] = (),
    passed_through: Sequence[str] = (),
    stability: Stability | None = None,
    judged: bool = False,
    notes: Sequence[str] = (),
) -> str:
    """Give the page that `write_selection_report` writes; UTF-8 can hold all of it."""
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
    return selection_page(summary)


def selection_page(summary: SelectionSummary) -> str:
    """Lay the numbers out as a page."""
    from topofs import __version__

    words = words_of(summary)
    features = summary.features
    selected = [features.names[i] for i in features.order[: summary.n_selected]]
    context = {
        "title": f"{words.headline} · {summary.table_name}",
        "version": __version__,
        "table_name": summary.table_name,
        "shape": _shape(summary),
        "words": words,
        "has_groups": summary.representation is not None,
        "figures": _figures(summary, words),
        "left_out": [
            (reason, ", ".join(names))
            for reason, names in (*summary.left_out, *summary.took_no_part)
        ],
        "selected_names": listed(selected, most=200),
        "least": max(1, len(features.forced)),
        "most": features.most,
        "has_forced": len(features.forced) > 0 and not summary.judged,
        "has_excluded": len(features.excluded) > 0,
        "copies": _copies(summary, words),
        "drawing": _drawing(summary),
        "n_selected": summary.n_selected,
        "scores_title": _scores_title(summary, words),
        "measure_sentence": f"Similarity: {words.measure}. Like columns lie side by side.",
        "data": embedded_json(page_data(summary, words)),
    }
    return render(
        "selection.html.j2",
        context,
        package=__package__,
        styles=["selection.css"],
        scripts=SCRIPTS,
    )


def _shape(summary: SelectionSummary) -> str:
    columns = counted(summary.features.n_features, "column")
    if summary.n_samples is None:
        return columns
    return f"{counted(summary.n_samples, 'row')} × {columns}"


def _figures(summary: SelectionSummary, words: Words) -> list[tuple[str, str, str]]:
    """The figures beside the slider: an id, what it is called, and what it is at first."""
    n, features, ties = summary.n_selected, summary.features, summary.ties
    figures = [
        (
            "covered",
            "Represented" if summary.representation else "Covered",
            percent(float(summary.share[n])),
        ),
        (
            "share-selected",
            f"Columns {words.said['adjective']}",
            percent(n / features.n_features),
        ),
    ]
    if summary.representation is not None:
        return [*figures, ("next", "The next adds", "–"), ("alone", "Not represented", "–")]
    tied = "none" if ties is None else f"{ties.inside + ties.outside:,}"
    return [*figures, ("tied", "Tied at the cut", tied), ("least", "Least covered", "–")]


def _copies(summary: SelectionSummary, words: Words) -> dict[str, str] | None:
    """What is safe to drop; None where similarity says nothing of that."""
    if words.near_copy is None:
        return None
    return {
        "title": f"Safe to {'leave out' if summary.judged else 'drop'}",
        "meaning": (
            f"Safe means: a {words.said['column']} explains at least {percent(words.near_copy)} of "
            "the column's variance."
        ),
    }


def _drawing(summary: SelectionSummary) -> dict[str, str]:
    """The title of the drawing, and a caption for each of its views."""
    said, graph = words_of(summary).said, summary.method.graph
    if summary.representation is None:
        groups = f"Each {said['column']} (orange) with the columns most like it around it."
    else:
        groups = (
            f"Each group is a {said['column']} (orange) and the columns that it represents. "
            "The nearer a column and the thicker its line, the larger the share of its variance "
            "that is explained; hollow: less than 25 %."
        )
    shown = ""
    if summary.network is not None and graph is not None:
        shown = (
            f"The columns joined by the links that the ranking used: {graph.words}. A thicker "
            "link is a stronger one."
        )
    many = said["columns"].capitalize()
    title = f"{many} and what each represents" if summary.representation else many
    return {"title": title, "groups": groups, "graph": shown}


def _scores_title(summary: SelectionSummary, words: Words) -> str:
    if summary.representation is not None:
        return "What each column adds"
    if words.score.unit:
        return f"How many {words.score.unit}s the columns have"
    return f"How {words.score.name.lower()} is distributed"


# Similarities, shares and places are written as whole ten-thousandths.
_SCALE = 10_000


def page_data(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    """Give the numbers that the scripts read, as JSON values."""
    features, network = summary.features, summary.network
    # From positions among the nodes to positions among all features.
    position_of_node = np.flatnonzero(np.isin(features.order, features.nodes))
    below = np.tril_indices(len(summary.heat.rows))
    return {
        "k": summary.n_selected,
        "forced": len(features.forced),
        "judged": summary.judged,
        "reasons": {str(feature): why for feature, why in summary.reasons.items()},
        "end": summary.end,
        "most": features.most,
        "excluded": features.excluded.tolist(),
        "cost": None if summary.asked.cost is None else _short(summary.asked.cost),
        "random": {
            "sizes": summary.random.sizes.tolist(),
            "mean": _whole(summary.random.mean),
            "low": _whole(summary.random.low),
            "high": _whole(summary.random.high),
        },
        "alternatives": _alternatives(summary),
        "names": list(features.names),
        "scores": _short(features.scores),
        "strengths": _short(features.strengths),
        "order": features.order.tolist(),
        "nodes": features.nodes.tolist(),
        "share": _whole(summary.share),
        "nearest": {
            "starts": summary.running.starts.tolist(),
            "positions": position_of_node[summary.running.positions].tolist(),
            "values": _whole(summary.running.values),
        },
        "view": "groups" if network is None or summary.representation else "graph",
        "graph": _graph(summary),
        "copies": None if words.near_copy is None else {"from": words.near_copy},
        "heat": {
            "features": summary.heat.rows.tolist(),
            "values": _whole(summary.heat.values[below]),
        },
        "nominal": None if summary.nominal is None else summary.nominal.tolist(),
        "words": _words(summary, words),
        **_by_rule(summary),
        "resampled": _resampled(summary),
    }


def _graph(summary: SelectionSummary) -> dict[str, Any] | None:
    """The filtered graph, and how often each link came back on data drawn anew."""
    network, resampled = summary.network, summary.resampled
    if network is None:
        return None
    return {
        "edges": network.edges.ravel().tolist(),
        "weights": _whole(network.weights),
        "drawn": network.drawn.tolist(),
        "places": _whole(network.places.ravel()),
        "confidence": None if resampled is None else _whole(resampled.confidence),
    }


def _alternatives(summary: SelectionSummary) -> dict[str, Any]:
    """For each selected feature: feature, what is lost, gained and kept, of each stand-in."""
    return {
        "most": MOST_COLUMNS,
        "of": {
            str(feature): [
                [one.position, *_short(np.array([one.lost, one.gained, one.share]))]
                for one in found
            ]
            for feature, found in summary.alternatives.items()
        },
    }


def _words(summary: SelectionSummary, words: Words) -> dict[str, Any]:
    method, features = summary.method, summary.features
    scores, strengths = features.scores[features.nodes], features.strengths[features.nodes]
    return {
        "score": words.score.name,
        "unit": words.score.unit,
        "axis": words.score.axis,
        "ties": method.rule.ties_words,
        "end": words.end,
        "alike": method.measure.means_alike,
        "cut": method.cut is not None,
        "above": words.above,
        "said": words.said,
        "refine": words.refine,
        # The strength of links says nothing new where it is the score or all of it is 0, and
        # decides only ties where columns represent others.
        "strength": summary.representation is None
        and bool(strengths.any())
        and not np.allclose(scores, strengths),
    }


def _by_rule(summary: SelectionSummary) -> dict[str, Any]:
    """What only rules with groups have, or only those without; the other's is null."""
    representation, features = summary.representation, summary.features
    if representation is None:
        bars = {"labels": list(summary.bars.labels), "barOf": summary.bars.bar_of.tolist()}
        return {
            "scoreGroups": features.score_groups.tolist(),
            "bars": bars,
            "representation": None,
        }
    return {
        "scoreGroups": None,
        "bars": None,
        "representation": {
            "adds": _short(representation.adds),
            "addsAreScores": representation.adds is features.scores,
            "isolated": representation.isolated.tolist(),
            "through": representation.through.tolist(),
        },
    }


def _resampled(summary: SelectionSummary) -> dict[str, Any] | None:
    if summary.resampled is None:
        return None
    return {
        "n": summary.resampled.n_resamples,
        "frequency": _whole(summary.resampled.frequency),
    }


def _whole(values: npt.NDArray[np.float64]) -> list[int]:
    whole: list[int] = np.rint(values * _SCALE).astype(np.int64).tolist()
    return whole


def _short(values: npt.NDArray[np.float64]) -> list[float]:
    """Six digits; whole numbers without a point."""
    short = [float(f"{value:.6g}") for value in values.tolist()]
    return [int(value) if value.is_integer() else value for value in short]
