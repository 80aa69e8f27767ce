"""Rules of a user's own, with and without groups, an end and a graph."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tests.greedy import greedy
from topofs.network import Needs
from topofs.rules.base import Ranking, Rule
from topofs.rules.coverage import MatrixCoverage


@dataclass(frozen=True, repr=False)
class Neighbourhoods(Rule):
    """Has groups; no end, no graph, no isolated columns, and scores that are not what it adds."""

    short_name: ClassVar[str] = "neighbourhoods"
    has_groups: ClassVar[bool] = True

    @property
    def needs(self):
        return Needs(graph=False)

    def rank(self, network, constraints):
        forced = constraints.forced
        n = network.n_nodes
        shares = network.operator.block(slice(0, n), slice(0, n))
        model = MatrixCoverage(np.where(shares > 0.3, shares, 0.0))
        order, _ = greedy(model, forced)
        scores = np.empty(n)
        scores[order] = 100.0 * np.arange(n, 0, -1)
        return Ranking(order, scores, coverage_model=model)


@dataclass(frozen=True, repr=False)
class Ended(Rule):
    """Has an end; no groups and no graph."""

    short_name: ClassVar[str] = "ended"
    has_end: ClassVar[bool] = True

    @property
    def needs(self):
        return Needs(graph=False)

    def rank(self, network, constraints):
        forced = constraints.forced
        order = np.arange(network.n_nodes)
        order = np.concatenate([forced, np.setdiff1d(order, forced)])
        return Ranking(order, np.arange(network.n_nodes, 0.0, -1.0), end=len(forced) + 4)


@dataclass(frozen=True, repr=False)
class Plain(Rule):
    """Has nothing but an order along the graph."""

    def rank(self, network, constraints):
        forced = constraints.forced
        scores = network.graph.strength()
        last = ~np.isin(np.arange(network.n_nodes), forced)
        return Ranking(np.lexsort([-scores, last]), scores)
