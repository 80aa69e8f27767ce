"""Centralities: one number for each node of a graph, large for a central one.

`degree`, `strength`, `closeness`, `betweenness`, `eigenvector` and `pagerank` take a
`FilteredGraph`; `CENTRALITIES` has them by name. Of these, only strength reads the weights.
`infinite_path_scores`, the score of Inf-FS, takes a whole similarity matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh_tridiagonal
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

from topofs.errors import import_extra
from topofs.similarity_matrix import check_similarity_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Doubles, Floats

__all__ = [
    "CENTRALITIES",
    "betweenness",
    "check_theta",
    "closeness",
    "degree",
    "eigenvector",
    "infinite_path_scores",
    "pagerank",
    "significant",
    "strength",
]

SOURCES_PER_BLOCK = 128
"""Rows of the distance matrix held at a time."""

MOST_STEPS = 100
"""Steps of the Noda iteration: a dozen, and one for each 14 digits below the smallest score."""

SCORE_TOLERANCE = 1e-12
"""Relative error left in each vector of scores of Inf-FS, before rounding."""

RADIUS_GAP = 1e-13
"""The spectral radius ρ is enclosed: largest Ritz value <= ρ < that value / (1 - RADIUS_GAP)."""

BLOCK_ELEMENTS = 2**18
"""Elements of a similarity matrix read at a time."""


def degree(graph: FilteredGraph) -> Doubles:
    """Count the edges at each node.

    With ``A`` the 0/1 adjacency matrix, ``degree(i) = Σ_j A[i, j]``. The weights play no role.
    The count is not divided by ``n_nodes - 1``, as networkx does: the ranking is the same.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores: whole numbers, kept as floats like every other centrality.

    Notes
    -----
    Time and memory are O(n_nodes + n_edges).

    References
    ----------
    .. [1] L. C. Freeman (1978). Centrality in social networks: conceptual clarification.
       Social Networks 1(3), 215-239.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import degree
    >>> degree(FilteredGraph(4, [[0, 1], [0, 2], [0, 3]], [0.5, 0.9, -0.2])).tolist()
    [3.0, 1.0, 1.0, 1.0]
    """
    return graph.degree().astype(np.float64)


def strength(graph: FilteredGraph) -> Doubles:
    """Sum the weights of the edges at each node.

    With ``W`` the weighted adjacency matrix, ``strength(i) = Σ_j W[i, j]``. This is the only
    centrality of the package that reads the weights; weights of opposite sign cancel.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, summed in float64 whatever the type of the weights.

    Notes
    -----
    Time and memory are O(n_nodes + n_edges).

    References
    ----------
    .. [1] A. Barrat, M. Barthélemy, R. Pastor-Satorras and A. Vespignani (2004). The
       architecture of complex weighted networks. PNAS 101(11), 3747-3752.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import strength
    >>> strength(FilteredGraph(4, [[0, 1], [0, 2], [0, 3]], [0.5, 0.75, -0.25])).tolist()
    [1.0, 0.5, 0.75, -0.25]
    """
    return graph.strength().astype(np.float64)


def closeness(graph: FilteredGraph) -> Doubles:
    """Score each node by the inverse of its mean distance to the nodes it reaches.

    With ``R(i)`` the ``r`` nodes that `i` reaches, other than itself, and ``d`` the number of
    hops::

        closeness(i) = r / Σ_{j in R(i)} d(i, j) · r / (n_nodes - 1)

    The second factor is the Wasserman-Faust scaling: it is 1 in a connected graph, and it keeps
    the nodes of small components from winning. A node that reaches nothing scores zero. The
    weights play no role. The definition is that of ``networkx.closeness_centrality``.

    Parameters
    ----------
    graph : FilteredGraph
        The graph. It may be disconnected.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, in ``[0, 1]``.

    Notes
    -----
    One search a source: O(n_nodes (n_nodes + n_edges) log n_nodes) time. The distances are held
    a block of sources at a time, so memory is O(n_nodes).

    References
    ----------
    .. [1] L. C. Freeman (1978). Centrality in social networks: conceptual clarification.
       Social Networks 1(3), 215-239.
    .. [2] S. Wasserman and K. Faust (1994). Social Network Analysis: Methods and Applications,
       p. 201. Cambridge University Press.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import closeness
    >>> path = FilteredGraph(3, [[0, 1], [1, 2]], [0.5, 0.9])
    >>> closeness(path).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    n_nodes = graph.n_nodes
    adjacency = _adjacency(graph)
    totals = np.zeros(n_nodes)
    reached = np.zeros(n_nodes)
    for start in range(0, n_nodes, SOURCES_PER_BLOCK):
        sources = np.arange(start, min(start + SOURCES_PER_BLOCK, n_nodes))
        # The matrix is symmetric: its rows as they stand are the neighbours of each node.
        hops = csgraph.dijkstra(adjacency, directed=True, unweighted=True, indices=sources)
        within = np.isfinite(hops)
        totals[sources] = hops.sum(axis=1, where=within)
        reached[sources] = within.sum(axis=1) - 1
    scores = np.zeros(n_nodes)
    np.divide(reached**2, totals * (n_nodes - 1), out=scores, where=totals > 0)
    return scores


