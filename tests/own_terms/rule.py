"""Two rules of one's own: one with groups and an end, and one with neither."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from topofs import Needs, Ranking, Rule, parameter, register
from topofs.rules import ScoreWords
from topofs.rules.coverage import coverage_model_of
from topofs.rules.greedy import greedy_ranking


@dataclass(frozen=True, repr=False)
class Stars(Rule):
    """Greedy by the links of the graph, until a column would add less than asked for."""

    least: float = parameter(1.5, help="What a column must add to be selected.")

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    default_graph: ClassVar[str] = "links"

    @property
    def needs(self):
        return Needs(scale=True)

    @property
    def words(self):
        return ScoreWords("Shine", "how many they light up", "shine", axis="columns lit up")

    def rank(self, network, constraints):
        model = coverage_model_of(network, paths=False)
        ranking = greedy_ranking(model, constraints, isolated="last", support_quarters=0)
        gains = ranking.scores[ranking.order]
        end = max(1, len(constraints.forced), int((gains >= self.least).sum()))
        return replace(ranking, end=end)


@dataclass(frozen=True, repr=False)
class Weakest(Rule):
    """Those with the weakest links first: no end, no groups, no parameters."""

    def rank(self, network, constraints):
        scores = -network.graph.strength()
        order, selectable = constraints.applied(np.argsort(-scores, kind="stable"))
        return Ranking(order, scores, selectable=selectable)


register(Stars())
register(Weakest())
