"""The similarities and the graph of the paper's program, with its defect E3 on purpose.

The protocol `paper` has to arrive at the published numbers, and some of those come from
mistakes of the program that made them. Nothing but that protocol imports this module.

- **E1**: columns that are constant on the training table are removed from it but not from
  the test table; both are then indexed with the same positions (in the protocol).
- **E2**: inside a fold the topological selector drops the columns that are constant there
  and uses the positions it finds in the undropped table (in the protocol's ranker).
- **E3**: a vertex that is already in the graph keeps the gain 0 instead of leaving the
  race. Once no free vertex has a positive gain, the lowest index is inserted, whether it
  is free or not (`defective_tmfg_cliques`).

Similarities are taken from `pandas.DataFrame.corr` and sums follow the order in which the
program adds: on discretised data the last bit of a sum decides a tie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray


def varying_columns(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the columns whose sample standard deviation pandas finds positive."""
    return np.asarray(pd.DataFrame(X).std() > 0.0)


def program_alpha(alpha: float) -> float:
    """Give the float that the program's grid holds for a printed alpha.

    Its grid is ``numpy.arange(0.1, 1, 0.1)``, where 0.3 and 0.7 are one bit larger than the
    numbers of that name. On text data that bit decides ties.

    Examples
    --------
    >>> program_alpha(0.2), program_alpha(0.7)
    (0.2, 0.7000000000000001)
    """
    grid = np.arange(0.1, 1, 0.1)
    return float(grid[np.argmin(np.abs(grid - alpha))])


class DefectiveSimilarities:
    """Similarities of one training table as the paper's program computes them."""

    def __init__(self, X: NDArray[np.float64]) -> None:
        self._X = X
        self._correlations: dict[str, NDArray[np.float64]] = {}

    def correlation(self, method: str) -> NDArray[np.float64]:
        """Give the matrix of ``pandas.DataFrame.corr``, undefined entries as NaN."""
        if method not in self._correlations:
            frame = pd.DataFrame(self._X)
            exact = (
                method == "spearman" and len(frame) < 30_000 and not frame.isna().any(axis=None)
            )
            matrix = _spearman(frame) if exact else frame.corr(method=method).to_numpy()
            matrix.flags.writeable = False
            self._correlations[method] = matrix
        return self._correlations[method]

    def signed(self, method: str, *, squared: bool) -> NDArray[np.float64]:
        """Give the correlations, undefined ones as 0, each entry squared on demand."""
        matrix = np.nan_to_num(self.correlation(method), nan=0.0)
        return np.square(matrix) if squared else matrix

    def energy(self, alpha: float, *, undefined_is_unrelated: bool) -> NDArray[np.float64]:
        """Give α·max(σᵢ, σⱼ) + (1 − α)·(1 − |Spearmanᵢⱼ|)."""
        sigma = _spread_of_scaled_columns(self._X)
        rho = self.correlation("spearman")
        if undefined_is_unrelated:
            rho = np.nan_to_num(rho, nan=0.0)
        matrix = alpha * np.maximum(sigma[:, None], sigma) + (1 - alpha) * (1 - np.abs(rho))
        return np.nan_to_num(matrix, nan=0.0)


