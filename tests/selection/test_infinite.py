import numpy as np
import pytest

from tests.matrices import factor_table
from tests.naive.centrality import infinite_path_scores
from tests.naive.similarity import naive_energy
from topofs import ConstantFeatureWarning, InfiniteFeatureSelector


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("theta", [0.1, 0.9])
def test_scores_follow_the_dense_formula(alpha, theta):
    X = factor_table(30, 15)
    selector = InfiniteFeatureSelector(4, alpha=alpha, theta=theta).fit(X)
    expected = infinite_path_scores(naive_energy(X, alpha=alpha), [theta])[0]
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-9)
    np.testing.assert_array_equal(np.argsort(selector.ranking_), np.argsort(-expected))
    assert selector.at(2).support_.sum() == 2


def test_constant_columns_take_no_part():
    X = factor_table(30, 6)
    expected = InfiniteFeatureSelector().fit(np.delete(X, 2, axis=1)).scores_
    X[:, 2] = 3
    with pytest.warns(ConstantFeatureWarning, match="x2") as caught:
        selector = InfiniteFeatureSelector().fit(X)
    assert caught[0].filename == __file__
    np.testing.assert_allclose(np.delete(selector.scores_, 2), expected)
    assert selector.scores_[2] == 0
    assert selector.ranking_[2] == 6


@pytest.mark.parametrize("theta", [0, 1, -0.5, 1.5, np.nan, "0.5", None])
def test_theta_out_of_range_is_refused(theta):
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        InfiniteFeatureSelector(theta=theta).fit(factor_table(10, 3))
