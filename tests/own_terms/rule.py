"""Two rules of one's own: one with groups and an end, and one with neither."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from topofs import Needs, Ranking, Rule, parameter, register
from topofs.rules import ScoreWords
from topofs.rules.reach import MatrixReach


@dataclass(frozen=True, repr=False)
class Stars(Rule):
    """Greedy by the shares of all pairs, until a column would add less than asked for."""

    least: float = parameter(1.5, help="What a column must add to be selected.")

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True

    @property
    def needs(self):
        return Needs(scale=True, all_pairs=True)

    @property
    def words(self):
        return ScoreWords("Shine", "how many they light up", "shine", axis="columns lit up")

    def rank(self, network, chosen):
        reach = MatrixReach(network.shares)
        order, gains = reach.greedy(np.sort(chosen))
        scores = np.empty(network.n_nodes)
        scores[order] = gains
        end = max(1, len(chosen), int((gains >= self.least).sum()))
        return Ranking(order, scores, end, reach, reach.isolated())


@dataclass(frozen=True, repr=False)
class Weakest(Rule):
    """Those with the weakest links first: no end, no groups, no parameters."""

    def rank(self, network, chosen):
        scores = -network.graph.strength()
        later = np.ones(network.n_nodes, dtype=bool)
        later[chosen] = False
        return Ranking(np.lexsort([-scores, later]), scores)


register(Stars())
register(Weakest())
