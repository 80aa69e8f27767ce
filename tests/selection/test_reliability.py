"""Reliability of short forms, against the definitions and figures of published programs."""

import warnings

import numpy as np
import pandas as pd
import pytest

from topofs import (
    AtLeast,
    AtMost,
    TopologicalFeatureSelector,
    reliability,
    rest_scores,
)

SCALES = ["calm"] * 5 + ["open"] * 4 + [None]


def answers(seed=0, n=400, gaps=0.0):
    """Answers from 1 to 6 on two scales, with reversed items, and a column of neither."""
    rng = np.random.default_rng(seed)
    traits = rng.normal(size=(n, 2)) @ np.array([[1.0, 0.3], [0.0, 1.0]])
    loadings = np.array([1.0, 0.8, -0.9, 0.5, 1.2, 0.7, -1.0, 0.9, 0.4, 0.0])
    which = np.array([0] * 5 + [1] * 4 + [0])
    values = traits[:, which] * loadings + rng.normal(size=(n, 10))
    table = np.clip(np.rint(values + 3.5), 1, 6)
    table[rng.random(table.shape) < gaps] = np.nan
    return pd.DataFrame(table, columns=[f"q{i}" for i in range(10)])


def naive_alpha(frame, reverse):
    """α by the definition, from pandas' pairwise covariances."""
    signs = [-1 if name in reverse else 1 for name in frame]
    covariances = frame.cov().to_numpy() * np.outer(signs, signs)
    k = len(signs)
    return k / (k - 1) * (1 - np.trace(covariances) / covariances.sum())


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_alpha_and_full_score_by_the_definition(seed, gaps):
    X = answers(seed, gaps=gaps)
    kept = ["q0", "q2", "q4", "q5", "q6", "q9"]
    found = reliability(X, kept, of=SCALES)
    assert [one.scale for one in found] == ["calm", "open"]
    assert [one.items for one in found] == [("q0", "q2", "q4"), ("q5", "q6")]
    assert [one.reversed_items for one in found] == [("q2",), ("q6",)]
    for one, all_items in zip(found, (X.columns[:5], X.columns[5:9]), strict=True):
        short, whole = X[list(one.items)], X[all_items]
        assert one.n_items == len(all_items)
        assert one.alpha == pytest.approx(naive_alpha(short, {"q2", "q6"}), abs=1e-12)
        assert one.alpha_of_all == pytest.approx(naive_alpha(whole, {"q2", "q6"}), abs=1e-12)
        turned = whole.assign(**{n: -whole[n] for n in ("q2", "q6") if n in whole})
        expected = turned[list(one.items)].mean(axis=1).corr(turned.mean(axis=1))
        assert one.with_full_score == pytest.approx(expected, abs=1e-12)


def test_omega_of_known_loadings():
    # Three items are a factor exactly: r_ij = l_i l_j.
    loadings = np.array([0.9, 0.7, 0.5])
    correlations = np.outer(loadings, loadings)
    np.fill_diagonal(correlations, 1.0)
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(50, 3))
    white = np.linalg.solve(np.linalg.cholesky(np.cov(raw.T)), (raw - raw.mean(axis=0)).T)
    X = (np.linalg.cholesky(correlations) @ white).T * [1.0, 2.0, 3.0]
    sums = (loadings * [1, 2, 3]).sum() ** 2
    left = ((1 - loadings**2) * np.array([1, 4, 9])).sum()
    (one,) = reliability(X, of=["s"] * 3)
    assert one.omega == pytest.approx(sums / (sums + left), abs=1e-6)
    assert (one.items, one.with_full_score) == (("x0", "x1", "x2"), pytest.approx(1.0))


def test_equal_items_have_equal_alpha_and_omega():
    # With equal covariances and variances both are k r / (1 + (k - 1) r).
    n, r = 4, 0.4
    correlations = np.full((n, n), r) + (1 - r) * np.eye(n)
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(60, n))
    white = np.linalg.solve(np.linalg.cholesky(np.cov(raw.T)), (raw - raw.mean(axis=0)).T)
    X = (np.linalg.cholesky(correlations) @ white).T
    (one,) = reliability(X, of=["s"] * n)
    assert one.alpha == pytest.approx(n * r / (1 + (n - 1) * r))
    assert one.omega == pytest.approx(one.alpha, abs=1e-6)


def test_few_items_have_no_omega_and_one_has_no_alpha():
    X = answers()
    one, two = reliability(X, ["q0", "q5", "q6"], of=SCALES)
    assert (one.alpha, one.omega) == (None, None)
    assert two.alpha is not None
    assert two.omega is None
    assert "alpha" not in repr(one)
    assert f"of all {two.alpha_of_all:.2f}" in repr(two)
    assert repr(reliability(X, of=SCALES)).count("\n") == 1


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_rest_scores_by_the_definition(gaps):
    X = answers(3, gaps=gaps)
    found = rest_scores(X, of=SCALES)
    Z = (X - X.mean()) / X.std(ddof=0)
    Z[["q2", "q6"]] *= -1
    for column in range(9):
        scale = Z.columns[:5] if column < 5 else Z.columns[5:9]
        item = Z.columns[column]
        rest = Z[scale.drop(item)].mean(axis=1)
        assert found[column] == pytest.approx(Z[item].corr(rest) ** 2, abs=1e-12)
    assert found[9] == 0


def test_items_that_stand_for_their_scale_are_more_reliable():
    gained = []
    for seed in range(10):
        X = answers(seed)
        limits = {"at_least": AtLeast(2, of=SCALES), "at_most": AtMost(2, of=SCALES)}
        alphas = []
        for relevance in (None, rest_scores(X, of=SCALES)):
            selector = TopologicalFeatureSelector(4, relevance=relevance, **limits).fit(X)
            chosen = selector.get_feature_names_out()
            alphas.append([one.alpha for one in reliability(X, chosen, of=SCALES)])
        gained.append(np.subtract(*reversed(alphas)))
    assert np.mean(gained) > 0.02


def test_order_and_key_of_columns_do_not_matter():
    X = answers()
    kept = ["q0", "q2", "q4"]
    of = dict(zip(X.columns, SCALES, strict=True))
    (one,) = reliability(X, kept, of=of)
    (other,) = reliability(-X[X.columns[::-1]], kept, of=of)
    assert set(one.items) == set(other.items)
    assert other.alpha == pytest.approx(one.alpha)
    assert other.omega == pytest.approx(one.omega)
    assert other.reversed_items == one.reversed_items


@pytest.mark.parametrize(
    ("change", "items", "of", "message"),
    [
        ({}, ["q0"], {"q0": "a"}, "the scale 'a' has one item"),
        ({}, ["q9"], SCALES, "none of the items belongs to a scale"),
        ({}, ["q10"], SCALES, "there is no column 'q10'"),
        ({}, None, {"w": "a"}, "of: none of the names, such as 'w', is a column"),
        ({"q1": 3.0}, None, SCALES, "the item 'q1' has the same answer in all rows"),
        ({"q1": np.inf}, None, SCALES, "q1"),
    ],
)
def test_bad_scales_get_a_sentence(change, items, of, message):
    with pytest.raises(ValueError, match=message):
        reliability(answers().assign(**change), items, of=of)


def test_items_without_common_rows_get_a_sentence():
    X = answers()
    X.loc[:200, "q0"] = np.nan
    X.loc[200:, "q1"] = np.nan
    with warnings.catch_warnings(), pytest.raises(ValueError, match="in the same rows"):
        warnings.simplefilter("error")
        rest_scores(X, of=SCALES)
