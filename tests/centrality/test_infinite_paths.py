"""Inf-FS against its dense formula, and the certificate that ends the Lanczos run."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.centrality import infinite_path_scores as naive_scores
from topofs.centrality import infinite_path_scores

THETAS = [0.01, 0.5, 0.9, 0.999]
module = sys.modules["topofs.centrality"]


def correlations(n_features: int, seed: int) -> np.ndarray:
    """Absolute correlations of a table with five factors."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((100, 5)) @ rng.standard_normal((5, n_features))
    noise = rng.standard_normal((100, n_features)) * rng.uniform(0.2, 3, n_features)
    return np.abs(np.corrcoef((factors + noise).T))


def blocks(*parts: np.ndarray) -> np.ndarray:
    """Block-diagonal matrix: reducible."""
    n_features = sum(map(len, parts))
    matrix = np.zeros((n_features, n_features))
    start = 0
    for part in parts:
        stop = start + len(part)
        matrix[start:stop, start:stop] = part
        start = stop
    return matrix


def assert_equals_naive(similarity, thetas=THETAS, rtol=1e-12):
    scores = infinite_path_scores(similarity, thetas)
    expected = naive_scores(similarity, thetas)
    assert scores.shape == expected.shape
    assert scores.dtype == np.float64
    assert (scores >= 0).all()
    # Rounding of ρ reaches the scores, of either side, multiplied by 1 / (1 - θ).
    for theta, row, expected_row in zip(thetas, scores, expected, strict=True):
        error = np.linalg.norm(row - expected_row)
        assert error <= rtol / (1 - theta) * np.linalg.norm(expected_row)


RING = np.roll(np.eye(9), 1, axis=0)
CASES = {
    "one feature": np.array([[0.3]]),
    "two features": np.array([[1.0, 0.4], [0.4, 1.0]]),
    "zero diagonal": np.array([[0.0, 0.4], [0.4, 0.0]]),
    "identity": np.eye(7),
    "constant": np.full((8, 8), 0.7),
    "ones an eigenvector": 0.3 * (RING + RING.T) + np.eye(9),
    "bipartite": blocks(np.zeros((5, 5)), np.zeros((5, 5)))
    + np.kron([[0, 1], [1, 0]], np.ones((5, 5))),
    "diagonal": np.diag(np.arange(1.0, 41.0)),
    "path": np.eye(120, k=1) + np.eye(120, k=-1),
    "zero rows": blocks(correlations(30, 0), np.zeros((3, 3))),
    "small block on top": blocks(correlations(60, 1) / 60, np.array([[0.5, 0.5], [0.5, 0.6]])),
    "equal blocks": blocks(correlations(20, 2), correlations(20, 2)),
    "large": 1e200 * correlations(20, 3),
    "tiny": 1e-200 * correlations(20, 3),
    "Fortran order": np.asfortranarray(correlations(50, 4)),
    "integers": np.array([[2, 1, 0], [1, 3, 1], [0, 1, 1]]),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_the_dense_formula_on(name):
    assert_equals_naive(CASES[name])


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 30), st.floats(0, 1), st.integers(0, 2**32 - 1), st.floats(0.001, 0.999))
def test_equals_the_dense_formula(n_features, density, seed, theta):
    rng = np.random.default_rng(seed)
    matrix = np.triu(
        rng.random((n_features, n_features)) * (rng.random(2 * [n_features]) < density)
    )
    assert_equals_naive(matrix + matrix.T, [theta])


def test_ranks_features_as_the_dense_formula():
    similarity = correlations(250, 6)
    scores = infinite_path_scores(similarity, THETAS)
    expected = naive_scores(similarity, THETAS)
    np.testing.assert_array_equal(np.argsort(scores), np.argsort(expected))


def test_float32_is_computed_in_float64_by_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", 1000)
    similarity = correlations(150, 7).astype(np.float32)
    scores = infinite_path_scores(similarity, THETAS)
    np.testing.assert_allclose(scores, naive_scores(similarity, THETAS), rtol=1e-10)


def test_a_zero_matrix_and_no_thetas():
    np.testing.assert_array_equal(
        infinite_path_scores(np.zeros((3, 3)), [0.5]), np.zeros((1, 3))
    )
    assert infinite_path_scores(np.eye(3), []).shape == (0, 3)


def test_a_feature_without_similarity_scores_exactly_zero():
    scores = infinite_path_scores(CASES["zero rows"], THETAS)
    assert (scores[:, -3:] == 0).all()
    assert (scores[:, :-3] > 0).all()


@pytest.mark.parametrize("excess", [1e-3, 1e-6, 1e-9])
def test_radius_of_a_small_block_just_above_the_large_one(excess):
    # The Ritz value seems settled on the large block long before the small one shows. An error
    # of `excess` in ρ would shift the scores at 0.999 by a thousand times as much.
    large = correlations(150, 8)
    large /= np.linalg.eigvalsh(large)[-1]
    similarity = blocks(large, np.array([[1 + excess]]))
    assert_equals_naive(similarity)


def test_a_run_takes_few_steps_and_its_basis_is_orthonormal():
    space = module._krylov_space(correlations(500, 9), 1.0, np.array([0.9, 0.999]))
    assert len(space.basis) <= 40
    np.testing.assert_allclose(
        space.basis @ space.basis.T, np.eye(len(space.basis)), atol=1e-14
    )


def test_certificate_refuses_a_space_cut_short():
    similarity = correlations(500, 9)
    thetas = np.array([0.9])
    full = module._krylov_space(similarity, 1.0, thetas)
    for n_steps in (2, 3, 5):
        cut = module._KrylovSpace(
            full.basis[:n_steps], full.diagonal[:n_steps], full.off_diagonal[: n_steps - 1]
        )
        assert not module._is_certified(cut, full.off_diagonal[n_steps - 1], thetas)


def test_certificate_refuses_a_solution_with_a_negative_entry():
    # The residual is small, but the vector is not positive: ρ might lie above the Ritz value.
    basis = np.array([[0.6, 0.8], [0.8, -0.6]])
    space = module._KrylovSpace(basis, np.array([1.0, 0.5]), np.array([0.9]))
    flipped = module._KrylovSpace(-basis, space.diagonal, space.off_diagonal)
    assert module._is_certified(space, 0.0, np.array([0.5]))
    assert not module._is_certified(flipped, 0.0, np.array([0.5]))


def test_a_theta_within_rounding_of_one_gives_finite_scores():
    scores = infinite_path_scores(correlations(30, 10), [np.nextafter(1.0, 0.0)])
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("theta", [0.0, 1.0, -0.5, 2.0, float("nan")])
def test_refuses_a_theta_outside_its_range(theta):
    with pytest.raises(ValueError, match=r"theta is .*; it must be a number in \(0, 1\)"):
        infinite_path_scores(np.eye(3), [0.5, theta])


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (np.ones(3), "square matrix"),
        (np.float64(3.0), "square matrix"),
        (np.ones((2, 3)), "square matrix"),
        (np.array([[1.0, -0.5], [-0.5, 1.0]]), "goes down to -0.5; .* non-negative"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "finite"),
        (np.array([[1.0, np.inf], [np.inf, 1.0]]), "finite"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
    ],
)
def test_refuses_a_matrix_out_of_order(similarity, message):
    with pytest.raises(ValueError, match=message):
        infinite_path_scores(similarity, [0.5])
