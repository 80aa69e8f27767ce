"""The features of a fitted selector: names, scores and the order of their selection.

The similarity behind a fitted selector, in blocks.

How the scores are distributed, in bars.

How alike the selected features are, with like beside like.

The part of a filtered graph that a page draws, and where.

What could take the place of each selected column.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from topofs.constraints import resolve_columns
from topofs.graphs.filtered_graph import FilteredGraph, LinkGraph
from topofs.selection import fitted_similarity
from topofs.similarity.base import MatrixOperator

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector
    from topofs.selection.answers import Substitute
    from topofs.similarity.base import SimilarityOperator


__all__ = [
    "MOST_COLUMNS",
    "MOST_NODES",
    "MOST_ROWS",
    "Bars",
    "Features",
    "HeatMap",
    "NetworkView",
    "Ties",
    "alternatives_of",
    "bars_of",
    "between",
    "features_of",
    "filtered_graph",
    "heat_map",
    "network_view",
    "similarity_of",
    "ties_at",
]


Ints = npt.NDArray[np.int64]


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Features:
    """What is known of each feature, in the order of the table; names are untrusted text.

    `strengths`, the sums of the weights of edges, and `scores` are 0 outside the network.
    `score_groups` are equal for equal scores and ascend with them; -1 outside the network and
    where the score plays no part because the feature is forced or cannot be selected.
    The first k of `order` are selected at size k, forced ones first; no more than `most` of
    them go together. `nodes` are the features of the network's nodes, ascending.
    """

    names: tuple[str, ...]
    scores: Floats
    strengths: Floats
    score_groups: Ints
    forced: Ints
    order: Ints
    nodes: Ints
    excluded: Ints
    most: int

    @property
    def n_features(self) -> int:
        """Number of features, in the network or not."""
        return len(self.names)

    def node_order(self) -> Ints:
        """Nodes of the network in the order of selection."""
        return np.searchsorted(self.nodes, self.order[np.isin(self.order, self.nodes)])


@dataclass(frozen=True)
class Ties:
    """The score at the cut; how many features with it are selected, and how many are not."""

    score: float
    inside: int
    outside: int


def features_of(selector: TopologicalFeatureSelector) -> Features:
    """Read the features off a fitted selector."""
    n = selector.n_features_in_
    names = selector._column_names()  # noqa: SLF001 - as every message names them
    strengths = selector.strength_
    groups = np.full(n, -1)
    groups[selector.nodes_] = np.unique(selector.scores_[selector.nodes_], return_inverse=True)[
        1
    ]
    groups[selector.forced_] = -1
    order = np.argsort(selector.ranking_)
    groups[order[selector.n_selectable_ :]] = -1
    return Features(
        names=tuple(map(str, names)),
        scores=selector.scores_,
        strengths=strengths,
        score_groups=groups,
        forced=selector.forced_,
        order=order,
        nodes=selector.nodes_,
        excluded=resolve_columns(selector.exclude, names.tolist(), n, what="exclude"),
        most=selector.n_selectable_,
    )


def ties_at(features: Features, n_selected: int) -> Ties | None:
    """Find the features among which the cut had to choose."""
    order, groups = features.order, features.score_groups
    if n_selected == features.n_features:
        return None
    last, following = order[n_selected - 1], order[n_selected]
    if groups[last] < 0 or groups[last] != groups[following]:
        return None
    same = groups[order] == groups[last]
    inside = int(same[:n_selected].sum())
    return Ties(float(features.scores[last]), inside, int(same.sum()) - inside)


AnyFloats = npt.NDArray[np.floating[Any]]


def similarity_of(
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | AnyFloats | None = None,
) -> SimilarityOperator:
    """Give the similarity between the nodes of a fitted selector's graph.

    Before any threshold: what the columns have in common, not what the filter was given.
    """
    n_nodes = len(selector.nodes_)
    if similarity is None:
        similarity = fitted_similarity(selector, X)
    elif isinstance(similarity, np.ndarray):
        if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
            raise ValueError(
                f"similarity has the shape {similarity.shape}; it must be {n_nodes} × {n_nodes}"
            )
        similarity = MatrixOperator(similarity)
    if similarity.n_features != n_nodes:
        raise ValueError(
            f"similarity is over {similarity.n_features} columns; the graph has {n_nodes} nodes"
        )
    return _WithDiagonal(similarity, similarity.diagonal())


@dataclass(frozen=True, eq=False)
class _WithDiagonal:
    """Blocks of an operator, with its exact diagonal."""

    operator: SimilarityOperator
    exact: AnyFloats

    @property
    def n_features(self) -> int:
        return self.operator.n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.operator.dtype

    def block(self, rows: slice, columns: slice) -> AnyFloats:
        block = self.operator.block(rows, columns)
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        block[same - rows.start, same - columns.start] = self.exact[same]
        return block

    def diagonal(self) -> AnyFloats:
        return self.exact


def between(
    similarity: SimilarityOperator, nodes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Give the similarity between some nodes."""
    taken = np.empty((len(nodes), len(nodes)))
    for row, i in enumerate(nodes.tolist()):
        for column, j in enumerate(nodes[: row + 1].tolist()):
            entry = similarity.block(slice(i, i + 1), slice(j, j + 1))[0, 0]
            taken[row, column] = taken[column, row] = entry
    return taken


_MOST_BARS = 28


@dataclass(frozen=True)
class Bars:
    """Scores sorted into bars: what each bar holds, and the bar of each score."""

    labels: tuple[str, ...]
    bar_of: npt.NDArray[np.int64]

    def counts(self) -> npt.NDArray[np.int64]:
        """Number of scores in each bar."""
        return np.bincount(self.bar_of, minlength=len(self.labels))


