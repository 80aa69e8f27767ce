"""Bootstrap intervals of networks and the case-dropping coefficient, against loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.matrices import factor_table
from tests.naive import networks as naive
from topofs import LoGoCovariance, TopologicalFeatureSelector, network_stability, tmfg
from topofs.centrality import CENTRALITIES
from topofs.selection.network_stability import DROPPED, _coefficient, _correlation
from topofs.selection.stability import drawn_rows

SELECTOR = TopologicalFeatureSelector(graph="tmfg", rule="degree")


def naive_network(X):
    """Dense signed adjacency of the TMFG of squared correlations, and centralities."""
    correlation = np.corrcoef(X.T)
    graph = tmfg(correlation**2)
    signed = np.zeros_like(correlation)
    for i, j in graph.edges.tolist():
        signed[i, j] = signed[j, i] = correlation[i, j]
    return signed, {name: CENTRALITIES[name](graph) for name in ("strength", "degree")}


def naive_correlation(x, y):
    return 0.0 if np.ptp(x) == 0 or np.ptp(y) == 0 else np.corrcoef(x, y)[0, 1]


def test_loops_over_the_same_draws_give_the_same():
    X = factor_table(60, 8, seed=2)
    n_resamples, level = 30, 0.9
    found = network_stability(
        TopologicalFeatureSelector(graph="tmfg", rule="degree", threshold=None),
        X,
        n_resamples=n_resamples,
        centralities=("strength", "degree"),
        level=level,
        random_state=np.random.RandomState(7),
    )
    signed, centralities = naive_network(X)
    generator = np.random.RandomState(7)
    samples = [naive_network(X[rows]) for rows in drawn_rows(None, 60, n_resamples, generator)]
    i, j = found.edges.T
    assert np.count_nonzero(np.triu(signed)) == len(found.edges)
    ends = ((1 - level) / 2, (1 + level) / 2)
    edges = found.intervals["edge"]
    np.testing.assert_allclose(edges.values, signed[i, j], atol=1e-12)
    drawn = np.array([sample[i, j] for sample, _ in samples])
    np.testing.assert_allclose(edges.lower, np.quantile(drawn, ends[0], axis=0), atol=1e-12)
    np.testing.assert_allclose(edges.upper, np.quantile(drawn, ends[1], axis=0), atol=1e-12)
    np.testing.assert_allclose(found.frequency, (drawn != 0).mean(axis=0))
    for name in ("strength", "degree"):
        of = found.intervals[name]
        drawn = np.array([scores[name] for _, scores in samples])
        np.testing.assert_allclose(of.values, centralities[name], atol=1e-12)
        np.testing.assert_allclose(of.lower, np.quantile(drawn, ends[0], axis=0), atol=1e-12)
    # The parts of the rows come next from the same generator.
    upper = np.triu_indices(8, 1)
    for number, share in enumerate(DROPPED):
        for draw in range(3):
            rows = np.sort(generator.permutation(60)[: round(60 * (1 - share))])
            part, scores = naive_network(X[rows])
            expected = naive_correlation(part[upper], signed[upper])
            assert found.correlations["edge"][number, draw] == pytest.approx(expected)
            for name in scores:
                expected = naive_correlation(scores[name], centralities[name])
                assert found.correlations[name][number, draw] == pytest.approx(expected)
    for name, coefficient in found.coefficient.items():
        values = found.correlations[name].tolist()
        assert coefficient == naive.case_dropping(found.dropped.tolist(), values)


@given(
    st.lists(
        st.lists(st.sampled_from([-0.2, 0.69, 0.7, 0.9, 1.0]), min_size=20, max_size=20),
        min_size=10,
        max_size=10,
    )
)
def test_the_coefficient_is_its_definition(values):
    assert _coefficient(DROPPED, np.array(values)) == naive.case_dropping(DROPPED, values)


@given(st.integers(0, 1000), st.integers(0, 5))
def test_pairs_that_are_not_given_count_as_0(seed, n_zero):
    x, y = np.random.default_rng(seed).normal(size=(2, 6))
    zeros = np.zeros(n_zero)
    expected = np.corrcoef(np.concatenate([x, zeros]), np.concatenate([y, zeros]))[0, 1]
    assert _correlation(x, y, 6 + n_zero) == pytest.approx(expected)


def test_a_constant_statistic_has_correlation_0():
    assert _correlation(np.ones(5), np.arange(5.0), 5) == 0.0


def test_the_number_of_jobs_plays_no_part():
    X = factor_table(50, 7)
    one, two = (
        network_stability(SELECTOR, X, n_resamples=20, random_state=3, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.coefficient == two.coefficient
    for name, of in one.intervals.items():
        for end in ("values", "lower", "upper"):
            np.testing.assert_array_equal(getattr(of, end), getattr(two.intervals[name], end))


def test_intervals_are_as_wide_as_theory_says():
    """A correlation r of S rows has the standard error (1 - r²) / √S."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 400))
    b = 0.8 * a + 0.6 * b
    X = np.column_stack([a, b, 0.8 * b + 0.6 * c])
    selector = TopologicalFeatureSelector(graph="mst")
    found = network_stability(selector, X, n_resamples=300, random_state=0)
    edges = found.intervals["edge"]
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    expected = 2 * 1.96 * (1 - edges.values**2) / np.sqrt(400)
    np.testing.assert_allclose(edges.upper - edges.lower, expected, rtol=0.2)


