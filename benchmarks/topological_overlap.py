"""In which network does a topological overlap above 0.25 mean that two items ask the same?

Simulated questionnaires: five scales of six items with correlated factors (0.3), 500 people. The
first two items of each scale also share 35 to 60 % of what their factor leaves. Printed for
each network: the share of these pairs that are found, and the other pairs that are named, a
table.

The rule that chose the network of ``topofs panel --same``, before the tables of ``--seed 1`` were
made: the highest F1 score at 0.25 among the networks that topofs builds, on the tables of
``--seed 0``.

    python benchmarks/topological_overlap.py --seed 1
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.covariance import graphical_lasso

from topofs import FilteredGraph, LoGoCovariance, TopologicalFeatureSelector

N_TABLES, N_SCALES, N_ITEMS, N_PEOPLE = 24, 5, 6, 500
LEVEL = 0.25
PAIRS = [(scale * N_ITEMS, scale * N_ITEMS + 1) for scale in range(N_SCALES)]


def questionnaire(rng: np.random.Generator) -> np.ndarray:
    """Answers of a questionnaire."""
    n = N_SCALES * N_ITEMS
    factors = np.full((N_SCALES, N_SCALES), 0.3)
    np.fill_diagonal(factors, 1.0)
    loadings = np.zeros((n, N_SCALES))
    loadings[np.arange(n), np.arange(n) // N_ITEMS] = rng.uniform(0.45, 0.75, size=n)
    common = loadings @ factors @ loadings.T
    rest = np.diag(1 - np.diag(common))
    for i, j in PAIRS:
        shared = rng.uniform(0.35, 0.6) * np.sqrt(rest[i, i] * rest[j, j])
        rest[i, j] = rest[j, i] = shared
    return rng.multivariate_normal(np.zeros(n), common + rest, size=N_PEOPLE)


def glasso(X: np.ndarray) -> FilteredGraph:
    """Partial correlations by the graphical lasso with the extended BIC, as EGAnet takes them."""
    n_people, n = X.shape
    correlation, best = np.corrcoef(X.T), (np.inf, np.eye(n))
    for penalty in np.geomspace(0.02, 0.4, 15):
        precision = graphical_lasso(correlation, penalty)[1]
        n_edges = np.count_nonzero(np.abs(np.triu(precision, 1)) > 1e-8)
        fit = np.linalg.slogdet(precision)[1] - np.trace(correlation @ precision)
        criterion = -n_people * fit + n_edges * (np.log(n_people) + 2 * np.log(n))
        best = min(best, (criterion, precision), key=lambda one: one[0])
    scale = np.sqrt(np.diag(best[1]))
    partial = -best[1] / np.outer(scale, scale)
    i, j = np.nonzero(np.abs(np.triu(partial, 1)) > 1e-8)
    values = partial[i, j]
    return FilteredGraph(
        n, np.column_stack([i, j]), np.abs(values), correlations=np.clip(values, -1, 1)
    )


def networks(X: np.ndarray) -> dict[str, FilteredGraph]:
    """The networks that are compared."""
    links = TopologicalFeatureSelector().fit(X)
    planar = TopologicalFeatureSelector(graph="tmfg").fit(X)
    return {
        "links, shares": links.graph_,
        "links, correlations": links.signed_graph(X),
        "TMFG, squares": planar.graph_,
        "TMFG, correlations": planar.signed_graph(X),
        "LoGo, partial": LoGoCovariance().fit(X).partial_correlations(),
        "(graphical lasso)": glasso(X),
    }


def main() -> None:
    """Print a line a network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    rng = np.random.default_rng(parser.parse_args().seed)
    counts: dict[str, np.ndarray] = {}
    for _ in range(N_TABLES):
        for name, network in networks(questionnaire(rng)).items():
            overlap = np.abs(network.topological_overlap().toarray())
            found = {tuple(pair) for pair in np.argwhere(np.triu(overlap) > LEVEL).tolist()}
            true = len(found & set(PAIRS))
            counts.setdefault(name, np.zeros(2))
            counts[name] += (true, len(found) - true)
    for name, (true, false) in counts.items():
        n_pairs = N_TABLES * len(PAIRS)
        f1 = 2 * true / (n_pairs + true + false)
        print(
            f"{name:<20} found {true / n_pairs:.2f}, others a table {false / N_TABLES:5.2f}, "
            f"F1 {f1:.2f}"
        )


if __name__ == "__main__":
    main()
