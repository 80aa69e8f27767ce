"""Infinite Feature Selection (Inf-FS): the weight of all paths through a feature."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh_tridiagonal

from topofs.similarity_matrix import check_similarity_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]

__all__ = ["check_theta", "infinite_path_scores"]

# Relative error left in each vector of scores, before rounding.
SCORE_TOLERANCE = 1e-12
# The spectral radius ρ is enclosed: largest Ritz value <= ρ < that value / (1 - RADIUS_GAP).
RADIUS_GAP = 1e-13
# Elements of the matrix read at one time.
BLOCK_ELEMENTS = 2**18


def infinite_path_scores(
    similarity: npt.NDArray[np.floating[Any]], thetas: Sequence[float] | FloatArray
) -> FloatArray:
    """Score each feature by the weight of the paths of every length that end at it.

    With ``A`` the similarity matrix, ``ρ`` its spectral radius and ``r = θ/ρ``, the scores are
    the column sums of the geometric series of ``r A``::

        Σ_{l >= 1} (r A)^l = (I - r A)⁻¹ - I

    This is the unsupervised score of Inf-FS [1]_ [2]_, which is Katz's centrality [3]_ on the
    complete weighted graph; [4]_ compares with it in its section 2. It needs no filtered graph.

    Parameters
    ----------
    similarity : array of float, shape (n_features, n_features)
        Symmetric, non-negative matrix, its diagonal included.
    thetas : sequence of float
        The shares ``θ`` of the largest admissible ``r``, each in ``(0, 1)``. Near 0 the score
        ranks by row sum, near 1 by the Perron vector.

    Returns
    -------
    array of float64, shape (len(thetas), n_features)
        The scores, non-negative; all zero where the matrix is zero.

    Raises
    ------
    ValueError
        If `similarity` is not a square, finite, non-negative, symmetric matrix, or if some
        theta is outside ``(0, 1)``.

    Notes
    -----
    One Lanczos run from the vector of ones, with full reorthogonalisation, serves ``ρ`` and
    every ``θ``. After `m` steps ``A Q ≈ Q T`` with ``T`` tridiagonal of size `m`, ``ρ`` is the
    largest eigenvalue of ``T`` and the scores are ``√n Q f(T) e₁`` with
    ``f(x) = r x / (1 - r x)``. No eigenvalues and no inverse of `A` itself are taken.

    *Starting from ones loses nothing.* A non-negative matrix, reducible or not, has a
    non-negative eigenvector for ``ρ``; the sum of its entries is positive, so ones is not
    orthogonal to it and the Krylov space contains an eigenvector of ``ρ``. Where ones is itself
    an eigenvector the run ends at step one, and its eigenvalue is ``ρ``.

    *The number of steps is certified.* The residual of ``(I - r A) x = 1`` bounds the error of
    each vector of scores to 1e-12 of its norm. The same system is then solved for
    ``θ = 1 - 1e-13``: a solution ``x > 0`` whose residual is below one has ``r A x < x``, and
    then ``r ρ < 1`` (Collatz and Wielandt), which encloses ``ρ`` to 1e-13 from above; a Ritz
    value encloses it from below.

    Time is O(m n²), some 10 to 40 products with `A` for similarity matrices; memory beyond `A`
    is O(m n). Other types than float64 are computed in float64, a block of rows at a time.

    References
    ----------
    .. [1] G. Roffo, S. Melzi and M. Cristani (2015). Infinite feature selection. ICCV,
       4202-4210.
    .. [2] G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli and M. Cristani (2020). Infinite
       feature selection: a graph-based feature filtering approach. IEEE Transactions on
       Pattern Analysis and Machine Intelligence 43(12), 4396-4410.
    .. [3] L. Katz (1953). A new status index derived from sociometric analysis. Psychometrika
       18(1), 39-43.
    .. [4] A. Briola and T. Aste (2023). Topological feature selection. Proceedings of TAG-ML,
       PMLR 221, 534-556.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.centrality import infinite_path_scores
    >>> similarity = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> infinite_path_scores(similarity, [0.1, 0.9]).round(3)
    array([[ 0.112,  0.124,  0.081],
           [ 9.605, 10.229,  4.931]])
    """
    for theta in thetas:
        check_theta(theta)
    shares = np.asarray(thetas, dtype=np.float64)
    similarity = check_similarity_matrix(similarity).values
    n_features, scale = len(similarity), _check_non_negative(similarity)
    if scale == 0 or len(shares) == 0:
        return np.zeros((len(shares), n_features))
    space = _krylov_space(similarity, scale, shares)
    ritz, vectors = eigh_tridiagonal(space.diagonal, space.off_diagonal)
    rates = shares / ritz[-1]
    path = rates[:, None] * ritz
    scores = np.sqrt(n_features) * ((path / (1 - path) * vectors[0]) @ vectors.T) @ space.basis
    # One pass of the identity s = r A (1 + s) makes every score a sum of non-negative terms:
    # a feature with a row of zeros scores exactly zero.
    polished = _times(similarity, np.maximum(1 + scores, 0).T, scale).T
    return np.ascontiguousarray(rates[:, None] * polished)


@dataclass(frozen=True, eq=False)
class _KrylovSpace:
    """Orthonormal ``basis`` (rows) in which the scaled matrix is tridiagonal."""

    basis: FloatArray
    diagonal: FloatArray
    off_diagonal: FloatArray


def _krylov_space(
    similarity: npt.NDArray[Any], scale: float, thetas: FloatArray
) -> _KrylovSpace:
    """Lanczos from ones on ``similarity / scale`` until ρ and the scores are certified.

    Invariant: the first ``n_steps`` rows of ``basis`` are orthonormal, and ``diagonal``,
    ``off_diagonal`` hold the projection of the matrix on them.
    """
    n_features = len(similarity)
    basis = np.empty((min(32, n_features), n_features))
    vector = np.full(n_features, n_features**-0.5)
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    next_check = 5
    for n_steps in range(1, n_features + 1):
        if n_steps > len(basis):
            basis = np.concatenate([basis, np.empty_like(basis)])
        basis[n_steps - 1] = vector
        known = basis[:n_steps]
        vector = _times(similarity, vector, scale)
        overlap = known @ vector
        vector -= overlap @ known
        # Once more: a single pass leaves the basis short of orthogonal where much cancels.
        vector -= (known @ vector) @ known
        diagonal.append(float(overlap[-1]))
        norm = float(np.linalg.norm(vector))
        # The largest element of the scaled matrix is 1, hence ρ >= 1: below is rounding.
        if norm <= 4 * np.finfo(np.float64).eps or n_steps == n_features:
            break
        if n_steps >= next_check:
            next_check = n_steps + max(5, n_steps // 10)
            space = _KrylovSpace(known, np.array(diagonal), np.array(off_diagonal))
            if _is_certified(space, norm, thetas):
                break
        off_diagonal.append(norm)
        vector /= norm
    return _KrylovSpace(basis[:n_steps], np.array(diagonal), np.array(off_diagonal))


def _is_certified(space: _KrylovSpace, norm: float, thetas: FloatArray) -> bool:
    """Whether the scores reach SCORE_TOLERANCE and ρ is enclosed to RADIUS_GAP.

    Let ``x = √n Q (I - r T)⁻¹ e₁``. Its residual has norm ``√n r norm · last`` with ``last``
    the bottom entry of ``(I - r T)⁻¹ e₁``, taken as a product of pivots because the entry
    itself, soon below rounding, would come out of a solver as noise.
    """
    diagonal, off_diagonal = space.diagonal, space.off_diagonal
    ritz, vectors = eigh_tridiagonal(diagonal, off_diagonal)
    rates = np.append(thetas, 1 - RADIUS_GAP) / ritz[-1]
    pivot = 1 - rates * diagonal[0]
    last = 1 / pivot
    for entry, coupling in zip(diagonal[1:], off_diagonal, strict=True):
        pivot = 1 - rates * entry - (rates * coupling) ** 2 / pivot
        last = last * rates * coupling / pivot
    residuals = rates * norm * last
    # 1 - θ is the smallest eigenvalue of I - r A; the scores exceed r A 1, of norm √n r |T e₁|.
    errors = residuals[:-1] / (1 - thetas)
    least_norms = rates[:-1] * np.hypot(diagonal[0], off_diagonal[0])
    root = np.sqrt(space.basis.shape[1])
    # Written so that a theta too near 1 for its pivots to be meaningful is not certified.
    if not np.all(np.abs(errors) <= SCORE_TOLERANCE * least_norms):
        return False
    if not abs(root * residuals[-1]) <= 0.5:
        return False
    solution = (vectors[0] / (1 - rates[-1] * ritz)) @ vectors.T @ space.basis
    return bool(np.all(solution > 0))


def _times(similarity: npt.NDArray[Any], columns: FloatArray, scale: float) -> FloatArray:
    """``similarity @ columns / scale`` in float64, a block of rows at a time.

    Blocks keep the float64 copy of another type small. They are small enough for BLAS to stay
    on one thread, which costs nothing (the product is bound by memory) and, when the cores are
    busy, is several times faster than threads that wait for each other.
    """
    product = np.empty_like(columns)
    n_rows = max(1, BLOCK_ELEMENTS // len(similarity))
    for start in range(0, len(similarity), n_rows):
        rows = slice(start, start + n_rows)
        product[rows] = similarity[rows].astype(np.float64, copy=False) @ columns
    return product / scale


def check_theta(theta: Any) -> None:
    """Refuse a damping outside (0, 1)."""
    if not isinstance(theta, Real) or not 0 < float(theta) < 1:
        raise ValueError(f"theta is {theta!r}; it must be a number in (0, 1)")


def _check_non_negative(similarity: npt.NDArray[Any]) -> float:
    """Return the largest element of a matrix without negative ones."""
    least, largest = float(similarity.min()), float(similarity.max())
    if least < 0:
        raise ValueError(
            f"the similarity goes down to {least}; Inf-FS needs non-negative values (take "
            "absolute values or squares of signed correlations)"
        )
    return largest
