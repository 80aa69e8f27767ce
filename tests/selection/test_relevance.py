"""Selection by relevance: the end, the order, sizes, constraints, and what is refused."""

import pickle
import warnings

import anndata
import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.feature_selection import SelectKBest, f_classif, mutual_info_regression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tests.coverage_settings import BY_COVERAGE
from tests.messages import assert_tells
from topofs import (
    AtMost,
    Budget,
    Coverage,
    MinShare,
    NoRelevanceWarning,
    Relevance,
    TopologicalFeatureSelector,
    UntilCoverage,
    stability,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::topofs.IsolatedFeatureWarning"),
    pytest.mark.filterwarnings("ignore:No features were selected"),
]


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def selector(size="auto", **settings):
    return TopologicalFeatureSelector(size, **({"relevance": "target"} | settings))


def names_of(fitted):
    return set(fitted.get_feature_names_out())


@pytest.mark.parametrize("settings", BY_COVERAGE.values(), ids=BY_COVERAGE)
def test_without_relevance_a_target_changes_nothing(tumours, settings):
    X, y = tumours
    with_target = TopologicalFeatureSelector(**settings).fit(X, y)
    without = TopologicalFeatureSelector(**settings).fit(X)
    np.testing.assert_array_equal(with_target.ranking_, without.ranking_)
    np.testing.assert_array_equal(with_target.scores_, without.scores_)
    with pytest.raises(AttributeError, match="relevance="):
        _ = with_target.relevance_


@pytest.mark.parametrize("settings", BY_COVERAGE.values(), ids=BY_COVERAGE)
@pytest.mark.parametrize("size", ["auto", 3, 12, UntilCoverage(0.6)])
def test_the_order_of_the_columns_does_not_matter(tumours, settings, size):
    X, y = tumours
    names = names_of(selector(size, **settings).fit(X, y))
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(X.shape[1])
        assert names_of(selector(size, **settings).fit(X.iloc[:, order], y)) == names


def test_relevance_only_selects(tumours):
    X, y = tumours
    fitted, plain = selector(5).fit(X, y), TopologicalFeatureSelector().fit(X)
    selected = np.flatnonzero(fitted.support_)
    listed = plain.evaluate(X.columns[selected].tolist())
    assert fitted.shares_.mean() == pytest.approx(listed.coverage)
    assert fitted.coverage_[4] == pytest.approx(listed.coverage)
    members = {g.name: {m.name for m in g.members} for g in fitted.groups_}
    assert members == {g.name: {m.name for m in g.members} for g in listed.groups}


def test_noise_selects_nothing_and_says_so():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(50, 8))).rename(columns=str), rng.integers(0, 2, 50)
    with pytest.warns(NoRelevanceWarning) as said:
        fitted = selector().fit(X, y)
    assert_tells(said[0].message, "chance", "leave relevance out")
    assert fitted.n_features_ == 0
    assert fitted.transform(X).shape == (50, 0)
    assert fitted.groups_ == ()
    assert fitted.get_feature_names_out().tolist() == []
    assert (fitted.relevance_ == 0).all()
    assert fitted.at(3).n_features_ == 3
    assert fitted.explain("2") is not None


def test_a_single_relevant_column_is_the_selection():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    X[:, 6:] += 3 * X[:, :1]
    y = X[:, 4] + 0.3 * rng.normal(size=80)
    fitted = selector().fit(X, y)
    # The target follows an isolated column; the group of seven says nothing about it.
    assert np.flatnonzero(fitted.support_).tolist() == [4]
    assert np.argmax(fitted.relevance_) == 4


