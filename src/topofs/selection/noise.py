"""Columns that are linked no better than shuffled ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.utils import check_random_state

from topofs.selection.compatibility import graph_of, measure_of
from topofs.similarity.operator import dense
from topofs.similarity.table import check_table, is_constant
from topofs.similarity_matrix import check_similarity_matrix
from topofs.terms import is_whole

if TYPE_CHECKING:
    from topofs.graphs.base import Graph
    from topofs.similarity.base import Measure

__all__ = ["NoiseFeatures", "noise_features"]


@dataclass(frozen=True, eq=False)
class NoiseFeatures:
    """Which columns look like noise.

    Attributes
    ----------
    noise : array of bool, shape (n_features,)
        Columns whose strength does not exceed that of shuffled columns, and constant ones.
    p_values : array of float, shape (n_features,)
        Share of the shuffled columns that are as strong; 1 for constant columns.
    strength : array of float, shape (n_features,)
        Sum of the weights at each column in the graph; 0 for constant columns.
    """

    noise: npt.NDArray[np.bool_]
    p_values: npt.NDArray[np.float64]
    strength: npt.NDArray[np.float64]


def noise_features(
    X: Any,
    *,
    similarity: str | Measure = "pearson",
    graph: str | Graph = "tmfg",
    n_permutations: int = 10,
    level: float = 0.05,
    random_state: Any = None,
) -> NoiseFeatures:
    r"""Find the columns that are linked to others no better than chance would link them.

    A second opinion on `n_features_to_select="auto"`. The values of each column are shuffled
    by themselves, which keeps every distribution and breaks every link; the graph of the
    shuffled table gives strengths under chance. With B shuffled tables of n columns,

    .. math:: p_i = \frac{1 + \#\{\text{shuffled strengths} \ge \text{strength}_i\}}{1 + nB},

    and the columns that Benjamini and Hochberg's procedure does not reject are noise.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value.
    similarity : str or Measure, default="pearson"
        A measure of numbers whose high values mean alike.
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
    _check(n_permutations, level)
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
        # A constant column is no hypothesis: it must not make the others harder to believe.
        noise[varying] = stats.false_discovery_control(p_values[varying]) > level
    return NoiseFeatures(noise, p_values, strength)


def _numbers_alike(measure: Measure) -> Measure:
    """Settle the measure; refuse one by which strength says nothing, or that takes no array."""
    settled = measure.for_table(np.empty((2, 1)))
    if not (settled.takes_table and settled.takes_arrays and settled.means_alike):
        raise ValueError(
            f"similarity is {measure.name!r}; give a measure of numbers whose high values mean "
            "alike, such as 'pearson', 'spearman' or 'mutual_information'"
        )
    return settled


def _check(n_permutations: Any, level: Any) -> None:
    if not is_whole(n_permutations):
        raise ValueError(f"n_permutations is {n_permutations!r}; give a whole number")
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}; it must be at least 1")
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be a number in (0, 1)")


def _strength(
    values: npt.NDArray[np.floating[Any]], measure: Measure, graph: Graph
) -> npt.NDArray[np.float64]:
    matrix = dense(measure.operator(values))
    return graph.build(check_similarity_matrix(matrix)).strength()


def _shuffled(values: npt.NDArray[np.floating[Any]], generator: Any) -> npt.NDArray[Any]:
    """Each column in an order of its own; missing values move along."""
    keys = generator.random_sample(values.shape)
    return np.take_along_axis(values, np.argsort(keys, axis=0), axis=0)
