"""A term written in one file outside topofs works wherever one of its own does."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator

from tests.matrices import factor_table
from tests.naive.coverage import naive_cover, naive_nearest
from tests.own_terms.graph import Nearest
from tests.own_terms.measure import Cosine, Grades
from tests.own_terms.rule import Stars, Weakest
from topofs import (
    Coverage,
    Graph,
    Links,
    NoStructureWarning,
    Spearman,
    TopologicalFeatureSelector,
    registered,
    spearman,
    stability,
    tmfg_from_data,
)
from topofs.selection import fit_and_compare, noise_features, ranked_columns
from topofs.selection.answers import REPRESENTS
from topofs.similarity.base import dense
from topofs.similarity.noise_floor import whole_weights

FILES = sorted(Path(__file__).parent.glob("[gmr]*.py"))


@pytest.fixture
def X():
    return pd.DataFrame(factor_table(80, 14), columns=[f"c{i}" for i in range(14)])


def noise():
    return np.random.default_rng(0).normal(size=(50, 20))


def test_each_file_is_short():
    assert [path.stem for path in FILES] == ["graph", "measure", "rule"]
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 60 for path in FILES)


# --- a measure


@pytest.mark.parametrize("given", ["grades", Grades()], ids=["name", "object"])
@pytest.mark.parametrize(
    "others",
    [{}, {"graph": Links(strongest=None)}, {"rule": "degree"}, {"graph": "mst"}],
    ids=str,
)
def test_the_twin_of_a_measure_gives_its_columns(X, given, others):
    size = 5 if others.get("rule") == "degree" else "auto"
    expected = TopologicalFeatureSelector(size, similarity="spearman", **others).fit(X)
    found = TopologicalFeatureSelector(size, similarity=given, **others).fit(X)
    assert found.graph_ == expected.graph_
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert found.similarity_ == Grades()


@pytest.mark.parametrize("squared", [True, False])
def test_the_twin_of_a_measure_takes_missing_values(X, squared):
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    expected = TopologicalFeatureSelector(similarity=Spearman(squared=squared)).fit(holes)
    found = TopologicalFeatureSelector(similarity=Grades(squared=squared)).fit(holes)
    assert found.graph_ == expected.graph_
    np.testing.assert_array_equal(found.support_, expected.support_)


def test_the_twin_of_a_measure_has_its_noise_floor():
    found = {}
    for name in ("spearman", "grades"):
        with pytest.warns(NoStructureWarning, match="no two of the 20 columns"):
            found[name] = TopologicalFeatureSelector(similarity=name).fit(noise())
    assert len(found["grades"].isolated_) == len(found["spearman"].isolated_) == 20
    assert found["grades"].n_features_ == found["spearman"].n_features_ == 1


def test_the_twin_of_a_measure_works_without_the_matrix(X):
    assert tmfg_from_data(X, similarity="grades") == tmfg_from_data(X, similarity="spearman")
    wide = factor_table(30, 120)
    for name in ("spearman", "grades"):
        settings = {"similarity": name, "graph": Links(strongest=8)}
        found = TopologicalFeatureSelector(9, memory=110_000, **settings).fit(wide)
        expected = TopologicalFeatureSelector(9, **settings).fit(wide)
        np.testing.assert_array_equal(found.graph_.edges, expected.graph_.edges)


def test_the_twin_of_a_measure_works_on_dask_workers(X):
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        array = pytest.importorskip("dask.array").from_array(X.to_numpy(), chunks=(20, 5))
        found = TopologicalFeatureSelector(similarity="grades").fit(array)
    expected = TopologicalFeatureSelector(similarity=Spearman()).fit(X.to_numpy())
    assert found.graph_ == expected.graph_
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)


def test_the_twin_of_a_measure_tells_noise(X):
    expected = noise_features(X.to_numpy(), similarity="spearman", random_state=0)
    found = noise_features(X.to_numpy(), similarity="grades", random_state=0)
    np.testing.assert_array_equal(found.p_values, expected.p_values)


def test_a_measure_without_a_scale_is_refused_where_one_is_needed(X):
    for rule in ("coverage", Coverage(reach="edges"), "stars"):
        with pytest.raises(ValueError, match="'cosine' does not say what chance") as caught:
            TopologicalFeatureSelector(3, similarity="cosine", rule=rule).fit(X)
        name = rule if isinstance(rule, str) else rule.name
        assert str(caught.value) == (
            "similarity 'cosine' does not say what chance alone gives (it has no scale), and "
            f"rule {name!r} needs that: choose rule='degree', or another similarity"
        )


def test_a_measure_without_a_scale_ranks_by_the_others(X):
    unit = X.to_numpy() / np.linalg.norm(X.to_numpy(), axis=0)
    matrix = np.abs(unit.T @ unit) ** 2
    for rule in ("degree", "pagerank", "weakest"):
        found = TopologicalFeatureSelector(4, similarity=Cosine(power=2.0), rule=rule).fit(X)
        expected = TopologicalFeatureSelector(4, similarity="precomputed", rule=rule)
        np.testing.assert_array_equal(
            found.ranking_, expected.fit((matrix + matrix.T) / 2).ranking_
        )


# --- a graph


@pytest.mark.parametrize("k", [1, 3])
def test_a_graph_is_used_as_it_is(X, k):
    selector = TopologicalFeatureSelector(graph=Nearest(k)).fit(X)
    square = spearman(X, squared=True)
    expected = set()
    similarity = TopologicalFeatureSelector(similarity="spearman", graph=Nearest(k)).fit(X)
    for i, row in enumerate(square):
        others = sorted((j for j in range(14) if j != i), key=lambda j: (-row[j], j))
        expected |= {tuple(sorted((i, j))) for j in others[:k]}
    assert set(map(tuple, similarity.graph_.edges.tolist())) == expected
    assert selector.graph_.labels == tuple(X.columns)
    assert selector.graph_.n_edges <= k * 14
    assert not selector.graph_.to_networkx().is_directed()
    assert nx.number_of_nodes(selector.graph_.to_networkx()) == 14


def test_a_graph_that_needs_the_matrix_says_so(X):
    with pytest.raises(ValueError, match="graph 'nearest' needs it whole: use 'links', 'tmfg'"):
        TopologicalFeatureSelector(5, graph="nearest", memory=100, rule="degree").fit(X)


# --- a rule


def test_a_rule_names_its_graph_by_an_object(X):
    @dataclass(frozen=True, repr=False)
    class OverAll(Stars):
        default_graph: ClassVar[Graph] = Links(strongest=None)

    found = TopologicalFeatureSelector(rule=OverAll()).fit(X)
    expected = TopologicalFeatureSelector(rule=Stars(), graph=Links(strongest=None)).fit(X)
    assert found.graph_ == expected.graph_
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    assert TopologicalFeatureSelector(rule=OverAll(), graph="tmfg").fit(X).graph_.n_edges == 36


def test_a_rule_with_groups_and_an_end(X):
    selector = TopologicalFeatureSelector(similarity="spearman", rule="stars").fit(X)
    measure = Spearman()
    operator = measure.operator(X.to_numpy())
    scale = measure.scale(operator, n_samples=80, n_features=14)
    shares = whole_weights(dense(operator), scale)
    order, gains = naive_cover(shares)
    # Nodes that represent themselves alone come last.
    alone = (shares > 0).sum(axis=1) == 1
    places = np.argsort(alone[order], kind="stable")
    order, gains = np.array(order)[places].tolist(), np.array(gains)[places].tolist()
    assert np.argsort(selector.ranking_).tolist() == order
    assert selector.n_features_ == sum(gain >= 1.5 for gain in gains) > 1
    expected, expected_shares = naive_nearest(shares, set(order[: selector.n_features_]))
    assert selector.representative_.tolist() == expected
    np.testing.assert_allclose(selector.shares_, expected_shares)
    assert [group.position for group in selector.groups_] == order[: selector.n_features_]
    np.testing.assert_allclose(selector.coverage_, np.cumsum(gains) / 14, atol=1e-9)
    assert len(selector.isolated_) == ((shares > 0).sum(axis=1) == 1).sum()
    more = TopologicalFeatureSelector(similarity="spearman", rule=Stars(least=1.0)).fit(X)
    assert more.n_features_ > selector.n_features_
    assert selector.at(2).n_features_ == 2
    assert selector.at("auto").n_features_ == selector.n_features_


def test_a_rule_is_given_the_chosen(X):
    selector = TopologicalFeatureSelector(rule="stars", keep=["c13", 5]).fit(X)
    assert set(np.argsort(selector.ranking_)[:2]) == {5, 13}
    weakest = TopologicalFeatureSelector(3, rule="weakest", keep=["c13"]).fit(X)
    assert weakest.ranking_[13] == 1
    strength = weakest.graph_.strength()
    others = [i for i in np.argsort(strength, kind="stable") if i != 13]
    assert np.argsort(weakest.ranking_).tolist() == [13, *others]


def test_a_rule_without_an_end_or_groups(X):
    with pytest.raises(ValueError, match="a ranking by weakest has no end of its own"):
        TopologicalFeatureSelector(rule="weakest").fit(X)
    selector = TopologicalFeatureSelector(3, rule=Weakest()).fit(X)
    assert not selector.has_groups
    for name in ("groups_", "coverage_", "isolated_", "shares_"):
        assert not hasattr(selector, name)
    assert selector.explain("c0").representation is None
    assert "weakest -" in str(selector.explain("c0"))


# --- all of them, everywhere

TOGETHER = {"similarity": "grades", "graph": "nearest", "rule": "stars"}
AS_OBJECTS = {"similarity": Grades(), "graph": Nearest(), "rule": Stars()}


@pytest.mark.parametrize("terms", [TOGETHER, AS_OBJECTS], ids=["names", "objects"])
def test_explanations_and_lists(X, terms):
    selector = TopologicalFeatureSelector(**terms)
    columns = fit_and_compare(selector, X)
    for group in selector.groups_:
        explanation = selector.explain(group.name)
        assert explanation.representation.members == tuple(
            (member.name, member.share) for member in group.members
        )
        assert f"shine {explanation.score:g}" in str(explanation)
        for member in group.members:
            other = selector.explain(member.name)
            assert other.representation.representative == group.name
            said = f"shares {member.share:.0%} with it"
            if member.share >= REPRESENTS:
                said = f"represents it, with {member.share:.4g}"
            assert f"{group.name} {said}" in str(other)
    assert len(ranked_columns(selector, columns.operator)) == 14
    assert "<table" in selector._repr_html_()


@pytest.mark.parametrize("terms", [TOGETHER, AS_OBJECTS], ids=["names", "objects"])
def test_stability_on_any_number_of_jobs(X, terms):
    selector = TopologicalFeatureSelector(4, **terms)
    found = stability(selector, X, n_resamples=4, random_state=0)
    assert found.sizes.tolist() == [4] * 4
    assert found.edges
    if terms is AS_OBJECTS:
        again = stability(selector, X, n_resamples=4, random_state=0, n_jobs=2)
        assert again.edges == found.edges
        np.testing.assert_array_equal(again.frequency, found.frequency)


def test_in_a_grid_search(X):
    y = (X["c0"] > 0).astype(int)
    pipeline = Pipeline(
        [("selector", TopologicalFeatureSelector(4)), ("classify", KNeighborsClassifier())]
    )
    grid = {
        "selector__similarity": ["grades", Grades(), "spearman"],
        "selector__similarity__squared": [True, False],
        "selector__graph": [Nearest(3), "nearest"],
        "selector__rule": [Stars(), "weakest"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    results = pd.DataFrame(search.cv_results_)
    assert len(results) == 24
    same = results.groupby(
        [
            results["param_selector__graph"].map(repr),
            results["param_selector__rule"].map(repr),
            results["param_selector__similarity__squared"].map(repr),
        ]
    )["mean_test_score"].nunique()
    assert (same == 1).all()
    rule = GridSearchCV(
        pipeline, {"selector__rule": [Stars()], "selector__rule__least": [1.0, 3.0]}, cv=3
    ).fit(X, y)
    assert isinstance(rule.best_estimator_["selector"].rule, Stars)


@pytest.mark.parametrize("terms", [TOGETHER, AS_OBJECTS], ids=["names", "objects"])
def test_pickles_and_clones(X, terms):
    selector = TopologicalFeatureSelector(**terms).fit(X)
    other = pickle.loads(pickle.dumps(selector))
    assert other.groups_ == selector.groups_
    assert other.similarity_ == selector.similarity_ == Grades()
    assert clone(selector).get_params() == selector.get_params()
    np.testing.assert_array_equal(clone(selector).fit(X).ranking_, selector.ranking_)


@pytest.mark.parametrize("terms", [TOGETHER, AS_OBJECTS], ids=["names", "objects"])
def test_scikit_learn_checks(terms):
    # A size: the tables of these checks are noise, and "auto" would say so.
    check_estimator(TopologicalFeatureSelector(1, **terms), on_skip=None)


def test_they_are_registered_in_this_test():
    assert {"grades", "cosine"} <= registered("similarity").keys()
    assert "nearest" in registered("graph")
    assert {"stars", "weakest"} <= registered("rule").keys()