def test_one_of_each_relevant_group_comes_first():
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(200, 4))
    X = np.repeat(factors, 10, axis=1) + 0.3 * rng.normal(size=(200, 40))
    y = (factors[:, 1] + factors[:, 2] > 0).astype(int)
    fitted = selector().fit(X, y)
    assert {i // 10 for i in np.flatnonzero(fitted.support_)} == {1, 2}
    # Then the others, by what they cover.
    four = fitted.at(4)
    order = np.argsort(four.ranking_)
    assert {i // 10 for i in order[:2]} == {1, 2}


@pytest.mark.parametrize("size", ["auto", 4])
def test_equal_weights_are_no_weights(tumours, size):
    X, _ = tumours
    even = selector(size, relevance=np.full(30, 7.0)).fit(X)
    plain = TopologicalFeatureSelector(size).fit(X)
    assert names_of(even) == names_of(plain)
    assert not even.__sklearn_tags__().target_tags.required


def test_weights_move_the_choice(tumours):
    X, _ = tumours
    weights = np.ones(30)
    weights[X.columns.get_loc("worst area")] = 3.0
    assert "worst area" in names_of(selector(1, relevance=weights).fit(X))


@pytest.mark.parametrize("function", [f_classif, lambda X, y: f_classif(X, y)[0]])
def test_scores_of_a_function(tumours, function):
    X, y = tumours
    fitted = selector(4, relevance=function).fit(X, y)
    given = selector(4, relevance=f_classif(X, y)[0]).fit(X)
    assert names_of(fitted) == names_of(given)
    clone(fitted)


def test_a_function_gets_the_columns_that_vary_and_rows_with_a_target():
    X, y = load_diabetes(return_X_y=True)
    X[:, 3], y[:40] = 1.0, np.nan
    seen = []

    def scores(rows, target):
        seen.append((rows.shape, len(target)))
        return mutual_info_regression(rows, target, random_state=0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector(relevance=scores).fit(X, y)
    assert seen == [((402, 9), 402)]


def test_unlabelled_rows_count_for_the_similarity():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[:, 1] = X[:, 0] + 0.2 * rng.normal(size=300)
    y = np.where(np.arange(300) < 60, (X[:, 0] > 0).astype(float), np.nan)
    fitted = selector().fit(X, y)
    whole = TopologicalFeatureSelector().fit(X)
    np.testing.assert_allclose(fitted.graph_.weights, whole.graph_.weights)
    assert names_of(fitted) <= {"x0", "x1"}
    as_text = [None if np.isnan(value) else str(value) for value in y]
    np.testing.assert_array_equal(selector().fit(X, as_text).ranking_, fitted.ranking_)


def test_several_targets_count_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 9))
    y = np.column_stack([X[:, 2], X[:, 7]]) + 0.5 * rng.normal(size=(120, 2))
    assert np.flatnonzero(selector().fit(X, y).support_).tolist() == [2, 7]


def test_constraints_hold_with_relevance(tumours):
    X, y = tumours
    kept = selector(4, keep=["mean symmetry"], exclude=["worst *"]).fit(X, y)
    assert "mean symmetry" in names_of(kept)
    assert not any(name.startswith("worst") for name in names_of(kept))
    groups = {name: name.split()[0] for name in X}
    one_each = selector(3, at_most=AtMost(1, of=groups)).fit(X, y)
    assert len({groups[name] for name in names_of(one_each)}) == 3
    apart = selector(6, max_similarity=0.5).fit(X, y)
    similarity = X[list(names_of(apart))].corr() ** 2
    assert (similarity.to_numpy()[~np.eye(6, dtype=bool)] <= 0.5).all()
    cost = {name: 5.0 if "worst" in name else 1.0 for name in X}
    cheap = selector(Budget(4, cost)).fit(X, y)
    assert sum(cost[name] for name in names_of(cheap)) <= 4
    assert not any("worst" in name for name in names_of(cheap))


def test_near_copies_are_represented_by_the_more_relevant_one():
    rng = np.random.default_rng(0)
    y = rng.normal(size=100)
    better = y + 0.5 * rng.normal(size=100)
    X = np.column_stack([better + 0.1 * rng.normal(size=100), better])
    for order in ([0, 1], [1, 0]):
        found = selector(MinShare(0.8)).fit(X[:, order], y)
        best = int(np.argmax(found.relevance_))
        assert np.flatnonzero(found.support_).tolist() == [best]


@pytest.mark.parametrize("size", ["auto", 3, 7])
def test_exchanges_never_lose(tumours, size):
    X, y = tumours
    greedy, refined = (selector(size, rule=Coverage(refine=r)).fit(X, y) for r in (False, True))
    worth = [_weighted_coverage(one, proven=size == "auto") for one in (greedy, refined)]
    if size == "auto":
        least = greedy._ranking.relevance.least
        counts = greedy.n_features_, refined.n_features_
        worth = [w - least * n for w, n in zip(worth, counts, strict=True)]
    assert worth[1] >= worth[0] - 1e-9


def _weighted_coverage(fitted, *, proven):
    relevance = fitted._ranking.relevance
    weights = relevance.proven if proven else relevance.weights
    rows = fitted._ranking.coverage_model.matrix.toarray()[fitted.support_]
    rows = weights.selected[fitted.support_][:, None] * rows * weights.represented
    return rows.max(axis=0).sum()


def test_sizes_and_answers_follow_one_ranking(tumours):
    X, y = tumours
    fitted = selector(8).fit(X, y)
    for size in (3, 12):
        assert names_of(fitted.at(size)) == names_of(selector(size).fit(X, y))
    three = fitted.at(3)
    extended = three.extend(2)
    assert names_of(extended) == names_of(fitted.at(5))
    assert fitted.substitute(fitted.groups_[0].name) is not None
    other = pickle.loads(pickle.dumps(fitted))
    assert names_of(other.at(3)) == names_of(three)
    np.testing.assert_array_equal(other.relevance_, fitted.relevance_)


def test_a_new_fit_without_relevance_forgets_it(tumours):
    X, y = tumours
    fitted = selector().fit(X, y).set_params(relevance=None).fit(X)
    assert not hasattr(fitted, "relevance_")


def test_a_column_of_obs_is_the_target(tumours):
    X, y = tumours
    X, y = X.to_numpy(), y.map({0: "malignant", 1: "benign"})
    data = anndata.AnnData(
        X, obs=pd.DataFrame({"kind": y.to_numpy()}, index=map(str, range(569)))
    )
    expected = selector().fit(X, y).support_
    np.testing.assert_array_equal(selector().fit(data, "kind").support_, expected)
    data.X = sparse.csr_array(X)
    np.testing.assert_array_equal(selector().fit(data, y="kind").support_, expected)
    for table, name in ((data, "type"), (X, "kind")):
        with pytest.raises(ValueError, match="obs") as told:
            selector().fit(table, name)
        assert_tells(told.value, repr(name))


def test_in_pipelines_and_grids(tumours):
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(selector(3), KNeighborsClassifier())
    name = "topologicalfeatureselector"
    grid = {f"{name}__relevance__represented": [1, 2], f"{name}__n_features_to_select": [2, 4]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.6
    assert selector().set_params(relevance__selected=0.5).relevance == Relevance(selected=0.5)
    assert selector().get_params()["relevance__selected"] == 2
    with pytest.raises(ValueError, match="relevance is None"):
        TopologicalFeatureSelector().set_params(relevance__selected=0.5)


MANY = [f"id {i}" for i in range(60)]
X30 = np.random.default_rng(0).normal(size=(30, 5))


@pytest.mark.parametrize(
    ("relevance", "y", "facts"),
    [
        ("target", np.arange(29), ["30", "29"]),
        ("target", np.full(30, np.nan), ["missing"]),
        ("target", np.ones(30), ["fewer than two values"]),
        ("target", MANY, ["60 classes"]),
        ("target", ["2020-01-01", "2020-01-02"] * 15, ["dates"]),
        ("target", None, ["requires y", "leave relevance out"]),
        ("target", np.zeros((1, 30)), ["30 rows", "y has 1"]),
        ("target", [], ["30 rows", "y has 0"]),
        ("target", [[1, 2], [3]] * 15, ["1 and of 2 targets"]),
        ("target", pd.DataFrame({"a": np.arange(30), "b": 1}), ["'b'", "fewer than two"]),
        ([1, 2, 3], None, ["3 numbers", "5 columns"]),
        ([1, 2, 3, 4, -1], None, ["-1", "'x4'"]),
        ([1, 2, 3, 4, np.nan], None, ["nan", "'x4'"]),
        ([1, 2, 3, 4, np.inf], None, ["inf", "'x4'", "finite"]),
        (np.ma.array(np.ones(5), mask=[0, 1, 0, 0, 0]), None, ["nan", "'x1'"]),
        (np.zeros(5), None, ["gives 0 to every column"]),
        (["a"] * 5, None, ["number"]),
        ([[1, 2], [3]], None, ["one weight a column"]),
        (np.ones((5, 2)), None, ["one weight a column"]),
        ("labels", np.arange(30), ["'labels'", "'target'"]),
        (lambda X, y: np.ones(3), np.arange(30), ["3 numbers", "5 columns"]),
        (lambda X, y: np.full(5, np.nan), np.arange(30), ["nan", "'x0'"]),
        (lambda X, y: "nothing", np.arange(30), ["'nothing'", "number"]),
        (lambda X, y: None, np.arange(30), ["None", "5 columns"]),
        (lambda X, y: (), np.arange(30), ["0 numbers", "5 columns"]),
        (lambda X, y: np.ones((2, 5)), np.arange(30), ["5 columns"]),
        (lambda X, y: np.ones(5) * 1j, np.arange(30), ["number"]),
        (lambda X, y: 1 / 0, np.arange(30), ["ZeroDivisionError", "division by zero"]),
    ],
)
def test_bad_input_gets_a_sentence(relevance, y, facts):
    X = np.random.default_rng(0).normal(size=(60, 5)) if y is MANY else X30
    with pytest.raises(ValueError, match=".") as told:
        TopologicalFeatureSelector(relevance=relevance).fit(X, y)
    assert_tells(told.value, *facts)
    assert len(str(told.value)) < 300


def test_a_wrong_target_is_refused_before_the_similarities(monkeypatch):
    monkeypatch.setattr("topofs.selection.selector.build_network", None)
    with pytest.raises(ValueError, match="30 rows and y has 29"):
        selector().fit(X30, np.arange(29))


def test_any_kind_of_target_is_read(tumours):
    X, y = tumours
    expected = names_of(selector().fit(X, y))
    text = y.map({0: "malignant", 1: "benign"})
    for kind in (
        text.tolist(),
        y.astype(bool),
        y.to_numpy().astype(np.uint8),
        text.astype("category"),
        y.astype("Int64"),
        text.astype("string"),
        pl.Series("kind", text.tolist()),
        da.from_array(y.to_numpy()),
        y.to_numpy()[:, None],
        sparse.csr_array(y.to_numpy()[:, None]),
        np.array([1 if value else "a" for value in y], dtype=object),
    ):
        assert names_of(selector().fit(X, kind)) == expected
    assert selector().fit(X, pl.Series("kind", text.tolist())).relevance_target == "kind"
    assert selector().fit(X, da.from_array(y.to_numpy())).relevance_target == "the target"
    some = y.astype("Int64").mask(y.index % 3 == 0)
    expected = names_of(selector().fit(X, some))
    assert names_of(selector().fit(X, text.mask(y.index % 3 == 0).tolist())) == expected
    assert names_of(selector().fit(X, np.ma.array(y, mask=y.index % 3 == 0))) == expected


def test_numbers_beside_text_stay_numbers(tumours):
    X, y = tumours
    frame = pd.DataFrame({"kind": y.map({0: "m", 1: "b"}), "size": X["mean area"]})
    by_frame, by_rows = selector().fit(X, frame), selector().fit(X, frame.values.tolist())
    np.testing.assert_array_equal(by_frame.relevance_, by_rows.relevance_)
    assert by_frame.relevance_target == "kind and size on average"


def test_columns_that_do_not_vary_where_y_is_known_get_no_score(tumours):
    X, y = tumours
    X = X.assign(late=np.where(y.index < 300, 0.0, y.index))
    fitted = selector(relevance=f_classif).fit(X, y.where(y.index < 300))
    assert fitted.relevance_[-1] == 0
    assert fitted.n_features_


def test_a_function_gets_the_numbers_of_a_mixed_selector(tumours):
    X, y = tumours
    assert selector(similarity="mixed", relevance=f_classif).fit(X, y).n_features_
    with pytest.raises(ValueError, match="columns of names"):
        selector(relevance=f_classif).fit(X.assign(town=np.where(y, "a", "b")), y)


def test_weights_select_at_least_one_column():
    noise = np.random.default_rng(1).normal(size=(50, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = TopologicalFeatureSelector().fit(noise)
    even = selector(relevance=np.ones(8)).fit(noise)
    np.testing.assert_array_equal(even.support_, plain.support_)


def test_without_a_known_chance_an_average_column_is_the_end():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 20)), rng.normal(size=200)
    fitted = selector(similarity=lambda X: np.corrcoef(X.T) ** 2).fit(X, y)
    assert 1 <= fitted.n_features_ <= 8
    assert fitted._relevance.chance is None


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"keep": [2]}, ["only what is kept"]),
        ({"n_features_to_select": 3}, ["3 columns", "guess"]),
        ({"n_features_to_select": Budget(3, np.ones(8))}, ["3 columns", "guess"]),
    ],
)
def test_noise_is_named_at_every_size(settings, facts):
    X = np.random.default_rng(1).normal(size=(50, 8))
    fitted = selector().set_params(**settings)
    with pytest.warns(NoRelevanceWarning) as said:
        fitted.fit(X, np.arange(50) % 2)
    assert_tells(said[0].message, *facts)