def betweenness(graph: FilteredGraph) -> Doubles:
    """Score each node by the share of shortest paths that pass through it.

    With ``σ(s, t)`` the number of shortest paths, in hops, between two nodes and
    ``σ(s, t | i)`` the number of those with `i` strictly inside::

        betweenness(i) = 2 / ((n_nodes - 1) (n_nodes - 2)) Σ_{s < t} σ(s, t | i) / σ(s, t)

    over the pairs joined by a path. The weights play no role. The definition is that of
    ``networkx.betweenness_centrality``.

    Parameters
    ----------
    graph : FilteredGraph
        The graph. It may be disconnected.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, in ``[0, 1]``.

    Raises
    ------
    MissingExtraError
        If rustworkx is not installed: ``pip install 'topofs[graphs]'``.

    Notes
    -----
    Brandes' algorithm [2]_ from rustworkx: O(n_nodes · n_edges) time, O(n_nodes + n_edges)
    memory. It runs on one thread, since the parallel version adds the shares in whatever order
    the threads finish and its last digits change from run to run. Scores are rounded to
    twelve significant digits, so that nodes in the same place tie.

    References
    ----------
    .. [1] L. C. Freeman (1977). A set of measures of centrality based on betweenness.
       Sociometry 40(1), 35-41.
    .. [2] U. Brandes (2001). A faster algorithm for betweenness centrality. Journal of
       Mathematical Sociology 25(2), 163-177.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import betweenness
    >>> path = FilteredGraph(4, [[0, 1], [1, 2], [2, 3]], [0.5, 0.9, 0.1])
    >>> betweenness(path).round(3).tolist()
    [0.0, 0.667, 0.667, 0.0]
    """
    rustworkx = import_extra("rustworkx", extra="graphs", purpose="betweenness")
    copy = rustworkx.PyGraph(multigraph=False)
    copy.add_nodes_from(range(graph.n_nodes))
    copy.add_edges_from_no_data([(i, j) for i, j in graph.edges.tolist()])
    shares = rustworkx.graph_betweenness_centrality(
        copy, normalized=True, endpoints=False, parallel_threshold=graph.n_nodes + 1
    )
    return significant(
        np.array([shares[node] for node in range(graph.n_nodes)], dtype=np.float64)
    )


