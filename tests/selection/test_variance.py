"""What can be asked after a fit by the rule "variance", and what it refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from tests.matrices import factor_table
from tests.messages import assert_tells
from tests.naive.variance import standardised, unexplained
from topofs import (
    AtMost,
    Budget,
    Energy,
    MinShare,
    MutualInformation,
    Spearman,
    TopologicalFeatureSelector,
    UntilCoverage,
    Variance,
    pearson,
    registered,
    stability,
)
from topofs.selection import fit_and_compare, ranked_columns
from topofs.selection.results import running_groups
from topofs.similarity import noise_floor


@pytest.fixture(scope="module")
def X():
    return load_wine(as_frame=True).data


def fitted(X, size="auto", **constraints):
    return TopologicalFeatureSelector(size, rule="variance", **constraints).fit(X)


def naive_explained(X, columns):
    blocks = [column[:, None] for column in standardised(X).T]
    return 1 - (unexplained(blocks, list(columns)) ** 2).sum(axis=0)


def test_no_graph_and_no_matrix(X, monkeypatch):
    from topofs.similarity.correlation import Pearson

    def refuse(*_):
        raise AssertionError("the similarity was prepared")

    monkeypatch.setattr(Pearson, "operator", refuse)
    selector = fitted(X)
    assert not hasattr(selector, "graph_")
    assert selector.rule_ == Variance()


def test_groups_and_what_all_explain_together(X):
    selector = fitted(X, 3)
    selected = np.flatnonzero(selector.support_)
    squares = pearson(X, squared=True)[selected]
    np.testing.assert_array_equal(selector.representative_, selected[squares.argmax(axis=0)])
    np.testing.assert_allclose(selector.shares_, squares.max(axis=0))
    together = naive_explained(X, selected)
    np.testing.assert_allclose(selector.explained_, together)
    assert (selector.explained_ >= selector.shares_ - 1e-12).all()
    assert selector.coverage_[2] == pytest.approx(together.mean())
    assert sum(len(group.members) for group in selector.groups_) == 10
    assert "representing 57 %" in selector._repr_html_()


def test_an_explanation_says_both_shares(X):
    selector = fitted(X, 2)
    column = X.columns.get_loc("alcohol")
    said = selector.explain("alcohol")
    assert_tells(said, "color_intensity", "represents", f"{selector.shares_[column]:.4g}")
    assert_tells(said, "All selected", f"{selector.explained_[column]:.4g}")
    assert "All selected" not in str(selector.explain("flavanoids"))


def test_lists_are_judged_by_what_they_explain_together(X):
    selector = fitted(X)
    listed = ["alcohol", "hue", "ash"]
    found = selector.evaluate(listed, n_random=20)
    places = [X.columns.get_loc(name) for name in listed]
    assert found.coverage == pytest.approx(naive_explained(X, places).mean())
    without = naive_explained(X, places[1:]).sum()
    adds = {one.name: one.adds for one in found.least}
    assert adds["alcohol"] == pytest.approx(13 * found.coverage - without)
    first = found.next[0]
    more = naive_explained(X, [*places, first.position]).sum() - 13 * found.coverage
    assert first.adds == pytest.approx(more)
    others = [naive_explained(X, [*places, j]).sum() for j in range(13) if j not in places]
    assert max(others) - 13 * found.coverage == pytest.approx(more)


def test_answers_follow_the_columns_to_other_places():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(factor_table(60, 5), columns=list("abcde"))
    table["town"] = [f"t{code}" for code in rng.integers(0, 4, size=60)]
    table["kind"] = [f"k{code}" for code in rng.integers(0, 3, size=60)]
    moved = table[list(rng.permutation(table.columns))]
    one, other = fitted(table, 3), fitted(moved, 3)
    places = [moved.columns.get_loc(name) for name in table]
    for answer in ("scores_", "ranking_", "shares_", "explained_"):
        found = getattr(other, answer)[places]
        np.testing.assert_allclose(found, getattr(one, answer), err_msg=answer)
    assert [moved.columns[i] for i in other.representative_[places]] == [
        table.columns[i] for i in one.representative_
    ]
    for selector in (one, other):
        curve = running_groups(selector).curve[1:]
        np.testing.assert_allclose(curve, selector.coverage_)
    models = one._require_groups("a test"), other._require_groups("a test")
    block = models[0].block(slice(0, 7), slice(0, 7))
    np.testing.assert_allclose(models[0].block(slice(3, 7), slice(1, 6)), block[3:, 1:6])
    whole = models[1].block(slice(0, 7), slice(0, 7))
    np.testing.assert_allclose(whole[np.ix_(places, places)], block)
    of, before, places = np.array([1, 3]), np.array([0.9, 0.8]), np.array(places)
    kept = models[1].retained(places[[5, 0]], places[of], before)[places]
    np.testing.assert_allclose(kept, models[0].retained(np.array([5, 0]), of, before))
    related = models[1].neighbors(places[of])[places]
    np.testing.assert_array_equal(related, models[0].neighbors(of))


def test_substitutes_and_extensions(X):
    selector = fitted(X, 3)
    selected = np.flatnonzero(selector.support_).tolist()
    out = X.columns.get_loc("flavanoids")
    rest = [column for column in selected if column != out]
    alone = np.square(np.corrcoef(X.T))
    represented = [
        j
        for j in range(13)
        if max(selected, key=alone[j].__getitem__) == out
        and (alone[j, out] > noise_floor(*X.shape) or j == out)
    ]
    before = naive_explained(X, selected)[represented]
    lost = {
        j: np.maximum(before - naive_explained(X, [*rest, j])[represented], 0).sum() / 13
        for j in range(13)
        if j not in selected
    }
    best = selector.substitute("flavanoids")[0]
    assert best.position == min(lost, key=lost.get)
    assert best.lost == pytest.approx(lost[best.position])
    assert selector.extend(2).support_.sum() == 5


def test_constraints(X):
    kept = fitted(X, 4, keep=["hue", "ash"])
    assert {"hue", "ash"} <= set(kept.get_feature_names_out())
    blocks = naive_explained(X, [X.columns.get_loc(name) for name in ("hue", "ash")])
    assert kept.coverage_[1] == pytest.approx(blocks.mean())
    out = fitted(X, 4, exclude=["flavanoids"])
    assert "flavanoids" not in out.get_feature_names_out()
    assert out.scores_[X.columns.get_loc("flavanoids")] == 0
    groups = {"flavanoids": "phenols", "total_phenols": "phenols", "hue": "phenols"}
    limited = fitted(X, 11, at_most=AtMost(1, of=groups))
    assert len(set(limited.get_feature_names_out()) & set(groups)) == 1
    ungrouped = fitted(X, 4, at_most=AtMost(1, of=[None] * 13))
    assert (ungrouped.support_ == fitted(X, 4).support_).all()
    apart = fitted(X, max_similarity=0.1).at(3)
    names = apart.get_feature_names_out()
    among = pearson(X[names], squared=True) - np.eye(len(names))
    assert among.max() <= 0.1


def test_sizes(X):
    selector = fitted(X, UntilCoverage(0.7))
    assert selector.explained_.mean() >= 0.7 > selector.coverage_[selector.n_features_ - 2]
    cost = {name: 3.0 if name == "flavanoids" else 1.0 for name in X}
    paid = fitted(X, Budget(3, cost))
    assert sum(cost[name] for name in paid.get_feature_names_out()) <= 3
    best = max(
        naive_explained(X, [i, j, k]).mean()
        for i in range(13)
        for j in range(i)
        for k in range(j)
        if 6 not in (i, j, k)
    )
    assert paid.explained_.mean() >= 0.97 * best
    redundant = fitted(X, MinShare(0.6))
    assert redundant.shares_.min() >= 0.6
    assert redundant.evaluate(n_random=5).coverage > 0.9


@pytest.mark.parametrize("similarity", ["pearson", "spearman"])
def test_dask_tables(X, similarity):
    dask = pytest.importorskip("dask")
    with dask.config.set(scheduler="synchronous"):
        array = pytest.importorskip("dask.array").from_array(X.to_numpy(), chunks=(50, 5))
        found = fitted(array, similarity=similarity, max_similarity=0.5)
    expected = fitted(X.to_numpy(), similarity=similarity, max_similarity=0.5)
    np.testing.assert_array_equal(found.ranking_, expected.ranking_)
    np.testing.assert_allclose(found.explained_, expected.explained_)
    assert found.n_features_ == expected.n_features_


@pytest.mark.parametrize("measure", [Energy(), MutualInformation(), "precomputed", pearson])
def test_measures_that_are_no_correlation_are_refused(X, measure):
    with pytest.raises(ValueError, match="is no correlation of columns") as caught:
        fitted(X, 3, similarity=measure)
    assert all(
        (repr(name) in str(caught.value)) == known.has_columns
        for name, known in registered("similarity").items()
        if name not in ("energy", "mutual_information", "precomputed")
    )


def test_sparse_as_dense():
    X = np.random.default_rng(0).poisson(0.5, size=(60, 25)).astype(float)
    X[:, 5:10] += X[:, :1]
    dense, thin = fitted(X), fitted(sparse.csr_array(X))
    np.testing.assert_array_equal(thin.ranking_, dense.ranking_)
    np.testing.assert_allclose(thin.explained_, dense.explained_)
    np.testing.assert_array_equal(thin.representative_, dense.representative_)
    assert thin.n_features_ == dense.n_features_


def test_names_are_chosen_as_a_whole():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 5, size=100)
    table = pd.DataFrame({"town": [f"t{code}" for code in town]})
    for i in range(4):
        table[f"x{i}"] = rng.normal(size=5)[town] + 0.3 * rng.normal(size=100)
    selector = fitted(table, 1)
    assert selector.get_feature_names_out().tolist() == ["town"]
    ranks = table.drop(columns="town").rank()
    eta = ranks.groupby(town).transform("mean").var() / ranks.var()
    np.testing.assert_allclose(selector.shares_[1:], eta)
    np.testing.assert_allclose(selector.explained_[1:], eta)


def test_lists_resamples_and_pickles(X):
    selector = TopologicalFeatureSelector(3, rule="variance", similarity=Spearman())
    columns = fit_and_compare(selector, X)
    assert ranked_columns(selector, columns.operator)[0].rank == 1
    found = stability(selector, X, n_resamples=4, random_state=0)
    assert found.sizes.tolist() == [3] * 4
    assert found.edges == ()
    other = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(other.explained_, selector.explained_)


def test_single_precision_chooses_as_double():
    X = factor_table(80, 60, n_factors=6)
    one, two = fitted(X, 20), fitted(X.astype(np.float32), 20)
    np.testing.assert_array_equal(np.argsort(one.ranking_)[:20], np.argsort(two.ranking_)[:20])
    assert two.n_features_ == 20
