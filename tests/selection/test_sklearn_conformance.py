"""scikit-learn's own checks, those that `check_estimator` runs and those it does not."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.matrices import factor_table
from topofs import (
    MST,
    PMFG,
    TMFG,
    Auto,
    Centrality,
    Coverage,
    Energy,
    InfiniteFeatureSelector,
    Links,
    MutualInformation,
    Pearson,
    Relevance,
    Spearman,
    TopologicalFeatureSelector,
    Variance,
)

ESTIMATORS = [
    TopologicalFeatureSelector(),
    TopologicalFeatureSelector(similarity=Auto(squared=False), graph=TMFG(), rule=Coverage()),
    TopologicalFeatureSelector(
        similarity="mixed", graph=Links(strongest=None), rule=Coverage(isolated="keep")
    ),
    TopologicalFeatureSelector(None, similarity="spearman", graph="mst", rule="strength"),
    TopologicalFeatureSelector(
        None,
        similarity=Spearman(squared=False),
        graph=MST(),
        rule=Centrality("closeness", ties="index"),
    ),
    TopologicalFeatureSelector(
        0.5, similarity=Pearson(), graph=PMFG(), rule=Coverage(reach="edges", ties="index")
    ),
    TopologicalFeatureSelector(
        1, similarity=MutualInformation(n_bins=3), rule=Centrality("pagerank"), threshold=None
    ),
    TopologicalFeatureSelector.paper(similarity=Energy(alpha=0.2)),
    TopologicalFeatureSelector(rule=Variance()),
    TopologicalFeatureSelector(relevance="target"),
    TopologicalFeatureSelector(1, similarity="mixed", relevance=Relevance(represented=1)),
    InfiniteFeatureSelector(),
]


# The tables and targets of these checks are noise, and saying so is the right answer to them.
def noise(test):
    for said in (
        "ignore::topofs.NoStructureWarning",
        "ignore::topofs.NoRelevanceWarning",
        "ignore:No features were selected",
    ):
        test = pytest.mark.filterwarnings(said)(test)
    return test


# No expected failures.
@noise
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@noise
# These checks fit with names and transform without, or the other way round, on purpose.
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize(
    "check",
    [
        "check_dataframe_column_names_consistency",
        "check_estimators_pickle",
        "check_get_feature_names_out_error",
        "check_global_output_transform_pandas",
        "check_global_set_output_transform_polars",
        "check_n_features_in_after_fitting",
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
    ],
)
def test_checks_that_check_estimator_leaves_out(estimator, check):
    function = getattr(estimator_checks, check, None)
    if function is None:
        pytest.skip(f"this scikit-learn has no {check}")
    function(type(estimator).__name__, clone(estimator))


@noise
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame])
def test_tables_in_tables_out(estimator, container):
    X = factor_table(30, 6)
    names = list("abcdef")
    table = container(dict(zip(names, X.T, strict=True)))
    output = "pandas" if container is pd.DataFrame else "polars"
    y = np.arange(30) % 3
    selector = clone(estimator).set_params(n_features_to_select=3).set_output(transform=output)
    out = selector.fit_transform(table, y)
    assert isinstance(out, container)
    assert list(out.columns) == selector.get_feature_names_out().tolist()
    np.testing.assert_array_equal(out.to_numpy(), X[:, selector.support_])
    np.testing.assert_array_equal(selector.support_, clone(selector).fit(X, y).support_)


@noise
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_clone_and_pickle(estimator):
    X = pd.DataFrame(factor_table(30, 6), columns=list("abcdef"))
    selector = clone(estimator).fit(X, X["a"] > 0)
    assert clone(selector).get_params() == selector.get_params()
    other = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(other.ranking_, selector.ranking_)
    np.testing.assert_array_equal(other.transform(X), selector.transform(X))
    assert getattr(other, "graph_", None) == getattr(selector, "graph_", None)


def test_in_a_pipeline_with_grid_search():
    X = factor_table(60, 8)
    y = (X[:, 0] > 0).astype(int)
    pipeline = make_pipeline(TopologicalFeatureSelector(), KNeighborsClassifier())
    grid = {
        "topologicalfeatureselector__n_features_to_select": [2, 4],
        "topologicalfeatureselector__similarity": ["pearson", "mutual_information"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.5
