"""`Rule`: what every rule of ranking is, and says of itself; `Ranking`: what it gives.

What decides between nodes of equal score: strength, then the values of their columns.

Who represents whom at every size: the groups of a ranking before it is cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs._kernels.dispatch import UNIT, units
from topofs.graphs.filtered_graph import LinkGraph
from topofs.network import Needs
from topofs.terms import Term

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.constraints import Constraints
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.network import Network
    from topofs.similarity.base import Measure


__all__ = [
    "CoverageModel",
    "Ranking",
    "Rule",
    "RunningGroups",
    "ScoreWords",
    "coverage_by",
    "covered_by",
    "in_order_of_values",
    "kept_with",
    "ranks_by_strength",
    "related_to",
    "running_along",
    "running_among",
    "running_over_all",
]


Ints = npt.NDArray[np.int64]


Doubles = npt.NDArray[np.float64]


class CoverageModel(Protocol):
    """Whom a node represents, and with what share of their variance: what groups follow from.

    Where selected nodes explain more together than the best of them alone, a reach has more
    methods, as `topofs.rules.variance_search.VarianceCoverage` does: ``together(selected)``, its
    mean ``coverage(selected)`` and ``shares(by, of)``. ``kept_with(selected, of, before)`` and
    ``related_to(of)`` answer at once what the functions of these names ask node by node.
    """

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and its share, in [0, 1].

        That is the node itself, with share 1, if it is selected; -1 where none represents it.
        """

    def path(self, representative: int, node: int) -> Ints:
        """List the nodes by way of which a node is represented, from the node on."""

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:
        """Follow who represents whom while nodes are selected in an order.

        Of the first `n_exact` all that they represent counts.
        """


def covered_by(reach: CoverageModel, selected: Ints) -> Doubles:
    """Tell what selected nodes explain of each together; else what the best of them does."""
    together = getattr(reach, "together", None)
    found: Doubles = (
        reach.representatives(selected)[1] if together is None else together(selected)
    )
    return found


def coverage_by(reach: CoverageModel, selected: Ints) -> float:
    """Give the mean of `covered_by`."""
    coverage = getattr(reach, "coverage", None)
    return float(covered_by(reach, selected).mean() if coverage is None else coverage(selected))


def kept_with(reach: CoverageModel, selected: Ints, of: Ints, before: Doubles) -> Doubles:
    """Tell what stays explained of some nodes with each node beside the selected ones.

    Of a node no more than was explained `before` counts; the result is the sum over `of`.
    """
    found = getattr(reach, "kept_with", None)
    if found is not None:
        return np.asarray(found(np.sort(selected), of, before))
    n = len(covered_by(reach, of))
    beside = (np.union1d(selected, [node]) for node in range(n))
    return np.array([np.minimum(covered_by(reach, some)[of], before).sum() for some in beside])


