r"""The rivals of the benchmark: other ways to choose columns without labels.

Each takes a training table whose columns all vary. Those that give an order are cut at any size;
those that give groups or thresholds are asked size by size.

Greedy subset selection
    Each next column explains most of what is left of all columns. With E the columns minus what
    the chosen ones explain by least squares and :math:`K = E^T E`, it is the column with the
    largest :math:`\sum_i K_{ij}^2 / K_{jj}`. After column l is chosen,
    :math:`\omega = K_{\cdot l} / \sqrt{K_{ll}}` updates numerator and denominator of every column
    in O(n·S), and K itself is never needed (Farahat et al.).
Pivoted QR
    Each next column has the longest part at right angles to those chosen: the order in which
    LAPACK's factorisation takes standardised columns.
Facility location
    On r² of all pairs, :math:`F(S) = \sum_j \max_{i \in S} r_{ij}^2`, greedily, with nothing taken
    off for chance and no graph. By hand, because apricot 0.6.1 gives columns twice once nothing is
    left to gain (its issue 19): of 20 columns and their 20 copies, asked for all 40, it lists 29.
Medoids
    Columns of length 1 span lines whose projections are :math:`\sqrt{2 (1 - r^2)}` apart, a
    Euclidean distance, so Ward's method clusters by :math:`\sqrt{1 - r^2}`; average linkage by
    :math:`1 - r^2`. The tree is cut into as many clusters as columns are wanted, and each gives
    the column that shares most (:math:`\sum r^2`) with its cluster.
Principal feature analysis
    The loadings of the standardised columns on the first q principal components are clustered by
    k-means; the column nearest to the centre represents its cluster. q components hold 90 % of the
    variance, but are no more than columns are wanted; signs of loadings are dropped (Lu et al.).
Uncorrelated columns
    Columns in the order of the table; one is dropped if its absolute correlation with a column
    kept is above a threshold, as feature-engine's DropCorrelatedFeatures does. Bisection finds the
    lowest threshold at which enough columns stay; of those, the first ones.
Laplacian score
    Rows are joined to their k nearest neighbours (either way round) with the heat kernel
    :math:`S_{ij} = \exp(-\lVert x_i - x_j \rVert^2 / t)`. With :math:`D = \mathrm{diag}(S 1)`,
    :math:`L = D - S` and :math:`\tilde f = f - \frac{f^T D 1}{1^T D 1} 1` the score of a column f
    is :math:`\tilde f^T L \tilde f / \tilde f^T D \tilde f`, low for a column that keeps the
    neighbourhoods of the table. Distances are between standardised rows; t is the mean squared
    length of the edges (He et al.).
MCFS and SPEC
    Both start from the same graph and the eigenvectors :math:`u_2 … u_{m+1}` of its normalised
    Laplacian with the smallest eigenvalues :math:`\lambda_2 ≤ …` after the trivial one. MCFS
    regresses each :math:`D^{-1/2} u_k` on the columns by least angle regression; a column's score
    is its largest coefficient, and columns without any follow by their largest correlation with a
    direction (Cai et al.). SPEC's third score is
    :math:`\sum_k (2 - \lambda_k) \cos^2(D^{1/2} f, u_k)`; its second one is the Laplacian score
    of the same graph (Zhao and Liu).

References
----------
A. K. Farahat, A. Ghodsi and M. S. Kamel, "An efficient greedy method for unsupervised feature
selection", ICDM 2011.
Y. Lu, I. Cohen, X. S. Zhou and Q. Tian, "Feature selection using principal feature analysis",
ACM Multimedia 2007.
X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NIPS 18, 2005.
D. Cai, C. Zhang and X. He, "Unsupervised feature selection for multi-cluster data", KDD 2010.
Z. Zhao and H. Liu, "Spectral feature selection for supervised and unsupervised learning",
ICML 2007.
"""

from __future__ import annotations

