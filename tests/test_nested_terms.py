"""Terms in an estimator: nested parameters, pipelines, grid searches, names and objects."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from tests.matrices import factor_table
from topofs import (
    MST,
    Auto,
    Centrality,
    Coverage,
    Energy,
    Function,
    Measure,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    pearson,
    registered,
)


def squares(table):
    return pearson(table, squared=True)


@pytest.fixture
def X():
    return factor_table(60, 10)


def test_parameters_of_terms_by_nested_names():
    selector = TopologicalFeatureSelector()
    nested = {name: value for name, value in selector.get_params().items() if "__" in name}
    assert nested == {
        "similarity__squared": True,
        "similarity__rows": "independent",
        "rule__reach": "auto",
        "rule__isolated": "drop",
        "rule__ties": "strength",
        "rule__refine": False,
    }
    assert not any("__" in name for name in selector.get_params(deep=False))
    assert selector.set_params(rule__reach="edges", similarity__squared=False) is selector
    assert selector.rule == Coverage(reach="edges")
    assert selector.similarity == Auto(squared=False)
    assert selector.get_params()["rule__reach"] == "edges"
    selector.set_params(rule__isolated="keep")
    assert selector.rule == Coverage(reach="edges", isolated="keep")


def test_a_term_and_its_parameters_at_once():
    selector = TopologicalFeatureSelector()
    # Whatever the order: the term is set first.
    selector.set_params(
        rule__ties="index", rule="pagerank", similarity__alpha=0.1, similarity=Energy()
    )
    assert selector.rule == Centrality("pagerank", ties="index")
    assert selector.similarity == Energy(alpha=0.1)
    selector.set_params(rule__score="closeness")
    assert selector.rule.name == "closeness"


def test_a_term_that_is_shared_stays_as_it_is():
    rule = Coverage()
    first, second = TopologicalFeatureSelector(rule=rule), TopologicalFeatureSelector(rule=rule)
    first.set_params(rule__reach="edges")
    assert rule == second.rule == Coverage()
    assert registered("rule")["coverage"] == Coverage()


@pytest.mark.parametrize(
    ("selector", "params", "message"),
    [
        (
            TopologicalFeatureSelector(rule="degree"),
            {"rule__reach": "edges"},
            "Centrality() has no parameter 'reach' (Coverage takes it); it takes score and ties",
        ),
        (
            TopologicalFeatureSelector(similarity="mixed"),
            {"similarity__squared": False},
            "Mixed() has no parameter 'squared' (Auto, Pearson, Spearman take it); it takes "
            "rows",
        ),
        (
            TopologicalFeatureSelector(),
            {"rule__reech": "edges"},
            "Coverage() has no parameter 'reech'; did you mean 'reach'?",
        ),
        (
            TopologicalFeatureSelector(),
            {"rule__reach": "far"},
            "reach is 'far'; known are 'auto', 'edges', 'paths'",
        ),
        (
            TopologicalFeatureSelector(graph="grid"),
            {"graph__size": 3},
            "graph is 'grid'; known are 'auto', 'links', 'mfcf', 'mst', 'pmfg', 'tmfg'",
        ),
    ],
)
def test_wrong_nested_names_are_refused(selector, params, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        selector.set_params(**params)
    assert str(caught.value) == message


def test_other_wrong_names_are_refused_as_scikit_learn_does():
    with pytest.raises(ValueError, match="Invalid parameter 'squared' for estimator"):
        TopologicalFeatureSelector().set_params(squared=False)


def test_in_a_pipeline():
    pipeline = Pipeline([("selector", TopologicalFeatureSelector(rule="degree"))])
    assert pipeline.get_params()["selector__rule__ties"] == "strength"
    pipeline.set_params(selector__rule=Coverage(), selector__rule__reach="edges")
    assert pipeline["selector"].rule == Coverage(reach="edges")
    with pytest.raises(ValueError, match="Coverage takes it"):
        pipeline.set_params(selector__rule="degree", selector__rule__reach="edges")


def test_in_a_grid_search(X):
    y = (X[:, 0] > 0).astype(int)
    pipeline = Pipeline(
        [("selector", TopologicalFeatureSelector(4)), ("classify", KNeighborsClassifier())]
    )
    grid = {
        "selector__rule": [Coverage(), Centrality("pagerank")],
        "selector__similarity__squared": [True, False],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    best = search.best_estimator_["selector"]
    assert best.rule == search.best_params_["selector__rule"]
    assert best.similarity == Auto(squared=search.best_params_["selector__similarity__squared"])
    for params, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        selector = TopologicalFeatureSelector(
            4,
            similarity=Pearson(squared=params["selector__similarity__squared"]),
            rule=params["selector__rule"],
        )
        alone = GridSearchCV(
            Pipeline([("selector", selector), ("classify", KNeighborsClassifier())]), {}, cv=3
        ).fit(X, y)
        assert alone.best_score_ == score


def test_the_html_of_an_estimator_shows_its_terms(X):
    selector = TopologicalFeatureSelector(
        3, similarity=Spearman(squared=False), rule=Coverage(reach="edges")
    )
    for html in (selector._repr_html_(), selector.fit(X)._repr_html_()):
        assert "Coverage(reach=" in html
        assert "Spearman(squared=False)" in html
    assert repr(selector) == (
        "TopologicalFeatureSelector(n_features_to_select=3, rule=Coverage(reach='edges'),\n"
        "                           similarity=Spearman(squared=False))"
    )


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ({"similarity": "spearman"}, {"similarity": Spearman()}),
        ({"graph": "mst"}, {"graph": MST()}),
        ({"rule": "pagerank"}, {"rule": Centrality("pagerank")}),
        ({"similarity": squares}, {"similarity": Function(squares)}),
    ],
    ids=["measure", "graph", "rule", "function"],
)
def test_a_name_and_its_term_give_the_same_fit(X, name, term):
    by_name = TopologicalFeatureSelector(4, **name).fit(X)
    by_term = TopologicalFeatureSelector(4, **term).fit(X)
    assert by_name.graph_ == by_term.graph_
    np.testing.assert_array_equal(by_name.ranking_, by_term.ranking_)
    assert by_name.similarity_ == by_term.similarity_
    assert by_name.rule_ == by_term.rule_


def test_a_measure_without_a_scale_is_refused_under_coverage(X):
    @dataclass(frozen=True, repr=False)
    class Bare(Measure):
        def operator(self, table):
            raise AssertionError

    with pytest.raises(ValueError) as caught:  # noqa: PT011
        TopologicalFeatureSelector(similarity=Bare()).fit(X)
    assert str(caught.value) == (
        "similarity 'bare' does not say what chance alone gives (it has no scale), and rule "
        "'coverage' needs that: choose rule='degree', or another similarity"
    )