def related_to(reach: CoverageModel, of: Ints) -> npt.NDArray[np.bool_]:
    """Tell which nodes share more than chance with some, or are among them."""
    found = getattr(reach, "related_to", None)
    if found is not None:
        return np.asarray(found(of), dtype=np.bool_)
    shares = [reach.representatives(np.array([node]))[1] for node in of.tolist()]
    return np.asarray(np.max(shares, axis=0) > 0)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Nodes in order, with what put them there.

    Attributes
    ----------
    order : array of int, shape (n_nodes,)
        All nodes, best first; those that were chosen beforehand before all others.
    scores : array of float, shape (n_nodes,)
        For each node what it adds at its turn, or its score.
    end : int or None
        How many nodes of the order the rule would select by itself; None where it has no end.
    reach : CoverageModel or None
        Whom nodes represent; None where the rule has no groups.
    isolated : array of bool, shape (n_nodes,), or None
        Nodes that represent nobody and that nobody represents, where the rule can tell.
    selectable : int or None
        How many nodes of the order can be selected together, by the constraints; None: all.
    covered : array of float, shape (n_nodes,), or None
        The share of all nodes that the first 1, 2, … represent, where scores are not what a
        node adds to it.
    place : array of int, shape (n_nodes,), or None
        What decided between nodes of equal score: the lowest place; None: the position.
    exact : int or None
        How many nodes of the order were ranked by all that they represent; beyond them, by their
        strongest links only. None: all.
    """

    order: Ints
    scores: Doubles
    end: int | None = None
    reach: CoverageModel | None = None
    isolated: npt.NDArray[np.bool_] | None = None
    selectable: int | None = None
    covered: Doubles | None = None
    place: Ints | None = None
    exact: int | None = None

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


@dataclass(frozen=True, repr=False)
class Rule(Term):
    """How columns are ranked: base of the rules.

    A subclass gives `rank` and says what it needs and what it has.

    Attributes
    ----------
    has_end : bool
        Whether it finds the number of columns by itself: size "auto".
    has_groups : bool
        Whether its rankings have a `reach`: selected columns represent others.
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

    def cut_for(self, measure: Measure) -> str | None:  # noqa: ARG002
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

    def again(self, ranking: Ranking, constraints: Constraints) -> Ranking:
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

    def refined(
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
            What a node more must add, in nodes; None where the number of nodes stays.

        Returns
        -------
        Ranking
            The improved nodes come first, and `end` is their number; by default the same.
        """
        return ranking

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


def in_order_of_values(score: Callable[[FilteredGraph], Doubles], network: Network) -> Doubles:
    """Score nodes so that sums are taken in an order that the values of the columns decide.

    To the last bit the scores are the same for each column, wherever it stands in the table.
    """
    graph = network.graph
    assert graph is not None
    if network.place is None:
        return score(graph)
    return score(graph.renumbered(network.place))[network.place]


def ranks_by_strength(network: Network) -> npt.NDArray[np.int64]:
    """Give nodes places by falling strength; equal ones as the values of their columns say.

    Strength is the sum over the whole similarity where the graph carries that, else the sum of
    the links in the graph; without a graph, of the pairs that were asked for.
    """
    graph, pairs = network.graph, network.pairs
    strength: npt.NDArray[Any]
    if graph is None:
        # In whole numbers, whose sums no order of the columns changes.
        exact = sparse.csr_array((units(pairs.data), pairs.indices, pairs.indptr), pairs.shape)
        strength = exact.sum(axis=1)
    else:
        strength = graph.sums if isinstance(graph, LinkGraph) else graph.strength()
    values = np.arange(len(strength)) if network.place is None else network.place
    place = np.empty(len(strength), np.int64)
    place[np.lexsort((values, -strength))] = np.arange(len(strength))
    return place


# Rows of shares held at a time.
_ROWS = 256


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


def running_along(
    starts: Ints, columns: Ints, weights: Doubles, least: float, order: Ints
) -> RunningGroups:
    """Follow who represents whom along the paths of a graph, which comes as CSR rows.

    `least` must be left at the end of a path of several links.
    """
    from topofs._kernels.path_search import running_nodes

    n = len(order)
    nodes, positions, values, before, total = running_nodes(
        starts, columns, weights, least, order
    )
    by_node = np.argsort(nodes, kind="stable")
    positions, before = positions[by_node], before[by_node]
    return RunningGroups(
        curve=np.concatenate([[0.0], total / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values[by_node],
        through=np.where(before == order[positions], -1, before),
        n_links=len(columns) // 2,
    )


def running_among(rows: Any, order: Ints) -> RunningGroups:
    """Follow who represents whom as sparse rows of shares say, with ones on the diagonal.

    Equal shares go to the lowest node.
    """
    n, found = len(order), rows.tocoo()
    origin, node, share = found.row.astype(np.int64), found.col.astype(np.int64), found.data
    turn = np.argsort(order)[origin]
    # One number tells the larger share, and of equal ones the lower origin.
    strength = np.empty(len(share), np.int64)
    strength[np.lexsort((-origin, share))] = np.arange(len(share))
    by_turn = np.lexsort((turn, node))
    node, origin, turn, share = (part[by_turn] for part in (node, origin, turn, share))
    best = np.maximum.accumulate(strength[by_turn] + node * len(share))
    better = np.diff(best, prepend=-1) > 0
    node, origin, turn, share = (part[better] for part in (node, origin, turn, share))
    amounts = units(share)
    before = np.where(np.diff(node, prepend=-1) > 0, 0, np.concatenate([[0], amounts[:-1]]))
    gained = np.zeros(n, np.int64)
    np.add.at(gained, turn, amounts - before)
    others = origin != node
    node, turn, share = node[others], turn[others], share[others]
    return RunningGroups(
        curve=np.concatenate([[0.0], np.cumsum(gained) / UNIT / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(node, minlength=n))]),
        positions=turn,
        values=share,
        through=np.full(len(turn), -1),
        n_links=(rows.nnz - n) // 2,
    )


class _Shares(Protocol):
    def block(self, rows: slice, columns: slice) -> npt.NDArray[np.floating[Any]]: ...


def running_over_all(shares: _Shares, order: Ints, *, least: float = 0.0) -> RunningGroups:
    """Follow who represents whom as shares of all pairs say, linked or not.

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
    return RunningGroups(
        curve=np.concatenate([[0.0], total / n]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values,
        through=np.full(len(positions), -1),
        n_links=None,
    )
