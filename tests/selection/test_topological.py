import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from threadpoolctl import threadpool_limits

from tests.certificates import assert_tmfg
from tests.matrices import factor_table
from tests.messages import assert_tells
from topofs import (
    Centrality,
    ConstantFeatureWarning,
    TopologicalFeatureSelector,
    pearson,
    registered,
    tfs_score,
)
from topofs.centrality import CENTRALITIES
from topofs.selection import plain_settings


def by_degree(n_features_to_select=None, **parameters):
    """The rule of the paper; ties, as ever, by strength unless told otherwise."""
    return TopologicalFeatureSelector(n_features_to_select, rule="degree", **parameters)


@pytest.fixture
def X():
    return factor_table(60, 20)


def test_the_ranking_is_a_permutation_and_the_support_its_beginning(X):
    selector = by_degree(7).fit(X)
    assert sorted(selector.ranking_) == list(range(1, 21))
    np.testing.assert_array_equal(selector.support_, selector.ranking_ <= 7)
    np.testing.assert_array_equal(selector.scores_, selector.graph_.degree())
    assert_tmfg(selector.graph_)


@pytest.mark.parametrize(
    ("given", "size"),
    [
        (1, 1),
        (20, 20),
        (0.5, 10),
        (1.0, 20),
        (1e-9, 1),
        (None, 10),
        (np.float32(0.7), 14),
        (0.55, 11),
        (0.15, 3),
        (np.int64(4), 4),
    ],
)
def test_sizes(X, given, size):
    assert by_degree(given).fit(X).support_.sum() == size


def test_ties_go_to_strength_or_to_the_index(X):
    by_strength = by_degree().fit(X)
    strength = by_strength.graph_.strength()
    order = sorted(range(20), key=lambda i: (-by_strength.scores_[i], -strength[i], i))
    assert np.argsort(by_strength.ranking_).tolist() == order
    by_index = TopologicalFeatureSelector(None, rule=Centrality(ties="index")).fit(X)
    order = sorted(range(20), key=lambda i: (-by_index.scores_[i], i))
    assert np.argsort(by_index.ranking_).tolist() == order


@pytest.mark.parametrize("graph", registered("graph"))
@pytest.mark.parametrize("centrality", CENTRALITIES)
def test_every_graph_with_every_centrality(X, graph, centrality):
    selector = TopologicalFeatureSelector(5, graph=graph, rule=centrality).fit(X)
    assert selector.support_.sum() == 5
    expected = CENTRALITIES[centrality](selector.graph_)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-10)


@pytest.mark.parametrize("similarity", ["pearson", "spearman", "energy"])
@pytest.mark.parametrize("centrality", CENTRALITIES)
def test_permuting_columns_permutes_the_answer(similarity, centrality):
    X = factor_table(100, 40, seed=2)
    estimator = TopologicalFeatureSelector(None, similarity=similarity, rule=centrality)
    selector = clone(estimator).fit(X)
    assert len(set(selector.graph_.strength())) == 40
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(40)
        permuted = clone(estimator).fit(X[:, order])
        np.testing.assert_array_equal(permuted.ranking_, selector.ranking_[order])


@pytest.mark.parametrize("similarity", ["pearson", "spearman", "energy"])
@pytest.mark.parametrize("kind", ["whole", "real"])
def test_the_number_of_threads_changes_nothing(similarity, kind):
    X = factor_table(100, 300)
    X = np.rint(X) if kind == "whole" else X
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers.append(by_degree(similarity=similarity).fit(X))
    if kind == "whole":
        assert answers[0].graph_ == answers[1].graph_
    np.testing.assert_array_equal(answers[0].graph_.edges, answers[1].graph_.edges)
    np.testing.assert_array_equal(answers[0].ranking_, answers[1].ranking_)


def test_precomputed_and_callable_similarities_give_the_same_graph(X):
    selector = by_degree(3).fit(X)
    matrix = pearson(X, squared=True)
    before = matrix.copy()
    for similarity, given in (
        ("precomputed", matrix),
        (lambda table: pearson(table, squared=True), X),
        (lambda _: matrix, X),
    ):
        other = by_degree(3, similarity=similarity).fit(given)
        assert other.graph_ == selector.graph_
        np.testing.assert_array_equal(other.support_, selector.support_)
    np.testing.assert_array_equal(matrix, before)


def test_without_threshold(X):
    graph = by_degree(threshold=None).fit(X).graph_
    assert (graph.weights > 0).all()
    assert (by_degree().fit(X).graph_.weights == 0).any()


def test_a_sparse_table_gives_the_answer_of_the_dense_one():
    X = np.random.default_rng(0).poisson(0.5, size=(50, 30)).astype(float)
    dense = by_degree(5).fit(X)
    for container in (sparse.csr_array, sparse.csc_matrix):
        selector = by_degree(5).fit(container(X))
        assert selector.graph_ == dense.graph_
        assert sparse.issparse(selector.transform(container(X)))
    X[:, 3] = 0
    with pytest.warns(ConstantFeatureWarning, match=r"1 of 30 columns .*: x3"):
        assert by_degree(5).fit(sparse.csr_array(X)).ranking_[3] == 30


