"""Coverage: choose columns that represent the others, and stop when they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.network import Needs
from topofs.rules.centrality import TIES
from topofs.rules.rule import Ranking, Rule, ScoreWords
from topofs.rules.tied import places_by_strength
from topofs.terms import is_whole, parameter, register

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.network import Network
    from topofs.rules.reach import MatrixReach, PathReach
    from topofs.rules.wishes import Wishes
    from topofs.similarity.measure import Measure

__all__ = ["Coverage"]

PATHS, EDGES, SIMILARITY, STRONGEST = "paths", "edges", "similarity", "strongest"
DROP, KEEP = "drop", "keep"

_REACHES = {
    PATHS: "along the links of the network",
    EDGES: "among its neighbours in the network",
    SIMILARITY: "among all columns, linked or not",
    STRONGEST: "among the columns that it has its strongest links with, drawn or not",
}


def _check_links(value: Any) -> None:
    if not is_whole(value) or value < 1:
        raise ValueError(f"links is {value!r}; give a whole number of at least 1")


@dataclass(frozen=True, repr=False)
class Coverage(Rule):
    r"""Each next column is the one that adds most to what the selected columns represent.

    With :math:`w_{ij}` the share of the variance of j that i explains,

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    facility location: F is submodular, so the greedy set is worth at least 1 − 1/e of the
    best one of its size, as long as isolated columns are not put last: up to the end, or with
    ``isolated="keep"``. The rule ends by itself where the next column would explain no more
    than itself.

    Parameters
    ----------
    reach : {"strongest", "similarity", "paths", "edges"}, default="strongest"
        Whom a column represents. By "similarity" it is any column at all, which takes memory
        n²; "strongest" is the same in memory n · `links`: of all pairs those count that are
        among the `links` strongest of either column. Both go without the graph, which then
        shows the network and decides nothing. By "paths" it is others along the paths of the
        graph: shares multiply along a path, and a path of several edges counts as long as half
        of the variance is left at its end; by "edges" its neighbours only.
    isolated : {"drop", "keep"}, default="drop"
        Whether "auto" leaves out the columns that share with no other more than chance
        explains, and whether they rank after all others.
    ties : {"strength", "index"}, default="strength"
        How equal gains, and isolated columns, are ordered: by strength, in the graph or, where
        it plays no part, in the whole similarity (then by the values of the columns, and only
        exact copies by position); or by position.
    links : int, default=128
        How many of its strongest links each column has with ``reach="strongest"``. With one
        less than there are columns it is ``reach="similarity"``.

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
        STRONGEST,
        help="Represent by: strongest, similarity, paths, edges.",
        choices=(STRONGEST, SIMILARITY, PATHS, EDGES),
    )
    isolated: str = parameter(
        DROP, help="Columns that are like no other: drop, keep.", choices=(DROP, KEEP)
    )
    ties: str = parameter(
        "strength", help="Order equal scores by: strength, index.", choices=TIES
    )
    links: int = parameter(128, help="Strongest links of a column.", check=_check_links)

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True

    @property
    def needs(self) -> Needs:
        """A scale, and the graph, all pairs or the strongest links."""
        by_links = self.reach == STRONGEST
        return Needs(
            graph=not by_links,
            scale=True,
            all_pairs=self.reach == SIMILARITY,
            strongest=self.links if by_links else None,
            by_values=self.ties == TIES[0],
        )

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
    def ties_words(self) -> str:
        """What decides between columns that add the same."""
        return "the strength of the links" if self.ties == TIES[0] else super().ties_words

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
        place = places_by_strength(network) if self.ties == TIES[0] else None
        return self._greedy(self._reach(network), place, wishes)

    def again(self, ranking: Ranking, graph: FilteredGraph, wishes: Wishes) -> Ranking:  # noqa: ARG002
        """Order the nodes greedily under other wishes."""
        return self._greedy(ranking.reach, ranking.place, wishes)

    def _greedy(self, reach: Any, place: Any, wishes: Wishes) -> Ranking:
        from topofs.rules.greedy import greedy_ranking

        return greedy_ranking(reach, wishes, place=place, isolated_early=self.keeps_isolated)

    def _reach(self, network: Network) -> PathReach | MatrixReach:
        from topofs.rules.reach import MatrixReach, graph_reach

        shares = network.links if network.shares is None else network.shares
        if shares is not None:
            return MatrixReach(shares)
        assert network.scale is not None
        return graph_reach(network.graph, network.scale, paths=self.reach == PATHS)


register(Coverage())
