"""Rank columns by a centrality of the graph: the published method, with degree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs.network import Needs
from topofs.rules.base import (
    INDEX,
    STRENGTH,
    Ranking,
    Rule,
    ScoreWords,
    in_order_of_values,
    tie_breaking_ranks,
)
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.network import Network
    from topofs.similarity.base import Measure

SCORES = {
    "degree": ScoreWords(
        "Links",
        "their number of links (degree)",
        "degree",
        "link",
        "links of a column (degree)",
    ),
    "strength": ScoreWords("Strength", "the summed strength of their links", "strength"),
    "eigenvector": ScoreWords("Eigenvector", "eigenvector centrality", "eigenvector"),
    "pagerank": ScoreWords("PageRank", "PageRank", "pagerank"),
    "closeness": ScoreWords(
        "Closeness", "closeness, how near they are to all others", "closeness"
    ),
    "betweenness": ScoreWords(
        "Betweenness", "betweenness, how often they lie between others", "betweenness"
    ),
}
"""The centralities by name, with their words; `topofs.centrality` computes them."""


@dataclass(frozen=True, repr=False)
class Centrality(Rule):
    """Rank columns by a centrality in the graph; its short name is that of the score.

    Parameters
    ----------
    score : {"degree", "strength", "eigenvector", "pagerank", "closeness", \
"betweenness"}, default="degree"
        The score of a node.
    ties : {"strength", "index"}, default="strength"
        "strength": equal scores are ordered by strength, then by the values of the columns,
        exact copies by position. "index": by position, as in the paper.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs import Centrality
    >>> Centrality("pagerank").name
    'pagerank'
    """

    score: str = parameter("degree", choices=tuple(SCORES), option=False)
    ties: str = parameter(
        STRENGTH, help="Order equal scores by: strength, index.", choices=(STRENGTH, INDEX)
    )

    @property
    def name(self) -> str:
        """The short name: that of the score."""
        return self.score

    @property
    def words(self) -> ScoreWords:
        """The names of the score."""
        return SCORES[self.score]

    @property
    def sentence(self) -> str:
        """A sentence that describes the ranking."""
        if self.ties == INDEX:
            ties = "in the order of the table"
        elif self.score == "strength":
            ties = "as their values say"
        else:
            ties = "by the summed strength of their links"
        return f"Columns were ranked by {self.words.ranked_by}, equal ones {ties}."

    @property
    def ties_words(self) -> str:
        """The criterion that decides between equal scores, in words."""
        if self.ties == INDEX:
            return super().ties_words
        is_score = self.score == "strength"
        return "the values of the columns" if is_score else "the strength of the links"

    @property
    def needs(self) -> Needs:
        """The graph."""
        return Needs(by_values=self.ties == STRENGTH)

    def threshold_for(self, measure: Measure) -> str:  # noqa: ARG002
        """Set similarities below the mean to 0, as the authors' program does."""
        return "mean"

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Rank nodes by the score, forced nodes first."""
        from topofs.centrality import CENTRALITIES

        scores = in_order_of_values(CENTRALITIES[self.score], network)
        tie_rank = tie_breaking_ranks(network) if self.ties == STRENGTH else None
        keys = (-scores,) if tie_rank is None else (tie_rank, -scores)
        order, n_selectable = constraints.applied(np.lexsort(keys))
        return Ranking(order, scores, selectable=n_selectable, tie_rank=tie_rank)


for _score in SCORES:
    register(Centrality(_score))
