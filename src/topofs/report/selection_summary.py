"""The numbers of a selection's page, each computed once.

`summarise_selection` reads most of them off the fitted selector. The rest are views of them:
the order of a heat map, the bars of a chart, the part of a graph that is drawn, and what random
lists of columns cover. `topofs.plot` draws the same views.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted

from topofs.constraints import resolve_columns, size_of
from topofs.graphs.filtered_graph import FilteredGraph, LinkGraph
from topofs.io.frames import named_matrix
from topofs.io.types import TypedTable, has_nominal_columns, typed_table
from topofs.rules.base import running_over_all
from topofs.selection import fitted_similarity
from topofs.selection.answers import with_correlations
from topofs.selection.reading import left_out_as_rare
from topofs.selection.results import running_groups
from topofs.similarity.base import MatrixOperator, similarity_rows
from topofs.similarity.streamed import StreamedTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topofs.io.types import LeftOutColumn
    from topofs.rules.base import RunningGroups
    from topofs.selection import Stability, TopologicalFeatureSelector
    from topofs.selection.answers import Substitute
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Floats, Ints

MOST_ROWS = 60
"""Largest number of features of a heat map."""

MOST_COLUMNS = 60
"""Largest number of selected columns for which substitutes are searched."""

_MOST_SUBSTITUTES = 3
_MOST_NODES = 5000
_MOST_BARS = 28

# Sizes of random lists, how many lists of each, and how many of the size of the selection.
_N_SIZES, _N_LISTS, _N_LISTS_THERE = 12, 50, 200
# Without groups every list needs all pairs, so large tables get fewer lists.
_PAIRS, _FEWEST_LISTS = 2.5e8, 6
# Rows at a time: fewer where they are long.
_ROWS, _ENTRIES = 512, 1 << 22


class Ties(NamedTuple):
    """The score at the cut; how many features with it are selected, and how many are not."""

    score: float
    inside: int
    outside: int


@dataclass(frozen=True, eq=False)
class RandomCoverage:
    """The coverage of random lists of some sizes: the mean, and the range of 95 %."""

    sizes: Ints
    mean: Doubles
    low: Doubles
    high: Doubles

    def at(self, size: int) -> float:
        """Give the mean at a size; between two sizes along the logarithm of the size."""
        if size < 1:
            return 0.0
        return float(np.interp(np.log(size), np.log(self.sizes), self.mean))


@dataclass(frozen=True, eq=False)
class SelectionSummary:
    """Everything the page shows, except the attributes of the fitted selector.

    Attributes
    ----------
    selector : TopologicalFeatureSelector
        Fitted: its terms, constraints and scores.
    table_name : str
        Untrusted text.
    names : tuple of str
        Of all features, in the order of the table: untrusted text.
    n_samples : int or None
        Rows of the table; None if a similarity was given instead, or no table.
    n_selected : int
        Features selected.
    end : int or None
        The size at the automatic end; None if the rule has no automatic end.
    has_groups : bool
        Whether selected features represent others.
    order : array of int, shape (n_features,)
        The first k features are selected at size k, forced ones first.
    excluded : array of int
        Features that cannot be selected.
    share : array of float, shape (n_features + 1,)
        The share of the columns that the first k features cover, for each k.
    running : RunningGroups
        The node that represents each node, for each k; without groups the selected one that
        is nearest.
    adds : array of float, shape (n_features,), or None
        The gain in coverage of each feature at its turn, in columns; equal to the scores if
        these are gains. None if the rule has no groups.
    isolated : array of int
        Features that represent no other and that no other represents, where the rule can tell.
    ties : Ties or None
        At the cut; None where the rule has groups.
    graph : FilteredGraph or None
        The filtered graph that ranked, with correlations if the measure has a sign; None for
        lists of links.
    drawn, places : array of int, array of float, shape (n_drawn, 2)
        The nodes of the graph that are drawn, ascending, and where: within [-1, 1].
    heat : tuple of (array of int, array of float)
        Of the first features, like beside like, and the similarities between them; empty
        without a table.
    left_out : tuple of (str, tuple of str)
        Reasons, each with the columns it left out; none that was passed through.
    took_no_part : tuple of (str, tuple of str)
        Likewise, those of the features that were not compared.
    passed_through : tuple of str
        Columns that went to the output without being judged.
    nominal : array of int or None
        The features that hold names; None if all are numbers.
    stability : Stability or None
        Stability of the selector, if computed.
    random : RandomCoverage
        The coverage of random lists.
    alternatives : dict of int to tuple of Substitute
        The replacements of a selected feature.
    reasons : dict of int to str
        The reason why a feature outside the network takes no part.
    judged : bool
        Whether the selected features are a list that somebody else made.
    notes : tuple of str
        Notes on the table.
    """

    selector: TopologicalFeatureSelector
    table_name: str
    names: tuple[str, ...]
    n_samples: int | None
    n_selected: int
    end: int | None
    has_groups: bool
    order: Ints
    excluded: Ints
    share: Doubles
    running: RunningGroups
    adds: Doubles | None
    isolated: Ints
    ties: Ties | None
    graph: FilteredGraph | None
    drawn: Ints
    places: Doubles
    heat: tuple[Ints, Doubles]
    left_out: tuple[tuple[str, tuple[str, ...]], ...]
    took_no_part: tuple[tuple[str, tuple[str, ...]], ...]
    passed_through: tuple[str, ...]
    nominal: Ints | None
    stability: Stability | None
    random: RandomCoverage
    alternatives: dict[int, tuple[Substitute, ...]]
    reasons: dict[int, str]
    judged: bool = False
    notes: tuple[str, ...] = ()

    @property
    def selected_names(self) -> list[str]:
        """The names of the selected features, best first."""
        return [self.names[i] for i in self.order[: self.n_selected]]

    @property
    def random_share(self) -> float:
        """The mean coverage of random lists of the size of the selection."""
        selected = self.order[: self.n_selected]
        return self.random.at(int(np.isin(selected, self.selector.nodes_).sum()))


def summarise_selection(
    selector: TopologicalFeatureSelector,
    X: Any = None,
    *,
    similarity: SimilarityOperator | Floats | None = None,
    table_name: str = "the table",
    left_out: Sequence[LeftOutColumn] = (),
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
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, optional
        What it was fitted on. Without it there is no heat map, and the rule must have groups.
    similarity : SimilarityOperator or array, shape (n_nodes, n_nodes), optional
        The similarity between the nodes before the threshold, where it was prepared already:
        what `topofs.selection.fit_and_compare` gives as ``operator``.
    table_name : str
        What the table is called.
    left_out : sequence of LeftOutColumn
        Columns of the table that took no part, each with a ``name`` and a ``reason``.
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
    n, nodes, measure = selector.n_features_in_, selector.nodes_, selector.similarity_
    columns = selector._column_names().tolist()  # noqa: SLF001 - as every message names them
    names = tuple(map(str, columns))
    if stability is not None and len(stability.frequency) != n:
        raise ValueError(
            f"stability is over {len(stability.frequency)} columns; the selector was fitted on "
            f"{n}: give the stability of the same table"
        )
    table = None if X is None else _compared_table(selector, X)
    nominal = None
    if isinstance(table, TypedTable) and table.has_nominal:
        nominal = np.flatnonzero([column.nominal for column in table.columns])
    elif isinstance(table, StreamedTable) and table.has_names:
        nominal = np.flatnonzero([column.is_named for column in table.columns])

    operator = None
    if X is not None or similarity is not None:
        operator = similarity_of(selector, table, similarity)
    order, ranked = np.argsort(selector.ranking_), np.argsort(selector.ranking_[nodes])
    n_selected, has_groups = selector.n_features_, selector.has_groups
    if has_groups:
        running = running_groups(selector)
    elif operator is None:
        raise ValueError(
            f"X is missing: the rule {selector.rule_.name!r} has no groups, so the columns must be "
            "compared again; give the table of the fit as X"
        )
    else:
        running = running_over_all(WithDiagonal(operator), ranked, least=-np.inf)
    end = None
    if selector.rule_.has_end and not size_of(selector.n_features_to_select).has_own_ranking:
        end = selector.at("auto").n_features_
    graph = filtered_graph(selector)
    nothing = np.empty(0, np.int64), np.empty((0, 2))
    drawn, places = nothing
    if graph is not None:
        graph = graph if operator is None else with_correlations(graph, operator)
        drawn, places = drawing_of(graph, ranked, n_selected)
    hottest, heat = nothing if operator is None else heat_map(operator, ranked[:MOST_ROWS])
    outside = np.setdiff1d(np.arange(n), nodes).tolist()
    reasons = {i: out.reason for i, out in zip(outside, selector.left_out_, strict=True)}
    rare = {out.name: out.reason for out in left_out_as_rare(selector)}
    return SelectionSummary(
        selector=selector,
        table_name=str(table_name),
        names=names,
        n_samples=int(np.shape(X)[0]) if X is not None and measure.takes_table else None,
        n_selected=n_selected,
        end=end,
        has_groups=has_groups,
        order=order,
        excluded=resolve_columns(selector.exclude, columns, n, what="exclude"),
        share=running.curve[np.concatenate([[0], np.cumsum(np.isin(order, nodes))])],
        running=running,
        adds=_adds(selector, running, ranked) if has_groups else None,
        isolated=getattr(selector, "isolated_", nothing[0]) if has_groups else nothing[0],
        ties=None if has_groups else ties_at_cut(selector),
        graph=graph,
        drawn=drawn,
        places=places,
        heat=(nodes[hottest], heat),
        left_out=_by_reason(
            (str(c.reason), str(c.name)) for c in left_out if c.name not in passed_through
        ),
        took_no_part=_by_reason(
            (rare.get(names[i], reason), names[i])
            for i, reason in reasons.items()
            if i not in selector.forced_
        ),
        passed_through=tuple(map(str, passed_through)),
        nominal=nominal,
        stability=stability,
        random=_random_coverage(selector, operator),
        alternatives=_alternatives(selector, order[: min(n_selected, MOST_COLUMNS)]),
        reasons=reasons,
        judged=judged,
        notes=tuple(map(str, notes)),
    )


def _compared_table(selector: TopologicalFeatureSelector, X: Any) -> Any:
    """Read the table as the measure of the fit compares it."""
    table = named_matrix(X)
    if isinstance(table, (StreamedTable, TypedTable)):
        return table
    by_kind = has_nominal_columns(table) or not selector.similarity_.takes_arrays
    return typed_table(table) if by_kind else table


def _adds(
    selector: TopologicalFeatureSelector, running: RunningGroups, ranked: Ints
) -> Doubles:
    """The steps of the curve; the scores, if they differ by rounding only."""
    adds = np.zeros(selector.n_features_in_)
    adds[selector.nodes_[ranked]] = len(ranked) * np.diff(running.curve)
    adds[selector.ranking_ > selector.n_selectable_] = 0.0
    same = np.allclose(adds, selector.scores_, atol=1e-9)
    return selector.scores_ if same else adds


def _by_reason(columns: Iterable[tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Group names of columns by the reason, in the order in which reasons first occur."""
    groups: dict[str, list[str]] = {}
    for reason, name in columns:
        groups.setdefault(reason, []).append(name)
    return tuple((reason, tuple(names)) for reason, names in groups.items())


