"""Network stability: how far the edges and centralities of a graph depend on the sample.

`network_stability` draws the rows again and again, in two ways: with replacement for the
intervals, and without some of the rows for the case-dropping coefficient.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils import check_random_state

from topofs.backends.dask_table import is_dask
from topofs.centrality import CENTRALITIES
from topofs.io.frames import NamedArray, column_names, named_matrix, refuse_without_rows
from topofs.io.types import TypedTable
from topofs.selection.answers import with_correlations
from topofs.selection.compatibility import rule_of
from topofs.selection.selector import TopologicalFeatureSelector, fit_and_compare
from topofs.selection.stability import check_level, drawn_rows, run_length, settled_selector
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from topofs.models import LoGoCovariance
    from topofs.typing import Doubles, Ints

    Rows = npt.NDArray[np.intp]

__all__ = ["Intervals", "NetworkStability", "network_stability"]

EDGE = "edge"
"""The statistic of the edges, beside the centralities of the nodes."""

LEAST_CORRELATION, PROBABILITY = 0.7, 0.95
"""The correlation that must stay, and with which probability, as rows are dropped."""

DROPPED = np.linspace(0.05, 0.75, 10)
"""The shares of the rows that are dropped."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """A statistic of each edge or node, with its bootstrap interval.

    Attributes
    ----------
    values : array of float
        The values from all rows.
    lower, upper : array of float
        The ends of the intervals: quantiles of the values from the bootstrap samples.
    """

    values: Doubles
    lower: Doubles
    upper: Doubles


@dataclass(frozen=True, eq=False)
class NetworkStability:
    """The dependence of a network on the sample.

    Attributes
    ----------
    names : tuple of str
        Names of the columns.
    edges : array of int, shape (n_edges, 2)
        Positions of the two columns of each edge of the network of all rows.
    frequency : array of float, shape (n_edges,)
        Share of the bootstrap samples whose network has the edge.
    intervals : dict of str to Intervals
        For "edge" the value of each edge, for each centrality that of each column.
    signed : bool
        Whether the values of the edges are correlations; they are weights where the measure of
        the network has no sign.
    dropped : array of float, shape (n_levels,)
        The shares of the rows that were dropped.
    correlations : dict of str to array, shape (n_levels, n_draws)
        For each statistic, its correlations with that of all rows.
    coefficient : dict of str to float
        For each statistic the case-dropping coefficient, also called CS-coefficient.
    n_resamples : int
        Number of bootstrap samples.
    level : float
        Confidence of the intervals.
    """

    names: tuple[str, ...]
    edges: Ints
    frequency: Doubles
    intervals: dict[str, Intervals]
    signed: bool
    dropped: Doubles
    correlations: dict[str, Doubles]
    coefficient: dict[str, float]
    n_resamples: int
    level: float

    def __repr__(self) -> str:
        found = self.intervals[EDGE]
        strongest = np.argsort(-np.abs(found.values), kind="stable")[:5]
        lines = [
            f"{len(self.edges):,} edges of {len(self.names):,} columns, {self.n_resamples:,} "
            f"bootstrap samples; the strongest, with {self.level:.0%} intervals:"
        ]
        for edge in strongest.tolist():
            left, right = (self.names[column] for column in self.edges[edge])
            lines.append(
                f"  {left} – {right}  {found.values[edge]:.2f} "
                f"({found.lower[edge]:.2f} … {found.upper[edge]:.2f}), in "
                f"{self.frequency[edge]:.0%} of the samples"
            )
        lines.append(
            f"Share of the rows that can be dropped (correlation {LEAST_CORRELATION:g} with "
            f"probability {PROBABILITY:.0%}):"
        )
        lines += [f"  {name}  {share:.0%}" for name, share in self.coefficient.items()]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The network of some rows: edges as ``left * n_features + right``, ascending."""

    edges: Ints
    values: Doubles
    signed: bool
    centralities: Doubles


