"""The columns that TFS and its rivals select on one training table."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import ConstantFeatureWarning
from topofs.selection import InfiniteFeatureSelector, SelectionSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["subsets"]


def subsets(
    X: npt.NDArray[np.floating[Any]],
    settings: SelectionSettings,
    sizes: Sequence[int],
    *,
    n_random: int,
    seed: tuple[int, ...],
) -> dict[tuple[str, int], list[npt.NDArray[np.intp]]]:
    """Select by TFS, Inf-FS, variance and at random, at every size; and take all columns.

    Each ranking is made once and cut at every size.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)
        The training table; NaN marks a missing value.
    settings : SelectionSettings
        The settings of TFS.
    sizes : sequence of int
        How many columns.
    n_random : int
        How many random subsets to draw.
    seed : tuple of int
        Of the random subsets.

    Returns
    -------
    dict
        For each method and size, the subsets; only "random" has several.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> chosen = subsets(X, SelectionSettings(), [1], n_random=2, seed=(0,))
    >>> chosen["variance", 1], len(chosen["random", 1]), list(chosen)[-1]
    ([array([2])], 2, ('all', 3))
    """
    n_features = X.shape[1]
    first = replace(settings, size=sizes[0], keep=())
    with warnings.catch_warnings():
        # A column that varies may be constant on the rows of one part.
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        rankings = {
            "tfs": np.argsort(first.selector().fit(X).ranking_),
            "inf_fs": np.argsort(InfiniteFeatureSelector(sizes[0]).fit(X).ranking_),
            "variance": _by_variance(X),
        }
    random = np.random.default_rng(seed)
    chosen = {
        (method, size): [np.sort(ranking[:size])]
        for method, ranking in rankings.items()
        for size in sizes
    }
    for size in sizes:
        chosen["random", size] = [
            np.sort(random.choice(n_features, size, replace=False)) for _ in range(n_random)
        ]
    chosen["all", n_features] = [np.arange(n_features)]
    return chosen


def _by_variance(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.intp]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Degrees of freedom <= 0")
        variance = np.nanvar(X, axis=0, dtype=np.float64)
    return np.argsort(-np.nan_to_num(variance, nan=-1.0), kind="stable")