def test_constant_and_missing_columns_rank_last_with_one_warning():
    X = pd.DataFrame(factor_table(30, 8), columns=list("abcdefgh"))
    without = by_degree().fit(X[list("acdefh")])
    X["b"] = 1.5
    X["g"] = np.nan
    with pytest.warns(ConstantFeatureWarning) as caught:
        selector = by_degree(7).fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert_tells(caught[0].message, "2 of 8", "constant", "b, g (all missing)")
    assert selector.graph_.labels == tuple("acdefh")
    assert selector.nodes_.tolist() == [0, 2, 3, 4, 5, 7]
    assert selector.ranking_[[1, 6]].tolist() == [7, 8]
    assert selector.scores_[[1, 6]].tolist() == [0, 0]
    np.testing.assert_array_equal(selector.ranking_[selector.nodes_], without.ranking_)
    # Only when more are asked for than vary is a constant column taken.
    assert selector.support_.tolist() == [True] * 6 + [False, True]


def test_missing_values_are_used_pair_by_pair(X):
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    selector = by_degree(5, threshold=None).fit(X)
    similarity = pearson(X, squared=True)
    i, j = selector.graph_.edges.T
    np.testing.assert_array_equal(selector.graph_.weights, similarity[i, j])
    table = pl.DataFrame(np.where(np.isnan(X), None, X).tolist(), orient="row", strict=False)
    np.testing.assert_array_equal(
        by_degree(5).fit(table).support_,
        by_degree(5).fit(X).support_,
    )


def test_forced_columns_come_first_and_leave_the_order_of_the_others_alone():
    X = pd.DataFrame(factor_table(40, 10), columns=list("abcdefghij"))
    plain = by_degree(4).fit(X)
    worst = X.columns[np.argsort(-plain.ranking_)[:2]]
    for keep in (list(worst), [X.columns.get_loc(name) for name in worst]):
        selector = by_degree(4, keep=keep).fit(X)
        assert set(worst) <= set(selector.get_feature_names_out())
        np.testing.assert_array_equal(selector.scores_, plain.scores_)
        order, before = np.argsort(selector.ranking_), np.argsort(plain.ranking_)
        forced = [X.columns.get_loc(name) for name in worst]
        assert selector.forced_.tolist() == sorted(forced)
        assert order.tolist() == [
            *(i for i in before if i in forced),
            *(i for i in before if i not in forced),
        ]
        assert selector.support_.sum() == 4
        assert (selector.support_ & plain.support_).sum() == 2
    assert selector.explain(worst[0]).forced


def test_another_size_without_fitting_again(X):
    selector = by_degree(3).fit(X)
    other = selector.at(9)
    np.testing.assert_array_equal(other.support_, by_degree(9).fit(X).support_)
    assert other.graph_ is selector.graph_
    assert selector.support_.sum() == 3
    assert selector.n_features_to_select == 3
    pandas = selector.set_output(transform="default").at(2).set_output(transform="pandas")
    assert isinstance(pandas.transform(X), pd.DataFrame)
    assert isinstance(selector.transform(X), np.ndarray)
    selector.get_support()[:] = False
    assert selector.support_.sum() == 3
    with pytest.raises(ValueError, match="n_features_to_select is 21, but X has 20"):
        selector.at(21)
    with pytest.raises(NotFittedError):
        by_degree().at(3)


def test_explanations_tell_the_place_in_graph_and_ranking():
    X = pd.DataFrame(factor_table(40, 10), columns=list("abcdefghij"))
    X["j"] = 0.0
    with pytest.warns(ConstantFeatureWarning):
        selector = by_degree(3).fit(X)
    for position, name in enumerate(X.columns[:9]):
        explanation = selector.explain(name)
        assert explanation == selector.explain(position)
        assert explanation.rank == selector.ranking_[position]
        assert explanation.score == selector.scores_[position] == len(explanation.neighbors)
        assert explanation.selected == selector.support_[position]
        weights = [neighbor.weight for neighbor in explanation.neighbors]
        assert weights == sorted(weights, reverse=True)
        assert all(neighbor.selected for neighbor in explanation.selected_neighbors)
        same = (selector.scores_[:9] == explanation.score).sum() - 1
        assert explanation.n_same_score == same
    selector.set_params(rule="pagerank", keep=["a"])
    assert selector.explain("b").score_name == "degree"
    assert not selector.explain("a").forced
    nameless = by_degree(3).fit(X.to_numpy()[:, :9])
    assert nameless.explain("x1") == nameless.explain(1)
    assert str(selector.explain("j")) == "j takes no part in the selection: constant."
    for unknown in ("z", 10, -1, 1.5, True):
        with pytest.raises(ValueError, match="column"):
            selector.explain(unknown)


def test_the_score_function_selects_the_same_features():
    X = np.rint(factor_table(60, 20))
    X[:, 4] = 1
    with pytest.warns(ConstantFeatureWarning):
        scores = tfs_score(X)
    assert len(set(scores)) == 20
    with pytest.warns(ConstantFeatureWarning):
        chosen = SelectKBest(tfs_score, k=6).fit(X, np.zeros(60)).get_support()
    with pytest.warns(ConstantFeatureWarning):
        np.testing.assert_array_equal(chosen, by_degree(6).fit(X).support_)


def test_settings_in_plain_words():
    selector = TopologicalFeatureSelector(3, similarity="spearman", graph="mst")
    assert plain_settings(selector) == {
        "size": 3,
        "similarity": {"name": "spearman", "squared": True, "rows": "independent"},
        "threshold": "auto",
        "graph": {"name": "mst"},
        "rule": {
            "name": "coverage",
            "reach": "auto",
            "isolated": "drop",
            "ties": "strength",
            "refine": False,
        },
        "keep": [],
        "exclude": [],
        "at_most": None,
        "at_least": None,
        "max_similarity": None,
        "relevance": None,
        "min_carriers": "auto",
    }