def bars_of(scores: npt.NDArray[np.float64]) -> Bars:
    """Sort scores into at most 28 bars.

    Whole numbers get a bar each; where they spread wide, bars that widen with the value.
    Other scores get bars of one width.
    """
    low, high = scores.min(), scores.max()
    if (scores == np.rint(scores)).all() and high < 2**53:
        starts = _whole_starts(int(low), int(high))
        ends = np.append(starts[1:] - 1, int(high))
        labels = [
            f"{start:,}" if start == end else f"{start:,}–{end:,}"
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
    else:
        n_bars = max(1, min(_MOST_BARS, round(2 * np.sqrt(len(scores)))))
        starts = np.linspace(low, high, n_bars + 1)[:-1]
        ends = np.append(starts[1:], high)
        labels = [f"{start:.3g}–{end:.3g}" for start, end in zip(starts, ends, strict=True)]
    bar_of = np.searchsorted(starts, scores, side="right") - 1
    return Bars(tuple(labels), bar_of)


def _whole_starts(low: int, high: int) -> npt.NDArray[np.int64]:
    """First value of each bar: as narrow as the number of bars allows, never narrowing."""
    growth = 0.0
    while True:
        starts = [low]
        while len(starts) <= _MOST_BARS:
            width = max(1, int(growth * (starts[-1] - low + 1)))
            if starts[-1] + width > high:
                return np.array(starts)
            starts.append(starts[-1] + width)
        growth += 0.02


MOST_ROWS = 60


"""The most features that a heat map shows."""


@dataclass(frozen=True)
class HeatMap:
    """A symmetric square of similarities; `rows` are positions in the matrix that was given."""

    rows: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def heat_map(similarity: npt.NDArray[np.float64]) -> HeatMap:
    """Order features so that like ones lie side by side.

    Average linkage on 1 − |s|, leaves in the optimal order (Bar-Joseph, Gifford & Jaakkola,
    "Fast optimal leaf ordering for hierarchical clustering", Bioinformatics 17, 2001).
    """
    m = len(similarity)
    if m < 3:
        return HeatMap(np.arange(m), similarity)
    distance = np.clip(1 - np.abs(similarity), 0, None)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    rows = leaves_list(tree).astype(np.int64)
    return HeatMap(rows, similarity[np.ix_(rows, rows)])


MOST_NODES = 5000


"""The most nodes of a filtered graph that a page draws."""


@dataclass(frozen=True)
class NetworkView:
    """Pairs of features joined by all edges, drawn or not, with the weights the filter saw.

    Drawn are the features `drawn`, ascending, at `places` within [-1, 1].
    """

    edges: Ints
    weights: npt.NDArray[np.float64]
    drawn: Ints
    places: npt.NDArray[np.float64]


def filtered_graph(selector: TopologicalFeatureSelector) -> FilteredGraph | None:
    """Give the graph that a selector ranked by; None for lists of links, or for none."""
    graph: FilteredGraph | None = getattr(selector, "graph_", None)
    return None if isinstance(graph, LinkGraph) else graph


def network_view(
    graph: FilteredGraph,
    features: Features,
    n_selected: int,
    *,
    most: int = MOST_NODES,
) -> NetworkView:
    """Choose what to draw and lay it out."""
    from topofs.layout import layout

    nodes = np.arange(graph.n_nodes)
    if graph.n_nodes > most:
        nodes = _neighbourhood(graph, features.node_order(), n_selected, most)
    return NetworkView(
        edges=features.nodes[graph.edges],
        weights=graph.weights.astype(np.float64),
        drawn=features.nodes[nodes],
        places=layout(_induced(graph, nodes)),
    )


def _neighbourhood(graph: FilteredGraph, order: Ints, n_selected: int, most: int) -> Ints:
    """The selected nodes and those most strongly joined to them, ascending."""
    selected = order[: min(n_selected, most)]
    inside = np.zeros(graph.n_nodes, dtype=np.bool_)
    inside[selected] = True
    crossing = inside[graph.edges[:, 0]] != inside[graph.edges[:, 1]]
    pairs, weights = graph.edges[crossing], graph.weights[crossing]
    outer = np.where(inside[pairs[:, 0]], pairs[:, 1], pairs[:, 0])
    strongest_first = outer[np.lexsort((outer, -weights))]
    _, at = np.unique(strongest_first, return_index=True)
    neighbours = strongest_first[np.sort(at)]
    return np.sort(np.concatenate([selected, neighbours[: most - len(selected)]]))


def _induced(graph: FilteredGraph, nodes: Ints) -> FilteredGraph:
    """The graph on some nodes, ascending and numbered anew."""
    if len(nodes) == graph.n_nodes:
        return graph
    both = np.isin(graph.edges, nodes).all(axis=1)
    ends = np.searchsorted(nodes, graph.edges[both])
    return FilteredGraph(len(nodes), ends, graph.weights[both])


MOST_COLUMNS = 60


"""For how many selected columns stand-ins are looked for."""


_MOST_EACH = 3


def alternatives_of(
    selector: TopologicalFeatureSelector, features: Features
) -> dict[int, tuple[Substitute, ...]]:
    """Find stand-ins for the selected columns, each with the rest fixed."""
    if not selector.has_groups:
        return {}
    first = features.order[: min(selector.n_features_, MOST_COLUMNS)]
    found: dict[int, tuple[Substitute, ...]] = {}
    # A rule of the user's own may have groups of a kind that cannot be searched.
    with suppress(AttributeError):
        for feature in first[np.isin(first, features.nodes)].tolist():
            found[feature] = selector.substitute(feature, n=_MOST_EACH)
    return found
