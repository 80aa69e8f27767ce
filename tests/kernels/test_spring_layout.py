import numpy as np
import pytest

from tests.naive.layout import one_step
from topofs._kernels.spring_layout import relax
from topofs.layout import _relax


def drawing(n, seed):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(n, 2)) * 5
    edges = np.array([(i, int(rng.integers(i))) for i in range(1, n)], dtype=np.int64)
    return positions, edges.reshape(-1, 2), rng.random(n - 1), 0.5 + rng.random(n)


@pytest.mark.parametrize("n_cells", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_a_step_is_exact_where_all_cells_touch(n, n_cells):
    positions, edges, pull, mass = drawing(n, seed=n)
    gravity = np.array([0.3, 0.7])
    expected = one_step(positions, edges, pull, mass, gravity, 0.5)
    by_pairs = positions.copy()
    relax(positions, edges, pull, mass, gravity, np.array([0.5]), n_cells)
    np.testing.assert_allclose(positions, expected, atol=1e-12)
    _relax(by_pairs, edges, pull, mass, gravity, np.array([0.5]))
    np.testing.assert_allclose(by_pairs, expected, atol=1e-12)


def test_far_cells_act_about_like_their_nodes():
    positions, edges, pull, mass = drawing(400, seed=0)
    gravity = np.array([0.5, 0.5])
    # A huge step size: nodes move by the whole force.
    expected = one_step(positions, edges, pull, mass, gravity, 1e9)
    start = positions.copy()
    relax(positions, edges, pull, mass, gravity, np.array([1e9]), 9)
    error = np.linalg.norm(positions - expected, axis=1)
    assert np.median(error / np.linalg.norm(expected - start, axis=1)) < 0.02


def test_nodes_on_one_spot_stay_finite():
    positions = np.zeros((5, 2))
    edges = np.array([[0, 1], [1, 2]])
    relax(positions, edges, np.ones(2), np.ones(5), np.ones(2), np.ones(3), 4)
    assert (positions == 0).all()
    _relax(positions, edges, np.ones(2), np.ones(5), np.ones(2), np.ones(3))
    assert (positions == 0).all()
