"""The scikit-learn side of the homological networks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.matrices import factor_table
from topofs import FilteredGraph, TopologicalFeatureSelector, pearson, tmfg
from topofs.torch import HomologicalClassifier, HomologicalRegressor

BRIEFLY = {"max_epochs": 4, "random_state": 0}


# No expected failures.
@parametrize_with_checks(
    [
        HomologicalClassifier(max_epochs=25, learning_rate=0.05, random_state=0),
        HomologicalRegressor(max_epochs=25, learning_rate=0.05, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("network", ["layers", "convolution"])
@pytest.mark.parametrize(
    ("kind", "load"),
    [(HomologicalClassifier, load_wine), (HomologicalRegressor, load_diabetes)],
)
def test_same_seed_same_result(kind, load, network):
    X, y = load(return_X_y=True)
    model = kind(network=network, **BRIEFLY)
    first, again = clone(model).fit(X, y), clone(model).fit(X, y)
    np.testing.assert_array_equal(first.predict(X), again.predict(X))
    assert first.losses_ == again.losses_
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert first.losses_ != other.losses_


def test_in_a_pipeline_behind_a_selector():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(
        StandardScaler(),
        TopologicalFeatureSelector(8),
        HomologicalClassifier(max_epochs=30, random_state=0),
    ).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model[-1].graph_.n_nodes == 8


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("kind", [HomologicalClassifier, HomologicalRegressor])
def test_sparse_and_annotated_tables_are_taken(kind):
    anndata = pytest.importorskip("anndata", reason="the extra anndata is not installed")
    X, y = load_wine(return_X_y=True)
    X = np.rint(X)
    expected = kind(**BRIEFLY).fit(X, y).predict(X)
    for table in (sparse.csr_matrix(X), anndata.AnnData(sparse.csr_matrix(X))):
        np.testing.assert_array_equal(kind(**BRIEFLY).fit(table, y).predict(table), expected)


@pytest.mark.parametrize("kind", [HomologicalClassifier, HomologicalRegressor])
def test_what_is_masked_is_missing(kind):
    X, y = load_wine(return_X_y=True)
    masked = np.ma.array(X, mask=np.zeros(X.shape, dtype=bool))
    model = kind(**BRIEFLY).fit(masked, y)
    masked[3, 2] = np.ma.masked
    for ask in (model.predict, lambda table: kind(**BRIEFLY).fit(table, y)):
        with pytest.raises(ValueError, match="NaN"):
            ask(masked)


def test_it_stops_early_and_keeps_the_best():
    X, y = load_wine(return_X_y=True)
    model = HomologicalClassifier(patience=2, random_state=0).fit(X, y)
    assert len(model.losses_) < 200
    assert min(model.losses_) == model.losses_[-3]


def test_a_given_graph_and_constant_columns():
    X = factor_table(60, 8)
    y = (X[:, 0] > 0).astype(int)
    graph = tmfg(pearson(X, squared=True))
    assert HomologicalClassifier(graph, **BRIEFLY).fit(X, y).graph_ is graph
    X[:, 3] = 7.0
    model = HomologicalClassifier(**BRIEFLY).fit(X, y)
    assert model.graph_.n_nodes == 7
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"network": "dense"}, "network is 'dense'; known are 'layers', 'convolution'"),
        ({"graph": "tmgf"}, "graph is 'tmgf'; known are"),
        ({"graph": FilteredGraph(2, [[0, 1]], [1.0])}, "has 2 nodes and X 6 columns"),
        ({"batch_size": 0}, "batch_size is 0; it must be a whole number above 0"),
        ({"max_epochs": 1.5}, "max_epochs is 1.5; it must be a whole number above 0"),
        ({"learning_rate": "x"}, "learning_rate is 'x'; it must be a number above 0"),
        ({"weight_decay": -1}, "weight_decay is -1; it must be a number, 0 or more"),
        ({"validation_fraction": 1.0}, "validation_fraction is 1.0; it must be in"),
    ],
)
def test_bad_parameters(given, sentence):
    X = factor_table(20, 6)
    with pytest.raises(ValueError, match=sentence):
        HomologicalRegressor(**given).fit(X, X[:, 0])


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="every column of X is constant"):
        HomologicalRegressor().fit(np.ones((9, 3)), np.arange(9))
    with pytest.raises(ValueError, match="one class"):
        HomologicalClassifier().fit(factor_table(9, 3), np.ones(9))