def _spearman(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Compute ``frame.corr("spearman")`` to the last bit, many times faster.

    Centred average ranks are multiples of ½, so their products add up without rounding while
    the table has fewer than 30,000 rows: any order of the sum gives what pandas gives.
    """
    ranks = frame.rank().to_numpy() - (len(frame) + 1) / 2
    products = ranks.T @ ranks
    squares = np.diag(products)
    with np.errstate(invalid="ignore"):
        return np.asarray(products / np.sqrt(np.outer(squares, squares)))


def _spread_of_scaled_columns(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the population standard deviation of every column scaled to [0, 1]."""
    from sklearn.preprocessing import MinMaxScaler

    # Column by column in memory, as the program holds its table: that is the order of the
    # sums, and columns with the same counts then tie exactly.
    scaled: NDArray[np.float64] = MinMaxScaler().fit_transform(np.asfortranarray(X))
    return np.asarray(scaled.std(axis=0))


def defective_degrees(similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give the degrees in the program's TMFG of a similarity, threshold included."""
    n_nodes = len(similarity)
    similarity[similarity < similarity.mean()] = 0
    cliques = defective_tmfg_cliques(similarity)
    pairs = [cliques[:, [i, j]] for i in range(4) for j in range(i + 1, 4)]
    edges = np.sort(np.concatenate(pairs), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    codes = np.unique(edges[:, 0] * n_nodes + edges[:, 1])
    ends = np.concatenate([codes // n_nodes, codes % n_nodes])
    return np.bincount(ends, minlength=n_nodes)


def defective_tmfg_cliques(similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """Build the program's TMFG (defect E3) and give its cliques in the order of insertion."""
    weights = np.array(similarity, dtype=np.float64, order="C")
    start = _starting_vertices(weights)
    np.fill_diagonal(weights, 0.0)
    cliques: NDArray[np.int64] = _insert_vertices(weights, start)
    return cliques


def _starting_vertices(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Four vertices with the largest sums of the weights above the mean."""
    # The program sums a data frame and sorts with numpy's default: both decide ties.
    frame = pd.DataFrame(weights)
    sums = np.multiply(frame, frame > weights.mean()).sum(axis=1)
    return np.argsort(sums.to_numpy())[::-1][:4].astype(np.int64)


@numba.njit(cache=True)
def _insert_vertices(
    weights: NDArray[np.float64], start: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Insert n_nodes - 4 vertices, each into the face where it gains most.

    `weights` is C-ordered with a zero diagonal. Slot f of `faces` holds three vertices in
    the order of their sum, `gains[f]` their best gain and `best[f]` the vertex it is for.
    Invariant: `gains[f]` is exact while `best[f]` is free, or while it is 0; afterwards it
    is an upper bound, because a used vertex gains 0 and no weight is negative. A slot is
    looked at again only when its bound is the largest of all, lowest slot first.
    """
    n_nodes = weights.shape[0]
    used = np.zeros(n_nodes, dtype=np.bool_)
    faces = np.empty((2 * n_nodes - 4, 3), dtype=np.int64)
    gains = np.empty(2 * n_nodes - 4)
    best = np.empty(2 * n_nodes - 4, dtype=np.int64)
    cliques = np.empty((n_nodes - 3, 4), dtype=np.int64)
    cliques[0] = start
    for vertex in start:
        used[vertex] = True
    corners = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    for slot, (i, j, k) in enumerate(corners):
        faces[slot] = start[i], start[j], start[k]
        best[slot], gains[slot] = _best_vertex(weights, used, faces[slot])
    n_faces = 4
    for step in range(1, n_nodes - 3):
        while True:
            slot = int(np.argmax(gains[:n_faces]))
            if gains[slot] == 0.0 or not used[best[slot]]:
                break
            best[slot], gains[slot] = _best_vertex(weights, used, faces[slot])
        v, (a, b, c) = best[slot], faces[slot]
        used[v] = True
        cliques[step] = v, a, b, c
        faces[slot] = a, b, v
        faces[n_faces] = a, c, v
        faces[n_faces + 1] = b, c, v
        n_faces += 2
        for changed in (slot, n_faces - 2, n_faces - 1):
            best[changed], gains[changed] = _best_vertex(weights, used, faces[changed])
    return cliques


@numba.njit(cache=True)
def _best_vertex(
    weights: NDArray[np.float64], used: NDArray[np.bool_], face: NDArray[np.int64]
) -> tuple[int, float]:
    """Lowest vertex with the largest gain, where a used vertex gains 0 (defect E3)."""
    row_a, row_b, row_c = weights[face[0]], weights[face[1]], weights[face[2]]
    vertex, largest = 0, -1.0
    for u in range(weights.shape[0]):
        gain = 0.0 if used[u] else (row_a[u] + row_b[u]) + row_c[u]
        if gain > largest:
            vertex, largest = u, gain
    return vertex, largest
