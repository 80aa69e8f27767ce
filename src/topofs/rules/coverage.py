"""Coverage: choose columns that represent the others, and stop when they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topofs.network import Needs
from topofs.rules.base import Ranking, Rule, ScoreWords, ranks_by_strength
from topofs.rules.centrality import TIES
from topofs.rules.coverage_model import coverage_model_of
from topofs.rules.exchanges import refined_ranking
from topofs.rules.greedy import DROP, KEEP, LAST, greedy_ranking
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.network import Network
    from topofs.similarity.base import Measure

__all__ = ["Coverage"]

AUTO, PATHS, EDGES = "auto", "paths", "edges"


@dataclass(frozen=True, repr=False)
class Coverage(Rule):
    r"""Each next column is the one that adds most to what the selected columns represent.

    With :math:`w_{ij}` the share of the variance of j that i explains,

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    facility location: F is submodular, so up to the end the greedy set is worth at least
    1 − 1/e of the best one of its size. The rule ends by itself where the next column would
    explain no more than itself.

    Beyond the end, the next column c is the one for which what it adds to F, and half of

    .. math:: \sum_j w_{cj} \prod_{i \in S} (1 - w_{ij}),

    are largest together. The product is what would be left of column j if the errors of its
    representatives were independent. So isolated columns and second columns of noisy groups
    come next, and near-copies of selected columns last.

    Parameters
    ----------
    reach : {"auto", "edges", "paths"}, default="auto"
        Whom a column represents: its neighbours in the graph ("edges"), or others along its
        paths ("paths"), where shares multiply, and a path of several edges counts as long as
        half of the variance is left at its end. "auto" is what the graph says: edges of
        `Links`, paths of the other graphs.
    isolated : {"drop", "keep", "last"}, default="drop"
        What becomes of columns that share with no other more than chance explains. "drop":
        "auto" leaves them out, and beyond the end they compete with the others. "keep": "auto"
        selects them. "last": they rank after all others, for tables of known noise.
    refine : bool, default=False
        Whether the selected columns are exchanged for others as long as the coverage rises:
        swapped at a given size; at "auto" also added and dropped, as long as the coverage, in
        columns, less their number rises. All constraints hold. The ranking stays the greedy
        one, with the selected columns first.
    ties : {"strength", "index"}, default="strength"
        What decides between columns that add the same: strength, over the whole similarity with
        `Links` and in the graph with others (then the values of the columns, and the position
        of exact copies only); or the position.

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
        AUTO, help="Represent along: auto, edges, paths.", choices=(AUTO, EDGES, PATHS)
    )
    isolated: str = parameter(
        DROP,
        help="Columns that are like no other: drop, keep, last.",
        choices=(DROP, KEEP, LAST),
    )
    ties: str = parameter(
        "strength", help="Order equal scores by: strength, index.", choices=TIES
    )

    refine: bool = parameter(
        default=False, help="Exchange columns while the coverage rises.", choices=(True, False)
    )

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    default_graph: ClassVar[str | None] = "links"

    @property
    def needs(self) -> Needs:
        """A graph and a scale."""
        return Needs(scale=True, by_values=self.ties == TIES[0])

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
            "The column that explains most in total is selected first; then, each time, the one "
            "that raises the total most."
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

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Order the nodes greedily, those chosen beforehand first."""
        reach = network.reach if self.reach == AUTO else self.reach
        place = ranks_by_strength(network) if self.ties == TIES[0] else None
        return self._greedy(
            coverage_model_of(network, paths=reach == PATHS), place, constraints
        )

    def again(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Order the nodes greedily under other constraints."""
        return self._greedy(ranking.reach, ranking.place, constraints)

    def refined(
        self, ranking: Ranking, constraints: Constraints, selected: Any, worth: int | None
    ) -> Ranking:
        """Exchange selected nodes while what they represent rises, where that is asked for."""
        if not self.refine:
            return ranking
        assert ranking.isolated is not None
        stay_out = np.flatnonzero(ranking.isolated & (self.isolated == LAST))
        return refined_ranking(ranking, constraints, selected, worth=worth, stay_out=stay_out)

    def _greedy(self, reach: Any, place: Any, constraints: Constraints) -> Ranking:
        return greedy_ranking(reach, constraints, place=place, isolated=self.isolated)


register(Coverage())
