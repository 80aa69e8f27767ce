"""Coverage: select columns that represent the others, up to an automatic end.

Top down: the rule `Coverage`; its two coverage models, `MatrixCoverage` (shares from a matrix)
and `PathCoverage` (shares along the paths of a graph); and `redundancy_ranking`, the set cover
behind `MinShare`. The search is in `topofs.rules.greedy`.
`topofs.rules.base.tie_breaking_ranks` decides between equal gains.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import UNIT, units
from topofs.graphs.filtered_graph import LinkGraph
from topofs.network import Needs
from topofs.rules.base import (
    INDEX,
    STRENGTH,
    CoverageModel,
    Ranking,
    Rule,
    RunningGroups,
    ScoreWords,
    assign_self,
    running_over_all,
    tie_breaking_ranks,
)
from topofs.rules.exchanges import exchanges
from topofs.rules.greedy import DROP, KEEP, LAST, greedy_ranking
from topofs.runtime import slices
from topofs.similarity.base import MatrixOperator
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs._kernels.coverage import PathGraph, ShareMatrix
    from topofs.backends.top_k_neighbors import ShareRows
    from topofs.constraints import Constraints
    from topofs.network import Network, NodeWeights
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Doubles, Ints

AUTO, PATHS, EDGES = "auto", "paths", "edges"

# The least share of variance at the end of a path of several edges.
HALF = 0.5

# Beyond this many entries of complete rows, the coverage of random lists is that of a sample of
# nodes, whose rows are computed together.
_MOST_FULL, _SAMPLE, _ROWS = 1 << 25, 2048, 256


@dataclass(frozen=True, repr=False)
class Coverage(Rule):
    r"""Each next column is the one that adds most to the coverage.

    With :math:`w_{ij}` the share of the variance of j that i explains,

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    facility location: F is submodular, so up to the end the greedy set reaches at least 1 − 1/e
    of the best value for its size. The automatic end is where the next column would add no more
    than its own variance.

    Beyond the end, the next column c is the one for which the gain of F plus half of

    .. math:: \sum_j w_{cj} \prod_{i \in S} (1 - w_{ij}),

    is largest. The product would be the unexplained share of column j if the errors of its
    representatives were independent. So isolated columns and second columns of noisy groups
    come next, and near-copies of selected columns last.

    Parameters
    ----------
    reach : {"auto", "edges", "paths"}, default="auto"
        Which columns a column represents. "edges": its neighbours in the graph. "paths":
        columns along its paths; shares multiply along a path, and a path of several edges
        counts if at least half of the variance is left at its end. "auto": edges with `Links`,
        paths with the other graphs.
    isolated : {"drop", "keep", "last"}, default="drop"
        How to rank isolated columns, which share no more than chance with any other. "drop":
        the size "auto" leaves them out, and beyond the end they compete with the others.
        "keep": the size "auto" selects them. "last": they rank after all others, for tables of
        known noise.
    refine : bool, default=False
        Whether to exchange selected columns while the coverage rises. At a given size, columns
        are swapped. At "auto" they are also added and dropped, while the coverage in columns
        minus their number rises. All constraints hold. The selected columns come first in the
        ranking; the rest is greedy.
    ties : {"strength", "index"}, default="strength"
        How to order columns of equal gain. "strength": by strength, over all similarities with
        `Links` and over the graph otherwise, then by the values of the columns, exact copies by
        position. "index": by position.

    References
    ----------
    .. [1] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher (1978). An analysis of
       approximations for maximizing submodular set functions. Mathematical Programming 14,
       265-294.
    .. [2] M. Minoux (1978). Accelerated greedy algorithms for maximizing submodular set
       functions. Optimization Techniques, 234-243.

    Examples
    --------
    >>> from topofs import Coverage
    >>> Coverage(reach="edges")
    Coverage(reach='edges')
    """

    reach: str = parameter(
        AUTO, help="Columns represent along: auto, edges, paths.", choices=(AUTO, EDGES, PATHS)
    )
    isolated: str = parameter(
        DROP,
        help="Isolated columns (like no other): drop, keep, last.",
        choices=(DROP, KEEP, LAST),
    )
    ties: str = parameter(
        STRENGTH, help="Order equal scores by: strength, index.", choices=(STRENGTH, INDEX)
    )
    refine: bool = parameter(
        default=False, help="Exchange columns while the coverage rises.", choices=(True, False)
    )

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    takes_relevance: ClassVar[bool] = True
    default_graph: ClassVar[str | None] = "links"

    @property
    def needs(self) -> Needs:
        """A graph and a scale."""
        return Needs(scale=True, by_values=self.ties == STRENGTH)

    @property
    def words(self) -> ScoreWords:
        """The names of its scores."""
        return ScoreWords(
            "Adds",
            "what each adds to the coverage",
            "coverage gain",
            axis="columns, best first",
        )

    @property
    def sentence(self) -> str:
        """A sentence that describes the ranking."""
        return (
            "The column that explains most in total is selected first; then, each time, the one "
            "that raises the total most."
        )

    @property
    def ties_words(self) -> str:
        """The criterion that decides between equal gains, in words."""
        return "the strength of the links" if self.ties == STRENGTH else super().ties_words

    @property
    def end_words(self) -> str:
        """The condition at the automatic end."""
        return "the next column would add no more than its own variance"

    @property
    def keeps_isolated(self) -> bool:
        """Whether the automatic size selects isolated columns."""
        return self.isolated == KEEP

    def keeping_isolated(self) -> Coverage | None:
        """Give the same rule with isolated columns kept."""
        return None if self.keeps_isolated else self.replace(isolated=KEEP)

    def threshold_for(self, measure: Measure) -> str | None:
        """Drop similarities below the off-diagonal mean if there is no noise floor.

        Otherwise drop nothing.
        """
        return None if measure.knows_chance else "links"

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Order the nodes greedily, forced nodes first."""
        reach = network.reach if self.reach == AUTO else self.reach
        model = coverage_model_of(network, paths=reach == PATHS)
        tie_rank = tie_breaking_ranks(network) if self.ties == STRENGTH else None
        return greedy_ranking(
            model,
            constraints,
            tie_rank=tie_rank,
            isolated=self.isolated,
            relevance=network.relevance,
        )

    def rerank(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Order the nodes greedily under other constraints."""
        model: Any = ranking.coverage_model
        return greedy_ranking(
            model,
            constraints,
            tie_rank=ranking.tie_rank,
            isolated=self.isolated,
            relevance=ranking.relevance,
        )

    def exchange(
        self, ranking: Ranking, constraints: Constraints, selected: Any, worth: int | None
    ) -> Ranking:
        """With `refine`, exchange selected nodes while the coverage rises.

        The improved set comes first, in its greedy order, then the other nodes in theirs.
        """
        if not self.refine:
            return ranking
        assert ranking.isolated is not None
        model: Any = ranking.coverage_model
        matrix: MatrixCoverage = model.as_matrix()
        stay_out = np.flatnonzero(ranking.isolated & (self.isolated == LAST))
        within = replace(constraints, excluded=np.union1d(constraints.excluded, stay_out))
        weights, price = None, None if worth is None else float(worth)
        if ranking.relevance is not None:
            of_size = price is None or price == 0
            weights = ranking.relevance.weights if of_size else ranking.relevance.at_end
            price = price if of_size else ranking.relevance.least
        for found in exchanges(
            matrix, within, selected, worth=price, weights=weights, tie_rank=ranking.tie_rank
        ):
            selected = found
        order, n_selectable = constraints.with_forced(selected).applied(ranking.order)
        exact = None if ranking.exact is None else max(ranking.exact, len(selected))
        scores = np.zeros(constraints.n_nodes)
        scores[order[:n_selectable]] = matrix.gains_along(order, exact)[:n_selectable]
        return replace(
            ranking,
            order=order,
            scores=scores,
            end=len(selected),
            selectable=n_selectable,
            exact=exact,
        )


register(Coverage())


def coverage_model_of(network: Network, *, paths: bool) -> PathCoverage | MatrixCoverage:
    """Give the coverage model of the graph of a network: along its paths or its edges."""
    graph, scale = network.graph, network.scale
    assert graph is not None
    if isinstance(graph, LinkGraph):
        if not paths:
            return MatrixCoverage(graph.shares, graph.full_rows, graph)
        rows = graph.to_scipy()
    else:
        assert scale is not None
        left, right = graph.edges.T
        weights = scale.weights(graph.weights, left, right)
        above = weights > 0
        ends, shape = (left[above], right[above]), (graph.n_nodes, graph.n_nodes)
        one_way = sparse.csr_array((weights[above], ends), shape=shape)
        rows = one_way + one_way.T
        if not paths:
            rows = sparse.csr_array(rows + sparse.eye_array(graph.n_nodes))
            rows.sort_indices()
            return MatrixCoverage(rows)
        rows.sort_indices()
    return PathCoverage(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)


class _SharesOfPairs(CoverageModel):
    """A model with one share per pair of nodes, whichever of the two is selected."""

    def entries(self, node: int) -> tuple[Any, Doubles]:
        """The nodes that a node has a share of, as an index, and these shares."""
        raise NotImplementedError

    def retained(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """The explained variance of some nodes after adding each candidate."""
        share = self.representatives(selected)[1]
        least, most = units(share[of]), units(before)
        total = np.full(len(share), least.sum())
        for node, low, high in zip(of.tolist(), least, most, strict=True):
            index, shares = self.entries(node)
            total[index] += np.clip(units(shares), low, high) - low
        return np.asarray(total / UNIT)


@dataclass(frozen=True, eq=False)
class MatrixCoverage(_SharesOfPairs):
    """Shares from a matrix, dense or sparse, with ones on the diagonal.

    Attributes
    ----------
    matrix : array or scipy.sparse.csr_array, shape (n, n)
        Shares in [0, 1]; entry (i, j) is the share of j's variance that i explains.
    full_rows : ShareRows or None
        full rows of nodes of which a sparse matrix holds only the strongest links. When
        such a node is selected, its full row counts.
    graph : LinkGraph or None
        The graph of both, so that a pickle stores them once.
    """

    matrix: Any
    full_rows: ShareRows | None = None
    graph: LinkGraph | None = None

    by_matrix: ClassVar[bool] = True

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ if self.graph is None else {"graph": self.graph}

    def __setstate__(self, state: dict[str, Any]) -> None:
        graph = state["graph"]
        if graph is not None:
            state = {"matrix": graph.shares, "full_rows": graph.full_rows, "graph": graph}
        for name, value in state.items():
            object.__setattr__(self, name, value)

    @property
    def kernel(self) -> ShareMatrix:
        """What kernels take."""
        from topofs._kernels.coverage import ShareMatrix

        n = self.matrix.shape[0]
        if sparse.issparse(self.matrix):
            starts, shares = self.matrix.indptr.astype(np.int64), self.matrix.data
            return ShareMatrix(starts, self.matrix.indices.astype(np.int32), shares, shares)
        starts = np.arange(0, n * n + 1, max(n, 1), dtype=np.int64)[: n + 1]
        shares = np.ascontiguousarray(self.matrix).ravel()
        return ShareMatrix(starts, np.empty(0, np.int32), shares, shares)

    def weighted_kernel(self, weights: NodeWeights) -> ShareMatrix:
        """What kernels take, with weights of the shares."""
        weighted = weights.applied(self.matrix)
        weighted = weighted.data if sparse.issparse(weighted) else weighted.ravel()
        return self.kernel._replace(weights=weighted)

    def as_matrix(self) -> MatrixCoverage:
        """Itself."""
        return self

    @property
    def truncated(self) -> Bools:
        """Nodes of which the matrix does not hold the full row."""
        if self.full_rows is None:
            return np.zeros(self.matrix.shape[0], dtype=np.bool_)
        return self.full_rows.truncated

    def isolated(self) -> Bools:
        """Nodes that have a share only of themselves."""
        positive = (self.matrix > 0).sum(axis=1)
        return np.asarray(positive).ravel() <= 1

    def entries(self, node: int, *, full: bool = True) -> tuple[Any, Doubles]:
        """The nodes that a node has a share of, as an index, and these shares.

        For a node in `truncated` it is the full row, or without `full` the row of the matrix.
        """
        if not sparse.issparse(self.matrix):
            return slice(None), self.matrix[node]
        listed = slice(self.matrix.indptr[node], self.matrix.indptr[node + 1])
        nodes, shares = self.matrix.indices[listed], self.matrix.data[listed]
        if not full or self.full_rows is None or not self.full_rows.truncated[node]:
            return nodes, shares
        row = self.full_rows.row(node)
        # Make both directions of a link equal.
        row[nodes] = shares
        return slice(None), row

    def rows(self, nodes: Ints, full: Ints | None = None) -> Any:
        """The rows of some nodes: complete rows of all of them, or of those in `full` only."""
        rows, truncated = self.matrix[nodes], np.flatnonzero(self.truncated[nodes])
        if full is not None:
            truncated = truncated[np.isin(nodes[truncated], full)]
        if not len(truncated):
            return rows
        complete = [sparse.csr_array(self.entries(node)[1][None]) for node in nodes[truncated]]
        others = np.setdiff1d(np.arange(len(nodes)), truncated)
        position = np.argsort(np.concatenate([others, truncated]))
        return sparse.vstack([rows[others], *complete], format="csr")[position]

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        n, selected = self.matrix.shape[0], np.sort(selected)
        representative, share = np.full(n, -1, dtype=np.int64), np.zeros(n)
        if not len(selected):
            return representative, share
        if sparse.issparse(self.matrix):
            # The largest share of each node; among equal ones that of the lowest node.
            found = self.rows(selected).tocoo()
            order = np.lexsort((found.row, -found.data, found.col))
            first = order[np.diff(found.col[order], prepend=-1) > 0]
            first = first[found.data[first] > 0]
            representative[found.col[first]] = selected[found.row[first]]
            share[found.col[first]] = found.data[first]
        else:
            rows = self.matrix[selected]
            best = np.argmax(rows, axis=0)
            share = np.take_along_axis(rows, best[None, :], axis=0)[0].astype(np.float64)
            representative = np.where(share > 0, selected[best], -1)
        return assign_self(representative, share, selected)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:
        """Find the representative of each node while nodes are selected in an order.

        Complete rows are used for the first `n_exact` nodes. Equal shares go to the lowest
        node.
        """
        if not sparse.issparse(self.matrix):
            return running_over_all(MatrixOperator(self.matrix), order)
        n, n_entries = len(order), 0
        share, by = np.zeros(n), np.full(n, -1)
        gained, changes = np.zeros(n, np.int64), []
        for at, node in enumerate(order.tolist()):
            index, shares = self.entries(node, full=n_exact is None or at < n_exact)
            n_entries += int(np.count_nonzero(shares))
            before = share[index]
            better = (shares > before) | ((shares == before) & (node < by[index]))
            nodes, shares = np.arange(n)[index][better], shares[better]
            gained[at] = (units(shares) - units(before[better])).sum()
            share[nodes], by[nodes] = shares, node
            others = nodes != node
            changes.append((nodes[others], np.full(others.sum(), at), shares[others]))
        nodes, positions, values = (np.concatenate(part) for part in zip(*changes, strict=True))
        return RunningGroups.from_changes(
            np.concatenate([[0.0], np.cumsum(gained) / UNIT / max(1, n)]),
            (nodes, positions, values),
            n_links=(n_entries - n) // 2,
        )

    def gains_along(self, order: Ints, n_exact: int | None = None) -> Doubles:
        """The gain of each node of an order, with complete rows for the first `n_exact`."""
        covered, gains = np.zeros(len(order), np.int64), np.empty(len(order))
        for at, node in enumerate(order.tolist()):
            index, shares = self.entries(node, full=n_exact is None or at < n_exact)
            gain = np.maximum(units(shares) - covered[index], 0)
            covered[index] += gain
            gains[at] = gain.sum() / UNIT
        return gains

    def coverage(self, selected: Ints) -> float:
        """The mean of the shares that `representatives` gives."""
        return float(self.coverages([selected])[0])

    def coverages(
        self,
        lists: list[Ints],
        *,
        weights: Doubles | None = None,
        sampled_by: np.random.RandomState | None = None,
    ) -> Doubles:
        """The `coverage` of each of some lists of nodes; every row is computed once.

        With `sampled_by` it is that of a random sample of nodes, if complete rows of all nodes
        would take long.
        """
        n = self.matrix.shape[0]
        if sampled_by is not None and n > _SAMPLE and self.truncated.sum() * n > _MOST_FULL:
            sample = np.sort(sampled_by.permutation(n)[:_SAMPLE])
            return self._sampled_coverages(lists, sample, weights)
        best = np.zeros((len(lists), n))
        lists_with: dict[int, list[int]] = {}
        for number, nodes in enumerate(lists):
            best[number, nodes] = 1.0
            for node in nodes.tolist():
                lists_with.setdefault(node, []).append(number)
        for node in sorted(lists_with):
            index, shares = self.entries(node)
            for number in lists_with[node]:
                best[number, index] = np.maximum(best[number, index], shares)
        return np.asarray(np.average(best, axis=1, weights=weights))

    def _sampled_coverages(
        self, lists: list[Ints], sample: Ints, weights: Doubles | None
    ) -> Doubles:
        """The mean share of the nodes of a sample that each list explains."""
        weights = np.ones(len(self.truncated)) if weights is None else weights
        total, truncated = np.zeros(len(lists)), self.truncated
        for some in slices(len(sample), _ROWS):
            nodes = sample[some]
            rows, cut = self.matrix[nodes].toarray(), truncated[nodes]
            if self.full_rows is not None and cut.any():
                complete = self.full_rows.rows(nodes[cut])
                rows[cut] = np.where(rows[cut] > 0, rows[cut], complete)
            for number, chosen in enumerate(lists):
                total[number] += weights[nodes] @ rows[:, chosen].max(axis=1, initial=0.0)
        return total / max(float(weights[sample].sum()), np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class PathCoverage(_SharesOfPairs):
    """Along paths of a graph: a node represents another by the best product of weights.

    If the graph were a tree and the columns normal, this product would be their shared
    variance. A path of one edge counts if its weight is above the noise floor. A longer path
    counts only if at least `least` of the variance is left at its end. The arrays are CSR rows
    of both directions of each edge above the floor.
    """

    starts: Ints
    columns: Ints
    weights: Doubles
    least: float = HALF

    by_matrix: ClassVar[bool] = False

    @property
    def kernel(self) -> PathGraph:
        """What kernels take."""
        from topofs._kernels.coverage import PathGraph

        return PathGraph(self.starts, self.columns, self.weights, self.least)

    @property
    def truncated(self) -> Bools:
        """Nodes whose complete row is unknown: none."""
        return np.zeros(len(self.starts) - 1, dtype=np.bool_)

    def isolated(self) -> Bools:
        """Nodes that have no edge above the floor."""
        return np.asarray(np.diff(self.starts) == 0)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        from topofs._kernels.path_search import nearest_nodes

        return assign_self(*nearest_nodes(*self.kernel, np.sort(selected)), selected)

    def path(self, representative: int, node: int) -> Ints:
        """List the nodes between the two on the best path, from the node on."""
        from topofs._kernels.path_search import best_path

        return best_path(*self.kernel, representative, node)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:  # noqa: ARG002
        """Find the representative of each node while nodes are selected in an order."""
        from topofs._kernels.path_search import running_nodes

        nodes, positions, values, before, total = running_nodes(*self.kernel, order)
        return RunningGroups.from_changes(
            np.concatenate([[0.0], total / max(1, len(order))]),
            (nodes, positions, values),
            through=np.where(before == order[positions], -1, before),
            n_links=len(self.columns) // 2,
        )

    def entries(self, node: int) -> tuple[Any, Doubles]:
        """The nodes that a node has a share of, as an index, and these shares."""
        return slice(None), self.representatives(np.array([node]))[1]

    def as_matrix(self) -> MatrixCoverage:
        """The same shares as a sparse matrix."""
        n = len(self.starts) - 1
        rows = [
            sparse.csr_array(self.representatives(np.array([v]))[1][None]) for v in range(n)
        ]
        return MatrixCoverage(sparse.vstack(rows, format="csr"))


def redundancy_ranking(
    shares: sparse.csr_array, constraints: Constraints, tie_rank: Ints | None = None
) -> Ranking:
    """Order nodes so that the first ones explain all others to a given share.

    `shares` are those of the pairs that reach the share, without a diagonal. Greedy set cover:
    each next node explains most of the nodes that no earlier node explains; among equal ones
    the lowest `tie_rank` comes first. Then, from the last node on, each node is removed that
    another node explains and that no other node needs, so that no further node of the set can
    be left out. All forced nodes are in the set and first in the order, even if they explain
    nothing new. The ranking ends after the set. The score of a node is the number of nodes that
    it is the first to explain.
    """
    n, forced = constraints.n_nodes, constraints.forced
    with_own = sparse.csr_array(shares + sparse.eye_array(n, format="csr"))
    with_own.sort_indices()
    explains = with_own.copy()
    explains.data[:] = 1.0
    ranking = greedy_ranking(
        MatrixCoverage(explains),
        constraints,
        tie_rank=tie_rank,
        isolated=KEEP,
        support_quarters=0,
    )
    selectable = ranking.order[: ranking.n_selectable]
    selected = selectable[(ranking.scores[selectable] > 0) | np.isin(selectable, forced)]
    rows = [explains.indices[slice(*explains.indptr[v : v + 2])] for v in selected]
    n_explaining = np.zeros(n, dtype=np.int64)
    for row in rows:
        n_explaining[row] += 1
    needed = np.ones(len(selected), dtype=np.bool_)
    for at in range(len(selected) - 1, -1, -1):
        if selected[at] not in forced and (n_explaining[rows[at]] > 1).all():
            n_explaining[rows[at]] -= 1
            needed[at] = False
    selected = selected[needed]
    others = np.setdiff1d(np.arange(n), selected)
    others = others if tie_rank is None else others[np.argsort(tie_rank[others])]
    allowed = constraints.allowed[others]
    order = np.concatenate([selected, others[allowed], others[~allowed]])
    scores = np.empty(n)
    scores[order] = MatrixCoverage(explains).gains_along(order)
    model = MatrixCoverage(with_own)
    return Ranking(
        order,
        scores,
        end=len(selected),
        coverage_model=model,
        isolated=ranking.isolated,
        selectable=n - int((~allowed).sum()),
        covered=model.running(order).curve[1:],
        tie_rank=tie_rank,
    )
