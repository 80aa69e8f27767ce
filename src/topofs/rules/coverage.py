"""Coverage: choose columns that represent the others, and stop when they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.network import Needs
from topofs.rules.centrality import TIES
from topofs.rules.rule import Ranking, Rule, ScoreWords
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.network import Network
    from topofs.rules.reach import MatrixReach, PathReach
    from topofs.similarity.measure import Measure

__all__ = ["Coverage"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

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

    def rank(self, network: Network, chosen: Ints) -> Ranking:
        """Order the nodes greedily, those chosen beforehand first."""
        reach = self._reach(network)
        order, gains = reach.greedy(np.sort(chosen))
        isolated = reach.isolated()
        strength = network.graph.strength() if self.ties == TIES[0] else None
        order, gains = self._isolated_in_place(order, gains, isolated, strength, len(chosen))
        explaining = ~isolated[order] & (gains > 1.0)
        explaining[: len(chosen)] = True
        end = int(explaining.sum())
        if self.keeps_isolated:
            end += int(isolated[order[len(chosen) :]].sum())
        scores = np.empty(network.n_nodes)
        scores[order] = gains
        return Ranking(order, scores, max(1, end), reach, isolated)

    def _reach(self, network: Network) -> PathReach | MatrixReach:
        from topofs.rules.reach import MatrixReach, graph_reach

        if network.shares is not None:
            return MatrixReach(network.shares)
        assert network.scale is not None
        return graph_reach(network.graph, network.scale, paths=self.reach == PATHS)

    def _isolated_in_place(
        self,
        order: Ints,
        gains: Doubles,
        isolated: npt.NDArray[np.bool_],
        strength: Doubles | None,
        n_chosen: int,
    ) -> tuple[Ints, Doubles]:
        """Put isolated nodes last, or before others that explain themselves alone.

        All of them gain exactly 1; they are ordered by strength where there is one.
        """
        alone = isolated[order]
        alone[:n_chosen] = False
        if strength is not None and alone.any():
            nodes = np.sort(order[alone])
            order[alone] = nodes[np.argsort(-strength[nodes], kind="stable")]
        last = alone if not self.keeps_isolated else ~alone & (gains <= 1.0)
        last[:n_chosen] = False
        places = np.argsort(last, kind="stable")
        return order[places], gains[places]


register(Coverage())
