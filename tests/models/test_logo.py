"""LoGoCovariance against dense formulas that share no code with it."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.covariance import EmpiricalCovariance, ledoit_wolf_shrinkage
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.matrices import factor_table
from tests.naive import models as naive
from topofs import MST, TMFG, FilteredGraph, LoGoCovariance, Pearson, pearson, tmfg
from topofs.models.elimination import elimination_of
from topofs.models.logo import (
    PairwiseCliques,
    clique_regressions,
    ledoit_wolf_intensity,
    links_intensity,
    pairwise_intensity,
)
from topofs.similarity.base import dense


def sample_covariance(X):
    return np.cov(X.T, bias=True)


def chordal_graph(n, width, seed, *, with_order=False):
    """A random chordal graph: each node joins part of a clique that is there already."""
    rng = np.random.default_rng(seed)
    names, cliques, edges = rng.permutation(n), [[0]], []
    for v in range(1, n):
        clique = cliques[rng.integers(len(cliques))]
        size = rng.integers(0, min(width, len(clique)) + 1)
        joined = rng.choice(clique, size=size, replace=False).tolist()
        edges += [(v, u) for u in joined]
        cliques.append([*joined, v])
    edges = [(names[i], names[j]) for i, j in edges]
    order = names if with_order else None
    return FilteredGraph(n, edges or np.empty((0, 2), int), np.ones(len(edges)), order=order)


# No expected failures.
@parametrize_with_checks([LoGoCovariance(), LoGoCovariance(MST(), shrinkage=0.3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n", [4, 5, 9, 40])
def test_the_sum_over_cliques_and_separators(n):
    X = factor_table(3 * n, n)
    model = LoGoCovariance(TMFG(), shrinkage=None).fit(X)
    graph = model.graph_
    expected = naive.sum_of_cliques(
        sample_covariance(X), graph.cliques.tolist(), graph.separators.tolist()
    )
    np.testing.assert_allclose(model.precision_.toarray(), expected, rtol=1e-9, atol=1e-10)
    assert model.precision_.format == "csc"
    assert model.precision_.nnz == n + 2 * graph.n_edges
    assert model.logdet_ == pytest.approx(np.linalg.slogdet(expected)[1])


@pytest.mark.parametrize("graph", ["tmfg", "mst", "mfcf"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 30])
def test_the_inverse_is_the_sample_covariance_on_every_clique(graph, n):
    X = factor_table(80, n) * np.geomspace(1, 1e4, n)
    model = LoGoCovariance(graph, shrinkage=0).fit(X)
    scale = X.std(axis=0)
    error = (model.covariance_ - np.atleast_2d(sample_covariance(X))) / np.outer(scale, scale)
    i, j = model.graph_.edges.T
    assert np.abs(np.diag(error)).max() < 1e-10
    assert np.abs(error[i, j]).max(initial=0) < 1e-10
    product = model.covariance_ @ model.precision_.toarray() * np.outer(1 / scale, scale)
    np.testing.assert_allclose(product, np.eye(n), atol=1e-10)


@pytest.mark.parametrize("n", [5, 8])
def test_the_completion_with_the_largest_determinant(n):
    X = factor_table(40, n)
    model = LoGoCovariance(shrinkage=None).fit(X)
    cliques = model.graph_.cliques.tolist()
    expected = naive.largest_determinant(sample_covariance(X), cliques)
    np.testing.assert_allclose(model.covariance_, expected, rtol=1e-8, atol=1e-8)


def test_a_tree_in_closed_form():
    X = factor_table(50, 25)
    model = LoGoCovariance("mst", shrinkage=None).fit(X)
    expected = naive.tree_precision(sample_covariance(X), model.graph_.edges)
    np.testing.assert_allclose(model.precision_.toarray(), expected, rtol=1e-10, atol=1e-12)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(0, 5), st.integers(0, 10**6), st.booleans())
def test_any_chordal_graph(n, width, seed, with_order):
    graph = chordal_graph(n, width, seed, with_order=with_order)
    X = factor_table(60, n, seed=seed)
    model = LoGoCovariance(graph, shrinkage=None).fit(X)
    covariance = np.atleast_2d(sample_covariance(X))
    precision = model.precision_.toarray()
    joined = np.eye(n, dtype=bool)
    joined[tuple(graph.edges.T)] = joined[tuple(graph.edges[:, ::-1].T)] = True
    # What a maximum of the likelihood is known by: zeros here, agreement there.
    assert (precision[~joined] == 0).all()
    np.testing.assert_allclose(
        np.linalg.inv(precision)[joined], covariance[joined], rtol=1e-8, atol=1e-9
    )


def test_an_order_that_will_not_do_is_not_taken():
    X = factor_table(40, 3)
    star = FilteredGraph(3, [[0, 2], [1, 2]], [1.0, 1.0], order=[0, 1, 2])
    model = LoGoCovariance(star, shrinkage=None).fit(X)
    expected = naive.tree_precision(sample_covariance(X), star.edges)
    np.testing.assert_allclose(model.precision_.toarray(), expected)


def test_score_and_distances_are_those_of_the_dense_gaussian():
    X = factor_table(70, 15)
    model = LoGoCovariance().fit(X[:40])
    expected = naive.gaussian_score(model.location_, model.covariance_, X[40:])
    assert model.score(X[40:]) == pytest.approx(expected, abs=1e-9)
    dense = EmpiricalCovariance().fit(X[:40])
    dense.location_, dense.precision_ = model.location_, model.precision_.toarray()
    np.testing.assert_allclose(model.mahalanobis(X[40:]), dense.mahalanobis(X[40:]))
    assert model.error_norm(model.covariance_) == 0
    assert model.get_precision() is model.precision_


@pytest.mark.parametrize(("n_samples", "n"), [(12, 40), (60, 20)])
def test_the_intensity(n_samples, n):
    X = factor_table(n_samples, n) * np.arange(1, n + 1)
    model = LoGoCovariance().fit(X)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    i, j = model.graph_.edges.T
    if n_samples < n:
        expected = ledoit_wolf_shrinkage(standardised)
    else:
        products = standardised[:, i] * standardised[:, j]
        correlation = np.corrcoef(X.T)[i, j]
        variance = ((products - correlation) ** 2).sum(axis=0) / n_samples**2
        expected = variance.sum() / (correlation**2).sum()
    assert model.shrinkage_ == pytest.approx(expected)
    np.testing.assert_allclose(np.diag(model.covariance_), X.var(axis=0))
    kept = (1 - model.shrinkage_) * sample_covariance(X)[i, j]
    np.testing.assert_allclose(model.covariance_[i, j], kept)


def test_ledoit_and_wolf_of_many_rows():
    """The products of columns instead of rows."""
    X = factor_table(60, 20)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = ledoit_wolf_shrinkage(standardised)
    assert ledoit_wolf_intensity(standardised) == pytest.approx(expected)


def test_fewer_rows_than_columns_of_a_clique():
    X = factor_table(3, 30)
    assert np.isfinite(LoGoCovariance().fit(X).score(X))
    with pytest.raises(ValueError, match=r"linear combination of its neighbours.*shrinkage"):
        LoGoCovariance(shrinkage=None).fit(X)


def test_the_covariance_is_computed_when_asked_for_and_anew_after_a_fit():
    X = factor_table(40, 8)
    model = LoGoCovariance().fit(X)
    assert model._covariance is None
    first = model.covariance_
    assert model.covariance_ is first
    assert not np.allclose(model.fit(2 * X).covariance_, first)
    assert not hasattr(LoGoCovariance(), "covariance_")


def test_memory_in_proportion_to_the_columns():
    """Fit, score and conditional of 5,000 columns in a tenth of one matrix of them."""
    n = 5000
    X = np.random.default_rng(0).normal(size=(10, n))
    nodes = np.arange(n)
    edges = np.concatenate([np.column_stack([nodes[:-k], nodes[k:]]) for k in (1, 2, 3)])
    band = FilteredGraph(n, edges, np.ones(len(edges)))
    LoGoCovariance(band).fit(X)
    tracemalloc.start()
    try:
        model = LoGoCovariance(band).fit(X)
        model.score(X)
        model.conditional(nodes[::50], X[:, ::50])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * n / 10


def test_a_given_graph_and_the_graph_of_the_table_agree():
    X = factor_table(40, 12)
    given_graph = tmfg(pearson(X, squared=True))
    model = LoGoCovariance(given_graph).fit(X)
    assert model.graph_ is given_graph
    found = LoGoCovariance().fit(X)
    np.testing.assert_array_equal(found.precision_.toarray(), model.precision_.toarray())
    without_matrix = LoGoCovariance(memory="1MB").fit(np.rint(9 * factor_table(20, 600)))
    assert without_matrix.graph_.n_edges == 3 * 600 - 6


@pytest.mark.parametrize(
    ("settings", "change", "sentence"),
    [
        ({"shrinkage": 2}, None, "shrinkage is 2; give 'auto', a number in"),
        ({"shrinkage": "some"}, None, "shrinkage is 'some'; give 'auto', a number in"),
        ({"shrinkage": True}, None, "shrinkage is True; give 'auto', a number in"),
        ({"graph": "tmgf"}, None, "graph is 'tmgf'; known are"),
        ({"graph": "pmfg"}, None, "the graph is not chordal: two neighbours of node"),
        ({"graph": FilteredGraph(2, [[0, 1]], [1.0])}, None, "has 2 nodes and X 9 columns"),
        ({}, np.inf, r"infinite values .* in 1 of 9 columns, first in column 4"),
        ({}, "constant", "1 of 9 columns are constant, first column 4"),
    ],
)
def test_bad_input(settings, change, sentence):
    X = factor_table(30, 9)
    if change == "constant":
        X[:, 4] = 1
    elif change is not None:
        X[2, 4] = change
    with pytest.raises(ValueError, match=sentence):
        LoGoCovariance(**settings).fit(X)


def with_holes(X, share, seed=0):
    holes = X.copy()
    holes[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return holes


@pytest.mark.parametrize("graph", ["tmfg", "mst", "mfcf"])
@pytest.mark.parametrize("shrinkage", [0.2, "auto"])
def test_missing_values_by_the_sum_over_cliques(graph, shrinkage):
    X = with_holes(factor_table(120, 12), 0.15)
    model = LoGoCovariance(graph, shrinkage=shrinkage).fit(X)
    observed = pd.DataFrame(X)
    variance = observed.var(ddof=0).to_numpy()
    correlation = (1 - model.shrinkage_) * observed.corr().to_numpy()
    np.fill_diagonal(correlation, 1.0)
    covariance = correlation * np.sqrt(np.outer(variance, variance))
    if graph == "mst":
        expected = naive.tree_precision(covariance, model.graph_.edges.tolist())
    else:
        cliques, separators = (
            [[node for node in nodes if node >= 0] for nodes in rows.tolist()]
            for rows in (model.graph_.cliques, model.graph_.separators)
        )
        expected = naive.sum_of_cliques(covariance, cliques, separators)
    np.testing.assert_allclose(model.precision_.toarray(), expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.location_, observed.mean())
    assert np.linalg.eigvalsh(model.covariance_)[0] > 0


@pytest.mark.parametrize("shape", [(90, 12), (30, 40)])
def test_without_missing_values_pairs_give_the_same(shape):
    X = factor_table(*shape)
    i, j = np.triu_indices(shape[1], 1)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    edges = np.column_stack([i, j])
    expected = ledoit_wolf_intensity(standardised)
    assert pairwise_intensity(standardised, None) == pytest.approx(expected)
    expected = links_intensity(standardised, edges)
    assert pairwise_intensity(standardised, edges) == pytest.approx(expected)
    graph = tmfg(pearson(X, squared=True))
    elimination = elimination_of(graph)
    correlation = np.corrcoef(X.T)[tuple(graph.edges.T)]
    cliques = PairwiseCliques(
        shape[1], graph.edges[:, 0] * shape[1] + graph.edges[:, 1], correlation
    )
    by_rows = clique_regressions(standardised, elimination, 0.9)
    by_pairs = clique_regressions(standardised, elimination, 0.9, cliques)
    for one, other in zip(by_rows, by_pairs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_missing_values_cost_little(share):
    """Unseen rows are nearly as likely as by the complete table, more than by filled in means."""
    X = factor_table(1500, 20)
    past, future = X[:700], X[700:]
    holes = with_holes(past, share)
    complete = LoGoCovariance().fit(past).score(future)
    score = LoGoCovariance().fit(holes).score(future)
    filled = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    by_means = LoGoCovariance().fit(filled).score(future)
    assert by_means < score
    assert complete - score < 0.4 * (complete - by_means)


def test_correlations_that_contradict_are_shrunk_until_cliques_are_positive_definite():
    # a = b, b = c and a = -c, each on rows of its own.
    first, second, third = np.random.default_rng(0).normal(size=(3, 100))
    nothing = np.full(100, np.nan)
    a = np.concatenate([first, nothing, third])
    b = np.concatenate([first, second, nothing])
    c = np.concatenate([nothing, second, -third])
    X = np.column_stack([a, b, c]) + 0.01 * np.random.default_rng(1).normal(size=(300, 3))
    model = LoGoCovariance().fit(X)
    least = np.linalg.eigvalsh(dense(Pearson(squared=False).operator(X)))[0]
    assert least < -0.9
    assert model.shrinkage_ == pytest.approx((0.01 - least) / (1 - least))
    assert np.linalg.eigvalsh(model.covariance_)[0] > 0
    with pytest.raises(ValueError, match=r"not positive definite .*set shrinkage to 'auto'"):
        LoGoCovariance(shrinkage=0.1).fit(X)


def test_too_few_shared_rows_are_named():
    X = pd.DataFrame(factor_table(40, 5), columns=list("abcde"))
    X.loc[:20, "b"] = np.nan
    X.loc[24:, "d"] = np.nan
    X.loc[21:23, "d"] = X.loc[21:23, "b"]
    with pytest.raises(
        ValueError, match="'b' and 'd' are linked and share 3 rows .*at least 5"
    ):
        LoGoCovariance().fit(X)


def test_a_fit_takes_missing_values_and_new_rows_must_be_complete():
    X = with_holes(factor_table(60, 6), 0.1)
    model = LoGoCovariance().fit(X)
    with pytest.raises(ValueError, match="missing or infinite values"):
        model.score(X)
    table = X.copy()
    table[0, 0] = np.inf
    with pytest.raises(ValueError, match=r"infinite values \(inf\) in 1 of 6 columns"):
        LoGoCovariance().fit(table)
    with pytest.raises(ValueError, match="1 of 6 columns are constant, first column 2"):
        LoGoCovariance().fit(np.where(np.arange(6) == 2, np.nan, X))


@pytest.mark.parametrize("missing", [False, True])
def test_partial_correlations_are_those_of_the_precision(missing):
    X = pd.DataFrame(with_holes(factor_table(80, 9), 0.1 * missing), columns=list("abcdefghi"))
    model = LoGoCovariance().fit(X)
    graph = model.partial_correlations()
    precision = np.linalg.inv(model.covariance_)
    scale = np.sqrt(np.diag(precision))
    expected = (-precision / np.outer(scale, scale))[tuple(graph.edges.T)]
    np.testing.assert_allclose(graph.correlations, expected, atol=1e-9)
    np.testing.assert_array_equal(graph.weights, np.abs(graph.correlations))
    np.testing.assert_array_equal(graph.edges, model.graph_.edges)
    assert graph.labels == tuple("abcdefghi")
    assert graph.communities().shape == (9,)


def test_partial_correlations_of_a_complete_graph_are_those_of_regressions():
    X = factor_table(50, 4)
    graph = LoGoCovariance(shrinkage=None).fit(X).partial_correlations()
    X = X - X.mean(axis=0)
    for (i, j), partial in zip(graph.edges.tolist(), graph.correlations, strict=True):
        others = [k for k in range(4) if k not in (i, j)]
        rest = [
            X[:, k] - X[:, others] @ np.linalg.lstsq(X[:, others], X[:, k], rcond=None)[0]
            for k in (i, j)
        ]
        assert partial == pytest.approx(np.corrcoef(rest)[0, 1])