def _alternatives(
    selector: TopologicalFeatureSelector, features: Ints
) -> dict[int, tuple[Substitute, ...]]:
    """Find substitutes for some selected features, each with the rest fixed."""
    found: dict[int, tuple[Substitute, ...]] = {}
    if selector.has_groups:
        # A user's rule may have groups that cannot be searched.
        with suppress(AttributeError):
            for feature in features[np.isin(features, selector.nodes_)].tolist():
                found[feature] = selector.substitute(feature, n=_MOST_SUBSTITUTES)
    return found


def ties_at_cut(selector: TopologicalFeatureSelector) -> Ties | None:
    """Find the features with equal scores on both sides of the cut."""
    order, groups = np.argsort(selector.ranking_), score_groups(selector)
    n_selected = int(selector.support_.sum())
    if n_selected == len(order):
        return None
    last, following = order[n_selected - 1], order[n_selected]
    if groups[last] < 0 or groups[last] != groups[following]:
        return None
    same = groups[order] == groups[last]
    inside = int(same[:n_selected].sum())
    return Ties(float(selector.scores_[last]), inside, int(same.sum()) - inside)


def score_groups(selector: TopologicalFeatureSelector) -> Ints:
    """Number equal scores alike, ascending.

    -1 outside the network, and for forced or excluded features, whose score is not used.
    """
    groups = np.full(selector.n_features_in_, -1)
    scores = selector.scores_[selector.nodes_]
    groups[selector.nodes_] = np.unique(scores, return_inverse=True)[1]
    groups[selector.forced_] = -1
    groups[selector.ranking_ > selector.n_selectable_] = -1
    return groups


