"""What 100 known columns say about the others: `conditional` beside the dense formulas.

    python -m benchmarks.conditional [--invert]

Mean and variance of all other columns for one row of values, on one core, the covariance at hand:
by the formula as it reads (`solve`), and by the least work that we know (`cholesky`: half the
solving). Only the diagonal of the Schur complement is computed. From J, which is what a sparse
model has, both need its inverse first (--invert). Best of 40 runs, each by itself and in turns:
after the dense formula has been through the caches, ours starts from memory.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np
from scipy.io import loadmat
from scipy.linalg import solve_triangular
from threadpoolctl import threadpool_limits

from benchmarks.tables import data_folder
from benchmarks.timing import best_of, once
from topofs import LoGoCovariance

N_KNOWN = 100


def tables() -> dict[str, np.ndarray]:
    """Two made tables of 10,000 columns; real ones: images as columns, and genes."""
    found, folder = {}, data_folder()
    for seed in range(2):
        rng = np.random.default_rng(seed)
        factors = rng.normal(size=(200, 20)) @ rng.normal(size=(20, 10_000))
        found[f"made, 20 factors, seed {seed}"] = factors + 2 * rng.normal(size=factors.shape)
    found["USPS, images as columns"] = np.load(folder / "USPS.npz")["X"].T.astype(float)
    found["GLIOMA, genes"] = loadmat(folder / "GLIOMA.mat")["X"].astype(float)
    return found


def solve(mean: Any, covariance: Any, known: Any, values: Any) -> tuple[Any, Any]:
    """Mean and variance of the other columns, as the formula reads."""
    others = np.delete(np.arange(len(mean)), known)
    cross = covariance[np.ix_(known, others)]
    slopes = np.linalg.solve(covariance[np.ix_(known, known)], cross)
    variance = covariance[others, others] - (slopes * cross).sum(axis=0)
    return mean[others] + (values - mean[known]) @ slopes, variance


def cholesky(mean: Any, covariance: Any, known: Any, values: Any) -> tuple[Any, Any]:
    """The same by one triangular solution, with rows gathered before columns."""
    others = np.delete(np.arange(len(mean)), known)
    cross = covariance[known][:, others]
    factor = np.linalg.cholesky(covariance[np.ix_(known, known)])
    whitened = solve_triangular(factor, cross, lower=True, check_finite=False)
    deviation = solve_triangular(factor, values - mean[known], lower=True)
    variance = covariance[others, others] - np.einsum("ij,ij->j", whitened, whitened)
    return mean[others] + deviation @ whitened, variance


def measure(name: str, X: np.ndarray, *, invert: bool) -> None:
    """One line for a table; the inversion of J takes a minute at 10,000 columns."""
    X = X[:, X.std(axis=0) > 0]
    model = LoGoCovariance().fit(X)
    known = np.random.default_rng(0).choice(X.shape[1], N_KNOWN, replace=False)
    values = X[0, known]
    found = model.conditional(known, values)
    inverting = once(lambda: np.linalg.inv(model.precision_.toarray())) if invert else 0
    print(f"{name}: n = {X.shape[1]}" + (f", J inverted in {inverting:.0f} s" * invert))
    given = (model.location_, model.covariance_, known, values)

    def ours() -> None:
        model.conditional(known, values)

    for formula in (solve, cholesky):
        mean, variance = formula(*given)
        error = max(np.abs(found.mean - mean).max(), np.abs(found.variance - variance).max())
        (fast,), (slow,) = (
            best_of(run, repeats=40) for run in (ours, partial(formula, *given))
        )
        fast_in_turn, slow_in_turn = best_of(ours, partial(formula, *given), repeats=40)
        print(
            f"  {formula.__name__:<9} {1e3 * fast:.2f} against {1e3 * slow:.1f} ms: "
            f"{slow / fast:.0f} times; in turns {1e3 * fast_in_turn:.2f} against "
            f"{1e3 * slow_in_turn:.1f} ms: {slow_in_turn / fast_in_turn:.0f} times; "
            f"largest difference {error:.0e}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--invert", action="store_true", help="Invert J for the first table.")
    given = parser.parse_args()
    with threadpool_limits(1):
        for position, (name, X) in enumerate(tables().items()):
            measure(name, X, invert=given.invert and position == 0)


if __name__ == "__main__":
    main()
