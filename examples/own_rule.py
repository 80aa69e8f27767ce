"""
Your own rule
=============

Two rules of your own: one ranks by a score, the other has groups and an end.
"""

# %% define
# A rule is a frozen dataclass that ranks the columns of a network.

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from topofs import (
    Graph,
    Links,
    Needs,
    Ranking,
    Rule,
    TopologicalFeatureSelector,
    parameter,
    register,
)
from topofs.rules import ScoreWords
from topofs.rules.coverage import coverage_model_of
from topofs.rules.greedy import greedy_ranking


@dataclass(frozen=True, repr=False)
class Periphery(Rule):
    """The columns with the weakest links first: the odd ones."""

    def rank(self, network, constraints):
        """Rank by strength; `applied` puts forced columns first and heeds the other constraints."""
        scores = -network.graph.strength()
        order, selectable = constraints.applied(np.argsort(-scores, kind="stable"))
        return Ranking(order, scores, selectable=selectable)


register(Periphery())


# %% groups
# A rule may also say which columns each selected one represents, and where to stop.


@dataclass(frozen=True, repr=False)
class Worth(Rule):
    """Greedy by what each adds; it ends where a column adds less than it must."""

    least: float = parameter(1.5, help="What a column must add to be selected.")

    has_end: ClassVar[bool] = True  # "auto" is a size then
    has_groups: ClassVar[bool] = True  # selected columns represent others
    default_graph: ClassVar[Graph] = Links(strongest=None)  # all pairs; a name will do, too

    @property
    def needs(self):
        """Shares of variance, so the measure must have a scale."""
        return Needs(scale=True)

    @property
    def words(self):
        """What its scores are called."""
        return ScoreWords("Adds", "what each adds", "gain")

    def rank(self, network, constraints):
        """Rank given the constraints: forced columns come first, the others given these."""
        model = coverage_model_of(network, paths=network.reach == "paths")
        ranking = greedy_ranking(
            model, constraints, tie_rank=network.value_rank, support_quarters=0
        )
        gains = ranking.scores[ranking.order]
        end = max(1, len(constraints.forced), int((gains >= self.least).sum()))
        return replace(ranking, end=end)


register(Worth())

# %% use
# Both have short names now.

if __name__ == "__main__":
    from sklearn.datasets import load_breast_cancer

    X = load_breast_cancer(as_frame=True).data
    odd = TopologicalFeatureSelector(3, rule="periphery").fit(X)
    print("odd:", ", ".join(odd.get_feature_names_out()))
    for least in (1.5, 2.0, 4.0):
        selector = TopologicalFeatureSelector(rule=Worth(least=least)).fit(X)
        print(f"{least}: {', '.join(group.name for group in selector.groups_)}")
    along = TopologicalFeatureSelector(rule="worth", graph="mst").fit(X)
    print(f"along the tree: {', '.join(group.name for group in along.groups_)}")
