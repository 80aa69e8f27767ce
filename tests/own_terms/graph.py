"""A graph of one's own: each column is linked to those that are most like it."""

from dataclasses import dataclass

import numpy as np

from topofs import FilteredGraph, Graph, parameter, register


def check_neighbours(n_neighbours):
    if not isinstance(n_neighbours, int) or n_neighbours < 1:
        raise ValueError(f"n_neighbours is {n_neighbours!r}; give a whole number from 1 on")


@dataclass(frozen=True, repr=False)
class Nearest(Graph):
    """The links of each column to its k nearest, the lowest of equal ones."""

    n_neighbours: int = parameter(2, help="Links a column asks for.", check=check_neighbours)

    @property
    def words(self):
        return f"the {self.n_neighbours} nearest columns of each"

    @property
    def title(self):
        return "Nearest columns"

    def build(self, similarity):
        values = similarity.values.astype(np.float64)
        np.fill_diagonal(values, -np.inf)
        n = len(values)
        k = min(self.n_neighbours, n - 1)
        nearest = np.argsort(-values, axis=1, kind="stable")[:, :k]
        pairs = np.column_stack([np.repeat(np.arange(n), k), nearest.ravel()])
        edges = np.unique(np.sort(pairs, axis=1), axis=0).reshape(-1, 2)
        weights = similarity.values[edges[:, 0], edges[:, 1]]
        return FilteredGraph(n, edges, weights, labels=similarity.labels)


register(Nearest())
