"""What every rule is made of: `Rule`, its result `Ranking`, and coverage models.

A rule ranks the nodes of a network, which are the columns that take part. A rule with groups
also gives a `CoverageModel`: which selected node represents each node, and with what share of
its variance. `RunningGroups` says so for every size at once. `tie_breaking_ranks` decides
between nodes of equal score.
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
    from topofs.network import Network
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Doubles, Floats, Ints

# What decides between equal scores: `tie_breaking_ranks`, or the position in the table.
STRENGTH, INDEX = "strength", "index"

# Rows of shares held at a time.
_ROWS = 256


@dataclass(frozen=True, repr=False)
class Rule(Term):
    """How columns are ranked: base of the rules.

    A subclass gives `rank` and says what it needs and what it has.

    Attributes
    ----------
    has_end : bool
        Whether it finds the number of columns by itself: size "auto".
    has_groups : bool
        Whether its rankings have a coverage model: selected columns represent others.
    default_graph : str, Graph or None
        The graph that it ranks by unless the user names one; None where it ranks without one.
    explains_together : bool
        Whether what selected columns cover is what they explain together, rather than what
        the best of them explains alone.
    """

    kind: ClassVar[str] = "rule"
    has_end: ClassVar[bool] = False
    has_groups: ClassVar[bool] = False
    explains_together: ClassVar[bool] = False
    default_graph: ClassVar[str | Term | None] = "tmfg"

    @property
    def needs(self) -> Needs:
        """What must be there before it can rank."""
        return Needs()

    @property
    def words(self) -> ScoreWords:
        """What its scores are called."""
        return ScoreWords(self.name.capitalize(), self.name, self.name)

    @property
    def sentence(self) -> str:
        """How columns are put in order, as a sentence."""
        return f"Columns were ranked by {self.words.ranked_by}."

    @property
    def ties_words(self) -> str:
        """What decides between equal scores."""
        return "the order of the table"

    @property
    def end_words(self) -> str:
        """What is true where it ends, after "where"; empty where it does not say."""
        return ""

    @property
    def keeps_isolated(self) -> bool:
        """Whether the automatic size selects columns that are like no other."""
        return False

    def keeping_isolated(self) -> Rule | None:
        """Give the same rule with an automatic size that selects isolated columns.

        Returns
        -------
        Rule or None
            None where it does so already, or has no such parameter.
        """
        return None

    def threshold_for(self, measure: Measure) -> str | None:  # noqa: ARG002
        """Say which similarities count as 0 unless the user says.

        Parameters
        ----------
        measure : Measure
            Where they come from.

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
            What the rule needs, and maybe more.
        constraints : Constraints
            Nodes that are selected in any case, which come first, and those that may not be
            selected together. A rule whose order does not depend on what was selected before
            leaves it to ``constraints.applied(order)``.

        Returns
        -------
        Ranking
        """
        raise NotImplementedError

    def rerank(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Rank once more under other constraints, without the network.

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
        """Improve the nodes that were selected, where the rule does so.

        Parameters
        ----------
        ranking : Ranking
            What `rank` gave.
        constraints : Constraints
            As for `rank`.
        selected : array of int
            The nodes that were selected from it.
        worth : int or None
            What one more node must add, in nodes; None where the number of nodes stays.

        Returns
        -------
        Ranking
            The improved nodes come first, and `end` is their number; by default the same.
        """
        return ranking


@dataclass(frozen=True)
class ScoreWords:
    """What a score is called.

    Attributes
    ----------
    name : str
        On its own, as over a column of a table.
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
    """Nodes in order, with what put them there.

    Attributes
    ----------
    order : array of int, shape (n_nodes,)
        All nodes, best first; the forced ones before all others.
    scores : array of float, shape (n_nodes,)
        For each node what it adds at its turn, or its score.
    end : int or None
        How many nodes of the order the rule would select by itself; None where it has no end.
    coverage_model : CoverageModel or None
        The coverage model: which nodes represent others; None where the rule has no groups.
    isolated : array of bool, shape (n_nodes,), or None
        Nodes that represent no other and that no other represents, where the rule can tell.
    selectable : int or None
        How many nodes of the order can be selected together, by the constraints; None: all.
    covered : array of float, shape (n_nodes,), or None
        The share of all nodes that the first 1, 2, … represent, where scores are not what a
        node adds to it.
    tie_rank : array of int, shape (n_nodes,), or None
        The tie-breaking: of nodes of equal score the one of the lowest rank comes first; None:
        the lowest node.
    exact : int or None
        How many nodes of the order were ranked by all that they represent; beyond them, by their
        strongest links only. None: all.
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
        """How many nodes of the order can be selected together."""
        return len(self.order) if self.selectable is None else self.selectable

    @property
    def curve(self) -> Doubles:
        """Share of all nodes that the first 1, 2, … of the order represent, with groups."""
        if self.covered is not None:
            return self.covered
        gains = self.scores[self.order]
        return np.asarray(np.cumsum(gains) / max(1, len(gains)))


def tie_breaking_ranks(network: Network) -> Ints:
    """Rank nodes by falling strength, equal ones by the values of their columns.

    Of nodes of equal score a rule takes the one of the lowest rank. Strength is the sum over
    the whole similarity where the graph has it, else over the links of the graph; without a
    graph, over the pairs of the network.
    """
    graph, pairs = network.graph, network.pairs
    strength: Any
    if graph is None:
        # In whole numbers, whose sums no order of the columns changes.
        exact = sparse.csr_array((units(pairs.data), pairs.indices, pairs.indptr), pairs.shape)
        strength = exact.sum(axis=1)
    else:
        strength = graph.sums if isinstance(graph, LinkGraph) else graph.strength()
    values = np.arange(len(strength)) if network.value_rank is None else network.value_rank
    rank = np.empty(len(strength), np.int64)
    rank[np.lexsort((values, -strength))] = np.arange(len(strength))
    return rank


def in_order_of_values(score: Callable[[FilteredGraph], Doubles], network: Network) -> Doubles:
    """Score nodes so that sums are taken in an order that the values of the columns decide.

    To the last bit the scores are the same for each column, wherever it stands in the table.
    """
    graph = network.graph
    assert graph is not None
    if network.value_rank is None:
        return score(graph)
    return score(graph.renumbered(network.value_rank))[network.value_rank]


class CoverageModel:
    """Which nodes a node represents, with what share of their variance: base of the models.

    A model gives `representatives` and `running`. The other methods follow from the first; a
    model gives its own where it has a shorter way, or where selected nodes explain more together
    than the best of them alone.
    """

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and its share, in [0, 1].

        That is the node itself, with share 1, if it is selected; -1 where none represents it.
        """
        raise NotImplementedError

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:
        """Find the representative of each node while nodes are selected in an order.

        Of the first `n_exact` full rows count.
        """
        raise NotImplementedError

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002
        """List the nodes by way of which a node is represented, from the node on; none here."""
        return np.empty(0, dtype=np.int64)

    def representative_of(self, node: int, among: Ints) -> tuple[int, float]:
        """Which of some nodes explains most of another one, and how much; -1: none does."""
        representative, share = self.representatives(among)
        return int(representative[node]), float(share[node])

    def explained(self, selected: Ints) -> Doubles:
        """Share of each node that the selected nodes explain together, or the best of them."""
        return self.representatives(selected)[1]

    def coverage(self, selected: Ints) -> float:
        """Mean of `explained` over all nodes."""
        return float(self.explained(selected).mean())

    def coverages(self, lists: list[Ints]) -> Doubles:
        """`coverage` of each of some lists of nodes."""
        return np.array([self.coverage(nodes) for nodes in lists])

    def retained(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """What stays explained of the nodes `of` with each node beside the selected ones.

        Of a node no more than was explained `before` counts; the result is the sum over `of`.
        """
        n = len(self.explained(of))
        beside = (np.union1d(selected, [node]) for node in range(n))
        return np.array([np.minimum(self.explained(all_)[of], before).sum() for all_ in beside])

    def neighbors(self, of: Ints) -> Bools:
        """Which nodes share more than chance with one of some nodes, or are among them."""
        return np.asarray(self.representatives(of)[1] > 0)


def assign_self(representative: Ints, share: Doubles, selected: Ints) -> tuple[Ints, Doubles]:
    """Let every selected node represent itself, even where another is its copy."""
    representative[selected] = selected
    share[selected] = 1.0
    return representative, share


@dataclass(frozen=True, eq=False)
class RunningGroups:
    """The representative of each node for every size.

    ``curve[k]`` is the share of the nodes that the first k represent. The changes of node i are
    ``starts[i] … starts[i + 1] - 1`` of the next three: `positions` in the order at which a better
    representative is found (never the node itself, which represents itself from its own turn
    on), `values`, the share of the node's variance that it explains, and `through`, the node next
    to it on the way there, which has the same representative (−1: none between). `n_links` counts
    edges that carry shared variance; None where the graph plays no part.
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
    A share, of what the row explains of the column, must be above `least` to represent a node;
    -inf where the nearest one is wanted, however far it is. Equal shares go to the lowest node.
    O(n²) time; one block of rows in memory.
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