import heapq
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import linkage
from scipy.linalg import qr, svd
from scipy.sparse import diags_array
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scipy.sparse import coo_array

    Table = npt.NDArray[np.floating[Any]]
    Doubles = npt.NDArray[np.float64]
    Order = npt.NDArray[np.intp]
    Sets = dict[int, Order]


def unit_columns(X: Table) -> Doubles:
    """Centre the columns of a table, which all vary, and scale them to length 1."""
    centred = np.asarray(X, dtype=np.float64) - np.mean(X, axis=0)
    return np.asarray(centred / np.linalg.norm(centred, axis=0))


def in_fewest_rows(columns: Doubles) -> Doubles:
    """Turn the columns into a space of no more rows than columns: lengths and angles stay."""
    if columns.shape[0] <= columns.shape[1]:
        return columns
    return np.asarray(np.linalg.qr(columns, mode="r"))


def squared_correlations(X: Table) -> Doubles:
    """Give r² of every pair of columns: ones on the diagonal, nothing above 1."""
    units = unit_columns(X)
    squares = np.minimum((units.T @ units) ** 2, 1.0)
    np.fill_diagonal(squares, 1.0)
    return squares


def choose_in_sweeps(
    choose: Callable[[Doubles, int], Order], columns: Doubles, size: int
) -> Order:
    """Ask for columns until `size` of them are chosen; then all others in the order of the table.

    ``choose(columns, size)`` gives positions of at least one and at most `size` columns, best
    first, none twice.
    """
    left = np.arange(columns.shape[1])
    chosen: list[int] = []
    while len(chosen) < min(size, columns.shape[1]):
        found = choose(columns[:, left], size - len(chosen))
        chosen += left[found].tolist()
        left = np.delete(left, found)
    return np.concatenate([np.array(chosen, dtype=np.intp), left])


_NOTHING = 1e-9


def greedy_subset_order(X: Table, size: int) -> Order:
    """Order standardised columns by what each adds to the variance that is explained.

    After `size` of them the others follow as they stand.

    Examples
    --------
    The second column is the sum of the others.

    >>> X = np.array([[1.0, 1, 0], [-1, -1, 0], [0, 1, 1], [0, -1, -1]])
    >>> int(greedy_subset_order(X, 1)[0])
    1
    """
    return choose_in_sweeps(_greedy_sweep, in_fewest_rows(unit_columns(X)), size)


def _greedy_sweep(units: Doubles, size: int) -> Order:
    """Choose until nothing is left to explain."""
    rows = units @ units.T
    explains = np.einsum("ij,ij->j", units, rows @ units)
    left = np.ones(units.shape[1])
    steps: list[Doubles] = []
    chosen: list[int] = []
    while len(chosen) < size:
        possible = left > _NOTHING
        if not possible.any():
            break
        gains = np.full(len(left), -np.inf)
        gains[possible] = explains[possible] / left[possible]
        best = int(gains.argmax())
        done = np.array(steps).reshape(-1, len(left))
        step = units.T @ units[:, best] - done.T @ done[:, best]
        step /= np.sqrt(step[best])
        through = units.T @ (units @ step) - done.T @ (done @ step)
        explains += step * (step @ step * step - 2 * through)
        left -= step**2
        left[best] = 0.0
        steps.append(step)
        chosen.append(best)
    return np.array(chosen, dtype=np.intp)


def pivoted_qr_order(X: Table, size: int) -> Order:
    """Order standardised columns by pivoted QR; after `size` of them, as they stand."""
    return choose_in_sweeps(_pivots, in_fewest_rows(unit_columns(X)), size)


def _pivots(units: Doubles, size: int) -> Order:
    """Take pivots until only rounding is left."""
    triangle, order = qr(units, mode="r", pivoting=True, check_finite=False)
    independent = np.count_nonzero(np.abs(np.diag(triangle)) > _NOTHING)
    return np.asarray(order[: min(size, max(independent, 1))], dtype=np.intp)


_DECIMALS = 10