def test_excluded_columns_may_be_the_only_relevant_ones():
    X = np.random.default_rng(1).normal(size=(80, 8))
    with pytest.warns(NoRelevanceWarning, match="that the constraints allow"):
        assert selector(exclude=[0]).fit(X, X[:, 0]).n_features_ == 0


def test_a_budget_goes_to_columns_without_relevance_by_their_gain():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(200, 1))
    X = rng.normal(size=(200, 8))
    X[:, 4:] = factor + 0.3 * X[:, 4:]
    weights = [1.0, 0, 0, 0, 0, 0, 0, 0]
    fitted = selector(Budget(2, np.ones(8)), relevance=weights).fit(X)
    assert fitted.support_[0]
    # A column of the group of four adds more than a column like no other.
    assert fitted.support_[4:].sum() == 1


@pytest.mark.parametrize("rule", ["variance", "degree"])
def test_rules_without_weights_refuse_them(rule):
    with pytest.raises(ValueError, match="relevance") as told:
        selector(2, rule=rule).fit(X30, np.arange(30))
    assert_tells(told.value, repr(rule), "'coverage'")


def test_a_given_similarity_takes_weights_only():
    similarity = np.corrcoef(X30.T) ** 2
    with pytest.raises(ValueError, match="no columns to compare"):
        selector(2, similarity="precomputed").fit(similarity, np.arange(5))
    fitted = selector(1, similarity="precomputed", relevance=[0, 0, 5, 0, 0]).fit(similarity)
    assert np.flatnonzero(fitted.support_).tolist() == [2]


