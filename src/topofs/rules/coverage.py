"""Coverage: choose columns that represent the others, and stop when they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.network import Needs
from topofs.rules.centrality import TIES
from topofs.rules.rule import Ranking, Rule, ScoreWords
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.network import Network
    from topofs.rules.reach import MatrixReach, PathReach
    from topofs.rules.wishes import Wishes
    from topofs.similarity.measure import Measure

__all__ = ["Coverage"]

PATHS, EDGES, SIMILARITY = "paths", "edges", "similarity"
DROP, KEEP = "drop", "keep"

_REACHES = {
    PATHS: "along the links of the network",
    EDGES: "among its neighbours in the network",
    SIMILARITY: "among all columns, linked or not",
}


@dataclass(frozen=True, repr=False)
class Coverage(Rule):
    r"""Each next column is the one that adds most to what the selected columns represent.

    With :math:`w_{ij}` the share of the variance of j that i explains,

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    facility location: F is submodular, so the greedy set is worth at least 1 − 1/e of the
    best one of its size. The rule ends by itself where the next column would explain no more
    than itself.

    Parameters
    ----------
    reach : {"paths", "edges", "similarity"}, default="paths"
        Whom a column represents: others along the paths of the graph, its neighbours only, or
        any column at all, whatever the graph. Along a path shares multiply; a path of several
        edges counts as long as half of the variance is left at its end.
    isolated : {"drop", "keep"}, default="drop"
        Whether "auto" leaves out the columns that share with no other more than chance
        explains, and whether they rank after all others.
    ties : {"strength", "index"}, default="strength"
        How isolated columns are ordered: by strength (then position), or by position. Other
        equal gains go by position.

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
        PATHS,
        help="Represent others along: paths, edges, similarity.",
        choices=(PATHS, EDGES, SIMILARITY),
    )
    isolated: str = parameter(
        DROP, help="Columns that are like no other: drop, keep.", choices=(DROP, KEEP)
    )
    ties: str = parameter(
        "strength", help="Order equal scores by: strength, index.", choices=TIES
    )

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True

    @property
    def needs(self) -> Needs:
        """A scale, and the graph or all pairs."""
        return Needs(scale=True, all_pairs=self.reach == SIMILARITY)

    @property
    def words(self) -> ScoreWords:
        """What its scores are called."""
        return ScoreWords(
            "Adds",
            "what each adds to the coverage",
            "coverage gain",
            axis="columns, best first",
        )

    @property
    def sentence(self) -> str:
        """How columns are put in order, as a sentence."""
        return (
            "The first column selected is the one that represents most "
            f"{_REACHES[self.reach]}, each next one the one that adds most to that."
        )

    @property
    def end_words(self) -> str:
        """What is true where it ends."""
        return "the next column would explain no more than itself"

    @property
    def keeps_isolated(self) -> bool:
        """Whether the automatic size selects isolated columns."""
        return self.isolated == KEEP

    def keeping_isolated(self) -> Coverage | None:
        """Give the same rule with isolated columns kept."""
        return None if self.keeps_isolated else self.replace(isolated=KEEP)

    def cut_for(self, measure: Measure) -> str | None:
        """Cut nothing, unless nothing tells what chance gives: what is less than usual then."""
        return None if measure.knows_chance else "links"

    def rank(self, network: Network, wishes: Wishes) -> Ranking:
        """Order the nodes greedily, those chosen beforehand first."""
        return self._greedy(self._reach(network), network.graph, wishes)

    def again(self, ranking: Ranking, graph: FilteredGraph, wishes: Wishes) -> Ranking:
        """Order the nodes greedily under other wishes."""
        return self._greedy(ranking.reach, graph, wishes)

    def _greedy(self, reach: Any, graph: FilteredGraph, wishes: Wishes) -> Ranking:
        from topofs.rules.greedy import greedy_ranking

        strength = graph.strength() if self.ties == TIES[0] else None
        return greedy_ranking(
            reach, wishes, strength=strength, isolated_early=self.keeps_isolated
        )

    def _reach(self, network: Network) -> PathReach | MatrixReach:
        from topofs.rules.reach import MatrixReach, graph_reach

        if network.shares is not None:
            return MatrixReach(network.shares)
        assert network.scale is not None
        return graph_reach(network.graph, network.scale, paths=self.reach == PATHS)


register(Coverage())