def test_more_rows_may_be_dropped_of_a_clearer_network():
    rng = np.random.default_rng(0)
    factors = np.repeat(rng.normal(size=(300, 2)), [9, 3], axis=1)
    spread = np.linspace(0.3, 3, 12)
    clear, noise = factors + spread * rng.normal(size=(300, 12)), rng.normal(size=(300, 12))
    shares = [
        network_stability(SELECTOR, X, n_resamples=60, random_state=0).coefficient["strength"]
        for X in (clear, noise)
    ]
    assert shares[0] >= 0.5
    assert shares[1] < 0.25


def test_columns_that_do_not_vary_have_no_edges():
    X = factor_table(40, 6)
    X[:, 2] = 0.0
    X[:1, 2] = 1.0  # constant in a third of the samples
    found = network_stability(SELECTOR, X, n_resamples=30, random_state=0)
    assert found.intervals["strength"].lower[2] == 0.0
    X[:, 4] = 5.0
    found = network_stability(SELECTOR, X, n_resamples=20, random_state=0)
    assert 4 not in found.edges
    assert found.intervals["strength"].values[4] == 0.0


def test_default_links_names_and_text():
    X = pd.DataFrame(factor_table(50, 5), columns=list("abcde"))
    found = network_stability(TopologicalFeatureSelector(), X, n_resamples=20, random_state=0)
    assert found.names == tuple("abcde")
    assert found.signed
    assert (
        np.sign(found.intervals["edge"].values)
        == np.sign(np.corrcoef(X.T.to_numpy())[tuple(found.edges.T)])
    ).all()
    text = repr(found)
    assert "20 bootstrap samples" in text
    assert "betweenness" in text


def test_measures_without_a_sign_have_weights():
    selector = TopologicalFeatureSelector(graph="mst", similarity="mutual_information")
    found = network_stability(selector, factor_table(40, 5), n_resamples=20, random_state=0)
    assert not found.signed
    assert (found.intervals["edge"].values >= 0).all()


def test_partial_correlations_of_a_model():
    X = factor_table(80, 6)
    found = network_stability(LoGoCovariance("mst"), X, n_resamples=20, random_state=0)
    graph = LoGoCovariance("mst").fit(X).partial_correlations()
    np.testing.assert_array_equal(found.edges, graph.edges)
    np.testing.assert_array_equal(found.intervals["edge"].values, graph.correlations)


def test_missing_values_sparse_tables_and_blocks():
    X = factor_table(60, 5)
    holes = X.copy()
    holes[::7, 1] = np.nan
    found = network_stability(SELECTOR, holes, n_resamples=20, random_state=0)
    assert np.isfinite(found.intervals["edge"].lower).all()
    counts = np.random.default_rng(0).poisson(2, size=(80, 6)).astype(float)
    selector = TopologicalFeatureSelector(graph="tmfg", min_carriers=0)
    dense = network_stability(selector, counts, n_resamples=20, random_state=0)
    thin = network_stability(selector, sparse.csr_array(counts), n_resamples=20, random_state=0)
    np.testing.assert_allclose(
        thin.intervals["edge"].values, dense.intervals["edge"].values, atol=1e-12
    )
    blocks = network_stability(SELECTOR, X, n_resamples=20, splits="blocks", random_state=0)
    assert blocks.dropped == pytest.approx(found.dropped)


def test_constraints_of_the_selector_cannot_fail_in_a_sample():
    X = pd.DataFrame(factor_table(60, 6), columns=list("abcdef"))
    selector = TopologicalFeatureSelector(4, graph="tmfg", keep=["a"], max_similarity=0.9)
    found = network_stability(selector, X, n_resamples=20, random_state=0)
    assert len(found.edges) == 12


def test_progress_counts_all_networks():
    seen = []
    network_stability(
        SELECTOR,
        factor_table(40, 5),
        n_resamples=20,
        random_state=0,
        progress=lambda *done: seen.append(done),
    )
    assert seen == [(i, 40) for i in range(1, 41)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_resamples": 19}, "n_resamples is 19; give a whole number of at least 20"),
        ({"n_resamples": 50.5}, "n_resamples is 50.5"),
        ({"level": 1.5}, r"level is 1.5; it must be a number in \(0, 1\)"),
        ({"splits": "rows"}, "splits is 'rows'; give 'blocks' or None"),
        (
            {"centralities": ("strength", "fame")},
            "centralities holds 'fame'; known are 'degree'",
        ),
    ],
)
def test_bad_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        network_stability(SELECTOR, factor_table(30, 5), **change)


def test_bad_estimators_and_tables():
    X = factor_table(30, 5)
    with pytest.raises(ValueError, match="rule 'variance' ranks without a graph"):
        network_stability(TopologicalFeatureSelector(rule="variance"), X)
    with pytest.raises(TypeError, match="PCA has no network"):
        from sklearn.decomposition import PCA

        network_stability(PCA(), X)
    with pytest.raises(ValueError, match="whose rows are columns and cannot be drawn"):
        network_stability(TopologicalFeatureSelector(similarity="precomputed"), np.eye(5))
    with pytest.raises(ValueError, match="give more rows"):
        network_stability(LoGoCovariance("mst"), X[:4], n_resamples=20, random_state=0)