def eigenvector(graph: FilteredGraph) -> Doubles:
    """Score each node by the Perron vector of the 0/1 adjacency matrix.

    With ``A`` the 0/1 adjacency matrix and ``ρ`` its largest eigenvalue, the scores are the
    vector ``x`` with ``A x = ρ x``, ``x >= 0`` and ``Σ x[i]² = 1``. The weights play no role.

    Where several components share the same ``ρ`` the solution is not unique; ``x`` is then the
    direction of the vector of ones projected on the eigenspace of ``ρ`` (the limit of the power
    method started from equal scores), which treats equal components equally. Components whose
    own ``ρ`` is smaller score zero. A graph without edges has equal scores.

    Parameters
    ----------
    graph : FilteredGraph
        The graph. It may be bipartite (a tree) or disconnected.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, non-negative, of unit Euclidean norm.

    Notes
    -----
    Each component is solved by Noda's inverse iteration [2]_: the shift is the upper bound
    ``max (A x)[i] / x[i]`` on ``ρ``, so the vectors stay positive, the bounds enclose ``ρ`` and
    the convergence is quadratic: about ten sparse factorisations. On trees, planar and chordal
    graphs these cost little more than O(n_nodes). Krylov methods were measured and rejected: on
    trees and near-symmetric graphs they are slower, return noise for nodes far from the hubs
    (scores below 1e-16) and may break the tie between two equal hubs.

    References
    ----------
    .. [1] P. Bonacich (1987). Power and centrality: a family of measures. American Journal of
       Sociology 92(5), 1170-1182.
    .. [2] T. Noda (1971). Note on the computation of the maximal eigenvalue of a non-negative
       irreducible matrix. Numerische Mathematik 17, 382-386.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import eigenvector
    >>> path = FilteredGraph(3, [[0, 1], [1, 2]], [0.5, 0.9])
    >>> eigenvector(path).round(3).tolist()
    [0.5, 0.707, 0.5]
    """
    if graph.n_nodes == 0:
        return np.zeros(0)
    adjacency = _adjacency(graph)
    degrees = graph.degree()
    _, component = csgraph.connected_components(adjacency, directed=False)
    position = np.argsort(component, kind="stable")
    members = np.split(position, np.cumsum(np.bincount(component))[:-1])
    solved = [
        (nodes, *_perron_pair(adjacency[nodes][:, nodes]))
        for nodes in members
        # √(max degree) <= ρ <= max degree: skip a component that cannot reach the largest ρ.
        if degrees[nodes].max() ** 2 >= degrees.max()
    ]
    largest = max(radius for _, radius, _ in solved)
    scores = np.zeros(graph.n_nodes)
    for nodes, radius, vector in solved:
        if radius >= largest * (1 - 1e-10):
            scores[nodes] = vector.sum() * vector
    return significant(scores / np.linalg.norm(scores))


