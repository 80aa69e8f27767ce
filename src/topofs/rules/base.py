"""`Rule`, the base of the rules; its result `Ranking`; and coverage models.

A rule ranks the nodes of a network, which are the columns that take part. A rule with groups
also gives a `CoverageModel`: the selected node that represents each node, and the share of
variance that it explains. `RunningGroups` gives both for every size. `tie_breaking_ranks`
decides between nodes of equal score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import units
from topofs.graphs.filtered_graph import LinkGraph
from topofs.network import Needs
from topofs.terms import Term

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.constraints import Constraints
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.network import Network, NodeRelevance
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Doubles, Floats, Ints

# The parameter `ties`: equal scores are ordered by `tie_breaking_ranks`, or by position.
STRENGTH, INDEX = "strength", "index"

# Rows of shares in memory at a time.
_ROWS = 256


@dataclass(frozen=True, repr=False)
class Rule(Term):
    """A rule that ranks columns: base of the rules.

    A subclass defines `rank`, `needs`, `words` and these attributes.

    Attributes
    ----------
    has_end : bool
        Whether it determines the number of columns: the size "auto".
    has_groups : bool
        Whether its rankings have a coverage model: selected columns represent others.
    default_graph : str, Graph or None
        The graph that it ranks by unless the user names one; None if it ranks without a graph.
    takes_relevance : bool
        Whether it ranks columns by their relevance, where the user gives one.
    explains_together : bool
        Whether coverage is the variance that the selected columns explain together. If not, it
        is the variance that the best of them explains alone.
    """

    kind: ClassVar[str] = "rule"
    has_end: ClassVar[bool] = False
    has_groups: ClassVar[bool] = False
    takes_relevance: ClassVar[bool] = False
    explains_together: ClassVar[bool] = False
    default_graph: ClassVar[str | Term | None] = "tmfg"

    @property
    def needs(self) -> Needs:
        """What it needs of the network."""
        return Needs()

    @property
    def words(self) -> ScoreWords:
        """The names of its scores."""
        return ScoreWords(self.name.capitalize(), self.name, self.name)

    @property
    def sentence(self) -> str:
        """A sentence that describes the ranking."""
        return f"Columns were ranked by {self.words.ranked_by}."

    @property
    def ties_words(self) -> str:
        """The criterion that decides between equal scores, in words."""
        return "the order of the table"

    @property
    def end_words(self) -> str:
        """The condition at the automatic end, after "where"; empty if unknown."""
        return ""

    @property
    def keeps_isolated(self) -> bool:
        """Whether the automatic size selects isolated columns."""
        return False

    def keeping_isolated(self) -> Rule | None:
        """Give the same rule with an automatic size that selects isolated columns.

        Returns
        -------
        Rule or None
            None if it does so already, or has no such parameter.
        """
        return None

    def threshold_for(self, measure: Measure) -> str | None:  # noqa: ARG002
        """Give the default threshold: which similarities are set to 0.

        Parameters
        ----------
        measure : Measure
            The measure of the similarities.

        Returns
        -------
        {"mean", "links"} or None
            Those below the mean of all, those below the mean off the diagonal, or none.
        """
        return None

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Rank the nodes.

        Parameters
        ----------
        network : Network
            The network, with at least what the rule needs.
        constraints : Constraints
            Chosen nodes, which come first, and nodes that may not be selected together. A rule
            whose order does not depend on earlier selected nodes uses
            ``constraints.applied(order)``.

        Returns
        -------
        Ranking
        """
        raise NotImplementedError

    def rerank(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Rank rerank under other constraints, without the network.

        Parameters
        ----------
        ranking : Ranking
            What `rank` gave.
        constraints : Constraints
            The new constraints.

        Returns
        -------
        Ranking
        """
        order, n_selectable = constraints.applied(ranking.order)
        return replace(ranking, order=order, selectable=n_selectable)

    def exchange(
        self,
        ranking: Ranking,
        constraints: Constraints,  # noqa: ARG002
        selected: Ints,  # noqa: ARG002
        worth: int | None,  # noqa: ARG002
    ) -> Ranking:
        """Improve the selected nodes, if the rule can.

        Parameters
        ----------
        ranking : Ranking
            What `rank` gave.
        constraints : Constraints
            As for `rank`.
        selected : array of int
            The selected nodes.
        worth : int or None
            The least gain of one more node, in nodes; None if the number of nodes is fixed.

        Returns
        -------
        Ranking
            The improved nodes come first, and `end` is their number; by default the given
            ranking.
        """
        return ranking


@dataclass(frozen=True)
class ScoreWords:
    """Names of a score, for messages and charts.

    Attributes
    ----------
    name : str
        The name alone, as in the header of a table.
    ranked_by : str
        After "ranked by".
    short : str
        In a line of text, before its value.
    unit : str
        After the number one; empty where it has none.
    axis : str
        Under a chart.
    """

    name: str
    ranked_by: str
    short: str
    unit: str = ""
    axis: str = "score"


@dataclass(frozen=True, eq=False)
class Ranking:
    """An order of the nodes, with their scores.

    Attributes
    ----------
    order : array of int, shape (n_nodes,)
        All nodes, best first; forced nodes come before all others.
    scores : array of float, shape (n_nodes,)
        The gain of each node at its turn, or its score.
    end : int or None
        Number of nodes that the rule selects at size "auto"; None if it has no end.
    coverage_model : CoverageModel or None
        The coverage model: which nodes represent others; None if the rule has no groups.
    isolated : array of bool, shape (n_nodes,), or None
        Nodes that represent no other node and that no other node represents; None if unknown.
    selectable : int or None
        Number of nodes of the order that the constraints allow together; None: all.
    covered : array of float, shape (n_nodes,), or None
        The share of all nodes that the first 1, 2, … represent. None if the scores are the
        gains of this share.
    tie_rank : array of int, shape (n_nodes,), or None
        Ranks for ties: among nodes of equal score, the one of the lowest rank comes first.
        None: the lowest node.
    exact : int or None
        Number of nodes of the order that were ranked by complete rows. Later nodes were ranked
        by their strongest links only. None: all.
    relevance : NodeRelevance or None
        The relevance of the nodes that the order depends on, if any.
    """

    order: Ints
    scores: Doubles
    end: int | None = None
    coverage_model: CoverageModel | None = None
    isolated: Bools | None = None
    selectable: int | None = None
    covered: Doubles | None = None
    tie_rank: Ints | None = None
    exact: int | None = None
    relevance: NodeRelevance | None = None

    def __post_init__(self) -> None:
        """Refuse a model that cannot answer what a selector asks."""
        model = self.coverage_model
        if model is not None and not isinstance(model, CoverageModel):
            raise TypeError(
                f"coverage_model is a {type(model).__name__}: derive it from "
                "topofs.rules.CoverageModel, or give None for a rule without groups"
            )

    @property
    def n_selectable(self) -> int:
        """Number of nodes of the order that can be selected together."""
        return len(self.order) if self.selectable is None else self.selectable

    @property
    def curve(self) -> Doubles:
        """Share of all nodes that the first 1, 2, … represent, if the rule has groups."""
        if self.covered is not None:
            return self.covered
        gains = self.scores[self.order]
        return np.asarray(np.cumsum(gains) / max(1, len(gains)))


def tie_breaking_ranks(network: Network) -> Ints:
    """Rank nodes by falling strength, equal ones by the values of their columns.

    Among nodes of equal score a rule takes the one of the lowest rank. Strength is the sum over
    all similarities of the column if the graph has it, otherwise over the links of the graph.
    Without a graph it is the sum over the pairs of the network.
    """
    graph, pairs = network.graph, network.pairs
    strength: Any
    if graph is None:
        # Sum whole numbers, so that the order of the columns changes no sum.
        exact = sparse.csr_array((units(pairs.data), pairs.indices, pairs.indptr), pairs.shape)
        strength = exact.sum(axis=1)
    else:
        strength = graph.sums if isinstance(graph, LinkGraph) else graph.strength()
    values = np.arange(len(strength)) if network.value_rank is None else network.value_rank
    rank = np.empty(len(strength), np.int64)
    rank[np.lexsort((values, -strength))] = np.arange(len(strength))
    return rank


def relevant_first(relevance: NodeRelevance, tie_rank: Ints | None) -> Ints:
    """Rank nodes by falling relevance, equal ones by other ranks."""
    weight = relevance.weights.selected * relevance.weights.represented
    rank = np.empty(len(weight), np.int64)
    rank[np.lexsort((np.arange(len(weight)) if tie_rank is None else tie_rank, -weight))] = (
        np.arange(len(weight))
    )
    return rank


def in_order_of_values(score: Callable[[FilteredGraph], Doubles], network: Network) -> Doubles:
    """Compute a score with sums in an order that depends on the values of the columns only.

    The score of a column has the same bits at every position in the table.
    """
    graph = network.graph
    assert graph is not None
    if network.value_rank is None:
        return score(graph)
    return score(graph.renumbered(network.value_rank))[network.value_rank]


class CoverageModel:
    """Which nodes a node represents, with shares of their variance: base of the models.

    A model defines `representatives` and `running`. The other methods follow from the first. A
    model overrides them if it has a faster method, or if selected nodes explain more together
    than the best of them alone.
    """

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and its share, in [0, 1].

        A selected node represents itself, with share 1; -1 if no node represents it.
        """
        raise NotImplementedError

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:
        """Find the representative of each node while nodes are selected in an order.

        Complete rows are used for the first `n_exact` nodes.
        """
        raise NotImplementedError

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002
        """List the nodes between a node and its representative, from the node on; none here."""
        return np.empty(0, dtype=np.int64)

    def representative_of(self, node: int, among: Ints) -> tuple[int, float]:
        """Which of some nodes explains most of another node, and its share; -1: none."""
        representative, share = self.representatives(among)
        return int(representative[node]), float(share[node])

    def explained(self, selected: Ints) -> Doubles:
        """Share of each node that the selected nodes explain together, or the best of them."""
        return self.representatives(selected)[1]

    def coverage(self, selected: Ints) -> float:
        """Mean of `explained` over all nodes."""
        return float(self.explained(selected).mean())

    def coverages(
        self,
        lists: list[Ints],
        *,
        weights: Doubles | None = None,
        sampled_by: np.random.RandomState | None = None,  # noqa: ARG002
    ) -> Doubles:
        """`coverage` of each of some lists of nodes, with `weights` a weighted mean.

        With `sampled_by` a model may give the coverage of a random sample of nodes.
        """
        explained = [self.explained(nodes) for nodes in lists]
        return np.array([np.average(shares, weights=weights) for shares in explained])

    def retained(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Sum the explained variance of the nodes `of` after adding each candidate.

        The share of a node counts up to its share `before`; the result is the sum over `of`.
        """
        n = len(self.explained(of))
        beside = (np.union1d(selected, [node]) for node in range(n))
        return np.array([np.minimum(self.explained(all_)[of], before).sum() for all_ in beside])

    def neighbors(self, of: Ints) -> Bools:
        """Which nodes share more than chance with one of the given nodes, or are among them."""
        return np.asarray(self.representatives(of)[1] > 0)


def assign_self(representative: Ints, share: Doubles, selected: Ints) -> tuple[Ints, Doubles]:
    """Let every selected node represent itself, even if another one is its copy."""
    representative[selected] = selected
    share[selected] = 1.0
    return representative, share


@dataclass(frozen=True, eq=False)
class RunningGroups:
    """The representative of each node for every size.

    ``curve[k]`` is the share of the nodes that the first k represent. The changes of node i are
    the entries ``starts[i] … starts[i + 1] - 1`` of three arrays. `positions`: the position in
    the order at which a better representative is found (never the node itself, which represents
    itself from its own turn on). `values`: the share of the node's variance that it explains.
    `through`: the next node on the path to it, which has the same representative (−1: none
    between). `n_links` counts edges with shared variance; None if the rule uses no graph.
    """

    curve: Doubles
    starts: Ints
    positions: Ints
    values: Doubles
    through: Ints
    n_links: int | None

    @classmethod
    def from_changes(
        cls,
        curve: Doubles,
        changes: tuple[Ints, Ints, Doubles],
        *,
        through: Ints | None = None,
        n_links: int | None = None,
    ) -> RunningGroups:
        """Sort changes by node: the node, the position and the value of each, in order."""
        nodes, positions, values = changes
        by_node = np.argsort(nodes, kind="stable")
        n_changes = np.bincount(nodes, minlength=len(curve) - 1)
        return cls(
            curve=curve,
            starts=np.concatenate([[0], np.cumsum(n_changes)]),
            positions=positions[by_node],
            values=values[by_node],
            through=np.full(len(nodes), -1) if through is None else through[by_node],
            n_links=n_links,
        )


class _Shares(Protocol):
    def block(self, rows: slice, columns: slice) -> Floats: ...


def running_over_all(shares: _Shares, order: Ints, *, least: float = 0.0) -> RunningGroups:
    """Find the representative of each node for every size, by shares of all pairs.

    The curve at k is the mean of the largest share of each node among the first k.
    A representative must have a share above `least`; with -inf the nearest node counts, however
    small its share. Entry (i, j) is the share of column j that row i explains. Equal shares go
    to the lowest node. O(n²) time; one block of rows in memory.
    """
    from topofs._kernels.path_search import add_cumulative_max, cumulative_max

    n = len(order)
    total = np.zeros(n)
    parts = []
    for start in range(0, n, _ROWS):
        rows = slice(start, min(start + _ROWS, n))
        block = shares.block(rows, slice(0, n))
        add_cumulative_max(block, order, total)
        counts, positions, values = cumulative_max(block, order, start)
        nodes = np.repeat(np.arange(rows.start, rows.stop), counts)
        some = values > least
        parts.append((nodes[some], positions[some], values[some]))
    nodes, positions, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    curve = np.concatenate([[0.0], total / n])
    return RunningGroups.from_changes(curve, (nodes, positions, values))