def facility_location_order(X: Table, size: int) -> Order:
    """Order columns by what each adds to the function; after `size` of them, as they stand."""
    alike = squared_correlations(X)
    covered = np.zeros(len(alike))
    # Gains only shrink, so a column whose gain is up to date and still largest is the next.
    # Rounded, so that two columns that share only with each other tie, and the first wins.
    sums = alike.sum(axis=1).round(_DECIMALS).tolist()
    waiting = [(-gain, column, 0) for column, gain in enumerate(sums)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < size:
        _, column, asked = heapq.heappop(waiting)
        if asked == len(chosen):
            chosen.append(column)
            np.maximum(covered, alike[column], out=covered)
        else:
            gain = np.maximum(alike[column] - covered, 0.0).sum()
            heapq.heappush(waiting, (-round(float(gain), _DECIMALS), column, len(chosen)))
    others = np.setdiff1d(np.arange(len(alike)), chosen)
    return np.concatenate([np.array(chosen, dtype=np.intp), others])


def cluster_medoids(X: Table, sizes: Sequence[int], *, method: str) -> Sets:
    """Choose one column of each cluster, for each size, in the order of the table."""
    alike = squared_correlations(X)
    apart = squareform(1.0 - alike, checks=False)
    if method == "ward":
        np.sqrt(apart, out=apart)
    joins = linkage(apart, method)[:, :2].astype(np.intp)
    return {size: _medoids(alike, _clusters(joins, size)) for size in sizes}


def _clusters(joins: Order, n_clusters: int) -> Order:
    """Follow the first joins until so many clusters are left; exactly so many, ties or not."""
    n_columns = len(joins) + 1
    joined = joins[: n_columns - n_clusters]
    parent = np.arange(n_columns + len(joined))
    parent[joined] = n_columns + np.arange(len(joined))[:, None]
    while not np.array_equal(parent, parent[parent]):
        parent = parent[parent]
    return parent[:n_columns]


def _medoids(alike: Doubles, labels: npt.NDArray[np.integer[Any]]) -> Order:
    """Give the column of each cluster that shares most with it; the first of equal ones."""
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        shared = alike[np.ix_(members, members)].sum(axis=1)
        found.append(members[shared.argmax()])
    return np.sort(np.array(found, dtype=np.intp))


_KEPT_VARIANCE = 0.9


def principal_features(X: Table, sizes: Sequence[int]) -> Sets:
    """Choose, for each size, the columns nearest to the centres of as many clusters of loadings."""
    units = unit_columns(X)
    _, lengths, directions = svd(units, full_matrices=False, check_finite=False)
    shares = np.cumsum(lengths**2) / np.sum(lengths**2)
    enough = int(np.searchsorted(shares, _KEPT_VARIANCE)) + 1
    return {size: _nearest(np.abs(directions[: min(enough, size)].T), size) for size in sizes}


def _nearest(loadings: Doubles, size: int) -> Order:
    """Cluster the loadings; equal rows leave fewer clusters, filled up in order of the table."""
    k_means = KMeans(n_clusters=size, n_init=1, max_iter=100, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        distances = k_means.fit_transform(loadings)
    own = distances[np.arange(len(loadings)), k_means.labels_]
    chosen = [
        members[own[members].argmin()]
        for label in range(size)
        if len(members := np.flatnonzero(k_means.labels_ == label))
    ]
    others = np.setdiff1d(np.arange(len(loadings)), chosen)
    return np.sort(np.append(chosen, others[: size - len(chosen)]).astype(np.intp))


_BISECTIONS = 20


def uncorrelated_columns(X: Table, sizes: Sequence[int]) -> Sets:
    """Choose, for each size, so many columns, no two of them correlated above a threshold."""
    alike = squared_correlations(X)
    return {size: _bisected(alike, size) for size in sizes}


def columns_below_threshold(alike: Doubles, threshold: float, most: int) -> Order:
    """Keep the first `most` columns whose r² with none kept before is above a threshold."""
    possible = np.ones(len(alike), dtype=bool)
    kept: list[int] = []
    column = 0
    while len(kept) < most:
        further = np.flatnonzero(possible[column:])
        if not len(further):
            break
        column += int(further[0])
        kept.append(column)
        possible &= alike[column] <= threshold
        column += 1
    return np.array(kept, dtype=np.intp)


def _bisected(alike: Doubles, size: int) -> Order:
    """Lower the threshold as long as enough columns stay."""
    low, high = 0.0, 1.0
    best = columns_below_threshold(alike, high, size)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        found = columns_below_threshold(alike, middle, size)
        if len(found) >= size:
            high, best = middle, found
        else:
            low = middle
    return best


def laplacian_scores(X: Table, *, n_neighbors: int = 5) -> Doubles:
    """Score each column; the lower, the better it keeps the neighbourhoods.

    Examples
    --------
    The first column tells two groups of rows apart; the second cuts through both.

    >>> X = np.array([[0.0, 1.0], [0.1, 2.0], [0.2, 3.0], [9.0, 1.0], [9.1, 2.0], [9.2, 3.0]])
    >>> scores = laplacian_scores(X, n_neighbors=2)
    >>> bool(scores[0] < scores[1])
    True
    """
    table = StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))
    kernel, degrees = heat_kernel(table, n_neighbors)
    centred = table - (degrees @ table) / degrees.sum()
    spread = degrees @ centred**2
    smooth = (centred * (kernel @ centred)).sum(axis=0)
    return np.asarray(1.0 - smooth / spread)