@pytest.mark.parametrize("exponent", [-1, "2", True, 11])
def test_an_exponent_is_a_number(exponent):
    with pytest.raises(ValueError, match="exponent"):
        Relevance(represented=exponent)


def test_answers_speak_of_the_target(tumours):
    X, y = tumours
    fitted = selector(3).fit(X, y.rename("diagnosis"))
    told = str(fitted.explain("worst concave points"))
    assert_tells(told, "explains 63% of diagnosis")
    other = next(c for c in X if c not in names_of(fitted) and fitted.explain(c).relevance)
    explained = fitted.explain(other)
    assert explained.relevance == fitted.relevance_[X.columns.get_loc(other)]
    assert_tells(str(explained), explained.representation.representative, "of diagnosis")
    assert_tells(str(fitted.explain("smoothness error")), "no more about diagnosis than chance")
    replaced = fitted.substitute(fitted.groups_[0].name)[0]
    assert_tells(str(replaced), "diagnosis")
    held = fitted.evaluate()
    assert_tells(str(held), f"{held.relevance:.1%}", "diagnosis", "random lists")
    weights = fitted.relevance_
    assert held.relevance == pytest.approx(np.average(fitted.shares_, weights=weights))
    assert held.relevance > held.random_relevance.mean
    assert fitted.evaluate(list(X)).relevance == pytest.approx(1)


def test_answers_without_a_target_speak_of_weights(tumours):
    X, _ = tumours
    fitted = selector(3, relevance=np.arange(1.0, 31.0)).fit(X)
    assert_tells(str(fitted.explain("mean radius")), "relevance 1")
    assert TopologicalFeatureSelector().fit(X).explain("mean radius").relevance is None


def test_stability_gives_the_labels_to_selectors_that_need_them(tumours):
    X, y = tumours
    settings = {"n_resamples": 6, "random_state": 0}
    with_labels = stability(selector(4), X, y=y, **settings)
    often = with_labels.frequency[selector(4).fit(X, y).support_]
    assert often.mean() > 0.5
    assert stability(SelectKBest(k=4), X, y=y, **settings).phi > 0.5
    with pytest.raises(ValueError, match="needs labels"):
        stability(selector(4), X, **settings)