def similarity_of(
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | Floats | None = None,
) -> SimilarityOperator:
    """Give the similarity between the nodes of a fitted selector's graph.

    It is the similarity before any threshold.
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
    return similarity


class WithDiagonal:
    """Blocks of a similarity, with its exact diagonal."""

    def __init__(self, operator: SimilarityOperator) -> None:
        self.operator, self.diagonal = operator, operator.diagonal()

    def block(self, rows: slice, columns: slice) -> Floats:
        """Give the entries of some rows and columns."""
        block = self.operator.block(rows, columns)
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        block[same - rows.start, same - columns.start] = self.diagonal[same]
        return block


def heat_map(similarity: SimilarityOperator, nodes: Ints) -> tuple[Ints, Doubles]:
    """Order nodes so that like ones lie side by side; give them with their similarities.

    Average linkage on 1 − |s|, leaves in the optimal order (Bar-Joseph, Gifford & Jaakkola,
    "Fast optimal leaf ordering for hierarchical clustering", Bioinformatics 17, 2001).
    """
    ascending = np.sort(nodes)
    block = similarity_rows(similarity, ascending)[:, ascending].astype(np.float64)
    place = np.searchsorted(ascending, nodes)
    below = np.tril(block[np.ix_(place, place)], -1)
    values = below + below.T
    np.fill_diagonal(values, similarity.diagonal()[nodes])
    if len(nodes) < 3:
        return nodes, values
    distance = np.clip(1 - np.abs(values), 0, None)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    leaves = leaves_list(tree).astype(np.int64)
    return nodes[leaves], values[np.ix_(leaves, leaves)]


def bars_of(scores: Doubles) -> tuple[list[str], Ints]:
    """Sort scores into at most 28 bars: give the label of each bar, and the bar of each score.

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
    return labels, np.searchsorted(starts, scores, side="right") - 1