def heat_kernel(rows: Doubles, n_neighbors: int) -> tuple[coo_array, Doubles]:
    """Join rows to their nearest neighbours; the sparse matrix S and its row sums."""
    neighbors = min(n_neighbors, len(rows) - 1)
    joined = kneighbors_graph(rows, neighbors, mode="connectivity")
    kernel = joined.maximum(joined.T).tocoo()
    # Equal rows are at distance 0 and joined most strongly, so lengths come after the edges.
    squares = ((rows[kernel.row] - rows[kernel.col]) ** 2).sum(axis=1)
    width = squares.mean() if squares.size and squares.mean() > 0 else 1.0
    kernel.data = np.exp(-squares / width)
    return kernel, np.asarray(kernel.sum(axis=1)).ravel()


_NEIGHBOURS = 5
_DIRECTIONS = 5


def mcfs_order(X: Table, size: int) -> Order:
    """Order columns by their largest coefficient in sparse regressions of five directions.

    Each regression gives at most `size` columns a coefficient.
    """
    units = unit_columns(X)
    _, directions, degrees = _smooth_directions(units)
    targets = unit_columns(directions / np.sqrt(degrees)[:, None])
    steps = min(size, min(units.shape) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that no longer help are dropped
        scores = [
            np.abs(lars_path(units, target, method="lar", max_iter=steps, return_path=False)[2])
            for target in targets.T
        ]
    # Ties, which are zeros, go by correlation: lexsort looks at its last key first.
    return np.lexsort((-np.abs(units.T @ targets).max(axis=1), -np.max(scores, axis=0)))


def spec_order(X: Table) -> Order:
    """Order columns by SPEC's third score with five directions."""
    units = unit_columns(X)
    values, directions, degrees = _smooth_directions(units)
    weighted = units * np.sqrt(degrees)[:, None]
    weighted /= np.linalg.norm(weighted, axis=0)
    scores = (2.0 - values) @ (directions.T @ weighted) ** 2
    return np.argsort(-scores, kind="stable")


def _smooth_directions(units: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Eigenvalues, eigenvectors of the normalised Laplacian, and the degrees of the rows."""
    rows = units * np.sqrt(len(units))
    kernel, degrees = heat_kernel(rows, _NEIGHBOURS)
    scale = diags_array(1.0 / np.sqrt(degrees))
    smooth = scale @ kernel.tocsr() @ scale
    wanted = min(_DIRECTIONS + 1, len(rows) - 1)
    start = np.random.default_rng(0).standard_normal(len(rows))
    values, vectors = eigsh(smooth, k=wanted, which="LA", v0=start)
    order = np.argsort(-values)[1:]
    return 1.0 - values[order], vectors[:, order], degrees
