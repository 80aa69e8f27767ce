"""The numbers of the page, each computed once, before anything is laid out.

What the user asked for beside a number: limits, costs and sizes that are terms.

Who represents whom, for a page: what a rule with groups found beside the ranking.

The coverage of random lists, at every size that a page may show.

How stable a selection is, for a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.constraints import Budget, MinShare, Size
from topofs.io.frames import named_matrix
from topofs.io.types import TypedTable, has_nominal_columns, typed_table
from topofs.report.selection_views import (
    MOST_ROWS,
    Bars,
    Features,
    HeatMap,
    NetworkView,
    Ties,
    alternatives_of,
    bars_of,
    between,
    features_of,
    filtered_graph,
    heat_map,
    network_view,
    similarity_of,
    ties_at,
)
from topofs.rules.base import RunningGroups, running_over_all
from topofs.selection.compatibility import graph_for
from topofs.selection.reading import left_out_as_rare
from topofs.selection.results import running_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topofs.graphs.base import Graph
    from topofs.rules.base import Rule
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.selection.answers import Substitute
    from topofs.similarity.base import Measure, SimilarityOperator


__all__ = [
    "Asked",
    "LeftOut",
    "Method",
    "RandomCoverage",
    "Representation",
    "Resampled",
    "SelectionSummary",
    "asked_of",
    "random_coverage",
    "representation_of",
    "resampled_of",
    "summarise_selection",
]


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


@dataclass(frozen=True, eq=False)
class Asked:
    """Limits; `size` where it is more than a number, and `cost`, of each feature, of a budget.

    `n_free` columns are in no group, `spent` is what the selected ones cost. Where only redundant
    columns are left out, `n_redundant` are, and none explains those of `unexplained`.
    """

    at_most: int | None
    n_groups: int
    n_free: int
    max_similarity: float | None
    size: Size | None
    cost: npt.NDArray[np.float64] | None
    spent: float
    n_redundant: int
    unexplained: tuple[str, ...]


def asked_of(selector: TopologicalFeatureSelector, features: Features) -> Asked:
    """Read off a fitted selector what was asked of it."""
    given = selector.n_features_to_select
    size = given if isinstance(given, Size) else None
    names = list(features.names)
    n_groups = n_free = 0
    if selector.at_most is not None:
        group, labels = selector.at_most.groups(names)
        n_groups, n_free = len(labels), int((group < 0).sum())
    cost = size.costs(names, len(names)) if isinstance(size, Budget) else None
    out = np.empty(0, dtype=np.int64)
    if isinstance(size, MinShare):
        out = features.nodes[~selector.support_[features.nodes]]
    by = selector.representative_[out] if len(out) else out
    return Asked(
        at_most=None if selector.at_most is None else int(selector.at_most.number),
        n_groups=n_groups,
        n_free=n_free,
        max_similarity=selector.max_similarity,
        size=size,
        cost=cost,
        spent=0.0 if cost is None else float(cost[selector.support_].sum()),
        n_redundant=int((by >= 0).sum()),
        unexplained=tuple(names[i] for i in out[by < 0].tolist()),
    )


Ints = npt.NDArray[np.int64]


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Representation:
    """What a rule with groups says of a selection: the representatives at every size.

    `adds` is what each feature adds at its turn to what those before it represent, in columns'
    worth; 0 outside the network and where it cannot be selected. `isolated` features represent
    no other and no other represents them, ascending; none where the rule does not tell. The
    rule may select them by itself.
    `through` has, for each change of `running`, the feature next to it on the way to its
    representative, or -1.
    """

    running: RunningGroups
    adds: Floats
    isolated: Ints
    isolated_selected: bool
    through: Ints


def representation_of(
    selector: TopologicalFeatureSelector, features: Features
) -> Representation:
    """Read off a fitted selector who represents whom."""
    running = running_groups(selector)
    isolated = getattr(selector, "isolated_", np.empty(0, dtype=np.int64))
    free = np.setdiff1d(isolated, features.forced)
    by_itself = selector.at("auto").support_ if selector.rule_.has_end else selector.support_
    return Representation(
        running=running,
        adds=_adds(running, features),
        isolated=isolated,
        isolated_selected=bool(selector.rule_.has_end and len(free) and by_itself[free].all()),
        through=np.where(running.through < 0, -1, features.nodes[running.through]),
    )


def _adds(running: RunningGroups, features: Features) -> Floats:
    """The steps of the curve; the scores themselves where they are the same but for rounding."""
    adds = np.zeros(features.n_features)
    steps = len(features.nodes) * np.diff(running.curve)
    adds[features.nodes[features.node_order()]] = steps
    adds[features.order[features.most :]] = 0.0
    return features.scores if np.allclose(adds, features.scores, atol=1e-9) else adds


_N_SIZES = 12


_N_LISTS = 50


# At the size of the selection itself, as `random_lists` draws by default.
_N_LISTS_THERE = 200


# Without groups every list looks at all pairs: fewer lists of a large table.
_PAIRS = 2.5e8


_FEWEST_LISTS = 6


# Rows at a time: fewer where they are long.
_ROWS, _ENTRIES = 512, 1 << 22


@dataclass(frozen=True, eq=False)
class RandomCoverage:
    """What random lists of some numbers of nodes cover: the mean, and the range of 95 %."""

    sizes: npt.NDArray[np.int64]
    mean: npt.NDArray[np.float64]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]

    def at(self, size: int) -> float:
        """Give the mean at a size; between two sizes along the logarithm of the size."""
        if size < 1:
            return 0.0
        return float(np.interp(np.log(size), np.log(self.sizes), self.mean))


def random_coverage(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> RandomCoverage:
    """Draw random lists at a handful of sizes, and at that of the selection."""
    n = len(selector.nodes_)
    here = max(1, int(selector.support_[selector.nodes_].sum()))
    grid = np.rint(np.geomspace(1, n, _N_SIZES)).astype(np.int64)
    sizes = np.unique(np.append(grid, here))
    if not selector.has_groups:
        covered = _over_all(similarity, sizes)
        low, high = np.quantile(covered, [0.025, 0.975], axis=0)
        return RandomCoverage(sizes, covered.mean(axis=0), low, high)
    found = [
        selector.random_lists(size, n_lists=_N_LISTS_THERE if size == here else _N_LISTS)
        for size in sizes.tolist()
    ]
    return RandomCoverage(
        sizes,
        np.array([one.mean for one in found]),
        np.array([one.low for one in found]),
        np.array([one.high for one in found]),
    )


def _over_all(
    similarity: SimilarityOperator, sizes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The mean best similarity to the first of random orders: one row an order."""
    n = similarity.n_features
    n_lists = int(np.clip(_PAIRS / n**2, _FEWEST_LISTS, _N_LISTS))
    generator = np.random.default_rng(0)
    orders = [generator.permutation(n) for _ in range(n_lists)]
    totals = np.zeros((n_lists, n))
    step = int(np.clip(_ENTRIES // n, 32, _ROWS))
    for start in range(0, n, step):
        block = similarity.block(slice(start, min(start + step, n)), slice(0, n))
        for number, order in enumerate(orders):
            best = np.maximum.accumulate(block[:, order], axis=1)
            totals[number] += best.sum(axis=0, dtype=np.float64)
    return totals[:, sizes - 1] / n


@dataclass(frozen=True)
class Resampled:
    """What came back when the data were drawn anew, with Nogueira's stability and its interval.

    The stability is None where it is not defined. `least` to `most` features were chosen;
    `frequency` has the share of the resamples for each feature, `confidence` for each edge of
    the filtered graph, where there is one.
    """

    phi: float | None
    lower: float | None
    upper: float | None
    level: float
    n_resamples: int
    least: int
    most: int
    frequency: npt.NDArray[np.float64]
    confidence: npt.NDArray[np.float64]


def resampled_of(
    stability: Stability, network: NetworkView | None, n_features: int
) -> Resampled:
    """Put the numbers of a `Stability` in the order of the page."""
    if len(stability.frequency) != n_features:
        raise ValueError(
            f"stability is over {len(stability.frequency)} columns; the selector was fitted on "
            f"{n_features}: give the stability of the same table"
        )
    sure = {(edge.left, edge.right): edge.confidence for edge in stability.edges}
    ends = [] if network is None else np.sort(network.edges, axis=1).tolist()
    finite = bool(np.isfinite(stability.phi))
    return Resampled(
        phi=float(stability.phi) if finite else None,
        lower=float(stability.lower) if finite else None,
        upper=float(stability.upper) if finite else None,
        level=float(stability.level),
        n_resamples=int(stability.n_resamples),
        least=int(stability.sizes.min()),
        most=int(stability.sizes.max()),
        frequency=np.asarray(stability.frequency, dtype=np.float64),
        confidence=np.array([sure.get((i, j), 0.0) for i, j in ends], dtype=np.float64),
    )