def _whole_starts(low: int, high: int) -> Ints:
    """First value of each bar; bars are as narrow as their number allows and never get narrower."""
    growth = 0.0
    while True:
        starts = [low]
        while len(starts) <= _MOST_BARS:
            width = max(1, int(growth * (starts[-1] - low + 1)))
            if starts[-1] + width > high:
                return np.array(starts)
            starts.append(starts[-1] + width)
        growth += 0.02


def filtered_graph(selector: TopologicalFeatureSelector) -> FilteredGraph | None:
    """Give the graph that a selector ranked by; None for lists of links, or for none."""
    graph: FilteredGraph | None = getattr(selector, "graph_", None)
    return None if isinstance(graph, LinkGraph) else graph


def drawing_of(
    graph: FilteredGraph, ranked: Ints, n_selected: int, *, most: int = _MOST_NODES
) -> tuple[Ints, Doubles]:
    """Choose the nodes to draw, ascending, and lay them out.

    All of them, or the selected ones and those most strongly joined to them.
    """
    from topofs.layout import layout

    if graph.n_nodes <= most:
        return np.arange(graph.n_nodes), layout(graph)
    selected = ranked[: min(n_selected, most)]
    is_selected = np.isin(graph.edges, selected)
    crossing = is_selected[:, 0] != is_selected[:, 1]
    # Of each crossing edge the end that is not selected, the strongest first.
    outer, weights = graph.edges[crossing][~is_selected[crossing]], graph.weights[crossing]
    strongest_first = outer[np.lexsort((outer, -weights))]
    _, at = np.unique(strongest_first, return_index=True)
    neighbours = strongest_first[np.sort(at)][: most - len(selected)]
    drawn = np.sort(np.concatenate([selected, neighbours]))
    inside = np.isin(graph.edges, drawn).all(axis=1)
    ends = np.searchsorted(drawn, graph.edges[inside])
    return drawn, layout(FilteredGraph(len(drawn), ends, graph.weights[inside]))


def _random_coverage(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator | None
) -> RandomCoverage:
    """Draw random lists at a handful of sizes, and at that of the selection."""
    n = len(selector.nodes_)
    here = max(1, int(selector.support_[selector.nodes_].sum()))
    grid = np.rint(np.geomspace(1, n, _N_SIZES)).astype(np.int64)
    sizes = np.unique(np.append(grid, here))
    if not selector.has_groups and similarity is not None:
        covered = _random_over_all(similarity, sizes)
        low, high = np.quantile(covered, [0.025, 0.975], axis=0)
        return RandomCoverage(sizes, covered.mean(axis=0), low, high)
    found = [
        selector.random_lists(size, n_lists=_N_LISTS_THERE if size == here else _N_LISTS)
        for size in sizes.tolist()
    ]
    mean, low, high = np.array([(one.mean, one.low, one.high) for one in found]).T
    return RandomCoverage(sizes, mean, low, high)


def _random_over_all(similarity: SimilarityOperator, sizes: Ints) -> Doubles:
    """The mean best similarity to the first of random orders: one row an order."""
    n, blocks = similarity.n_features, WithDiagonal(similarity)
    n_lists = int(np.clip(_PAIRS / n**2, _FEWEST_LISTS, _N_LISTS))
    generator = np.random.default_rng(0)
    orders = [generator.permutation(n) for _ in range(n_lists)]
    totals = np.zeros((n_lists, n))
    step = int(np.clip(_ENTRIES // n, 32, _ROWS))
    for start in range(0, n, step):
        block = blocks.block(slice(start, min(start + step, n)), slice(0, n))
        for number, order in enumerate(orders):
            best = np.maximum.accumulate(block[:, order], axis=1)
            totals[number] += best.sum(axis=0, dtype=np.float64)
    return totals[:, sizes - 1] / n
