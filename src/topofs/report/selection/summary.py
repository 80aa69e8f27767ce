"""The numbers of the page, each computed once, before anything is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.report.selection.coverage import Coverage, coverage
from topofs.report.selection.distribution import Bars, bars_of
from topofs.report.selection.features import Features, Ties, features_of, ties_at
from topofs.report.selection.heat_map import MOST_ROWS, HeatMap, heat_map
from topofs.report.selection.network import NetworkView, network_view
from topofs.report.selection.resampled import Resampled, resampled_of
from topofs.report.selection.similarity import between, similarity_of
from topofs.report.selection.standing import Standing, standing_of
from topofs.tables.typed_table import TypedTable, typed_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.selection import Stability, TopologicalFeatureSelector

__all__ = ["LeftOut", "Method", "SelectionSummary", "summarise_selection"]


class LeftOut(Protocol):
    """A column of the table that took no part, and why."""

    @property
    def name(self) -> str:
        """The name of the column: untrusted text."""

    @property
    def reason(self) -> str:
        """A short phrase, such as ``text`` or ``constant``."""


@dataclass(frozen=True)
class Method:
    """How features were compared, joined and ranked: the selector's parameters."""

    similarity: str
    squared: bool
    alpha: float
    threshold: bool
    graph: str
    rule: str
    centrality: str
    ties: str


@dataclass(frozen=True)
class SelectionSummary:
    """Everything the page shows.

    Attributes
    ----------
    table_name : str
        Untrusted text.
    n_samples : int
        Rows of the table.
    n_selected : int
        Features selected.
    method : Method
        How they were found.
    features : Features
        Every feature.
    share : array of float, shape (n_features + 1,)
        The share of the network covered by the first k features, for each k.
    coverage : Coverage
        The nearest selected node of each node, for each k; with rule "coverage" the one that
        stands for it.
    standing : Standing or None
        Who stands for whom; None where the rule is not "coverage".
    network : NetworkView
        Edges and places.
    bars : Bars
        Distribution of the scores of the nodes.
    ties : Ties or None
        At the cut; None with rule "coverage".
    heat : HeatMap
        Of the first features; its rows are features.
    left_out : tuple of (str, tuple of str)
        Reasons, each with the columns it left out; none that was passed through.
    passed_through : tuple of str
        Columns that went to the output without being judged.
    nominal : array of int or None
        The features that hold names; None where all are numbers.
    resampled : Resampled or None
        What came back when the data were drawn anew, where that was tried.
    """

    table_name: str
    n_samples: int
    n_selected: int
    method: Method
    features: Features
    share: npt.NDArray[np.float64]
    coverage: Coverage
    standing: Standing | None
    network: NetworkView
    bars: Bars
    ties: Ties | None
    heat: HeatMap
    left_out: tuple[tuple[str, tuple[str, ...]], ...]
    passed_through: tuple[str, ...]
    nominal: npt.NDArray[np.int64] | None = None
    resampled: Resampled | None = None


def summarise_selection(
    selector: TopologicalFeatureSelector,
    X: Any,
    *,
    similarity: npt.NDArray[np.floating[Any]] | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOut] = (),
    passed_through: Sequence[str] = (),
    stability: Stability | None = None,
) -> SelectionSummary:
    """Compute the numbers of the page.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame or TypedTable, shape (n_samples, n_features)
        What it was fitted on.
    similarity : array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes before the threshold, where it was computed already.
    table_name : str
        What the table is called.
    left_out : sequence of LeftOut
        Columns that took no part.
    passed_through : sequence of str
        Columns that went to the output without being judged.
    stability : Stability, optional
        Of the selector over resamples of X, as `topofs.stability` gives.

    Returns
    -------
    SelectionSummary
        The same for the same input.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> summary = summarise_selection(TopologicalFeatureSelector().fit(X), X)
    >>> float(summary.share[4].round(3)), summary.standing.stop
    (0.57, 4)
    >>> by_degree = TopologicalFeatureSelector(5, rule="degree").fit(X)
    >>> summary = summarise_selection(by_degree, X)
    >>> float(summary.share[5].round(3)), summary.ties
    (0.493, Ties(score=4.0, inside=1, outside=5))
    """
    check_is_fitted(selector)
    features = features_of(selector)
    if selector.similarity_ == "mixed" and not isinstance(X, TypedTable):
        X = typed_table(X)
    blocks = similarity_of(selector, X, similarity)
    order = features.node_order()
    by_coverage = selector.rule == "coverage"
    covered, standing = (
        standing_of(selector, features) if by_coverage else (coverage(blocks, order), None)
    )
    n_selected = int(selector.support_.sum())
    in_network = np.isin(features.order, features.nodes)
    first = order[:MOST_ROWS]
    heat = heat_map(between(blocks, first))
    network = network_view(selector.graph_, features, n_selected)
    return SelectionSummary(
        table_name=str(table_name),
        n_samples=X.shape[0] if hasattr(X, "shape") else len(X),
        n_selected=n_selected,
        method=_method(selector),
        features=features,
        share=covered.curve[np.concatenate([[0], np.cumsum(in_network)])],
        coverage=covered,
        standing=standing,
        network=network,
        bars=bars_of(features.scores[features.nodes]),
        ties=None if by_coverage else ties_at(features, n_selected),
        heat=HeatMap(features.nodes[first[heat.rows]], heat.values),
        left_out=_by_reason([c for c in left_out if c.name not in passed_through]),
        passed_through=tuple(map(str, passed_through)),
        nominal=_nominal(X),
        resampled=resampled_of(stability, network, features.n_features) if stability else None,
    )


def _nominal(X: Any) -> npt.NDArray[np.int64] | None:
    """The columns that hold names, where some do."""
    if not isinstance(X, TypedTable) or not X.has_nominal:
        return None
    return np.flatnonzero([column.nominal for column in X.columns])


def _method(selector: TopologicalFeatureSelector) -> Method:
    measure = selector.similarity_ if isinstance(selector.similarity_, str) else "callable"
    at_the_mean = selector.threshold == "mean"
    if selector.threshold == "auto":
        at_the_mean = selector.rule == "degree" or measure in ("precomputed", "callable")
    return Method(
        similarity=measure,
        squared=bool(selector.squared),
        alpha=float(selector.alpha),
        threshold=at_the_mean,
        graph=selector.graph,
        rule=selector.rule,
        centrality=selector.centrality,
        ties=selector.ties,
    )


def _by_reason(columns: Sequence[LeftOut]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Group columns by the reason, in the order in which reasons first occur."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        groups.setdefault(str(column.reason), []).append(str(column.name))
    return tuple((reason, tuple(names)) for reason, names in groups.items())