def network_stability(
    estimator: TopologicalFeatureSelector | LoGoCovariance,
    X: Any,
    *,
    n_resamples: int = 1000,
    centralities: Iterable[str] = ("strength", "closeness", "betweenness"),
    splits: str | None = None,
    random_state: Any = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NetworkStability:
    r"""Tell how far the edges and centralities of a network depend on the sample.

    As in bootnet [1]_, the **interval** of an edge or a centrality lies between the quantiles of
    its values in the networks of `n_resamples` bootstrap samples. An edge that such a network
    does not have counts as 0.

    The **case-dropping coefficient** of a statistic is the largest share d of the rows that can
    be dropped so that

    .. math:: P(\operatorname{cor}(t, t_d) \ge 0.7) \ge 0.95,

    with t the statistic of all columns (or pairs of columns, for edges) from all rows,
    :math:`t_d` the same from a random part of the rows, and cor Pearson's correlation, 0 if
    one of them is constant. The authors ask for at least 0.25, better 0.5.

    Parameters
    ----------
    estimator : TopologicalFeatureSelector or LoGoCovariance
        A selector with a graph, whose network is `graph_`, or a model, whose network is that of
        its partial correlations. It is cloned, not fitted itself.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, shape \
(n_samples, n_features)
        The table, in memory.
    n_resamples : int, default=1000
        Number of bootstrap samples, at least 20. At each of ten shares from 0.05 to 0.75, a tenth
        of this number of parts is drawn.
    centralities : iterable of str, default=("strength", "closeness", "betweenness")
        Names in `topofs.centrality.CENTRALITIES`.
    splits : {None, "blocks"}, default=None
        How to draw rows. None: one by one. "blocks": in runs of neighbours, for rows in time
        order, as `topofs.stability` does; runs are dropped, too.
    random_state : int, RandomState or None, default=None
        Draws the rows. With an int the answer is the same on any number of jobs.
    level : float, default=0.95
        Confidence of the intervals, in (0, 1).
    n_jobs : int or None, default=None
        Processes to use, as in joblib.
    progress : callable, optional
        Called as ``progress(done, total)`` after each network.

    Returns
    -------
    NetworkStability

    See Also
    --------
    topofs.stability : The same for the selected columns.

    Notes
    -----
    A column that is constant in a sample has no edges there, and all its centralities count as
    0. Memory is n_resamples times the number of edges and columns. The graph of a filter such as
    the TMFG keeps a fixed number of edges. So an edge can be replaced by a rival that is as
    strong: see `frequency`.

    References
    ----------
    .. [1] S. Epskamp, D. Borsboom and E. I. Fried (2018). Estimating psychological networks
       and their accuracy: a tutorial paper. Behavior Research Methods 50, 195-212.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, network_stability
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(graph="tmfg")
    >>> found = network_stability(selector, X, n_resamples=40, random_state=0)
    >>> found.edges.shape, round(found.coefficient["strength"], 2)
    ((33, 2), 0.75)
    """
    if not is_whole(n_resamples) or n_resamples < 20:
        raise ValueError(f"n_resamples is {n_resamples!r}; give a whole number of at least 20")
    check_level(level)
    if not (splits is None or (isinstance(splits, str) and splits == "blocks")):
        raise ValueError(f"splits is {splits!r}; give 'blocks' or None")
    scores = _checked_centralities(centralities)
    if is_dask(X):
        raise TypeError("X is a dask collection, whose rows cannot be drawn: pass X.compute()")
    refuse_without_rows(X)
    X = named_matrix(X)
    names = column_names(X)
    estimator, X = _settled(estimator, X)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    n_features = X.shape[1]
    generator = check_random_state(random_state)
    drawn = drawn_rows(splits, n_samples, n_resamples, generator)
    kept = np.round((1 - DROPPED) * n_samples).astype(int).tolist()
    n_draws = n_resamples // 10
    for n_kept in kept:
        drawn += [_part(n_samples, n_kept, splits, generator) for _ in range(n_draws)]
    whole = _network_of(estimator, X, np.arange(n_samples), scores)
    tasks = (
        delayed(_numbered)(number, estimator, X, rows, scores)
        for number, rows in enumerate(drawn)
    )
    fits: list[Any] = [None] * len(drawn)
    found = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks)
    for done, (number, fit) in enumerate(found, start=1):
        fits[number] = fit
        if progress is not None:
            progress(done, len(drawn))
    samples, parts = fits[:n_resamples], fits[n_resamples:]
    agreeing = np.array([_correlations(part, whole, n_features) for part in parts])
    agreeing = agreeing.reshape(len(kept), n_draws, 1 + len(scores))
    statistics = (EDGE, *scores)
    correlations = {name: agreeing[:, :, i] for i, name in enumerate(statistics)}
    dropped = 1 - np.array(kept) / n_samples
    edges, frequency = _edge_intervals(whole, samples, level)
    return NetworkStability(
        names=tuple(map(str, names or [f"x{i}" for i in range(n_features)])),
        edges=np.column_stack(np.divmod(whole.edges, n_features)),
        frequency=frequency,
        intervals={EDGE: edges} | _node_intervals(whole, samples, scores, level),
        signed=whole.signed,
        dropped=dropped,
        correlations=correlations,
        coefficient={
            name: _coefficient(dropped, values) for name, values in correlations.items()
        },
        n_resamples=n_resamples,
        level=level,
    )