def _perron_pair(adjacency: sparse.csr_array) -> tuple[float, Doubles]:
    """Largest eigenvalue and positive unit eigenvector of a connected graph (Noda iteration).

    Invariant: ``vector`` is positive, so ``min ratio <= ρ <= max ratio``. The upper bound
    settles within a dozen steps; after that each step divides what is left of the start, where
    the exact vector is smaller still, by about 1e14. Equal ratios mean that every entry is
    right, the smallest too.
    """
    n_nodes = adjacency.shape[0]
    vector = np.full(n_nodes, n_nodes**-0.5)
    bound = 0.0
    for _ in range(MOST_STEPS):
        # Far from the hubs the exact values may lie below the smallest float.
        present = vector > 1e-290
        ratios = (adjacency @ vector)[present] / vector[present]
        bound = float(ratios.max())
        if bound - ratios.min() <= 1e-12 * bound:
            break
        # A hair above the bound, so that the matrix is never singular to rounding.
        shifted = sparse.diags_array(np.full(n_nodes, bound * (1 + 1e-14))) - adjacency
        factors = splu(
            shifted.tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        # The inverse is positive; the sign guards against a last pivot rounded below zero.
        solution = np.abs(factors.solve(vector))
        vector = solution / np.linalg.norm(solution)
    return bound, vector


def pagerank(graph: FilteredGraph, *, damping: float = 0.85) -> Doubles:
    """Score each node by the time a random surfer spends on it.

    The surfer follows a random edge with probability ``damping`` and otherwise jumps to a node
    drawn uniformly; from an isolated node the surfer always jumps. With ``A`` the 0/1 adjacency
    matrix, ``d`` the damping and ``n`` the number of nodes::

        x[i] = (1 - d)/n + d Σ_j A[i, j] x[j] / degree(j) + d/n Σ_{j isolated} x[j]

    The weights play no role.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.
    damping : float, default 0.85
        Probability of following an edge, ``0 <= damping < 1``.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, positive, summing to one.

    Raises
    ------
    ValueError
        If `damping` is outside ``[0, 1)``.

    Notes
    -----
    The map contracts the L1 distance to the solution by `damping`, so the power iteration is
    stopped when that distance is at most 1e-12: about 170 steps of O(n_edges) for 0.85.

    References
    ----------
    .. [1] S. Brin and L. Page (1998). The anatomy of a large-scale hypertextual Web search
       engine. Computer Networks and ISDN Systems 30, 107-117.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import pagerank
    >>> path = FilteredGraph(3, [[0, 1], [1, 2]], [0.5, 0.9])
    >>> pagerank(path).round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    if not 0 <= damping < 1:
        raise ValueError(f"damping is {damping}; it must be at least 0 and less than 1")
    n_nodes = graph.n_nodes
    if n_nodes == 0:
        return np.zeros(0)
    adjacency = _adjacency(graph)
    degrees = graph.degree()
    followed = np.divide(damping, degrees, out=np.zeros(n_nodes), where=degrees > 0)
    scores = np.full(n_nodes, 1 / n_nodes)
    # Two distributions are at most 2 apart, hence the number of steps that always suffices.
    n_steps = int(np.ceil(np.log(5e-13) / np.log(damping))) if damping > 0 else 1
    for _ in range(n_steps):
        surfed = adjacency @ (followed * scores)
        updated = surfed + (1 - surfed.sum()) / n_nodes
        distance = np.abs(updated - scores).sum() * damping / (1 - damping)
        scores = updated
        if distance <= 1e-12:
            break
    return significant(scores / scores.sum())


def _adjacency(graph: FilteredGraph) -> sparse.csr_array:
    """The adjacency matrix with a one for each edge, whatever its weight, even zero."""
    adjacency = graph.to_scipy().astype(np.float64)
    adjacency.data[:] = 1.0
    return adjacency


def significant(scores: Doubles) -> Doubles:
    """Round each score to twelve significant digits, far above the rounding error of its sums.

    Nodes in the same place of a graph have the same score by definition, but sums in another
    order give it other last bits; rounded, they tie, and ties have a rule.
    """
    return np.array([float(f"{score:.11e}") for score in scores.tolist()])


CENTRALITIES: dict[str, Callable[[FilteredGraph], Doubles]] = {
    "degree": degree,
    "strength": strength,
    "eigenvector": eigenvector,
    "pagerank": pagerank,
    "closeness": closeness,
    "betweenness": betweenness,
}
"""The centralities of a graph by name: each takes a `FilteredGraph` and nothing else."""


def infinite_path_scores(similarity: Floats, thetas: Sequence[float] | Doubles) -> Doubles:
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

    basis: Doubles
    diagonal: Doubles
    off_diagonal: Doubles


def _krylov_space(similarity: Floats, scale: float, thetas: Doubles) -> _KrylovSpace:
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


def _is_certified(space: _KrylovSpace, norm: float, thetas: Doubles) -> bool:
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


def _times(similarity: Floats, columns: Doubles, scale: float) -> Doubles:
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


def _check_non_negative(similarity: Floats) -> float:
    """Return the largest element of a matrix without negative ones."""
    least, largest = float(similarity.min()), float(similarity.max())
    if least < 0:
        raise ValueError(
            f"the similarity goes down to {least}; Inf-FS needs non-negative values (take "
            "absolute values or squares of signed correlations)"
        )
    return largest
