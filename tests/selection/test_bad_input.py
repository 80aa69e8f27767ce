"""The table of bad inputs: each gets one clear sentence."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from tests.matrices import factor_table
from tests.messages import assert_tells
from topofs import (
    Centrality,
    Coverage,
    Energy,
    InfiniteFeatureSelector,
    TopologicalFeatureSelector,
    tmfg,
)

BOTH = pytest.mark.parametrize(
    "estimator", [TopologicalFeatureSelector, InfiniteFeatureSelector]
)


@BOTH
@pytest.mark.parametrize(
    "X",
    [
        [["a", "b"], ["c", "d"]],
        [1.0, 2.0, 3.0],
        np.empty((0, 3)),
        np.empty((3, 0)),
        [[1.0, np.inf], [0.0, 1.0]],
        np.array([[1.0 + 2j, 1.0], [0.0, 1.0]]),
    ],
    ids=["strings", "1-d", "no rows", "no columns", "infinite", "complex"],
)
def test_what_is_not_a_table_of_numbers_gets_a_value_error(estimator, X):
    with pytest.raises(ValueError):  # noqa: PT011 - scikit-learn's own messages
        estimator().fit(X)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((3, 2)), r"square matrix; got the shape \(3, 2\)"),
        ([[1, 0.2], [0.3, 1]], r"entry \(0, 1\) is 0.2 but entry \(1, 0\) is 0.3"),
        ([[1, np.nan], [np.nan, 1]], r"entry \(0, 1\) of the similarity is nan"),
    ],
)
def test_what_is_not_a_similarity_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        TopologicalFeatureSelector(similarity="precomputed").fit(matrix)
    with pytest.raises(ValueError, match=message):
        TopologicalFeatureSelector(similarity=lambda _: np.array(matrix)).fit(
            factor_table(9, 2)
        )


def test_a_matrix_of_distances_is_refused_as_a_given_similarity():
    similar = np.abs(np.corrcoef(factor_table(60, 6).T))
    selector = TopologicalFeatureSelector(2, similarity="precomputed")
    for distances in (1 - similar, np.sqrt(2 * (1 - similar)), 3 - similar):
        with pytest.raises(ValueError, match=r"matrix of distances .* pass 1 - distance"):
            selector.fit(distances)
        tmfg(distances)
    hollow = similar - np.eye(6)
    hollow[0, 1] = hollow[1, 0] = 0.0
    for matrix in (similar, hollow, np.zeros((6, 6)), np.ones((6, 6)), [[0.0]]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TopologicalFeatureSelector(1, similarity="precomputed").fit(matrix)


def test_a_callable_must_return_a_similarity_of_all_its_columns():
    with pytest.raises(ValueError, match=r"similarity function .* 5 × 5 .* \(3, 3\)"):
        TopologicalFeatureSelector(similarity=lambda _: np.eye(3)).fit(factor_table(9, 5))


@BOTH
@pytest.mark.parametrize("size", [0, -1, 6, np.nan, 0.0, -0.1, 1.1, "3", True, np.inf])
def test_an_impossible_size_is_refused_with_both_numbers(estimator, size):
    message = rf"n_features_to_select is {size!r}, but X has 5 features"
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        estimator(size).fit(factor_table(9, 5))


@pytest.mark.parametrize(
    ("parameter", "known"),
    [
        (
            "similarity",
            "'auto', 'energy', 'mixed', 'mutual_information', 'pearson', 'precomputed', "
            "'spearman' and a function",
        ),
        (
            "rule",
            "'betweenness', 'closeness', 'coverage', 'degree', 'eigenvector', 'pagerank', "
            "'strength', 'variance'",
        ),
        ("graph", "'auto', 'links', 'mfcf', 'mst', 'pmfg', 'tmfg'"),
        ("threshold", "'auto', 'mean', None"),
    ],
)
@pytest.mark.parametrize("given", ["nonsense", 3, ["tmfg"], np.eye(2), {}], ids=str)
def test_an_unknown_name_gets_the_known_ones(parameter, known, given):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        TopologicalFeatureSelector(**{parameter: given}).fit(factor_table(9, 5))
    assert_tells(caught.value, parameter, repr(given), known)
    assert str(caught.value).endswith(known)


@pytest.mark.parametrize(
    ("term", "parameter", "known"),
    [
        (Coverage, "reach", "'auto', 'edges', 'paths'"),
        (Coverage, "isolated", "'drop', 'keep', 'last'"),
        (Coverage, "ties", "'strength', 'index'"),
        (Centrality, "ties", "'strength', 'index'"),
        (
            Centrality,
            "score",
            "'degree', 'strength', 'eigenvector', 'pagerank', 'closeness', 'betweenness'",
        ),
    ],
)
@pytest.mark.parametrize("given", ["nonsense", 3, ["paths"], np.eye(2)], ids=str)
def test_an_unknown_choice_of_a_term_gets_the_known_ones(term, parameter, known, given):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        term(**{parameter: given})
    assert_tells(caught.value, parameter, repr(given), known)
    assert str(caught.value).endswith(known)


@pytest.mark.parametrize("alpha", [-0.1, 1.5, np.nan, "0.5", None])
def test_alpha_out_of_range_gets_the_range(alpha):
    message = r"alpha is .*; it must be a number in \[0, 1\]"
    with pytest.raises(ValueError, match=message):
        InfiniteFeatureSelector(alpha=alpha).fit(factor_table(9, 5))
    with pytest.raises(ValueError, match=message):
        Energy(alpha=alpha)
    with pytest.raises(ValueError, match=message):
        TopologicalFeatureSelector(similarity="energy").set_params(similarity__alpha=alpha)


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (["z"], "no column 'z' among the 5"),
        ([5], "column 5 is not one of 0 … 4"),
        ([1.5], "1.5 is neither the name nor the position"),
        ("ab", "give a list"),
        (1.5, "give a list"),
        (["a", "b", "c"], "keep names 3 columns, but only 2 are to be selected"),
    ],
)
def test_impossible_columns_to_keep_are_refused(keep, message):
    X = pd.DataFrame(factor_table(9, 5), columns=list("abcde"))
    with pytest.raises(ValueError, match=message):
        TopologicalFeatureSelector(2, keep=keep).fit(X)


@BOTH
def test_a_failed_fit_leaves_nothing_half_fitted(estimator):
    selector = estimator(99)
    with pytest.raises(ValueError, match="X has 5 features"):
        selector.fit(factor_table(9, 5))
    with pytest.raises(NotFittedError):
        selector.transform(factor_table(9, 5))


def test_the_size_is_checked_before_the_work():
    def never(_):
        raise AssertionError

    with pytest.raises(ValueError, match="X has 5 features"):
        TopologicalFeatureSelector(99, similarity=never).fit(factor_table(9, 5))


@BOTH
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.bool_, np.float32, np.int64, object])
def test_every_number_type_gives_the_same_answer(estimator, dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype == np.bool_ else 200, size=(40, 12))
    expected = estimator(5).fit(X.astype(np.float64))
    given = np.asfortranarray(X.astype(dtype))
    given.flags.writeable = False
    selector = estimator(5).fit(given)
    np.testing.assert_array_equal(selector.ranking_, expected.ranking_)
    np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-5)


@BOTH
def test_one_sample_is_refused(estimator):
    with pytest.raises(ValueError, match="1 sample"):
        estimator().fit([[1.0, 2.0, 3.0]])


@BOTH
def test_one_feature_is_selected(estimator):
    selector = estimator().fit([[1.0], [2.0], [4.0]])
    assert selector.support_.tolist() == [True]
    assert selector.ranking_.tolist() == [1]


@BOTH
@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_few_features_are_ranked(estimator, n):
    assert sorted(estimator().fit(factor_table(9, n)).ranking_) == list(range(1, n + 1))


@BOTH
@pytest.mark.parametrize("value", [1.0, np.nan])
def test_nothing_but_constant_columns_is_refused(estimator, value):
    with pytest.raises(ValueError, match="all 3 columns of X are constant or missing"):
        estimator().fit(np.full((4, 3), value))


def test_a_sparse_similarity_is_refused():
    similarity = sparse.csr_array(np.eye(4))
    for table in (similarity, pd.DataFrame.sparse.from_spmatrix(similarity)):
        with pytest.raises(TypeError, match="[Ss]parse"):
            TopologicalFeatureSelector(2, similarity="precomputed").fit(table)


def test_missing_values_in_a_sparse_table_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        TopologicalFeatureSelector().fit(sparse.csr_array([[np.nan, 1.0], [0.0, 2.0]]))


def test_automatic_is_among_the_sizes_where_it_is_known():
    X = factor_table(9, 5)
    with pytest.raises(ValueError, match="give 'auto', a whole number from 1 to 5, a fraction"):
        TopologicalFeatureSelector("all").fit(X)
    for other in (
        TopologicalFeatureSelector("all", rule="degree"),
        InfiniteFeatureSelector("all"),
    ):
        with pytest.raises(ValueError, match="give a whole number from 1 to 5, a fraction"):
            other.fit(X)


TEXT = {"size": [1.0, 2.0, 4.0], "code": ["1", "2", "3"], "town": ["Ulm", "Kiel", "Ulm"]}


@pytest.mark.parametrize(
    "selector",
    [
        TopologicalFeatureSelector.paper(2),
        TopologicalFeatureSelector(2, similarity="pearson"),
        TopologicalFeatureSelector(2, similarity=np.corrcoef),
    ],
    ids=["paper", "pearson", "function"],
)
def test_text_is_named_and_sent_to_the_measure_that_takes_it(selector):
    tables = {"town": [pd.DataFrame(TEXT), pl.DataFrame(TEXT)], "x2": []}
    tables["x2"] = [pd.DataFrame(TEXT).to_numpy(), pd.DataFrame(TEXT).to_numpy().astype(str)]
    for name, given in tables.items():
        for X in given:
            message = f"column '{name}' holds text, .* use similarity='mixed'"
            with pytest.raises(ValueError, match=message) as caught:
                selector.fit(X)
            assert "\n" not in str(caught.value)


def test_text_is_named_where_no_other_measure_helps():
    message = "column 'town' holds text, .*numbers only: turn it into numbers"
    for selector in (
        InfiniteFeatureSelector(2),
        TopologicalFeatureSelector(2, similarity="precomputed"),
    ):
        with pytest.raises(ValueError, match=message):
            selector.fit(pd.DataFrame(TEXT))


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TypeError, match=r"LazyFrame.*X\.collect\(\)"):
        InfiniteFeatureSelector(1).fit(pl.DataFrame({"a": [1, 2, 4], "b": [2, 1, 4]}).lazy())


@BOTH
def test_a_number_too_large_is_named(estimator):
    X = pd.DataFrame({"a": [1.0, 2.0], "big": pd.Series([1, 10**400], dtype=object)})
    with pytest.raises(ValueError, match="'big'.* row 1 .*too large"):
        estimator(1).fit(X)
    with pytest.raises(ValueError, match="'x1'.* row 1 .*too large"):
        estimator(1).fit(X.to_numpy())


@BOTH
def test_timestamps_are_not_numbers(estimator):
    times = np.arange(8).reshape(4, 2).astype("M8[ns]")
    with pytest.raises(ValueError, match="column 'x0' holds timestamps"):
        estimator(1).fit(times)


NUMBERS_ONLY = (
    InfiniteFeatureSelector(1),
    TopologicalFeatureSelector(1, similarity="spearman"),
)


@pytest.mark.parametrize("selector", NUMBERS_ONLY, ids=["infinite", "topological"])
@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("others", [{}, {"a": [1.0, 2.0, 0.0, 4.0]}])
def test_parsed_dates_in_a_frame_are_named(selector, library, others):
    for times in (np.arange(4).astype("M8[ns]"), np.arange(4).astype("m8[ns]")):
        with pytest.raises(ValueError, match="column 'when' holds timestamps: turn it into"):
            selector.fit(library.DataFrame({**others, "when": times}))


@BOTH
def test_the_largest_floats_of_both_signs_are_taken_without_a_word(estimator):
    X = factor_table(30, 5)
    X[:, 0] = np.where(X[:, 0] > 0, 1e308, -1e308)
    smaller = X / np.where(np.arange(5) == 0, 1e308, 1)
    np.testing.assert_array_equal(
        estimator(2).fit(X).support_, estimator(2).fit(smaller).support_
    )


def test_a_refused_fit_leaves_an_earlier_one_as_it_was():
    X = np.random.default_rng(0).normal(size=(40, 6))
    selector = TopologicalFeatureSelector(3).fit(X)
    before = dict(vars(selector))
    for wrong in (
        {"n_features_to_select": 99, "keep": [3]},
        {"rule": "variance", "graph": "tmfg"},
    ):
        again = selector.set_params(**wrong)
        with pytest.raises(ValueError, match=r"n_features_to_select|graph"):
            again.fit(X)
        fitted = {name: value for name, value in vars(selector).items() if name not in wrong}
        assert all(value is before[name] for name, value in fitted.items())
        selector.set_params(n_features_to_select=3, keep=None, rule="coverage", graph="auto")