def _checked_centralities(centralities: Iterable[str]) -> tuple[str, ...]:
    names = (centralities,) if isinstance(centralities, str) else tuple(centralities)
    unknown = [name for name in names if name not in CENTRALITIES]
    if unknown:
        raise ValueError(
            f"centralities holds {unknown[0]!r}; known are "
            + ", ".join(map(repr, CENTRALITIES))
        )
    return tuple(dict.fromkeys(names))


def _settled(estimator: TopologicalFeatureSelector | LoGoCovariance, X: Any) -> tuple[Any, Any]:
    """The estimator with the measure of the whole table; of a selector the graph alone counts."""
    if not isinstance(estimator, TopologicalFeatureSelector):
        if not hasattr(estimator, "partial_correlations"):
            raise TypeError(
                f"{type(estimator).__name__} has no network: give a TopologicalFeatureSelector "
                "or a LoGoCovariance"
            )
        return clone(estimator), X
    rule = rule_of(estimator.rule)
    if not rule.needs.graph:
        raise ValueError(f"rule {rule.name!r} ranks without a graph: use rule 'coverage'")
    # Nothing is selected here: the size is the quickest, and no constraint can fail.
    nothing = dict.fromkeys(
        ("keep", "exclude", "at_most", "at_least", "max_similarity", "relevance")
    )
    network = clone(estimator).set_params(n_features_to_select=1, **nothing)
    return settled_selector(network, X)


