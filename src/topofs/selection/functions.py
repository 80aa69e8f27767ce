"""Functions: a TMFG without the matrix, scores for SelectKBest, noise features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from topofs.backends.device_arrays import arrays_of_device, on_host
from topofs.backends.dispatch import columns_to_compare, graph_from_columns
from topofs.graphs.tmfg import TMFG
from topofs.io.frames import column_names
from topofs.runtime import parse_memory
from topofs.selection.compatibility import graph_of, measure_of
from topofs.selection.selector import TopologicalFeatureSelector
from topofs.similarity.base import dense
from topofs.similarity.table import check_table, is_constant
from topofs.similarity_matrix import check_similarity_matrix
from topofs.terms import is_whole, registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.graphs.base import Graph
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Doubles, Floats


def tmfg_from_data(
    X: Any,
    *,
    similarity: str | Measure = "pearson",
    threshold: str | None = "mean",
    memory: int | str | None = "2GB",
    device: str | None = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> FilteredGraph:
    """Build the TMFG of the columns of a table without the n × n matrix.

    The graph is that of ``tmfg(threshold_mean(pearson(X, squared=True)))``, for tables whose
    matrix does not fit into memory.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_features)
        Numbers, complete (no missing values); a sparse table is made dense. float32 stays
        float32. Tensors of PyTorch and arrays of CuPy are taken, too.
    similarity : str or Measure, default="pearson"
        A measure computed by products of prepared columns: "pearson", "spearman" or "energy",
        or an object with parameters, such as ``Pearson(squared=False)``.
    threshold : {"mean", None}, default="mean"
        Set similarities below their mean to 0 first.
    memory : int, str or None, default="2GB"
        Memory beside the table and one prepared copy of it: bytes, text such as "500MB", or
        None for half of the machine's memory. More memory means fewer products.
    device : str or None, default="auto"
        Device that multiplies columns: "cpu", or "cuda" (or "cuda:1", …) with PyTorch or CuPy
        installed. "auto" is the device of the table. The graph does not depend on the device.
    progress : callable, optional
        On a device: called repeatedly with the number of steps done and the number of all
        steps, 2n: n columns get their links, n columns enter the graph.

    Returns
    -------
    FilteredGraph
        Labelled with the names of the columns, where the table has them.

    Notes
    -----
    O(n²S) time in blocked products, about two to three passes over all pairs; O(n) memory
    beyond the columns. Whole numbers and ranks give exactly the graph of the matrix, because
    all entries have the same bits. Other columns give the same graph unless two gains differ by
    rounding only. Fast products (BLAS, a device) only propose vertices; sums of products in
    float64, the same everywhere, decide between them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import topofs
    >>> X = load_breast_cancer().data
    >>> graph = topofs.tmfg_from_data(X)
    >>> similarity = topofs.threshold_mean(topofs.pearson(X, squared=True))
    >>> bool((graph.edges == topofs.tmfg(similarity).edges).all())
    True
    """
    measure = measure_of(similarity)
    if measure.products is None:
        known = registered("similarity")
        able = [name for name in known if known[name].products is not None]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity is {measure.name!r}, which needs the matrix; known are "
            + ", ".join(map(repr, able))
        )
    if threshold not in ("mean", None):
        raise ValueError(f"threshold is {threshold!r}; known are 'mean', None")
    arrays = arrays_of_device(device, X)
    table = check_table(on_host(X), no_sparse="tmfg_from_data takes")
    columns = columns_to_compare(
        table, measure.for_table(table), memory=parse_memory(memory), arrays=arrays
    )
    graph = graph_from_columns(
        columns, TMFG(), threshold=threshold is not None, progress=progress
    )
    names = column_names(X)
    return graph if names is None else replace(graph, labels=list(names))


def tfs_score(X: Any, y: Any = None) -> Doubles:  # noqa: ARG001
    """Score columns for `sklearn.feature_selection.SelectKBest` and its relatives.

    The score is the degree in the TMFG of squared Pearson correlations, plus a fraction below 1
    that orders equal degrees by strength. All scores differ, because SelectKBest would break
    ties by the highest index.

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n_samples, n_features)
        The table.
    y : ignored
        Labels are not used.

    Returns
    -------
    array of float, shape (n_features,)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from topofs import tfs_score
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> SelectKBest(tfs_score, k=2).fit(X, y).get_feature_names_out().tolist()
    ['total_phenols', 'flavanoids']
    """
    selector = TopologicalFeatureSelector(None, rule="degree").fit(X)
    n_features = selector.n_features_in_
    return selector.scores_ + (n_features - selector.ranking_) / n_features


@dataclass(frozen=True, eq=False)
class NoiseFeatures:
    """The columns that look like noise.

    Attributes
    ----------
    noise : array of bool, shape (n_features,)
        Columns whose strength does not exceed that of shuffled columns, and constant ones.
    p_values : array of float, shape (n_features,)
        Share of the shuffled columns that are as strong; 1 for constant columns.
    strength : array of float, shape (n_features,)
        Sum of the weights at each column in the graph; 0 for constant columns.
    """

    noise: Bools
    p_values: Doubles
    strength: Doubles


def noise_features(
    X: Any,
    *,
    similarity: str | Measure = "pearson",
    graph: str | Graph = "tmfg",
    n_permutations: int = 10,
    level: float = 0.05,
    random_state: Any = None,
) -> NoiseFeatures:
    r"""Find the columns that are linked to others no more strongly than by chance.

    This is a check of `n_features_to_select="auto"`. The values of each column are shuffled
    separately, which keeps every distribution and breaks every link. The graph of the shuffled
    table gives the strengths under chance. With B shuffled tables of n columns,

    .. math:: p_i = \frac{1 + \#\{\text{shuffled strengths} \ge \text{strength}_i\}}{1 + nB},

    and the columns that Benjamini and Hochberg's procedure does not reject are noise.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value.
    similarity : str or Measure, default="pearson"
        A measure of numbers whose high values mean similar columns.
    graph : str or Graph, default="tmfg"
        The filtered graph whose strength is tested.
    n_permutations : int, default=10
        Number B of shuffled tables; each costs as much as a fit.
    level : float, default=0.05
        Share of false discoveries to accept among the columns that are not noise.
    random_state : int, RandomState or None, default=None
        Shuffles the columns.

    Returns
    -------
    NoiseFeatures

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg (1995). Controlling the false discovery rate.
       Journal of the Royal Statistical Society B 57(1), 289-300.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.selection import noise_features
    >>> X = np.random.default_rng(0).normal(size=(200, 12))
    >>> X[:, 1] = X[:, 0] + X[:, 1]
    >>> X[:, 2] = X[:, 0] + X[:, 2]
    >>> (~noise_features(X, random_state=0).noise).nonzero()[0].tolist()
    [0, 1, 2]
    """
    if not is_whole(n_permutations) or n_permutations < 1:
        raise ValueError(
            f"n_permutations is {n_permutations!r}; give a whole number of at least 1"
        )
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be a number in (0, 1)")
    measure, family = _numbers_alike(measure_of(similarity)), graph_of(graph)
    table = check_table(X, no_sparse="noise_features takes")
    varying = np.flatnonzero(~is_constant(table))
    strength, p_values = np.zeros(table.shape[1]), np.ones(table.shape[1])
    noise = np.ones(table.shape[1], dtype=np.bool_)
    if len(varying) > 1:
        generator = check_random_state(random_state)
        values = np.array(table[:, varying])
        strength[varying] = _strength(values, measure, family)
        shuffled = (_shuffled(values, generator) for _ in range(n_permutations))
        chance = np.concatenate([_strength(table, measure, family) for table in shuffled])
        chance.sort()
        as_strong = len(chance) - np.searchsorted(chance, strength[varying], side="left")
        p_values[varying] = (1 + as_strong) / (1 + len(chance))
        # A constant column is not a hypothesis and must not enter the correction.
        noise[varying] = stats.false_discovery_control(p_values[varying]) > level
    return NoiseFeatures(noise, p_values, strength)


def _numbers_alike(measure: Measure) -> Measure:
    """Resolve the measure; refuse one without meaningful strengths, or that takes no array."""
    settled = measure.for_table(np.empty((2, 1)))
    if not (settled.takes_table and settled.takes_arrays and settled.means_alike):
        raise ValueError(
            f"similarity is {measure.name!r}; give a measure of numbers whose high values mean "
            "alike, such as 'pearson', 'spearman' or 'mutual_information'"
        )
    return settled


def _strength(values: Floats, measure: Measure, graph: Graph) -> Doubles:
    matrix = dense(measure.operator(values))
    return graph.build(check_similarity_matrix(matrix)).strength()


def _shuffled(values: Floats, generator: Any) -> Floats:
    """Shuffle each column separately, missing values included."""
    keys = generator.random_sample(values.shape)
    return np.take_along_axis(values, np.argsort(keys, axis=0), axis=0)
