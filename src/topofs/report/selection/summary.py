"""The numbers of the page, each computed once, before anything is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.report.selection.alternatives import alternatives_of
from topofs.report.selection.asked import Asked, asked_of
from topofs.report.selection.distribution import Bars, bars_of
from topofs.report.selection.features import Features, Ties, features_of, ties_at
from topofs.report.selection.heat_map import MOST_ROWS, HeatMap, heat_map
from topofs.report.selection.network import NetworkView, filtered_graph, network_view
from topofs.report.selection.random_lists import RandomCoverage, random_coverage
from topofs.report.selection.representation import Representation, representation_of
from topofs.report.selection.resampled import Resampled, resampled_of
from topofs.report.selection.similarity import between, similarity_of
from topofs.rules.running_groups import RunningGroups, running_over_all
from topofs.selection.fitting_terms import graph_for
from topofs.selection.reading import left_out_as_rare
from topofs.selection.sizes import Budget, MinShare
from topofs.tables.columns import has_nominal_columns
from topofs.tables.given import named_matrix
from topofs.tables.typed_table import TypedTable, typed_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topofs.filtering.family import Graph
    from topofs.rules.rule import Rule
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.selection.panel_answers import Substitute
    from topofs.similarity.measure import Measure
    from topofs.similarity.operator import SimilarityOperator

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
    """How features were compared, joined and ranked: the terms of the fit.

    Similarities cut by "mean" or "links" counted as 0 before filtering. `redundant_from` is
    the share from which a column that another explains is left out, where only such are.
    """

    measure: Measure
    graph: Graph | None
    rule: Rule
    cut: str | None
    redundant_from: float | None = None


@dataclass(frozen=True, eq=False)
class SelectionSummary:
    """Everything the page shows.

    Attributes
    ----------
    table_name : str
        Untrusted text.
    n_samples : int or None
        Rows of the table; None where a similarity was given in its place.
    n_selected : int
        Features selected.
    end : int or None
        The size at which the selection stops by itself; None where the rule has no end.
    size_given : bool
        Whether the user gave a size, rather than "auto".
    method : Method
        How they were found.
    features : Features
        Every feature.
    share : array of float, shape (n_features + 1,)
        The share of the columns that the first k features cover, for each k.
    running : RunningGroups
        The node that represents each node, for each k; without groups the selected one that
        is nearest.
    representation : Representation or None
        Who represents whom; None where the rule has no groups.
    network : NetworkView or None
        Edges and places of the filtered graph that ranked; None for lists of links.
    bars : Bars
        Distribution of the scores of the nodes.
    ties : Ties or None
        At the cut; None where the rule has groups.
    heat : HeatMap
        Of the first features; its rows are features.
    left_out : tuple of (str, tuple of str)
        Reasons, each with the columns it left out; none that was passed through.
    took_no_part : tuple of (str, tuple of str)
        Likewise, those of the features that were not compared.
    passed_through : tuple of str
        Columns that went to the output without being judged.
    nominal : array of int or None
        The features that hold names; None where all are numbers.
    resampled : Resampled or None
        What came back when the data were drawn anew, where that was tried.
    random : RandomCoverage
        What random lists cover.
    asked : Asked
        Limits and sizes that the user asked for.
    alternatives : dict of int to tuple of Substitute
        What could take the place of a selected feature.
    reasons : dict of int to str
        Why a feature outside the network takes no part.
    judged : bool
        Whether the selected features are a list that somebody else made.
    notes : tuple of str
        What was said of the table before.
    """

    table_name: str
    n_samples: int | None
    n_selected: int
    end: int | None
    size_given: bool
    method: Method
    features: Features
    share: npt.NDArray[np.float64]
    running: RunningGroups
    representation: Representation | None
    network: NetworkView | None
    bars: Bars
    ties: Ties | None
    heat: HeatMap
    left_out: tuple[tuple[str, tuple[str, ...]], ...]
    took_no_part: tuple[tuple[str, tuple[str, ...]], ...]
    passed_through: tuple[str, ...]
    nominal: npt.NDArray[np.int64] | None
    resampled: Resampled | None
    random: RandomCoverage
    asked: Asked
    alternatives: dict[int, tuple[Substitute, ...]]
    reasons: dict[int, str]
    judged: bool = False
    notes: tuple[str, ...] = ()

    @property
    def n_nodes(self) -> int:
        """Number of columns that were compared."""
        return len(self.features.nodes)

    @property
    def random_share(self) -> float:
        """What random lists of the size of the selection cover, on average."""
        selected = self.features.order[: self.n_selected]
        return self.random.at(int(np.isin(selected, self.features.nodes).sum()))


def summarise_selection(
    selector: TopologicalFeatureSelector,
    X: Any,
    *,
    similarity: SimilarityOperator | npt.NDArray[np.floating[Any]] | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOut] = (),
    passed_through: Sequence[str] = (),
    stability: Stability | None = None,
    judged: bool = False,
    notes: Sequence[str] = (),
) -> SelectionSummary:
    """Compute the numbers of the page.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable
        What it was fitted on.
    similarity : SimilarityOperator or array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes before the threshold, where it was prepared already:
        what `topofs.selection.fit_and_compare` gives as ``operator``.
    table_name : str
        What the table is called.
    left_out : sequence of LeftOut
        Columns that took no part.
    passed_through : sequence of str
        Columns that went to the output without being judged.
    stability : Stability, optional
        Of the selector over resamples of X, as `topofs.stability` gives.
    judged : bool, default=False
        Whether the selected columns are a list that somebody else made.
    notes : sequence of str
        Sentences that stand before the other notes of the page.

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
    >>> float(summary.share[4].round(3)), summary.end
    (0.566, 3)
    >>> by_degree = TopologicalFeatureSelector(5, rule="degree").fit(X)
    >>> summary = summarise_selection(by_degree, X)
    >>> float(summary.share[5].round(3)), summary.ties
    (0.493, Ties(score=4.0, inside=1, outside=5))
    """
    check_is_fitted(selector)
    features = features_of(selector)
    table = _with_kinds(X, selector.similarity_)
    blocks = similarity_of(selector, table, similarity)
    order = features.node_order()
    representation = representation_of(selector, features) if selector.has_groups else None
    running = (
        representation.running
        if representation is not None
        else running_over_all(blocks, order, least=-np.inf)
    )
    n_selected = selector.n_features_
    in_network = np.isin(features.order, features.nodes)
    first = order[:MOST_ROWS]
    heat = heat_map(between(blocks, first))
    graph = filtered_graph(selector)
    network = None if graph is None else network_view(graph, features, n_selected)
    given = selector.n_features_to_select
    # The ranking of these two is one of its own.
    has_end = selector.rule_.has_end and not isinstance(given, (Budget, MinShare))
    return SelectionSummary(
        table_name=str(table_name),
        n_samples=_n_samples(X) if selector.similarity_.takes_table else None,
        n_selected=n_selected,
        end=selector.at("auto").n_features_ if has_end else None,
        size_given=not (isinstance(given, str) and given == "auto"),
        method=_method(selector),
        features=features,
        share=running.curve[np.concatenate([[0], np.cumsum(in_network)])],
        running=running,
        representation=representation,
        network=network,
        bars=bars_of(features.scores[features.nodes]),
        ties=ties_at(features, n_selected) if representation is None else None,
        heat=HeatMap(features.nodes[first[heat.rows]], heat.values),
        left_out=_by_reason(
            (str(c.reason), str(c.name)) for c in left_out if c.name not in passed_through
        ),
        took_no_part=_by_reason(_took_no_part(selector, features)),
        passed_through=tuple(map(str, passed_through)),
        nominal=_nominal(table),
        resampled=resampled_of(stability, network, features.n_features) if stability else None,
        random=random_coverage(selector, blocks),
        asked=asked_of(selector, features),
        alternatives=alternatives_of(selector, features),
        reasons=_reasons(selector, features),
        judged=judged,
        notes=tuple(map(str, notes)),
    )


def _with_kinds(X: Any, measure: Measure) -> Any:
    """The table, read into kinds of columns where some may hold names."""
    X = named_matrix(X)
    if isinstance(X, TypedTable):
        return X
    if has_nominal_columns(X) or not measure.takes_arrays:
        return typed_table(X)
    return X


def _n_samples(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _nominal(X: Any) -> npt.NDArray[np.int64] | None:
    """The columns that hold names, where some do."""
    if not isinstance(X, TypedTable) or not X.has_nominal:
        return None
    return np.flatnonzero([column.nominal for column in X.columns])


def _method(selector: TopologicalFeatureSelector) -> Method:
    measure, rule = selector.similarity_, selector.rule_
    cut = rule.cut_for(measure) if selector.threshold == "auto" else selector.threshold
    size = selector.n_features_to_select
    redundant_from = size.share if isinstance(size, MinShare) else None
    graph = graph_for(selector.graph, rule, size)
    return Method(measure, graph, rule, cut, redundant_from)


def _reasons(selector: TopologicalFeatureSelector, features: Features) -> dict[int, str]:
    """Why each feature outside the network takes no part."""
    outside = np.setdiff1d(np.arange(features.n_features), features.nodes).tolist()
    return {i: out.reason for i, out in zip(outside, selector.left_out_, strict=True)}


def _took_no_part(
    selector: TopologicalFeatureSelector, features: Features
) -> Iterator[tuple[str, str]]:
    """The reason and the name of each feature outside the network that is not forced."""
    rare = {out.name: out.reason for out in left_out_as_rare(selector)}
    for i, reason in _reasons(selector, features).items():
        if i not in features.forced:
            yield rare.get(features.names[i], reason), features.names[i]


def _by_reason(columns: Iterable[tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Group names of columns by the reason, in the order in which reasons first occur."""
    groups: dict[str, list[str]] = {}
    for reason, name in columns:
        groups.setdefault(reason, []).append(name)
    return tuple((reason, tuple(names)) for reason, names in groups.items())