def _part(
    n_samples: int, n_kept: int, splits: str | None, generator: np.random.RandomState
) -> Rows:
    """Positions of a random part of the rows, ascending; in blocks, whole runs are dropped."""
    if splits is None:
        return np.sort(generator.permutation(n_samples)[:n_kept])
    runs = np.array_split(np.arange(n_samples), -(-n_samples // run_length(n_samples)))
    order = generator.permutation(len(runs))
    return np.sort(np.concatenate([runs[i] for i in order])[:n_kept])


def _numbered(number: int, *arguments: Any) -> tuple[int, _Fit]:
    """The network of a part of the rows; a process may end in any order."""
    try:
        return number, _network_of(*arguments)
    except ValueError as error:
        raise ValueError(
            f"there is no network of draw {number + 1} of the rows ({error}); give more rows, or "
            "leave out columns that hardly vary"
        ) from error


def _network_of(
    estimator: TopologicalFeatureSelector | LoGoCovariance,
    X: Any,
    rows: Rows,
    scores: tuple[str, ...],
) -> _Fit:
    """Fit a clone to some rows, and give edges and centralities over all columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = isinstance(X, (NamedArray, TypedTable))
        drawn = X.take(rows) if named else take_rows(X, rows)
        fitted = clone(estimator)
        if isinstance(fitted, TopologicalFeatureSelector):
            operator = fit_and_compare(fitted, drawn).operator
            graph, nodes = with_correlations(fitted.graph_, operator), fitted.nodes_
        else:
            graph = fitted.fit(drawn).partial_correlations()
            nodes = np.arange(graph.n_nodes)
    n_features = X.shape[1]
    signed = graph.correlations is not None
    values = graph.correlations if signed else graph.weights
    # The nodes ascend, and so do the edges of a graph.
    edges = nodes[graph.edges[:, 0]] * n_features + nodes[graph.edges[:, 1]]
    centralities = np.zeros((len(scores), n_features))
    for row, name in zip(centralities, scores, strict=True):
        row[nodes] = CENTRALITIES[name](graph)
    return _Fit(edges, np.asarray(values, dtype=np.float64), signed, centralities)


def _values_at(fit: _Fit, edges: Ints) -> tuple[Doubles, Any]:
    """The values of a network at some edges, 0 where it has none; and where it has them."""
    values = np.zeros(len(edges))
    _, here, there = np.intersect1d(edges, fit.edges, assume_unique=True, return_indices=True)
    values[here] = fit.values[there]
    has = np.zeros(len(edges), dtype=np.bool_)
    has[here] = True
    return values, has


def _edge_intervals(
    whole: _Fit, samples: list[_Fit], level: float
) -> tuple[Intervals, Doubles]:
    values, has = zip(*(_values_at(fit, whole.edges) for fit in samples), strict=True)
    lower, upper = _quantiles(np.array(values), level)
    return Intervals(whole.values, lower, upper), np.mean(has, axis=0)


def _node_intervals(
    whole: _Fit, samples: list[_Fit], scores: tuple[str, ...], level: float
) -> dict[str, Intervals]:
    lower, upper = _quantiles(np.array([fit.centralities for fit in samples]), level)
    return {
        name: Intervals(whole.centralities[i], lower[i], upper[i])
        for i, name in enumerate(scores)
    }


def _quantiles(values: Doubles, level: float) -> Any:
    return np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)


def _correlations(part: _Fit, whole: _Fit, n_features: int) -> list[float]:
    """Correlations of the edges and of each centrality of a part with those of all rows."""
    edges = np.union1d(part.edges, whole.edges)
    left, right = _values_at(part, edges)[0], _values_at(whole, edges)[0]
    found = [_correlation(left, right, n_features * (n_features - 1) // 2)]
    pairs = zip(part.centralities, whole.centralities, strict=True)
    return found + [_correlation(left, right, n_features) for left, right in pairs]


def _correlation(left: Doubles, right: Doubles, n: int) -> float:
    """Pearson's correlation of n pairs, of which those not given are 0; 0 if one is constant."""
    x, y = left.sum() / n, right.sum() / n
    n_zero = n - len(left)
    left, right = left - x, right - y
    products = left @ right + n_zero * x * y
    spreads = (left @ left + n_zero * x * x) * (right @ right + n_zero * y * y)
    # What rounding leaves of a constant is no spread.
    return float(products / np.sqrt(spreads)) if spreads > 1e-24 else 0.0


def _coefficient(dropped: Doubles, correlations: Doubles) -> float:
    """The largest share of dropped rows that keeps the correlation; 0 if none does."""
    # Up to rounding: a correlation of 0.7 counts.
    kept = (correlations >= LEAST_CORRELATION - 1e-12).mean(axis=1) >= PROBABILITY
    return float(dropped[kept].max(initial=0.0))
